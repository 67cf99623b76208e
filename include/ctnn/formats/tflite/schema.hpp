// SPDX-License-Identifier: BSL-1.0
// What the schema of .tflite files calls its operators, their options and its element types, by number.
// https://github.com/tensorflow/tensorflow/blob/master/tensorflow/compiler/mlir/lite/schema/schema.fbs
#pragma once

#include <array>
#include <iterator>
#include <string_view>

namespace ctnn::tflite {

/// BuiltinOperator.
// clang-format off
inline constexpr std::string_view operator_names[] = {
    "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE", "DEQUANTIZE",
    "EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED", "HASHTABLE_LOOKUP", "L2_NORMALIZATION", "L2_POOL_2D",
    "LOCAL_RESPONSE_NORMALIZATION", "LOGISTIC", "LSH_PROJECTION", "LSTM", "MAX_POOL_2D", "MUL", "RELU",
    "RELU_N1_TO_1", "RELU6", "RESHAPE", "RESIZE_BILINEAR", "RNN", "SOFTMAX", "SPACE_TO_DEPTH", "SVDF", "TANH",
    "CONCAT_EMBEDDINGS", "SKIP_GRAM", "CALL", "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD",
    "UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "TRANSPOSE", "MEAN", "SUB",
    "DIV", "SQUEEZE", "UNIDIRECTIONAL_SEQUENCE_LSTM", "STRIDED_SLICE", "BIDIRECTIONAL_SEQUENCE_RNN", "EXP",
    "TOPK_V2", "SPLIT", "LOG_SOFTMAX", "DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST", "PRELU", "MAXIMUM",
    "ARG_MAX", "MINIMUM", "LESS", "NEG", "PADV2", "GREATER", "GREATER_EQUAL", "LESS_EQUAL", "SELECT", "SLICE", "SIN",
    "TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE", "EXPAND_DIMS", "EQUAL", "NOT_EQUAL", "LOG", "SUM", "SQRT", "RSQRT",
    "SHAPE", "POW", "ARG_MIN", "FAKE_QUANT", "REDUCE_PROD", "REDUCE_MAX", "PACK", "LOGICAL_OR", "ONE_HOT",
    "LOGICAL_AND", "LOGICAL_NOT", "UNPACK", "REDUCE_MIN", "FLOOR_DIV", "REDUCE_ANY", "SQUARE", "ZEROS_LIKE", "FILL",
    "FLOOR_MOD", "RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU", "SQUARED_DIFFERENCE", "MIRROR_PAD", "ABS",
    "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2", "ADD_N", "GATHER_ND", "COS", "WHERE", "RANK", "ELU",
    "REVERSE_SEQUENCE", "MATRIX_DIAG", "QUANTIZE", "MATRIX_SET_DIAG", "ROUND", "HARD_SWISH", "IF", "WHILE",
    "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "SCATTER_ND", "SELECT_V2", "DENSIFY", "SEGMENT_SUM",
    "BATCH_MATMUL", "PLACEHOLDER_FOR_GREATER_OP_CODES", "CUMSUM", "CALL_ONCE", "BROADCAST_TO", "RFFT2D", "CONV_3D",
    "IMAG", "REAL", "COMPLEX_ABS", "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "REDUCE_ALL",
    "CONV_3D_TRANSPOSE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "BROADCAST_ARGS",
    "RANDOM_STANDARD_NORMAL", "BUCKETIZE", "RANDOM_UNIFORM", "MULTINOMIAL", "GELU", "DYNAMIC_UPDATE_SLICE",
    "RELU_0_TO_1", "UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2",
    "UNSORTED_SEGMENT_MIN", "SIGN", "BITCAST", "BITWISE_XOR", "RIGHT_SHIFT", "STABLEHLO_LOGISTIC", "STABLEHLO_ADD",
    "STABLEHLO_DIVIDE", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_RESHAPE", "STABLEHLO_CLAMP",
    "STABLEHLO_CONCATENATE", "STABLEHLO_BROADCAST_IN_DIM", "STABLEHLO_CONVOLUTION", "STABLEHLO_SLICE",
    "STABLEHLO_CUSTOM_CALL", "STABLEHLO_REDUCE", "STABLEHLO_ABS", "STABLEHLO_AND", "STABLEHLO_COSINE",
    "STABLEHLO_EXPONENTIAL", "STABLEHLO_FLOOR", "STABLEHLO_LOG", "STABLEHLO_MINIMUM", "STABLEHLO_NEGATE",
    "STABLEHLO_OR", "STABLEHLO_POWER", "STABLEHLO_REMAINDER", "STABLEHLO_RSQRT", "STABLEHLO_SELECT",
    "STABLEHLO_SUBTRACT", "STABLEHLO_TANH", "STABLEHLO_SCATTER", "STABLEHLO_COMPARE", "STABLEHLO_CONVERT",
    "STABLEHLO_DYNAMIC_SLICE", "STABLEHLO_DYNAMIC_UPDATE_SLICE", "STABLEHLO_PAD", "STABLEHLO_IOTA",
    "STABLEHLO_DOT_GENERAL", "STABLEHLO_REDUCE_WINDOW", "STABLEHLO_SORT", "STABLEHLO_WHILE", "STABLEHLO_GATHER",
    "STABLEHLO_TRANSPOSE", "DILATE", "STABLEHLO_RNG_BIT_GENERATOR", "REDUCE_WINDOW", "STABLEHLO_COMPOSITE",
    "STABLEHLO_SHIFT_LEFT", "STABLEHLO_CBRT", "STABLEHLO_CASE",
};
// clang-format on
inline constexpr int custom_operator = 32;
/// The TensorType of what names a variable.
inline constexpr int resource_type = 13;

/// TensorProto::DataType for a TensorType: messages speak ONNX's numbers; 0 if there is none.
constexpr int element_of(int type) {
  constexpr int numbers[] = {1, 10, 6, 2, 7, 8, 9, 5, 14, 3, 11, 15, 13, 0, 0, 12, 4, 22, 16, 26, 21, 17, 19};
  return type >= 0 && type < static_cast<int>(std::size(numbers)) ? numbers[type] : 0;
}

enum class option_kind : unsigned char {
  flag,     ///< bool
  byte,     ///< an enumeration
  element,  ///< a TensorType
  integer,
  real,
  integers,
  text,
  subgraph,  ///< the number of one
};

/// A field of an operator's options. Without a name it does not matter: what it says is known otherwise, or is for
/// kernels that ctnn does not have.
struct option {
  std::string_view name;
  option_kind kind = option_kind::byte;
};

/// A table of the union BuiltinOptions and the operators that have it. Tables without fields are not listed.
struct options_table {
  int type = 0;
  std::array<int, 6> operators{-1, -1, -1, -1, -1, -1};
  std::array<option, 8> fields{};

  constexpr bool is_of(int code) const {
    for (const int o : operators)
      if (o == code) return true;
    return false;
  }
  constexpr int count() const {
    int n = 0;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (fields[i].kind != option_kind::byte || !fields[i].name.empty()) n = static_cast<int>(i) + 1;
    return n;
  }
};

namespace detail {

constexpr options_table options_of(int type, std::initializer_list<int> operators,
                                   std::initializer_list<option> fields) {
  options_table t;
  t.type = type;
  std::size_t i = 0;
  for (const int o : operators) t.operators[i++] = o;
  i = 0;
  for (const option& o : fields) t.fields[i++] = o;
  return t;
}

inline constexpr option activation{"fused_activation_function", option_kind::byte},
    padding{"padding", option_kind::byte}, stride_w{"stride_w", option_kind::integer},
    stride_h{"stride_h", option_kind::integer}, axis{"axis", option_kind::integer},
    sums{"quantized_bias_type", option_kind::element}, unread_flag{"", option_kind::flag},
    unread_type{"", option_kind::element}, unread_integer{"", option_kind::integer};

}  // namespace detail

inline constexpr options_table options_tables[] = {
    // CONV_2D, DEPTHWISE_CONV_2D (its depth_multiplier follows from the shapes), TRANSPOSE_CONV
    detail::options_of(1, {3},
                       {detail::padding,
                        detail::stride_w,
                        detail::stride_h,
                        detail::activation,
                        {"dilation_w_factor", option_kind::integer},
                        {"dilation_h_factor", option_kind::integer},
                        detail::sums}),
    detail::options_of(2, {4},
                       {detail::padding,
                        detail::stride_w,
                        detail::stride_h,
                        detail::unread_integer,
                        detail::activation,
                        {"dilation_w_factor", option_kind::integer},
                        {"dilation_h_factor", option_kind::integer}}),
    detail::options_of(49, {67},
                       {detail::padding, detail::stride_w, detail::stride_h, detail::activation, detail::sums}),
    // AVERAGE_POOL_2D, L2_POOL_2D, MAX_POOL_2D
    detail::options_of(5, {1, 12, 17},
                       {detail::padding,
                        detail::stride_w,
                        detail::stride_h,
                        {"filter_width", option_kind::integer},
                        {"filter_height", option_kind::integer},
                        detail::activation}),
    // FULLY_CONNECTED
    detail::options_of(8, {9},
                       {detail::activation,
                        {"weights_format", option_kind::byte},
                        {"keep_num_dims", option_kind::flag},
                        detail::unread_flag,
                        detail::sums}),
    // SVDF
    detail::options_of(6, {27}, {{"rank", option_kind::integer}, detail::activation, detail::unread_flag}),
    // SOFTMAX
    detail::options_of(9, {25}, {{"beta", option_kind::real}}),
    // CONCATENATION
    detail::options_of(10, {2}, {detail::axis, detail::activation}),
    // ADD, MUL, SUB, DIV: the second field is for integers of 16 bits
    detail::options_of(11, {0}, {detail::activation, detail::unread_flag}),
    detail::options_of(21, {18}, {detail::activation}),
    detail::options_of(28, {41}, {detail::activation, detail::unread_flag}),
    detail::options_of(29, {42}, {detail::activation}),
    // L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION
    detail::options_of(12, {11}, {detail::activation}),
    detail::options_of(13, {13},
                       {{"radius", option_kind::integer},
                        {"bias", option_kind::real},
                        {"alpha", option_kind::real},
                        {"beta", option_kind::real}}),
    // RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR
    detail::options_of(15, {23},
                       {detail::unread_integer,
                        detail::unread_integer,
                        {"align_corners", option_kind::flag},
                        {"half_pixel_centers", option_kind::flag}}),
    detail::options_of(74, {97}, {{"align_corners", option_kind::flag}, {"half_pixel_centers", option_kind::flag}}),
    // RESHAPE, SQUEEZE
    detail::options_of(17, {22}, {{"new_shape", option_kind::integers}}),
    detail::options_of(30, {43}, {{"squeeze_dims", option_kind::integers}}),
    // SPACE_TO_DEPTH, DEPTH_TO_SPACE
    detail::options_of(19, {26}, {{"block_size", option_kind::integer}}),
    detail::options_of(94, {5}, {{"block_size", option_kind::integer}}),
    // GATHER
    detail::options_of(23, {36}, {detail::axis, {"batch_dims", option_kind::integer}}),
    // MEAN, SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY; REDUCE_ALL is below
    detail::options_of(27, {40, 74, 81, 82, 89, 91}, {{"keep_dims", option_kind::flag}}),
    detail::options_of(27, {140}, {{"keep_dims", option_kind::flag}}),
    // STRIDED_SLICE
    detail::options_of(32, {45},
                       {{"begin_mask", option_kind::integer},
                        {"end_mask", option_kind::integer},
                        {"ellipsis_mask", option_kind::integer},
                        {"new_axis_mask", option_kind::integer},
                        {"shrink_axis_mask", option_kind::integer},
                        {"offset", option_kind::flag}}),
    // SPLIT, SPLIT_V, PACK, UNPACK: the outputs and inputs are counted
    detail::options_of(35, {49}, {detail::unread_integer}),
    detail::options_of(79, {102}, {detail::unread_integer}),
    detail::options_of(59, {83}, {detail::unread_integer, detail::axis}),
    detail::options_of(64, {88}, {detail::unread_integer, detail::axis}),
    // CAST, ARG_MAX, ARG_MIN, SHAPE: the tensors have these types
    detail::options_of(37, {53}, {detail::unread_type, detail::unread_type}),
    detail::options_of(40, {56}, {detail::unread_type}),
    detail::options_of(57, {79}, {detail::unread_type}),
    detail::options_of(55, {77}, {detail::unread_type}),
    // ONE_HOT
    detail::options_of(61, {85}, {detail::axis}),
    // LEAKY_RELU, GELU
    detail::options_of(75, {98}, {{"alpha", option_kind::real}}),
    detail::options_of(116, {150}, {{"approximate", option_kind::flag}}),
    // MIRROR_PAD
    detail::options_of(77, {100}, {{"mode", option_kind::byte}}),
    // REVERSE_SEQUENCE
    detail::options_of(87, {112}, {{"seq_dim", option_kind::integer}, {"batch_dim", option_kind::integer}}),
    // BATCH_MATMUL, CUMSUM
    detail::options_of(101, {126}, {{"adj_x", option_kind::flag}, {"adj_y", option_kind::flag}, detail::unread_flag}),
    detail::options_of(102, {128}, {{"exclusive", option_kind::flag}, {"reverse", option_kind::flag}}),
    // UNIDIRECTIONAL_SEQUENCE_RNN, UNIDIRECTIONAL_SEQUENCE_LSTM
    detail::options_of(31, {35}, {{"time_major", option_kind::flag}, detail::activation, detail::unread_flag}),
    detail::options_of(71, {44},
                       {detail::activation,
                        {"cell_clip", option_kind::real},
                        {"proj_clip", option_kind::real},
                        {"time_major", option_kind::flag},
                        detail::unread_flag,
                        {"diagonal_recurrent_tensors", option_kind::flag}}),
    // CALL_ONCE, VAR_HANDLE
    detail::options_of(103, {129}, {{"init_subgraph_index", option_kind::subgraph}}),
    detail::options_of(111, {142}, {{"container", option_kind::text}, {"shared_name", option_kind::text}}),
    // IF, WHILE
    detail::options_of(92, {118}, {{"then_branch", option_kind::subgraph}, {"else_branch", option_kind::subgraph}}),
    detail::options_of(93, {119}, {{"cond", option_kind::subgraph}, {"body", option_kind::subgraph}}),
};

}  // namespace ctnn::tflite
