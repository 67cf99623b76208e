// SPDX-License-Identifier: BSL-1.0
// Operators of com.microsoft, which ONNX Runtime's optimiser and exporters write.
#pragma once

#include "../readers/microsoft_attention.hpp"
#include "../readers/quantized_microsoft.hpp"

namespace ctnn::onnx {

namespace readers {

/// Sorted by name.
inline constexpr operator_entry microsoft[] = {
    {"Attention", microsoft_attention},
    {"BiasAdd", bias_add},
    {"BiasDropout", bias_dropout},
    {"BiasGelu", bias_gelu<function::gelu>},
    {"BiasSoftmax", bias_softmax},
    {"BiasSplitGelu", bias_split_gelu},
    {"CDist", distances},
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeMatMul", dynamic_quantize_matmul},
    {"EmbedLayerNormalization", embed_layer_norm},
    {"ExpandDims", expand_dims},
    {"FastGelu", bias_gelu<function::gelu_tanh>},
    {"FusedConv", fused_conv<false>},
    {"FusedGemm", fused_gemm},
    {"FusedMatMul", fused_matmul},
    {"FusedMatMulActivation", fused_matmul},
    {"GatherBlockQuantized", gather_blocks},
    {"GatherND", gather_nd},
    {"Gelu", apply<function::gelu>},
    {"GemmFastGelu", gemm_fast_gelu},
    {"GridSample", grid_sample},
    {"GroupNorm", microsoft_group_norm<false>},
    {"GroupQueryAttention", group_query_attention},
    {"MatMulIntegerToFloat", integer_matmul_to_float},
    {"MatMulNBits", matmul_of_bits},
    {"MultiHeadAttention", multi_head_attention},
    {"NhwcConv", fused_conv<true>},
    {"NhwcFusedConv", fused_conv<true>},
    {"Pad", pad},
    {"QGemm", quantized_gemm},
    {"QLinearAdd", quantized_arithmetic<op::binary_function::add>},
    {"QLinearAveragePool", quantized_average_pool},
    {"QLinearConcat", quantized_concat},
    {"QLinearGlobalAveragePool", quantized_global_pool},
    {"QLinearLeakyRelu", quantized_function<with_alpha<function::leaky_relu, 1>>},
    {"QLinearMul", quantized_arithmetic<op::binary_function::mul>},
    {"QLinearReduceMean", quantized_mean},
    {"QLinearSigmoid", quantized_function<apply<function::sigmoid>>},
    {"QLinearSoftmax", quantized_softmax},
    {"QLinearWhere", quantized_where},
    {"QuantizeLinear", quantize},
    {"QuickGelu", quick_gelu},
    {"Range", range<true>},
    {"RotaryEmbedding", microsoft_rotary_embedding},
    {"SkipGroupNorm", microsoft_group_norm<true>},
    {"SkipLayerNormalization", skip_layer_norm<false>},
    {"SkipSimplifiedLayerNormalization", skip_layer_norm<true>},
    {"TransposeMatMul", fused_matmul},
    {"Trilu", trilu},
    {"Unique", microsoft_unique},
};

}  // namespace readers

CTNN_ONCE const operator_entry* find_microsoft(std::string_view name) { return find_in(readers::microsoft, name); }

}  // namespace ctnn::onnx
