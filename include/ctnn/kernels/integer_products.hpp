// SPDX-License-Identifier: BSL-1.0
// Sums of products of bytes, and what becomes of them: what quantised layers come down to, behind pointers to the
// chosen target's code. Sums wrap around; nothing saturates before they are whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/byte_image.hpp"
#include "../base/requantize.hpp"

namespace ctnn::ir {

/// sums[r * pitch + c] = start[r] + the sum over q < quads, i < 4 of left[4 (q rows + r) + i] * right[offsets[q] + 4 c
/// + i] for c < columns and up to quad_lanes behind them. Eight rows are two tiles of four, the second `next` behind.
struct quad_products {
  const std::int8_t* left;
  const std::uint8_t* right;
  const std::ptrdiff_t* offsets;
  std::int64_t quads;
  int rows;  ///< 1, 4 or 8
  std::int64_t columns;
  const std::int32_t* start;
  const std::int32_t* left_sums;  ///< of each row's bytes, of a second tile `next` bytes behind
  std::int32_t* sums;
  std::ptrdiff_t pitch;
  int held;                         ///< in 16 bits, of all quads: 0, 1 or 2 (sums_in_16_bits)
  const std::uint8_t* held_of_two;  ///< of every two quads, of a second tile `next` bytes behind
  std::ptrdiff_t next = 0;
};
/// Its second tile, or the first alone.
inline quad_products tile_of(const quad_products& p, int tile) {
  quad_products q = p;
  q.rows = 4;
  q.left += tile * p.next;
  q.left_sums += tile * p.next / 4;
  q.start += 4 * tile;
  q.held_of_two += tile * p.next;
  q.sums += 4 * tile * p.pitch;
  return q;
}

/// Rows of lines of sums as the results they stand for, `width` of each line. `step` is 1 where every column has its
/// own factor and bias, else every row has one.
struct sum_results {
  enum arithmetic : std::uint8_t { none, real, fused, fixed };

  const std::int32_t* sums;
  std::ptrdiff_t sums_pitch;
  const std::int32_t* right_sums;   ///< or null: they are added `right_times` times
  const std::int32_t* right_times;  ///< of each row
  void* to;
  std::ptrdiff_t to_pitch;
  int lines;
  std::int64_t width;
  int rows;
  std::ptrdiff_t sums_row, to_row;  ///< from one row to the next

  enum kind : std::uint8_t { i32, f32, i8, u8 } type;
  arithmetic how;  ///< i32: none. real: (sum + bias) * factor. fused: sum * factor + bias, rounded once
  int step;
  const float* factor;
  const std::int64_t* fixed_factor;  ///< of `fixed`: times 2^32, below 2^31
  const float* real_bias;            ///< or null
  const std::int32_t* integer_bias;  ///< or null
  float low, high;                   ///< of real numbers, before they are rounded
  bool divides, multiplies, away;    ///< by `scale`; halves are rounded away from 0, else to even
  float scale;
  int zero, least, most;  ///< of results
};

/// Floats as bytes: round(x * scale), or round(x / scale), + zero.
struct float_results {
  const float* from;
  std::int64_t n;
  std::uint8_t* to;
  std::uint8_t flip;  ///< bits that change places at last
  bool divides, away;
  float scale;
  int zero, least, most;
};

/// Bytes as floats: (byte - zero) * scale.
struct byte_reals {
  const std::uint8_t* from;
  std::int64_t n;
  float* to;
  std::uint8_t flip;  ///< 128 of signed bytes
  int zero;
  float scale;
};

/// Pairs of bytes less their zero points as bytes: the sum of both by their factors or, of products, by the first
/// (requantize.hpp). In real numbers: x a + (z b + c), each product and its sum rounded at once, of bytes as they are,
/// or x z a + c of bytes less their zero points; then to the nearest, ties to even. Where a step is 0, all are paired
/// with the one that is there. `to` may be x or z.
struct byte_pairs {
  const std::uint8_t *x, *z;
  std::int64_t n;
  std::uint8_t* to;
  int x_step, z_step;
  std::uint8_t x_flip, z_flip;  ///< 128 of signed bytes
  int x_zero, z_zero;
  bool multiplies, subtracts;
  std::int64_t first, second;  ///< factors times 2^32
  int zero, least, most;       ///< of results
  bool reals;
  float a, b, c;
  const ir::twice_rounded_sum* twice;  ///< instead of the factors; null: they are rounded once
};

/// The chosen target's.
struct integer_kernels {
  void (*multiply)(const quad_products&);
  bool (*finish)(const sum_results&);  ///< false: not by this target, nothing is done
  void (*quantize)(const float_results&);
  void (*dequantize)(const byte_reals&);
  /// to[i] = table[x[i]], which has 256 entries; `to` may be x.
  void (*look_up)(const std::uint8_t* table, const std::uint8_t* x, std::int64_t n, std::uint8_t* to);
  bool (*combine)(const byte_pairs&);  ///< false: not by this target or by such factors, nothing is done
  /// to[4 i + k] = lines[k][i] ^ flip.
  void (*interleave)(const std::uint8_t* const (&lines)[4], std::int64_t n, std::uint8_t flip, std::uint8_t* to);
  /// to[i] = x[i * stride]; n * stride bytes of x may be read.
  void (*take_every)(const std::uint8_t* x, int stride, std::int64_t n, std::uint8_t* to);
  /// to[4 i + k] = x[i * stride + k * dilation] ^ flip; 16 bytes behind the last of x may be read, and 12 of `to`
  /// written.
  void (*take_windows)(const std::uint8_t* x, int stride, int dilation, std::int64_t n, std::uint8_t flip,
                       std::uint8_t* to);
  /// to[i] is the largest of lines[k][i], k < count; `to` may be one of the lines, but not lie across one.
  void (*largest)(const std::uint8_t* const* lines, int count, std::int64_t n, bool is_signed, std::uint8_t* to);
  std::int64_t (*sum)(const std::uint8_t* x, std::int64_t n, bool is_signed);
  bool minds_16_bits;  ///< quad_products::held and held_of_two are read
};

/// To the nearest, ties to even, or halves away from 0; saturated, least where x is not a number.
inline int rounded_between(float x, bool away, int zero, int least, int most) {
  const float low = static_cast<float>(least - zero), high = static_cast<float>(most - zero);
  if (!(x > low)) return least;
  if (x >= high) return most;
  const int whole = static_cast<int>(x);
  const float rest = x - static_cast<float>(whole);  // exact
  const bool odd = (whole & 1) != 0;
  if (rest > 0.5f || (rest == 0.5f && (away || odd))) return whole + 1 + zero;
  if (rest < -0.5f || (rest == -0.5f && (away || odd))) return whole - 1 + zero;
  return whole + zero;
}

namespace plainly {

// Where nobody has chosen a target, and where there are no vectors.

inline void multiply(const quad_products& p) {
  if (p.rows == 8) {
    multiply(tile_of(p, 0));
    return multiply(tile_of(p, 1));
  }
  for (int r = 0; r < p.rows; ++r)
    for (std::int64_t c = 0; c < p.columns; ++c) {
      auto sum = static_cast<std::uint32_t>(p.start[r]);
      for (std::int64_t q = 0; q < p.quads; ++q) {
        const std::int8_t* left = p.left + 4 * (q * p.rows + r);
        const std::uint8_t* right = p.right + p.offsets[q] + 4 * c;
        for (int i = 0; i < 4; ++i) sum += static_cast<std::uint32_t>(left[i] * right[i]);
      }
      p.sums[r * p.pitch + c] = static_cast<std::int32_t>(sum);
    }
}

inline bool finish(const sum_results&) { return false; }
inline bool combine(const byte_pairs&) { return false; }

inline void quantize(const float_results& r) {
  for (std::int64_t i = 0; i < r.n; ++i) {
    const float x = r.divides ? r.from[i] / r.scale : r.from[i] * r.scale;
    r.to[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(rounded_between(x, r.away, r.zero, r.least, r.most)) ^
                                        r.flip);
  }
}

inline void dequantize(const byte_reals& r) {
  for (std::int64_t i = 0; i < r.n; ++i) r.to[i] = static_cast<float>((r.from[i] ^ r.flip) - r.flip - r.zero) * r.scale;
}

inline void look_up(const std::uint8_t* table, const std::uint8_t* x, std::int64_t n, std::uint8_t* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = table[x[i]];
}

inline void interleave(const std::uint8_t* const (&lines)[4], std::int64_t n, std::uint8_t flip, std::uint8_t* to) {
  for (std::int64_t i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) *to++ = static_cast<std::uint8_t>(lines[k][i] ^ flip);
}

inline void take_every(const std::uint8_t* x, int stride, std::int64_t n, std::uint8_t* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = x[i * stride];
}

inline void take_windows(const std::uint8_t* x, int stride, int dilation, std::int64_t n, std::uint8_t flip,
                         std::uint8_t* to) {
  for (std::int64_t i = 0; i < n; ++i, x += stride)
    for (int k = 0; k < 4; ++k) *to++ = static_cast<std::uint8_t>(x[k * dilation] ^ flip);
}

inline void largest(const std::uint8_t* const* lines, int count, std::int64_t n, bool is_signed, std::uint8_t* to) {
  const int flip = is_signed ? 128 : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint8_t most = lines[0][i];
    for (int k = 1; k < count; ++k)
      if ((lines[k][i] ^ flip) > (most ^ flip)) most = lines[k][i];
    to[i] = most;
  }
}

inline std::int64_t sum(const std::uint8_t* x, std::int64_t n, bool is_signed) {
  const int flip = is_signed ? 128 : 0;
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < n; ++i) all += x[i] ^ flip;
  return all - n * flip;
}

inline constexpr integer_kernels kernels{&multiply,   &finish,     &quantize,     &dequantize, &look_up, &combine,
                                         &interleave, &take_every, &take_windows, &largest,    &sum,     false};

}  // namespace plainly

}  // namespace ctnn::ir
