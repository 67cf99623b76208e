// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm, plain: unit by unit.
#pragma once

#include "../recurrence.hpp"
#include "coordinates.hpp"
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
  const T bound = static_cast<T>(p.cell_clip);
  for (int j = 0; j < sum.hidden; ++j) {
    const auto gate = [&](int g, int peephole) {
      const T all = sum.x(g, j) + sum.h(g, j, h);
      return f(d, 0, p.peepholes ? all + sum.weights.peepholes[peephole * sum.hidden + j] * c[j] : all);
    };
    const T i = gate(0, 0), forget = p.input_forget ? 1 - i : gate(1, 1);
    const T cell = forget * c[j] + i * f(d, 1, sum.x(2, j) + sum.h(2, j, h));
    c[j] = !(bound > 0) ? cell : cell < -bound ? -bound : cell > bound ? bound : cell;
    y[j] = gate(3, 2) * f.unbounded(d, 2, c[j]);
  }
}

/// By coordinates: step t of sequence n, its state in each direction. The state before a step is the output of the step
/// before, or the first state; the last states may lie over those before the first step.
template <class T, op::recurrent Op, class Apply>
constexpr void run_recurrence(const Op& p, const arguments& a, std::span<const T* const> slots, const Apply& apply) {
  const gate_functions<T, Op, Apply> f{p, apply};
  const auto sizes = p.sizes_of(a.in[0].shape);
  const std::size_t h0 = p.lengths ? 2 : 1;  // among the inputs
  const bool is_given = a.in.size() > h0;
  detail::for_each_place({p.directions(), sizes.batch}, [&](const detail::coordinates& at, std::int64_t state) {
    const int d = at[0], n = at[1];
    const auto place = [&](int t) {  // of a step's numbers in the input, and in each direction of the output
      return p.batch_first ? std::ptrdiff_t{n} * sizes.length + t : std::ptrdiff_t{t} * sizes.batch + n;
    };
    const auto output = [&](int t) { return numbers_of<T>(a.out[0]) + (place(t) * p.directions() + d) * p.hidden; };
    const auto state_in = [&](const auto& tensor) { return numbers_of<T>(tensor) + state * p.hidden; };
    recurrence_weights<T> weights = weights_of<T>(p, slots, d);
    T* const last_h = weights.spare = state_in(a.out[1]);
    T* last_c = nullptr;
    if constexpr (Op::states == 2) last_c = state_in(a.out[2]);
    for (int j = 0; j < p.hidden; ++j) {
      if (!is_given) last_h[j] = T{0};
      if constexpr (Op::states == 2) last_c[j] = is_given ? state_in(a.in[h0 + 1])[j] : T{0};
    }
    const T* h = is_given ? state_in(a.in[h0]) : last_h;
    const int steps = p.lengths ? steps_of(a.in[1], n, sizes.length) : sizes.length;
    for (int t = 0; t < steps; ++t) {
      const int now = p.backwards(d) ? steps - 1 - t : t;
      const gate_sums<T> sum{weights, numbers_of<T>(a.in[0]) + place(now) * sizes.in, sizes.in, p.hidden};
      step(p, f, sum, h, last_c, output(now));
      h = output(now);
    }
    for (int t = steps; t < sizes.length; ++t)
      for (int j = 0; j < p.hidden; ++j) output(t)[j] = T{0};
    for (int j = 0; j < p.hidden; ++j) last_h[j] = h[j];
  });
}

template <op::recurrent Op>
constexpr void run(const Op& p, const arguments& a) {
  run_recurrence<float>(p, a, a.weights, [](const activation_function& f, float x) { return apply(f, x); });
}

}  // namespace ctnn::ir::reference
