// SPDX-License-Identifier: BSL-1.0
// Weights of a recurrent layer by direction, and lengths of its sequences.
#pragma once

#include "../graph/operators/recurrent.hpp"
#include "targets.hpp"
#include "tensor.hpp"

namespace ctnn::ir {

/// Weights of one direction; biases and peepholes may be null. `spare` has room for one more state of the sequence at
/// hand; where it is h, h is 0.
template <class T>
struct recurrence_weights {
  const T *w, *r, *w_bias, *r_bias, *peepholes;
  int direction;
  T* spare = nullptr;
};

template <class T, class Op>
constexpr recurrence_weights<T> weights_of(const Op& p, std::span<const T* const> slots, int direction) {
  const std::size_t each = slots.size() / static_cast<std::size_t>(p.directions()), own = p.bias ? 4 : 2;
  const T* const* slot = slots.data() + static_cast<std::size_t>(direction) * each;
  return {slot[0],  slot[1], p.bias ? slot[2] : nullptr, p.bias ? slot[3] : nullptr, each > own ? slot[own] : nullptr,
          direction};
}

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

}  // namespace ctnn::ir
