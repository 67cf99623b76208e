// SPDX-License-Identifier: BSL-1.0
// general_rnn, general_gru and general_lstm step by step, for floating-point elements. Weights are transposed once, so that the inner loops run
// over the gates.
#pragma once

#include "../../graph/operators/general_recurrent.hpp"
#include "elementwise.hpp"
#include "products.hpp"

namespace ctnn::typed {

template <class T>
T gate_value(op::gate_function f, T x, T a, T b) {
  using enum op::gate_function;
  switch (f) {
    case sigmoid: return 1 / (1 + std::exp(-x));
    case tanh: return std::tanh(x);
    case relu: return std::max(x, T{0});
    case affine: return a * x + b;
    case leaky_relu: return x < 0 ? a * x : x;
    case thresholded_relu: return x > a ? x : T{0};
    case scaled_tanh: return a * std::tanh(b * x);
    case hard_sigmoid: return std::min(std::max(a * x + b, T{0}), T{1});
    case elu: return x < 0 ? a * std::expm1(x) : x;
    case softsign: return x / (1 + std::abs(x));
    case softplus: return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
  }
  return x;
}

/// One direction of a recurrent layer: its weights, and loops over time and batch that call a cell.
template <class T>
class recurrence {
 public:
  recurrence(const op::general_recurrence& p, const arguments& a, int gates, int d)
      : p_(p), gates_(gates), d_(d), hidden_(p.hidden), in_(a.in[0].shape[2]), length_(a.in[0].shape[p.batch_first ? 1 : 0]),
        batch_(a.in[0].shape[p.batch_first ? 0 : 1]), x_(elements<T>(a.in[0])), y_(elements<T>(a.out[0])) {
    const std::int64_t rows = std::int64_t{gates} * hidden_;
    const auto transposed = [&](const const_tensor& t, std::int64_t columns) {
      std::vector<T> out(static_cast<std::size_t>(rows * columns));
      const T* from = elements<T>(t) + d * rows * columns;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) out[static_cast<std::size_t>(c * rows + r)] = *from++;
      return out;
    };
    w_ = transposed(a.in[1], in_);
    r_ = transposed(a.in[2], hidden_);
    w_bias_.assign(static_cast<std::size_t>(rows), T{0});
    r_bias_ = w_bias_;
    std::size_t next = 3;
    if (p.bias) {
      const T* b = elements<T>(a.in[next++]) + d * 2 * rows;
      w_bias_.assign(b, b + rows);
      r_bias_.assign(b + rows, b + 2 * rows);
    }
    if (p.lengths) lengths_ = &a.in[next++];
    if (p.initial_h) initial_h_ = elements<T>(a.in[next++]);
    next_input = next;
  }

  std::size_t next_input;  ///< the first input that is not common to all layers

  int hidden() const { return hidden_; }
  const std::vector<T>& w_bias() const { return w_bias_; }
  const std::vector<T>& r_bias() const { return r_bias_; }
  /// Function i of this direction, after clipping.
  T gate(int i, op::gate_function usual, T x) const {
    if (p_.clip > 0) x = std::min(std::max(x, static_cast<T>(-p_.clip)), static_cast<T>(p_.clip));
    return function(i, usual, x);
  }
  T function(int i, op::gate_function usual, T x) const {
    if (p_.gates.empty()) return gate_value(usual, x, T{0}, T{0});
    const int functions = gates_ == 4 ? 3 : gates_ == 3 ? 2 : 1;
    const auto k = static_cast<std::size_t>(d_ * functions + i);
    return gate_value(p_.gates[k], x, static_cast<T>(p_.alpha[k]), static_cast<T>(p_.beta[k]));
  }
  /// Offset of batch b's state in a state tensor.
  std::int64_t state_at(std::int64_t b) const { return (p_.batch_first ? b * p_.directions() + d_ : d_ * batch_ + b) * hidden_; }

  /// sums[j] += v . columns of the transposed recurrent weights, gates first to last.
  void add_recurrent(const T* v, T* sums, int first, int last) const {
    const std::int64_t rows = std::int64_t{gates_} * hidden_, begin = std::int64_t{first} * hidden_;
    add_product(v, hidden_, r_.data() + begin, rows, sums + begin, std::int64_t{last} * hidden_ - begin);
  }

  /// cell(sums of x W, h, c): c is what `c_at(b)` points to at the start, null for layers without one.
  template <class Cell>
  void run(T* y_h, const T* initial_c, T* y_c, Cell cell) const {
    const std::int64_t rows = std::int64_t{gates_} * hidden_;
    const int directions = p_.directions();
    const bool backwards = p_.direction == op::direction::reverse || d_ == 1;
    std::vector<T> sums(static_cast<std::size_t>(rows)), h(static_cast<std::size_t>(hidden_)), c(h);
    for (std::int64_t b = 0; b < batch_; ++b) {
      std::int64_t steps = length_;
      if (lengths_) steps = index_at("recurrent layer", *lengths_, b, std::int64_t{length_} + 1);
      if (initial_h_) std::copy_n(initial_h_ + state_at(b), hidden_, h.begin());
      else std::fill(h.begin(), h.end(), T{0});
      if (initial_c) std::copy_n(initial_c + state_at(b), hidden_, c.begin());
      else std::fill(c.begin(), c.end(), T{0});
      const auto y_at = [&](std::int64_t t) {
        return p_.batch_first ? ((b * length_ + t) * directions + d_) * hidden_ : ((t * directions + d_) * batch_ + b) * hidden_;
      };
      for (std::int64_t s = 0; s < steps; ++s) {
        const std::int64_t t = backwards ? steps - 1 - s : s;
        const T* x = x_ + (p_.batch_first ? b * length_ + t : t * batch_ + b) * in_;
        std::fill(sums.begin(), sums.end(), T{0});
        add_product(x, in_, w_.data(), rows, sums.data(), rows);
        cell(sums.data(), h.data(), c.data());
        std::copy(h.begin(), h.end(), y_ + y_at(t));
      }
      for (std::int64_t t = steps; t < length_; ++t) std::fill_n(y_ + y_at(t), hidden_, T{0});
      std::copy(h.begin(), h.end(), y_h + state_at(b));
      if (y_c) std::copy(c.begin(), c.end(), y_c + state_at(b));
    }
  }

 private:
  const op::general_recurrence& p_;
  int gates_, d_, hidden_, in_, length_, batch_;
  const T* x_;
  T* y_;
  std::vector<T> w_, r_, w_bias_, r_bias_;
  const const_tensor* lengths_ = nullptr;
  const T* initial_h_ = nullptr;
};

inline void run(const op::general_rnn& p, const arguments& a) {
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    for (int d = 0; d < p.directions(); ++d) {
      const recurrence<T> layer(p, b, 1, d);
      layer.run(elements<T>(b.out[1]), nullptr, nullptr, [&](T* sums, T* h, T*) {
        layer.add_recurrent(h, sums, 0, 1);
        for (int j = 0; j < p.hidden; ++j) {
          const auto k = static_cast<std::size_t>(j);
          h[j] = layer.gate(0, op::gate_function::tanh, sums[j] + layer.w_bias()[k] + layer.r_bias()[k]);
        }
      });
    }
  });
}

inline void run(const op::general_gru& p, const arguments& a) {
  using enum op::gate_function;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const int n = p.hidden;
    std::vector<T> product(static_cast<std::size_t>(3 * n)), reset(static_cast<std::size_t>(n));
    for (int d = 0; d < p.directions(); ++d) {
      const recurrence<T> layer(p, b, 3, d);
      const T *wb = layer.w_bias().data(), *rb = layer.r_bias().data();
      layer.run(elements<T>(b.out[1]), nullptr, nullptr, [&](T* sums, T* h, T*) {
        layer.add_recurrent(h, sums, 0, 2);
        for (int j = 0; j < n; ++j) {
          sums[j] = layer.gate(0, sigmoid, sums[j] + wb[j] + rb[j]);
          sums[n + j] = layer.gate(0, sigmoid, sums[n + j] + wb[n + j] + rb[n + j]);
          reset[static_cast<std::size_t>(j)] = p.linear_before_reset ? h[j] : sums[n + j] * h[j];
        }
        std::fill(product.begin(), product.end(), T{0});
        layer.add_recurrent(reset.data(), product.data(), 2, 3);
        for (int j = 0; j < n; ++j) {
          T r = product[static_cast<std::size_t>(2 * n + j)] + rb[2 * n + j];
          if (p.linear_before_reset) r *= sums[n + j];
          const T candidate = layer.gate(1, tanh, sums[2 * n + j] + r + wb[2 * n + j]);
          h[j] = (1 - sums[j]) * candidate + sums[j] * h[j];
        }
      });
    }
  });
}

inline void run(const op::general_lstm& p, const arguments& a) {
  using enum op::gate_function;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const int n = p.hidden;
    for (int d = 0; d < p.directions(); ++d) {
      const recurrence<T> layer(p, b, 4, d);
      const T *wb = layer.w_bias().data(), *rb = layer.r_bias().data();
      std::size_t next = layer.next_input;
      const T* initial_c = p.initial_c ? elements<T>(b.in[next++]) : nullptr;
      const T* peep = p.peepholes ? elements<T>(b.in[next]) + std::int64_t{d} * 3 * n : nullptr;
      layer.run(elements<T>(b.out[1]), initial_c, elements<T>(b.out[2]), [&](T* sums, T* h, T* c) {
        layer.add_recurrent(h, sums, 0, 4);
        const auto sum = [&](int gate, int j) {
          const int k = gate * n + j;
          return sums[k] + wb[k] + rb[k];
        };
        for (int j = 0; j < n; ++j) {
          const T i = layer.gate(0, sigmoid, sum(0, j) + (peep ? peep[j] * c[j] : T{0}));
          const T f = p.input_forget ? 1 - i : layer.gate(0, sigmoid, sum(2, j) + (peep ? peep[2 * n + j] * c[j] : T{0}));
          c[j] = f * c[j] + i * layer.gate(1, tanh, sum(3, j));
          const T o = layer.gate(0, sigmoid, sum(1, j) + (peep ? peep[n + j] * c[j] : T{0}));
          h[j] = o * layer.function(2, tanh, c[j]);
        }
      });
    }
  });
}

}  // namespace ctnn::typed
