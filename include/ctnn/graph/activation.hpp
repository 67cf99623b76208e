// SPDX-License-Identifier: BSL-1.0
// The functions of one number: one value says which, with its parameters. The `activation` operator and every operator
// that applies one in registers hold it.
#pragma once

#include <string_view>

#include "../base/compiler.hpp"
#include "../base/math.hpp"

namespace ctnn::ir {

/// What networks put behind a layer, and layers take in.
#define CTNN_ACTIVATIONS(f) \
  f(relu) f(leaky_relu) f(clip) f(sigmoid) f(tanh) f(hardsigmoid) f(hardswish) f(elu) f(silu) f(mish) \
  f(gelu) f(gelu_tanh)
/// Every function of functions-inl.hpp, which says what they are.
#define CTNN_FUNCTIONS(f) \
  CTNN_ACTIVATIONS(f) \
  f(selu) f(celu) f(softplus) f(softsign) f(thresholded_relu) f(shrink) f(swish) f(affine) f(scaled_tanh) \
  f(abs) f(neg) f(sign) f(floor) f(ceil) f(round) f(trunc) f(square) f(sqrt) f(rsqrt) f(reciprocal) \
  f(exp) f(expm1) f(log) f(log1p) f(log10) f(sin) f(cos) f(tan) f(asin) f(acos) f(atan) \
  f(sinh) f(cosh) f(asinh) f(acosh) f(atanh) f(erf)

#define CTNN_NAME(name) name,
/// `prelu` has a slope for each channel, a weight of the layer that applies it (op::conv2d): no number alone is mapped.
enum class function : unsigned char { none, CTNN_FUNCTIONS(CTNN_NAME) prelu };
#undef CTNN_NAME
#define CTNN_NAME(name) #name,
inline constexpr std::string_view function_names[] = {"none", CTNN_FUNCTIONS(CTNN_NAME)};
#undef CTNN_NAME

constexpr std::string_view name_of(function f) {
  return f == function::prelu ? "prelu" : function_names[static_cast<std::size_t>(f)];
}

#define CTNN_COUNT(name) +1
inline constexpr int activation_count = CTNN_ACTIVATIONS(CTNN_COUNT);
#undef CTNN_COUNT

/// Whether layers take it in; the others stay operators of their own.
constexpr bool is_activation(function f) { return static_cast<int>(f) <= activation_count; }

struct activation_function {
  function kind = function::none;
  float a = 0;
  float b = 0;

  friend constexpr bool operator==(const activation_function&, const activation_function&) = default;
  constexpr explicit operator bool() const { return kind != function::none; }
};

namespace math {

namespace numbers = ctnn::ir::math;
template <class V>
constexpr V number(double x) {
  return static_cast<V>(x);
}
constexpr float select(bool condition, float yes, float no) { return condition ? yes : no; }
constexpr float neg(float x) { return -x; }
constexpr float div(float x, float y) { return x / y; }
constexpr float relu(float x) { return x < 0 ? 0 : x; }

#include "functions-inl.hpp"

}  // namespace math

/// The definition, one number at a time; the kernels' vector form is tested against it.
constexpr float apply(const activation_function& f, float x) {
  switch (f.kind) {
    case function::none: return x;
#define CTNN_APPLY(name) \
  case function::name: return math::functions::name::of(x, f.a, f.b);
      CTNN_FUNCTIONS(CTNN_APPLY)
#undef CTNN_APPLY
    case function::prelu: return x;  // its layer's
  }
  return x;
}

}  // namespace ctnn::ir

namespace ctnn {
using ir::activation_function;
using ir::function;
}  // namespace ctnn
