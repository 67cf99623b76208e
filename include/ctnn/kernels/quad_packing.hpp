// SPDX-License-Identifier: BSL-1.0
// Weights of bytes as kernels want them (base/byte_image.hpp says how they lie): a convolution's as rows of quads,
// group by group; those of products of matrices as columns, matrix by matrix. Rows are signed: unsigned bytes less 128.
// Columns are unsigned: signed bytes and 128.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "../base/compiler.hpp"
#include "../graph/operators/convolution.hpp"
#include "../graph/operators/linear.hpp"

namespace ctnn::ir {

namespace byte_detail {

using quad = std::array<std::int8_t, 4>;

/// Byte i among words of four.
constexpr std::int8_t byte_of(const float* words, std::int64_t i) {
  if (CTNN_IN_CONSTANT()) return std::bit_cast<quad>(words[i / 4])[static_cast<std::size_t>(i % 4)];
  return static_cast<const std::int8_t*>(static_cast<const void*>(words))[i];
}
/// Numbers of 32 bits among floats, bit for bit: processors may change the bits of floats that are none.
template <class T>
constexpr void put(const T& bits, float* to) {
  if (CTNN_IN_CONSTANT()) *to = std::bit_cast<float>(bits);
  else std::memcpy(to, &bits, sizeof(float));
}
constexpr std::int8_t flipped(std::int8_t x, bool flip) {
  return flip ? static_cast<std::int8_t>(x < 0 ? x + 128 : x - 128) : x;
}

/// What a convolution reads for each quad: f(byte k of the quad, channel, tap of the last axis) where there is one.
constexpr void for_each_in_quad(const byte_image& g, int x, std::int64_t quad, auto&& f) {
  for (int k = 0; k < 4; ++k) {
    const std::int64_t channel = g.along_taps() ? 0 : 4 * quad + k;
    const int tap = g.along_taps() ? 4 * x + k : x;
    if (channel < g.channels && tap < g.axis[2].kernel) f(static_cast<std::size_t>(k), channel, tap);
  }
}

}  // namespace byte_detail

/// A tile of rows of quads; row(q, r) are four bytes of row r.
constexpr void pack_quad_tile(int rows, std::int64_t quads, auto&& row, float* to) {
  float* const sums = to;
  float* const least = to + rows;
  to = least + 1;
  float* held = to + rows * quads;
  std::int32_t sum[4]{};
  byte_detail::quad held_bytes{};
  std::uint8_t least_held = 0x22;
  for (std::int64_t first = 0; first < quads; first += 2) {
    const int count = quads - first < 2 ? 1 : 2;
    std::int8_t bytes[32]{}, *next = bytes;
    for (int q = 0; q < count; ++q)
      for (int r = 0; r < rows; ++r) {
        const byte_detail::quad x = row(first + q, r);
        for (const std::int8_t b : x) {
          sum[r] += b;
          *next++ = b;
        }
        byte_detail::put(x, to++);
      }
    const std::uint8_t of_two = sums_in_16_bits(bytes, rows, count);
    least_held = least_sums(least_held, of_two);
    const auto k = static_cast<std::size_t>(first / 2 % 4);
    held_bytes[k] = static_cast<std::int8_t>(of_two);
    if (k == 3 || first + 2 >= quads) byte_detail::put(std::exchange(held_bytes, {}), held++);
  }
  for (int r = 0; r < rows; ++r) byte_detail::put(sum[r], sums + r);
  byte_detail::put(std::int32_t{least_held}, least);
}

/// The windows of a weight of shape (out, channels of a group, kernel).
template <int Axes>
constexpr byte_image image_of_weight(const extents& shape) {
  byte_image g;
  g.channels = shape[1];
  for (int i = 0; i < Axes; ++i) g.axis[3 - Axes + i].kernel = shape[2 + i];
  return g;
}

/// Of a weight of bytes: the words that it takes when packed, and the packing.
template <int Axes>
constexpr std::int64_t quad_words(const op::conv<Axes>& p, const extents& shape) {
  return p.groups * quad_row_words(p.out / p.groups, image_of_weight<Axes>(shape).quads());
}
template <int Axes>
constexpr void pack_quads(const op::conv<Axes>& p, const extents& shape, const float* from, float* to) {
  const byte_image g = image_of_weight<Axes>(shape);
  const bool flip = p.weight.type == dtype::u8;
  const std::int64_t depth = g.depth(), quads = g.quads(), across = g.quads_across(), deep = g.channel_quads();
  const std::int64_t taps = depth / g.channels, width = g.axis[2].kernel;
  const int rows = p.out / p.groups, at_once = rows_of_quads(rows);
  for (int group = 0; group < p.groups; ++group)
    for (int first = 0; first < rows; first += at_once, to += quad_tile_words(rows, quads))
      pack_quad_tile(
          at_once, quads,
          [&](std::int64_t q, int r) {
            byte_detail::quad bytes{};
            if (first + r >= rows) return bytes;
            const std::int64_t line = q / (across * deep), x = q / deep % across;
            const std::int64_t filter = std::int64_t{group * rows + first + r} * depth;
            byte_detail::for_each_in_quad(
                g, static_cast<int>(x), q % deep, [&](std::size_t k, std::int64_t channel, int tap) {
                  bytes[k] = byte_detail::flipped(
                      byte_detail::byte_of(from, filter + channel * taps + line * width + tap), flip);
                });
            return bytes;
          },
          to);
}

/// Columns of a matrix of depth x columns, or, `transposed`, of columns x depth; byte(i) is its i-th. `flip` makes
/// signed bytes unsigned.
constexpr void pack_quad_columns(const byte_product& s, bool transposed, bool flip, auto&& byte, float* to) {
  const std::int64_t wide = multiple_of(s.columns, quad_lanes);
  for (std::int64_t c = 0; c < wide; ++c) {
    std::int32_t sum = 0;
    for (std::int64_t q = 0; q < s.quads(); ++q) {
      byte_detail::quad bytes{};
      for (std::int64_t k = 0; k < 4 && 4 * q + k < s.depth && c < s.columns; ++k) {
        const std::int64_t depth = 4 * q + k, at = transposed ? c * s.depth + depth : depth * s.columns + c;
        const std::int8_t x = byte_detail::flipped(byte(at), flip);
        bytes[static_cast<std::size_t>(k)] = x;
        sum += static_cast<std::uint8_t>(x);
      }
      byte_detail::put(bytes, to + (q + 1) * wide + c);
    }
    byte_detail::put(sum, to + c);
  }
}

constexpr std::int64_t quad_words(const op::linear& p, const extents& shape) {
  return quad_column_words(shape[p.transposed ? 1 : 0], quads_of(shape[p.transposed ? 0 : 1]));
}
constexpr void pack_quads(const op::linear& p, const extents& shape, const float* from, float* to) {
  pack_quad_columns(
      {1, shape[p.transposed ? 0 : 1], shape[p.transposed ? 1 : 0]}, !p.transposed, p.weight.type == dtype::i8,
      [&](std::int64_t i) { return byte_detail::byte_of(from, i); }, to);
}

}  // namespace ctnn::ir
