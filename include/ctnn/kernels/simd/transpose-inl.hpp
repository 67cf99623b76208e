// SPDX-License-Identifier: BSL-1.0
// Transposing a matrix, the heart of changing between nchw and nhwc.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_TRANSPOSE_INL_HPP)
#define CTNN_KERNELS_TRANSPOSE_INL_HPP
#define CTNN_KERNELS_TRANSPOSE_ENABLED
#endif
#elif defined(CTNN_KERNELS_TRANSPOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_TRANSPOSE_INL_HPP
#undef CTNN_KERNELS_TRANSPOSE_INL_HPP
#else
#define CTNN_KERNELS_TRANSPOSE_INL_HPP
#endif
#define CTNN_KERNELS_TRANSPOSE_ENABLED
#endif

#if defined(CTNN_KERNELS_TRANSPOSE_ENABLED)
#undef CTNN_KERNELS_TRANSPOSE_ENABLED

#include "simd-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

#if !CTNN_SCALAR_VEC
using tag4 = HWY_CAPPED(float, 4);

/// y[r dy + c] = x[c dx + r] for r, c < 4.
CTNN_INLINE void transpose_4x4(float* y, std::ptrdiff_t dy, const float* x, std::ptrdiff_t dx) {
  const tag4 d;
  const auto x0 = hn::LoadU(d, x), x1 = hn::LoadU(d, x + dx), x2 = hn::LoadU(d, x + 2 * dx),
             x3 = hn::LoadU(d, x + 3 * dx);
  const auto a = hn::InterleaveLower(d, x0, x1), b = hn::InterleaveLower(d, x2, x3);
  const auto e = hn::InterleaveUpper(d, x0, x1), f = hn::InterleaveUpper(d, x2, x3);
  hn::StoreU(hn::ConcatLowerLower(d, b, a), d, y);
  hn::StoreU(hn::ConcatUpperUpper(d, b, a), d, y + dy);
  hn::StoreU(hn::ConcatLowerLower(d, f, e), d, y + 2 * dy);
  hn::StoreU(hn::ConcatUpperUpper(d, f, e), d, y + 3 * dy);
}
#endif

/// y[r dy + c] = x[c dx + r] for r < rows, c < columns. Tiles of 16 x 16 keep the lines of both sides in the cache.
CTNN_NOINLINE inline void transpose(std::ptrdiff_t rows, std::ptrdiff_t columns, float* y, std::ptrdiff_t dy,
                                    const float* x, std::ptrdiff_t dx) {
  constexpr std::ptrdiff_t tile = 16;
  for (std::ptrdiff_t r0 = 0; r0 < rows; r0 += tile) {
    const std::ptrdiff_t r1 = rows - r0 < tile ? rows : r0 + tile;
    for (std::ptrdiff_t c0 = 0; c0 < columns; c0 += tile) {
      const std::ptrdiff_t c1 = columns - c0 < tile ? columns : c0 + tile;
      std::ptrdiff_t r = r0;
#if !CTNN_SCALAR_VEC
      for (; r + 4 <= r1; r += 4) {
        std::ptrdiff_t c = c0;
        for (; c + 4 <= c1; c += 4) transpose_4x4(y + r * dy + c, dy, x + c * dx + r, dx);
        for (; c < c1; ++c)
          for (std::ptrdiff_t i = r; i < r + 4; ++i) y[i * dy + c] = x[c * dx + i];
      }
#endif
      for (; r < r1; ++r)
        for (std::ptrdiff_t c = c0; c < c1; ++c) y[r * dy + c] = x[c * dx + r];
    }
  }
}

}  // namespace detail

CTNN_END_TARGET

#endif
