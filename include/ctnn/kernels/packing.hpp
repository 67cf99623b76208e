// SPDX-License-Identifier: BSL-1.0
// The order in which kernels want their weights: packed once, by constant functions, from PyTorch's order.
//
// Rows of a matrix (output channels) lie in blocks of `channel_block`, so that vectors of any target are contiguous:
//   conv1d, conv_transpose1d: those of an image of one row, like its weight
//   conv2d     (out, C/groups, kh, kw) -> [groups][blocks][kh][kw][C/groups][block], or as winograd.hpp says
//   depthwise  (C, 1, kh, kw)          -> [kh][kw][blocks * block]
//   conv3d     (out, C/groups, kd, kh, kw) -> [kd], each like conv2d
//   linear     (out, K)                -> [blocks][K][block], of few bits: bit_packing.hpp
//   conv_transpose2d (C, out/groups, kh, kw) -> its phases (phases.hpp) one after the other, each like conv2d
//   rnn, gru, lstm   (gates * hidden, K)    -> [blocks of units][K][gates][block], other weights likewise with K = 1
// with zeros where out is not a multiple of the block. Biases stay as they are. Weights of bytes: quad_packing.hpp.
#pragma once

#include <concepts>
#include <cstdint>

#include "../graph/operators/convolution.hpp"
#include "../graph/operators/linear.hpp"
#include "../graph/operators/recurrent.hpp"
#include "bit_packing.hpp"
#include "quad_packing.hpp"
#include "walks/phases.hpp"
#include "targets.hpp"
#include "tensor.hpp"

namespace ctnn::ir {

namespace detail {

constexpr void copy_all(const float* from, std::int64_t n, float* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}
constexpr void fill_zeros(float* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = 0;
}

}  // namespace detail
inline namespace CTNN_PACKING {

// `block` is another target's channel_block where a tool packs for it.

constexpr std::int64_t round_up_to_block(std::int64_t n, int block = channel_block) {
  return (n + block - 1) / block * block;
}

namespace packing_detail {

/// from: rows x depth x inner, row-major, `step` numbers from one of the depth to the next;
/// to: [rows / block][inner][depth][block].
constexpr void pack_rows(int rows, int depth, int inner, std::ptrdiff_t step, const float* from, float* to,
                         int block) {
  for (int first = 0; first < rows; first += block) {
    for (int r = 0; r < block; ++r) {
      float* target = to + r;
      if (first + r >= rows) {
        for (int k = 0; k < depth * inner; ++k) target[static_cast<std::ptrdiff_t>(k) * block] = 0;
        continue;
      }
      const float* source = from + (first + r) * depth * step;
      for (int c = 0; c < depth; ++c, source += step)
        for (int i = 0; i < inner; ++i) target[(static_cast<std::ptrdiff_t>(i) * depth + c) * block] = source[i];
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
  detail::copy_all(from, shape.count(), to);
}

constexpr std::int64_t packed_count(const op::conv2d& p, int slot, const extents& shape, int block = channel_block) {
  if (slot != 0) return shape.count();
  if (p.weight) return quad_words(p, shape);
  if (is_depthwise(p, shape[1] * p.groups)) return round_up_to_block(p.out, block) * shape[2] * shape[3];
  return p.groups * round_up_to_block(p.out / p.groups, block) * shape.count(1, 4);
}

namespace packing_detail {

/// Packs filters (out, C/groups, kh, kw), whose planes lie `step` numbers apart.
constexpr void pack_filters(const op::conv2d& p, const extents& shape, std::ptrdiff_t step, const float* from,
                            float* to, int block) {
  const int rows = p.out / p.groups;
  const int depth = shape[1], taps = shape[2] * shape[3];
  if (is_depthwise(p, depth * p.groups)) {
    const std::int64_t width = round_up_to_block(p.out, block);
    detail::fill_zeros(to, width * taps);
    for (int c = 0; c < p.out; ++c, from += step)
      for (int t = 0; t < taps; ++t) to[t * width + c] = from[t];
    return;
  }
  for (int g = 0; g < p.groups; ++g) {
    pack_rows(rows, depth, taps, step, from, to, block);
    from += rows * depth * step;
    to += round_up_to_block(rows, block) * depth * taps;
  }
}

}  // namespace packing_detail

constexpr void pack(const op::conv2d& p, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  if (slot != 0) detail::copy_all(from, shape.count(), to);
  else if (p.weight) pack_quads(p, shape, from, to);
  else packing_detail::pack_filters(p, shape, shape[2] * shape[3], from, to, block);
}

// A plane of taps is an image's filter.
constexpr std::int64_t packed_count(const op::conv3d& p, int slot, const extents& shape, int block = channel_block) {
  if (slot != 0) return shape.count();
  if (p.weight) return quad_words(p, shape);
  return shape[2] * packed_count(plane_of(p), 0, {shape[0], shape[1], shape[3], shape[4]}, block);
}
constexpr void pack(const op::conv3d& p, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  if (slot != 0) return detail::copy_all(from, shape.count(), to);
  if (p.weight) return pack_quads(p, shape, from, to);
  const op::conv2d plane = plane_of(p);
  const extents plane_shape{shape[0], shape[1], shape[3], shape[4]};
  const std::int64_t count = packed_count(plane, 0, plane_shape, block), taps = plane_shape.count(2, 4);
  for (int k = 0; k < shape[2]; ++k)
    packing_detail::pack_filters(plane, plane_shape, static_cast<std::ptrdiff_t>(taps * shape[2]), from + k * taps,
                                 to + k * count, block);
}

namespace packing_detail {

/// The taps of one phase of some outputs of a group, [outputs / block][taps][C / groups][block].
constexpr void pack_phase(const op::conv_transpose2d& p, const extents& shape, int group, const phase& y,
                          const phase& x, int first, int columns, const float* from, float* to, int block) {
  const int depth = shape[0] / p.groups, outputs = shape[1];
  const std::ptrdiff_t filter = static_cast<std::ptrdiff_t>(shape[2]) * shape[3],
                       block_size = std::ptrdiff_t{y.taps} * x.taps * depth * block;
  for (int ty = 0; ty < y.taps; ++ty)
    for (int tx = 0; tx < x.taps; ++tx) {
      const std::ptrdiff_t tap = static_cast<std::ptrdiff_t>(y.tap(ty)) * shape[3] + x.tap(tx);
      for (int c = 0; c < depth; ++c) {
        const float* source = from + static_cast<std::ptrdiff_t>(group * depth + c) * outputs * filter + tap;
        float* target = to + (std::ptrdiff_t{ty * x.taps + tx} * depth + c) * block;
        for (int o = 0; o < columns; ++o)
          target[(first + o) / block * block_size + (first + o) % block] = source[o * filter];
      }
    }
}

}  // namespace packing_detail

constexpr std::int64_t packed_count(const op::conv_transpose2d& p, int slot, const extents& shape,
                                    int block = channel_block) {
  if (slot != 0) return shape.count();
  const std::int64_t taps = shape.count(2, 4), area = std::int64_t{p.stride[0]} * p.stride[1];
  if (is_depthwise(p, shape[0])) return round_up_to_block(p.out, block) * taps;
  if (joins_phases(p, shape[0], block)) return shape[0] * round_up_to_block(shape[1] * area, block) * taps / area;
  return shape[0] * round_up_to_block(shape[1], block) * taps;
}

constexpr void pack(const op::conv_transpose2d& p, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  if (slot != 0) {
    detail::copy_all(from, shape.count(), to);
    return;
  }
  detail::fill_zeros(to, packed_count(p, slot, shape, block));
  const int depth = shape[0] / p.groups, outputs = shape[1];
  if (joins_phases(p, shape[0], block)) {
    const int area = p.stride[0] * p.stride[1];
    for (int g = 0; g < p.groups; ++g) {
      for (int r = 0; r < area; ++r)
        packing_detail::pack_phase(p, shape, g, phase_of_tap(p, 0, r / p.stride[1]),
                                   phase_of_tap(p, 1, r % p.stride[1]), r * outputs, outputs, from, to, block);
      to += round_up_to_block(std::int64_t{outputs} * area, block) * depth * shape.count(2, 4) / area;
    }
    return;
  }
  const bool depthwise = is_depthwise(p, shape[0]);
  for (int first_y = 0; first_y < phases_with_taps(p, 0); ++first_y)
    for (int first_x = 0; first_x < phases_with_taps(p, 1); ++first_x) {
      const phase y = phase_of_tap(p, 0, first_y), x = phase_of_tap(p, 1, first_x);
      if (depthwise) {
        const std::int64_t width = round_up_to_block(p.out, block);
        for (int ty = 0; ty < y.taps; ++ty)
          for (int tx = 0; tx < x.taps; ++tx, to += width) {
            const std::ptrdiff_t tap = static_cast<std::ptrdiff_t>(y.tap(ty)) * shape[3] + x.tap(tx);
            for (int c = 0; c < p.out; ++c) to[c] = from[static_cast<std::ptrdiff_t>(c) * shape[2] * shape[3] + tap];
          }
        continue;
      }
      for (int g = 0; g < p.groups; ++g) {
        packing_detail::pack_phase(p, shape, g, y, x, 0, outputs, from, to, block);
        to += round_up_to_block(outputs, block) * depth * y.taps * x.taps;
      }
    }
}

// Over one axis like those of an image of one row.
template <op::convolution_of_signals Op>
constexpr std::int64_t packed_count(const Op& p, int slot, const extents& shape, int block = channel_block) {
  return packed_count(as_image(p), slot, slot == 0 ? with_row(shape) : shape, block);
}
template <op::convolution_of_signals Op>
constexpr void pack(const Op& p, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  pack(as_image(p), slot, slot == 0 ? with_row(shape) : shape, from, to, block);
}

constexpr std::int64_t packed_count(const op::linear& p, int slot, const extents& shape, int block = channel_block) {
  if (slot == 0 && p.weight) return quad_words(p, shape);
  if (p.weight.is_packed()) return bit_count(p, slot, shape, block);
  return slot == 0 ? round_up_to_block(shape[0], block) * shape[1] : shape.count();
}

constexpr void pack(const op::linear& p, int slot, const extents& shape, const float* from, float* to,
                    int block = channel_block) {
  if (slot == 0 && p.weight) pack_quads(p, shape, from, to);
  else if (p.weight.is_packed()) pack_bits(p, slot, shape, from, to, block);
  else if (slot == 0) packing_detail::pack_rows(shape[0], shape[1], 1, 1, from, to, block);
  else detail::copy_all(from, shape.count(), to);
}

template <op::recurrent Op>
constexpr std::int64_t packed_count(const Op& p, int, const extents& shape, int block = channel_block) {
  if constexpr (requires { p.weight; })
    if (p.weight) return shape.count();
  return shape[0] / p.hidden * round_up_to_block(p.hidden, block) * shape.count(1, shape.rank);
}

template <op::recurrent Op>
constexpr void pack(const Op& p, int, const extents& shape, const float* from, float* to, int block = channel_block) {
  if constexpr (requires { p.weight; })
    if (p.weight) return detail::copy_all(from, shape.count(), to);
  const auto depth = static_cast<std::ptrdiff_t>(shape.count(1, shape.rank));
  for (int first = 0; first < p.hidden; first += block)
    for (std::ptrdiff_t k = 0; k < depth; ++k)
      for (int gate = 0; gate < shape[0] / p.hidden; ++gate)
        for (int unit = first; unit < first + block; ++unit)
          *to++ = unit < p.hidden ? from[(std::ptrdiff_t{gate} * p.hidden + unit) * depth + k] : 0.0f;
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
