// SPDX-License-Identifier: BSL-1.0
// Operators of static networks whose values are not f32: computed in float by the reference kernels.
#pragma once

#include "../reference/interpolate.hpp"
#include "../reference/normalization.hpp"
#include "../reference/pooling.hpp"
#include "pointwise.hpp"

namespace ctnn::typed {

/// Runs f with every tensor as floats and converts the outputs back, rounding and saturating.
template <class F>
void as_floats(const arguments& a, F f) {
  std::vector<std::vector<float>> memory;
  std::vector<const_tensor> in(a.in.begin(), a.in.end());
  std::vector<tensor> out(a.out.begin(), a.out.end());
  memory.reserve(in.size() + out.size());
  for (const_tensor& t : in) {
    const tensor copy{memory.emplace_back(static_cast<std::size_t>(t.shape.count())).data(), t.shape, layout::nchw, 0, dtype::f32};
    run(op::cast{dtype::f32}, arguments{{&t, 1}, {&copy, 1}, {}});
    t = copy;
  }
  for (tensor& t : out) {
    t.data = memory.emplace_back(static_cast<std::size_t>(t.shape.count())).data();
    t.type = dtype::f32;
  }
  f(arguments{in, out, a.weights});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const const_tensor from = out[i];
    run(op::cast{a.out[i].type}, arguments{{&from, 1}, {&a.out[i], 1}, {}});
  }
}

template <class Op>
  requires requires(const Op& p, const arguments& a) { reference::run(p, a); } &&
           (std::is_same_v<Op, op::batch_norm> || std::is_same_v<Op, op::scale> || std::is_same_v<Op, op::bias> ||
            std::is_same_v<Op, op::prelu> || std::is_same_v<Op, op::pool2d> || std::is_same_v<Op, op::adaptive_pool2d> ||
            std::is_same_v<Op, op::interpolate>)
void run(const Op& p, const arguments& a) {
  as_floats(a, [&](const arguments& b) { reference::run(p, b); });
}

}  // namespace ctnn::typed
