// SPDX-License-Identifier: BSL-1.0
// Text that grows, in the compiler and at run time alike: GCC 12 and Clang 14 have no std::string that both take in
// constants. What appends to it appends to a std::string as well (`Out`).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "pool.hpp"
#include "shape.hpp"

namespace ctnn::ir {

class text {
 public:
  constexpr text& operator+=(std::string_view s) {
    letters_.append(s.data(), s.size());
    return *this;
  }
  constexpr std::string_view view() const { return {letters_.data(), letters_.size()}; }
  constexpr operator std::string_view() const { return view(); }
  constexpr bool empty() const { return letters_.empty(); }

 private:
  pool<char> letters_;
};

/// Parts, one after the other.
template <class Out>
constexpr void append(Out& out, const auto&... parts) {
  ((out += std::string_view(parts)), ...);
}

/// What Writer::write(text&) writes, as a constant in static storage: one run finds its size, one its letters.
template <class Writer>
struct constant_text {
  static constexpr std::size_t size = [] {
    text t;
    Writer::write(t);
    return t.view().size();
  }();
  static constexpr auto letters = [] {
    text t;
    Writer::write(t);
    const char* from = t.view().data();
    std::array<char, size + 1> all{};  // ends with a zero, for C
    for (std::size_t i = 0; i < size; ++i) all[i] = from[i];
    return all;
  }();
  static constexpr std::string_view view{letters.data(), size};
};

template <class Out>
constexpr void append_integer(Out& out, std::int64_t n) {
  char digits[20]{};
  std::size_t first = 20;
  std::uint64_t rest = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  do digits[--first] = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (n < 0) out += "-";
  out += std::string_view(digits + first, 20 - first);
}

/// "3 x 224 x 224"; "scalar" for rank 0.
template <class Out>
constexpr void append_shape(Out& out, const extents& shape) {
  if (shape.rank == 0) out += "scalar";
  for (int i = 0; i < shape.rank; ++i) {
    if (i) out += " x ";
    append_integer(out, shape[i]);
  }
}

namespace detail {

/// n * 10^power as compilers read it, or false: exact are integers below 2^53 and powers of ten up to 10^22.
constexpr bool read_decimal(std::int64_t n, int power, double& out) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  for (; power > 22 && n < exact / 10; --power) n *= 10;
  if (n > exact || power > 22 || power < -22) return false;
  double ten = 1;
  for (int i = 0; i < power || i < -power; ++i) ten *= 10;
  out = power < 0 ? static_cast<double>(n) / ten : static_cast<double>(n) * ten;
  return true;
}

/// n * 10^power in the shortest form that is a floating-point literal.
template <class Out>
constexpr void append_decimal(Out& out, std::int64_t n, int power) {
  for (; n % 10 == 0; ++power) n /= 10;
  text digits;
  append_integer(digits, n);
  const std::string_view all = digits.view();
  const int exponent = static_cast<int>(all.size()) - 1 + power;  // of the first digit
  if (power < 0 && exponent >= 0) {
    out += all.substr(0, static_cast<std::size_t>(exponent + 1));
    out += ".";
    out += all.substr(static_cast<std::size_t>(exponent + 1));
  } else if (power < 0 && exponent >= -4) {
    out += std::string_view("0.000").substr(0, static_cast<std::size_t>(1 - exponent));
    out += all;
  } else {
    out += all.substr(0, 1);
    if (all.size() > 1) out += ".";
    out += all.substr(1);
    out += "e";
    append_integer(out, exponent);
  }
}

template <class Out>
constexpr void append_hexadecimal(Out& out, double magnitude) {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const auto exponent = static_cast<int>(bits >> 52);
  out += exponent == 0 ? "0x0." : "0x1.";
  std::uint64_t rest = bits << 12;
  do out += std::string_view("0123456789abcdef").substr(static_cast<std::size_t>(rest >> 60), 1);
  while ((rest <<= 4) != 0);
  out += "p";
  append_integer(out, exponent == 0 ? -1022 : exponent - 1023);
}

}  // namespace detail

/// Is it the value of a float, or of none?
constexpr bool is_float(double v) {
  const double largest = 3.4028234663852886e38;  // beyond it, a conversion is no constant
  return v != v || v - v != 0 || (v <= largest && v >= -largest && static_cast<double>(static_cast<float>(v)) == v);
}

/// A number as one would write it in C++: an integer where it is one, else with as few digits as are read back as the
/// same float, or double if it is none; hexadecimal where that is not certain.
template <class Out>
constexpr void append_number(Out& out, double v) {
  if (v != v) return void(out += "nan");
  const bool negative = std::bit_cast<std::uint64_t>(v) >> 63 != 0;
  if (negative) out += "-";
  const double magnitude = negative ? -v : v;
  if (magnitude > 1.7976931348623157e308) return void(out += "inf");
  if (magnitude == 0) return void(out += negative ? "0.0" : "0");
  if (magnitude <= 2147483647.0 && magnitude == static_cast<double>(static_cast<std::int64_t>(magnitude)))
    return append_integer(out, static_cast<std::int64_t>(magnitude));
  const bool narrow = is_float(magnitude);
  if (magnitude > 1e-15 && magnitude < 1e30) {
    int exponent = 0;
    for (double m = magnitude; m >= 10; m /= 10) ++exponent;
    for (double m = magnitude; m < 1; m *= 10) --exponent;
    for (int digits = 1; digits <= 15; ++digits) {
      const int power = exponent - digits + 1;
      double ten = 1, read = 0;
      for (int i = 0; i < power || i < -power; ++i) ten *= 10;
      const auto n = static_cast<std::int64_t>((power < 0 ? magnitude * ten : magnitude / ten) + 0.5);
      if (n > 0 && detail::read_decimal(n, power, read) &&
          (narrow ? static_cast<double>(static_cast<float>(read)) : read) == magnitude)
        return detail::append_decimal(out, n, power);
    }
  }
  detail::append_hexadecimal(out, magnitude);
}

}  // namespace ctnn::ir
