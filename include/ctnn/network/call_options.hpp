// SPDX-License-Identifier: BSL-1.0
// What functions that declare layers take by name: a struct for each kind of layer, a row for each option. Names are
// PyTorch's, with the words of options.hpp beside them; in a call they stand in the order of the rows, which is
// PyTorch's.
#pragma once

#include "setting.hpp"

namespace ctnn {

// clang-format off
/// The rows: a member, and the operator's field that it sets; without one the function itself looks at it.
#define CTNN_NO_OPTIONS(x)
#define CTNN_INPUT_OPTIONS(x) \
  x(dtype, "type") x(unused, "unused") x(carried, "carried") x(in_arena, "in_arena") x(as_i8, "as")
#define CTNN_CONSTANT_OPTIONS(x) x(dtype, "type") x(as_i8, "as")
#define CTNN_FULL_OPTIONS(x) x(fill_value, "value")
// What is between bytes: what a layer's result stands for, and what its weight is.
#define CTNN_BYTE_OPTIONS(x) \
  x(as_i8, "as") x(of_i8, "of") x(with_i8, "with") x(to, "to") x(rounded, "rounded") x(weight_type, "weight_type") \
  x(per_channel, "by_output") x(zero_points, "zero_points") x(real_bias, "real_bias")
#define CTNN_CONV_OPTIONS(x) \
  x(out_channels, "out") x(out, "out") x(kernel_size, "kernel") x(kernel, "kernel") x(stride, "stride") \
  x(padding, "pad") x(pad, "pad") x(dilation, "dilation") x(groups, "groups") x(bias, "bias") x(padding_mode, "") \
  x(activation, "activation") x(residual_last, "residual_last") x(winograd, "winograd") \
  x(winograd_bytes, "winograd_bytes") x(given, "given") \
  CTNN_BYTE_OPTIONS(x)
#define CTNN_CONV_TRANSPOSE_OPTIONS(x) \
  x(out_channels, "out") x(out, "out") x(kernel_size, "kernel") x(kernel, "kernel") x(stride, "stride") \
  x(padding, "pad") x(pad, "pad") x(output_padding, "output_padding") x(groups, "groups") x(bias, "bias") \
  x(dilation, "dilation") x(activation, "activation") x(given, "given") CTNN_BYTE_OPTIONS(x)
#define CTNN_LINEAR_OPTIONS(x) \
  x(out_features, "out") x(out, "out") x(bias, "bias") x(activation, "activation") x(axes, "axes") x(ones, "ones") \
  x(residual_last, "residual_last") x(bits, "bits") x(block, "block") x(transposed, "transposed") x(given, "given") \
  CTNN_BYTE_OPTIONS(x)
#define CTNN_MATMUL_OPTIONS(x) \
  x(transpose_a, "transpose_a") x(transpose_b, "transpose_b") x(scale, "scale") x(as_i8, "as") x(of_i8, "of") \
  x(with_i8, "with") x(to, "to") x(rounded, "rounded")
#define CTNN_BATCH_NORM_OPTIONS(x) \
  x(eps, "eps") x(zero_root, "zero_root") x(affine, "") x(track_running_stats, "") x(axis, "axis") x(dim, "axis") \
  x(given, "given")
#define CTNN_PRELU_OPTIONS(x) x(num_parameters, "") x(dim, "axis") x(axis, "axis")
#define CTNN_CHANNEL_OPTIONS(x) x(bias, "bias") x(activation, "activation") x(axis, "axis") x(dim, "axis")
#define CTNN_NORM_OPTIONS(x) x(eps, "eps") x(axis, "axis") x(dim, "axis")
#define CTNN_LRN_OPTIONS(x) \
  x(size, "size") x(alpha, "alpha") x(beta, "beta") x(k, "k") x(within, "within")
#define CTNN_AXIS_OPTIONS(x) x(dim, "axis") x(axis, "axis") x(as_i8, "as") x(of_i8, "of") x(rounded, "rounded")
#define CTNN_FUNCTION_OPTIONS(x) x(as_i8, "as") x(of_i8, "of") x(rounded, "rounded")
#define CTNN_POOL_OPTIONS(x) \
  x(kernel_size, "kernel") x(kernel, "kernel") x(stride, "stride") x(padding, "pad") x(pad, "pad") \
  x(dilation, "dilation") x(ceil_mode, "ceil") x(count_include_pad, "count_include_pad") \
  x(divisor_whole, "divisor_whole")
#define CTNN_LP_POOL_OPTIONS(x) \
  x(norm_type, "p") x(kernel_size, "kernel") x(kernel, "kernel") x(stride, "stride") x(ceil_mode, "ceil")
#define CTNN_ADAPTIVE_POOL_OPTIONS(x) x(output_size, "size") x(size, "size") x(flatten, "flatten")
#define CTNN_INTERPOLATE_OPTIONS(x) \
  x(size, "size") x(scale_factor, "scale_factor") x(coordinates, "coordinates") x(rounding, "rounding") \
  x(cubic_a, "cubic_a") x(exclude_outside, "exclude_outside") x(antialias, "antialias")
#define CTNN_GRID_SAMPLE_OPTIONS(x) x(mode, "mode") x(padding_mode, "padding") x(align_corners, "align_corners")
#define CTNN_ROI_ALIGN_OPTIONS(x) \
  x(output_size, "size") x(size, "size") x(spatial_scale, "spatial_scale") x(sampling_ratio, "samples") \
  x(aligned, "half_pixel") x(maximum, "maximum")
#define CTNN_ROI_POOL_OPTIONS(x) x(output_size, "size") x(size, "size") x(spatial_scale, "spatial_scale")
#define CTNN_FLATTEN_OPTIONS(x) x(start_dim, "start") x(start, "start") x(end_dim, "end") x(end, "end")
#define CTNN_SHAPE_OPTIONS(x) x(shape, "shape")
#define CTNN_GROUPS_OPTIONS(x) x(groups, "groups")
#define CTNN_PIXEL_SHUFFLE_OPTIONS(x) x(upscale_factor, "factor")
#define CTNN_SLICE_OPTIONS(x) \
  x(dim, "axis") x(axis, "axis") x(start, "start") x(end, "end") x(step, "step")
#define CTNN_TRILU_OPTIONS(x) x(diagonal, "diagonal")
#define CTNN_CAST_OPTIONS(x) x(to, "to") x(dtype, "to") x(of_result, "of_result")
#define CTNN_ARG_OPTIONS(x) x(dim, "axis") x(axis, "axis") x(keepdim, "keep") x(last, "last")
#define CTNN_TOPK_OPTIONS(x) x(k, "k") x(dim, "axis") x(axis, "axis") x(largest, "largest")
#define CTNN_CUMSUM_OPTIONS(x) \
  x(dim, "axis") x(axis, "axis") x(exclusive, "exclusive") x(reverse, "reverse") x(product, "product")
#define CTNN_ATTENTION_OPTIONS(x) \
  x(num_heads, "heads") x(heads, "heads") x(kv_heads, "kv_heads") x(is_causal, "causal") x(causal, "causal") \
  x(scale, "scale") x(softcap, "softcap") x(mask, "mask") x(past, "past") x(lengths, "lengths") \
  x(present, "present") x(scores, "scores") x(which, "which") x(hidden_score, "hidden_score") \
  x(sliding_window, "sliding_window") x(lower_right, "lower_right")
#define CTNN_BINARY_OPTIONS(x) \
  x(scalar, "scalar") x(activation, "activation") x(as_i8, "as") x(of_i8, "of") x(with_i8, "with") \
  x(rounded, "rounded")
#define CTNN_ELTWISE_OPTIONS(x) x(activation, "activation")
#define CTNN_RECURRENT_OPTIONS(x) \
  x(hidden_size, "hidden") x(hidden, "hidden") x(num_layers, "") x(bias, "bias") x(batch_first, "batch_first") \
  x(bidirectional, "") x(direction, "direction") x(lengths, "lengths") x(clip, "clip") \
  x(functions, "functions") x(alpha, "alpha") x(beta, "beta") x(given, "given")
#define CTNN_RNN_OPTIONS(x) CTNN_RECURRENT_OPTIONS(x) x(nonlinearity, "")
#define CTNN_GRU_OPTIONS(x) CTNN_RECURRENT_OPTIONS(x) x(linear_before_reset, "linear_before_reset")
#define CTNN_LSTM_OPTIONS(x) \
  CTNN_RECURRENT_OPTIONS(x) x(proj_size, "") x(peepholes, "peepholes") x(input_forget, "input_forget") \
  x(cell_clip, "cell_clip") x(weight_type, "weight_type")
#define CTNN_REDUCE_OPTIONS(x) x(dim, "axes") x(axes, "axes")
#define CTNN_QUANTIZE_OPTIONS(x) x(axis, "axis") x(to, "to") x(as_i8, "as") x(of_i8, "of") x(rounded, "rounded")

/// Members that take PyTorch's words, too.
constexpr bool takes_words(std::string_view n) {
  return n == "padding" || n == "padding_mode" || n == "mode" || n == "nonlinearity";
}
#define CTNN_MEMBER(member, key) std::conditional_t<takes_words(#member), word_setting, setting> member{};
#define CTNN_SAY(member, key) say(key, self.member);
#define CTNN_NAME(member, key) tell(#member, key);
/// A struct of such rows, what it sets, say(key, setting) in order, and what its members are called.
#define CTNN_OPTIONS(name, rows) \
  struct name { \
    rows(CTNN_MEMBER) \
    static constexpr void each([[maybe_unused]] const name& self, [[maybe_unused]] auto&& say) { rows(CTNN_SAY) } \
    static constexpr void names([[maybe_unused]] auto&& tell) { rows(CTNN_NAME) } \
  };
CTNN_OPTIONS(no_options, CTNN_NO_OPTIONS)
CTNN_OPTIONS(input_options, CTNN_INPUT_OPTIONS)
CTNN_OPTIONS(constant_options, CTNN_CONSTANT_OPTIONS)
CTNN_OPTIONS(full_options, CTNN_FULL_OPTIONS)
CTNN_OPTIONS(conv_options, CTNN_CONV_OPTIONS)
CTNN_OPTIONS(conv_transpose_options, CTNN_CONV_TRANSPOSE_OPTIONS)
CTNN_OPTIONS(linear_options, CTNN_LINEAR_OPTIONS)
CTNN_OPTIONS(matmul_options, CTNN_MATMUL_OPTIONS)
CTNN_OPTIONS(batch_norm_options, CTNN_BATCH_NORM_OPTIONS)
CTNN_OPTIONS(prelu_options, CTNN_PRELU_OPTIONS)
CTNN_OPTIONS(channel_options, CTNN_CHANNEL_OPTIONS)
CTNN_OPTIONS(norm_options, CTNN_NORM_OPTIONS)
CTNN_OPTIONS(lrn_options, CTNN_LRN_OPTIONS)
CTNN_OPTIONS(axis_options, CTNN_AXIS_OPTIONS)
CTNN_OPTIONS(function_options, CTNN_FUNCTION_OPTIONS)
CTNN_OPTIONS(pool_options, CTNN_POOL_OPTIONS)
CTNN_OPTIONS(lp_pool_options, CTNN_LP_POOL_OPTIONS)
CTNN_OPTIONS(adaptive_pool_options, CTNN_ADAPTIVE_POOL_OPTIONS)
CTNN_OPTIONS(interpolate_options, CTNN_INTERPOLATE_OPTIONS)
CTNN_OPTIONS(grid_sample_options, CTNN_GRID_SAMPLE_OPTIONS)
CTNN_OPTIONS(roi_align_options, CTNN_ROI_ALIGN_OPTIONS)
CTNN_OPTIONS(roi_pool_options, CTNN_ROI_POOL_OPTIONS)
CTNN_OPTIONS(flatten_options, CTNN_FLATTEN_OPTIONS)
CTNN_OPTIONS(shape_options, CTNN_SHAPE_OPTIONS)
CTNN_OPTIONS(groups_options, CTNN_GROUPS_OPTIONS)
CTNN_OPTIONS(pixel_shuffle_options, CTNN_PIXEL_SHUFFLE_OPTIONS)
CTNN_OPTIONS(slice_options, CTNN_SLICE_OPTIONS)
CTNN_OPTIONS(trilu_options, CTNN_TRILU_OPTIONS)
CTNN_OPTIONS(cast_options, CTNN_CAST_OPTIONS)
CTNN_OPTIONS(arg_options, CTNN_ARG_OPTIONS)
CTNN_OPTIONS(topk_options, CTNN_TOPK_OPTIONS)
CTNN_OPTIONS(cumsum_options, CTNN_CUMSUM_OPTIONS)
CTNN_OPTIONS(attention_options, CTNN_ATTENTION_OPTIONS)
CTNN_OPTIONS(binary_options, CTNN_BINARY_OPTIONS)
CTNN_OPTIONS(eltwise_options, CTNN_ELTWISE_OPTIONS)
CTNN_OPTIONS(gru_options, CTNN_GRU_OPTIONS)
CTNN_OPTIONS(rnn_options, CTNN_RNN_OPTIONS)
CTNN_OPTIONS(lstm_options, CTNN_LSTM_OPTIONS)
CTNN_OPTIONS(reduce_options, CTNN_REDUCE_OPTIONS)
CTNN_OPTIONS(quantize_layer_options, CTNN_QUANTIZE_OPTIONS)
#undef CTNN_OPTIONS
#undef CTNN_NAME
#undef CTNN_SAY
#undef CTNN_MEMBER
// clang-format on

/// Of an operator without a word of its own: its fields by name, {"transpose_a", true}.
struct named_setting {
  std::string_view key;
  long_setting values;
};

}  // namespace ctnn
