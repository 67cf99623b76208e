// SPDX-License-Identifier: BSL-1.0
// What this core's multiply-add units reach on registers alone: the yardstick of every benchmark.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_FMA_PEAK_INL_HPP)
#define CTNN_KERNELS_FMA_PEAK_INL_HPP
#define CTNN_KERNELS_FMA_PEAK_ENABLED
#endif
#elif defined(CTNN_KERNELS_FMA_PEAK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_FMA_PEAK_INL_HPP
#undef CTNN_KERNELS_FMA_PEAK_INL_HPP
#else
#define CTNN_KERNELS_FMA_PEAK_INL_HPP
#endif
#define CTNN_KERNELS_FMA_PEAK_ENABLED
#endif

#if defined(CTNN_KERNELS_FMA_PEAK_ENABLED)
#undef CTNN_KERNELS_FMA_PEAK_ENABLED

#include <cstdint>

#include "simd-inl.hpp"

CTNN_BEGIN_TARGET

/// `steps` rounds of 12 independent multiply-adds on registers; returns the floating-point operations done. `sink` has
/// 14 numbers.
inline std::int64_t multiply_registers(int steps, float* sink) {
  vec x[12];
  CTNN_UNROLL for (int i = 0; i < 12; ++i) x[i] = set(sink[i]);
  const vec m = set(sink[12]), c = set(sink[13]);
  for (int s = 0; s < steps; ++s) {
    CTNN_UNROLL for (int i = 0; i < 12; ++i) x[i] = mul_add(x[i], m, c);
  }
  CTNN_UNROLL for (int i = 0; i < 12; ++i) sink[i] = sum(x[i]);
  return std::int64_t{2} * lanes * 12 * steps;
}

CTNN_END_TARGET

#endif
