// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm, plain: unit by unit.
#pragma once

#include "../recurrence_walk.hpp"
#include "elementwise.hpp"

namespace ctnn::reference {

/// Row `row` of a matrix times a vector, and a number of the bias.
constexpr float row_product(const float* matrix, const float* bias, int row, const float* x, int n) {
  float sum = bias ? bias[row] : 0.0f;
  const float* w = matrix + static_cast<std::ptrdiff_t>(row) * n;
  for (int k = 0; k < n; ++k) sum += w[k] * x[k];
  return sum;
}

/// cell(gate, h, c): the new h of a unit from its h and c, where gate(g) is {W x + b, R h + c} of its gate g.
template <class Cell>
constexpr void run_recurrence(const op::recurrence& p, const arguments& a, const Cell& cell) {
  struct sums {
    float x, h;
  };
  const int hidden = p.hidden, in = p.sizes_of(a.in[0].shape).in;
  walk_recurrence(p, a, [&](const recurrence_weights& w, const float* x, const float* h, float* c, float* y) {
    for (int j = 0; j < hidden; ++j) {
      const auto gate = [&](int g) {
        return sums{row_product(w.w, w.w_bias, g * hidden + j, x, in), row_product(w.r, w.r_bias, g * hidden + j, h, hidden)};
      };
      y[j] = cell(gate, h[j], c ? c + j : nullptr);
    }
  });
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
