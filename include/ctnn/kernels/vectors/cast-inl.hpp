// SPDX-License-Identifier: BSL-1.0
// Conversions between f32, f16 and bf16, rounding to nearest, ties to even: base/half.hpp on vectors; and of f32 to
// integers and booleans: base/saturated.hpp on vectors. Other types have a plain kernel (typed/pointwise.hpp).

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
#include "../../base/saturated.hpp"
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
  using type = std::uint16_t;
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
  using type = std::uint16_t;
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

/// What a float is as an integer, i8 being as u8: one() by itself, to() of a vector.
template <class T>
struct integers {
  using type = T;
  static constexpr bool has_vectors = !CTNN_SCALAR_VEC;
  static CTNN_INLINE T one(float x) { return converted<T>(x); }
#if !CTNN_SCALAR_VEC
  static CTNN_INLINE void to(vec x, T* y) {
    if constexpr (sizeof(T) == 8) {
      if (!hn::AllTrue(tag(), less(abs(x), set(2147483648.0f)))) {
        alignas(64) float part[lanes];
        store(x, part);
        for (int i = 0; i < lanes; ++i) y[i] = one(part[i]);
        return;
      }
      const hn::RepartitionToWide<int_tag> wide;
      const hn::Half<int_tag> half;
      const auto whole = hn::ConvertTo(int_tag(), x);
      hn::StoreU(hn::PromoteTo(wide, hn::LowerHalf(half, whole)), wide, y);
      hn::StoreU(hn::PromoteTo(wide, hn::UpperHalf(half, whole)), wide, y + lanes / 2);
    } else {
      const auto whole = hn::ConvertTo(int_tag(), hn::IfThenElseZero(equal(x, x), x));  // saturates
      if constexpr (sizeof(T) == 4) {
        hn::StoreU(whole, int_tag(), y);
      } else {
        const hn::Rebind<std::uint8_t, tag> bytes;
        hn::StoreU(hn::DemoteTo(bytes, hn::And(whole, hn::Set(int_tag(), 255))), bytes, y);
      }
    }
  }
#endif
};
struct booleans {
  using type = std::uint8_t;
  static constexpr bool has_vectors = !CTNN_SCALAR_VEC;
  static CTNN_INLINE std::uint8_t one(float x) { return x != 0 ? 1 : 0; }
#if !CTNN_SCALAR_VEC
  static CTNN_INLINE void to(vec x, std::uint8_t* y) {
    const auto ones =
        hn::BitCast(int_tag(), hn::IfThenZeroElse(equal(x, zero()), hn::BitCast(tag(), hn::Set(int_tag(), 1))));
    const hn::Rebind<std::uint8_t, tag> bytes;
    hn::StoreU(hn::DemoteTo(bytes, ones), bytes, y);
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
CTNN_NOINLINE void convert_row(std::ptrdiff_t n, const float* x, typename Numbers::type* y) {
  std::ptrdiff_t i = 0;
#if !CTNN_SCALAR_VEC
  if constexpr (Numbers::has_vectors)
    for (; i + lanes <= n; i += lanes) Numbers::to(loadu(x + i), y + i);
#endif
  for (; i < n; ++i) y[i] = Numbers::one(x[i]);
}

}  // namespace detail

/// From f16 or bf16 to f32, or from f32 to those, i8, u8, i32, i64, boolean or f32.
template <int = 0>
CTNN_INLINE void run(const op::cast&, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const index_range part = share_of(a.share, static_cast<std::ptrdiff_t>(x.shape.count()), row_granule);
  const std::ptrdiff_t n = part.size(), at = part.begin;
  using namespace detail;
  if (x.type == dtype::f16) return widen_row<f16_numbers>(n, elements<std::uint16_t>(x) + at, y.data + at);
  if (x.type == dtype::bf16) return widen_row<bf16_numbers>(n, elements<std::uint16_t>(x) + at, y.data + at);
  switch (y.type) {
    case dtype::f16: return convert_row<f16_numbers>(n, x.data + at, elements<std::uint16_t>(y) + at);
    case dtype::bf16: return convert_row<bf16_numbers>(n, x.data + at, elements<std::uint16_t>(y) + at);
    case dtype::i64: return convert_row<integers<std::int64_t>>(n, x.data + at, elements<std::int64_t>(y) + at);
    case dtype::i32: return convert_row<integers<std::int32_t>>(n, x.data + at, elements<std::int32_t>(y) + at);
    case dtype::i8:
    case dtype::u8: return convert_row<integers<std::uint8_t>>(n, x.data + at, elements<std::uint8_t>(y) + at);
    case dtype::boolean: return convert_row<booleans>(n, x.data + at, elements<std::uint8_t>(y) + at);
    default: break;
  }
  for (std::ptrdiff_t i = at; i < part.end; ++i) y.data[i] = x.data[i];
}

CTNN_END_TARGET

#endif
