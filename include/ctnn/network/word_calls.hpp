// SPDX-License-Identifier: BSL-1.0
// The vocabulary of layers.hpp as functions of values. A layer with weights has a name, under which they are given:
// m.conv2d("conv1", x, {.out_channels = 16, .kernel_size = 3}). Others name themselves as tracing does: relu, relu_1.
// One function a word: of several that do not match compilers say more than anybody reads.
#pragma once

#include "call_recorder.hpp"

namespace ctnn::detail {

// clang-format off
/// A row a word: what it reads, and its options.
#define CTNN_CALLS(named, one, two, three, several) \
  named(conv1d, conv_options) named(conv2d, conv_options) named(conv3d, conv_options) \
  named(conv_transpose1d, conv_transpose_options) named(conv_transpose2d, conv_transpose_options) \
  named(conv_transpose3d, conv_transpose_options) \
  named(linear, linear_options) two(matmul, matmul_options) \
  named(batch_norm, batch_norm_options) named(batch_norm1d, batch_norm_options) \
  named(batch_norm2d, batch_norm_options) named(batch_norm3d, batch_norm_options) \
  named(scale, channel_options) named(bias, channel_options) one(local_response_norm, lrn_options) \
  one(relu, function_options) one(relu6, function_options) one(sigmoid, function_options) \
  one(silu, function_options) one(mish, function_options) one(hardsigmoid, function_options) \
  one(hardswish, function_options) one(gelu_tanh, function_options) one(softsign, function_options) \
  one(selu, function_options) one(dropout, no_options) one(identity, no_options) \
  named(prelu, axis_options) one(softmax, axis_options) one(log_softmax, axis_options) one(softmax2d, no_options) \
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
  two(gather, axis_options) two(one_hot, one_hot_options) \
  two(eq, no_options) two(ne, no_options) two(lt, no_options) two(le, no_options) two(gt, no_options) \
  two(ge, no_options) three(where, no_options) one(triu, trilu_options) one(tril, trilu_options) \
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
  /// An operator without a word of its own, or yours: m.layer<my_operator>("name", {x}, {{"field", {1, 2}}}).
  template <class Op>
  constexpr value layer(std::string_view name, values in, std::initializer_list<named_setting> options = {},
                        int outputs = 1, source_line at = source_line::here()) {
    begin(ctnn::layer<Op, "">::record, Op::name, name, in, at, outputs);
    for (const named_setting& o : options) say(o.key, o.values);
    return last();
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

#define CTNN_NAMED_CALL(word, options)                                                                                \
  constexpr value word(std::string_view name, value x, const options& o = {}, source_line at = source_line::here()) { \
    return call(ctnn::word<"">::record, #word, name, x, o, at);                                                       \
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
  CTNN_CALLS(CTNN_NAMED_CALL, CTNN_CALL, CTNN_CALL_OF_TWO, CTNN_CALL_OF_THREE, CTNN_CALL_OF_SEVERAL)
#undef CTNN_CALL_OF_SEVERAL
#undef CTNN_CALL_OF_THREE
#undef CTNN_CALL_OF_TWO
#undef CTNN_CALL
#undef CTNN_NAMED_CALL
#undef CTNN_CALLS

 protected:
  /// The layers of a module of several: they are called "name.layer"; those of an empty name as the layers around.
  constexpr name_scope_guard inside(std::string_view name, std::string_view word) {
    return {*this, open_module(name, word)};
  }
};

}  // namespace ctnn::detail
