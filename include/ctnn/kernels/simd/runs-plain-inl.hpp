// SPDX-License-Identifier: BSL-1.0
// Inner loops of plain floats on Arm's FPUs (Cortex-M4F and better). Neighbours in memory are loaded by one instruction
// into neighbouring registers, which compilers do one by one, counting an address for each. Products are added by the
// way that is faster on the core, whatever -ffp-contract says: on Cortex-M4, where a fused one takes three cycles, by
// two instructions. What is summed, and in which order, is what tile-inl.hpp and depthwise-inl.hpp sum on other cores.
#pragma once

#include <cstddef>

#include "../../base/compiler.hpp"

// (Without optimisation compilers keep registers for themselves.)
#if defined(CTNN_PLAIN) && defined(__thumb2__) && defined(__ARM_PCS_VFP) && defined(__OPTIMIZE__)
#define CTNN_LOADS_NEIGHBOURS 1
#else
#define CTNN_LOADS_NEIGHBOURS 0
#endif

#if CTNN_LOADS_NEIGHBOURS

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {
namespace detail {

// Cortex-M4, and those Cortex-M7 without doubles, whose compiler tells no difference: they may say CTNN_FUSED 1.
#if !defined(CTNN_FUSED)
#if defined(__ARM_ARCH_7EM__) && (__ARM_FP & 8) == 0
#define CTNN_FUSED 0
#else
#define CTNN_FUSED 1
#endif
#endif
// Two sums += x w; p and q may be lost.
#if CTNN_FUSED
#define CTNN_ADD_2(p, sum, x, w, q, other_sum, other_x, other_w) \
  "vfma.f32 " sum ", " x ", " w "\n\t"                           \
  "vfma.f32 " other_sum ", " other_x ", " other_w "\n\t"
#else
#define CTNN_ADD_2(p, sum, x, w, q, other_sum, other_x, other_w) \
  "vmul.f32 " p ", " x ", " w "\n\t"                             \
  "vmul.f32 " q ", " other_x ", " other_w "\n\t"                 \
  "vadd.f32 " sum ", " sum ", " p "\n\t"                         \
  "vadd.f32 " other_sum ", " other_sum ", " q "\n\t"
#endif
#define CTNN_LOADED(from, count) "m"(*static_cast<const float(*)[count]>(static_cast<const void*>(from)))

/// Two inputs of a row by a block of four columns, whose weights are loaded.
#define CTNN_ADD_ROW(sum, in)                                                                                 \
  asm volatile("vldmia %[x]!, {s0-s1}\n\t"                                                                    \
               CTNN_ADD_2("s2", "%[a]", "s0", "s8", "s3", "%[b]", "s0", "s9")                                 \
               CTNN_ADD_2("s2", "%[c]", "s0", "s10", "s3", "%[d]", "s0", "s11")                               \
               CTNN_ADD_2("s2", "%[a]", "s1", "s12", "s3", "%[b]", "s1", "s13")                               \
               CTNN_ADD_2("s2", "%[c]", "s1", "s14", "s3", "%[d]", "s1", "s15")                               \
               : [x] "+r"(in), [a] "+t"((sum)[0]), [b] "+t"((sum)[1]), [c] "+t"((sum)[2]), [d] "+t"((sum)[3]) \
               : "t"(w0), "t"(w1), "t"(w2), "t"(w3), "t"(w4), "t"(w5), "t"(w6), "t"(w7), CTNN_LOADED(in, 2)   \
               : "s0", "s1", "s2", "s3")

/// Pairs of inputs of four rows by a block of four columns. `in` and `weights` go on behind them.
CTNN_INLINE void sum_pairs(float (&sum)[4][4], const float* (&in)[4], const float*& weights, std::size_t pairs) {
  const float *i0 = in[0], *i1 = in[1], *i2 = in[2], *i3 = in[3], *now = weights;
  for (const float* const end = now + pairs * 8; now != end;) {
    register float w0 asm("s8"), w1 asm("s9"), w2 asm("s10"), w3 asm("s11"), w4 asm("s12"), w5 asm("s13"),
        w6 asm("s14"), w7 asm("s15");
    asm volatile("vldmia %[w]!, {s8-s15}"
                 : [w] "+r"(now), "=t"(w0), "=t"(w1), "=t"(w2), "=t"(w3), "=t"(w4), "=t"(w5), "=t"(w6), "=t"(w7)
                 : CTNN_LOADED(now, 8));
    CTNN_ADD_ROW(sum[0], i0);
    CTNN_ADD_ROW(sum[1], i1);
    CTNN_ADD_ROW(sum[2], i2);
    CTNN_ADD_ROW(sum[3], i3);
  }
  in[0] = i0;
  in[1] = i1;
  in[2] = i2;
  in[3] = i3;
  weights = now;
}
#undef CTNN_ADD_ROW

/// Four inputs, which are loaded, by the next of their weights for four columns.
#define CTNN_ADD_BLOCK(sum, weights)                                                                               \
  asm volatile("vldmia %[w]!, {s8-s23}\n\t"                                                                        \
               CTNN_ADD_2("s8", "%[a]", "s0", "s8", "s9", "%[b]", "s0", "s9")                                      \
               CTNN_ADD_2("s10", "%[c]", "s0", "s10", "s11", "%[d]", "s0", "s11")                                  \
               CTNN_ADD_2("s12", "%[a]", "s1", "s12", "s13", "%[b]", "s1", "s13")                                  \
               CTNN_ADD_2("s14", "%[c]", "s1", "s14", "s15", "%[d]", "s1", "s15")                                  \
               CTNN_ADD_2("s16", "%[a]", "s2", "s16", "s17", "%[b]", "s2", "s17")                                  \
               CTNN_ADD_2("s18", "%[c]", "s2", "s18", "s19", "%[d]", "s2", "s19")                                  \
               CTNN_ADD_2("s20", "%[a]", "s3", "s20", "s21", "%[b]", "s3", "s21")                                  \
               CTNN_ADD_2("s22", "%[c]", "s3", "s22", "s23", "%[d]", "s3", "s23")                                  \
               : [w] "+r"(weights), [a] "+t"((sum)[0]), [b] "+t"((sum)[1]), [c] "+t"((sum)[2]), [d] "+t"((sum)[3]) \
               : "t"(x0), "t"(x1), "t"(x2), "t"(x3), CTNN_LOADED(weights, 16)                                      \
               : "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21",   \
                 "s22", "s23")

/// Four inputs at a time, up to `end`, by blocks of four columns: at[block] go on with `in`.
template <int V, int Blocks>
CTNN_INLINE void sum_fours(float (&sum)[V], const float*& in, const float* end, const float* (&at)[Blocks]) {
  static_assert(V == 4 * Blocks && Blocks <= 2);
  while (in != end) {
    register float x0 asm("s0"), x1 asm("s1"), x2 asm("s2"), x3 asm("s3");
    asm volatile("vldmia %[x]!, {s0-s3}" : [x] "+r"(in), "=t"(x0), "=t"(x1), "=t"(x2), "=t"(x3) : CTNN_LOADED(in, 4));
    CTNN_ADD_BLOCK(sum, at[0]);
    if constexpr (Blocks == 2) CTNN_ADD_BLOCK(sum + 4, at[1]);
  }
}
#undef CTNN_ADD_BLOCK

/// Eight channels under a filter: sum[i] += in[i] weights[i] for each tap; from tap to tap inputs lie `step` apart,
/// weights `weight_step`.
CTNN_INLINE void sum_taps(float (&sum)[8], const float* in, std::ptrdiff_t step, const float* weights,
                          std::ptrdiff_t weight_step, int taps) {
  for (; taps > 0; --taps, in += step - 8, weights += weight_step - 8)
    asm volatile("vldmia %[x]!, {s0-s7}\n\t"
                 "vldmia %[w]!, {s8-s15}\n\t"
                 CTNN_ADD_2("s0", "%[a]", "s0", "s8", "s1", "%[b]", "s1", "s9")
                 CTNN_ADD_2("s2", "%[c]", "s2", "s10", "s3", "%[d]", "s3", "s11")
                 CTNN_ADD_2("s4", "%[e]", "s4", "s12", "s5", "%[f]", "s5", "s13")
                 CTNN_ADD_2("s6", "%[g]", "s6", "s14", "s7", "%[h]", "s7", "s15")
                 : [x] "+r"(in), [w] "+r"(weights), [a] "+t"(sum[0]), [b] "+t"(sum[1]), [c] "+t"(sum[2]),
                   [d] "+t"(sum[3]), [e] "+t"(sum[4]), [f] "+t"(sum[5]), [g] "+t"(sum[6]), [h] "+t"(sum[7])
                 : CTNN_LOADED(in, 8), CTNN_LOADED(weights, 8)
                 : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14",
                   "s15");
}

#undef CTNN_ADD_2
#undef CTNN_LOADED

}  // namespace detail
}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE

#endif
