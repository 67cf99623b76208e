// SPDX-License-Identifier: BSL-1.0
// Pooling: torch's max_pool1d, avg_pool2d ... over any number of axes, and the adaptive forms.
#pragma once

#include "../window.hpp"
#include "typing.hpp"

namespace ctnn::op {

enum class pooling { max, average, lp };

/// The layers max_pool1d, max_pool2d, max_pool3d, avg_pool1d ... and lp_pool1d ...: windows over the last `axes` axes
/// of (C, spatial...) or (N, C, spatial...). `stride` 0 means the kernel's size, as in PyTorch. Padding never wins a
/// maximum; an average divides by the cells inside the input, or with `count_include_pad` by those inside the input and
/// its padding (PyTorch, ONNX); `divisor_whole` makes that the whole window (ncnn's avgpool_count_include_pad with ceil
/// mode). Averages of bytes are rounded, halves away from 0: their scale and zero point stay what they were. With
/// `indices` output 1 (i64) tells where each maximum was, counted through the whole input (`column_major`: with the
/// spatial axes of each plane in reverse order).
struct pool {
  static constexpr std::string_view name = "pool";
  static constexpr int tier = 2;  // one of the whole image is an adaptive_pool
  static constexpr traits is{.layouts = layout_rule::nhwc,
                             .divisible = true,
                             .divides_typed = true,
                             .lifts = true,
                             .images = image_flow::makes};

  pooling function = pooling::max;
  int axes = 2;
  by_axis kernel{0};
  by_axis stride{0};
  by_axis dilation{1};
  by_axis pad{0};
  same_padding same = same_padding::none;
  bool ceil = false;
  bool count_include_pad = false;
  bool divisor_whole = false;
  int p = 2;
  bool indices = false;
  bool column_major = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("axes", self.axes);
    field("kernel", self.kernel);
    field("stride", self.stride);
    field("dilation", self.dilation);
    field("pad", self.pad);
    field("same", self.same);
    field("ceil", self.ceil);
    field("count_include_pad", self.count_include_pad);
    field("divisor_whole", self.divisor_whole);
    field("p", self.p);
    field("indices", self.indices);
    field("column_major", self.column_major);
  }

  /// By the kernel of images.
  constexpr bool of_images() const { return axes == 2 && function != pooling::lp && !indices; }
  /// By that kernel as well, which sees images of one row (as_image).
  constexpr bool of_signals() const { return axes == 1 && function != pooling::lp && !indices; }
  /// Windows side by side are near enough for vectors along rows.
  constexpr bool takes_rows(const extents& x) const {
    return (of_images() || of_signals()) && along(axes - 1, x.back(0)).stride <= 2;
  }
  /// Vectors run over the channels of pixels, or along rows as the input lies; whatever else there is runs over rows.
  constexpr layout_rule layouts(inputs in) const {
    if (of_signals()) return takes_rows(in[0]) ? layout_rule::nchw_or_nwc : layout_rule::nwc;
    if (!of_images()) return layout_rule::nchw;
    return takes_rows(in[0]) ? layout_rule::nchw_or_nhwc : layout_rule::nhwc;
  }
  constexpr int output_count() const { return indices ? 2 : 1; }
  /// Positions are counted through all samples.
  constexpr int passes(int back, inputs in) const { return indices ? -1 : passes_samples(axes, back, in[0]); }
  /// Spatial axis i, of extent `size`.
  constexpr window_axis along(int i, int size) const {
    window_axis a{size,           kernel.at(i), stride.at(i) ? stride.at(i) : kernel.at(i),
                  dilation.at(i), pad.at(i),    pad.at(axes + i)};
    const pair around = resolve_padding({a.before, a.after}, same, a.taps, a.stride, a.dilation, size);
    a.before = around[0];
    a.after = around[1];
    return a;
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (axes < 1) return {mistake::option_out_of_range, "axes", {axes}, {1}};
    if (x.rank != axes + 1 && x.rank != axes + 2) return {mistake::rank_mismatch, name, x, {axes + 1}};
    for (int k : kernel)
      if (k == 0) return {mistake::missing_option, "kernel"};
    if (const problem w = kernel.check("kernel", axes, 1)) return w;
    if (const problem w = stride.check("stride", axes, 0)) return w;
    if (const problem w = dilation.check("dilation", axes, 1)) return w;
    if (const problem w = pad.check("pad", 2 * axes, 0)) return w;
    if (indices && function != pooling::max) return {mistake::option_out_of_range, "indices"};
    if (p < 1) return {mistake::option_out_of_range, "p", {p}, {1}};
    result[0] = x;
    extents rooms, spans;
    bool fits = true;
    for (int i = 0; i < axes; ++i) {
      int& size = result[0].back(axes - 1 - i);
      const window_axis a = along(i, size);
      if (a.span() > 2147483647 || a.room() > 2147483647) return {mistake::too_large, "kernel"};
      rooms.push_back(static_cast<int>(a.room()));
      spans.push_back(static_cast<int>(a.span()));
      fits = fits && a.span() <= a.room();
      size = window_count(size, a.before, a.after, static_cast<int>(a.span()), a.stride,
                          ceil && same == same_padding::none);
    }
    if (!fits) return {mistake::window_larger_than_padded_input, "kernel", rooms, spans};
    if (indices) result[1] = result[0];
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = element_at(in, 0);
    if (indices) out[1] = dtype::i64;
    if (function == pooling::max) return out[0] == dtype::boolean ? wrong_type(name, out[0]) : problem{};
    // What padding stands for, bytes do not know.
    if (function == pooling::average && is_steps(out[0]) && !count_include_pad && !divisor_whole) return {};
    return require_type(in, 0, is_floating, name);
  }
};

/// The layers adaptive_avg_pool1d ... and adaptive_max_pool3d: window i of n covers [floor(i size / n), ceil((i + 1)
/// size / n)) along each of the last `axes` axes. `size` 0 keeps the input's extent; the default 1 pools globally, and
/// with `flatten` gives (C) or (N, C) instead of (C, 1, 1), as ncnn's global pooling does.
struct adaptive_pool {
  static constexpr std::string_view name = "adaptive_pool";
  static constexpr int tier = 1;  // a global one over other axes than two is a reduction
  static constexpr traits is{.layouts = layout_rule::nhwc, .divisible = true, .images = image_flow::makes};

  pooling function = pooling::average;
  by_axis size{1};
  bool flatten = false;
  int axes = 2;

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("size", self.size);
    field("flatten", self.flatten);
    field("axes", self.axes);
  }

  /// A global one of images takes pixels as they lie: what it makes lies the same in either order.
  constexpr layout_rule layouts(inputs) const {
    if (axes > 2) return layout_rule::nchw;
    if (axes == 1) return is_global() ? layout_rule::nchw_or_nwc : layout_rule::nwc;
    return is_global() ? layout_rule::nchw_or_nhwc : layout_rule::nhwc;
  }
  constexpr bool of_signals() const { return axes == 1; }
  constexpr bool is_global() const { return size.period() == 1 && size.at(0) == 1; }
  /// Windows along spatial axis i of `extent`.
  constexpr int count(int i, int extent) const { return size.at(i) ? size.at(i) : extent; }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (axes < 1) return {mistake::option_out_of_range, "axes", {axes}, {1}};
    if (x.rank != axes + 1 && x.rank != axes + 2) return {mistake::rank_mismatch, name, x, {axes + 1}};
    if (function == pooling::lp) return {mistake::option_out_of_range, "function"};
    if (const problem w = size.check("size", axes, 0)) return w;
    if (flatten && !is_global()) return {mistake::option_out_of_range, "flatten", {size.at(0)}, {1}};
    result[0] = x;
    for (int i = 0; i < axes; ++i) {
      int& extent = result[0].back(axes - 1 - i);
      extent = count(i, extent);
    }
    if (flatten) result[0].rank -= axes;
    return countable(result[0]);
  }
  constexpr int passes(int back, inputs in) const {
    return passes_samples(axes, back, in[0]) < 0 ? -1 : back - (flatten ? axes : 0);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = element_at(in, 0);
    if (function == pooling::max) return out[0] == dtype::boolean ? wrong_type(name, out[0]) : problem{};
    return is_byte(out[0]) ? problem{} : require_type(in, 0, is_floating, name);
  }
};

template <class Op>
concept pooling_of_windows = std::same_as<Op, pool> || std::same_as<Op, adaptive_pool>;

/// Windows over a signal as those over an image of one row.
constexpr pool as_image(pool p) {
  p.axes = 2;
  p.kernel = {1, p.kernel.at(0)};
  p.stride = {1, p.stride.at(0)};
  p.dilation = {1, p.dilation.at(0)};
  p.pad = {0, p.pad.at(0), 0, p.pad.at(1)};
  return p;
}
constexpr adaptive_pool as_image(adaptive_pool p) {
  if (!p.is_global()) p.size = {1, p.size.at(0)};
  p.axes = 2;
  return p;
}

}  // namespace ctnn::op
