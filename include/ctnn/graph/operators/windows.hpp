// SPDX-License-Identifier: BSL-1.0
// Convolution and pooling over any number of axes of (N, C, ...) with weights that are inputs, for loaded models. The fast
// form for two axes and constant weights is conv2d and pool2d.
#pragma once

#include "../window.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// How windows slide; an empty list means 1 (stride, dilation) or 0 (before, after) for every axis.
struct sliding {
  list<int> stride{};
  list<int> dilation{};
  list<int> before{};
  list<int> after{};
  same_padding same = same_padding::none;

  static constexpr void fields(auto& self, auto&& field) {
    field("stride", self.stride);
    field("dilation", self.dilation);
    field("before", self.before);
    field("after", self.after);
    field("same", self.same);
  }
  static constexpr int at(const list<int>& l, int i, int otherwise) { return l.empty() ? otherwise : l[static_cast<std::size_t>(i)]; }
  constexpr int stride_at(int i) const { return at(stride, i, 1); }
  constexpr int dilation_at(int i) const { return at(dilation, i, 1); }
  /// Padding before (0) or after (1) axis i of extent `size` with `kernel` taps.
  constexpr std::array<int, 2> padding_at(int i, int size, int kernel) const {
    const margins m = resolve_padding({at(before, i, 0), 0, at(after, i, 0), 0}, same, {kernel, 1}, {stride_at(i), 1}, {dilation_at(i), 1}, size, 1);
    return {m[0], m[2]};
  }
  constexpr problem check(int axes) const {
    for (const list<int>* l : {&stride, &dilation, &before, &after}) {
      if (!l->empty() && static_cast<int>(l->size()) != axes)
        return {mistake::option_out_of_range, "stride", {static_cast<int>(l->size())}, {axes}};
      const int least = l == &stride || l == &dilation ? 1 : 0;
      for (int v : *l)
        if (v < least || v > (1 << 24)) return {mistake::option_out_of_range, "stride", {v}, {least}};
    }
    return {};
  }
  /// Windows along axis i.
  constexpr problem count(int i, int size, int kernel, bool ceil, int& result) const {
    if (kernel < 1 || kernel > (1 << 24)) return {mistake::option_out_of_range, "kernel", {kernel}, {1}};
    const auto p = padding_at(i, size, kernel);
    const std::int64_t span = (std::int64_t{kernel} - 1) * dilation_at(i) + 1, room = std::int64_t{size} + p[0] + p[1];
    if (room > 2147483647 || span > 2147483647) return {mistake::too_large, "kernel"};
    if (span > room)
      return {mistake::window_larger_than_padded_input, "kernel", {static_cast<int>(room)}, {static_cast<int>(span)}};
    result = window_count(size, p[0], p[1], static_cast<int>(span), stride_at(i), ceil);
    return {};
  }
};

/// ONNX Conv: inputs x (N, C, ...), weight (out, C / groups, kernel...), bias (out) if there is a third.
struct convolution : sliding {
  static constexpr std::string_view name = "convolution";
  static constexpr int min_inputs = 2, max_inputs = 3;

  int groups = 1;

  static constexpr void fields(auto& self, auto&& field) {
    sliding::fields(self, field);
    field("groups", self.groups);
  }
  constexpr problem shape(const extents& x, const extents& w, extents& y) const {
    const int axes = x.rank - 2;
    if (axes < 1) return {mistake::rank_mismatch, name, x, {3}};
    if (w.rank != x.rank) return {mistake::rank_mismatch, "weight", w, {x.rank}};
    if (groups < 1 || x[1] % groups != 0 || w[0] % groups != 0)
      return {mistake::groups_do_not_divide_channels, "groups", {x[1], w[0]}, {groups}};
    if (w[1] != x[1] / groups) return {mistake::shape_mismatch, "weight", w, x};
    if (const problem p = check(axes)) return p;
    y = x;
    y[1] = w[0];
    for (int i = 0; i < axes; ++i)
      if (const problem p = count(i, x[i + 2], w[i + 2], false, y[i + 2])) return p;
    return countable(y);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in.size() == 3 && !(in[2] == extents{in[1].rank > 0 ? in[1][0] : 0})) return {mistake::shape_mismatch, "bias", in[2], in[1]};
    return shape(in[0], in[1], result[0]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return all_floating(in, out, name); }
  constexpr std::int64_t macs(inputs in, std::span<const extents> result) const {
    return result[0].count() * in[1].count(1, in[1].rank);
  }
};

/// ONNX ConvTranspose: inputs x (N, C, ...), weight (C, out / groups, kernel...), bias (out) if there is a third. `more` is
/// its output_padding; `size`, if given, the output's extents, for which the padding is worked out.
struct conv_transpose : sliding {
  static constexpr std::string_view name = "conv_transpose";
  static constexpr int min_inputs = 2, max_inputs = 3;

  int groups = 1;
  list<int> more{};
  list<int> size{};

  static constexpr void fields(auto& self, auto&& field) {
    sliding::fields(self, field);
    field("groups", self.groups);
    field("more", self.more);
    field("size", self.size);
  }
  /// Padding before axis i and extent of the output.
  constexpr std::array<std::int64_t, 2> geometry(int i, int in, int kernel) const {
    const std::int64_t full = std::int64_t{stride_at(i)} * (in - 1) + at(more, i, 0) + (std::int64_t{kernel} - 1) * dilation_at(i) + 1;
    if (size.empty() && same == same_padding::none) return {at(before, i, 0), full - at(before, i, 0) - at(after, i, 0)};
    const std::int64_t wanted = size.empty() ? std::int64_t{in} * stride_at(i) : at(size, i, 0);
    const std::int64_t total = full > wanted ? full - wanted : 0;
    return {same == same_padding::upper ? total / 2 : total - total / 2, wanted};
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents &x = in[0], &w = in[1];
    const int axes = x.rank - 2;
    if (axes < 1) return {mistake::rank_mismatch, name, x, {3}};
    if (w.rank != x.rank) return {mistake::rank_mismatch, "weight", w, {x.rank}};
    if (groups < 1 || x[1] % groups != 0) return {mistake::groups_do_not_divide_channels, "groups", {x[1]}, {groups}};
    if (w[0] != x[1] || w[1] > 2147483647 / groups) return {mistake::shape_mismatch, "weight", w, x};
    if (const problem p = check(axes)) return p;
    for (const list<int>* l : {&more, &size})
      if (!l->empty() && static_cast<int>(l->size()) != axes)
        return {mistake::option_out_of_range, "more", {static_cast<int>(l->size())}, {axes}};
    if (in.size() == 3 && !(in[2] == extents{w[1] * groups})) return {mistake::shape_mismatch, "bias", in[2], {w[1] * groups}};
    result[0] = x;
    result[0][1] = w[1] * groups;
    for (int i = 0; i < axes; ++i) {
      if (w[i + 2] < 1) return {mistake::option_out_of_range, "kernel", {w[i + 2]}, {1}};
      const auto g = geometry(i, x[i + 2], w[i + 2]);
      if (g[1] < 1) return {mistake::option_out_of_range, "before", {static_cast<int>(g[1])}, {1}};
      if (g[1] > 2147483647) return {mistake::too_large, "stride"};
      result[0][i + 2] = static_cast<int>(g[1]);
    }
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return all_floating(in, out, name); }
  constexpr std::int64_t macs(inputs in, std::span<const extents>) const { return in[0].count() * in[1].count(1, in[1].rank); }
};

enum class pool_function { max, average, lp };

/// ONNX MaxPool, AveragePool and LpPool of (N, C, ...). With `indices` output 1 (i64) tells where each maximum was, counted
/// through the whole input (`column_major`: with the spatial axes of each plane in reverse order).
struct pool_nd : sliding {
  static constexpr std::string_view name = "pool_nd";

  pool_function function = pool_function::max;
  list<int> kernel{};
  bool ceil = false;
  bool count_include_pad = false;
  int p = 2;
  bool indices = false;
  bool column_major = false;

  static constexpr void fields(auto& self, auto&& field) {
    sliding::fields(self, field);
    field("function", self.function);
    field("kernel", self.kernel);
    field("ceil", self.ceil);
    field("count_include_pad", self.count_include_pad);
    field("p", self.p);
    field("indices", self.indices);
    field("column_major", self.column_major);
  }
  constexpr int output_count() const { return indices ? 2 : 1; }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    const int axes = x.rank - 2;
    if (axes < 1) return {mistake::rank_mismatch, name, x, {3}};
    if (static_cast<int>(kernel.size()) != axes) return {mistake::option_out_of_range, "kernel", {static_cast<int>(kernel.size())}, {axes}};
    if (indices && function != pool_function::max) return {mistake::option_out_of_range, "indices"};
    if (p < 1) return {mistake::option_out_of_range, "p", {p}, {1}};
    if (const problem w = check(axes)) return w;
    result[0] = x;
    for (int i = 0; i < axes; ++i)
      if (const problem w = count(i, x[i + 2], kernel[static_cast<std::size_t>(i)], ceil && same == same_padding::none, result[0][i + 2])) return w;
    if (indices) result[1] = result[0];
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 0);
    if (indices) out[1] = dtype::i64;
    if (function == pool_function::max) return out[0] == dtype::boolean ? wrong_type(name, out[0]) : problem{};
    return require_type(in, 0, is_floating, name);
  }
};

/// Undoes a max pooling: inputs x and the positions (i64) it came from, counted through the whole output, of the given
/// spatial extents; zeros elsewhere.
struct max_unpool {
  static constexpr std::string_view name = "max_unpool";
  static constexpr int min_inputs = 2, max_inputs = 2;

  list<int> size{};

  static constexpr void fields(auto& self, auto&& field) { field("size", self.size); }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 3 || static_cast<int>(size.size()) != in[0].rank - 2) return {mistake::rank_mismatch, name, in[0], {3}};
    if (!(in[1] == in[0])) return {mistake::shape_mismatch, "positions", in[1], in[0]};
    result[0] = in[0];
    for (int i = 2; i < in[0].rank; ++i) {
      result[0][i] = size[static_cast<std::size_t>(i - 2)];
      if (result[0][i] < 1) return {mistake::option_out_of_range, "size", {result[0][i]}, {1}};
    }
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 0);
    if (type_at(in, 1) != dtype::i64) return wrong_type("positions", type_at(in, 1));
    return require_type(in, 0, is_floating, name);
  }
};

/// torch.nn.functional.fold: (N, C * block, positions) to (N, C, image...), overlapping blocks added.
struct fold_blocks : sliding {
  static constexpr std::string_view name = "fold_blocks";

  list<int> image{};
  list<int> block{};

  static constexpr void fields(auto& self, auto&& field) {
    sliding::fields(self, field);
    field("image", self.image);
    field("block", self.block);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int axes = static_cast<int>(image.size());
    if (in[0].rank != 3 || axes < 1 || axes > max_rank - 2 || block.size() != image.size()) return {mistake::rank_mismatch, name, in[0], {3}};
    if (const problem p = check(axes)) return p;
    std::int64_t taps = 1, positions = 1;
    extents y{in[0][0], 0};
    for (int i = 0; i < axes; ++i) {
      int n = 0;
      const auto k = static_cast<std::size_t>(i);
      if (image[k] < 1) return {mistake::option_out_of_range, "image", {image[k]}, {1}};
      if (const problem p = count(i, image[k], block[k], false, n)) return p;
      if (taps > 2147483647 / block[k] || positions > 2147483647 / n) return {mistake::too_large, "block"};
      taps *= block[k];
      positions *= n;
      y.push_back(image[k]);
    }
    if (in[0][1] % taps != 0 || in[0][2] != positions) return {mistake::shape_mismatch, "input", in[0], {in[0][0], static_cast<int>(taps), static_cast<int>(positions)}};
    y[1] = static_cast<int>(in[0][1] / taps);
    result[0] = y;
    return countable(y);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return all_floating(in, out, name); }
};

/// ONNX DeformConv (2-D): inputs x, weight, offset (N, offset_groups * kh * kw * 2, H', W'), then bias and mask as flagged.
struct deform_conv : sliding {
  static constexpr std::string_view name = "deform_conv";
  static constexpr int min_inputs = 3, max_inputs = 5;

  int groups = 1;
  int offset_groups = 1;
  bool bias = false;
  bool mask = false;

  static constexpr void fields(auto& self, auto&& field) {
    sliding::fields(self, field);
    field("groups", self.groups);
    field("offset_groups", self.offset_groups);
    field("bias", self.bias);
    field("mask", self.mask);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int needed = 3 + (bias ? 1 : 0) + (mask ? 1 : 0);
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    if (in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {4}};
    convolution plain;
    static_cast<sliding&>(plain) = *this;
    plain.groups = groups;
    extents& y = result[0];
    if (const problem p = plain.shape(in[0], in[1], y)) return p;
    if (offset_groups < 1 || in[0][1] % offset_groups != 0)
      return {mistake::groups_do_not_divide_channels, "offset_groups", {in[0][1]}, {offset_groups}};
    const std::int64_t taps = std::int64_t{offset_groups} * in[1][2] * in[1][3];
    const auto matches = [&](const extents& e, std::int64_t channels) {
      return e.rank == 4 && e[0] == y[0] && e[1] == channels && e[2] == y[2] && e[3] == y[3];
    };
    if (!matches(in[2], 2 * taps)) return {mistake::shape_mismatch, "offset", in[2], y};
    if (bias && !(in[3] == extents{y[1]})) return {mistake::shape_mismatch, "bias", in[3], {y[1]}};
    if (mask && !matches(in[in.size() - 1], taps)) return {mistake::shape_mismatch, "mask", in[in.size() - 1], y};
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return all_floating(in, out, name); }
};

}  // namespace ctnn::op
