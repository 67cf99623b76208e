// SPDX-License-Identifier: BSL-1.0
// The functions of one number for doubles, by libm; and for every element type.
#pragma once

#include <cmath>

#include "../../graph/activation.hpp"

namespace ctnn::ir::math {

template <>
struct of<double> {
  static double sqrt(double x) { return std::sqrt(x); }
  static double pow(double x, double y) { return std::pow(x, y); }
};

}  // namespace ctnn::ir::math

namespace ctnn::ir::real {

using std::abs, std::floor, std::ceil, std::trunc, std::sqrt, std::exp, std::expm1, std::log, std::log1p, std::log10,
    std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::asinh,
    std::acosh, std::atanh, std::erf;

namespace numbers = ctnn::ir::real;
template <class V>
V number(double x) {
  return x;
}
inline double div(double x, double y) { return x / y; }
inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
inline double neg(double x) { return -x; }
inline double relu(double x) { return x < 0 ? 0 : x; }
inline double round(double x) { return std::nearbyint(x); }
inline double sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
inline double softplus(double x) { return relu(x) + std::log1p(std::exp(-std::abs(x))); }
inline double normal_below(double x) { return 0.5 * std::erfc(-0.70710678118654752440 * x); }

#include "../../graph/functions-inl.hpp"

}  // namespace ctnn::ir::real

namespace ctnn::ir::typed {

inline float applied(const activation_function& f, float x) { return apply(f, x); }

inline double applied(const activation_function& f, double x) {
  const double a = static_cast<double>(f.a), b = static_cast<double>(f.b);
  switch (f.kind) {
    case function::none: return x;
#define CTNN_APPLY(name) \
  case function::name: return real::functions::name::of(x, a, b);
      CTNN_FUNCTIONS(CTNN_APPLY)
#undef CTNN_APPLY
    case function::prelu: return x;  // its layer's
  }
  return x;
}

}  // namespace ctnn::ir::typed
