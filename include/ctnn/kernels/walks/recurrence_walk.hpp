// SPDX-License-Identifier: BSL-1.0
// The steps of a recurrent layer: directions, then the batch, then time.
#pragma once

#include "../recurrence.hpp"

namespace ctnn::ir {

/// step(weights, x, h, c, y) computes the new h of one sequence into y, from x and the h before; c, which only lstm
/// has, is changed in place. The last states are where the outputs for them are, and may lie over those before the
/// first step. A Step with `together`, the number of units that it computes before it writes any, writes them to a
/// second place as well.
template <class T, class Op, class Step>
constexpr CTNN_INLINE void walk_recurrence(const Op& p, const arguments& a, std::span<const T* const> slots,
                                           const Step& step) {
  const auto s = p.sizes_of(a.in[0].shape);
  const int hidden = p.hidden, directions = p.directions();
  const std::size_t first_state = p.lengths ? 2 : 1;
  const bool begins_at_0 = a.in.size() == first_state;
  for (int d = 0; d < directions; ++d) {
    recurrence_weights<T> weights = weights_of<T>(p, slots, d);
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
