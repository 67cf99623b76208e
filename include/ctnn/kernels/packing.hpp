// SPDX-License-Identifier: BSL-1.0
// The order in which kernels want their weights: packed once, by constant functions, from PyTorch's order.
//
// Rows of a matrix (output channels) lie in blocks of `channel_block`, so that vectors of any target are contiguous:
//   conv2d     (out, C/groups, kh, kw) -> [groups][blocks][kh][kw][C/groups][block]
//   depthwise  (C, 1, kh, kw)          -> [kh][kw][blocks * block]
//   linear     (out, K)                -> [blocks][K][block]
// with zeros where out is not a multiple of the block. Biases stay as they are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../graph/operators/convolution.hpp"
#include "../graph/operators/linear.hpp"
#include "targets.hpp"

namespace ctnn {
inline namespace CTNN_PACKING {

// `block` is another target's channel_block where a tool packs for it.

constexpr std::int64_t round_up_to_block(std::int64_t n, int block = channel_block) { return (n + block - 1) / block * block; }

/// One filter a channel: the kernels of depthwise-inl.hpp and their packing.
constexpr bool is_depthwise(const op::conv2d& p, int channels) {
  return p.groups > 1 && p.groups == channels && p.out == channels;
}

namespace packing_detail {

/// from: rows x depth x inner, row-major; to: [rows / block][inner][depth][block].
constexpr void pack_rows(int rows, int depth, int inner, const float* from, float* to, int block) {
  for (int first = 0; first < rows; first += block) {
    for (int r = 0; r < block; ++r) {
      float* target = to + r;
      if (first + r >= rows) {
        for (int k = 0; k < depth * inner; ++k) target[static_cast<std::ptrdiff_t>(k) * block] = 0;
        continue;
      }
      const float* source = from + static_cast<std::ptrdiff_t>(first + r) * depth * inner;
      for (int c = 0; c < depth; ++c)
        for (int i = 0; i < inner; ++i)
          target[(static_cast<std::ptrdiff_t>(i) * depth + c) * block] = *source++;
    }
    to += static_cast<std::ptrdiff_t>(depth) * inner * block;
  }
}

}  // namespace packing_detail

/// Numbers that weight slot `slot` (in the order of Op::weights) takes when packed; the default is unpacked.
template <class Op>
constexpr std::int64_t packed_count(const Op&, int, const extents& shape, int = channel_block) {
  return shape.count();
}
/// Packs a slot; `to` has packed_count numbers.
template <class Op>
constexpr void pack(const Op&, int, const extents& shape, const float* from, float* to, int = channel_block) {
  std::copy(from, from + shape.count(), to);
}

constexpr std::int64_t packed_count(const op::conv2d& p, int slot, const extents& shape, int block = channel_block) {
  if (slot != 0) return shape.count();
  if (is_depthwise(p, shape[1] * p.groups)) return round_up_to_block(p.out, block) * shape[2] * shape[3];
  return p.groups * round_up_to_block(p.out / p.groups, block) * shape.count(1, 4);
}

constexpr void pack(const op::conv2d& p, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  if (slot != 0) {
    std::copy(from, from + shape.count(), to);
    return;
  }
  const int rows = p.out / p.groups;
  const int depth = shape[1], taps = shape[2] * shape[3];
  if (is_depthwise(p, depth * p.groups)) {
    const std::int64_t width = round_up_to_block(p.out, block);
    std::fill(to, to + width * taps, 0.0f);
    for (int c = 0; c < p.out; ++c)
      for (int t = 0; t < taps; ++t) to[t * width + c] = *from++;
    return;
  }
  for (int g = 0; g < p.groups; ++g) {
    packing_detail::pack_rows(rows, depth, taps, from, to, block);
    from += static_cast<std::ptrdiff_t>(rows) * depth * taps;
    to += round_up_to_block(rows, block) * depth * taps;
  }
}

constexpr std::int64_t packed_count(const op::linear&, int slot, const extents& shape, int block = channel_block) {
  return slot == 0 ? round_up_to_block(shape[0], block) * shape[1] : shape.count();
}

constexpr void pack(const op::linear&, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  if (slot == 0) packing_detail::pack_rows(shape[0], shape[1], 1, from, to, block);
  else std::copy(from, from + shape.count(), to);
}

}  // namespace CTNN_PACKING
}  // namespace ctnn
