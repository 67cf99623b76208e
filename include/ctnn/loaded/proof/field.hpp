// SPDX-License-Identifier: BSL-1.0
// Numbers without rounding: integers modulo the prime 2^61 - 1, where +, -, * and / are what they are among fractions.
// Two sums of products that are not the same polynomial agree at random numbers once in 2^61 times their degree (the
// lemma of Schwartz and Zippel). Whatever is no algebra is taken as a function of which nothing is known but that it is
// one: random, the same for the same numbers.
//
// Of an order nothing is known but that it is one, and that -a < -b where b < a: by it relu, max and clip are what they
// are. Where a rule needs more, numbers have a real number beside them, which goes through the same steps and says
// which is less: then each branch of a function is algebra, and which are come to is a matter of the numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "../../base/math.hpp"

namespace ctnn::ir::field {

/// All bits depend on all bits.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class residue {
 public:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

  constexpr residue() = default;
  template <std::integral I>
  constexpr residue(I n) : v_(reduced(static_cast<std::uint64_t>(n))), real_(static_cast<double>(n)) {
    if constexpr (std::is_signed_v<I>)
      if (n < 0) v_ = reduced(prime - reduced(std::uint64_t{0} - static_cast<std::uint64_t>(n)));
  }
  /// A constant. One that is a fraction of small numbers but for the rounding of a product, as 1 / 6 is, is that
  /// fraction, and so are 1e-5 and the root of one: the products and quotients that rules make of constants then are
  /// what they would be without rounding.
  template <std::floating_point F>
  constexpr explicit residue(F x)
      : residue(of_constant(static_cast<double>(x), 1.5 * static_cast<double>(std::numeric_limits<F>::epsilon()))) {}

  static constexpr double no_order = std::numeric_limits<double>::quiet_NaN();
  /// Any number as an element, the same for the same number; `real` is what it is by its order.
  static constexpr residue of_bits(std::uint64_t bits, double real = no_order) {
    residue r;
    r.v_ = reduced(bits);
    r.real_ = real;
    return r;
  }
  constexpr std::uint64_t bits() const { return v_; }
  constexpr double real() const { return real_; }

  friend constexpr residue operator+(residue a, residue b) { return of_bits(a.v_ + b.v_, a.real_ + b.real_); }
  friend constexpr residue operator-(residue a) { return of_bits(prime - a.v_, -a.real_); }
  friend constexpr residue operator-(residue a, residue b) { return of_bits(a.v_ + prime - b.v_, a.real_ - b.real_); }
  friend constexpr residue operator*(residue a, residue b) { return of_bits(product(a.v_, b.v_), a.real_ * b.real_); }
  /// Of 0, for which there is none, 0.
  constexpr residue inverse() const { return of_bits(power(v_, prime - 2), 1 / real_); }
  friend constexpr residue operator/(residue a, residue b) { return a * b.inverse(); }
  constexpr residue& operator+=(residue b) { return *this = *this + b; }
  constexpr residue& operator-=(residue b) { return *this = *this - b; }
  constexpr residue& operator*=(residue b) { return *this = *this * b; }
  constexpr residue& operator/=(residue b) { return *this = *this / b; }

  friend constexpr bool operator==(residue a, residue b) { return a.v_ == b.v_; }
  friend constexpr bool operator<(residue a, residue b) {
    const bool ordered = a.real_ == a.real_ && b.real_ == b.real_;
    return a.v_ != b.v_ && (ordered ? a.real_ < b.real_ : a.rank() < b.rank());
  }
  friend constexpr bool operator>(residue a, residue b) { return b < a; }
  friend constexpr bool operator<=(residue a, residue b) { return !(b < a); }
  friend constexpr bool operator>=(residue a, residue b) { return !(a < b); }

  constexpr residue to_power(int n) const {
    residue result = 1;
    for (; n > 0; --n) result *= *this;
    return result;
  }
  /// Above all others, as the largest float is; -infinity() is below.
  static constexpr residue infinity() {
    return of_bits(0x0f5e'3a91'c7b2'64d8u, std::numeric_limits<double>::infinity());
  }

 private:
  static constexpr std::uint64_t reduced(std::uint64_t x) {
    x = (x & prime) + (x >> 61);
    return x >= prime ? x - prime : x;
  }
  /// By halves of 31 bits, as 2^62 is 2 and 2^61 is 1.
  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t low = (std::uint64_t{1} << 31) - 1, half = (std::uint64_t{1} << 30) - 1;
    const std::uint64_t ah = a >> 31, al = a & low, bh = b >> 31, bl = b & low, middle = ah * bl + al * bh;
    return reduced(2 * ah * bh + (middle >> 30) + ((middle & half) << 31) + al * bl);
  }
  static constexpr std::uint64_t power(std::uint64_t base, std::uint64_t n) {
    std::uint64_t result = 1;
    for (; n > 0; n >>= 1, base = product(base, base))
      if (n & 1u) result = product(result, base);
    return result;
  }
  static constexpr residue of_constant(double x, double rounding) {
    if (x != x) return of_bits(0x0b7c'51d3'e28f'0a96u);
    if (x == 0) return 0;
    if (x < 0) return -of_constant(-x, rounding);
    if (x >= static_cast<double>(std::numeric_limits<float>::max())) return infinity();
    if (const std::uint64_t found = find_fraction(x, rounding, 16384)) return of_bits(found, x);
    if (const std::uint64_t square = find_fraction(x * x, 2 * rounding, 1024)) {
      const std::uint64_t root = power(square, (prime + 1) / 4);
      if (product(root, root) == square) return of_bits(root, x);
    }
    for (double ten = 1, end = 1e12; ten < end; ten *= 10)  // 1e-5
      if (x * ten >= 1 && x < 1)
        if (const std::uint64_t found = find_fraction(x * ten, rounding, 1000))
          return of_bits((of_bits(found) / residue(static_cast<std::uint64_t>(ten))).v_, x);
    int exponent = 0;
    double whole = x;
    for (; whole >= 9007199254740992.0; whole /= 2) ++exponent;
    for (; whole != static_cast<double>(static_cast<std::uint64_t>(whole)); whole *= 2) --exponent;
    const std::uint64_t two = std::uint64_t{1} << ((exponent % 61 + 61) % 61);  // 2^61 is 1
    return of_bits(product(reduced(static_cast<std::uint64_t>(whole)), two), x);
  }
  /// n / d, that x is but for rounding, if n d is `most` at most: by its continued fraction. 0 if there is none.
  static constexpr std::uint64_t find_fraction(double x, double rounding, double most) {
    double n_before = 0, d_before = 1, n = 1, d = 0, rest = x;
    while (rest < most) {
      const auto whole = static_cast<double>(static_cast<std::int64_t>(rest));
      const double n_next = whole * n + n_before, d_next = whole * d + d_before;
      if (n_next * d_next > most) return 0;
      n_before = n, d_before = d, n = n_next, d = d_next;
      const double off = x * d - n;
      if ((off < 0 ? -off : off) <= rounding * n)
        return product(static_cast<std::uint64_t>(n), d == 1 ? 1 : power(static_cast<std::uint64_t>(d), prime - 2));
      rest = 1 / (rest - whole);
    }
    return 0;
  }

  /// Constants (numbers of which a small multiple is a small integer) as they are, all others at random, further from
  /// 0: an order of those without a real number.
  constexpr std::int64_t rank() const {
    if (v_ == infinity().v_) return std::numeric_limits<std::int64_t>::max();
    if (v_ == prime - infinity().v_) return -std::numeric_limits<std::int64_t>::max();
    constexpr std::uint64_t multiple = 4096 * 1575, small = std::uint64_t{1} << 45;
    const std::uint64_t m = product(v_, multiple);
    const bool lower_half = m <= prime / 2;
    const std::uint64_t size = lower_half ? m : prime - m;
    if (size < small) return lower_half ? static_cast<std::int64_t>(size) : -static_cast<std::int64_t>(size);
    const std::uint64_t random = mix(size);
    const auto place = static_cast<std::int64_t>((random >> 3) | (std::uint64_t{1} << 61));
    return lower_half == ((random & 1u) != 0) ? place : -place;
  }

  std::uint64_t v_ = 0;
  double real_ = 0;
};

/// The value of function number `number` at x and y, which is `real` by its order.
constexpr residue unknown(std::uint64_t number, double real, residue x, residue y = {}) {
  return residue::of_bits(mix(mix(mix(number) ^ x.bits()) ^ y.bits()) >> 3, real);
}

}  // namespace ctnn::ir::field

template <>
class std::numeric_limits<ctnn::ir::field::residue> {
 public:
  static constexpr bool is_specialized = true, has_infinity = true;
  static constexpr ctnn::ir::field::residue infinity() { return ctnn::ir::field::residue::infinity(); }
  static constexpr ctnn::ir::field::residue lowest() { return -infinity(); }
};
