// SPDX-License-Identifier: BSL-1.0
// Operators of static networks whose values are not f32: computed in float by the reference kernels.
#pragma once

#include "../reference/normalization.hpp"
#include "../reference/pooling.hpp"
#include "pointwise.hpp"

namespace ctnn::ir::typed {

/// Runs f with every tensor as floats and converts the outputs back, rounding and saturating.
template <class F>
void as_floats(const arguments& a, scratch_memory memory, F f) {
  static_vector<const_tensor, 4> in;
  static_vector<tensor, 2> out;
  for (const const_tensor& t : a.in) {
    const tensor copy{memory.take<float>(t.shape.count()).data(), t.shape};
    run(op::cast{dtype::f32}, arguments{{&t, 1}, {&copy, 1}, {}});
    in.push_back(copy);
  }
  for (const tensor& t : a.out) out.push_back({memory.take<float>(t.shape.count()).data(), t.shape});
  f(arguments{{in.data(), in.size()}, {out.data(), out.size()}, a.weights});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const const_tensor from = out[i];
    run(op::cast{a.out[i].type}, arguments{{&from, 1}, {&a.out[i], 1}, {}});
  }
}

inline void run(const op::adaptive_pool& p, const arguments& a) {
  if (size_of(a.in[0].type) == 1 && p.function == op::pooling::average && p.is_global()) {
    const std::int64_t windows = a.out[0].shape.count(), each = windows == 0 ? 0 : a.in[0].shape.count() / windows;
    for (std::int64_t i = 0; i < windows; ++i) {
      const std::int64_t sum =
          integers_of(a).sum(elements<std::uint8_t>(a.in[0]) + i * each, each, a.in[0].type == dtype::i8);
      elements<std::uint8_t>(a.out[0])[i] = static_cast<std::uint8_t>(average_of_integers(sum, each));
    }
    return;
  }
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    reference::adaptive_pool_planes(p, b.in[0].shape, elements<T>(b.in[0]), elements<T>(b.out[0]));
  });
}

/// batch_norm, scale, bias and prelu.
template <reference::by_channel Op>
void run(const Op& p, const arguments& a) {
  for_floating_weights(p, a, [&]<class T>(const arguments& b, const auto& weights, tag<T>) {
    reference::map_channels(p, b.in[0].shape, elements<T>(b.in[0]), elements<T>(b.out[0]), weights.data());
    if constexpr (requires { p.activation; }) activate<T>(p.activation, b.out[0]);
  });
}

}  // namespace ctnn::ir::typed
