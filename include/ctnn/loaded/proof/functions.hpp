// SPDX-License-Identifier: BSL-1.0
// The functions of one number over the field, by the same definitions as all others (graph/functions-inl.hpp): what
// they are made of is algebra, order, or unknown.
#pragma once

#include "../../kernels/typed/real.hpp"
#include "field.hpp"

namespace ctnn::ir::field {

namespace words {

namespace numbers = ctnn::ir::field::words;
/// As the kernels of floats have it.
template <class V>
constexpr V number(double x) {
  return static_cast<V>(static_cast<float>(x));
}
constexpr residue select(bool condition, residue yes, residue no) { return condition ? yes : no; }
constexpr residue div(residue x, residue y) { return x / y; }
constexpr residue neg(residue x) { return -x; }
constexpr residue clamp(residue x, residue low, residue high) { return x < low ? low : x > high ? high : x; }
constexpr residue relu(residue x) { return x < 0 ? 0 : x; }
constexpr residue abs(residue x) { return x < 0 ? -x : x; }

// clang-format off
/// Functions of which one value is known.
#define CTNN_UNKNOWN(name, at, value) \
  inline residue name(residue x) { \
    if (x == residue(at)) return residue(value); \
    return unknown(static_cast<std::uint64_t>(function::name), real::name(x.real()), x); \
  }
CTNN_UNKNOWN(sigmoid, 0, 0.5) CTNN_UNKNOWN(floor, 0, 0) CTNN_UNKNOWN(ceil, 0, 0) CTNN_UNKNOWN(round, 0, 0)
CTNN_UNKNOWN(trunc, 0, 0) CTNN_UNKNOWN(sqrt, 0, 0) CTNN_UNKNOWN(exp, 0, 1) CTNN_UNKNOWN(expm1, 0, 0)
CTNN_UNKNOWN(log, 1, 0) CTNN_UNKNOWN(log1p, 0, 0) CTNN_UNKNOWN(log10, 1, 0) CTNN_UNKNOWN(sin, 0, 0)
CTNN_UNKNOWN(cos, 0, 1) CTNN_UNKNOWN(tan, 0, 0) CTNN_UNKNOWN(asin, 0, 0) CTNN_UNKNOWN(acos, 1, 0)
CTNN_UNKNOWN(atan, 0, 0) CTNN_UNKNOWN(sinh, 0, 0) CTNN_UNKNOWN(cosh, 0, 1) CTNN_UNKNOWN(asinh, 0, 0)
CTNN_UNKNOWN(acosh, 1, 0) CTNN_UNKNOWN(atanh, 0, 0) CTNN_UNKNOWN(erf, 0, 0)
#undef CTNN_UNKNOWN
    // clang-format on

    // What others have to do with these.
    inline residue softplus(residue x) {
  return log1p(exp(x));
}
inline residue tanh(residue x) { return residue(2) * sigmoid(x + x) - residue(1); }
inline residue normal_below(residue x) {
  return (residue(1) + erf(number<residue>(0.70710678118654752440) * x)) / residue(2);
}

#include "../../graph/functions-inl.hpp"

}  // namespace words

inline residue apply(const activation_function& f, residue x) {
  const residue a(f.a), b(f.b);
  switch (f.kind) {
    case function::none: return x;
#define CTNN_APPLY(name) \
  case function::name: return words::functions::name::of(x, a, b);
      CTNN_FUNCTIONS(CTNN_APPLY)
#undef CTNN_APPLY
    case function::prelu: return x;  // its layer's
  }
  return x;
}

/// Whole powers are products, halves roots.
inline residue pow(residue x, residue y) {
  constexpr int most = 64;
  for (int n = 0; n <= most; ++n) {
    if (y == residue(n)) return x.to_power(n);
    if (y == residue(-n)) return x.to_power(n).inverse();
  }
  if (y + y == residue(1)) return words::sqrt(x);
  if (y + y == residue(-1)) return words::sqrt(x).inverse();
  return unknown(256, std::pow(x.real(), y.real()), x, y);
}

}  // namespace ctnn::ir::field

namespace ctnn::ir::math {

template <>
struct of<field::residue> {
  using number = field::residue;
  static number sqrt(number x) { return field::words::sqrt(x); }
  static number pow(number x, number y) { return field::pow(x, y); }
  static number abs(number x) { return field::words::abs(x); }
  static number exp(number x) { return field::words::exp(x); }
  static number log(number x) { return field::words::log(x); }
  static number max(number x, number y) { return x < y ? y : x; }
  static number min(number x, number y) { return y < x ? y : x; }
};

}  // namespace ctnn::ir::math
