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

/// 1: vectors have eight lanes at least.
#undef CTNN_TRANSPOSES_EIGHTS
#if CTNN_SCALAR_VEC
#define CTNN_TRANSPOSES_EIGHTS 0
#else
#define CTNN_TRANSPOSES_EIGHTS (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2)
#endif

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

#if !CTNN_SCALAR_VEC
/// Every other number of x to y, those between to z.
CTNN_INLINE void split_pairs(std::ptrdiff_t n, float* y, float* z, const float* x) {
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const vec a = loadu(x + 2 * i), b = loadu(x + 2 * i + lanes);
    storeu(even_lanes(a, b), y + i);
    storeu(odd_lanes(a, b), z + i);
  }
  for (; i < n; ++i) {
    y[i] = x[2 * i];
    z[i] = x[2 * i + 1];
  }
}
#endif

#if !CTNN_SCALAR_VEC
/// Number i of block k of y[j] = number j of block k of xi, for i, j < 4.
CTNN_INLINE void transpose_blocks(vec x0, vec x1, vec x2, vec x3, vec (&y)[4]) {
  const tag d;
#if HWY_HAVE_FLOAT64
  const hn::Repartition<double, tag> two;
#else
  const hn::Repartition<std::uint64_t, tag> two;  // 32-bit ARM
#endif
  const auto a = hn::BitCast(two, hn::InterleaveLower(d, x0, x1)), b = hn::BitCast(two, hn::InterleaveLower(d, x2, x3));
  const auto e = hn::BitCast(two, hn::InterleaveUpper(d, x0, x1)), f = hn::BitCast(two, hn::InterleaveUpper(d, x2, x3));
  y[0] = hn::BitCast(d, hn::InterleaveLower(two, a, b));
  y[1] = hn::BitCast(d, hn::InterleaveUpper(two, a, b));
  y[2] = hn::BitCast(d, hn::InterleaveLower(two, e, f));
  y[3] = hn::BitCast(d, hn::InterleaveUpper(two, e, f));
}
/// The sum of a vector's blocks of four numbers.
template <class D>
CTNN_INLINE hn::Vec<tag4> sum_of_blocks(D, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(D()) <= 4) return x;
  else {
    const hn::Half<D> half;
    return sum_of_blocks(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  }
}
#endif
/// y[i] = the sum of x[i]'s lanes.
CTNN_INLINE void store_four_sums(const vec (&x)[4], float* y) {
#if CTNN_SCALAR_VEC
  CTNN_UNROLL for (int i = 0; i < 4; ++i) y[i] = sum(x[i]);
#else
  vec turned[4];
  transpose_blocks(x[0], x[1], x[2], x[3], turned);
  hn::StoreU(sum_of_blocks(tag(), add(add(turned[0], turned[1]), add(turned[2], turned[3]))), tag4(), y);
#endif
}

#if CTNN_TRANSPOSES_EIGHTS
/// transpose_4x4() for r, c < 8: pairs of neighbours, fours, then halves.
CTNN_INLINE void transpose_8x8(float* y, std::ptrdiff_t dy, const float* x, std::ptrdiff_t dx) {
  const HWY_CAPPED(float, 8) d;
  const hn::Repartition<double, HWY_CAPPED(float, 8)> two;
  using eight = hn::Vec<HWY_CAPPED(float, 8)>;
  eight pairs[8], fours[8];
  CTNN_UNROLL for (int i = 0; i < 8; i += 2) {
    const eight a = hn::LoadU(d, x + i * dx), b = hn::LoadU(d, x + (i + 1) * dx);
    pairs[i] = hn::InterleaveLower(d, a, b);
    pairs[i + 1] = hn::InterleaveUpper(d, a, b);
  }
  CTNN_UNROLL for (int i = 0; i < 8; i += 4) CTNN_UNROLL for (int k = 0; k < 2; ++k) {
    const auto a = hn::BitCast(two, pairs[i + k]), b = hn::BitCast(two, pairs[i + k + 2]);
    fours[i + 2 * k] = hn::BitCast(d, hn::InterleaveLower(two, a, b));
    fours[i + 2 * k + 1] = hn::BitCast(d, hn::InterleaveUpper(two, a, b));
  }
  CTNN_UNROLL for (int i = 0; i < 4; ++i) {
    hn::StoreU(hn::ConcatLowerLower(d, fours[i + 4], fours[i]), d, y + i * dy);
    hn::StoreU(hn::ConcatUpperUpper(d, fours[i + 4], fours[i]), d, y + (i + 4) * dy);
  }
}
#endif

/// How much of one side is in the cache at a time: less where its lines would take each other's places there.
constexpr std::ptrdiff_t transpose_tile(std::ptrdiff_t stride) { return stride % 256 == 0 ? 16 : 64; }

/// y[r dy + c] = x[c dx + r] for r < rows, c < columns.
CTNN_NOINLINE inline void transpose(std::ptrdiff_t rows, std::ptrdiff_t columns, float* y, std::ptrdiff_t dy,
                                    const float* x, std::ptrdiff_t dx) {
#if !CTNN_SCALAR_VEC
  if (rows == 2 && dx == 2) return split_pairs(columns, y, y + dy, x);
#endif
  const std::ptrdiff_t tall = transpose_tile(dy), wide = transpose_tile(dx);
  for (std::ptrdiff_t r0 = 0; r0 < rows; r0 += tall) {
    const std::ptrdiff_t r1 = rows - r0 < tall ? rows : r0 + tall;
    for (std::ptrdiff_t c0 = 0; c0 < columns; c0 += wide) {
      const std::ptrdiff_t c1 = columns - c0 < wide ? columns : c0 + wide;
      std::ptrdiff_t r = r0;
#if CTNN_TRANSPOSES_EIGHTS
      for (; r + 8 <= r1; r += 8) {
        std::ptrdiff_t c = c0;
        for (; c + 8 <= c1; c += 8) transpose_8x8(y + r * dy + c, dy, x + c * dx + r, dx);
        for (; c + 4 <= c1; c += 4)
          for (std::ptrdiff_t i = r; i < r + 8; i += 4) transpose_4x4(y + i * dy + c, dy, x + c * dx + i, dx);
        for (; c < c1; ++c)
          for (std::ptrdiff_t i = r; i < r + 8; ++i) y[i * dy + c] = x[c * dx + i];
      }
#endif
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
