// SPDX-License-Identifier: BSL-1.0
// The vocabulary of layers.hpp as functions of values. A layer with weights has a name, under which they are given:
// m.conv2d("conv1", x, {.out_channels = 16, .kernel_size = 3}). Others name themselves as tracing does: relu, relu_1.
// One function a word: of several that do not match compilers say more than anybody reads.
#pragma once

#include "call_recorder.hpp"

namespace ctnn::detail {

// clang-format off
/// A row a word: what it reads, and its options. Words with a name read a value, or several in braces: what is added to
/// the result, weights that are given.
#define CTNN_CALLS(conv, named, one, two, three, several) \
  conv(conv1d, conv_options) conv(conv2d, conv_options) conv(conv3d, conv_options) \
  named(conv_transpose1d, conv_transpose_options) named(conv_transpose2d, conv_transpose_options) \
  named(conv_transpose3d, conv_transpose_options) \
  named(linear, linear_options) two(matmul, matmul_options) \
  named(scale, channel_options) named(bias, channel_options) one(local_response_norm, lrn_options) \
  one(relu, function_options) one(relu6, function_options) one(sigmoid, function_options) \
  one(silu, function_options) one(mish, function_options) one(hardsigmoid, function_options) \
  one(hardswish, function_options) one(gelu_tanh, function_options) one(softsign, function_options) \
  one(selu, function_options) one(dropout, no_options) one(identity, no_options) \
  one(softmax, axis_options) one(log_softmax, axis_options) one(softmax2d, no_options) \
  one(max_pool1d, pool_options) one(max_pool2d, pool_options) one(max_pool3d, pool_options) \
  one(avg_pool1d, pool_options) one(avg_pool2d, pool_options) one(avg_pool3d, pool_options) \
  one(lp_pool1d, lp_pool_options) one(lp_pool2d, lp_pool_options) one(lp_pool3d, lp_pool_options) \
  one(adaptive_avg_pool1d, adaptive_pool_options) one(adaptive_avg_pool2d, adaptive_pool_options) \
  one(adaptive_avg_pool3d, adaptive_pool_options) one(adaptive_max_pool1d, adaptive_pool_options) \
  one(adaptive_max_pool2d, adaptive_pool_options) one(adaptive_max_pool3d, adaptive_pool_options) \
  one(interpolate_nearest, interpolate_options) one(interpolate_linear, interpolate_options) \
  one(interpolate_bilinear, interpolate_options) one(interpolate_trilinear, interpolate_options) \
  one(interpolate_bicubic, interpolate_options) \
  two(grid_sample, grid_sample_options) three(roi_align, roi_align_options) two(roi_pool, roi_pool_options) \
  one(flatten, flatten_options) one(channel_shuffle, groups_options) one(pixel_shuffle, pixel_shuffle_options) \
  several(concat, axis_options) one(slice, slice_options) \
  one(triu, trilu_options) one(tril, trilu_options) \
  one(cast, cast_options) one(bit_cast, cast_options) one(cumsum, cumsum_options) \
  two(add, binary_options) two(sub, binary_options) two(mul, binary_options) two(divide, binary_options) \
  two(maximum, binary_options) two(minimum, binary_options) two(power, binary_options) \
  several(quantize, quantize_layer_options) several(dequantize, quantize_layer_options) one(storage_cast, no_options) \
  several(eltwise_prod, eltwise_options) several(eltwise_max, eltwise_options)
// clang-format on

/// Names of layers in a part of the function, until it goes out of scope (see graph::scope).
class [[nodiscard]] name_scope_guard {
 public:
  constexpr name_scope_guard(call_recorder& recorder, const call_recorder::open_scopes& before)
      : recorder_(recorder), before_(before) {}
  name_scope_guard(const name_scope_guard&) = delete;
  name_scope_guard& operator=(const name_scope_guard&) = delete;
  constexpr ~name_scope_guard() { recorder_.close_scope(before_); }

 private:
  call_recorder& recorder_;
  call_recorder::open_scopes before_;
};

/// Templates of nothing, here and in what is built on it: of their functions only those that are called are compiled.
template <class = void>
class word_calls : public call_recorder {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  template <class Options>
  constexpr value with_shape(const layer_record& word, std::string_view called_after, std::string_view name,
                             const extents& shape, const Options& o, source_line at) {
    begin(word, called_after, name, {}, at, 1);
    say("shape", setting(shape));
    Options::each(o, option_sayer{*this});
    return last();
  }
  /// A convolution, conv1d to conv3d, of what is padded before it where that is not with zeros.
  constexpr value convolution(const layer_record& word, std::string_view called_after, std::string_view name, values in,
                              const conv_options& o, source_line at) {
    if (o.padding_mode.whole_or(0) == 0) return call(word, called_after, name, in, o, at);
    const value x = in[0];
    const int rank = described(x).shape.rank, axes = called_after[4] - '0';
    setting before, after;
    for (int i = 0; i < rank - axes; ++i) before.append(0), after.append(0);
    for (int i = 0; i < axes; ++i) {
      const ir::pair around = padding_of(o, i, axes);
      before.append(around[0]);
      after.append(around[1]);
    }
    begin(ctnn::constant_pad<"">::record, "pad", {}, x, at, 1);
    say("mode", o.padding_mode);
    say("before", before);
    say("after", after);
    conv_options rest = o;
    rest.padding = {};
    rest.pad = {};
    ir::pool<value> read({last()});
    for (std::size_t i = 1; i < in.size(); ++i) read.push_back(in[i]);
    return call(word, called_after, name, read, rest, at);
  }
  /// Before and after axis i of `axes`.
  static constexpr ir::pair padding_of(const conv_options& o, int i, int axes) {
    const auto of = [&](const setting& s, int instead) {
      return s.is_set() ? static_cast<int>(s[static_cast<std::size_t>(i) % s.size()]) : instead;
    };
    if (o.padding.is_word()) {
      const int reach = (of(o.kernel_size, of(o.kernel, 1)) - 1) * of(o.dilation, 1);
      return ir::resolve_padding({0, 0}, static_cast<ir::same_padding>(o.padding.whole_or(0)), reach + 1, 1, 1, 1);
    }
    const setting& said = o.padding.is_set() ? o.padding : o.pad;
    if (static_cast<int>(said.size()) != 2 * axes) return {of(said, 0), of(said, 0)};
    const auto k = static_cast<std::size_t>(i);
    return {static_cast<int>(said[k]), static_cast<int>(said[k + static_cast<std::size_t>(axes)])};
  }

 public:
  /// A value of the network's, of this shape: {.dtype = nn::dtype::i64}, {.as_i8 = {0.0078, 0}}, {.carried = true}.
  constexpr value input(std::string_view name, const extents& shape, const input_options& o = {},
                        source_line at = source_line::here()) {
    return with_shape(ctnn::input<"">::record, "input", name, shape, o, at);
  }
  /// torch.nn.Parameter: numbers of this shape that belong to the network, weight `name`.
  constexpr value parameter(std::string_view name, const extents& shape, const constant_options& o = {},
                            source_line at = source_line::here()) {
    return with_shape(ctnn::constant<"">::record, "parameter", name, shape, o, at);
  }
  /// torch.full: every element is `fill_value`.
  constexpr value full(const extents& shape, double fill_value, source_line at = source_line::here()) {
    return with_shape(ctnn::full<"">::record, "full", {}, shape, full_options{.fill_value = fill_value}, at);
  }
  /// An operator without a word of its own, or yours: m.layer<my_operator>("name", {x}, {{"field", {1, 2}}}). Of
  /// several results: auto [y, state] = m.layer<my_operator, 2>("name", {x}).
  template <class Op, std::size_t Results = 1>
  constexpr auto layer(std::string_view name, values in, std::initializer_list<named_setting> options = {},
                       source_line at = source_line::here()) {
    begin(ctnn::layer<Op, "">::record, Op::name, name, in, at, static_cast<int>(Results));
    for (const named_setting& o : options) say(o.key, o.values);
    if constexpr (Results == 1) {
      return last();
    } else {
      std::array<value, Results> all{};
      for (std::size_t k = 0; k < Results; ++k) all[k] = output_of(last(), static_cast<int>(k));
      return all;
    }
  }

  /// The layer of a value that named itself gets a name: m.named("probabilities", m.softmax(x)).
  constexpr value named(std::string_view name, value x) {
    rename(x, name);
    return x;
  }

  /// The extents of a value, which are known here already.
  constexpr extents shape(value x) { return described(x).shape; }
  /// One of them: of axis `dim`, or from the end if it is negative.
  constexpr int size(value x, int dim) {
    const extents& s = described(x).shape;
    return s[normal_axis(dim, s.rank)];
  }

#define CTNN_CONV_CALL(word, options)                                           \
  constexpr value word(std::string_view name, values in, const options& o = {}, \
                       source_line at = source_line::here()) {                  \
    return convolution(ctnn::word<"">::record, #word, name, in, o, at);         \
  }
#define CTNN_NAMED_CALL(word, options)                                          \
  constexpr value word(std::string_view name, values in, const options& o = {}, \
                       source_line at = source_line::here()) {                  \
    return call(ctnn::word<"">::record, #word, name, in, o, at);                \
  }
#define CTNN_CALL(word, options)                                                               \
  constexpr value word(value x, const options& o = {}, source_line at = source_line::here()) { \
    return call(ctnn::word<"">::record, #word, {}, x, o, at);                                  \
  }
#define CTNN_CALL_OF_TWO(word, options)                                                                 \
  constexpr value word(value a, value b, const options& o = {}, source_line at = source_line::here()) { \
    return call(ctnn::word<"">::record, #word, {}, {a, b}, o, at);                                      \
  }
#define CTNN_CALL_OF_THREE(word, options)                                                                        \
  constexpr value word(value a, value b, value c, const options& o = {}, source_line at = source_line::here()) { \
    return call(ctnn::word<"">::record, #word, {}, {a, b, c}, o, at);                                            \
  }
#define CTNN_CALL_OF_SEVERAL(word, options)                                                      \
  constexpr value word(values in, const options& o = {}, source_line at = source_line::here()) { \
    return call(ctnn::word<"">::record, #word, {}, in, o, at);                                   \
  }
  CTNN_CALLS(CTNN_CONV_CALL, CTNN_NAMED_CALL, CTNN_CALL, CTNN_CALL_OF_TWO, CTNN_CALL_OF_THREE, CTNN_CALL_OF_SEVERAL)
#undef CTNN_CALL_OF_SEVERAL
#undef CTNN_CALL_OF_THREE
#undef CTNN_CALL_OF_TWO
#undef CTNN_CALL
#undef CTNN_NAMED_CALL
#undef CTNN_CONV_CALL

 protected:
  /// The layers of a module of several: they are called "name.layer"; those of an empty name as the layers around.
  constexpr name_scope_guard inside(std::string_view name, std::string_view word) {
    return {*this, open_module(name, word)};
  }
};

}  // namespace ctnn::detail
