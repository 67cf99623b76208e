// SPDX-License-Identifier: BSL-1.0
// Layers that normalise by statistics of the numbers: LayerNorm, RMSNorm, GroupNorm, InstanceNorm.
#pragma once

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// The first axis that LayerNorm and RMSNorm take statistics over: rows, or the planes of a 3-D value, whichever has
/// `affine_size` numbers.
inline int normalized_axis(const layer_reader& l, const extents& x) {
  if (x.rank < 1 || x.rank > 3) layer_reader::refuse("input that is neither 1-D, 2-D nor 3-D");
  const int size = l.int_or(0, 0);
  if (size == x.back(0)) return x.rank - 1;
  if (x.rank == 3 && size == x.count(1, 3)) return 1;
  l.fail(0, "statistics of " + std::to_string(size) + " numbers in an input of " + describe(x));
}

inline void layer_norm(layer_reader& l) {
  l.expect(1, 1);
  const value_id x = l.input();
  const extents shape = l.shape(x);
  const op::layer_norm op{normalized_axis(l, shape) - shape.rank, l.float_or(1, 1e-3f), false};
  if (!l.flag_or(2, true)) {
    l.result(l.node(op, {x, l.full({1}, 1, "scale")}));
    return;
  }
  const extents each = shape.from(normal_axis(op.axis, shape.rank));
  const value_id scale = l.constant(each, l.raw(each.count()), "scale"),
                 shift = l.constant(each, l.raw(each.count()), "shift");
  l.result(l.node(op, {x, scale, shift}));
}

inline void rms_norm(layer_reader& l) {
  l.expect(1, 1);
  const value_id x = l.input();
  const extents shape = l.shape(x);
  const op::rms_norm op{normalized_axis(l, shape) - shape.rank, l.float_or(1, 1e-3f)};
  const extents each = shape.from(normal_axis(op.axis, shape.rank));
  const value_id scale = l.flag_or(2, true) ? l.constant(each, l.raw(each.count()), "scale") : l.full({1}, 1, "scale");
  l.result(l.node(op, {x, scale}));
}

/// Statistics of groups of channels of (C), (C, W), (C, H, W) or (C, D, H, W).
inline void normalize_groups(layer_reader& l, int groups, int channels, float eps, bool affine) {
  const value_id x = l.input();
  const extents shape = l.shape(x);
  if (shape.rank < 1 || channels != shape[0] || groups < 1 || channels % groups != 0)
    l.fail(std::to_string(groups) + " groups of " + std::to_string(channels) + " channels for an input of " +
           describe(shape));
  const value_id scale = affine ? l.constant({channels}, l.raw(channels), "scale") : l.full({channels}, 1, "scale");
  const value_id shift = affine ? l.constant({channels}, l.raw(channels), "shift") : l.full({channels}, 0, "shift");
  l.result(l.node(op::group_norm{groups, eps, spelled_axis(shape, 0)}, {x, scale, shift}));
}
inline void group_norm(layer_reader& l) {
  l.expect(1, 1);
  normalize_groups(l, l.int_or(0, 1), l.int_or(1, 0), l.float_or(2, 1e-3f), l.flag_or(3, true));
}
inline void instance_norm(layer_reader& l) {
  l.expect(1, 1);
  const extents shape = l.shape(l.input());
  if (shape.rank != 3) layer_reader::refuse("input that is not 3-D");
  const bool affine = l.flag_or(2, true);
  normalize_groups(l, shape[0], affine ? l.int_or(0, 0) : shape[0], l.float_or(1, 1e-3f), affine);
}

}  // namespace ctnn::ncnn::readers
