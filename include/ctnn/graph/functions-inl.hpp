// SPDX-License-Identifier: BSL-1.0
// The functions of one number, each written once, for whatever numbers stand in the namespace that includes this file:
// there is no include guard, as floats (ctnn::math, also in constants), doubles (ctnn::real) and the vectors of each
// target take their turn. `numbers` is that namespace; it has the words used here (exp, select, clamp, number<V>, ...)
// and the operators but for /, which is div: on 32-bit ARM vectors' own is not exact.
//
// A new function is a struct here and its name in CTNN_FUNCTIONS (activation.hpp). x is the number, a and b are
// parameters. NaN stays NaN, as in numpy, unless the function says otherwise: comparisons leave it to the branch of x.

namespace functions {

#define CTNN_OF template <class V> CTNN_INLINE static constexpr V of

/// What there is a word for.
#define CTNN_WORD(name) \
  struct name {         \
    CTNN_OF(V x, V, V) { return numbers::name(x); } \
  };
CTNN_WORD(relu) CTNN_WORD(sigmoid) CTNN_WORD(tanh) CTNN_WORD(softplus) CTNN_WORD(abs) CTNN_WORD(neg) CTNN_WORD(floor)
CTNN_WORD(ceil) CTNN_WORD(round) CTNN_WORD(trunc) CTNN_WORD(sqrt) CTNN_WORD(exp) CTNN_WORD(expm1) CTNN_WORD(log)
CTNN_WORD(log1p) CTNN_WORD(log10) CTNN_WORD(sin) CTNN_WORD(cos) CTNN_WORD(tan) CTNN_WORD(asin) CTNN_WORD(acos)
CTNN_WORD(atan) CTNN_WORD(sinh) CTNN_WORD(cosh) CTNN_WORD(asinh) CTNN_WORD(acosh) CTNN_WORD(atanh) CTNN_WORD(erf)
#undef CTNN_WORD

struct leaky_relu { CTNN_OF(V x, V a, V) { return numbers::select(x < number<V>(0), a * x, x); } };
struct clip { CTNN_OF(V x, V a, V b) { return numbers::clamp(x, a, b); } };

/// clip(a x + b, 0, 1); PyTorch's numbers are 1/6 and 1/2. It begins to rise at -b / a, where a x + b would cancel.
struct hardsigmoid {
  CTNN_OF(V x, V a, V b) {
    const V y = numbers::select(a == number<V>(0), b, a * (x + numbers::div(b, a)));
    return numbers::clamp(y, number<V>(0), number<V>(1));
  }
};

struct hardswish { CTNN_OF(V x, V a, V b) { return x * hardsigmoid::of(x, a, b); } };
struct elu { CTNN_OF(V x, V a, V) { return numbers::select(x < number<V>(0), a * numbers::expm1(x), x); } };
struct silu { CTNN_OF(V x, V, V) { return x * numbers::sigmoid(x); } };

/// x tanh(log(1 + e^x)): with n = e^x (e^x + 2) it is x n / (n + 2).
struct mish {
  CTNN_OF(V x, V, V) {
    const V e = numbers::exp(numbers::select(x < number<V>(20), x, number<V>(20)));
    const V n = e * (e + number<V>(2));
    return x * numbers::div(n, n + number<V>(2));
  }
};

/// x (1 + erf(x / sqrt 2)) / 2
struct gelu { CTNN_OF(V x, V, V) { return x * numbers::normal_below(x); } };

/// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, other numbers than gelu; the form without cancellation.
struct gelu_tanh {
  CTNN_OF(V x, V, V) {
    return x * numbers::sigmoid(number<V>(1.5957691216057308) * x * (number<V>(1) + number<V>(0.044715) * x * x));
  }
};

struct selu { CTNN_OF(V x, V a, V b) { return b * numbers::select(x > number<V>(0), x, a * numbers::expm1(x)); } };
struct celu {
  CTNN_OF(V x, V a, V) { return numbers::select(x < number<V>(0), a * numbers::expm1(numbers::div(x, a)), x); }
};
struct softsign { CTNN_OF(V x, V, V) { return numbers::div(x, number<V>(1) + numbers::abs(x)); } };
struct thresholded_relu { CTNN_OF(V x, V a, V) { return numbers::select(x <= a, number<V>(0), x); } };

/// Of NaN 0, as ONNX's formula says.
struct shrink {
  CTNN_OF(V x, V a, V b) {
    return numbers::select(x < numbers::neg(a), x + b, numbers::select(x > a, x - b, number<V>(0)));
  }
};

struct swish { CTNN_OF(V x, V a, V) { return x * numbers::sigmoid(a * x); } };
struct affine { CTNN_OF(V x, V a, V b) { return a * x + b; } };
struct scaled_tanh { CTNN_OF(V x, V a, V b) { return a * numbers::tanh(b * x); } };
struct square { CTNN_OF(V x, V, V) { return x * x; } };
struct rsqrt { CTNN_OF(V x, V, V) { return numbers::div(number<V>(1), numbers::sqrt(x)); } };
struct reciprocal { CTNN_OF(V x, V, V) { return numbers::div(number<V>(1), x); } };

struct sign {
  CTNN_OF(V x, V, V) {
    const V rest = numbers::select(x == number<V>(0), number<V>(0), x);
    return numbers::select(x > number<V>(0), number<V>(1), numbers::select(x < number<V>(0), number<V>(-1), rest));
  }
};

#undef CTNN_OF

/// at<function::relu>::type is relu.
template <function>
struct at;
#define CTNN_AT(name)         \
  template <>                 \
  struct at<function::name> { \
    using type = name;        \
  };
CTNN_FUNCTIONS(CTNN_AT)
#undef CTNN_AT

}  // namespace functions
