// SPDX-License-Identifier: BSL-1.0
// Where the channels of a value are, for operators with numbers a channel. By itself the axis is 0 of (C), (C, L) and
// (C, H, W), which is how PyTorch's modules take unbatched inputs, and 1 of (N, C, H, W) and whatever has more
// dimensions; PyTorch's (N, C) and (N, C, L) have to say axis 1.
#pragma once

#include <limits>

#include "../base/problem.hpp"
#include "../base/shape.hpp"

namespace ctnn::ir {

/// The field `axis` of an operator on channels if nobody says.
inline constexpr int automatic_axis = std::numeric_limits<int>::min();

/// The channel axis of x by an operator's field, which counts from the end if it is negative.
constexpr int channel_axis(const extents& x, int axis = automatic_axis) {
  if (axis == automatic_axis) return x.rank >= 4 ? 1 : 0;
  return normal_axis(axis, x.rank);
}
constexpr int channels(const extents& x, int axis = automatic_axis) { return x[channel_axis(x, axis)]; }

/// The field that says `axis` of x: nothing where that is what it is anyway, but for (N, C) or (C, L).
constexpr int spelled_axis(const extents& x, int axis) {
  return x.rank != 2 && axis == channel_axis(x) ? automatic_axis : axis;
}

/// passes() (operator.hpp) of an operator that reads x along `axis`.
constexpr int passes_but(int axis, int back, const extents& x) { return x.rank - 1 - back == axis ? -1 : back; }
/// The same of one that reads x along all axes from `axis` on.
constexpr int passes_before(int axis, int back, const extents& x) { return x.rank - 1 - back < axis ? back : -1; }
/// The same of one that itself knows a batch before the channels and `axes` more.
constexpr int passes_samples(int axes, int back, const extents& x) {
  return x.rank == axes + 2 && back == x.rank - 1 ? back : -1;
}

/// infer() of an operator on channels.
constexpr problem infer_by_channel(std::string_view name, int axis, const extents& x, extents& result) {
  if (x.rank < 1) return {mistake::rank_mismatch, name, x, {1}};
  if (const int a = channel_axis(x, axis); a < 0 || a >= x.rank)
    return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
  result = x;
  return {};
}

}  // namespace ctnn::ir
