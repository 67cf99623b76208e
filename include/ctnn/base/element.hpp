// SPDX-License-Identifier: BSL-1.0
// What the numbers of a value are: how they are held and, of integers, what real numbers they stand for and how these
// are rounded.
#pragma once

#include "dtype.hpp"

namespace ctnn::ir {

/// How integers stand for real numbers: (integer - zero) * scale. A scale of 0 says that they stand for themselves.
struct quantization {
  double scale = 0;
  int zero = 0;

  friend constexpr bool operator==(const quantization&, const quantization&) = default;
  constexpr explicit operator bool() const { return scale != 0; }
};

/// How a layer rounds what it computes to integers that stand for real numbers.
enum class rounding : unsigned char {
  once,    ///< in integers, by a factor of 32 bits, halves up: TensorFlow Lite's with XNNPACK (fixed_factor)
  twice,   ///< in integers, as gemmlowp multiplies: TensorFlow Lite's other kernels (twice_rounded_factor)
  real,    ///< real numbers of f32, halves to even: ONNX's QuantizeLinear
  coarse,  ///< in integers, by a factor with 8 digits behind the point, halves up: XNNPACK's conversions of bytes
  away,    ///< real numbers of f32, halves away from 0, of signed bytes from -127 to 127: ncnn's int8
};

/// The element of a value: a type and, of integers, what they stand for and how a layer makes them.
struct element {
  dtype type = dtype::f32;
  quantization real{};
  rounding rounded = rounding::once;

  constexpr element() = default;
  constexpr element(dtype t) : type(t) {}
  constexpr element(dtype t, const quantization& q, rounding how = rounding::once) : type(t), real(q), rounded(how) {}
  constexpr operator dtype() const { return type; }

  friend constexpr bool operator==(const element&, const element&) = default;
  friend constexpr bool operator==(const element& e, dtype t) { return e.type == t; }
  /// Do they stand for the same numbers, however they are made? Bytes that are rounded away from zero are their own
  /// kind: there is no -128 among them, and layers that read them compute as ncnn's.
  friend constexpr bool same_numbers(const element& a, const element& b) {
    return a.type == b.type && a.real == b.real && (a.rounded == rounding::away) == (b.rounded == rounding::away);
  }
};

constexpr std::string_view name_of(const element& e) { return ctnn::name_of(e.type); }
constexpr bool is_narrow(const element& e) { return ctnn::is_narrow(e.type); }
constexpr int size_of(const element& e) { return ctnn::size_of(e.type); }

}  // namespace ctnn::ir
