// SPDX-License-Identifier: BSL-1.0
// Products of one row with rows that lie in memory one behind the other, added up along them.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_SUMS_ALONG_INL_HPP)
#define CTNN_KERNELS_SUMS_ALONG_INL_HPP
#define CTNN_KERNELS_SUMS_ALONG_ENABLED
#endif
#elif defined(CTNN_KERNELS_SUMS_ALONG_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_SUMS_ALONG_INL_HPP
#undef CTNN_KERNELS_SUMS_ALONG_INL_HPP
#else
#define CTNN_KERNELS_SUMS_ALONG_INL_HPP
#endif
#define CTNN_KERNELS_SUMS_ALONG_ENABLED
#endif

#if defined(CTNN_KERNELS_SUMS_ALONG_ENABLED)
#undef CTNN_KERNELS_SUMS_ALONG_ENABLED

#include "transpose-inl.hpp"

CTNN_BEGIN_TARGET

/// out[r] = the sum of scale x[k] b[r pitch + k] over k < depth, for rows r < 4 Fours; `Some`: for r < rows alone. A
/// lane adds up every so many products, then lanes are added up.
template <int Fours, bool Some = false>
CTNN_INLINE void multiply_rows_along(float scale, const float* x, const float* b, std::ptrdiff_t pitch, float* out,
                                     int depth, int rows = 4 * Fours) {
  vec sums[Fours][4];
  CTNN_UNROLL for (int f = 0; f < Fours; ++f) CTNN_UNROLL for (int r = 0; r < 4; ++r) sums[f][r] = zero();
  const auto row = [&](int r) { return b + (Some && r >= rows ? rows - 1 : r) * pitch; };
  const vec factor = set(scale);
  int k = 0;
  for (; k + 2 * lanes <= depth; k += 2 * lanes) {  // a cache line of each row, or two
    const vec low = mul(factor, loadu(x + k)), high = mul(factor, loadu(x + k + lanes));
    CTNN_UNROLL for (int f = 0; f < Fours; ++f) CTNN_UNROLL for (int r = 0; r < 4; ++r) {
      const float* const y = row(4 * f + r) + k;
      sums[f][r] = mul_add(high, loadu(y + lanes), mul_add(low, loadu(y), sums[f][r]));
    }
  }
  for (; k < depth; k += lanes) {
    const int count = depth - k;
    const vec some = mul(factor, load_bounded(x + k, count));
    CTNN_UNROLL for (int f = 0; f < Fours; ++f) CTNN_UNROLL for (int r = 0; r < 4; ++r) {
      sums[f][r] = mul_add(some, load_bounded(row(4 * f + r) + k, count), sums[f][r]);
    }
  }
  CTNN_UNROLL for (int f = 0; f < Fours; ++f, out += 4) {
    if constexpr (Some) {
      float all[4];
      detail::store_four_sums(sums[f], all);
      for (int r = 0; r < rows; ++r) out[r] = all[r];
    } else detail::store_four_sums(sums[f], out);
  }
}

/// out[r] = scale times row r of b by x, for `rows` rows of `depth` numbers, `pitch` apart.
template <int = 0>
CTNN_NOINLINE inline void multiply_along(float scale, const float* x, const float* b, std::ptrdiff_t pitch, float* out,
                                         int depth, std::ptrdiff_t rows) {
  for (; rows >= 8; rows -= 8, b += 8 * pitch, out += 8) multiply_rows_along<2>(scale, x, b, pitch, out, depth);
  for (; rows >= 4; rows -= 4, b += 4 * pitch, out += 4) multiply_rows_along<1>(scale, x, b, pitch, out, depth);
  if (rows > 0) multiply_rows_along<1, true>(scale, x, b, pitch, out, depth, static_cast<int>(rows));
}

CTNN_END_TARGET

#endif
