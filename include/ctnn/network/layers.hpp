// SPDX-License-Identifier: BSL-1.0
// The vocabulary for declaring networks. A layer has a name, then options in any order.
#pragma once

#include "layer_arguments.hpp"

namespace ctnn {

/// Layers declared together (blocks.hpp).
enum class grouping : char {
  none,
  block,      ///< names of its own; what it reads are its inputs
  residual,   ///< its input is added to its result
  shortcut,   ///< of a residual: what is added instead of its input
  repeat,     ///< a block that holds several iterations
  iteration,  ///< of a repeat
};
/// What an entry of a flat list (flatten.hpp) does besides being a layer.
enum class entry : char {
  plain,
  begin,  ///< of a group
  end,
  input,   ///< of a group: the next of the values that it reads
  result,  ///< what a group gives to those that read it
};

/// A declared layer without its types, for the code that lowers it. Without an operator it names the outputs, or is a
/// group.
struct layer_record {
  const ir::operator_type* type;
  std::string_view name;
  std::span<const std::string_view> from;
  std::span<const ir::option_record> options;
  std::span<const std::string_view> output_names;
  bool reads_previous;
  bool reads_twice = false;  ///< two from<...>, of which one would have no effect
  bool keeps = false;        ///< outputs besides the network's own
  grouping group = grouping::none;
  int times = 1;  ///< of a repeat; in a flat list 0 for a group without a name
  const layer_record* parts = nullptr;
  std::size_t part_count = 0;
  entry does = entry::plain;
  bool ties = false;         ///< weights, not outputs: those that `from` lists are one
  bool ties_layers = false;  ///< it lists layers, and each weight of theirs is one

  /// Does it make a node of the graph?
  constexpr bool is_layer() const { return type != nullptr && does != entry::begin && does != entry::input; }
  constexpr bool is_output() const { return type == nullptr && group == grouping::none && does == entry::plain; }
};

namespace detail {

// Numbers, of which compilers say less than of concepts.
template <class Op>
inline constexpr bool is_named = ir::has_name<Op>;
template <class Op>
inline constexpr bool lists_fields = ir::has_fields<Op>;
template <class Op>
inline constexpr bool tells_shapes = ir::has_infer<Op>;

}  // namespace detail

/// Any operator as a layer; the names below are this with the operator filled in.
template <class Op, fixed_string Name, class... Options>
struct layer {
  using operator_struct = std::conditional_t<ir::operation<Op>, Op, op::identity>;  // one mistake is said once
  static constexpr auto name = Name;                                                ///< a fixed_string
  static constexpr layer_record record{
      &ir::type_of<operator_struct>,           Name, detail::reads<Options...>::list(),
      detail::option_records<Options...>::all, {},   detail::reads<Options...>::previous,
      detail::reads<Options...>::twice};
  // Behind the members: Clang leaves out what follows.
  static_assert(detail::is_named<Op>, "ctnn: an operator has a name: static constexpr std::string_view name");
  static_assert(detail::lists_fields<Op>,
                "ctnn: an operator lists its parameters: static constexpr void fields(auto& self, auto&& field)");
  static_assert(detail::tells_shapes<Op>, "ctnn: an operator tells the shapes of its outputs: constexpr ctnn::problem "
                                          "infer(ctnn::ir::inputs, ctnn::ir::outputs) const");
};

/// The network's outputs by the names of their layers; without it the last layer is the output.
template <fixed_string... Names>
struct output {
  using operator_struct = void;
  static constexpr layer_record record{nullptr, {}, from<Names...>::list, {}, from<Names...>::list, false};
};

/// Outputs whose public names differ from their layers': first the public names, then as many layers.
template <class Public, class Layers>
struct named_output {
  using operator_struct = void;
  static constexpr layer_record record{nullptr, {}, Layers::list, {}, Public::list, false};
  static_assert(Public::list.size() == Layers::list.size(), "ctnn: named_output<...> has as many names as layers");
};

/// Layers whose results outlive rewriting, whichever layers compute them then: they are outputs as well, after the
/// network's own, as with the option `keep` of loaded models.
template <fixed_string... Names>
struct keep {
  using operator_struct = void;
  static constexpr layer_record record{nullptr, {},    from<Names...>::list, {}, from<Names...>::list,
                                       false,   false, true};
};

/// Weights of several layers that are one, "conv1.weight" (PyTorch: conv2.weight = conv1.weight). It is given under the
/// first of its names, and in memory once for all layers whose kernels want it packed the same way. optimized<...>,
/// batched<...> and headers say it of what they make.
template <fixed_string First, fixed_string... Others>
struct tied {
  using operator_struct = void;
  static constexpr layer_record record = [] {
    layer_record r{nullptr, {}, from<First, Others...>::list, {}, {}, false};
    r.ties = true;
    return r;
  }();
};

// clang-format off
/// The words for layers, a row each: its name, its operator, and the options that the word says. Programs declare with
/// them (below), formats/cpp/declaration.hpp writes with them.
#define CTNN_LAYER_WORDS(x) \
  x(input, op::input) \
  x(constant, op::constant) \
  x(conv1d, op::conv1d) \
  x(conv2d, op::conv2d) \
  x(conv3d, op::conv3d) \
  x(conv_transpose1d, op::conv_transpose1d) \
  x(conv_transpose2d, op::conv_transpose2d) \
  x(conv_transpose3d, op::conv_transpose3d) \
  x(matmul, op::matmul) \
  x(linear, op::linear) \
  x(batch_norm, op::batch_norm) \
  x(scale, op::scale) \
  x(bias, op::bias) \
  x(local_response_norm, op::local_response_norm) \
  x(layer_norm, op::layer_norm) \
  x(rms_norm, op::rms_norm) \
  x(relu, op::activation, option<"activation", function::relu>) \
  x(relu6, op::activation, option<"activation", function::clip, 0, 6>) \
  x(sigmoid, op::activation, option<"activation", function::sigmoid>) \
  x(tanh_activation, op::activation, option<"activation", function::tanh>) \
  x(silu, op::activation, option<"activation", function::silu>) \
  x(mish, op::activation, option<"activation", function::mish>) \
  x(gelu, op::activation, option<"activation", function::gelu>) \
  x(hardsigmoid, op::activation, option<"activation", function::hardsigmoid, 0.16666667163372040, 0.5>) \
  x(hardswish, op::activation, option<"activation", function::hardswish, 0.16666667163372040, 0.5>) \
  x(gelu_tanh, op::activation, option<"activation", function::gelu_tanh>) \
  x(softplus, op::activation, option<"activation", function::softplus>) \
  x(softsign, op::activation, option<"activation", function::softsign>) \
  x(selu, op::activation, option<"activation", function::selu, 1.6732632423543772, 1.0507009873554805>) \
  x(prelu, op::prelu) \
  x(softmax, op::softmax) \
  x(log_softmax, op::log_softmax) \
  x(dropout, op::dropout) \
  x(identity, op::identity) \
  x(max_pool1d, op::pool, option<"axes", 1>) \
  x(max_pool2d, op::pool) \
  x(max_pool3d, op::pool, option<"axes", 3>) \
  x(avg_pool1d, op::pool, option<"function", op::pooling::average>, option<"axes", 1>) \
  x(avg_pool2d, op::pool, option<"function", op::pooling::average>) \
  x(avg_pool3d, op::pool, option<"function", op::pooling::average>, option<"axes", 3>) \
  x(lp_pool1d, op::pool, option<"function", op::pooling::lp>, option<"axes", 1>) \
  x(lp_pool2d, op::pool, option<"function", op::pooling::lp>) \
  x(lp_pool3d, op::pool, option<"function", op::pooling::lp>, option<"axes", 3>) \
  x(adaptive_avg_pool1d, op::adaptive_pool, option<"axes", 1>) \
  x(adaptive_avg_pool2d, op::adaptive_pool) \
  x(adaptive_avg_pool3d, op::adaptive_pool, option<"axes", 3>) \
  x(adaptive_max_pool1d, op::adaptive_pool, option<"function", op::pooling::max>, option<"axes", 1>) \
  x(adaptive_max_pool2d, op::adaptive_pool, option<"function", op::pooling::max>) \
  x(adaptive_max_pool3d, op::adaptive_pool, option<"function", op::pooling::max>, option<"axes", 3>) \
  x(interpolate_nearest, op::interpolate) \
  x(interpolate_linear, op::interpolate, option<"mode", op::interpolation::linear>, option<"axes", 1>) \
  x(interpolate_bilinear, op::interpolate, option<"mode", op::interpolation::linear>) \
  x(interpolate_trilinear, op::interpolate, option<"mode", op::interpolation::linear>, option<"axes", 3>) \
  x(interpolate_bicubic, op::interpolate, option<"mode", op::interpolation::cubic>) \
  x(grid_sample, op::grid_sample) \
  x(roi_align, op::roi_align) \
  x(roi_pool, op::roi_pool) \
  x(rnn, op::rnn) \
  x(gru, op::gru) \
  x(lstm, op::lstm) \
  x(flatten, op::flatten) \
  x(reshape, op::reshape) \
  x(unflatten, op::reshape, option<"one_axis", 1>) \
  x(permute, op::permute) \
  x(channel_shuffle, op::channel_shuffle) \
  x(pixel_shuffle, op::pixel_shuffle) \
  x(constant_pad, op::pad) \
  x(reflection_pad, op::pad, option<"mode", op::pad_mode::reflect>) \
  x(replication_pad, op::pad, option<"mode", op::pad_mode::edge>) \
  x(circular_pad, op::pad, option<"mode", op::pad_mode::wrap>) \
  x(concat, op::concat) \
  x(split, op::split) \
  x(slice, op::slice) \
  x(expand, op::expand) \
  x(tile, op::tile) \
  x(gather, op::gather) \
  x(one_hot, op::one_hot) \
  x(eq, op::compare) \
  x(ne, op::compare, option<"function", op::comparison::not_equal>) \
  x(lt, op::compare, option<"function", op::comparison::less>) \
  x(le, op::compare, option<"function", op::comparison::less_equal>) \
  x(gt, op::compare, option<"function", op::comparison::greater>) \
  x(ge, op::compare, option<"function", op::comparison::greater_equal>) \
  x(where, op::where) \
  x(triu, op::trilu) \
  x(tril, op::trilu, option<"upper", 0>) \
  x(cast, op::cast) \
  x(bit_cast, op::bit_cast) \
  x(full, op::full) \
  x(arg_max, op::arg_reduce) \
  x(arg_min, op::arg_reduce, option<"largest", 0>) \
  x(topk, op::topk) \
  x(cumsum, op::cumsum) \
  x(attention, op::attention) \
  x(add, op::binary) \
  x(sub, op::binary, option<"function", op::binary_function::sub>) \
  x(mul, op::binary, option<"function", op::binary_function::mul>) \
  x(divide, op::binary, option<"function", op::binary_function::div>) \
  x(maximum, op::binary, option<"function", op::binary_function::maximum>) \
  x(minimum, op::binary, option<"function", op::binary_function::minimum>) \
  x(power, op::binary, option<"function", op::binary_function::pow>) \
  x(quantize, op::quantize) \
  x(dequantize, op::dequantize) \
  x(storage_cast, op::storage_cast) \
  x(weighted_sum, op::eltwise) \
  x(eltwise_prod, op::eltwise, option<"function", op::eltwise_function::prod>) \
  x(eltwise_max, op::eltwise, option<"function", op::eltwise_function::max>)
// clang-format on

// Without a name a word would be the compiler's error, whose sentence knows nothing of layers.
#define CTNN_LAYER(word, Op, ...) \
  template <fixed_string Name = "", class... Options> \
  using word = layer<Op, Name __VA_OPT__(, ) __VA_ARGS__, Options...>;
CTNN_LAYER_WORDS(CTNN_LAYER)
CTNN_LAYER(batch_norm1d, op::batch_norm, option<"axis", 1>)   ///< of (N, C) or (N, C, L)
CTNN_LAYER(batch_norm2d, op::batch_norm, option<"axis", -3>)  ///< of (C, H, W) or (N, C, H, W)
CTNN_LAYER(batch_norm3d, op::batch_norm, option<"axis", -4>)  ///< of (C, D, H, W) or (N, C, D, H, W)
CTNN_LAYER(softmax2d, op::softmax, option<"axis", -3>)        ///< over the channels of images
CTNN_LAYER(hardtanh, op::activation, option<"activation", function::clip, -1, 1>)  ///< another range: clip
CTNN_LAYER(zero_pad, op::pad)                                                      ///< constant_pad of zeros
// Each channel by its own statistics; scale and bias are inputs that broadcast. With weights: affine_instance_norm1d.
CTNN_LAYER(instance_norm1d, op::layer_norm, option<"axis", -1>)
CTNN_LAYER(instance_norm2d, op::layer_norm, option<"axis", -2>)
CTNN_LAYER(instance_norm3d, op::layer_norm, option<"axis", -3>)
#undef CTNN_LAYER

template <fixed_string Name, number Slope, class... Options>
using leaky_relu = layer<op::activation, Name, option<"activation", function::leaky_relu, Slope>, Options...>;
template <fixed_string Name, number Low, number High, class... Options>
using clip = layer<op::activation, Name, option<"activation", function::clip, Low, High>, Options...>;
template <fixed_string Name, number Alpha, class... Options>
using elu = layer<op::activation, Name, option<"activation", function::elu, Alpha>, Options...>;
template <fixed_string Name, number Alpha, class... Options>
using celu = layer<op::activation, Name, option<"activation", function::celu, Alpha>, Options...>;
/// x above the threshold, else 0.
template <fixed_string Name, number Threshold, class... Options>
using thresholded_relu =
    layer<op::activation, Name, option<"activation", function::thresholded_relu, Threshold>, Options...>;
/// 0 within lambda of 0; the rest as it is, or nearer to 0 by lambda.
template <fixed_string Name, number Lambda, class... Options>
using hardshrink = layer<op::activation, Name, option<"activation", function::shrink, Lambda>, Options...>;
template <fixed_string Name, number Lambda, class... Options>
using softshrink = layer<op::activation, Name, option<"activation", function::shrink, Lambda, Lambda>, Options...>;
/// Any function without parameters: unary<"root", ctnn::function::sqrt>
template <fixed_string Name, function F, class... Options>
using unary = layer<op::activation, Name, option<"activation", F>, Options...>;

/// reduce<"mean", ctnn::op::reduction::mean, axes<1, 2>>
template <fixed_string Name, op::reduction F, class... Options>
using reduce = layer<op::reduce, Name, option<"function", F>, Options...>;

}  // namespace ctnn
