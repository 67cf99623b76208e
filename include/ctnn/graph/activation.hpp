// SPDX-License-Identifier: BSL-1.0
// Activation functions: one value, used by the `activation` operator and by every operator that applies one in registers.
#pragma once

#include "../base/math.hpp"

namespace ctnn {

/// Functions of one number; `a` and `b` are their parameters.
enum class function {
  none,
  relu,         ///< max(x, 0)
  leaky_relu,   ///< x < 0 ? a x : x
  clip,         ///< min(max(x, a), b)
  sigmoid,      ///< 1 / (1 + e^-x)
  tanh,
  hardsigmoid,  ///< clip(a x + b, 0, 1); PyTorch's a = 1/6, b = 1/2
  hardswish,    ///< x * hardsigmoid(x)
  elu,          ///< x < 0 ? a (e^x - 1) : x
  silu,         ///< x * sigmoid(x)
  mish,         ///< x * tanh(log(1 + e^x))
  gelu,         ///< x / 2 (1 + erf(x / sqrt 2))
  gelu_tanh,    ///< x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): other numbers than gelu
};

struct activation_function {
  function kind = function::none;
  float a = 0;
  float b = 0;

  friend constexpr bool operator==(const activation_function&, const activation_function&) = default;
  constexpr explicit operator bool() const { return kind != function::none; }
};

/// The definition, one number at a time; the kernels' vector form is tested against it.
constexpr float apply(const activation_function& f, float x) {
  switch (f.kind) {
    case function::none: return x;
    case function::relu: return x > 0 ? x : 0;
    case function::leaky_relu: return x < 0 ? f.a * x : x;
    case function::clip: return x < f.a ? f.a : (x > f.b ? f.b : x);
    case function::sigmoid: return math::sigmoid(x);
    case function::tanh: return math::tanh(x);
    case function::hardsigmoid: return math::clamp(f.a * x + f.b, 0.0f, 1.0f);
    case function::hardswish: return x * math::clamp(f.a * x + f.b, 0.0f, 1.0f);
    case function::elu: return x < 0 ? f.a * math::expm1(x) : x;
    case function::silu: return x * math::sigmoid(x);
    case function::mish: return x * math::tanh(math::softplus(x));
    case function::gelu: return math::gelu(x);
    case function::gelu_tanh: return math::gelu_tanh(x);
  }
  return x;
}

}  // namespace ctnn
