// SPDX-License-Identifier: BSL-1.0
// What the numbers of a value are: how they are held and, of integers, what real numbers they stand for.
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

/// The element of a value: a type and, of integers, what they stand for.
struct element {
  dtype type = dtype::f32;
  quantization real{};

  constexpr element() = default;
  constexpr element(dtype t) : type(t) {}
  constexpr element(dtype t, const quantization& q) : type(t), real(q) {}
  constexpr operator dtype() const { return type; }

  friend constexpr bool operator==(const element&, const element&) = default;
  friend constexpr bool operator==(const element& e, dtype t) { return e.type == t; }
};

constexpr std::string_view name_of(const element& e) { return ctnn::name_of(e.type); }
constexpr bool is_narrow(const element& e) { return ctnn::is_narrow(e.type); }
constexpr int size_of(const element& e) { return ctnn::size_of(e.type); }

}  // namespace ctnn::ir
