// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm: for each step and each few vectors of units the sums of all gates in registers, and the cell on
// them. The weights of one input for all gates lie next to each other (packing.hpp).

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_RECURRENT_INL_HPP)
#define CTNN_KERNELS_RECURRENT_INL_HPP
#define CTNN_KERNELS_RECURRENT_ENABLED
#endif
#elif defined(CTNN_KERNELS_RECURRENT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_RECURRENT_INL_HPP
#undef CTNN_KERNELS_RECURRENT_INL_HPP
#else
#define CTNN_KERNELS_RECURRENT_INL_HPP
#endif
#define CTNN_KERNELS_RECURRENT_ENABLED
#endif

#if defined(CTNN_KERNELS_RECURRENT_ENABLED)
#undef CTNN_KERNELS_RECURRENT_ENABLED

#include "binary-inl.hpp"
#include "../packing.hpp"
#include "../walks/recurrence_walk.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Where in packed weights of `gates` gates and n inputs a block of units begins, or its part from `unit` on.
template <int = 0>
CTNN_INLINE std::ptrdiff_t packed_place(int gates, int unit, std::ptrdiff_t n) {
  return unit / channel_block * n * gates * channel_block + unit % channel_block;
}

/// Units that a cell computes: where they begin, how many exist, their states, and the layer's peepholes. `Alone`: no
/// others are computed at the same time, so that every instruction waits for the one before it.
template <bool Alone>
struct some_units {
  int at, count, direction;
  const float* h;
  float* c;
  const float* peepholes;
};

// Functions: of the gates, of what they let in, and of lstm's c.

struct usual_functions {
  static constexpr bool usual = true;
  /// sigmoid within 1.5e-7, which is what counts for a factor, and sooner than by an exponential: steps wait for each
  /// other.
  template <bool Alone>
  CTNN_INLINE vec gate(const some_units<Alone>&, vec x) const {
    return mul_add(tanh<Alone>(mul(x, set(0.5f))), set(0.5f), set(0.5f));
  }
  template <bool Alone>
  CTNN_INLINE vec input(const some_units<Alone>&, vec x) const {
    return tanh<Alone>(x);
  }
  template <bool Alone>
  CTNN_INLINE vec output(const some_units<Alone>&, vec x) const {
    return tanh<Alone>(x);
  }
};

/// Those that the layer names; what they are given stays within its bound.
struct chosen_functions {
  static constexpr bool usual = false;
  activation_function gates[2], inputs[2], outputs[2];
  float bound;

  template <class Op>
  CTNN_INLINE explicit chosen_functions(const Op& p)
      : bound(p.clip > 0 ? p.clip : std::numeric_limits<float>::infinity()) {
    for (int d = 0; d < p.directions(); ++d) {
      gates[d] = p.function_at(d, 0);
      inputs[d] = p.function_at(d, Op::gates > 1 ? 1 : 0);
      outputs[d] = p.function_at(d, Op::functions_each - 1);
    }
  }
  CTNN_INLINE vec gate(const auto& u, vec x) const {
    return apply(gates[u.direction], clamp(x, set(-bound), set(bound)));
  }
  CTNN_INLINE vec input(const auto& u, vec x) const {
    return apply(inputs[u.direction], clamp(x, set(-bound), set(bound)));
  }
  CTNN_INLINE vec output(const auto& u, vec x) const { return apply(outputs[u.direction], x); }

 private:
  CTNN_INLINE static vec apply(const activation_function& f, vec x) {
    float numbers[lanes];
    storeu(x, numbers);
    activate_row(f, lanes, numbers);
    return loadu(numbers);
  }
};

/// The sum that each gate adds to; -1: none.
template <int... To>
struct to_sums {
  static constexpr int of[] = {To...};
};

// Cells: the new h of a vector of units from the sums of their gates: `of_x` of W x + b, `of_h` of R h + c and, if
// there is one, `of_spare` of R applied to the state that is put aside.

template <class F>
struct rnn_cell {
  static constexpr int gates = 1, sums = 1;
  using of_x = to_sums<0>;
  using of_h = to_sums<0>;
  F f;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const auto& u) const { return f.input(u, s[0]); }
};

CTNN_INLINE vec blend(vec keep, const auto& u, vec candidate) {
  // Only the last product waits for the candidate.
  return mul_add(sub(set(1), keep), candidate, mul(keep, load_bounded(u.h + u.at, u.count)));
}

template <class F>
struct gru_cell {
  static constexpr int gates = 3, sums = 4;
  using of_x = to_sums<0, 1, 2>;
  using of_h = to_sums<0, 1, 3>;
  F f;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const auto& u) const {
    const vec candidate = f.input(u, mul_add(f.gate(u, s[0]), s[3], s[2]));
    return blend(f.gate(u, s[1]), u, candidate);
  }
};

/// What gru puts aside if the reset comes before the product: r h.
template <class F>
struct reset_cell {
  static constexpr int gates = 3, sums = 1;
  using of_x = to_sums<0, -1, -1>;
  using of_h = of_x;
  F f;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const auto& u) const {
    return mul(f.gate(u, s[0]), load_bounded(u.h + u.at, u.count));
  }
};
template <class F>
struct gru_after_reset_cell {
  static constexpr int gates = 3, sums = 2;
  using of_x = to_sums<-1, 0, 1>;
  using of_h = to_sums<-1, 0, -1>;
  using of_spare = to_sums<-1, -1, 1>;
  F f;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const auto& u) const {
    return blend(f.gate(u, s[0]), u, f.input(u, s[1]));
  }
};

template <class F>
struct lstm_cell {
  static constexpr int gates = 4, sums = 4;
  using of_x = to_sums<0, 1, 2, 3>;
  using of_h = of_x;
  F f;
  bool input_forget = false;
  float bound = 0;  ///< of c, if above 0
  CTNN_INLINE vec operator()(const vec (&s)[sums], const auto& u) const {
    const vec input = f.input(u, s[2]), i = gate(u, s[0], 0);
    const vec forget = !F::usual && input_forget ? sub(set(1), i) : gate(u, s[1], 1);
    vec c = mul_add(forget, load_bounded(u.c + u.at, u.count), mul(i, input));
    if (bound > 0) c = clamp(c, set(-bound), set(bound));
    store_bounded(c, u.c + u.at, u.count);
    return mul(gate(u, s[3], 2), f.output(u, c));
  }

 private:
  /// It sees the c that is there at the time.
  CTNN_INLINE vec gate(const auto& u, vec sum, int peephole) const {
    if (F::usual || !u.peepholes) return f.gate(u, sum);
    const vec factor = loadu(u.peepholes + packed_place(3, u.at, 1) + peephole * channel_block);
    return f.gate(u, mul_add(factor, load_bounded(u.c + u.at, u.count), sum));
  }
};

/// Vectors of units at a time; on the widest targets they are of two blocks.
constexpr int unit_vectors = lanes == 1 ? 4 : 2;

/// As many sums of every other term as keep eight multiply-adds under way.
constexpr int partial_sums(int sums) { return lanes == 1 || sums >= 8 ? 1 : 8 / sums; }

/// The sums of V vectors of units from `unit` on.
template <int Gates, int Sums, int V>
struct gate_sums {
  static constexpr int parts = partial_sums(Sums * V);
  static constexpr std::ptrdiff_t step = std::ptrdiff_t{Gates} * channel_block;  ///< weights of one input

  vec sums[parts][Sums][V];

  CTNN_INLINE gate_sums() {
    CTNN_UNROLL for (int part = 0; part < parts; ++part) CTNN_UNROLL for (int g = 0; g < Sums; ++g)
        CTNN_UNROLL for (int v = 0; v < V; ++v) sums[part][g][v] = zero();
  }
  template <class To>
  CTNN_INLINE void add_bias(const float* bias, int unit) {
    if (bias == nullptr) return;
    CTNN_UNROLL for (int g = 0; g < Gates; ++g)
      CTNN_UNROLL for (int v = 0; v < V; ++v) {
        if (To::of[g] < 0) continue;
        vec& sum = sums[0][To::of[g]][v];
        sum = add(sum, loadu(bias + packed_place(Gates, unit + v * lanes, 1) + g * channel_block));
      }
  }
  /// x[k] times its weights, for all k of n.
  template <class To>
  CTNN_INLINE void add_products(const float* x, int n, const float* weights, int unit) {
    const float* w[V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) w[v] = weights + packed_place(Gates, unit + v * lanes, n);
    int k = 0;
    for (; k + parts <= n; k += parts)
      CTNN_UNROLL for (int part = 0; part < parts; ++part) add_product<To>(part, set(x[k + part]), w, k + part);
    for (; parts > 1 && k < n; ++k) add_product<To>(0, set(x[k]), w, k);
  }
  CTNN_INLINE void join() {
    CTNN_UNROLL for (int part = 1; part < parts; ++part) CTNN_UNROLL for (int g = 0; g < Sums; ++g)
        CTNN_UNROLL for (int v = 0; v < V; ++v) sums[0][g][v] = add(sums[0][g][v], sums[part][g][v]);
  }

 private:
  template <class To>
  CTNN_INLINE void add_product(int part, vec x, const float* const (&w)[V], int k) {
    CTNN_UNROLL for (int g = 0; g < Gates; ++g)
      CTNN_UNROLL for (int v = 0; v < V; ++v) {
        if (To::of[g] < 0) continue;
        vec& sum = sums[part][To::of[g]][v];
        sum = mul_add(x, loadu(w[v] + k * step + g * channel_block), sum);
      }
  }
};

/// One step of one sequence, all units.
template <class Cell>
struct recurrence_step {
  static constexpr int together = unit_vectors * lanes;
  int in, hidden;
  Cell cell;

  CTNN_NOINLINE void operator()(const recurrence_weights<float>& w, const float* x, const float* h, float* c, float* y,
                                float* also = nullptr) const {
    for (int unit = 0; unit < hidden; unit += unit_vectors * lanes) {
      // Of the last units there may be no second vector, nor weights of one.
      const bool one_vector = lanes > 1 && hidden - unit <= lanes;
      if (one_vector) run_units<1>(w, x, h, c, y, also, unit);
      else run_units<unit_vectors>(w, x, h, c, y, also, unit);
    }
  }

 private:
  template <int V>
  CTNN_INLINE void run_units(const recurrence_weights<float>& w, const float* x, const float* h, float* c, float* y,
                             float* also, int unit) const {
    constexpr bool reads_spare = requires { typename Cell::of_spare; };
    gate_sums<Cell::gates, Cell::sums, V> s;
    s.template add_bias<typename Cell::of_x>(w.w_bias, unit);
    s.template add_bias<typename Cell::of_h>(w.r_bias, unit);
    if constexpr (reads_spare) s.template add_bias<typename Cell::of_spare>(w.r_bias, unit);
    s.template add_products<typename Cell::of_x>(x, in, w.w, unit);
    s.template add_products<typename Cell::of_h>(h, hidden, w.r, unit);
    if constexpr (reads_spare) s.template add_products<typename Cell::of_spare>(w.spare, hidden, w.r, unit);
    s.join();
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      const int at = unit + v * lanes, n = hidden - at;
      if (n <= 0) break;
      vec of_unit[Cell::sums];
      CTNN_UNROLL for (int g = 0; g < Cell::sums; ++g) of_unit[g] = s.sums[0][g][v];
      const vec state = cell(of_unit, some_units<V == 1>{at, n, w.direction, h, c, w.peepholes});
      store_bounded(state, y + at, n);
      if (also) store_bounded(state, also + at, n);
    }
  }
};

/// A step of gru whose reset comes before the product: it needs r h of all units.
template <class F>
struct reset_first_step {
  recurrence_step<reset_cell<F>> reset;
  recurrence_step<gru_after_reset_cell<F>> rest;
  /// Called from a function of no target: cannot be part of it.
  CTNN_NOINLINE void operator()(const recurrence_weights<float>& w, const float* x, const float* h, float* c,
                                float* y) const {
    if (h != w.spare) reset(w, x, h, c, w.spare);
    rest(w, x, h, c, y);
  }
};

template <class Op, class Cell>
CTNN_INLINE recurrence_step<Cell> step_of(const Op& p, const arguments& a, const Cell& cell) {
  return {p.sizes_of(a.in[0].shape).in, p.hidden, cell};
}

template <class F>
CTNN_INLINE void run_recurrence(const op::rnn& p, const arguments& a, const F& f) {
  walk_recurrence<float>(p, a, a.weights, step_of(p, a, rnn_cell<F>{f}));
}
template <class F>
CTNN_INLINE void run_recurrence(const op::gru& p, const arguments& a, const F& f) {
  if (p.linear_before_reset) return walk_recurrence<float>(p, a, a.weights, step_of(p, a, gru_cell<F>{f}));
  const reset_first_step<F> step{step_of(p, a, reset_cell<F>{f}), step_of(p, a, gru_after_reset_cell<F>{f})};
  walk_recurrence<float>(p, a, a.weights, step);
}
template <class F>
CTNN_INLINE void run_recurrence(const op::lstm& p, const arguments& a, const F& f) {
  walk_recurrence<float>(p, a, a.weights, step_of(p, a, lstm_cell<F>{f, p.input_forget, p.cell_clip}));
}

}  // namespace detail

template <op::recurrent Op>
CTNN_INLINE void run(const Op& p, const arguments& a) {
  if (p.usual_gates()) detail::run_recurrence(p, a, detail::usual_functions{});
  else detail::run_recurrence(p, a, detail::chosen_functions(p));
}

CTNN_END_TARGET

#endif
