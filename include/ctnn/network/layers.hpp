// SPDX-License-Identifier: BSL-1.0
// The vocabulary for declaring networks. A layer has a name, then options in any order.
#pragma once

#include "options.hpp"

namespace ctnn {

/// A declared layer without its types, for the code that lowers it. Without an operator it names the outputs.
struct layer_record {
  const ir::operator_type* type;
  std::string_view name;
  std::span<const std::string_view> from;
  std::span<const ir::option_record> options;
  std::span<const std::string_view> output_names;
  bool reads_previous;
  bool reads_twice = false;  ///< two from<...>, of which one would have no effect
};

namespace detail {

template <class T>
struct is_option : std::false_type {};
template <fixed_string Key, number... Values>
struct is_option<option<Key, Values...>> : std::true_type {};
template <class T>
struct is_from : std::false_type {};
template <fixed_string... Names>
struct is_from<from<Names...>> : std::true_type {};

template <class... Options>
struct option_records {
  static constexpr auto make() {
    std::array<ir::option_record, (std::size_t{is_option<Options>::value} + ... + 1)> records{};
    std::size_t n = 0;
    [[maybe_unused]] const auto add = [&]<class O>(std::type_identity<O>) {
      if constexpr (is_option<O>::value) records[n++] = O::record;
    };
    (add(std::type_identity<Options>{}), ...);
    return records;
  }
  static constexpr auto records = make();
  static constexpr std::span<const ir::option_record> all{records.data(), records.size() - 1};

  static constexpr auto read() {
    std::span<const std::string_view> names;
    [[maybe_unused]] const auto take = [&]<class O>(std::type_identity<O>) {
      if constexpr (is_from<O>::value) names = O::list;
    };
    (take(std::type_identity<Options>{}), ...);
    return names;
  }
  static constexpr bool reads_previous = (!is_from<Options>::value && ...);
  static constexpr bool reads_twice = (std::size_t{is_from<Options>::value} + ... + 0) > 1;
  static_assert(((is_option<Options>::value || is_from<Options>::value) && ...),
                "a layer takes a name, then options such as ctnn::kernel<3> or ctnn::from<\"other\">");
};

}  // namespace detail

/// Any operator as a layer; the names below are this with the operator filled in.
template <class Op, fixed_string Name, class... Options>
struct layer {
  static_assert(ir::has_name<Op>, "ctnn: an operator has a name: static constexpr std::string_view name");
  static_assert(ir::has_fields<Op>,
                "ctnn: an operator lists its parameters: static constexpr void fields(auto& self, auto&& field)");
  static_assert(ir::has_infer<Op>,
                "ctnn: an operator tells the shapes of its outputs: constexpr ctnn::problem infer("
                "ctnn::ir::inputs, ctnn::ir::outputs) const");
  using operator_struct = std::conditional_t<ir::operation<Op>, Op, op::identity>;  // one mistake is said once
  static constexpr layer_record record{&ir::type_of<operator_struct>,
                                       Name,
                                       detail::option_records<Options...>::read(),
                                       detail::option_records<Options...>::all,
                                       {},
                                       detail::option_records<Options...>::reads_previous,
                                       detail::option_records<Options...>::reads_twice};
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
};

#define CTNN_LAYER(name, ...) \
  template <fixed_string Name, class... Options> \
  using name = layer<__VA_ARGS__, Options...>;

CTNN_LAYER(input, op::input, Name)
CTNN_LAYER(constant, op::constant, Name)

CTNN_LAYER(conv1d, op::conv1d, Name)
CTNN_LAYER(conv2d, op::conv2d, Name)
CTNN_LAYER(conv3d, op::conv3d, Name)
CTNN_LAYER(conv_transpose1d, op::conv_transpose1d, Name)
CTNN_LAYER(conv_transpose2d, op::conv_transpose2d, Name)
CTNN_LAYER(conv_transpose3d, op::conv_transpose3d, Name)
CTNN_LAYER(matmul, op::matmul, Name)
CTNN_LAYER(linear, op::linear, Name)
CTNN_LAYER(batch_norm, op::batch_norm, Name)
CTNN_LAYER(batch_norm1d, op::batch_norm, Name, option<"axis", 1>)   ///< of (N, C) or (N, C, L)
CTNN_LAYER(batch_norm2d, op::batch_norm, Name, option<"axis", -3>)  ///< of (C, H, W) or (N, C, H, W)
CTNN_LAYER(scale, op::scale, Name)
CTNN_LAYER(bias, op::bias, Name)
CTNN_LAYER(local_response_norm, op::local_response_norm, Name)
CTNN_LAYER(layer_norm, op::layer_norm, Name)
CTNN_LAYER(rms_norm, op::rms_norm, Name)

CTNN_LAYER(relu, op::activation, Name, option<"activation", function::relu>)
CTNN_LAYER(relu6, op::activation, Name, option<"activation", function::clip, 0, 6>)
CTNN_LAYER(sigmoid, op::activation, Name, option<"activation", function::sigmoid>)
CTNN_LAYER(tanh, op::activation, Name, option<"activation", function::tanh>)
CTNN_LAYER(silu, op::activation, Name, option<"activation", function::silu>)
CTNN_LAYER(mish, op::activation, Name, option<"activation", function::mish>)
CTNN_LAYER(gelu, op::activation, Name, option<"activation", function::gelu>)
CTNN_LAYER(prelu, op::prelu, Name)
CTNN_LAYER(softmax, op::softmax, Name)
CTNN_LAYER(dropout, op::dropout, Name)
CTNN_LAYER(identity, op::identity, Name)

CTNN_LAYER(max_pool1d, op::pool, Name, option<"axes", 1>)
CTNN_LAYER(max_pool2d, op::pool, Name)
CTNN_LAYER(max_pool3d, op::pool, Name, option<"axes", 3>)
CTNN_LAYER(avg_pool1d, op::pool, Name, option<"function", op::pooling::average>, option<"axes", 1>)
CTNN_LAYER(avg_pool2d, op::pool, Name, option<"function", op::pooling::average>)
CTNN_LAYER(avg_pool3d, op::pool, Name, option<"function", op::pooling::average>, option<"axes", 3>)
CTNN_LAYER(lp_pool1d, op::pool, Name, option<"function", op::pooling::lp>, option<"axes", 1>)
CTNN_LAYER(lp_pool2d, op::pool, Name, option<"function", op::pooling::lp>)
CTNN_LAYER(lp_pool3d, op::pool, Name, option<"function", op::pooling::lp>, option<"axes", 3>)
CTNN_LAYER(adaptive_avg_pool1d, op::adaptive_pool, Name, option<"axes", 1>)
CTNN_LAYER(adaptive_avg_pool2d, op::adaptive_pool, Name)
CTNN_LAYER(adaptive_avg_pool3d, op::adaptive_pool, Name, option<"axes", 3>)
CTNN_LAYER(adaptive_max_pool1d, op::adaptive_pool, Name, option<"function", op::pooling::max>, option<"axes", 1>)
CTNN_LAYER(adaptive_max_pool2d, op::adaptive_pool, Name, option<"function", op::pooling::max>)
CTNN_LAYER(adaptive_max_pool3d, op::adaptive_pool, Name, option<"function", op::pooling::max>, option<"axes", 3>)
CTNN_LAYER(interpolate_nearest, op::interpolate, Name)
CTNN_LAYER(interpolate_linear, op::interpolate, Name, option<"mode", op::interpolation::linear>, option<"axes", 1>)
CTNN_LAYER(interpolate_bilinear, op::interpolate, Name, option<"mode", op::interpolation::linear>)
CTNN_LAYER(interpolate_trilinear, op::interpolate, Name, option<"mode", op::interpolation::linear>, option<"axes", 3>)
CTNN_LAYER(interpolate_bicubic, op::interpolate, Name, option<"mode", op::interpolation::cubic>)

CTNN_LAYER(rnn, op::rnn, Name)
CTNN_LAYER(gru, op::gru, Name)
CTNN_LAYER(lstm, op::lstm, Name)

CTNN_LAYER(flatten, op::flatten, Name)
CTNN_LAYER(reshape, op::reshape, Name)
CTNN_LAYER(permute, op::permute, Name)
CTNN_LAYER(channel_shuffle, op::channel_shuffle, Name)
CTNN_LAYER(pixel_shuffle, op::pixel_shuffle, Name)
CTNN_LAYER(constant_pad, op::pad, Name)
CTNN_LAYER(concat, op::concat, Name)
CTNN_LAYER(split, op::split, Name)
CTNN_LAYER(slice, op::slice, Name)

CTNN_LAYER(add, op::binary, Name)
CTNN_LAYER(sub, op::binary, Name, option<"function", op::binary_function::sub>)
CTNN_LAYER(mul, op::binary, Name, option<"function", op::binary_function::mul>)
CTNN_LAYER(div, op::binary, Name, option<"function", op::binary_function::div>)
CTNN_LAYER(maximum, op::binary, Name, option<"function", op::binary_function::maximum>)
CTNN_LAYER(minimum, op::binary, Name, option<"function", op::binary_function::minimum>)
CTNN_LAYER(pow, op::binary, Name, option<"function", op::binary_function::pow>)

CTNN_LAYER(weighted_sum, op::eltwise, Name)
CTNN_LAYER(eltwise_prod, op::eltwise, Name, option<"function", op::eltwise_function::prod>)
CTNN_LAYER(eltwise_max, op::eltwise, Name, option<"function", op::eltwise_function::max>)
#undef CTNN_LAYER

template <fixed_string Name, number Slope, class... Options>
using leaky_relu = layer<op::activation, Name, option<"activation", function::leaky_relu, Slope>, Options...>;
template <fixed_string Name, number Low, number High, class... Options>
using clip = layer<op::activation, Name, option<"activation", function::clip, Low, High>, Options...>;
template <fixed_string Name, number Alpha, class... Options>
using elu = layer<op::activation, Name, option<"activation", function::elu, Alpha>, Options...>;
/// clip(alpha x + beta, 0, 1); PyTorch's numbers are 1/6 and 1/2.
template <fixed_string Name, class... Options>
using hardsigmoid =
    layer<op::activation, Name, option<"activation", function::hardsigmoid, 0.16666667163372040, 0.5>, Options...>;
template <fixed_string Name, class... Options>
using hardswish =
    layer<op::activation, Name, option<"activation", function::hardswish, 0.16666667163372040, 0.5>, Options...>;

/// Any function without parameters: unary<"root", ctnn::function::sqrt>
template <fixed_string Name, function F, class... Options>
using unary = layer<op::activation, Name, option<"activation", F>, Options...>;

/// reduce<"mean", ctnn::op::reduction::mean, axes<1, 2>>
template <fixed_string Name, op::reduction F, class... Options>
using reduce = layer<op::reduce, Name, option<"function", F>, Options...>;

/// A network as a type; an alias of this, or better a struct that inherits it.
template <class... Layers>
struct network {
  using network_type = network;
  static constexpr layer_record records[sizeof...(Layers)] = {Layers::record...};

  /// Layers, not counting output<...>. (Loops: Clang limits folds to 256 operands.)
  static constexpr std::size_t size = [] {
    std::size_t n = 0;
    for (const layer_record& l : records) n += l.type ? 1u : 0u;
    return n;
  }();
  template <fixed_string Name>
  static constexpr bool has = [] {
    for (const layer_record& l : records)
      if (l.type && l.name == Name.view()) return true;
    return false;
  }();
};

}  // namespace ctnn
