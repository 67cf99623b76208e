// SPDX-License-Identifier: BSL-1.0
// Numbers spelled in decimal, whatever the locale. std::from_chars of floating-point numbers is missing in libc++.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctnn::ir {

/// A whole word as an integer of this type; nothing if it is none or out of range.
template <std::integral T>
constexpr std::optional<T> parse_integer(std::string_view word) {
  T n = 0;
  const char* last = word.data() + word.size();
  const auto [end, code] = std::from_chars(word.data(), last, n);
  if (word.empty() || end != last || code != std::errc{}) return {};
  return n;
}

namespace detail {

/// A natural number of any size, its lowest 32 bits first.
class natural {
 public:
  void multiply_add(std::uint32_t by, std::uint32_t plus) {
    std::uint64_t carry = plus;
    for (std::uint32_t& limb : limbs_) {
      carry += std::uint64_t{limb} * by;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
  }
  void shift_words(std::size_t n) { limbs_.insert(limbs_.begin(), n, 0); }
  /// Whether a remainder is lost.
  bool divide(std::uint32_t by) {
    std::uint64_t rest = 0;
    for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
      rest = rest << 32 | *limb;
      *limb = static_cast<std::uint32_t>(rest / by);
      rest %= by;
    }
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
    return rest != 0;
  }
  int bits() const {
    return limbs_.empty() ? 0 : static_cast<int>(32 * limbs_.size()) - std::countl_zero(limbs_.back());
  }
  bool bit(int i) const { return i >= 0 && limbs_[static_cast<std::size_t>(i / 32)] >> i % 32 & 1u; }
  bool any_below(int bit_count) const {
    for (int i = 0; i < bit_count; ++i)
      if (bit(i)) return true;
    return false;
  }

 private:
  std::vector<std::uint32_t> limbs_;
};

/// digits * 10^exponent (and a little more if `more`), rounded to the nearest double, ties to even.
inline double nearest_double(std::string_view digits, bool more, std::int64_t exponent) {
  const std::int64_t magnitude = static_cast<std::int64_t>(digits.size()) + exponent;
  if (digits.empty() || magnitude < -330) return 0;
  if (magnitude > 310) return std::numeric_limits<double>::infinity();
  natural n;
  for (const char digit : digits) n.multiply_add(10, static_cast<std::uint32_t>(digit - '0'));
  int binary = 0;  // the number is n * 2^binary
  for (; exponent > 0; --exponent) n.multiply_add(10, 0);
  if (exponent < 0) {
    // Room for the quotient: a decimal digit is less than 4 bits, and 64 of them must be left.
    const auto words = static_cast<std::size_t>(-exponent / 8 + 3);
    n.shift_words(words);
    binary = -32 * static_cast<int>(words);
    for (; exponent <= -9; exponent += 9) more = n.divide(1'000'000'000) || more;
    for (; exponent < 0; ++exponent) more = n.divide(10) || more;
  }
  const int top = n.bits() + binary;  // below 2^top
  const int kept = std::min(53, top + 1074), dropped = n.bits() - std::max(kept, 0);
  if (kept < 0) return 0;
  std::uint64_t mantissa = 0;
  for (int i = 0; i < kept; ++i) mantissa = mantissa << 1 | n.bit(n.bits() - 1 - i);
  const bool half = dropped > 0 && n.bit(dropped - 1), above = more || n.any_below(dropped - 1);
  mantissa += half && (above || (mantissa & 1) != 0);
  return std::ldexp(static_cast<double>(mantissa), top - kept);
}

}  // namespace detail

/// A whole word such as -1.5e-3 (no inf, nan or hexadecimal) as the nearest double, infinite if it is too large;
/// nothing if it is no number.
inline std::optional<double> parse_decimal(std::string_view word) {
  constexpr std::size_t enough = 800;  // more digits can only be a little more
  const auto take = [&word](char c) { return !word.empty() && word.front() == c && (word.remove_prefix(1), true); };
  const bool negative = take('-');
  std::string_view rest = word.substr(0, word.find_first_of("eE"));
  std::int64_t exponent = 0;
  if (rest.size() < word.size()) {
    std::string_view power = word.substr(rest.size() + 1);
    if (power.starts_with('+') && power.find('-') == power.npos) power.remove_prefix(1);
    const std::string_view figures = power.substr(power.starts_with('-') ? 1 : 0);
    if (figures.empty() || figures.find_first_not_of("0123456789") != figures.npos) return {};
    exponent = parse_integer<std::int32_t>(power).value_or(power.starts_with('-') ? -2'000'000'000 : 2'000'000'000);
  }
  std::string digits;
  bool more = false, point = false, any = false;
  for (const char c : rest) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return {};
    any = true;
    if (digits.size() < enough) {
      if (c != '0' || !digits.empty()) digits += c;
      exponent -= point;
    } else {
      more = more || c != '0';
      exponent += !point;
    }
  }
  if (!any) return {};
  const double magnitude = detail::nearest_double(digits, more, exponent);
  return negative ? -magnitude : magnitude;
}

}  // namespace ctnn::ir
