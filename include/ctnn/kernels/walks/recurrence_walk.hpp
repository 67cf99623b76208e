// SPDX-License-Identifier: BSL-1.0
// The steps of a recurrent layer: directions, then the batch, then time.
#pragma once

#include "../../graph/operators/recurrent.hpp"
#include "../targets.hpp"
#include "../tensor.hpp"

namespace ctnn::ir {

/// Weights of one direction; biases and peepholes may be null. `spare` has room for one more state of the sequence at
/// hand; where it is h, h is 0.
template <class T>
struct recurrence_weights {
  const T *w, *r, *w_bias, *r_bias, *peepholes;
  int direction;
  T* spare = nullptr;
};

/// Integer n of a tensor of i32 or i64.
inline std::int64_t integer_at(const const_tensor& t, int n) {
  return t.type == dtype::i64 ? elements<std::int64_t>(t)[n] : elements<std::int32_t>(t)[n];
}
inline int steps_of(const const_tensor& lengths, int n, int most) {
  const std::int64_t given = integer_at(lengths, n);
  return given < 0 ? 0 : given > most ? most : static_cast<int>(given);
}
/// Lengths that are not of their sequences are refused (typed/recurrent.hpp). Kernels of floats cannot, and
/// take as many steps as there are.
void require_lengths(std::string_view op, const const_tensor& lengths, int most);
template <int Gates>
void require_numbers(const op::recurrence<Gates>& p, const arguments& a) {
  if (p.lengths) require_lengths(p.name, a.in[1], p.sizes_of(a.in[0].shape).length);
}

/// step(weights, x, h, c, y) computes the new h of one sequence into y, from x and the h before; c, which only lstm
/// has, is changed in place. The last states are where the outputs for them are, and may lie over those before the
/// first step. A Step with `together`, the number of units that it computes before it writes any, writes them to a
/// second place as well.
template <class T, class Op, class Step>
constexpr CTNN_INLINE void walk_recurrence(const Op& p, const arguments& a, std::span<const T* const> slots,
                                           const Step& step) {
  const auto s = p.sizes_of(a.in[0].shape);
  const int hidden = p.hidden, directions = p.directions();
  const std::size_t each = slots.size() / static_cast<std::size_t>(directions), own = p.bias ? 4 : 2;
  const std::size_t first_state = p.lengths ? 2 : 1;
  const bool begins_at_0 = a.in.size() == first_state;
  for (int d = 0; d < directions; ++d) {
    const T* const* slot = slots.data() + static_cast<std::size_t>(d) * each;
    recurrence_weights<T> weights{slot[0], slot[1], p.bias ? slot[2] : nullptr, p.bias ? slot[3] : nullptr,
                                  each > own ? slot[own] : nullptr, d};
    for (int n = 0; n < s.batch; ++n) {
      const std::ptrdiff_t at = (std::ptrdiff_t{d} * s.batch + n) * hidden;
      T* const last = numbers_of<T>(a.out[1]) + at;
      T* c = nullptr;
      const T* h = weights.spare = last;
      if (!begins_at_0) h = numbers_of<T>(a.in[first_state]) + at;
      for (int j = 0; j < hidden && begins_at_0; ++j) last[j] = 0;
      if constexpr (Op::states == 2) {
        c = numbers_of<T>(a.out[2]) + at;
        const T* const before = begins_at_0 ? nullptr : numbers_of<T>(a.in[first_state + 1]) + at;
        for (int j = 0; j < hidden && c != before; ++j) c[j] = begins_at_0 ? T{0} : before[j];
      }
      const int steps = p.lengths ? steps_of(a.in[1], n, s.length) : s.length;
      const std::ptrdiff_t first = p.batch_first ? std::ptrdiff_t{n} * s.length : n, next = p.batch_first ? 1 : s.batch;
      for (int i = 0; i < s.length; ++i) {
        const std::ptrdiff_t place = first + next * (i < steps && p.backwards(d) ? steps - 1 - i : i);
        T* const y = numbers_of<T>(a.out[0]) + (place * directions + d) * hidden;
        for (int j = 0; j < hidden && i >= steps; ++j) y[j] = 0;
        if (i >= steps) continue;
        const T* const x = numbers_of<T>(a.in[0]) + place * s.in;
        if constexpr (requires { Step::together; }) {
          const bool writes_last = i + 1 == steps && (h != last || hidden <= Step::together);
          step(weights, x, h, c, y, writes_last ? last : nullptr);
          h = writes_last ? last : y;
        } else {
          step(weights, x, h, c, y);
          h = y;
        }
      }
      for (int j = 0; j < hidden && h != last; ++j) last[j] = h[j];
    }
  }
}

}  // namespace ctnn::ir
