// SPDX-License-Identifier: BSL-1.0
// TensorFlow Lite's operators by name: one table, one small function each (readers/).
#pragma once

#include <iterator>

#include "parser.hpp"
#include "readers/byte_products.hpp"
#include "readers/recurrent.hpp"

namespace ctnn::tflite {

namespace readers {
using enum op::comparison;
using enum op::logic_function;

/// Every operator that ctnn's express, sorted by name. `unscaled` ones know no integers that stand for real numbers,
/// `moves` take them as they are, the others know what they stand for. IF, WHILE and CALL_ONCE are the graph reader's.
inline constexpr operator_entry operators[] = {
    {"ABS", function_of<apply<function::abs>, function::abs>},
    {"ADD", arithmetic<add>},
    {"ADD_N", byte_add_n},
    {"ARG_MAX", moves<arg_reduce<true>>},
    {"ARG_MIN", moves<arg_reduce<false>>},
    {"ASSIGN_VARIABLE", moves<assign_variable>},
    {"AVERAGE_POOL_2D", byte_pool<op::pooling::average>},
    {"BATCH_MATMUL", byte_batch_matmul},
    {"BATCH_TO_SPACE_ND", moves<batch_to_space>},
    {"BITCAST", moves<bit_cast>},
    {"BROADCAST_ARGS", moves<broadcast_args>},
    {"BROADCAST_TO", moves<broadcast_to>},
    {"CAST", unscaled<cast>},
    {"CEIL", unscaled<apply<function::ceil>>},
    {"CONCATENATION", byte_concatenation},
    {"CONV_2D", byte_convolution<false>},
    {"COS", unscaled<apply<function::cos>>},
    {"CUMSUM", unscaled<cumsum>},
    {"DEPTHWISE_CONV_2D", byte_convolution<true>},
    {"DEPTH_TO_SPACE", moves<depth_to_space>},
    {"DEQUANTIZE", dequantize},
    {"DIV", byte_division},
    {"ELU", function_of<apply<function::elu, 1000>, function::elu, 1000>},
    {"EMBEDDING_LOOKUP", moves<embedding_lookup>},
    {"EQUAL", alike<onnx::readers::compare<equal>>},
    {"EXP", function_of<apply<function::exp>, function::exp>},
    {"EXPAND_DIMS", moves<expand_dims>},
    {"FILL", moves<fill>},
    {"FLOOR", unscaled<apply<function::floor>>},
    {"FLOOR_DIV", unscaled<floor_div>},
    {"FLOOR_MOD", unscaled<floor_mod>},
    {"FULLY_CONNECTED", byte_product},
    {"GATHER", moves<gather>},
    {"GATHER_ND", moves<onnx::readers::gather_nd>},
    {"GELU", byte_gelu},
    {"GREATER", alike<onnx::readers::compare<greater>>},
    {"GREATER_EQUAL", alike<onnx::readers::compare<greater_equal>>},
    {"HARD_SWISH", byte_hard_swish},
    {"L2_NORMALIZATION", byte_l2_normalization},
    {"L2_POOL_2D", unscaled<l2_pool>},
    {"LEAKY_RELU", byte_leaky_relu},
    {"LESS", alike<onnx::readers::compare<less>>},
    {"LESS_EQUAL", alike<onnx::readers::compare<less_equal>>},
    {"LOCAL_RESPONSE_NORMALIZATION", unscaled<local_response_normalization>},
    {"LOG", function_of<apply<function::log>, function::log>},
    {"LOGICAL_AND", onnx::readers::logic<logical_and>},
    {"LOGICAL_NOT", onnx::readers::bitwise_not<true>},
    {"LOGICAL_OR", onnx::readers::logic<logical_or>},
    {"LOGISTIC", function_of<apply<function::sigmoid>, function::sigmoid>},
    {"LOG_SOFTMAX", byte_log_softmax},
    {"MAXIMUM", alike<binary<maximum>>},
    {"MAX_POOL_2D", byte_pool<op::pooling::max>},
    {"MEAN", byte_sum<op::reduction::mean>},
    {"MINIMUM", alike<binary<minimum>>},
    {"MIRROR_PAD", moves<mirror_pad>},
    {"MUL", arithmetic<mul>},
    {"NEG", unscaled<apply<function::neg>>},
    {"NOT_EQUAL", alike<differs>},
    {"ONE_HOT", unscaled<one_hot>},
    {"PACK", alike<pack>},
    {"PAD", moves<pad>},
    {"PADV2", alike<pad>},
    {"POW", unscaled<binary<pow>>},
    {"PRELU", byte_parametric_relu},
    {"QUANTIZE", quantize},
    {"RANGE", unscaled<onnx::readers::range>},
    {"RANK", moves<rank>},
    {"READ_VARIABLE", moves<read_variable>},
    {"REDUCE_ALL", unscaled<reduce<op::reduction::min>>},
    {"REDUCE_ANY", unscaled<reduce<op::reduction::max>>},
    {"REDUCE_MAX", alike<reduce<op::reduction::max>>},
    {"REDUCE_MIN", alike<reduce<op::reduction::min>>},
    {"REDUCE_PROD", unscaled<reduce<op::reduction::prod>>},
    {"RELU", bounds<apply<function::relu>, function::relu>},
    {"RELU6", bounds<apply<function::clip, 0, 6000>, function::clip, 0, 6>},
    {"RELU_0_TO_1", bounds<apply<function::clip, 0, 1000>, function::clip, 0, 1>},
    {"RELU_N1_TO_1", bounds<apply<function::clip, -1000, 1000>, function::clip, -1, 1>},
    {"RESHAPE", moves<reshape>},
    {"RESIZE_BILINEAR", byte_resize<op::interpolation::linear>},
    {"RESIZE_NEAREST_NEIGHBOR", byte_resize<op::interpolation::nearest>},
    {"REVERSE_SEQUENCE", moves<reverse_sequence>},
    {"REVERSE_V2", moves<reverse>},
    {"ROUND", unscaled<apply<function::round>>},
    {"RSQRT", function_of<apply<function::rsqrt>, function::rsqrt>},
    {"SELECT", alike<select<false>>},
    {"SELECT_V2", alike<select<true>>},
    {"SHAPE", moves<shape>},
    {"SIGN", unscaled<apply<function::sign>>},
    {"SIN", unscaled<apply<function::sin>>},
    {"SLICE", moves<slice>},
    {"SOFTMAX", byte_softmax},
    {"SPACE_TO_BATCH_ND", moves<space_to_batch>},
    {"SPACE_TO_DEPTH", moves<space_to_depth>},
    {"SPLIT", moves<split>},
    {"SPLIT_V", moves<split_v>},
    {"SQRT", function_of<apply<function::sqrt>, function::sqrt>},
    {"SQUARE", unscaled<apply<function::square>>},
    {"SQUARED_DIFFERENCE", byte_squared_difference},
    {"SQUEEZE", moves<squeeze>},
    {"STRIDED_SLICE", moves<strided_slice>},
    {"SUB", arithmetic<sub>},
    {"SUM", byte_sum<op::reduction::sum>},
    {"SVDF", byte_svdf},
    {"TANH", function_of<apply<function::tanh>, function::tanh>},
    {"TILE", moves<onnx::readers::tile>},
    {"TOPK_V2", moves<top_k>},
    {"TRANSPOSE", moves<transpose>},
    {"TRANSPOSE_CONV", byte_transposed_convolution},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", byte_lstm},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", unscaled<rnn>},
    {"UNPACK", moves<unpack>},
    {"VAR_HANDLE", moves<variable_handle>},
    {"ZEROS_LIKE", unscaled<zeros_like>},
};

}  // namespace readers

/// Null if TensorFlow Lite has no such operator or ctnn cannot say it.
inline const onnx::operator_entry* find_operator(std::string_view of, std::string_view name) {
  return of == domain ? onnx::find_in(readers::operators, name) : nullptr;
}

}  // namespace ctnn::tflite
