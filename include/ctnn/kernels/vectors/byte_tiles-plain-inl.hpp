// SPDX-License-Identifier: BSL-1.0
// Sums of products of bytes for firmware: two windows, or one, by rows of weights. With the DSP instructions of
// Cortex-M4 and better four bytes become two pairs of 16 bits, numbers 0 and 2, 1 and 3, and two products are one
// instruction; the loops are written out since compilers run out of registers. Elsewhere these are plain loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../base/compiler.hpp"

// (Without optimisation compilers keep a register for frames, and search for others in vain.)
#if defined(__ARM_FEATURE_SIMD32) && defined(__thumb2__) && defined(__GNUC__) && defined(__OPTIMIZE__)
#define CTNN_BYTES_BY_DSP 1
#else
#define CTNN_BYTES_BY_DSP 0
#endif

namespace ctnn::ir {
namespace plain {
namespace detail {

inline std::uint32_t word_at(const void* p) {
  std::uint32_t w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

/// Four bytes as numbers of 16 bits; `to` is aligned.
CTNN_INLINE void widen_four(const std::int8_t* from, std::int16_t* to) {
#if CTNN_BYTES_BY_DSP
  const std::uint32_t x = word_at(from);
  std::uint32_t even, odd;
  asm("sxtb16 %0, %1" : "=r"(even) : "r"(x));
  asm("sxtb16 %0, %1, ror #8" : "=r"(odd) : "r"(x));
  std::memcpy(to, &even, sizeof even);
  std::memcpy(to + 2, &odd, sizeof odd);
#else
  for (int i = 0; i < 4; ++i) to[i] = from[i];
#endif
}

#if CTNN_BYTES_BY_DSP
#define CTNN_FOUR_BY_2_2                 \
  "ldrd %[a], %[b], [%[w]], #8\n\t"      \
  "ldrd %[c], %[d], [%[x]], #8\n\t"      \
  "sxtb16 %[t], %[a]\n\t"                \
  "sxtb16 %[a], %[a], ror #8\n\t"        \
  "sxtb16 %[u], %[b]\n\t"                \
  "sxtb16 %[b], %[b], ror #8\n\t"        \
  "smlad %[s00], %[t], %[c], %[s00]\n\t" \
  "smlad %[s00], %[a], %[d], %[s00]\n\t" \
  "smlad %[s01], %[u], %[c], %[s01]\n\t" \
  "smlad %[s01], %[b], %[d], %[s01]\n\t" \
  "ldrd %[c], %[d], [%[x]], #8\n\t"      \
  "smlad %[s10], %[t], %[c], %[s10]\n\t" \
  "smlad %[s10], %[a], %[d], %[s10]\n\t" \
  "smlad %[s11], %[u], %[c], %[s11]\n\t" \
  "smlad %[s11], %[b], %[d], %[s11]\n\t"
#define CTNN_FOUR_BY_1_4               \
  "ldr %[c], [%[x]], #4\n\t"           \
  "sxtb16 %[d], %[c], ror #8\n\t"      \
  "sxtb16 %[c], %[c]\n\t"              \
  "ldrd %[a], %[b], [%[w]], #8\n\t"    \
  "sxtb16 %[t], %[a]\n\t"              \
  "sxtb16 %[a], %[a], ror #8\n\t"      \
  "smlad %[s0], %[t], %[c], %[s0]\n\t" \
  "smlad %[s0], %[a], %[d], %[s0]\n\t" \
  "sxtb16 %[t], %[b]\n\t"              \
  "sxtb16 %[b], %[b], ror #8\n\t"      \
  "smlad %[s1], %[t], %[c], %[s1]\n\t" \
  "smlad %[s1], %[b], %[d], %[s1]\n\t" \
  "ldrd %[a], %[b], [%[v]], #8\n\t"    \
  "sxtb16 %[t], %[a]\n\t"              \
  "sxtb16 %[a], %[a], ror #8\n\t"      \
  "smlad %[s2], %[t], %[c], %[s2]\n\t" \
  "smlad %[s2], %[a], %[d], %[s2]\n\t" \
  "sxtb16 %[t], %[b]\n\t"              \
  "sxtb16 %[b], %[b], ror #8\n\t"      \
  "smlad %[s3], %[t], %[c], %[s3]\n\t" \
  "smlad %[s3], %[b], %[d], %[s3]\n\t"
#define CTNN_TAP_OF_4                   \
  "ldr %[a], [%[x]], #4\n\t"            \
  "ldr %[d], [%[w]], #4\n\t"            \
  "ldr %[a], [%[a], %[c]]\n\t"          \
  "sxtb16 %[e], %[d]\n\t"               \
  "sxtb16 %[d], %[d], ror #8\n\t"       \
  "sxtb16 %[b], %[a]\n\t"               \
  "sxtb16 %[a], %[a], ror #8\n\t"       \
  "smlabb %[s0], %[b], %[e], %[s0]\n\t" \
  "smlatt %[s2], %[b], %[e], %[s2]\n\t" \
  "smlabb %[s1], %[a], %[d], %[s1]\n\t" \
  "smlatt %[s3], %[a], %[d], %[s3]\n\t"
#endif

/// Two windows, whose fours of numbers alternate in x, by the two rows that alternate in w: sums[window][row] +=. The
/// fours are an even number. Returns the end of the rows.
CTNN_INLINE const std::int8_t* multiply_two_by_two(const std::int16_t* x, const std::int8_t* w, int fours,
                                                   std::int32_t* sums) {
#if CTNN_BYTES_BY_DSP
  std::int32_t s00 = sums[0], s01 = sums[1], s10 = sums[2], s11 = sums[3];
  const std::int8_t* const end = w + fours * 8;
  std::uint32_t a, b, c, d, t, u;
  asm volatile("1:\n\t" CTNN_FOUR_BY_2_2 CTNN_FOUR_BY_2_2
               "cmp %[w], %[end]\n\t"
               "bne 1b"
               : [s00] "+&r"(s00), [s01] "+&r"(s01), [s10] "+&r"(s10), [s11] "+&r"(s11), [w] "+&r"(w), [x] "+&r"(x),
                 [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t), [u] "=&r"(u)
               : [end] "r"(end)
               : "cc", "memory");
  sums[0] = s00;
  sums[1] = s01;
  sums[2] = s10;
  sums[3] = s11;
#else
  for (int k = 0; k < fours; ++k, x += 8, w += 8)
    for (int i = 0; i < 4; ++i) {
      sums[0] += x[i] * w[i];
      sums[1] += x[i] * w[4 + i];
      sums[2] += x[4 + i] * w[i];
      sums[3] += x[4 + i] * w[4 + i];
    }
#endif
  return w;
}

/// One window of bytes by the rows of two pairs, `pair` bytes apart: sums[row] +=. Returns the end
/// of the first pair.
CTNN_INLINE const std::int8_t* multiply_one_by_four(const std::int8_t* x, const std::int8_t* w, std::ptrdiff_t pair,
                                                    int fours, std::int32_t* sums) {
#if CTNN_BYTES_BY_DSP
  std::int32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  const std::int8_t *v = w + pair, *const end = w + fours * 8;
  std::uint32_t a, b, c, d, t;
  asm volatile("1:\n\t" CTNN_FOUR_BY_1_4 CTNN_FOUR_BY_1_4
               "cmp %[w], %[end]\n\t"
               "bne 1b"
               : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [w] "+&r"(w), [v] "+&r"(v),
                 [x] "+&r"(x), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t)
               : [end] "r"(end)
               : "cc", "memory");
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
#else
  for (int k = 0; k < fours; ++k, x += 4, w += 8)
    for (int i = 0; i < 4; ++i) {
      sums[0] += x[i] * w[i];
      sums[1] += x[i] * w[4 + i];
      sums[2] += x[i] * w[pair + i];
      sums[3] += x[i] * w[pair + 4 + i];
    }
#endif
  return w;
}

/// Four channels under a filter, whose taps read x[0][c], x[1][c], ...: sums[channel] +=. Returns the end of the
/// filter.
CTNN_INLINE const std::int8_t* multiply_channels(const std::int8_t* const* x, std::ptrdiff_t c, const std::int8_t* w,
                                                 int taps, std::int32_t* sums) {
#if CTNN_BYTES_BY_DSP
  std::int32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  std::uint32_t a, b, d, e;
  // Three at a time, then the others.
  if (const std::int8_t* const* const end = x + taps / 3 * 3; x != end)
    asm volatile("1:\n\t" CTNN_TAP_OF_4 CTNN_TAP_OF_4 CTNN_TAP_OF_4
                 "cmp %[x], %[end]\n\t"
                 "bne 1b"
                 : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [x] "+&r"(x), [w] "+&r"(w),
                   [a] "=&r"(a), [b] "=&r"(b), [d] "=&r"(d), [e] "=&r"(e)
                 : [c] "r"(c), [end] "r"(end)
                 : "cc", "memory");
  for (int left = taps % 3; left > 0; --left)
    asm volatile(CTNN_TAP_OF_4
                 : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [x] "+&r"(x), [w] "+&r"(w),
                   [a] "=&r"(a), [b] "=&r"(b), [d] "=&r"(d), [e] "=&r"(e)
                 : [c] "r"(c)
                 : "memory");
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
#else
  for (int t = 0; t < taps; ++t, w += 4)
    for (int i = 0; i < 4; ++i) sums[i] += x[t][c + i] * w[i];
#endif
  return w;
}

#if CTNN_BYTES_BY_DSP
#undef CTNN_FOUR_BY_2_2
#undef CTNN_FOUR_BY_1_4
#undef CTNN_TAP_OF_4
#endif

}  // namespace detail
}  // namespace plain
}  // namespace ctnn::ir
