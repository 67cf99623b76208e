// SPDX-License-Identifier: BSL-1.0
// Logarithms, sines, hyperbolic functions, the inverses of these, powers and what is made of them, for vectors: the
// algorithms of base/math, lane by lane the same within some ulp. There is no include guard: simd-inl.hpp includes this
// in each target's namespace.

/// Within 2 ulp; -infinity at 0, NaN below.
CTNN_INLINE vec log(vec x) {
  const int_tag di;
  const mask tiny = less(x, set(std::numeric_limits<float>::min()));
  const auto bits = hn::BitCast(di, select(tiny, mul(x, set(16777216.0f)), x));
  const auto fraction = hn::Or(hn::And(bits, hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f000000));
  const vec half = hn::BitCast(tag(), fraction);  // [0.5, 1)
  const mask low = less(half, set(0.707106781186547524f));
  const vec exponent = hn::ConvertTo(tag(), hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 126)));
  const vec n = sub(sub(exponent, select(low, set(1.0f), zero())), select(tiny, set(24.0f), zero()));
  const vec m = sub(select(low, add(half, half), half), set(1.0f)), z = mul(m, m);
  vec p = set(7.0376836292e-2f);
  p = mul_add(p, m, set(-1.1514610310e-1f));
  p = mul_add(p, m, set(1.1676998740e-1f));
  p = mul_add(p, m, set(-1.2420140846e-1f));
  p = mul_add(p, m, set(1.4249322787e-1f));
  p = mul_add(p, m, set(-1.6668057665e-1f));
  p = mul_add(p, m, set(2.0000714765e-1f));
  p = mul_add(p, m, set(-2.4999993993e-1f));
  p = mul_add(p, m, set(3.3333331174e-1f));
  const vec tail = mul_add(set(-0.5f), z, mul_add(n, set(-2.12194440e-4f), mul(mul(p, m), z)));
  const vec y = mul_add(n, set(0.693359375f), add(m, tail));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const vec finite = select(less(x, set(infinity)), y, x);  // infinity and NaN stay
  const vec positive = select(equal(x, zero()), set(-infinity), finite);
  return select(less(x, zero()), set(std::numeric_limits<float>::quiet_NaN()), positive);
}

/// log(1 + x) without cancellation: what rounding takes from x in the sum, the quotient gives back.
CTNN_INLINE vec log1p(vec x) {
  const vec one = set(1.0f), u = add(one, x), y = mul(log(u), div(x, sub(u, one)));
  return select(equal(u, one), x, select(equal(u, set(std::numeric_limits<float>::infinity())), x, y));
}
/// log(1 + e^x)
CTNN_INLINE vec softplus(vec x) {
  const vec one = set(1.0f), e = exp(x), u = add(one, e), y = mul(log(u), div(e, sub(u, one)));
  return select(less(set(20.0f), x), x, select(equal(u, one), e, y));
}

/// Within 6 ulp and [-1, 1]: x P(x^2) / Q(x^2), both of degree 5 with positive coefficients, fitted to the least
/// largest relative error (1.9e-8) up to 3.93, from where on the float is 1.
CTNN_INLINE vec erf(vec x) {
  const vec bounded = clamp(x, set(-3.93f), set(3.93f)), y = mul(bounded, bounded);
  vec p = set(2.04193737e-6f), q = set(3.80036379e-5f);
  p = mul_add(p, y, set(2.84806856e-4f));
  q = mul_add(q, y, set(1.16521286e-3f));
  p = mul_add(p, y, set(3.77962578e-3f));
  q = mul_add(q, y, set(0.0149974707f));
  p = mul_add(p, y, set(0.0527903259f));
  q = mul_add(q, y, set(0.114257758f));
  p = mul_add(p, y, set(0.190784508f));
  q = mul_add(q, y, set(0.502411088f));
  p = mul_add(p, y, set(1.12837915f));
  q = mul_add(q, y, set(1.0f));
  return clamp(div(mul(bounded, p), q), set(-1.0f), set(1.0f));
}

namespace detail {

/// asin of |x| up to 1/2, and of what is above the complement: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
struct arcs {
  mask above;      ///< |x| > 1/2
  vec root, tail;  ///< whose sum is the arc, with the sign of x where it is its own

  CTNN_INLINE explicit arcs(vec x) : above(less(set(0.5f), abs(x))) {
    const vec half = set(0.5f), z = select(above, mul_add(hn::Neg(half), abs(x), half), mul(x, x));
    root = select(above, sqrt(z), x);
    vec p = set(4.2163199048e-2f);
    p = mul_add(p, z, set(2.4181311049e-2f));
    p = mul_add(p, z, set(4.5470025998e-2f));
    p = mul_add(p, z, set(7.4953002686e-2f));
    p = mul_add(p, z, set(1.6666752422e-1f));
    tail = mul(mul(p, z), root);
  }
};

/// e^a / 2 for a >= 0 (or NaN), infinity from 89.42 on; the powers of two before that are floats up to a quarter.
CTNN_INLINE vec half_exp(vec a) {
  const powers_of_two p(clamp_above(a, set(89.5f)));
  const vec quarter = mul(p.power_of_rest(), p.power(hn::Sub(p.bits, hn::Set(int_tag(), 2))));
  return add(quarter, quarter);
}

/// log(1 + w) for w >= 0, and log(2 w) where w is `large`, whose square may not be a float.
CTNN_INLINE vec log1p_or_twice(vec w, mask large) {
  const vec one = set(1.0f), u = select(large, w, add(one, w)), y = log(u);
  const vec exact = select(equal(u, one), w, mul(y, div(w, sub(u, one))));
  return select(large, add(y, set(math::log_of_2)), exact);
}

}  // namespace detail

/// NaN beyond 1, as of acos.
CTNN_INLINE vec asin(vec x) {
  const detail::arcs r(x);
  const vec arc = add(r.tail, r.root), rest = set(math::half_pi_rest);
  const vec other = sub(set(math::half_pi), sub(add(arc, arc), rest));
  return hn::CopySign(select(r.above, other, arc), x);
}
CTNN_INLINE vec acos(vec x) {
  const detail::arcs r(x);
  const vec half_pi = set(math::half_pi), rest = set(math::half_pi_rest), arc = add(r.tail, r.root);
  const vec near_zero = sub(half_pi, add(sub(x, rest), r.tail)), twice = add(arc, arc);
  const vec near_minus_one = sub(add(half_pi, half_pi), sub(twice, add(rest, rest)));
  return select(r.above, select(less(x, zero()), near_minus_one, twice), near_zero);
}
CTNN_INLINE vec atan(vec x) {
  const vec a = abs(x), one = set(1.0f), half_pi = set(math::half_pi), rest = set(math::half_pi_rest);
  const mask far = less(set(2.41421356f), a), middle = less(set(0.414213562f), a);
  const vec half = set(0.5f), turn = select(far, one, select(middle, half, zero()));  // of pi/2
  const vec t =
      div(select(far, set(-1.0f), select(middle, sub(a, one), a)), select(far, a, select(middle, add(a, one), one)));
  const vec z = mul(t, t);
  vec p = set(8.05374449538e-2f);
  p = mul_add(p, z, set(-1.38776856032e-1f));
  p = mul_add(p, z, set(1.99777106478e-1f));
  p = mul_add(p, z, set(-3.33329491539e-1f));
  const vec y = add(mul(turn, half_pi), add(t, mul_add(mul(p, z), t, mul(turn, rest))));
  return hn::CopySign(y, x);
}

/// Up to 1 Cephes' polynomial (S. Moshier).
CTNN_INLINE vec sinh(vec x) {
  const vec a = abs(x), h = detail::half_exp(a), z = mul(x, x);
  vec p = set(2.03721912945e-4f);
  p = mul_add(p, z, set(8.33028376239e-3f));
  p = mul_add(p, z, set(1.66667160211e-1f));
  const vec series = mul_add(mul(p, z), a, a), whole = sub(h, div(set(0.25f), h));
  return hn::CopySign(select(less(a, set(1.0f)), series, whole), x);
}
CTNN_INLINE vec cosh(vec x) {
  const vec h = detail::half_exp(abs(x));
  return add(h, div(set(0.25f), h));
}
CTNN_INLINE vec asinh(vec x) {
  const vec a = abs(x), one = set(1.0f), z = mul(a, a);
  const mask large = less(set(1e9f), a);
  const vec w = add(a, div(z, add(one, sqrt(add(z, one)))));
  return hn::CopySign(detail::log1p_or_twice(select(large, a, w), large), x);
}
/// NaN below 1.
CTNN_INLINE vec acosh(vec x) {
  const vec one = set(1.0f), t = sub(x, one), w = add(t, sqrt(mul(t, add(x, one))));
  const mask large = less(set(1e9f), x);
  const vec y = detail::log1p_or_twice(select(large, x, w), large);
  return select(less(x, one), set(std::numeric_limits<float>::quiet_NaN()), y);
}
CTNN_INLINE vec atanh(vec x) {
  const vec a = abs(x);
  return hn::CopySign(mul(set(0.5f), log1p(div(add(a, a), sub(set(1.0f), a)))), x);
}

#if HWY_NATIVE_FMA

namespace detail {

/// x = k pi/2 + rest for |x| below 16384: the first product is exact, as are the differences but for one rounding each.
struct reduced_angles {
  hn::Vec<int_tag> k;
  vec rest;

  CTNN_INLINE explicit reduced_angles(vec x) : k(hn::NearestInt(mul(x, set(0.636619772f)))) {
    const vec n = hn::ConvertTo(tag(), k);
    rest = hn::NegMulAdd(n, set(1.57079637f), x);
    rest = hn::NegMulAdd(n, set(-4.37113900e-8f), rest);
    rest = hn::NegMulAdd(n, set(-1.71512451e-15f), rest);
  }
  /// sin(rest) where bit 0 of `quadrant` is not set, else cos(rest); negated where bit 1 is.
  CTNN_INLINE vec turned(hn::Vec<int_tag> quadrant) const {
    const int_tag di;
    const vec z = mul(rest, rest);
    vec s = mul_add(set(-1.9515295891e-4f), z, set(8.3321608736e-3f));
    s = mul_add(mul(mul_add(s, z, set(-1.6666654611e-1f)), z), rest, rest);
    vec c = mul_add(set(2.443315711809948e-5f), z, set(-1.388731625493765e-3f));
    c = mul_add(mul_add(c, z, set(4.166664568298827e-2f)), mul(z, z), mul_add(set(-0.5f), z, set(1.0f)));
    const auto odd = hn::TestBit(quadrant, hn::Set(di, 1));
    const auto sign = hn::ShiftLeft<30>(hn::And(quadrant, hn::Set(di, 2)));
    return hn::Xor(select(hn::RebindMask(tag(), odd), c, s), hn::BitCast(tag(), sign));
  }
};
CTNN_INLINE bool are_small_angles(vec x) { return hn::AllTrue(tag(), less(abs(x), set(16384.0f))); }

struct sin_of {
  CTNN_INLINE float operator()(float x) const { return math::sin(x); }
};
struct cos_of {
  CTNN_INLINE float operator()(float x) const { return math::cos(x); }
};
struct tan_of {
  CTNN_INLINE float operator()(float x) const { return math::tan(x); }
};

}  // namespace detail

CTNN_INLINE vec sin(vec x) {
  if (!detail::are_small_angles(x)) return each_lane(detail::sin_of(), x);
  const detail::reduced_angles r(x);
  return select(equal(x, zero()), x, r.turned(r.k));  // keeps its sign
}
CTNN_INLINE vec cos(vec x) {
  if (!detail::are_small_angles(x)) return each_lane(detail::cos_of(), x);
  const detail::reduced_angles r(x);
  return r.turned(hn::Add(r.k, hn::Set(int_tag(), 1)));
}
CTNN_INLINE vec tan(vec x) {
  if (!detail::are_small_angles(x)) return each_lane(detail::tan_of(), x);
  const detail::reduced_angles r(x);
  const vec z = mul(r.rest, r.rest);
  vec p = set(9.38540185543e-3f);
  p = mul_add(p, z, set(3.11992232697e-3f));
  p = mul_add(p, z, set(2.44301354525e-2f));
  p = mul_add(p, z, set(5.34112807005e-2f));
  p = mul_add(p, z, set(1.33387994085e-1f));
  p = mul_add(p, z, set(3.33331568548e-1f));
  const vec y = mul_add(mul(p, z), r.rest, r.rest);
  const mask odd = hn::RebindMask(tag(), hn::TestBit(r.k, hn::Set(int_tag(), 1)));
  return select(equal(x, zero()), x, select(odd, div(set(-1.0f), y), y));
}

namespace detail {

/// hi + lo, the sum of two floats that is not evaluated: math::float_pair, whose products are exact by one instruction.
struct vec_pair {
  vec hi, lo;
};
CTNN_INLINE vec_pair exact_sum(vec a, vec b) {
  const vec s = add(a, b), t = sub(s, a);
  return {s, add(sub(a, sub(s, t)), sub(b, t))};
}
CTNN_INLINE vec_pair exact_product(vec a, vec b) {
  const vec p = mul(a, b);
  return {p, hn::MulSub(a, b, p)};
}
CTNN_INLINE vec_pair multiply_pairs(const vec_pair& a, const vec_pair& b) {
  const vec_pair p = exact_product(a.hi, b.hi);
  return exact_sum(p.hi, mul_add(a.lo, b.hi, mul_add(a.hi, b.lo, p.lo)));
}

/// log2 of positive finite numbers that are not subnormal (math::log2_pair).
CTNN_INLINE vec_pair log2_pair(vec x) {
  const int_tag di;
  const auto bits = hn::BitCast(di, x);
  const vec one = set(1.0f);
  const vec from_one = hn::BitCast(tag(), hn::Or(hn::And(bits, hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f800000)));
  const mask high = less(set(1.41421356f), from_one);
  const vec m = select(high, mul(from_one, set(0.5f)), from_one);
  const vec exponent = hn::ConvertTo(tag(), hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 127)));
  const vec e = add(exponent, select(high, one, zero()));
  const vec f = sub(m, one);
  const vec_pair d = exact_sum(set(2.0f), f);
  const vec q = div(f, d.hi);
  const vec_pair t = exact_sum(q, div(hn::NegMulAdd(q, d.lo, hn::NegMulAdd(q, d.hi, f)), d.hi));
  const vec_pair z = multiply_pairs(t, t);
  vec p = mul_add(z.hi, set(1.0f / 13.0f), set(1.0f / 11.0f));
  p = mul_add(z.hi, p, set(1.0f / 9.0f));
  p = mul_add(z.hi, p, set(1.0f / 7.0f));
  p = mul(z.hi, mul_add(z.hi, p, set(1.0f / 5.0f)));
  const vec_pair tail = multiply_pairs(z, exact_sum(set(0.333333343f), sub(p, set(9.93410776e-9f))));
  const vec_pair whole = exact_sum(one, tail.hi);
  const vec_pair series = multiply_pairs(t, {whole.hi, add(whole.lo, tail.lo)});
  const vec_pair log2m = multiply_pairs(series, {set(2.88539004f), set(3.85190654e-8f)});
  const vec_pair sum = exact_sum(e, log2m.hi);
  return exact_sum(sum.hi, add(sum.lo, log2m.lo));
}

}  // namespace detail

/// x^y. Lanes of subnormals, infinities and NaN, and those whose powers are very large or small, go one by one.
CTNN_INLINE vec pow(vec x, vec y) {
  const vec size = abs(x), one = set(1.0f), none = zero();
  const vec least = set(std::numeric_limits<float>::min()), infinity = set(std::numeric_limits<float>::infinity());
  const mask normal = hn::And(hn::Ge(size, least), less(size, infinity));
  const detail::vec_pair l = detail::log2_pair(select(normal, size, one));
  const vec rough = abs(mul(y, l.hi));
  const mask fits = hn::Or(hn::And(less(set(1e-10f), rough), less(rough, set(125.0f))), equal(rough, none));
  const detail::vec_pair product = detail::exact_product(y, l.hi);
  const detail::vec_pair z = detail::exact_sum(product.hi, mul_add(y, l.lo, product.lo));
  const auto k = hn::NearestInt(z.hi);
  const vec r = mul(add(sub(z.hi, hn::ConvertTo(tag(), k)), z.lo), set(0.693147181f));
  const vec e = add(one, add(r, exp_tail(r)));
  vec power = mul(e, hn::BitCast(tag(), hn::ShiftLeft<23>(hn::Add(k, hn::Set(int_tag(), 127)))));
  mask done = hn::And(normal, fits);
  if (!hn::AllTrue(tag(), less(none, x))) {  // 0, or there is a power if y is whole, with the sign of x if it is odd
    const vec half = mul(y, set(0.5f));
    const mask vanishes = hn::And(equal(x, none), less(none, y)), whole = equal(floor(y), y);
    const mask even = equal(floor(half), half);
    power = select(vanishes, none, power);
    power = select(hn::AndNot(even, whole), hn::CopySign(power, x), power);
    power = select(hn::AndNot(whole, less(x, none)), set(std::numeric_limits<float>::quiet_NaN()), power);
    done = hn::Or(done, vanishes);
  }
  if (hn::AllTrue(tag(), done)) return power;
  alignas(64) float from[lanes], exponents[lanes], to[lanes], left[lanes];
  store(x, from);
  store(y, exponents);
  store(power, to);
  store(select(done, none, one), left);
  for (int i = 0; i < lanes; ++i)
    if (left[i] != 0) to[i] = math::pow(from[i], exponents[i]);
  return load(to);
}

#endif
