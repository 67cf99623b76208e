// SPDX-License-Identifier: BSL-1.0
// The steps of a recurrent layer: directions, then the batch, then time.
#pragma once

#include "../graph/operators/recurrent.hpp"
#include "targets.hpp"
#include "tensor.hpp"

namespace ctnn {

/// Weights of one direction; biases may be null.
struct recurrence_weights {
  const float *w, *r, *w_bias, *r_bias;
};

/// step(weights, x, h, c, y) computes the new h of one sequence into y, from x and the h before; c, which only lstm has, is
/// changed in place. The last states are where the outputs for them are.
template <class Step>
constexpr CTNN_INLINE void walk_recurrence(const op::recurrence& p, const arguments& a, const Step& step) {
  const op::recurrence::sizes s = p.sizes_of(a.in[0].shape);
  const int hidden = p.hidden, directions = p.directions();
  for (int d = 0; d < directions; ++d) {
    const float* const* slot = a.weights.data() + d * p.slots_of_direction();
    const recurrence_weights weights{slot[0], slot[1], p.bias ? slot[2] : nullptr, p.bias ? slot[3] : nullptr};
    for (int n = 0; n < s.batch; ++n) {
      const std::ptrdiff_t at = (std::ptrdiff_t{d} * s.batch + n) * hidden;
      for (std::size_t state = 1; state < a.out.size(); ++state)
        for (int j = 0; j < hidden; ++j) a.out[state].data[at + j] = state < a.in.size() ? a.in[state].data[at + j] : 0.0f;
      float* const last = a.out[1].data + at;
      float* const c = a.out.size() > 2 ? a.out[2].data + at : nullptr;
      const float* h = last;
      for (int i = 0; i < s.length; ++i) {
        const int t = p.backwards(d) ? s.length - 1 - i : i;
        const std::ptrdiff_t place = p.batch_first ? std::ptrdiff_t{n} * s.length + t : std::ptrdiff_t{t} * s.batch + n;
        float* const y = a.out[0].data + (place * directions + d) * hidden;
        step(weights, a.in[0].data + place * s.in, h, c, y);
        h = y;
      }
      if (h == last) continue;
      for (int j = 0; j < hidden; ++j) last[j] = h[j];
    }
  }
}

}  // namespace ctnn
