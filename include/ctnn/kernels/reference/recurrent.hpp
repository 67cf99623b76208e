// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm, plain: unit by unit.
#pragma once

#include "../../graph/operators/recurrent.hpp"
#include "../tensor.hpp"
#include "elementwise.hpp"

namespace ctnn::reference {

/// Row `row` of a matrix times a vector, and a number of the bias.
constexpr float row_product(const float* matrix, const float* bias, int row, const float* x, int n) {
  float sum = bias ? bias[row] : 0.0f;
  const float* w = matrix + static_cast<std::ptrdiff_t>(row) * n;
  for (int k = 0; k < n; ++k) sum += w[k] * x[k];
  return sum;
}

/// cell(gate, j, h, c): the new h_j from h and c_j, where gate(g) is {W x + b, R h + c} of the unit's gate g.
template <class Op, class Cell>
constexpr void run_recurrence(const Op& p, const arguments& a, const Cell& cell) {
  const auto s = p.sizes_of(a.in[0].shape);
  const int hidden = p.hidden, directions = p.directions();
  struct sums {
    float x, h;
  };
  for (int d = 0; d < directions; ++d) {
    const auto slot = [&](int i) { return a.weights[static_cast<std::size_t>(d * p.slots_of_direction() + i)]; };
    const float *w = slot(0), *r = slot(1), *w_bias = p.bias ? slot(2) : nullptr, *r_bias = p.bias ? slot(3) : nullptr;
    for (int n = 0; n < s.batch; ++n) {
      const std::ptrdiff_t at = (static_cast<std::ptrdiff_t>(d) * s.batch + n) * hidden;
      for (std::size_t state = 1; state < a.out.size(); ++state)
        for (int j = 0; j < hidden; ++j) a.out[state].data[at + j] = state < a.in.size() ? a.in[state].data[at + j] : 0.0f;
      float* const last = a.out[1].data + at;
      float* const c = a.out.size() > 2 ? a.out[2].data + at : nullptr;
      const float* h = last;
      for (int i = 0; i < s.length; ++i) {
        const int t = p.backwards(d) ? s.length - 1 - i : i;
        const std::ptrdiff_t place = p.batch_first ? std::ptrdiff_t{n} * s.length + t : std::ptrdiff_t{t} * s.batch + n;
        const float* x = a.in[0].data + place * s.in;
        float* y = a.out[0].data + (place * directions + d) * hidden;
        for (int j = 0; j < hidden; ++j) {
          const auto gate = [&](int g) {
            return sums{row_product(w, w_bias, g * hidden + j, x, s.in), row_product(r, r_bias, g * hidden + j, h, hidden)};
          };
          y[j] = cell(gate, h[j], c ? c + j : nullptr);
        }
        h = y;
      }
      for (int j = 0; j < hidden; ++j) last[j] = h[j];
    }
  }
}

constexpr void run(const op::rnn& p, const arguments& a) {
  run_recurrence(p, a, [&](const auto& gate, float, float*) {
    const auto s = gate(0);
    return apply(p.activation, s.x + s.h);
  });
}

constexpr void run(const op::gru& p, const arguments& a) {
  run_recurrence(p, a, [](const auto& gate, float h, float*) {
    const auto r = gate(0), z = gate(1), n = gate(2);
    const float candidate = math::tanh(n.x + math::sigmoid(r.x + r.h) * n.h), keep = math::sigmoid(z.x + z.h);
    return (1 - keep) * candidate + keep * h;
  });
}

constexpr void run(const op::lstm& p, const arguments& a) {
  run_recurrence(p, a, [](const auto& gate, float, float* c) {
    const auto i = gate(0), f = gate(1), g = gate(2), o = gate(3);
    *c = math::sigmoid(f.x + f.h) * *c + math::sigmoid(i.x + i.h) * math::tanh(g.x + g.h);
    return math::sigmoid(o.x + o.h) * math::tanh(*c);
  });
}

}  // namespace ctnn::reference
