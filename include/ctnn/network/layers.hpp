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
  bool keeps = false;        ///< outputs besides the network's own
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

/// Layers whose results outlive rewriting, whichever layers compute them then: they are outputs as well, after the
/// network's own, as with the option `keep` of loaded models.
template <fixed_string... Names>
struct keep {
  using operator_struct = void;
  static constexpr layer_record record{nullptr, {},    from<Names...>::list, {}, from<Names...>::list,
                                       false,   false, true};
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
  x(tanh, op::activation, option<"activation", function::tanh>) \
  x(silu, op::activation, option<"activation", function::silu>) \
  x(mish, op::activation, option<"activation", function::mish>) \
  x(gelu, op::activation, option<"activation", function::gelu>) \
  x(hardsigmoid, op::activation, option<"activation", function::hardsigmoid, 0.16666667163372040, 0.5>) \
  x(hardswish, op::activation, option<"activation", function::hardswish, 0.16666667163372040, 0.5>) \
  x(prelu, op::prelu) \
  x(softmax, op::softmax) \
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
  x(rnn, op::rnn) \
  x(gru, op::gru) \
  x(lstm, op::lstm) \
  x(flatten, op::flatten) \
  x(reshape, op::reshape) \
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
  x(add, op::binary) \
  x(sub, op::binary, option<"function", op::binary_function::sub>) \
  x(mul, op::binary, option<"function", op::binary_function::mul>) \
  x(div, op::binary, option<"function", op::binary_function::div>) \
  x(maximum, op::binary, option<"function", op::binary_function::maximum>) \
  x(minimum, op::binary, option<"function", op::binary_function::minimum>) \
  x(pow, op::binary, option<"function", op::binary_function::pow>) \
  x(weighted_sum, op::eltwise) \
  x(eltwise_prod, op::eltwise, option<"function", op::eltwise_function::prod>) \
  x(eltwise_max, op::eltwise, option<"function", op::eltwise_function::max>)
// clang-format on

#define CTNN_LAYER(word, Op, ...) \
  template <fixed_string Name, class... Options> \
  using word = layer<Op, Name __VA_OPT__(, ) __VA_ARGS__, Options...>;
CTNN_LAYER_WORDS(CTNN_LAYER)
CTNN_LAYER(batch_norm1d, op::batch_norm, option<"axis", 1>)   ///< of (N, C) or (N, C, L)
CTNN_LAYER(batch_norm2d, op::batch_norm, option<"axis", -3>)  ///< of (C, H, W) or (N, C, H, W)
#undef CTNN_LAYER

template <fixed_string Name, number Slope, class... Options>
using leaky_relu = layer<op::activation, Name, option<"activation", function::leaky_relu, Slope>, Options...>;
template <fixed_string Name, number Low, number High, class... Options>
using clip = layer<op::activation, Name, option<"activation", function::clip, Low, High>, Options...>;
template <fixed_string Name, number Alpha, class... Options>
using elu = layer<op::activation, Name, option<"activation", function::elu, Alpha>, Options...>;
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

namespace detail {

template <class Network, fixed_string... Names>
struct with_kept;
template <class... Layers, fixed_string... Names>
struct with_kept<network<Layers...>, Names...> {
  using type = network<Layers..., keep<Names...>>;
};

}  // namespace detail

/// A network with keep<Names...> besides: optimized<kept<net, "relu1">>.
template <class Net, fixed_string... Names>
using kept = typename detail::with_kept<typename Net::network_type, Names...>::type;

}  // namespace ctnn
