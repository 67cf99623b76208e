// SPDX-License-Identifier: BSL-1.0
// The vector vocabulary of the kernels: floats in the target's registers, or one plain float where there are none.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_SIMD_INL_HPP)
#define CTNN_KERNELS_SIMD_INL_HPP
#define CTNN_KERNELS_SIMD_ENABLED
#endif
#elif defined(CTNN_KERNELS_SIMD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_SIMD_INL_HPP
#undef CTNN_KERNELS_SIMD_INL_HPP
#else
#define CTNN_KERNELS_SIMD_INL_HPP
#endif
#define CTNN_KERNELS_SIMD_ENABLED
#endif

#if defined(CTNN_KERNELS_SIMD_ENABLED)
#undef CTNN_KERNELS_SIMD_ENABLED

#include <cstddef>
#include <cstdint>
#include <limits>

#include "../../base/math.hpp"
#include "../../graph/activation.hpp"
#include "../targets.hpp"

#if !defined(CTNN_PLAIN)
#include <hwy/highway.h>

#include <cmath>
#endif

/// 1: a vec is a plain float.
#undef CTNN_SCALAR_VEC
#if defined(CTNN_PLAIN)
#define CTNN_SCALAR_VEC 1
#elif HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define CTNN_SCALAR_VEC 1
#else
#define CTNN_SCALAR_VEC 0
#endif

CTNN_BEGIN_TARGET

#if CTNN_SCALAR_VEC

using vec = float;
using mask = bool;
constexpr int lanes = 1;
constexpr int vector_registers = 32;  ///< of the scalar FPU that matters, Cortex-M4F's

CTNN_INLINE vec load(const float* p) { return *p; }
CTNN_INLINE vec loadu(const float* p) { return *p; }
CTNN_INLINE void store(vec x, float* p) { *p = x; }
CTNN_INLINE void storeu(vec x, float* p) { *p = x; }
CTNN_INLINE vec load_part(const float* p, int n) { return n > 0 ? *p : 0.0f; }
CTNN_INLINE vec load_part_or(const float* p, int n, vec otherwise) { return n > 0 ? *p : otherwise; }
CTNN_INLINE void store_part(vec x, float* p, int n) {
  if (n > 0) *p = x;
}
CTNN_INLINE vec set(float x) { return x; }
CTNN_INLINE vec zero() { return 0.0f; }
CTNN_INLINE vec add(vec a, vec b) { return a + b; }
CTNN_INLINE vec sub(vec a, vec b) { return a - b; }
CTNN_INLINE vec mul(vec a, vec b) { return a * b; }
CTNN_INLINE vec div(vec a, vec b) { return a / b; }
CTNN_INLINE vec mul_add(vec a, vec b, vec c) { return a * b + c; }
CTNN_INLINE vec neg(vec a) { return -a; }
CTNN_INLINE vec abs(vec a) { return math::abs(a); }
CTNN_INLINE vec sqrt(vec a) { return math::sqrt(a); }
/// NaN wins, as in base/math.hpp: numbers that do not compare have a sum that is NaN. One comparison serves both
/// questions.
CTNN_INLINE vec max(vec a, vec b) { return a >= b ? a : a < b ? b : a + b; }
CTNN_INLINE vec min(vec a, vec b) { return a <= b ? a : a > b ? b : a + b; }
CTNN_INLINE vec clamp(vec x, vec low, vec high) { return math::clamp(x, low, high); }
CTNN_INLINE mask less(vec a, vec b) { return a < b; }
CTNN_INLINE mask less_equal(vec a, vec b) { return a <= b; }
CTNN_INLINE mask equal(vec a, vec b) { return a == b; }
CTNN_INLINE vec select(mask m, vec yes, vec no) { return m ? yes : no; }
CTNN_INLINE vec larger(vec a, vec b) { return a < b ? b : a; }
CTNN_INLINE float sum(vec a) { return a; }
CTNN_INLINE vec sum_of_lanes(vec a) { return a; }
CTNN_INLINE vec largest_lane(vec a) { return a; }
CTNN_INLINE float first_lane(vec a) { return a; }
CTNN_INLINE vec even_lanes(vec low, vec) { return low; }
CTNN_INLINE vec odd_lanes(vec, vec high) { return high; }
CTNN_INLINE float root_of(float x) { return math::sqrt(x); }
CTNN_INLINE float max_of(vec a) { return a; }
CTNN_INLINE float min_of(vec a) { return a; }
/// max(x, 0), where NaN stays.
CTNN_INLINE vec relu(vec x) { return x < 0 ? 0 : x; }
CTNN_INLINE vec exp(vec x) { return math::exp(x); }
CTNN_INLINE vec exp_up_to_zero(vec x) { return math::exp(x); }
CTNN_INLINE vec exp_or_zero(vec x) { return math::exp(x); }
CTNN_INLINE vec expm1(vec x) { return math::expm1(x); }
CTNN_INLINE vec floor(vec x) { return math::floor(x); }
CTNN_INLINE vec ceil(vec x) { return math::ceil(x); }
CTNN_INLINE vec round(vec x) { return math::round(x); }
CTNN_INLINE vec trunc(vec x) { return math::trunc(x); }
CTNN_INLINE vec upper_bits(vec x) { return math::upper_bits(x); }
/// f of each lane.
template <class Function>
CTNN_INLINE vec each_lane(const Function& f, vec x) {
  return f(x);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using tag = HWY_CAPPED(float, 16);
using int_tag = hn::RebindToSigned<tag>;
using vec = hn::Vec<tag>;
using mask = hn::Mask<tag>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(tag()));
constexpr int vector_registers = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 16 : 32;

/// load and store want an address aligned to the vector; the others do not.
CTNN_INLINE vec load(const float* p) { return hn::Load(tag(), p); }
CTNN_INLINE vec loadu(const float* p) { return hn::LoadU(tag(), p); }
CTNN_INLINE void store(vec x, float* p) { hn::Store(x, tag(), p); }
CTNN_INLINE void storeu(vec x, float* p) { hn::StoreU(x, tag(), p); }
/// The first n lanes, n in [0, lanes]; the others are 0 and their memory is not touched.
CTNN_INLINE vec load_part(const float* p, int n) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(tag(), static_cast<std::size_t>(n)), tag(), p);
#else
  alignas(64) float part[lanes] = {};
  for (int i = 0; i < n; ++i) part[i] = p[i];
  return load(part);
#endif
}
/// The same with other numbers than 0 in the other lanes.
CTNN_INLINE vec load_part_or(const float* p, int n, vec otherwise) {
  return hn::IfThenElse(hn::FirstN(tag(), static_cast<std::size_t>(n)), load_part(p, n), otherwise);
}
CTNN_INLINE void store_part(vec x, float* p, int n) {
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(x, hn::FirstN(tag(), static_cast<std::size_t>(n)), tag(), p);
#elif HWY_TARGET == HWY_AVX2  // by halves: AMD's processors take twelve cycles for a store through a mask
  if (n >= lanes) return storeu(x, p);
  const hn::Half<tag> four;
  const hn::Half<decltype(four)> two;
  auto left = hn::LowerHalf(four, x);
  if ((n & 4) != 0) {
    hn::StoreU(left, four, p);
    left = hn::UpperHalf(four, x);
    p += 4;
  }
  auto pair = hn::LowerHalf(two, left);
  if ((n & 2) != 0) {
    hn::StoreU(pair, two, p);
    pair = hn::UpperHalf(two, left);
    p += 2;
  }
  if ((n & 1) != 0) *p = hn::GetLane(pair);
#else
  alignas(64) float part[lanes];
  store(x, part);
  for (int i = 0; i < n; ++i) p[i] = part[i];
#endif
}
CTNN_INLINE vec set(float x) { return hn::Set(tag(), x); }
CTNN_INLINE vec zero() { return hn::Zero(tag()); }
CTNN_INLINE vec add(vec a, vec b) { return hn::Add(a, b); }
CTNN_INLINE vec sub(vec a, vec b) { return hn::Sub(a, b); }
CTNN_INLINE vec mul(vec a, vec b) { return hn::Mul(a, b); }
#if HWY_ARCH_ARM_V7
// 32-bit ARM's vectors have approximations, which are a bit off and end at 2^126; number by number it is exact.
template <class D>
CTNN_INLINE hn::Vec<D> quotient(D d, hn::Vec<D> a, hn::Vec<D> b) {
  alignas(16) float x[lanes], y[lanes];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  CTNN_UNROLL for (std::size_t i = 0; i < hn::Lanes(d); ++i) x[i] /= y[i];
  return hn::Load(d, x);
}
template <class D>
CTNN_INLINE hn::Vec<D> root(D d, hn::Vec<D> a) {
  alignas(16) float x[lanes];
  hn::Store(a, d, x);
  CTNN_UNROLL for (std::size_t i = 0; i < hn::Lanes(d); ++i) x[i] = std::sqrt(x[i]);
  return hn::Load(d, x);
}
#else
template <class D>
CTNN_INLINE hn::Vec<D> quotient(D, hn::Vec<D> a, hn::Vec<D> b) {
  return hn::Div(a, b);
}
template <class D>
CTNN_INLINE hn::Vec<D> root(D, hn::Vec<D> a) {
  return hn::Sqrt(a);
}
#endif
CTNN_INLINE vec div(vec a, vec b) { return quotient(tag(), a, b); }
/// a b + c
CTNN_INLINE vec mul_add(vec a, vec b, vec c) { return hn::MulAdd(a, b, c); }
CTNN_INLINE vec neg(vec a) { return hn::Neg(a); }
CTNN_INLINE vec abs(vec a) { return hn::Abs(a); }
CTNN_INLINE vec sqrt(vec a) { return root(tag(), a); }
// NaN wins, as in numpy, and stays in clamp(): if either is NaN, Highway gives the second operand on x86 and
// WebAssembly, and the number on 64-bit ARM, whose plain instructions do what is wanted.
#if HWY_ARCH_ARM
CTNN_INLINE vec max(vec a, vec b) { return vec(vmaxq_f32(a.raw, b.raw)); }
CTNN_INLINE vec min(vec a, vec b) { return vec(vminq_f32(a.raw, b.raw)); }
CTNN_INLINE vec clamp_below(vec x, vec low) { return max(low, x); }
CTNN_INLINE vec clamp_above(vec x, vec high) { return min(high, x); }
CTNN_INLINE vec clamp(vec x, vec low, vec high) { return min(high, max(low, x)); }
#else
CTNN_INLINE vec max(vec a, vec b) { return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b)); }
CTNN_INLINE vec min(vec a, vec b) { return hn::IfThenElse(hn::IsNaN(a), a, hn::Min(a, b)); }
CTNN_INLINE vec clamp_below(vec x, vec low) { return hn::Max(low, x); }
CTNN_INLINE vec clamp_above(vec x, vec high) { return hn::Min(high, x); }
CTNN_INLINE vec clamp(vec x, vec low, vec high) { return hn::Min(high, hn::Max(low, x)); }
#endif
/// Either, where one of them is NaN.
CTNN_INLINE vec larger(vec a, vec b) { return hn::Max(a, b); }
CTNN_INLINE mask less(vec a, vec b) { return hn::Lt(a, b); }
CTNN_INLINE mask less_equal(vec a, vec b) { return hn::Le(a, b); }
CTNN_INLINE mask equal(vec a, vec b) { return hn::Eq(a, b); }
CTNN_INLINE vec select(mask m, vec yes, vec no) { return hn::IfThenElse(m, yes, no); }
CTNN_INLINE float sum(vec a) { return hn::GetLane(hn::SumOfLanes(tag(), a)); }
/// The same in every lane; and larger() of all lanes.
CTNN_INLINE vec sum_of_lanes(vec a) { return hn::SumOfLanes(tag(), a); }
CTNN_INLINE vec largest_lane(vec a) { return hn::MaxOfLanes(tag(), a); }
CTNN_INLINE float first_lane(vec a) { return hn::GetLane(a); }
/// Every other lane of two vectors.
CTNN_INLINE vec even_lanes(vec low, vec high) { return hn::ConcatEven(tag(), high, low); }
CTNN_INLINE vec odd_lanes(vec low, vec high) { return hn::ConcatOdd(tag(), high, low); }
/// The root of one number, as vectors have it.
CTNN_INLINE float root_of(float x) {
  const HWY_CAPPED(float, 1) d;
  return hn::GetLane(root(d, hn::Set(d, x)));
}
CTNN_INLINE float max_of(vec a) {
  if (!hn::AllFalse(tag(), hn::IsNaN(a))) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(hn::MaxOfLanes(tag(), a));
}
CTNN_INLINE float min_of(vec a) {
  if (!hn::AllFalse(tag(), hn::IsNaN(a))) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(hn::MinOfLanes(tag(), a));
}
CTNN_INLINE vec relu(vec x) { return clamp_below(x, hn::Zero(tag())); }

#if HWY_ARCH_ARM_V7  // by integers, which have one zero
CTNN_INLINE vec floor(vec x) { return hn::CopySign(hn::Floor(x), x); }
CTNN_INLINE vec ceil(vec x) { return hn::CopySign(hn::Ceil(x), x); }
CTNN_INLINE vec round(vec x) { return hn::CopySign(hn::Round(x), x); }
CTNN_INLINE vec trunc(vec x) { return hn::CopySign(hn::Trunc(x), x); }
#else
CTNN_INLINE vec floor(vec x) { return hn::Floor(x); }
CTNN_INLINE vec ceil(vec x) { return hn::Ceil(x); }
CTNN_INLINE vec round(vec x) { return hn::Round(x); }
CTNN_INLINE vec trunc(vec x) { return hn::Trunc(x); }
#endif
CTNN_INLINE vec upper_bits(vec x) { return hn::And(x, hn::BitCast(tag(), hn::Set(int_tag(), -4096))); }
template <class Function>
CTNN_INLINE vec each_lane(const Function& f, vec x) {
  alignas(64) float part[lanes];
  store(x, part);
  for (float& v : part) v = f(v);
  return load(part);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2, such that e^r is within 3.3e-9: fitted to the least largest relative error.
CTNN_INLINE vec exp_series(vec r) {
  vec p = set(1.38131448e-3f);
  p = mul_add(p, r, set(8.36941885e-3f));
  p = mul_add(p, r, set(4.16684568e-2f));
  p = mul_add(p, r, set(1.66665148e-1f));
  return mul_add(p, r, set(4.99999931e-1f));
}
/// e^r - 1 - r
CTNN_INLINE vec exp_tail(vec r) { return mul(mul(exp_series(r), r), r); }

/// x = k ln 2 + rest for |x| up to 104: adding 1.5 2^23 rounds to whole numbers, which then are the lowest bits.
struct powers_of_two {
  hn::Vec<int_tag> bits;  ///< of which the lowest are k
  vec whole, rest;        ///< k as a float

  CTNN_INLINE explicit powers_of_two(vec x) {
    const vec round = set(12582912.0f), t = mul_add(x, set(1.44269504088896341f), round);
    bits = hn::BitCast(int_tag(), t);
    whole = sub(t, round);
    rest = mul_add(whole, set(2.12194440e-4f), mul_add(whole, set(-0.693359375f), x));
  }
  CTNN_INLINE vec power_of_rest() const {
    const vec one = set(1.0f);
    return mul_add(mul_add(exp_series(rest), rest, one), rest, one);
  }
  /// 2^k, if it is a normal float; 0 for -127, infinity for 128.
  static CTNN_INLINE vec power(hn::Vec<int_tag> k) {
    return hn::BitCast(tag(), hn::Add(hn::ShiftLeft<23>(k), hn::Set(int_tag(), 0x3f800000)));
  }
  CTNN_INLINE vec product() const { return mul(power_of_rest(), power(bits)); }
};

/// e^x for -88.3 < x < 89 (or NaN) within 2 ulp: 0 where it is hardly a normal float (below -87.7), infinity from 88.4
/// on. What is too small for a float is not computed: processors take ten times as long for products that vanish.
CTNN_INLINE vec exp_of_bounded(vec x) { return powers_of_two(x).product(); }
/// The same for any x, for sums in which one term is 1.
CTNN_INLINE vec exp_or_zero(vec x) { return exp_of_bounded(clamp(x, set(-88.0f), set(89.0f))); }
/// The same for x <= 0 (or NaN).
CTNN_INLINE vec exp_up_to_zero(vec x) { return exp_of_bounded(clamp_below(x, set(-88.0f))); }

/// e^x within 2 ulp; 0 and infinity beyond a float's range, NaN stays.
CTNN_INLINE vec exp(vec x) {
  const powers_of_two p(clamp(x, set(-104.0f), set(89.0f)));
#if HWY_TARGET == HWY_AVX3
  return vec{_mm512_scalef_ps(p.power_of_rest().raw, p.whole.raw)};
#else  // two factors, as 2^k may be no normal float
  const auto k = hn::Sub(p.bits, hn::Set(int_tag(), 0x4b400000)), half = hn::ShiftRight<1>(k);
  return mul(mul(p.power_of_rest(), p.power(half)), p.power(hn::Sub(k, half)));
#endif
}

/// e^x - 1 without cancellation near 0, which keeps its sign: 2^k (e^rest - 1) + 2^k - 1, half of it, which is finite.
CTNN_INLINE vec expm1(vec x) {
  const powers_of_two p(clamp(x, set(-80.0f), set(89.0f)));
  const vec half = p.power(hn::Sub(p.bits, hn::Set(int_tag(), 1))), y = add(exp_tail(p.rest), p.rest);
  const vec sum = mul_add(half, y, sub(half, set(0.5f)));
  return hn::CopySign(add(sum, sum), x);
}

#endif

// From here on one source for both.

/// Nothing, but the compiler no longer knows where x came from: it can neither load it again where it is used nor
/// compute an address anew for each load.
#if CTNN_SCALAR_VEC
CTNN_INLINE void keep_in_register(vec&) {}
#else
CTNN_INLINE void keep_in_register(vec& x) {
#if HWY_ARCH_X86
  CTNN_FORGET("+v", x.raw);
#elif HWY_ARCH_ARM
  CTNN_FORGET("+w", x.raw);
#endif
}
#endif
CTNN_INLINE void keep_in_register(const float*& p) { CTNN_FORGET("+r", p); }

CTNN_INLINE vec load_bounded(const float* p, int n) { return n >= lanes ? loadu(p) : load_part(p, n); }
CTNN_INLINE vec load_bounded_or(const float* p, int n, vec otherwise) {
  return n >= lanes ? loadu(p) : load_part_or(p, n, otherwise);
}
CTNN_INLINE void store_bounded(vec x, float* p, int n) {
  if (n >= lanes) storeu(x, p);
  else store_part(x, p, n);
}

/// 0 where it is no normal float.
CTNN_INLINE vec sigmoid(vec x) {
  const vec one = set(1.0f);
  return div(one, add(one, exp_or_zero(neg(x))));
}

/// Within 6 ulp and [-1, 1]: x P(x^2) / Q(x^2), both of degree 4 with positive coefficients, fitted to the least
/// largest relative error (2.1e-8) up to 9.02, from where on the float is 1. `Soon`: with one instruction more, fewer
/// of which wait for each other.
template <bool Soon = false>
CTNN_INLINE vec tanh(vec x) {
  const vec bounded = clamp(x, set(-9.02f), set(9.02f)), y = mul(bounded, bounded), one = set(1.0f);
  const auto sum = [&](float c4, float c3, float c2, float c1) {
    if constexpr (Soon) {
      const vec square = mul(y, y);
      return mul_add(mul_add(square, set(c4), mul_add(y, set(c3), set(c2))), square, mul_add(y, set(c1), one));
    } else {
      return mul_add(mul_add(mul_add(mul_add(set(c4), y, set(c3)), y, set(c2)), y, set(c1)), y, one);
    }
  };
  const vec p = sum(1.33190357e-8f, 2.05834567e-5f, 3.49403312e-3f, 0.133797169f);
  const vec q = sum(7.76200466e-7f, 3.28309048e-4f, 0.0258710682f, 0.467130333f);
  return clamp(div(mul(bounded, p), q), set(-1.0f), set(1.0f));
}

/// (1 + erf(x / sqrt 2)) / 2, as base/math.hpp has it.
#if CTNN_SCALAR_VEC
CTNN_INLINE vec normal_below(vec x) { return math::normal_below(x); }
#else
CTNN_INLINE vec normal_below(vec x) {
  const vec bounded = clamp(x, set(-13.26f), set(6.0f));  // from there on it is 1, before it the power is 0
  const vec u = div(set(1.0f), mul_add(set(0.25f), abs(bounded), set(1.0f)));
  vec p = set(0.0287847351f);
  p = mul_add(p, u, set(-0.167508096f));
  p = mul_add(p, u, set(0.326081634f));
  p = mul_add(p, u, set(-0.239553377f));
  p = mul_add(p, u, set(0.22472243f));
  p = mul_add(p, u, set(0.0233047754f));
  p = mul_add(p, u, set(0.1061683f));
  p = mul_add(p, u, set(0.0981827751f));
  p = mul_add(p, u, set(0.0998168141f));
  const vec square = mul(bounded, bounded), half = set(-0.5f);
#if HWY_NATIVE_FMA
  const vec lost = hn::MulSub(bounded, bounded, square);
#else
  const vec head = upper_bits(bounded);
  const vec lost = mul_add(sub(bounded, head), add(bounded, head), sub(mul(head, head), square));
#endif
  powers_of_two power(mul(half, square));
  power.rest = mul_add(half, lost, power.rest);
  const vec tail = mul(mul(p, u), power.product());
  return select(less(x, zero()), tail, sub(set(1.0f), tail));
}
#endif

// What Highway lacks goes lane by lane: such functions are rare in networks, and so they are as exact as base/math.hpp.
#define CTNN_EACH_LANE(name)                                         \
  struct name##_of {                                                 \
    CTNN_INLINE float operator()(float x) const { return math::name(x); } \
  };                                                                 \
  CTNN_INLINE vec name(vec x) { return each_lane(name##_of(), x); }
CTNN_EACH_LANE(log10)
#if CTNN_SCALAR_VEC
CTNN_EACH_LANE(log) CTNN_EACH_LANE(log1p) CTNN_EACH_LANE(erf) CTNN_EACH_LANE(softplus) CTNN_EACH_LANE(asin)
CTNN_EACH_LANE(acos) CTNN_EACH_LANE(atan) CTNN_EACH_LANE(sinh) CTNN_EACH_LANE(cosh) CTNN_EACH_LANE(asinh)
CTNN_EACH_LANE(acosh) CTNN_EACH_LANE(atanh)
#else
#include "elementary-inl.hpp"
#endif
#if CTNN_SCALAR_VEC || !HWY_NATIVE_FMA
CTNN_EACH_LANE(sin) CTNN_EACH_LANE(cos) CTNN_EACH_LANE(tan)
#endif
#undef CTNN_EACH_LANE

namespace numbers = CTNN_TARGET_NAMESPACE;
template <class V>
CTNN_INLINE V number(double x) {
  return set(static_cast<float>(x));
}

#include "../../graph/functions-inl.hpp"

/// A function whose kind the compiler knows, on vectors.
template <function Kind>
struct activate {
  float a = 0, b = 0;

  CTNN_INLINE vec operator()(vec x) const {
    if constexpr (Kind == function::none) return x;
    else return functions::at<Kind>::type::of(x, set(a), set(b));
  }
};
/// One that is known at run time only, lane by lane: what is no activation is rarely applied in registers.
struct activate_any {
  activation_function f;
  CTNN_INLINE float operator()(float x) const { return ctnn::ir::apply(f, x); }
#if !CTNN_SCALAR_VEC
  CTNN_INLINE vec operator()(vec x) const { return each_lane(*this, x); }
#endif
};

/// Calls body(activate<kind>{a, b}): the switch stands outside the body's loops. A kind known to the compiler leaves
/// one case. `body` is a functor declared in the target's namespace (or a lambda with HWY_ATTR).
template <class Body>
CTNN_INLINE void with_activation(const activation_function& f, const Body& body) {
  switch (f.kind) {
    case function::none: return body(activate<function::none>{});
#define CTNN_CASE(name) \
  case function::name: return body(activate<function::name>{f.a, f.b});
      CTNN_ACTIVATIONS(CTNN_CASE)
    default: return body(activate_any{f});
  }
}
/// The same for all functions, none of them lane by lane that need not be.
template <class Body>
CTNN_INLINE void with_function(const activation_function& f, const Body& body) {
  switch (f.kind) {
    case function::none: return body(activate<function::none>{});
      CTNN_FUNCTIONS(CTNN_CASE)
#undef CTNN_CASE
    case function::prelu: return;  // of layers
  }
}

namespace detail {

struct apply_once {
  vec* x;
  template <class Activation>
  CTNN_INLINE void operator()(const Activation& f) const {
    *x = f(*x);
  }
};

}  // namespace detail

/// The vector form of ctnn::ir::apply; in loops prefer with_function.
template <int = 0>
CTNN_INLINE vec apply_activation(const activation_function& f, vec x) {
  with_function(f, detail::apply_once{&x});
  return x;
}

CTNN_END_TARGET

#endif
