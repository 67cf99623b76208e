// SPDX-License-Identifier: BSL-1.0
// A transposed convolution of stride s is s x s plain convolutions of stride 1, its phases: outputs whose place plus
// the padding leaves the same remainder take the same taps, those with tap * dilation of that remainder. A tap belongs
// to one phase, so nothing is multiplied by zeros and the packed weights are as many as a plain convolution's.
#pragma once

#include "../../graph/operators/convolution.hpp"

namespace ctnn::ir {

/// One axis of one phase, as the plain convolution it is.
struct phase {
  int taps = 0;       ///< of the kernel; may be none
  int first_tap = 0;  ///< the one nearest to the kernel's beginning, which the last of the inputs meets
  int tap_step = 1;   ///< from one of the phase's taps to the next in the kernel
  int dilation = 1;   ///< in inputs
  int count = 0;      ///< outputs, one stride apart
  int pad = 0;        ///< inputs before the first that the first output's window begins; may be negative

  /// Tap k of the kernel for the k-th input of a window.
  constexpr int tap(int k) const { return first_tap + (taps - 1 - k) * tap_step; }
};

constexpr int greatest_common_divisor(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// How many phases of rows (axis 0) or columns (1) have taps: as many first taps there are.
constexpr int phases_with_taps(const op::conv_transpose2d& p, unsigned axis) {
  const int step = p.stride[axis] / greatest_common_divisor(p.stride[axis], p.dilation[axis]);
  return p.kernel[axis] < step ? p.kernel[axis] : step;
}

/// The phase whose first tap is `tap`; without taps if there is none.
constexpr phase phase_of_tap(const op::conv_transpose2d& p, unsigned axis, int tap) {
  const int common = greatest_common_divisor(p.stride[axis], p.dilation[axis]);
  phase f;
  f.first_tap = tap;
  f.tap_step = p.stride[axis] / common;
  f.dilation = p.dilation[axis] / common;
  if (tap < p.kernel[axis]) f.taps = (p.kernel[axis] - 1 - tap) / f.tap_step + 1;
  return f;
}

/// The phase of output `first`, which is below the stride, and of those that follow it up to `outputs`.
constexpr phase phase_of_output(const op::conv_transpose2d& p, unsigned axis, int first, int outputs) {
  const std::int64_t stride = p.stride[axis], place = std::int64_t{first} + p.pad[axis];
  int tap = 0;
  const int end = phases_with_taps(p, axis);
  while (tap < end && (std::int64_t{tap} * p.dilation[axis] - place) % stride != 0) ++tap;
  phase f = phase_of_tap(p, axis, tap < end ? tap : p.kernel[axis]);
  f.count = static_cast<int>((outputs - 1 - first) / stride) + 1;
  // The first of the window's inputs, which meets the last of the taps.
  if (f.taps > 0) f.pad = -static_cast<int>((place - std::int64_t{f.tap(0)} * p.dilation[axis]) / stride);
  return f;
}

/// Taps of the phases before that of `tap`.
constexpr int taps_before(const op::conv_transpose2d& p, unsigned axis, int tap) {
  int sum = 0;
  for (int i = 0; i < tap && i < phases_with_taps(p, axis); ++i) sum += phase_of_tap(p, axis, i).taps;
  return sum;
}

/// One filter a channel: the kernels of depthwise-inl.hpp and their packing.
template <class Convolution>
constexpr bool is_depthwise(const Convolution& p, int channels) {
  return p.groups > 1 && p.groups == channels && p.out == channels;
}

/// Few outputs: all phases of a place are the columns of one product, so that vectors are full. Only where all phases
/// have the same taps. (Plain floats need no filling.)
constexpr bool joins_phases(const op::conv_transpose2d& p, int channels, int block) {
  const int group = p.out / p.groups;
  const std::int64_t area = std::int64_t{p.stride[0]} * p.stride[1];
  return block > 4 && group < block && area > 1 && area <= 64 / group &&
         p.dilation == pair{1, 1} && p.kernel[0] % p.stride[0] == 0 && p.kernel[1] % p.stride[1] == 0 &&
         !is_depthwise(p, channels);
}

}  // namespace ctnn::ir
