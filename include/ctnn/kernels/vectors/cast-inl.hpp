// SPDX-License-Identifier: BSL-1.0
// Conversions between f32, f16 and bf16, rounding to nearest, ties to even: base/half.hpp on vectors. Other types have
// a plain kernel (typed/pointwise.hpp).

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_CAST_INL_HPP)
#define CTNN_KERNELS_CAST_INL_HPP
#define CTNN_KERNELS_CAST_ENABLED
#endif
#elif defined(CTNN_KERNELS_CAST_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CAST_INL_HPP
#undef CTNN_KERNELS_CAST_INL_HPP
#else
#define CTNN_KERNELS_CAST_INL_HPP
#endif
#define CTNN_KERNELS_CAST_ENABLED
#endif

#if defined(CTNN_KERNELS_CAST_ENABLED)
#undef CTNN_KERNELS_CAST_ENABLED

#include "../../base/half.hpp"
#include "../../graph/operators/pointwise.hpp"
#include "../simd/rows-inl.hpp"

/// 1: the target converts f16 in registers. For others Highway 1.0.3 cuts off what should round.
#undef CTNN_VECTORS_OF_HALVES
#if CTNN_SCALAR_VEC
#define CTNN_VECTORS_OF_HALVES 0
#elif HWY_TARGET == HWY_AVX3 || (HWY_TARGET == HWY_AVX2 && !defined(HWY_DISABLE_F16C))
#define CTNN_VECTORS_OF_HALVES 1
#else
#define CTNN_VECTORS_OF_HALVES 0
#endif

CTNN_BEGIN_TARGET

namespace detail {

/// What a number of two bytes is: one() each by itself, of() and to() on vectors where has_vectors.
struct f16_numbers {
  static constexpr bool has_vectors = CTNN_VECTORS_OF_HALVES;
  static CTNN_INLINE float one(std::uint16_t x) { return half_to_float(x); }
  static CTNN_INLINE std::uint16_t one(float x) { return float_to_half(x); }
#if CTNN_VECTORS_OF_HALVES
  using narrow_tag = hn::Rebind<hwy::float16_t, tag>;
  static CTNN_INLINE vec of(const std::uint16_t* x) {
    const hn::RebindToUnsigned<narrow_tag> bits;
    return hn::PromoteTo(tag(), hn::BitCast(narrow_tag(), hn::LoadU(bits, x)));
  }
  static CTNN_INLINE void to(vec x, std::uint16_t* y) {
    const hn::RebindToUnsigned<narrow_tag> bits;
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(narrow_tag(), x)), bits, y);
  }
#endif
};
struct bf16_numbers {
  static constexpr bool has_vectors = !CTNN_SCALAR_VEC;
  static CTNN_INLINE float one(std::uint16_t x) { return bfloat_to_float(x); }
  static CTNN_INLINE std::uint16_t one(float x) { return float_to_bfloat(x); }
#if !CTNN_SCALAR_VEC
  using wide_tag = hn::RebindToUnsigned<tag>;
  using narrow_tag = hn::Rebind<std::uint16_t, tag>;
  static CTNN_INLINE vec of(const std::uint16_t* x) {
    return hn::BitCast(tag(), hn::ShiftLeft<16>(hn::PromoteTo(wide_tag(), hn::LoadU(narrow_tag(), x))));
  }
  static CTNN_INLINE void to(vec x, std::uint16_t* y) {
    const wide_tag d;
    const auto bits = hn::BitCast(d, x), upper = hn::ShiftRight<16>(bits);
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(hn::Set(d, 0x7fff), hn::And(upper, hn::Set(d, 1)))));
    const auto nan = hn::RebindMask(d, hn::IsNaN(x));
    const auto kept = hn::IfThenElse(nan, hn::Or(upper, hn::Set(d, 0x40)), rounded);
    hn::StoreU(hn::DemoteTo(narrow_tag(), hn::BitCast(int_tag(), kept)), narrow_tag(), y);
  }
#endif
};

template <class Numbers>
CTNN_NOINLINE void widen_row(std::ptrdiff_t n, const std::uint16_t* x, float* y) {
  std::ptrdiff_t i = 0;
#if !CTNN_SCALAR_VEC
  if constexpr (Numbers::has_vectors)
    for (; i + lanes <= n; i += lanes) storeu(Numbers::of(x + i), y + i);
#endif
  for (; i < n; ++i) y[i] = Numbers::one(x[i]);
}
template <class Numbers>
CTNN_NOINLINE void narrow_row(std::ptrdiff_t n, const float* x, std::uint16_t* y) {
  std::ptrdiff_t i = 0;
#if !CTNN_SCALAR_VEC
  if constexpr (Numbers::has_vectors)
    for (; i + lanes <= n; i += lanes) Numbers::to(loadu(x + i), y + i);
#endif
  for (; i < n; ++i) y[i] = Numbers::one(x[i]);
}

}  // namespace detail

/// One of both types is f32, the other f16, bf16 or f32.
template <int = 0>
CTNN_INLINE void run(const op::cast&, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const index_range part = share_of(a.share, static_cast<std::ptrdiff_t>(x.shape.count()), row_granule);
  const std::ptrdiff_t n = part.size(), at = part.begin;
  using namespace detail;
  if (x.type == dtype::f16) widen_row<f16_numbers>(n, elements<std::uint16_t>(x) + at, y.data + at);
  else if (x.type == dtype::bf16) widen_row<bf16_numbers>(n, elements<std::uint16_t>(x) + at, y.data + at);
  else if (y.type == dtype::f16) narrow_row<f16_numbers>(n, x.data + at, elements<std::uint16_t>(y) + at);
  else if (y.type == dtype::bf16) narrow_row<bf16_numbers>(n, x.data + at, elements<std::uint16_t>(y) + at);
  else
    for (std::ptrdiff_t i = at; i < part.end; ++i) y.data[i] = x.data[i];
}

CTNN_END_TARGET

#endif
