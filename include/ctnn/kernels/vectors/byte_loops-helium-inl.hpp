// SPDX-License-Identifier: BSL-1.0
// The inner loops of firmware's kernels of bytes by Helium, the vectors of Cortex-M55 and M85: sixteen products an
// instruction, sums four at a time. All that is in byte_loops-plain-inl.hpp for cores without vectors, in the same
// memory and order of weights.
#pragma once

#include <arm_mve.h>

#include "byte_layer-plain-inl.hpp"

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {
namespace detail {

CTNN_INLINE const std::int32_t* words_at(const void* p) { return static_cast<const std::int32_t*>(p); }

/// Four sums by four factors below 1/2: floor(sum * factor / 2^32 + 1/2).
CTNN_INLINE int32x4_t scaled(int32x4_t sums, int32x4_t factors) { return vrmulhq_s32(sums, factors); }

/// Numbers of half the size that stop at their ends, to the even lanes and with others to the odd ones. (Compilers copy
/// what could stay where it is.)
CTNN_INLINE int16x8_t narrow(int32x4_t even, int32x4_t odd) {
  asm("vqmovnb.s32 %q[even], %q[even]\n\tvqmovnt.s32 %q[even], %q[odd]" : [even] "+w"(even) : [odd] "w"(odd));
  return vreinterpretq_s16_s32(even);
}
CTNN_INLINE int8x16_t narrow(int16x8_t even, int16x8_t odd) {
  asm("vqmovnb.s16 %q[even], %q[even]\n\tvqmovnt.s16 %q[even], %q[odd]" : [even] "+w"(even) : [odd] "w"(odd));
  return vreinterpretq_s8_s16(even);
}
/// Sixteen bytes of four times four numbers: byte 4 i + j of number i in vector j.
CTNN_INLINE int8x16_t bytes_of(int32x4_t s0, int32x4_t s1, int32x4_t s2, int32x4_t s3, std::int16_t zero) {
  return narrow(vqaddq_n_s16(narrow(s0, s2), zero), vqaddq_n_s16(narrow(s1, s3), zero));
}

/// How four sums of a window become bytes, of which there may be fewer.
class row_results {
 public:
  CTNN_INLINE explicit row_results(const byte_layer& k, bool by_any)
      : to_(k.results), low_(vdupq_n_s32(to_.low)), high_(vdupq_n_s32(to_.high)), by_any_(by_any) {}

  CTNN_INLINE bool are_simple(int left) const { return !by_any_ && left >= 4; }
  CTNN_INLINE void store(const int32x4x2_t& rows, const std::int32_t* sums, std::int8_t* y) const {
    const int32x4_t x = vaddq_n_s32(scaled(vaddq_s32(vldrwq_s32(sums), rows.val[0]), rows.val[1]), to_.zero);
    vstrbq_s32(y, vminq_s32(vmaxq_s32(x, low_), high_));
  }
  CTNN_NOINLINE void store_by_any(const row_constants* rows, int left, const std::int32_t* sums, std::int8_t* y) const {
    for (int i = 0; i < 4 && i < left; ++i) y[i] = byte_of(sums[i] + rows[i].start, rows[i].factor, to_);
  }

 private:
  byte_results to_;
  int32x4_t low_, high_;
  bool by_any_;
};

/// Numbers 0 to 7 of a window, fours twice: as two rows of weights alternate.
CTNN_INLINE int8x16_t fours_twice(const std::int8_t* x) {
  const uint32x4_t at = {0, 0, 1, 1};
  return vreinterpretq_s8_s32(vldrwq_gather_shifted_offset_s32(words_at(x), at));
}
/// Adds products of fours_twice() and two rows that alternate, for each row, and of two more. (Written out, as
/// compilers predicate each instruction by itself.)
CTNN_INLINE void add_eight(int8x16_t x, int8x16_t rows, std::int32_t& x0, std::int32_t& x1, int8x16_t z,
                           int8x16_t others, std::int32_t& z0, std::int32_t& z1) {
  std::uint32_t before;
  asm("vmrs %[before], p0\n\t"
      "vmsr p0, %[lanes]\n\t"
      "vpstete\n\t"
      "vmladavat.s8 %[x0], %q[x], %q[rows]\n\t"
      "vmladavae.s8 %[x1], %q[x], %q[rows]\n\t"
      "vmladavat.s8 %[z0], %q[z], %q[others]\n\t"
      "vmladavae.s8 %[z1], %q[z], %q[others]\n\t"
      "vmsr p0, %[before]"
      : [before] "=&r"(before), [x0] "+Te"(x0), [x1] "+Te"(x1), [z0] "+Te"(z0), [z1] "+Te"(z1)
      : [x] "w"(x), [rows] "w"(rows), [z] "w"(z), [others] "w"(others), [lanes] "r"(0x0f0f));
}

/// The fours of two rows that alternate, sixteen numbers of each.
struct two_rows {
  int8x16_t first, second;

  CTNN_INLINE explicit two_rows(const std::int8_t* w) {
    const int32x4x2_t words = vld2q_s32(words_at(w));
    first = vreinterpretq_s8_s32(words.val[0]);
    second = vreinterpretq_s8_s32(words.val[1]);
  }
};

/// Sums of two windows by two rows, x[row] and z[row]; their numbers are sixteens, and with Eight another 8.
template <bool Eight>
CTNN_INLINE void multiply_two_by_two(const std::int8_t* in_x, const std::int8_t* in_z, const std::int8_t* w,
                                     unsigned sixteens, std::int32_t* x, std::int32_t* z) {
  std::int32_t x0 = 0, x1 = 0, z0 = 0, z1 = 0;
  if constexpr (!Eight) {  // the first have no sums before them
    const two_rows rows(w);
    const int8x16_t a = vldrbq_s8(in_x), b = vldrbq_s8(in_z);
    x0 = vmladavq_s8(a, rows.first);
    x1 = vmladavq_s8(a, rows.second);
    z0 = vmladavq_s8(b, rows.first);
    z1 = vmladavq_s8(b, rows.second);
    --sixteens;
    in_x += 16;
    in_z += 16;
    w += 32;
  }
  for (; sixteens > 0; --sixteens, in_x += 16, in_z += 16, w += 32) {
    const two_rows rows(w);
    const int8x16_t a = vldrbq_s8(in_x), b = vldrbq_s8(in_z);
    x0 = vmladavaq_s8(x0, a, rows.first);
    x1 = vmladavaq_s8(x1, a, rows.second);
    z0 = vmladavaq_s8(z0, b, rows.first);
    z1 = vmladavaq_s8(z1, b, rows.second);
  }
  if constexpr (Eight) {
    const int8x16_t rows = vldrbq_s8(w), a = fours_twice(in_x), b = fours_twice(in_z);
    add_eight(a, rows, x0, x1, b, rows, z0, z1);
  }
  x[0] = x0;
  x[1] = x1;
  z[0] = z0;
  z[1] = z1;
}

/// Bytes from one window to the next in the kernel's memory.
CTNN_INLINE std::ptrdiff_t window_bytes(const byte_layer& k) {
  return static_cast<std::ptrdiff_t>((static_cast<unsigned>(k.fours) + 2) / 4 * 16);
}
/// Results of all rows for two windows, which lie `second` bytes apart; for the first of them if that is 0.
template <bool Eight>
CTNN_NOINLINE void two_windows(const byte_layer& k, const byte_layer::part& p, bool by_any, std::int8_t* y,
                               std::ptrdiff_t second) {
  const std::int8_t *const x = p.memory, *const z = x + window_bytes(k), *w = p.weights;
  const row_constants* r = p.rows;
  const unsigned sixteens = static_cast<unsigned>(k.fours) / 4;
  const std::ptrdiff_t pair = std::ptrdiff_t{k.fours} * 8;
  const row_results results(k, by_any);
  for (int left = k.outs; left > 0; left -= 4, r += 4, y += 4) {
    std::int32_t of_x[4], of_z[4];
    multiply_two_by_two<Eight>(x, z, w, sixteens, of_x, of_z);
    if (left > 2) w += pair;
    multiply_two_by_two<Eight>(x, z, w, sixteens, of_x + 2, of_z + 2);
    w += pair;
    if (results.are_simple(left)) {  // the first last: it may be the only one
      const int32x4x2_t rows = vld2q_s32(words_at(r));
      results.store(rows, of_z, y + second);
      results.store(rows, of_x, y);
    } else {
      results.store_by_any(r, left, of_z, y + second);
      results.store_by_any(r, left, of_x, y);
    }
  }
}

/// Results of all rows for one window, of bytes.
CTNN_NOINLINE inline void one_window(const byte_layer& k, const byte_layer::part& p, const std::int8_t* x,
                                     std::int8_t* y) {
  const std::ptrdiff_t pair = std::ptrdiff_t{k.fours} * 8;
  const row_results results(k, !has_small_factors(k, p.rows));
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  const unsigned sixteens = static_cast<unsigned>(k.fours) / 4;
  const bool eight = k.fours % 4 != 0;
  for (int left = k.outs; left > 0; left -= 4, r += 4, y += 4, w += 2 * pair) {
    const std::int8_t *in = x, *v = w, *u = left > 2 ? w + pair : w;
    std::int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (unsigned n = sixteens; n > 0; --n, in += 16, v += 32, u += 32) {
      const int8x16_t a = vldrbq_s8(in);
      const two_rows rows(v);
      s0 = vmladavaq_s8(s0, a, rows.first);
      s1 = vmladavaq_s8(s1, a, rows.second);
      const two_rows others(u);
      s2 = vmladavaq_s8(s2, a, others.first);
      s3 = vmladavaq_s8(s3, a, others.second);
    }
    if (eight) {
      const int8x16_t a = fours_twice(in), rows = vldrbq_s8(v), others = vldrbq_s8(u);
      add_eight(a, rows, s0, s1, a, others, s2, s3);
    }
    const std::int32_t sums[4] = {s0, s1, s2, s3};
    if (results.are_simple(left)) results.store(vld2q_s32(words_at(r)), sums, y);
    else results.store_by_any(r, left, sums, y);
  }
}

CTNN_INLINE mve_pred16_t bytes_there(int left) { return vctp8q(static_cast<std::uint32_t>(left)); }
CTNN_INLINE std::int8_t* copy_bytes(const std::int8_t* from, int bytes, std::int8_t* to) {
  std::int8_t* const end = to + bytes;
  for (unsigned n = static_cast<unsigned>(bytes) / 16; n > 0; --n, from += 16, to += 16) vstrbq_s8(to, vldrbq_s8(from));
  if (to != end) {
    const mve_pred16_t there = bytes_there(static_cast<int>(end - to));
    vstrbq_p_s8(to, vldrbq_z_s8(from, there), there);
  }
  return end;
}
CTNN_INLINE std::int8_t* fill_bytes(std::int8_t byte, int bytes, std::int8_t* to) {
  for (int left = bytes; left > 0; left -= 16) vstrbq_p_s8(to + (bytes - left), vdupq_n_s8(byte), bytes_there(left));
  return to + bytes;
}

/// Is each window a pixel, and each pixel a window?
constexpr bool has_pixels(const byte_layer& k) {
  return k.kernel_h * k.kernel_w * k.stride_h * k.stride_w == 1 && k.top == 0 && k.left == 0 &&
         k.out_height == k.height && k.out_width == k.width;
}
/// Does the window whose rows lie together, and begin at (ix, iy), lie on the image?
CTNN_INLINE bool is_inside(const byte_layer& k, int ix, int iy) {
  return ix >= 0 && ix <= k.width - k.kernel_w && iy >= 0 && iy + (k.kernel_h - 1) * k.dilation_h < k.height;
}

/// Rows of a window, of sixteen bytes at most, each by one load of the bytes that are there. `from` is where the first
/// begins, on the image or not.
CTNN_INLINE void copy_short_rows(const byte_layer& k, const std::int8_t* from, int ix, int iy, std::int8_t* to) {
  const int bytes = k.kernel_w * k.channels;
  const mve_pred16_t there = bytes_there(bytes);
  const std::ptrdiff_t step = std::ptrdiff_t{k.width} * k.pitch * k.dilation_h;
  if (is_inside(k, ix, iy)) {
    for (int ky = k.kernel_h; ky > 0; --ky, from += step, to += bytes) vstrbq_p_s8(to, vldrbq_z_s8(from, there), there);
    return;
  }
  const int before = ix < 0 ? -ix * k.channels : 0;
  const int past = (ix + k.kernel_w - k.width) * k.channels, end = past > 0 ? bytes - past : bytes;
  const auto inside = static_cast<mve_pred16_t>(end > before ? bytes_there(end) & ~bytes_there(before) : 0);
  const int8x16_t outside = vdupq_n_s8(k.outside);
  for (int ky = k.kernel_h; ky > 0; --ky, iy += k.dilation_h, from += step, to += bytes) {
    int8x16_t row = outside;
    if (static_cast<unsigned>(iy) < static_cast<unsigned>(k.height))
      row = vpselq_s8(vldrbq_z_s8(from, inside), outside, inside);
    vstrbq_p_s8(to, row, there);
  }
}

/// A window's numbers side by side. What fills the last of them up is multiplied by zeros.
CTNN_NOINLINE inline void copy_window(const byte_layer& k, const std::int8_t* x, const window_position& at,
                                      std::int8_t* to) {
  const int ix = at.ox * k.stride_w - k.left, iy = at.oy * k.stride_h - k.top;
  const bool together = has_rows_together(k);
  const std::ptrdiff_t row = std::ptrdiff_t{k.width} * k.pitch;
  const std::int8_t* from = x + iy * row + std::ptrdiff_t{ix} * k.pitch;
  if (together && k.kernel_w * k.channels <= 16) return copy_short_rows(k, from, ix, iy, to);
  if (together && is_inside(k, ix, iy)) {
    const int bytes = k.kernel_w * k.pitch;
    for (int ky = k.kernel_h; ky > 0; --ky, from += row * k.dilation_h) to = copy_bytes(from, bytes, to);
    return;
  }
  for_each_piece(
      k, x, at, together, [&](const std::int8_t* piece, int bytes) { to = copy_bytes(piece, bytes, to); },
      [&](int bytes) { to = fill_bytes(k.outside, bytes, to); });
}

/// Two windows and all rows at them.
class window_pair {
 public:
  window_pair(const byte_layer& k, const byte_layer::part& p)
      : k_(k),
        p_(p),
        by_any_(!has_small_factors(k, p.rows)),
        pixels_(has_pixels(k)),
        results_(k.fours % 4 == 0 ? &two_windows<false> : &two_windows<true>) {}
  CTNN_INLINE void take(int which, const window_position& at) const {
    std::int8_t* const to = p_.memory + (which == 0 ? 0 : window_bytes(k_));
    if (pixels_) copy_bytes(p_.x + std::ptrdiff_t{at.oy * k_.width + at.ox} * k_.pitch, k_.channels, to);
    else copy_window(k_, p_.x, at, to);
  }
  CTNN_INLINE void results(std::int8_t* y, std::ptrdiff_t second) const { results_(k_, p_, by_any_, y, second); }

 private:
  const byte_layer& k_;
  const byte_layer::part& p_;
  bool by_any_, pixels_;
  void (*results_)(const byte_layer&, const byte_layer::part&, bool, std::int8_t*, std::ptrdiff_t);
};

/// Sums of two operands by factors of 2^32: below 2^37 in two parts, of the factors' upper and lower 16 bits.
inline void add_bytes(const byte_sum& k, const std::int8_t* x, const std::int8_t* z, std::int8_t* y,
                      std::ptrdiff_t count) {
  const auto small = [](std::int64_t n) { return n < std::int64_t{1} << 37 && n > -(std::int64_t{1} << 37); };
  if (!small(k.a) || !small(k.b)) {
    for (std::ptrdiff_t i = 0; i < count; ++i)
      y[i] = k.results.of(static_cast<std::int32_t>((x[i] * k.a + z[i] * k.b + k.start) >> 32));
    return;
  }
  const auto upper = [](std::int64_t n) { return static_cast<std::int32_t>(n >> 16); };
  const auto lower = [](std::int64_t n) { return static_cast<std::int32_t>(n & 0xffff); };
  const std::int32_t a = upper(k.a), b = upper(k.b), c = upper(k.start), d = lower(k.a), e = lower(k.b),
                     f = lower(k.start);
  const int32x4_t low = vdupq_n_s32(k.results.low), high = vdupq_n_s32(k.results.high);
  for (; count > 0; count -= 4, x += 4, z += 4, y += 4) {
    const mve_pred16_t there = vctp32q(static_cast<std::uint32_t>(count));
    const int32x4_t u = vldrbq_z_s32(x, there), v = vldrbq_z_s32(z, there);
    int32x4_t sum = vaddq_n_s32(vmlaq_n_s32(vmulq_n_s32(u, d), v, e), f);
    sum = vmlaq_n_s32(vmlaq_n_s32(vaddq_n_s32(vshrq_n_s32(sum, 16), c), u, a), v, b);
    sum = vaddq_n_s32(vshrq_n_s32(sum, 16), k.results.zero);
    vstrbq_p_s32(y, vminq_s32(vmaxq_s32(sum, low), high), there);
  }
}

/// A window's largest bytes or averages, channel by channel.
template <op::pooling Function>
CTNN_INLINE void pool_window(const pooled_cells& cells, const std::int8_t* x, int channels, std::int8_t* y) {
  const int count = cells.rows * cells.columns;
  constexpr int lanes = Function == op::pooling::max ? 16 : 4;
  for (int c = 0; c < channels; c += lanes) {
    const mve_pred16_t there =
        Function == op::pooling::max ? bytes_there(channels - c) : vctp32q(static_cast<std::uint32_t>(channels - c));
    const std::int8_t* row = x + c;
    if constexpr (Function == op::pooling::max) {
      int8x16_t most = vdupq_n_s8(-128);
      for (int i = cells.rows; i > 0; --i, row += cells.row_step) {
        const std::int8_t* cell = row;
        for (int j = cells.columns; j > 0; --j, cell += cells.column_step)
          most = vmaxq_s8(most, vldrbq_z_s8(cell, there));
      }
      vstrbq_p_s8(y + c, most, there);
    } else {
      int32x4_t total = vdupq_n_s32(0);
      for (int i = cells.rows; i > 0; --i, row += cells.row_step) {
        const std::int8_t* cell = row;
        for (int j = cells.columns; j > 0; --j, cell += cells.column_step)
          total = vaddq_s32(total, vldrbq_z_s32(cell, there));
      }
      std::int32_t totals[4];
      vstrwq_s32(totals, total);
      for (int i = 0; count != 0 && i < 4; ++i) totals[i] = average_of(totals[i], count);
      vstrbq_p_s32(y + c, vldrwq_s32(totals), there);
    }
  }
}

}  // namespace detail
}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE
