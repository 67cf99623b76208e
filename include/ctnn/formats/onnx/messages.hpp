// SPDX-License-Identifier: BSL-1.0
// What a file of ONNX's or of TensorFlow Lite's says, as plain structs, in ONNX's words. Nothing here refers to the
// file's bytes in memory any more; the numbers of large tensors stay in the open file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../loaded/budget.hpp"
#include "../../loaded/loaded_model.hpp"

namespace ctnn::onnx {

/// What a value of a file is, where it is not simply numbers.
enum class form {
  numbers,
  narrow_integers,  ///< of 2 or 4 bits, held in bytes: as such they would be sums, indices or bounds of another range
  narrow_floats,    ///< of 4 or 8 bits, held as f32, whose sums would not be rounded
  variable,         ///< no numbers, but what names a state
  text,             ///< whole numbers or booleans written as text, which only casts back read
  sequence,         ///< values one after the other: how many there are is known while reading
  nothing           ///< an optional without a value
};
constexpr const char* name_of(form f) {
  constexpr const char* names[] = {"a tensor",
                                   "a tensor of integers of at most 4 bits",
                                   "a tensor of floats of at most 8 bits",
                                   "a variable",
                                   "text",
                                   "a sequence",
                                   "an optional without a value"};
  return names[static_cast<int>(f)];
}
constexpr bool is_narrow(form f) { return f == form::narrow_integers || f == form::narrow_floats; }

/// Larger tensors are weights, which a program packs and does not need again: they stay in their file, and are known
/// by where they come from, as is what is computed of them while a network is built.
inline constexpr std::size_t most_bytes_kept = 1024;

/// TensorProto. `values` is missing where `refused` says why: an element type that ctnn does not have. Who looks at
/// those of a large tensor takes them by numbers_of(), or they stay in memory as long as the tensor.
struct tensor {
  std::string name;
  extents shape;
  dtype type = dtype::f32;
  shared_array values;
  std::string refused;
  bool sparse = false;  ///< was written as a SparseTensorProto
  onnx::form form = onnx::form::numbers;
};

/// AttributeProto::AttributeType, in the file's numbers.
enum class attribute_kind {
  undefined, real, integer, text, tensor, graph, reals, integers, texts, tensors, graphs,
  sparse_tensor, sparse_tensors, type, types
};
constexpr const char* name_of(attribute_kind k) {
  constexpr const char* names[] = {"nothing", "a float",         "an int",         "a string", "a tensor",
                                   "a graph", "floats",          "ints",           "strings",  "tensors",
                                   "graphs",  "a sparse tensor", "sparse tensors", "a type",   "types"};
  return names[static_cast<int>(k)];
}

struct graph_message;

struct attribute {
  std::string name;
  std::string refers_to;  ///< an attribute of the function the node is in
  attribute_kind kind = attribute_kind::undefined;
  float real = 0;
  std::int64_t integer = 0;
  std::string text;
  std::vector<float> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
  std::shared_ptr<onnx::tensor> tensor;
  std::shared_ptr<graph_message> graph;
};

struct node_message {
  std::string name, type, domain;
  std::string overload;                      ///< which of a file's functions of this name
  std::vector<std::string> inputs, outputs;  ///< an empty name is an input or output left out
  std::vector<attribute> attributes;
  std::size_t byte = 0;  ///< where it begins in the file
};

inline shared_array numbers_of(const tensor& t) { return taken_anew(t.values); }
/// Numbers that a file has in memory: large ones are known by a source, too.
inline shared_array kept(shared_array numbers) {
  if (numbers->bytes().size() <= most_bytes_kept) return numbers;
  auto source = std::make_shared<const kept_numbers>(numbers);
  return std::make_shared<const array>(numbers->shape(), numbers->type(), std::move(source));
}

/// What whole numbers stand for: scale (number - zero), one scale or one for every index of an axis.
struct stated_quantization {
  std::vector<float> scale;
  std::vector<std::int64_t> zero;
  int axis = 0;
};

/// What a file says of a value that a node makes or reads.
struct stated_value {
  int element = 0;  ///< TensorProto::DataType
  stated_quantization quantized;
  extents shape{};        ///< if no input has another than the file says
  bool is_state = false;  ///< operators find in it what they left there in the run before
};

/// ValueInfoProto of a tensor. An axis has a size, or a name, or nothing.
struct value_info {
  struct axis {
    std::optional<std::int64_t> size;
    std::string name;
  };
  std::string name;
  int element = 0;                           ///< TensorProto::DataType; 0 if the file does not say
  std::optional<std::vector<axis>> shape{};  ///< missing: any rank
  std::optional<extents> usual{};            ///< with axes that are open, if nobody says another
  bool is_tensor = true;                     ///< not a sequence, map, optional or sparse tensor
};

struct graph_message {
  std::string name;
  std::vector<node_message> nodes;
  std::vector<tensor> initializers;
  std::vector<value_info> inputs, outputs;
  std::vector<value_info> values;  ///< between nodes, of a file to be written; readers work them out
};

using opset_versions = std::map<std::string, std::int64_t>;  ///< by domain; "" is ai.onnx

/// FunctionProto: an operator that the file itself defines, by nodes that see their inputs alone.
struct function_message {
  graph_message body;
  std::vector<std::string> attributes;  ///< that calls may give
  std::vector<attribute> defaults;      ///< and those that have a value if they do not
  opset_versions opsets;
};
/// Domain, name and overload.
using function_key = std::array<std::string, 3>;

class node_reader;

/// Adds what an operator of the file is in ctnn's (node_reader.hpp).
using operator_reader = void (*)(node_reader&);

/// An operator of a format and the function that adds ctnn's.
struct operator_entry {
  std::string_view name;
  operator_reader read = nullptr;
  bool draws = false;  ///< random numbers, others whenever it is read
};

/// A way into a file that has several: a graph of its own, called by a word.
struct signature {
  std::string name;
  std::vector<std::string> inputs, outputs;  ///< the words of its values
  bool chosen = false;                       ///< the graph is this one's
};

struct model_message {
  std::string source;  ///< the file, for messages
  std::int64_t ir_version = 0;
  opset_versions opsets;
  graph_message graph;
  std::map<function_key, function_message> functions;
  const operator_entry* (*find)(std::string_view domain, std::string_view type) = nullptr;  ///< the format's operators
  std::unordered_map<std::string, stated_value> stated;  ///< by name, where the format says it
  std::vector<signature> signatures{};                   ///< of a .tflite file
  bool has_state = false;  ///< operators share it, so that the file is one network and no parts
  bool is_part = false;  ///< of a file, whose inputs are what they are fed (divide.hpp)
  /// What networks built of this have computed of its tensors.
  std::shared_ptr<source_table> computed = std::make_shared<source_table>();
};

/// ctnn's name for a TensorProto::DataType.
constexpr std::optional<dtype> element_type(int onnx) {
  switch (onnx) {
    case 1: return dtype::f32;
    case 2: return dtype::u8;
    case 3: return dtype::i8;
    case 4: return dtype::u16;
    case 5: return dtype::i16;
    case 6: return dtype::i32;
    case 7: return dtype::i64;
    case 9: return dtype::boolean;
    case 10: return dtype::f16;
    case 11: return dtype::f64;
    case 12: return dtype::u32;
    case 13: return dtype::u64;
    case 16: return dtype::bf16;
    default: return {};
  }
}
/// The file format's name of an element type, for messages.
constexpr const char* element_name(int onnx) {
  constexpr const char* names[] = {
      "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
      "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
      "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2"};
  return onnx >= 0 && onnx < static_cast<int>(std::size(names)) ? names[onnx] : "unknown";
}

}  // namespace ctnn::onnx
