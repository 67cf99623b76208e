// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm, plain: unit by unit.
#pragma once

#include "../walks/recurrence_walk.hpp"
#include "elementwise.hpp"

namespace ctnn::ir::reference {

/// Row `row` of a matrix times a vector, and a number of the bias. Several sums at a time: loaded models of doubles
/// run it.
template <class T>
constexpr T row_product(const T* matrix, const T* bias, int row, const T* x, int n) {
  constexpr int block = 8;
  T sum = bias ? bias[row] : T{0}, sums[block]{};
  const T* w = matrix + static_cast<std::ptrdiff_t>(row) * n;
  int k = 0;
  for (; k + block <= n; k += block)
    for (int i = 0; i < block; ++i) sums[i] += w[k + i] * x[k + i];
  for (; k < n; ++k) sum += w[k] * x[k];
  for (const T s : sums) sum += s;
  return sum;
}

/// The sums of one step's gates: W x + b, and R h + c for any h.
template <class T>
struct gate_sums {
  const recurrence_weights<T>& weights;
  const T* in;
  int depth, hidden;

  constexpr T x(int gate, int unit) const {
    return row_product(weights.w, weights.w_bias, gate * hidden + unit, in, depth);
  }
  constexpr T h(int gate, int unit, const T* h) const {
    return row_product(weights.r, weights.r_bias, gate * hidden + unit, h, hidden);
  }
};

/// The functions of a layer and its clipping. `apply` knows them for T: in constants, or by libm.
template <class T, class Op, class Apply>
struct gate_functions {
  const Op& p;
  Apply apply;

  constexpr T unbounded(int d, int i, T x) const { return apply(p.function_at(d, i), x); }
  constexpr T operator()(int d, int i, T x) const {
    const T bound = static_cast<T>(p.clip);
    return unbounded(d, i, !(bound > 0) ? x : x < -bound ? -bound : x > bound ? bound : x);
  }
};

template <class T>
constexpr void step(const op::rnn&, const auto& f, const gate_sums<T>& sum, const T* h, T*, T* y) {
  for (int j = 0; j < sum.hidden; ++j) y[j] = f(sum.weights.direction, 0, sum.x(0, j) + sum.h(0, j, h));
}

template <class T>
constexpr void step(const op::gru& p, const auto& f, const gate_sums<T>& sum, const T* h, T*, T* y) {
  const int d = sum.weights.direction;
  T* const spare = sum.weights.spare;
  const auto reset = [&](int j) { return f(d, 0, sum.x(0, j) + sum.h(0, j, h)); };
  for (int j = 0; j < sum.hidden && !p.linear_before_reset && h != spare; ++j) spare[j] = reset(j) * h[j];
  for (int j = 0; j < sum.hidden; ++j) {
    const T seen = p.linear_before_reset ? reset(j) * sum.h(2, j, h) : sum.h(2, j, spare);
    const T candidate = f(d, 1, sum.x(2, j) + seen), keep = f(d, 0, sum.x(1, j) + sum.h(1, j, h));
    y[j] = (1 - keep) * candidate + keep * h[j];
  }
}

template <class T>
constexpr void step(const op::lstm& p, const auto& f, const gate_sums<T>& sum, const T* h, T* c, T* y) {
  const int d = sum.weights.direction;
  for (int j = 0; j < sum.hidden; ++j) {
    const auto gate = [&](int g, int peephole) {
      const T all = sum.x(g, j) + sum.h(g, j, h);
      return f(d, 0, p.peepholes ? all + sum.weights.peepholes[peephole * sum.hidden + j] * c[j] : all);
    };
    const T i = gate(0, 0), forget = p.input_forget ? 1 - i : gate(1, 1);
    c[j] = forget * c[j] + i * f(d, 1, sum.x(2, j) + sum.h(2, j, h));
    y[j] = gate(3, 2) * f.unbounded(d, 2, c[j]);
  }
}

template <class T, op::recurrent Op, class Apply>
constexpr void run_recurrence(const Op& p, const arguments& a, std::span<const T* const> slots, const Apply& apply) {
  const gate_functions<T, Op, Apply> f{p, apply};
  const int in = p.sizes_of(a.in[0].shape).in;
  walk_recurrence<T>(p, a, slots, [&](const recurrence_weights<T>& w, const T* x, const T* h, T* c, T* y) {
    step(p, f, gate_sums<T>{w, x, in, p.hidden}, h, c, y);
  });
}

template <op::recurrent Op>
constexpr void run(const Op& p, const arguments& a) {
  run_recurrence<float>(p, a, a.weights, [](const activation_function& f, float x) { return apply(f, x); });
}

}  // namespace ctnn::ir::reference
