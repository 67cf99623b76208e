// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm: for each step two products of a row with packed matrices, then the cell on vectors of units. Gates of
// some units lie next to each other (packing.hpp), so that a step goes through its units in parts that need little stack.

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

#include "linear-inl.hpp"
#include "recurrence_walk.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Units of a part: 2 KB of sums for lstm, 256 bytes in firmware.
constexpr int units_of_part = channel_block == 4 ? 8 : 64;

/// W x + b and R h + c of one gate, for a vector of units.
struct gate_sums {
  const float* x;
  const float* h;
  CTNN_INLINE vec of_x(int gate) const { return load(x + gate * channel_block); }
  CTNN_INLINE vec of_h(int gate) const { return load(h + gate * channel_block); }
  CTNN_INLINE vec both(int gate) const { return add(of_x(gate), of_h(gate)); }
};

// Cells: the new h of a vector of units, of which `n` exist; h and c are where the unit's states are.

template <function Kind>
struct rnn_cell {
  activate<Kind> f;
  CTNN_INLINE vec operator()(const gate_sums& s, const float*, float*, int) const { return f(s.both(0)); }
};

struct gru_cell {
  CTNN_INLINE vec operator()(const gate_sums& s, const float* h, float*, int n) const {
    const vec candidate = tanh(mul_add(sigmoid(s.both(0)), s.of_h(2), s.of_x(2)));
    const vec keep = sigmoid(s.both(1));
    return mul_add(keep, sub(load_bounded(h, n), candidate), candidate);
  }
};

struct lstm_cell {
  CTNN_INLINE vec operator()(const gate_sums& s, const float*, float* c, int n) const {
    const vec cell = mul_add(sigmoid(s.both(1)), load_bounded(c, n), mul(sigmoid(s.both(0)), tanh(s.both(2))));
    store_bounded(cell, c, n);
    return mul(sigmoid(s.both(3)), tanh(cell));
  }
};

/// One step, all units, a part of them at a time.
template <int Gates, class Cell>
struct recurrence_step {
  int in, hidden;
  Cell cell;

  CTNN_NOINLINE void operator()(const recurrence_weights& weights, const float* x, const float* h, float* c, float* y) const {
    alignas(64) float of_x[Gates * units_of_part], of_h[Gates * units_of_part];
    for (int first = 0; first < hidden; first += units_of_part) {
      const int units = hidden - first < units_of_part ? hidden - first : units_of_part;
      const int columns = Gates * static_cast<int>(round_up_to_block(units));
      const std::ptrdiff_t row = std::ptrdiff_t{Gates} * first;
      multiply_rows(x, 0, 1, in, weights.w + row * in, weights.w_bias ? weights.w_bias + row : nullptr, of_x, columns, columns, {});
      multiply_rows(h, 0, 1, hidden, weights.r + row * hidden, weights.r_bias ? weights.r_bias + row : nullptr, of_h, columns, columns, {});
      for (int unit = 0; unit < units; unit += lanes) {
        const int at = unit / channel_block * channel_block * Gates + unit % channel_block, n = units - unit;
        const int j = first + unit;
        store_bounded(cell(gate_sums{of_x + at, of_h + at}, h + j, c ? c + j : nullptr, n), y + j, n);
      }
    }
  }
};

template <class Op, class Cell>
CTNN_INLINE void run_recurrence(const op::recurrence& p, const arguments& a, const Cell& cell) {
  walk_recurrence(p, a, recurrence_step<Op::gates, Cell>{p.sizes_of(a.in[0].shape).in, p.hidden, cell});
}

struct run_rnn {
  op::recurrence p;  // copies: compilers see through them
  arguments a;
  template <function Kind>
  CTNN_INLINE void operator()(const activate<Kind>& f) const {
    run_recurrence<op::rnn>(p, a, rnn_cell<Kind>{f});
  }
};

}  // namespace detail

CTNN_INLINE void run(const op::rnn& p, const arguments& a) { with_activation(p.activation, detail::run_rnn{p, a}); }
CTNN_INLINE void run(const op::gru& p, const arguments& a) { detail::run_recurrence<op::gru>(p, a, detail::gru_cell{}); }
CTNN_INLINE void run(const op::lstm& p, const arguments& a) { detail::run_recurrence<op::lstm>(p, a, detail::lstm_cell{}); }

CTNN_END_TARGET

#endif
