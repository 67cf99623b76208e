// SPDX-License-Identifier: BSL-1.0
// Windows that do something else than conv and pool: back from positions, overlapping blocks, moved taps.
#pragma once

#include "convolution.hpp"
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
  static constexpr int at(const list<int>& l, int i, int otherwise) {
    return l.empty() ? otherwise : l[static_cast<std::size_t>(i)];
  }
  constexpr int stride_at(int i) const { return at(stride, i, 1); }
  constexpr int dilation_at(int i) const { return at(dilation, i, 1); }
  /// Padding before (0) or after (1) axis i of extent `size` with `kernel` taps.
  constexpr std::array<int, 2> padding_at(int i, int size, int kernel) const {
    const margins m = resolve_padding({at(before, i, 0), 0, at(after, i, 0), 0}, same, {kernel, 1}, {stride_at(i), 1},
                                      {dilation_at(i), 1}, size, 1);
    return {m[0], m[2]};
  }
  constexpr problem check(int axes) const {
    for (const list<int>* l : {&stride, &dilation, &before, &after}) {
      if (!l->empty() && static_cast<int>(l->size()) != axes)
        return {mistake::option_out_of_range, "stride", {static_cast<int>(l->size())}, {axes}};
      const int least = l == &stride || l == &dilation ? 1 : 0;
      for (int v : *l)
        if (v < least || v > most_of_window)
          return {mistake::option_out_of_range, "stride", {v}, {least, most_of_window}};
    }
    return {};
  }
  /// Windows along axis i.
  constexpr problem count(int i, int size, int kernel, bool ceil, int& result) const {
    if (kernel < 1 || kernel > most_of_window) return {mistake::option_out_of_range, "kernel", {kernel}, {1}};
    const auto p = padding_at(i, size, kernel);
    const std::int64_t span = (std::int64_t{kernel} - 1) * dilation_at(i) + 1, room = std::int64_t{size} + p[0] + p[1];
    if (room > 2147483647 || span > 2147483647) return {mistake::too_large, "kernel"};
    if (span > room)
      return {mistake::window_larger_than_padded_input, "kernel", {static_cast<int>(room)}, {static_cast<int>(span)}};
    result = window_count(size, p[0], p[1], static_cast<int>(span), stride_at(i), ceil);
    return {};
  }
};

/// Undoes a max pooling: inputs x and the positions (i64) it came from, counted through the whole output, of the given
/// spatial extents; zeros elsewhere.
struct max_unpool {
  static constexpr std::string_view name = "max_unpool";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  list<int> size{};

  static constexpr void fields(auto& self, auto&& field) { field("size", self.size); }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 3 || static_cast<int>(size.size()) != in[0].rank - 2)
      return {mistake::rank_mismatch, name, in[0], {3}};
    if (!(in[1] == in[0])) return {mistake::shape_mismatch, "positions", in[1], in[0]};
    result[0] = in[0];
    for (int i = 2; i < in[0].rank; ++i) {
      result[0][i] = size[static_cast<std::size_t>(i - 2)];
      if (result[0][i] < 1) return {mistake::option_out_of_range, "size", {result[0][i]}, {1}};
    }
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (type_at(in, 1) != dtype::i64) return wrong_type("positions", type_at(in, 1));
    return require_type(in, 0, is_floating, name);
  }
};

/// torch.nn.functional.fold: (N, C * block, positions) to (N, C, image...), overlapping blocks added.
struct fold_blocks : sliding {
  static constexpr std::string_view name = "fold_blocks";
  static constexpr traits is{.vectors = vectors_of::none};

  list<int> image{};
  list<int> block{};

  static constexpr void fields(auto& self, auto&& field) {
    sliding::fields(self, field);
    field("image", self.image);
    field("block", self.block);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int axes = static_cast<int>(image.size());
    if (in[0].rank != 3 || axes < 1 || axes > max_rank - 2 || block.size() != image.size())
      return {mistake::rank_mismatch, name, in[0], {3}};
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
    if (in[0][1] % taps != 0 || in[0][2] != positions)
      return {mistake::shape_mismatch, "input", in[0], {in[0][0], static_cast<int>(taps), static_cast<int>(positions)}};
    y[1] = static_cast<int>(in[0][1] / taps);
    result[0] = y;
    return countable(y);
  }
  constexpr std::int64_t scratch(inputs in, span<const extents> out) const {
    return scratch_for(in[0][1] / out[0][1], 2 * sizeof(std::int64_t));
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

/// conv2d whose windows read from where offsets move them: inputs x, offset (N, offset_groups * kh * kw * 2, H', W')
/// and, if there is a third, mask (N, offset_groups * kh * kw, H', W').
struct deform_conv : conv2d {
  static constexpr std::string_view name = "deform_conv";
  static constexpr traits is{.vectors = vectors_of::none};  // plain values
  static constexpr bool defined_by_base = false;
  static constexpr int min_inputs = 2, max_inputs = 3;
  static constexpr bool packs(int) { return false; }
  static constexpr bool overwrites(int, int) { return false; }

  int offset_groups = 1;

  static constexpr void fields(auto& self, auto&& field) {
    field("offset_groups", self.offset_groups);
    conv2d::fields(self, field);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {4}};
    if (const problem p = conv2d::infer(in.first(1), result)) return p;
    if (offset_groups < 1 || in[0][1] % offset_groups != 0)
      return {mistake::groups_do_not_divide_channels, "offset_groups", {in[0][1]}, {offset_groups}};
    const extents& y = result[0];
    for (std::size_t i = 1; i < in.size(); ++i) {
      const extents& e = in[i];
      if (e.rank != 4 || e[0] != y[0] || e[1] != (i == 1 ? 2 : 1) * offset_groups * taps() || e[2] != y[2] ||
          e[3] != y[3])
        return {mistake::shape_mismatch, i == 1 ? "offset" : "mask", e, y};
    }
    return countable(y);
  }
  static constexpr bool f32_takes_scratch = true;
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_for(in[0][1] * taps()); }
};

}  // namespace ctnn::op
