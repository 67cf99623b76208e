// SPDX-License-Identifier: BSL-1.0
// What the planner knows of an operator, by its erased type.
#pragma once

#include "../kernels/layouts.hpp"
#include "../graph/graph.hpp"

namespace ctnn::detail {

struct operator_traits {
  const operator_type* type;
  layout_rule rule;
  bool reads_nchw;
};

template <class... Ops>
constexpr std::array<operator_traits, sizeof...(Ops)> make_traits(operator_list<Ops...>) {
  return {{{&type_of<Ops>, layouts_for<Ops>, ctnn::reads_nchw<Ops>}...}};
}
inline constexpr auto builtin_traits = make_traits(all_operators{});

/// A user's operator gets plain nchw values.
constexpr operator_traits traits_of(const operator_type* type) {
  for (const operator_traits& t : builtin_traits)
    if (t.type == type) return t;
  return {type, layout_rule::nchw, false};
}

/// Operators that may write their result over input `i` when shapes and layouts agree.
constexpr bool writes_in_place(const operator_type* type, int input_count, int i) {
  if (type == &type_of<op::conv2d>) return input_count == 2 && i == 1;  // over the residual
  if (type == &type_of<op::eltwise>) return i < 2;  // it goes on with the sum of the first two
  for (const operator_type* t : {&type_of<op::activation>, &type_of<op::unary>, &type_of<op::binary>,
                                 &type_of<op::batch_norm>, &type_of<op::scale>, &type_of<op::bias>, &type_of<op::prelu>,
                                 &type_of<op::softmax>, &type_of<op::dropout>, &type_of<op::identity>})
    if (t == type) return true;
  return false;
}

}  // namespace ctnn::detail
