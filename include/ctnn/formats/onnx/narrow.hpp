// SPDX-License-Identifier: BSL-1.0
// Element types of files that are narrower than ctnn's: integers of 2 and 4 bits, floats of 4 and 8. They are how
// weights are stored; in memory integers are held in bytes and floats as f32, and only what makes other numbers of them
// reads them.
#pragma once

#include <cmath>
#include <limits>

#include "messages.hpp"

namespace ctnn::onnx {

/// How floats of few bits are written: a sign, an exponent of `exponent` bits less `bias`, a mantissa of the others.
/// ONNX's "fn" have no infinities, "fnuz" besides have no -0, whose bits are their only NaN
/// (https://onnx.ai/onnx/technical/float8.html and float4.html).
struct float_format {
  int exponent = 0, mantissa = 0, bias = 0;
  enum { ieee, one_nan, nan_is_minus_zero, finite } ends = ieee;
  bool has_sign = true;

  constexpr int bits() const { return exponent + mantissa + (has_sign ? 1 : 0); }
  float operator()(unsigned b) const {
    const unsigned m = b & ((1u << mantissa) - 1), e = b >> mantissa & ((1u << exponent) - 1);
    const bool negative = has_sign && b >> (exponent + mantissa) & 1u, last = e == (1u << exponent) - 1;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    if (ends == nan_is_minus_zero && negative && e == 0 && m == 0) return nan;
    if (ends == one_nan && last && m == (1u << mantissa) - 1) return nan;
    if (ends == ieee && last && m != 0) return nan;
    const float size = ends == ieee && last ? std::numeric_limits<float>::infinity()
                       : e == 0 && has_sign ? std::ldexp(static_cast<float>(m), 1 - bias - mantissa)
                                            : std::ldexp(static_cast<float>(m | 1u << mantissa),
                                                         static_cast<int>(e) - bias - mantissa);
    return negative ? -size : size;
  }
};

/// A TensorProto::DataType that is narrower than ctnn's; `real` of floats.
struct narrow_type {
  dtype held;
  int bits;
  float_format real{};

  onnx::form form() const { return is_floating(held) ? form::narrow_floats : form::narrow_integers; }
};
constexpr std::optional<narrow_type> narrow_type_of(int onnx) {
  constexpr auto real = [](float_format f) { return narrow_type{dtype::f32, f.bits(), f}; };
  switch (onnx) {
    case 17: return real({4, 3, 7, float_format::one_nan});             // float8e4m3fn
    case 18: return real({4, 3, 8, float_format::nan_is_minus_zero});   // float8e4m3fnuz
    case 19: return real({5, 2, 15, float_format::ieee});               // float8e5m2
    case 20: return real({5, 2, 16, float_format::nan_is_minus_zero});  // float8e5m2fnuz
    case 21: return narrow_type{dtype::u8, 4};
    case 22: return narrow_type{dtype::i8, 4};
    case 23: return real({2, 1, 1, float_format::finite});              // float4e2m1
    case 24: return real({8, 0, 127, float_format::one_nan, false});    // float8e8m0: powers of two
    case 25: return narrow_type{dtype::u8, 2};
    case 26: return narrow_type{dtype::i8, 2};
    default: return {};
  }
}

/// Widens the numbers of a tensor; the first of those that share a byte is in its low bits.
inline void widen(array& to, const narrow_type& type, const std::byte* from) {
  const auto each = static_cast<std::size_t>(8 / type.bits);
  const unsigned all = (1u << type.bits) - 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const unsigned n =
        std::to_integer<unsigned>(from[i / each]) >> (i % each * static_cast<std::size_t>(type.bits)) & all;
    if (is_floating(type.held)) to.elements<float>()[i] = type.real(n);
    else to.bytes()[i] = static_cast<std::byte>(type.held == dtype::i8 && n > all / 2 ? n | ~all : n);
  }
}

}  // namespace ctnn::onnx
