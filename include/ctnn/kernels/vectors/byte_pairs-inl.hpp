// SPDX-License-Identifier: BSL-1.0
// Sums and products of pairs of bytes that stand for real numbers.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_BYTE_PAIRS_INL_HPP)
#define CTNN_KERNELS_BYTE_PAIRS_INL_HPP
#define CTNN_KERNELS_BYTE_PAIRS_ENABLED
#endif
#elif defined(CTNN_KERNELS_BYTE_PAIRS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_BYTE_PAIRS_INL_HPP
#undef CTNN_KERNELS_BYTE_PAIRS_INL_HPP
#else
#define CTNN_KERNELS_BYTE_PAIRS_INL_HPP
#endif
#define CTNN_KERNELS_BYTE_PAIRS_ENABLED
#endif

#if defined(CTNN_KERNELS_BYTE_PAIRS_ENABLED)
#undef CTNN_KERNELS_BYTE_PAIRS_ENABLED

#include <limits>

#include "integer_results-inl.hpp"

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

namespace detail {

/// Bytes less their zero point, or one for all.
struct bytes_as_steps {
  const std::uint8_t* bytes;
  quad_vec one;
  std::uint8_t flip;
  quad_vec zero;
  bool stays;

  CTNN_INLINE bytes_as_steps(const std::uint8_t* x, int step, std::uint8_t flipped, int z)
      : bytes(x), flip(flipped), zero(hn::Set(quad_tag(), z + flipped)), stays(step == 0) {
    one = stays ? hn::Sub(hn::Set(quad_tag(), *x ^ flip), zero) : hn::Zero(quad_tag());
  }
  CTNN_INLINE quad_vec at(std::int64_t i) const {
    if (stays) return one;
    const hn::Rebind<std::uint8_t, quad_tag> d;
    return hn::Sub(hn::PromoteTo(quad_tag(), hn::Xor(hn::LoadU(d, bytes + i), hn::Set(d, flip))), zero);
  }
};

/// a f + b g for bytes less zero points and f, g of 15 bits.
struct sums_of_pairs {
  quad_vec factors, second;
  CTNN_INLINE sums_of_pairs(std::int64_t f, std::int64_t g)
      : factors(hn::Set(quad_tag(), static_cast<std::int32_t>(f | (both_in_one ? g << 16 : 0)))),
        second(hn::Set(quad_tag(), static_cast<std::int32_t>(g))) {}
#if defined(CTNN_X86)
  static constexpr bool both_in_one = true;
  static CTNN_INLINE quad_vec pair(quad_vec a, quad_vec b) {
    return hn::Or(hn::And(a, hn::Set(quad_tag(), 0xFFFF)), hn::ShiftLeft<16>(b));
  }
  CTNN_INLINE quad_vec of(quad_vec, quad_vec, quad_vec both) const {
    return quad_vec{CTNN_X86(madd_epi16)(both.raw, factors.raw)};
  }
#else
  static constexpr bool both_in_one = false;
  static CTNN_INLINE quad_vec pair(quad_vec a, quad_vec) { return a; }
  CTNN_INLINE quad_vec of(quad_vec a, quad_vec b, quad_vec) const {
    return hn::Add(hn::Mul(a, factors), hn::Mul(b, second));
  }
#endif
};

/// weighted_sum() by factors in three digits of 15 bits, the highest of 6: nothing leaves 32 bits.
struct weighted_pairs {
  bytes_as_steps x, z;
  sums_of_pairs high, middle, low;
  quad_vec sign, zero, least, most;
  static constexpr std::int64_t most_factor = std::int64_t{1} << 36;

  CTNN_INLINE explicit weighted_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, p.x_zero),
        z(p.z, p.z_step, p.z_flip, p.z_zero),
        high(p.first >> 30, p.second >> 30),
        middle(p.first >> 15 & 0x7FFF, p.second >> 15 & 0x7FFF),
        low(p.first & 0x7FFF, p.second & 0x7FFF),
        sign(hn::Set(quad_tag(), p.subtracts ? -1 : 0)),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    const quad_vec a = x.at(i), b = hn::Sub(hn::Xor(z.at(i), sign), sign), both = sums_of_pairs::pair(a, b);
    const quad_vec upper = hn::Add(hn::ShiftLeft<15>(high.of(a, b, both)), middle.of(a, b, both));
    const quad_vec rest = hn::Add(hn::ShiftRight<15>(low.of(a, b, both)), hn::Set(quad_tag(), 1 << 16));
    const quad_vec y = hn::Add(hn::ShiftRight<17>(hn::Add(upper, rest)), zero);
    return hn::Min(hn::Max(y, least), most);
  }
};

struct multiplied_pairs {
  bytes_as_steps x, z;
  quad_vec factor, zero, least, most;
  static constexpr std::int64_t most_factor = std::int64_t{1} << 31;

  CTNN_INLINE explicit multiplied_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, p.x_zero),
        z(p.z, p.z_step, p.z_flip, p.z_zero),
        factor(hn::Set(quad_tag(), static_cast<std::int32_t>(p.first))),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    const quad_vec y = hn::Add(multiply_fixed(hn::Mul(x.at(i), z.at(i)), factor), zero);
    return hn::Min(hn::Max(y, least), most);
  }
};

/// Numbers within 2^30 by a factor that is not above 1/2 and is rounded twice.
struct rounded_twice {
  quad_vec digits, half, sign;
  int shift;

  CTNN_INLINE explicit rounded_twice(const twice_rounded_factor& f)
      : digits(hn::Set(quad_tag(), f.digits)),
        half(hn::Set(quad_tag(), f.exponent < 0 ? std::int32_t{1} << (-f.exponent - 1) : 0)),
        sign(hn::Set(quad_tag(), f.exponent < 0 ? -1 : 0)),
        shift(-f.exponent) {}
  /// Half of floor(2 x digits / 2^32 + 1/2): the digits are 31.
  CTNN_INLINE quad_vec of(quad_vec x) const {
    const quad_vec once = multiply_fixed(hn::Add(x, x), digits);
    return hn::ShiftRightSame(hn::Add(once, hn::Add(half, hn::And(hn::ShiftRight<31>(once), sign))), shift);
  }
};

/// Sums, or products, in gemmlowp's arithmetic.
template <bool Multiplies>
struct twice_rounded_pairs {
  bytes_as_steps x, z;
  rounded_twice first, second, result;
  quad_vec sign, zero, least, most;
  static constexpr std::int64_t most_factor = std::numeric_limits<std::int64_t>::max();

  CTNN_INLINE explicit twice_rounded_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, p.x_zero),
        z(p.z, p.z_step, p.z_flip, p.z_zero),
        first(p.twice->first()),
        second(p.twice->second()),
        result(p.twice->result()),
        sign(hn::Set(quad_tag(), p.subtracts ? -1 : 0)),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    quad_vec y;
    if constexpr (Multiplies) {
      y = hn::Mul(x.at(i), z.at(i));
    } else {
      const quad_vec b = second.of(hn::ShiftLeft<20>(z.at(i)));
      y = hn::Add(first.of(hn::ShiftLeft<20>(x.at(i))), hn::Sub(hn::Xor(b, sign), sign));
    }
    return hn::Min(hn::Max(hn::Add(result.of(y), zero), least), most);
  }
};

#if HWY_NATIVE_FMA
/// Sums of real numbers, or products.
template <bool Multiplies>
struct real_pairs {
  bytes_as_steps x, z;
  real_vec a, b, c;
  int least, most;
  static constexpr std::int64_t most_factor = std::numeric_limits<std::int64_t>::max();

  CTNN_INLINE explicit real_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, Multiplies ? p.x_zero : 0),
        z(p.z, p.z_step, p.z_flip, Multiplies ? p.z_zero : 0),
        a(hn::Set(real_tag(), p.a)),
        b(hn::Set(real_tag(), p.b)),
        c(hn::Set(real_tag(), p.c)),
        least(p.least),
        most(p.most) {
    if constexpr (Multiplies) return;
    // What stays is in the constant, a product and a sum of its own.
    if (x.stays) c = hn::Add(c, rounded_product(x.one, a));
    else if (z.stays) c = hn::Add(c, rounded_product(z.one, b));
  }
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    const real_tag f;
    real_vec y;
    if constexpr (Multiplies) {
      y = hn::Add(rounded_product(hn::Mul(x.at(i), z.at(i)), a), c);
    } else {
      y = z.stays && !x.stays ? c : hn::MulAdd(hn::ConvertTo(f, z.at(i)), b, c);
      if (!x.stays) y = hn::MulAdd(hn::ConvertTo(f, x.at(i)), a, y);
    }
    return round_between(y, false, 0, least, most);
  }

 private:
  /// No compiler makes one operation of it and a sum behind it.
  static CTNN_INLINE real_vec rounded_product(quad_vec x, real_vec by) {
    const real_tag f;
    return least_of(hn::Mul(hn::ConvertTo(f, x), by), hn::Set(f, std::numeric_limits<float>::max()));
  }
};
#endif

template <class Pairs>
CTNN_NOINLINE bool combine_bytes_by(const byte_pairs& given) {
  if (given.first >= Pairs::most_factor || given.second >= Pairs::most_factor) return false;
  const byte_pairs p = given;
  if (p.n == 0) return true;
  const Pairs pairs(p);
  std::int64_t i = 0;
  for (; i + 4 * quads_in_vector <= p.n; i += 4 * quads_in_vector) store_four(pairs, i, i, p.to + i);
  for (; i + quads_in_vector <= p.n; i += quads_in_vector) store_bytes(pairs.at(i, i), p.to + i, quads_in_vector);
  if (i == p.n) return true;
  std::uint8_t x[quad_lanes]{}, z[quad_lanes]{};
  const auto rest = static_cast<std::size_t>(p.n - i);
  std::memcpy(x, p.x + i * p.x_step, p.x_step ? rest : 1);
  std::memcpy(z, p.z + i * p.z_step, p.z_step ? rest : 1);
  byte_pairs last = p;
  last.x = x;
  last.z = z;
  store_bytes(Pairs(last).at(0, 0), p.to + i, p.n - i);
  return true;
}

}  // namespace detail

template <int = 0>
inline bool combine_bytes(const byte_pairs& p) {
#if HWY_NATIVE_FMA
  if (p.reals)
    return p.multiplies ? detail::combine_bytes_by<detail::real_pairs<true>>(p)
                        : detail::combine_bytes_by<detail::real_pairs<false>>(p);
#endif
  if (p.reals) return false;
  if (p.twice) {
    const auto fits = [](const twice_rounded_factor& f) { return f.exponent <= 0; };
    if (!fits(p.twice->result()) || !(p.multiplies || (fits(p.twice->first()) && fits(p.twice->second()))))
      return false;
    return p.multiplies ? detail::combine_bytes_by<detail::twice_rounded_pairs<true>>(p)
                        : detail::combine_bytes_by<detail::twice_rounded_pairs<false>>(p);
  }
  return p.multiplies ? detail::combine_bytes_by<detail::multiplied_pairs>(p)
                      : detail::combine_bytes_by<detail::weighted_pairs>(p);
}

#endif

CTNN_END_TARGET

#endif
