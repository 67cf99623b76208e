# SPDX-License-Identifier: BSL-1.0
vcpkg_download_distfile(archive URLS "@ARCHIVE_URL@" FILENAME "ctnn-@VERSION@.tar.gz" SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  -DCTNN_BUILD_TESTS=OFF -DCTNN_BUILD_EXAMPLES=OFF -DCTNN_BUILD_BENCHMARKS=OFF -DCTNN_C_LIBRARY=OFF -DCTNN_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/ctnn)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
