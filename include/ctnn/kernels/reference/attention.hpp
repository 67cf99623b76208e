// SPDX-License-Identifier: BSL-1.0
// attention by its definition (Vaswani et al. 2017, 3.2; ONNX Attention), head by head and row by row, plain. Masks are
// added: booleans and lengths are no floats, and run by typed kernels.
#pragma once

#include "../../graph/operators/attention.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::reference {

namespace detail {

/// (batch, heads, length, size) in a value of either form.
struct attention_heads {
  extents of;
  bool in_rows;  ///< (batch, length, heads * size)
  constexpr attention_heads(const extents& given, int heads)
      : of(op::attention::by_heads(given, heads)), in_rows(given.rank == 3) {}
  constexpr std::ptrdiff_t operator()(int n, int h, int i) const {
    const std::ptrdiff_t row = in_rows ? (std::ptrdiff_t{n} * of[2] + i) * of[1] + h
                                       : (std::ptrdiff_t{n} * of[1] + h) * of[2] + i;
    return row * of[3];
  }
};

/// What is added to the score of key j for (n, h, i); false: the mask does not go so far.
template <class T>
constexpr bool add_mask(const basic_tensor<const T>& mask, int n, int h, int i, int j, T& score) {
  const int at[] = {j, i, h, n};  // from the last axis
  std::ptrdiff_t place = 0, stride = 1;
  for (int d = 0; d < mask.shape.rank; ++d) {
    const int extent = mask.shape.back(d);
    if (d == 0 && extent > 1 && j >= extent) return false;
    if (extent > 1) place += at[d] * stride;
    stride *= extent;
  }
  score += mask.data[place];
  return true;
}

}  // namespace detail

template <class T>
constexpr void run(const op::attention& p, const basic_arguments<T>& a) {
  const detail::attention_heads q(a.in[0].shape, p.heads), k(a.in[1].shape, p.kv_heads), v(a.in[2].shape, p.kv_heads),
      y(a.out[0].shape, q.of[1]);
  const std::size_t past_at = p.mask ? 4 : 3;
  const int past = p.past ? a.in[past_at].shape[2] : 0, total = past + k.of[2], group = q.of[1] / k.of[1];
  const int ahead = p.lower_right ? total - q.of[2] : past;
  const T scale = p.scale != 0 ? static_cast<T>(p.scale) : T{1} / math::of<T>::sqrt(static_cast<T>(q.of[3]));
  // Row j of keys or values, inputs 1 and 2: those that were there before come first.
  const auto row = [&](int input, const detail::attention_heads& of, int n, int h, int j) {
    if (j >= past) return a.in[static_cast<std::size_t>(input)].data + of(n, h, j - past);
    const std::ptrdiff_t before = (std::ptrdiff_t{n} * of.of[1] + h) * past + j;
    return a.in[past_at + static_cast<std::size_t>(input) - 1].data + before * of.of[3];
  };
  pool<T> scores(static_cast<std::size_t>(total), T{});
  for (int n = 0; n < q.of[0]; ++n)
    for (int h = 0; h < q.of[1]; ++h)
      for (int i = 0; i < q.of[2]; ++i) {
        const auto keep = [&](op::attention_scores which) {
          if (!p.scores || p.which != which) return;
          const std::ptrdiff_t first = ((std::ptrdiff_t{n} * q.of[1] + h) * q.of[2] + i) * total;
          for (int j = 0; j < total; ++j) a.out[p.present ? 3 : 1].data[first + j] = scores.items[j];
        };
        const T* const query = a.in[0].data + q(n, h, i);
        for (int j = 0; j < total; ++j) {
          const T* const key = row(1, k, n, h / group, j);
          T sum{};
          for (int d = 0; d < q.of[3]; ++d) sum += query[d] * key[d];
          scores.items[j] = sum * scale;
        }
        keep(op::attention_scores::product);
        if (p.softcap > 0) {
          const T cap = static_cast<T>(p.softcap);
          for (T& s : scores) s = cap * apply(activation_function{function::tanh}, s / cap);
        }
        keep(op::attention_scores::with_softcap);
        for (int j = 0; j < total; ++j) {
          T& s = scores.items[j];
          const bool seen = !p.mask || detail::add_mask(a.in[3], n, h, i, j, s);
          const bool later = p.causal && j > i + ahead;
          const bool left_behind = p.sliding_window > 0 && j <= i + ahead - p.sliding_window;
          if (!seen || later || left_behind) s = -std::numeric_limits<T>::infinity();
        }
        keep(op::attention_scores::with_mask);
        T most = scores.items[0], sum{};
        for (const T& s : scores) most = s > most ? s : most;
        for (T& s : scores) sum += s = math::of<T>::exp(s - most);
        for (T& s : scores) s = s / sum;
        keep(op::attention_scores::probabilities);
        T* const to = a.out[0].data + y(n, h, i);
        for (int d = 0; d < v.of[3]; ++d) to[d] = T{};
        for (int j = 0; j < total; ++j) {
          const T* const value = row(2, v, n, h / group, j);
          if (scores.items[j] == 0) continue;  // what is hidden may be anything
          for (int d = 0; d < v.of[3]; ++d) to[d] += scores.items[j] * value[d];
        }
      }
  if (!p.present) return;
  for (int n = 0; n < k.of[0]; ++n)
    for (int h = 0; h < k.of[1]; ++h)
      for (int j = 0; j < total; ++j) {
        const std::ptrdiff_t at = (std::ptrdiff_t{n} * k.of[1] + h) * total + j;
        for (int d = 0; d < k.of[3]; ++d) a.out[1].data[at * k.of[3] + d] = row(1, k, n, h, j)[d];
        for (int d = 0; d < v.of[3]; ++d) a.out[2].data[at * v.of[3] + d] = row(2, v, n, h, j)[d];
      }
}

}  // namespace ctnn::ir::reference
