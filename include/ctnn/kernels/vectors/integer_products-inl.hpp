// SPDX-License-Identifier: BSL-1.0
// Products of rows of 16-bit numbers: what quantised layers come down to. Sums are exact but for wrapping around, so
// they are the same on every target.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP)
#define CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#define CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED
#endif
#elif defined(CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#undef CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#else
#define CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#endif
#define CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED
#endif

#if defined(CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED)
#undef CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED

#include "../integer_products.hpp"
#include "../simd/simd-inl.hpp"

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

namespace detail {

using short_tag = HWY_CAPPED(std::int16_t, integer_block);
using sum_tag = hn::RepartitionToWide<short_tag>;

/// R rows of a with C rows of b, in registers.
template <int R, int C>
CTNN_NOINLINE void multiply_integer_tile(const std::int16_t* a, const std::int16_t* b, std::ptrdiff_t depth,
                                         std::int32_t* sums, std::ptrdiff_t pitch) {
  using sum_vec = hn::Vec<sum_tag>;
  constexpr std::ptrdiff_t step = static_cast<std::ptrdiff_t>(hn::MaxLanes(short_tag()));
  // Some targets add the products of even and odd places apart.
  sum_vec even[R][C], odd[R][C];
  CTNN_UNROLL for (int r = 0; r < R; ++r)
    CTNN_UNROLL for (int c = 0; c < C; ++c) even[r][c] = odd[r][c] = hn::Zero(sum_tag());
  for (std::ptrdiff_t k = 0; k < depth; k += step)
    CTNN_UNROLL for (int r = 0; r < R; ++r) {
      const auto x = hn::LoadU(short_tag(), a + r * depth + k);
      CTNN_UNROLL for (int c = 0; c < C; ++c) even[r][c] =
          hn::ReorderWidenMulAccumulate(sum_tag(), x, hn::LoadU(short_tag(), b + c * depth + k), even[r][c], odd[r][c]);
    }
  CTNN_UNROLL for (int r = 0; r < R; ++r)
    CTNN_UNROLL for (int c = 0; c < C; ++c)
      sums[r * pitch + c] = hn::GetLane(hn::SumOfLanes(sum_tag(), hn::Add(even[r][c], odd[r][c])));
}

template <int R>
CTNN_INLINE void multiply_integer_rows(const std::int16_t* a, const std::int16_t* b, int columns, std::ptrdiff_t depth,
                                       std::int32_t* sums) {
  int c = 0;
  for (; c + 4 <= columns; c += 4) multiply_integer_tile<R, 4>(a, b + c * depth, depth, sums + c, columns);
  for (; c < columns; ++c) multiply_integer_tile<R, 1>(a, b + c * depth, depth, sums + c, columns);
}

}  // namespace detail

/// An integer_product (integer_products.hpp).
inline void multiply_integers(const std::int16_t* a, int rows, const std::int16_t* b, int columns, std::ptrdiff_t depth,
                              std::int32_t* sums) {
  constexpr int tile = vector_registers == 32 ? 4 : 2;
  int r = 0;
  for (; r + tile <= rows; r += tile)
    detail::multiply_integer_rows<tile>(a + r * depth, b, columns, depth, sums + std::ptrdiff_t{r} * columns);
  for (; r < rows; ++r)
    detail::multiply_integer_rows<1>(a + r * depth, b, columns, depth, sums + std::ptrdiff_t{r} * columns);
}

#else

inline void multiply_integers(const std::int16_t* a, int rows, const std::int16_t* b, int columns, std::ptrdiff_t depth,
                              std::int32_t* sums) {
  multiply_integers_plainly(a, rows, b, columns, depth, sums);
}

#endif

CTNN_END_TARGET

#endif
