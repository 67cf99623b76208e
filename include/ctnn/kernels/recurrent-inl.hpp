// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm: for each step and each few vectors of units the sums of all gates in registers, and the cell on them.
// The weights of one input for all gates lie next to each other (packing.hpp).

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

#include "packing.hpp"
#include "recurrence_walk.hpp"
#include "simd-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

// Cells: the new h of a vector of units, of which `n` exist, from the sums W x + b + R h + c of its gates; h and c are
// where the units' states are. A cell that needs R h + c of its last gate apart has it as one more sum.

/// sigmoid within 1.5e-7, which is what counts for a factor, and sooner than by an exponential: steps wait for each other.
CTNN_INLINE vec gate(vec x) { return mul_add(tanh(mul(x, set(0.5f))), set(0.5f), set(0.5f)); }

template <function Kind>
struct rnn_cell {
  static constexpr int gates = 1, sums = 1;
  activate<Kind> f;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const float*, float*, int) const { return f(s[0]); }
};

struct gru_cell {
  static constexpr int gates = 3, sums = 4;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const float* h, float*, int n) const {
    const vec candidate = tanh(mul_add(gate(s[0]), s[3], s[2]));
    return mul_add(gate(s[1]), sub(load_bounded(h, n), candidate), candidate);
  }
};

struct lstm_cell {
  static constexpr int gates = 4, sums = 4;
  CTNN_INLINE vec operator()(const vec (&s)[sums], const float*, float* c, int n) const {
    const vec cell = mul_add(gate(s[1]), load_bounded(c, n), mul(gate(s[0]), tanh(s[2])));
    store_bounded(cell, c, n);
    return mul(gate(s[3]), tanh(cell));
  }
};

/// Vectors of units at a time; on the widest targets they are of two blocks.
constexpr int unit_vectors = lanes == 1 ? 4 : 2;

/// As many sums of every other term as keep eight multiply-adds under way.
constexpr int partial_sums(int sums) { return lanes == 1 || sums >= 8 ? 1 : 8 / sums; }

/// The sums of V vectors of units from `unit` on. What the last gate has of h goes into sum `Sums` - 1.
template <int Gates, int Sums, int V>
struct gate_sums {
  static constexpr int parts = partial_sums(Sums * V);
  static constexpr std::ptrdiff_t step = std::ptrdiff_t{Gates} * channel_block;  ///< weights of one input

  vec sums[parts][Sums][V];

  CTNN_INLINE gate_sums() {
    for (auto& part : sums)
      for (auto& sum : part)
        for (vec& v : sum) v = zero();
  }
  /// Where a block of n inputs' weights begins, or its part from `unit` on.
  CTNN_INLINE static std::ptrdiff_t place(int unit, std::ptrdiff_t n) { return unit / channel_block * n * step + unit % channel_block; }

  template <int Last>
  CTNN_INLINE void add_bias(const float* bias, int unit) {
    if (bias == nullptr) return;
    CTNN_UNROLL for (int g = 0; g < Gates; ++g)
      CTNN_UNROLL for (int v = 0; v < V; ++v) {
        vec& sum = sums[0][g + 1 < Gates ? g : Last][v];
        sum = add(sum, loadu(bias + place(unit + v * lanes, 1) + g * channel_block));
      }
  }
  /// x[k] times its weights, for all k of n.
  template <int Last>
  CTNN_INLINE void add_products(const float* x, int n, const float* weights, int unit) {
    const float* w[V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) w[v] = weights + place(unit + v * lanes, n);
    int k = 0;
    for (; k + parts <= n; k += parts)
      CTNN_UNROLL for (int part = 0; part < parts; ++part) add_product<Last>(part, set(x[k + part]), w, k + part);
    for (; parts > 1 && k < n; ++k) add_product<Last>(0, set(x[k]), w, k);
  }
  CTNN_INLINE void join() {
    for (int part = 1; part < parts; ++part)
      CTNN_UNROLL for (int g = 0; g < Sums; ++g)
        CTNN_UNROLL for (int v = 0; v < V; ++v) sums[0][g][v] = add(sums[0][g][v], sums[part][g][v]);
  }

 private:
  template <int Last>
  CTNN_INLINE void add_product(int part, vec x, const float* const (&w)[V], int k) {
    CTNN_UNROLL for (int g = 0; g < Gates; ++g)
      CTNN_UNROLL for (int v = 0; v < V; ++v) {
        vec& sum = sums[part][g + 1 < Gates ? g : Last][v];
        sum = mul_add(x, loadu(w[v] + k * step + g * channel_block), sum);
      }
  }
};

/// One step of one sequence, all units.
template <class Cell>
struct recurrence_step {
  int in, hidden;
  Cell cell;

  CTNN_NOINLINE void operator()(const recurrence_weights& w, const float* x, const float* h, float* c, float* y) const {
    for (int unit = 0; unit < hidden; unit += unit_vectors * lanes) {
      const bool one_block = unit_vectors * lanes > channel_block && hidden - unit <= channel_block;  // there is no second one
      if (one_block) run_units<1>(w, x, h, c, y, unit);
      else run_units<unit_vectors>(w, x, h, c, y, unit);
    }
  }

 private:
  template <int V>
  CTNN_INLINE void run_units(const recurrence_weights& w, const float* x, const float* h, float* c, float* y, int unit) const {
    constexpr int of_x = Cell::gates - 1, of_h = Cell::sums - 1;
    gate_sums<Cell::gates, Cell::sums, V> s;
    s.template add_bias<of_x>(w.w_bias, unit);
    s.template add_bias<of_h>(w.r_bias, unit);
    s.template add_products<of_x>(x, in, w.w, unit);
    s.template add_products<of_h>(h, hidden, w.r, unit);
    s.join();
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      const int at = unit + v * lanes, n = hidden - at;
      if (n <= 0) break;
      vec of_unit[Cell::sums];
      CTNN_UNROLL for (int g = 0; g < Cell::sums; ++g) of_unit[g] = s.sums[0][g][v];
      store_bounded(cell(of_unit, h + at, c ? c + at : nullptr, n), y + at, n);
    }
  }
};

template <class Cell>
CTNN_INLINE void run_recurrence(const op::recurrence& p, const arguments& a, const Cell& cell) {
  walk_recurrence(p, a, recurrence_step<Cell>{p.sizes_of(a.in[0].shape).in, p.hidden, cell});
}

struct run_rnn {
  op::recurrence p;  // copies: compilers see through them
  arguments a;
  template <function Kind>
  CTNN_INLINE void operator()(const activate<Kind>& f) const {
    run_recurrence(p, a, rnn_cell<Kind>{f});
  }
};

}  // namespace detail

CTNN_INLINE void run(const op::rnn& p, const arguments& a) { with_activation(p.activation, detail::run_rnn{p, a}); }
CTNN_INLINE void run(const op::gru& p, const arguments& a) { detail::run_recurrence(p, a, detail::gru_cell{}); }
CTNN_INLINE void run(const op::lstm& p, const arguments& a) { detail::run_recurrence(p, a, detail::lstm_cell{}); }

CTNN_END_TARGET

#endif
