// SPDX-License-Identifier: BSL-1.0
// The functions of op::unary on vectors.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_UNARY_INL_HPP)
#define CTNN_KERNELS_UNARY_INL_HPP
#define CTNN_KERNELS_UNARY_ENABLED
#endif
#elif defined(CTNN_KERNELS_UNARY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_UNARY_INL_HPP
#undef CTNN_KERNELS_UNARY_INL_HPP
#else
#define CTNN_KERNELS_UNARY_INL_HPP
#endif
#define CTNN_KERNELS_UNARY_ENABLED
#endif

#if defined(CTNN_KERNELS_UNARY_ENABLED)
#undef CTNN_KERNELS_UNARY_ENABLED

#include "../graph/operators/elementwise.hpp"
#include "reference/elementwise.hpp"
#include "simd-inl.hpp"

CTNN_BEGIN_TARGET

/// A unary function whose kind the compiler knows, on vectors. What Highway lacks goes lane by lane: such functions are
/// rare in networks and keep the accuracy of base/math.hpp this way.
template <op::unary_function Kind>
struct unary_of {
  CTNN_INLINE vec operator()(vec x) const {
    using enum op::unary_function;
    if constexpr (Kind == op::unary_function::abs) return CTNN_TARGET_NAMESPACE::abs(x);
    else if constexpr (Kind == op::unary_function::neg) return CTNN_TARGET_NAMESPACE::neg(x);
    else if constexpr (Kind == square) return mul(x, x);
    else if constexpr (Kind == op::unary_function::sqrt) return CTNN_TARGET_NAMESPACE::sqrt(x);
    else if constexpr (Kind == rsqrt) return div(set(1.0f), CTNN_TARGET_NAMESPACE::sqrt(x));
    else if constexpr (Kind == op::unary_function::exp) return CTNN_TARGET_NAMESPACE::exp(x);
    else if constexpr (Kind == reciprocal) return div(set(1.0f), x);
    else if constexpr (Kind == op::unary_function::tanh) return CTNN_TARGET_NAMESPACE::tanh(x);
#if !CTNN_SCALAR_VEC
    else if constexpr (Kind == op::unary_function::floor) return hn::Floor(x);
    else if constexpr (Kind == op::unary_function::ceil) return hn::Ceil(x);
    else if constexpr (Kind == op::unary_function::round) return hn::Round(x);
    else if constexpr (Kind == op::unary_function::trunc) return hn::Trunc(x);
    else {
      alignas(64) float part[lanes];
      store(x, part);
      for (float& v : part) v = ctnn::apply(Kind, v);
      return load(part);
    }
#else
    else return ctnn::apply(Kind, x);
#endif
  }
};

/// Calls body(unary_of<f>()).
template <class Body>
CTNN_INLINE void with_unary(op::unary_function f, const Body& body) {
  using u = op::unary_function;
  switch (f) {
    case u::abs: return body(unary_of<u::abs>());
    case u::neg: return body(unary_of<u::neg>());
    case u::floor: return body(unary_of<u::floor>());
    case u::ceil: return body(unary_of<u::ceil>());
    case u::square: return body(unary_of<u::square>());
    case u::sqrt: return body(unary_of<u::sqrt>());
    case u::rsqrt: return body(unary_of<u::rsqrt>());
    case u::exp: return body(unary_of<u::exp>());
    case u::log: return body(unary_of<u::log>());
    case u::sin: return body(unary_of<u::sin>());
    case u::cos: return body(unary_of<u::cos>());
    case u::tan: return body(unary_of<u::tan>());
    case u::asin: return body(unary_of<u::asin>());
    case u::acos: return body(unary_of<u::acos>());
    case u::atan: return body(unary_of<u::atan>());
    case u::reciprocal: return body(unary_of<u::reciprocal>());
    case u::tanh: return body(unary_of<u::tanh>());
    case u::log10: return body(unary_of<u::log10>());
    case u::round: return body(unary_of<u::round>());
    case u::trunc: return body(unary_of<u::trunc>());
  }
}

CTNN_END_TARGET

#endif
