// SPDX-License-Identifier: BSL-1.0
// A transposed convolution of stride s is s x s plain convolutions of stride 1, its phases: outputs whose place plus the
// padding leaves the same remainder r take the same taps, those with tap * dilation of that remainder. A tap belongs to
// one phase, so nothing is multiplied by zeros and the packed weights are as many as a plain convolution's.
#pragma once

#include "../graph/operators/convolution.hpp"

namespace ctnn {

/// One axis of one phase, as the plain convolution it is.
struct phase {
  int taps = 0;      ///< of the kernel; may be none
  int last_tap = 0;  ///< the one that meets the first of the inputs: taps go backwards
  int tap_step = 1;  ///< from one of the phase's taps to the next in the kernel
  int dilation = 1;  ///< in inputs
  int first = 0;     ///< output of the phase; the next is one stride on
  int count = 0;     ///< outputs
  int pad = 0;       ///< inputs before the first that the first output's window begins; may be negative
};

constexpr int greatest_common_divisor(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Phase `remainder` of rows (axis 0) or columns (1) with `outputs` outputs.
constexpr phase phase_of(const op::conv_transpose2d& p, unsigned axis, int remainder, int outputs) {
  const int stride = p.stride[axis], dilation = p.dilation[axis], pad = p.pad[axis];
  phase f;
  f.first = (remainder + stride - pad % stride) % stride;
  f.count = outputs > f.first ? (outputs - 1 - f.first) / stride + 1 : 0;
  const int common = greatest_common_divisor(stride, dilation);
  f.tap_step = stride / common;
  f.dilation = dilation / common;
  if (remainder % common != 0) return f;
  int tap = 0;  // the first; below tap_step
  while (static_cast<std::int64_t>(tap) * dilation % stride != remainder) ++tap;
  if (tap >= p.kernel[axis]) return f;
  f.taps = (p.kernel[axis] - 1 - tap) / f.tap_step + 1;
  f.last_tap = tap + (f.taps - 1) * f.tap_step;
  // Output `first` meets input (first + pad - tap * dilation) / stride, which divides, under its first tap.
  const int meets = static_cast<int>((std::int64_t{f.first} + pad - static_cast<std::int64_t>(f.last_tap) * dilation) / stride);
  f.pad = -meets;
  return f;
}

/// One filter a channel: the kernels of depthwise-inl.hpp and their packing.
template <class Convolution>
constexpr bool is_depthwise(const Convolution& p, int channels) {
  return p.groups > 1 && p.groups == channels && p.out == channels;
}

/// Few outputs: all phases of a place are the columns of one product, so that vectors are full. Only where all phases have
/// the same taps. (Plain floats need no filling.)
constexpr bool joins_phases(const op::conv_transpose2d& p, int channels, int block) {
  const int group = p.out / p.groups;
  return block > 4 && group < block && p.stride[0] * p.stride[1] > 1 && p.stride[0] * p.stride[1] <= 64 / group &&
         p.dilation == pair{1, 1} && p.kernel[0] % p.stride[0] == 0 && p.kernel[1] % p.stride[1] == 0 &&
         !is_depthwise(p, channels);
}

}  // namespace ctnn
