# SPDX-License-Identifier: BSL-1.0
# ctnn's targets, for its own build and for installed copies alike, of what can be found:
#   ctnn::plain     declared networks on plain floats, for firmware: nothing else is needed
#   ctnn::static    declared networks (Highway; Boost.Hana's headers for <ctnn/network/layers_of.hpp>); also ctnn::ctnn
#   ctnn::kernels   declared networks whose kernels are compiled once, in a library: fast to compile, for every
#                   instruction set; what kernels gain by knowing a network's shapes is lost
#   ctnn::model     models from files (as ctnn::static, and threads), compiled once, in a library
#   ctnn::onnx      ctnn::model, where protozero is there to read ONNX
#   ctnn::compiled_kernels  ctnn::model and ctnn::kernels
#   ctnn::compiled  an older name of ctnn::model
#   ctnn::model_headers  models from files, headers alone: every unit that includes them compiles all
# The libraries are built with the user's own flags when something links them, unless the installed copy has them.

# Sets VAR to a target that is Highway, or to nothing.
function(ctnn_find_highway result)
  set(${result} "" PARENT_SCOPE)
  if(NOT TARGET hwy::hwy AND NOT TARGET hwy)
    find_package(hwy CONFIG QUIET)
    if(TARGET hwy::hwy)
      set_target_properties(hwy::hwy PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
  endif()
  foreach(target hwy::hwy hwy)
    if(TARGET ${target})
      set(${result} ${target} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(CTNN_LIBHWY QUIET IMPORTED_TARGET GLOBAL libhwy>=1.0.3)
    if(TARGET PkgConfig::CTNN_LIBHWY)
      set(${result} PkgConfig::CTNN_LIBHWY PARENT_SCOPE)
    endif()
  endif()
endfunction()

# A target of headers; where the sources are built themselves it can be exported with what uses it.
macro(ctnn_add_headers name include)
  if(CTNN_IMPORTED)
    set(ctnn_${name} ctnn::${name})
    add_library(ctnn::${name} INTERFACE IMPORTED)
  else()
    set(ctnn_${name} ctnn_${name})
    add_library(ctnn_${name} INTERFACE)
    add_library(ctnn::${name} ALIAS ctnn_${name})
    set_target_properties(ctnn_${name} PROPERTIES EXPORT_NAME ${name})
  endif()
  target_compile_features(${ctnn_${name}} INTERFACE cxx_std_20)
  target_include_directories(${ctnn_${name}} INTERFACE $<BUILD_INTERFACE:${include}>)
endmacro()

# Headers of others, unless the compiler finds them by itself; CTNN_<NAME>_INCLUDE is where they are.
macro(ctnn_add_foreign name header package without target)
  find_path(CTNN_${name}_INCLUDE ${header})
  if(NOT CTNN_${name}_INCLUDE)
    if(NOT ctnn_FIND_QUIETLY)
      message(STATUS "${without}: ${header} is missing (Debian: ${package}). Everything else works without.")
    endif()
  elseif(NOT CTNN_${name}_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(${target} SYSTEM INTERFACE $<BUILD_INTERFACE:${CTNN_${name}_INCLUDE}>)
  endif()
endmacro()

# The library's sources, of which those that read, write and rewrite compile in half the time with -O1, and run as fast.
macro(ctnn_add_sources sources include level)
  foreach(name ${ARGN})
    list(APPEND ${sources} ${include}/ctnn/compiled/${name}.cpp)
    if("${level}" STREQUAL "-O1" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
      set_source_files_properties(${include}/ctnn/compiled/${name}.cpp PROPERTIES
                                  COMPILE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-O1>")
    endif()
  endforeach()
endmacro()

# A static library and its headers; DIRECTORY has an archive of it that was built before, or nothing.
macro(ctnn_add_library name headers directory)
  if(EXISTS "${directory}/${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX}")
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES
      IMPORTED_LOCATION "${directory}/${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX}")
    target_link_libraries(${name} INTERFACE ${headers})
  else()
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
    target_link_libraries(${name} PUBLIC ${headers})
  endif()
endmacro()

# ctnn_add_targets(INCLUDE LIBRARIES [IMPORTED]): LIBRARIES is a folder that may have libraries ready to link.
function(ctnn_add_targets include libraries)
  set(CTNN_IMPORTED FALSE)
  if(ARGN STREQUAL "IMPORTED")
    set(CTNN_IMPORTED TRUE)
  endif()
  ctnn_add_headers(plain "${include}")
  target_compile_definitions(${ctnn_plain} INTERFACE CTNN_PLAIN)

  ctnn_find_highway(highway)
  if(NOT highway)
    return()
  endif()
  ctnn_add_headers(static "${include}")
  target_link_libraries(${ctnn_static} INTERFACE ${highway})
  ctnn_add_foreign(HANA boost/hana.hpp libboost-dev "No layers_of<...>" ${ctnn_static})
  if(CTNN_IMPORTED)
    add_library(ctnn::ctnn INTERFACE IMPORTED)
    target_link_libraries(ctnn::ctnn INTERFACE ctnn::static)
  else()
    add_library(ctnn::ctnn ALIAS ctnn_static)
  endif()

  ctnn_add_headers(model_headers "${include}")
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  target_link_libraries(${ctnn_model_headers} INTERFACE ${ctnn_static} Threads::Threads)
  ctnn_add_foreign(JSON nlohmann/json.hpp nlohmann-json3-dev "No .safetensors, .nam and RTNeural" ${ctnn_model_headers})
  ctnn_add_foreign(PROTOZERO protozero/pbf_reader.hpp libprotozero-dev "No ONNX" ${ctnn_model_headers})
  find_package(ZLIB QUIET)
  if(ZLIB_FOUND)
    target_link_libraries(${ctnn_model_headers} INTERFACE ZLIB::ZLIB)
    target_compile_definitions(${ctnn_model_headers} INTERFACE CTNN_ZLIB)
  elseif(NOT ctnn_FIND_QUIETLY)
    message(STATUS "No .npz and .pt: zlib is missing (Debian: zlib1g-dev). Everything else works without.")
  endif()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CXX" IN_LIST languages)
    return()
  endif()
  if(NOT TARGET ctnn_compiled)
    set(sources)
    ctnn_add_sources(sources "${include}" "" dispatch kernels_avx3 kernels_avx2 kernels_sse4 kernels_neon
                            kernels_fallback typed_kernels typed_layers typed_elements typed_others)
    ctnn_add_sources(sources "${include}" -O1 records)
    ctnn_add_library(ctnn_kernel_library "${ctnn_static}" "${libraries}" ${sources})
    set(sources)
    ctnn_add_sources(sources "${include}" "" extraction)
    ctnn_add_sources(sources "${include}" -O1 files rewriting model tools ncnn_reader ncnn_writer
                            onnx_builder onnx_computing onnx_moving onnx_sequences onnx_microsoft tflite json)
    if(CTNN_PROTOZERO_INCLUDE)
      ctnn_add_sources(sources "${include}" -O1 onnx_parser onnx_writer)
    endif()
    ctnn_add_library(ctnn_compiled "${ctnn_model_headers};ctnn_kernel_library" "${libraries}" ${sources})
    get_target_property(imported ctnn_compiled IMPORTED)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT imported)  # a tenth of its time; Clang 14 crashes over such headers
      target_precompile_headers(ctnn_compiled PRIVATE <algorithm> <atomic> <cmath> <condition_variable> <deque> <filesystem>
        <fstream> <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <thread> <unordered_map>
        <unordered_set> <variant> <vector>)
    endif()
    target_compile_definitions(ctnn_compiled INTERFACE CTNN_COMPILED)
    add_library(ctnn::compiled ALIAS ctnn_compiled)
  endif()
  ctnn_add_headers(kernels "${include}")
  target_link_libraries(${ctnn_kernels} INTERFACE ctnn_kernel_library)
  target_compile_definitions(${ctnn_kernels} INTERFACE CTNN_COMPILED_KERNELS)
  ctnn_add_headers(model "${include}")
  target_link_libraries(${ctnn_model} INTERFACE ctnn_compiled)
  ctnn_add_headers(compiled_kernels "${include}")
  target_link_libraries(${ctnn_compiled_kernels} INTERFACE ${ctnn_model} ${ctnn_kernels})
  if(CTNN_PROTOZERO_INCLUDE)
    ctnn_add_headers(onnx "${include}")
    target_link_libraries(${ctnn_onnx} INTERFACE ${ctnn_model})
  endif()
endfunction()
