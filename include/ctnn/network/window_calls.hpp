// SPDX-License-Identifier: BSL-1.0
// torch.nn's modules that look at neighbours, beside convolutions and pools (word_calls.hpp): padding, other sizes,
// windows as columns, the way back from maxima.
#pragma once

#include "norm_calls.hpp"

namespace ctnn::detail {

template <class = void>
class window_calls : public norm_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  static constexpr int each_of(const setting& s, int i, int instead) {
    return s.is_set() ? static_cast<int>(s[static_cast<std::size_t>(i) % s.size()]) : instead;
  }
  constexpr value padded(std::string_view word, value x, const setting& padding, const word_setting& mode,
                         double filling, source_line at) {
    const int rank = shape(x).rank;
    setting before, after;
    for (int i = 0; i < rank; ++i) {
      const auto k = static_cast<std::size_t>(2 * (rank - 1 - i));
      before.append(k < padding.size() ? static_cast<int>(padding[k]) : 0);
      after.append(k + 1 < padding.size() ? static_cast<int>(padding[k + 1]) : 0);
    }
    begin(ctnn::constant_pad<"">::record, word, {}, x, at, 1);
    if (mode.whole_or(0) != 0) say("mode", mode);
    say("before", before);
    say("after", after);
    if (filling != 0) say("value", setting(filling));
    return last();
  }
  /// A module of `axes` axes: one number is for all sides.
  constexpr value padded_around(std::string_view word, int axes, value x, const setting& padding,
                                const word_setting& mode, double filling, source_line at) {
    setting sides;
    for (int i = 0; i < 2 * axes; ++i) sides.append(each_of(padding, i, 0));
    return padded(word, x, sides, mode, filling, at);
  }
  static constexpr extents pair_of(const setting& s, int instead) {
    return {each_of(s, 0, instead), each_of(s, 1, instead)};
  }
  template <class Pool>
  constexpr pooled_values with_indices(std::string_view word, value x, const pool_options& o, source_line at) {
    const value y = call(Pool::record, word, {}, x, o, at, 2);
    say("indices", setting(true));
    return {y, output_of(y, 1)};
  }
  constexpr value unpooled(std::string_view word, int axes, value x, value indices, const max_unpool_options& o,
                           source_line at) {
    const extents s = shape(x);
    const bool alone = s.rank == axes + 1;
    setting size;
    for (int i = 0; i < axes; ++i) {
      const int kernel = each_of(o.kernel_size, i, 1), stride = each_of(o.stride, i, kernel);
      const int made = (s.back(axes - 1 - i) - 1) * stride - 2 * each_of(o.padding, i, 0) + kernel;
      size.append(each_of(o.output_size, i, made));
    }
    if (alone) {
      x = unsqueeze(x, 0, at);
      indices = unsqueeze(indices, 0, at);
    }
    begin(ctnn::layer<op::max_unpool, "">::record, word, {}, {x, indices}, at, 1);
    say("size", size);
    return alone ? squeeze(last(), 0, at) : last();
  }

 public:
  /// torch.nn.functional.pad: numbers for the last axis, before and after, then for the one before it, and so on.
  constexpr value pad(value x, const setting& padding, const pad_options& o = {},
                      source_line at = source_line::here()) {
    return padded("pad", x, padding, o.mode, o.value, at);
  }
  // torch.nn's pads over the last one, two or three axes: one number for all sides, or as pad has them.
#define CTNN_PAD(word, axes, mode)                                                              \
  constexpr value word(value x, const setting& padding, source_line at = source_line::here()) { \
    return padded_around(#word, axes, x, padding, op::pad_mode::mode, 0, at);                   \
  }
#define CTNN_CONSTANT_PAD(word, axes)                                                                          \
  constexpr value word(value x, const setting& padding, double number, source_line at = source_line::here()) { \
    return padded_around(#word, axes, x, padding, {}, number, at);                                             \
  }
  CTNN_PAD(zero_pad1d, 1, constant)
  CTNN_PAD(zero_pad2d, 2, constant)
  CTNN_PAD(zero_pad3d, 3, constant)
  CTNN_PAD(reflection_pad1d, 1, reflect)
  CTNN_PAD(reflection_pad2d, 2, reflect)
  CTNN_PAD(reflection_pad3d, 3, reflect)
  CTNN_PAD(replication_pad1d, 1, edge)
  CTNN_PAD(replication_pad2d, 2, edge)
  CTNN_PAD(replication_pad3d, 3, edge)
  CTNN_PAD(circular_pad1d, 1, wrap)
  CTNN_PAD(circular_pad2d, 2, wrap)
  CTNN_PAD(circular_pad3d, 3, wrap)
  CTNN_CONSTANT_PAD(constant_pad1d, 1)
  CTNN_CONSTANT_PAD(constant_pad2d, 2)
  CTNN_CONSTANT_PAD(constant_pad3d, 3)
#undef CTNN_CONSTANT_PAD
#undef CTNN_PAD

  /// torch.nn.functional.interpolate, torch.nn.Upsample. Modes without a number of axes take those that size or
  /// scale_factor have, or those behind (N, C) and, of (C, H, W), behind C.
  constexpr value interpolate(value x, const upsample_options& o, source_line at = source_line::here()) {
    const int rank = shape(x).rank;
    const setting& said = o.size.is_set() ? o.size : o.scale_factor;
    const int axes = o.mode == "linear"                            ? 1
                     : o.mode == "trilinear"                       ? 3
                     : o.mode == "bilinear" || o.mode == "bicubic" ? 2
                     : said.size() > 1                             ? static_cast<int>(said.size())
                     : rank < 5                                    ? (rank == 2 ? 1 : 2)
                                                                   : 3;
    if (o.mode == "area") {
      begin(ctnn::adaptive_avg_pool2d<"">::record, "interpolate", {}, x, at, 1);
      if (axes != 2) say("axes", setting(axes));
      setting size;
      for (int i = 0; i < axes; ++i) {
        const double by = o.size.is_set() ? 0 : said[static_cast<std::size_t>(i) % said.size()];
        size.append(by > 0 ? static_cast<int>(shape(x).back(axes - 1 - i) * by) : each_of(o.size, i, 1));
      }
      say("size", size);
      return last();
    }
    const bool linear = axes == 1 ? o.mode == "linear" : o.mode == "bilinear" || o.mode == "trilinear";
    begin(ctnn::interpolate_nearest<"">::record, "interpolate", {}, x, at, 1);
    if (linear || o.mode == "bicubic")
      say("mode", setting(linear ? op::interpolation::linear : op::interpolation::cubic));
    if (axes != 2) say("axes", setting(axes));
    say("size", o.size);
    if (!o.size.is_set()) say("scale_factor", o.scale_factor);
    if (o.align_corners) say("coordinates", setting(op::coordinates::align_corners));
    if (o.mode == "nearest-exact") say("rounding", setting(op::rounding::round_prefer_ceil));
    if (o.antialias) {
      say("antialias", setting(true));
      say("exclude_outside", setting(true));
    }
    return last();
  }

  /// torch.nn.functional.max_pool1d, 2d and 3d with return_indices=True. Places are counted through all of x.
  constexpr pooled_values max_pool1d_with_indices(value x, const pool_options& o,
                                                  source_line at = source_line::here()) {
    return with_indices<ctnn::max_pool1d<"">>("max_pool1d", x, o, at);
  }
  constexpr pooled_values max_pool2d_with_indices(value x, const pool_options& o,
                                                  source_line at = source_line::here()) {
    return with_indices<ctnn::max_pool2d<"">>("max_pool2d", x, o, at);
  }
  constexpr pooled_values max_pool3d_with_indices(value x, const pool_options& o,
                                                  source_line at = source_line::here()) {
    return with_indices<ctnn::max_pool3d<"">>("max_pool3d", x, o, at);
  }
  /// torch.nn.MaxUnpool1d, 2d and 3d of what max_pool1d_with_indices gave, {y, indices}; `output_size` are the extents
  /// that were pooled.
  constexpr value max_unpool1d(const pooled_values& x, const max_unpool_options& o,
                               source_line at = source_line::here()) {
    return unpooled("max_unpool1d", 1, x.output, x.indices, o, at);
  }
  constexpr value max_unpool2d(const pooled_values& x, const max_unpool_options& o,
                               source_line at = source_line::here()) {
    return unpooled("max_unpool2d", 2, x.output, x.indices, o, at);
  }
  constexpr value max_unpool3d(const pooled_values& x, const max_unpool_options& o,
                               source_line at = source_line::here()) {
    return unpooled("max_unpool3d", 3, x.output, x.indices, o, at);
  }

  /// torch.nn.Unfold of (C, H, W) or (N, C, H, W): the windows, one a column, (C kernel, windows).
  constexpr value unfold(value x, const unfold_options& o, source_line at = source_line::here()) {
    const extents s = shape(x), kernel = pair_of(o.kernel_size, 1);
    const int taps = kernel[0] * kernel[1], channels = s.back(2);
    const value window = in_shape("reshape", eye(taps, 0, at), {taps, 1, kernel[0], kernel[1]}, at);
    const value windows = repeated("tile", window, {channels, 1, 1, 1}, at);
    const conv_options how{.out = channels * taps,
                           .kernel = kernel,
                           .stride = o.stride,
                           .pad = o.padding,
                           .dilation = o.dilation,
                           .groups = channels,
                           .bias = false,
                           .given = 1};
    const value y = call(ctnn::conv2d<"">::record, "unfold", {}, {x, windows}, how, at);
    return in_shape("reshape", y, s.rank == 4 ? extents{s[0], channels * taps, -1} : extents{channels * taps, -1}, at);
  }
  /// torch.nn.Fold of (C kernel, windows) or (N, C kernel, windows): the image, to which windows are added.
  constexpr value fold(value x, const fold_options& o, source_line at = source_line::here()) {
    const bool alone = shape(x).rank == 2;
    if (alone) x = unsqueeze(x, 0, at);
    begin(ctnn::layer<op::fold_blocks, "">::record, "fold", {}, x, at, 1);
    say("stride", setting(pair_of(o.stride, 1)));
    say("dilation", setting(pair_of(o.dilation, 1)));
    say("before", setting(pair_of(o.padding, 0)));
    say("after", setting(pair_of(o.padding, 0)));
    say("image", setting(pair_of(o.output_size, 1)));
    say("block", setting(pair_of(o.kernel_size, 1)));
    return alone ? squeeze(last(), 0, at) : last();
  }
  /// torch.nn.PixelUnshuffle: (..., C, H, W) to (..., C factor^2, H / factor, W / factor).
  constexpr value pixel_unshuffle(value x, int downscale_factor, source_line at = source_line::here()) {
    const int first = shape(x).rank - 3;
    const value rows = unflatten(unflatten(x, -1, {-1, downscale_factor}, at), -3, {-1, downscale_factor}, at);
    extents order;
    for (int i = 0; i < first; ++i) order.push_back(i);
    for (int i : {0, 2, 4, 1, 3}) order.push_back(first + i);
    return flatten(in_order("permute", rows, order, at), {.start = first, .end = first + 2}, at);
  }
};

}  // namespace ctnn::detail
