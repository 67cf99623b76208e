// SPDX-License-Identifier: BSL-1.0
// Rows of weights at four windows at once by Helium: two rows are loaded for eight instructions of products, and
// sixteen results become bytes and are stored together. Of layers whose windows are whole sixteens of numbers, or
// pixels of eights.
#pragma once

#include <cstddef>

#include "byte_loops-helium-inl.hpp"

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {
namespace detail {

/// Is the layer one for four windows at once? Channels of a window are put where they have their turns as they are, or
/// by way of memory that other windows of fours do not have.
constexpr bool has_fours(const byte_layer& k) {
  return k.outs % 4 == 0 && k.out_pitch % 4 == 0 &&
         (k.channels % 16 == 0 || k.channels % 4 != 0 || (has_pixels(k) && k.channels % 8 == 0));
}

/// The eights behind whole sixteens of four windows, with zeros before each of their fours: of two rows that alternate,
/// the second meets what is at [i], the first what is a four behind it.
struct spread_eights {
  std::int32_t at[17] = {};
  const std::int8_t* sixteens;

  CTNN_INLINE explicit spread_eights(const std::int8_t* x) : sixteens(x) {}
  CTNN_INLINE void take(int i, const std::int8_t* eight) {
    const std::int32_t* const fours = words_at(eight);
    at[4 * i + 1] = fours[0];
    at[4 * i + 3] = fours[1];
  }
};

/// Sums of four windows by two rows, for each row. `x` are their sixteens or, with Eight, the spread_eights behind
/// those. `w` goes on behind the rows. (Written out, as compilers find no places for eight sums, which only registers
/// of even numbers hold.)
template <bool Eight>
CTNN_INLINE void multiply_four_by_two(const void* x, const std::int8_t*& w, unsigned sixteens, int32x4_t& first,
                                      int32x4_t& second) {
  static_assert(offsetof(spread_eights, sixteens) == 68);
// clang-format off
#define CTNN_SUMS_OF_EIGHT(at, after, first, second) \
  "vldrb.8 q2, [%[x], #" after "]\n\t"               \
  "vldrb.8 q3, [%[x], #" at "]\n\t"                  \
  "vmladav.s8 " first ", q2, q0\n\t"                 \
  "vmladav.s8 " second ", q3, q0\n\t"
#define CTNN_SUMS_OF_SIXTEENS(multiply) \
  "vld20.32 {q0, q1}, [%[w]]\n\t"       \
  "vld21.32 {q0, q1}, [%[w]]!\n\t"      \
  "vldrb.8 q2, [%[x]], #16\n\t"         \
  "vldrb.8 q3, [%[x]], #16\n\t"         \
  multiply " r0, q2, q0\n\t"            \
  multiply " r2, q2, q1\n\t"            \
  "vldrb.8 q2, [%[x]], #16\n\t"         \
  multiply " r4, q3, q0\n\t"            \
  multiply " r6, q3, q1\n\t"            \
  "vldrb.8 q3, [%[x]], #16\n\t"         \
  multiply " r8, q2, q0\n\t"            \
  multiply " r10, q2, q1\n\t"           \
  multiply " r12, q3, q0\n\t"           \
  multiply " lr, q3, q1\n\t"
  // clang-format on
  asm volatile(
      ".if %c[eight]\n\t"
      "add lr, %[w], %[n], lsl #5\n\t"
      "vldrb.8 q0, [lr]\n\t"
      CTNN_SUMS_OF_EIGHT("0", "4", "r0", "r2")
      CTNN_SUMS_OF_EIGHT("16", "20", "r4", "r6")
      CTNN_SUMS_OF_EIGHT("32", "36", "r8", "r10")
      CTNN_SUMS_OF_EIGHT("48", "52", "r12", "lr")
      "ldr %[x], [%[x], #68]\n\t"
      "cmp %[n], #0\n\t"
      "beq 2f\n"
      ".else\n\t"
      CTNN_SUMS_OF_SIXTEENS("vmladav.s8")
      "subs %[n], #1\n\t"
      "beq 2f\n"
      ".endif\n"
      "1:\n\t"
      CTNN_SUMS_OF_SIXTEENS("vmladava.s8")
      "subs %[n], #1\n\t"
      "bne 1b\n"
      "2:\n\t"
      ".if %c[eight]\n\t"
      "add %[w], #16\n\t"
      ".endif\n\t"
      "vmov %q[first][2], %q[first][0], r0, r8\n\t"
      "vmov %q[first][3], %q[first][1], r4, r12\n\t"
      "vmov %q[second][2], %q[second][0], r2, r10\n\t"
      "vmov %q[second][3], %q[second][1], r6, lr"
      : [first] "=&w"(first), [second] "=&w"(second), [w] "+r"(w), [x] "+r"(x), [n] "+r"(sixteens)
      : [eight] "i"(Eight)
      : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3", "cc", "memory");
#undef CTNN_SUMS_OF_EIGHT
#undef CTNN_SUMS_OF_SIXTEENS
}

/// How sums of four windows become bytes.
class four_results {
 public:
  /// Of windows `step` bytes apart; one that is not there was taken as the last one.
  CTNN_INLINE four_results(const byte_layer& k, bool by_any, std::ptrdiff_t step, unsigned count)
      : to_(k.results),
        by_any_(by_any),
        bounded_(k.results.low != -128 || k.results.high != 127),
        offsets_(vmulq_n_u32(vminq_u32(vidupq_n_u32(0, 1), vdupq_n_u32(count - 1)), static_cast<std::uint32_t>(step))) {
  }
  CTNN_INLINE void store(const row_constants* r, int32x4_t s0, int32x4_t s1, int32x4_t s2, int32x4_t s3,
                         std::int8_t* y) const {
    if (by_any_) {
      store_by_any(r[0], s0, y);
      store_by_any(r[1], s1, y + 1);
      store_by_any(r[2], s2, y + 2);
      store_by_any(r[3], s3, y + 3);
      return;
    }
    scale(s0, r[0]);
    scale(s1, r[1]);
    scale(s2, r[2]);
    scale(s3, r[3]);
    int8x16_t bytes = bytes_of(s0, s1, s2, s3, to_.zero);
    if (bounded_) bytes = vminq_s8(vmaxq_s8(bytes, vdupq_n_s8(to_.low)), vdupq_n_s8(to_.high));
    vstrwq_scatter_offset_s32(static_cast<std::int32_t*>(static_cast<void*>(y)), offsets_, vreinterpretq_s32_s8(bytes));
  }

 private:
  CTNN_INLINE static void scale(int32x4_t& sums, const row_constants& row) {
    sums = scaled(vaddq_n_s32(sums, row.start), vdupq_n_s32(static_cast<std::int32_t>(row.factor)));
  }
  CTNN_NOINLINE void store_by_any(const row_constants& row, int32x4_t sums, std::int8_t* y) const {
    std::int32_t of_window[4];
    std::uint32_t offsets[4];
    vstrwq_s32(of_window, sums);
    vstrwq_u32(offsets, offsets_);
    for (int i = 0; i < 4; ++i)
      y[static_cast<std::int32_t>(offsets[i])] = byte_of(of_window[i] + row.start, row.factor, to_);
  }

  byte_results to_;
  bool by_any_, bounded_;
  uint32x4_t offsets_;
};

/// Results of all rows for four windows, `x` of multiply_four_by_two().
template <bool Eight>
CTNN_NOINLINE void four_windows(const byte_layer& k, const byte_layer::part& p, const void* x,
                                const four_results& results, std::int8_t* y) {
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  const unsigned sixteens = static_cast<unsigned>(k.fours) / 4;
  for (int left = k.outs; left > 0; left -= 4, r += 4, y += 4) {
    int32x4_t s0, s1, s2, s3;
    multiply_four_by_two<Eight>(x, w, sixteens, s0, s1);
    multiply_four_by_two<Eight>(x, w, sixteens, s2, s3);
    results.store(r, s0, s1, s2, s3, y);
  }
}

/// Sixteens of a window to where it has its turns.
CTNN_INLINE std::int8_t* put_sixteens(const std::int8_t* from, int bytes, std::int8_t* to) {
  for (unsigned n = static_cast<unsigned>(bytes) / 16; n > 0; --n, from += 16, to += 64) vstrbq_s8(to, vldrbq_s8(from));
  return to;
}
CTNN_NOINLINE inline void put_window(const byte_layer& k, const std::int8_t* x, const window_position& at,
                                     std::int8_t* to) {
  const int ix = at.ox * k.stride_w - k.left, iy = at.oy * k.stride_h - k.top;
  const bool together = has_rows_together(k);
  if (together && is_inside(k, ix, iy)) {
    const std::ptrdiff_t row = std::ptrdiff_t{k.width} * k.pitch;
    const std::int8_t* from = x + iy * row + std::ptrdiff_t{ix} * k.pitch;
    for (int ky = k.kernel_h; ky > 0; --ky, from += row * k.dilation_h)
      to = put_sixteens(from, k.kernel_w * k.channels, to);
    return;
  }
  for_each_piece(
      k, x, at, together, [&](const std::int8_t* piece, int bytes) { to = put_sixteens(piece, bytes, to); },
      [&](int bytes) {
        for (unsigned n = static_cast<unsigned>(bytes) / 16; n > 0; --n, to += 64) vstrbq_s8(to, vdupq_n_s8(k.outside));
      });
}

/// f(four_results, y, windows) of all windows by fours, in the layer's direction.
CTNN_INLINE void for_each_four(const byte_layer& k, const byte_layer::part& p, auto&& f) {
  const bool by_any = !has_small_factors(k, p.rows);
  std::int8_t* y = p.y + (k.backwards ? std::ptrdiff_t{k.windows() - 1} * k.out_pitch : 0);
  const std::ptrdiff_t step = k.backwards ? -k.out_pitch : k.out_pitch;
  for (int left = k.windows(); left > 0; left -= 4, y += 4 * step) {
    const int count = left < 4 ? left : 4;
    f(four_results(k, by_any, step, static_cast<unsigned>(count)), y, count);
  }
}

/// All rows at every window. Whole: of whole sixteens of channels.
template <bool Whole, bool Eight>
void convolve_fours(const byte_layer& k, const byte_layer::part& p) {
  window_position at(k);
  spread_eights eights(p.memory);
  for_each_four(k, p, [&](const four_results& results, std::int8_t* y, int count) {
    for (int i = 0; i < 4; ++i) {
      if constexpr (Whole) {
        put_window(k, p.x, at, p.memory + 16 * i);
      } else {
        std::int8_t* const flat = p.memory + k.fours * 16;
        const int sixteens = k.fours / 4 * 16;
        copy_window(k, p.x, at, flat);
        put_sixteens(flat, sixteens, p.memory + 16 * i);
        if constexpr (Eight) eights.take(i, flat + sixteens);
      }
      if (i < count - 1) at.next(k);
    }
    at.next(k);
    four_windows<Eight>(k, p, Eight ? static_cast<const void*>(&eights) : p.memory, results, y);
  });
}
/// All rows at every pixel.
template <bool Eight>
void convolve_pixels(const byte_layer& k, const byte_layer::part& p) {
  const std::ptrdiff_t step = k.backwards ? -k.pitch : k.pitch;
  const std::int8_t* x = p.x + (k.backwards ? std::ptrdiff_t{k.windows() - 1} * k.pitch : 0);
  spread_eights eights(p.memory);
  for_each_four(k, p, [&](const four_results& results, std::int8_t* y, int count) {
    if (count == 1) {
      copy_bytes(x, k.channels, p.memory);
      return one_window(k, p, p.memory, y);
    }
    for (int i = 0; i < 4; ++i) {
      put_sixteens(x, k.channels, p.memory + 16 * i);
      if constexpr (Eight) eights.take(i, x + k.channels - 8);
      if (i < count - 1) x += step;
    }
    x += step;
    four_windows<Eight>(k, p, Eight ? static_cast<const void*>(&eights) : p.memory, results, y);
  });
}

constexpr auto fours_kernel(const byte_layer& k) {
  const bool eight = k.fours % 4 != 0;
  if (has_pixels(k) && k.channels % 8 == 0) return eight ? &convolve_pixels<true> : &convolve_pixels<false>;
  if (k.channels % 16 == 0) return &convolve_fours<true, false>;
  return eight ? &convolve_fours<false, true> : &convolve_fours<false, false>;
}

}  // namespace detail
}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE
