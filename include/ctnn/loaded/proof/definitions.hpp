// SPDX-License-Identifier: BSL-1.0
// Operators over the field that kernels/reference/ does not define: comparisons and choices, sums of products, copies.
// Booleans are 0 and 1.
#pragma once

#include <numeric>
#include <vector>

#include "../../kernels/typed/matrix.hpp"
#include "../typed_kernels.hpp"
#include "functions.hpp"

namespace ctnn::ir::field {

using field_arguments = basic_arguments<residue>;
using definition = void (*)(std::span<const double> fields, const field_arguments&);

/// y = f(operands' elements) with broadcasting.
template <class F>
void define_elements(const field_arguments& a, F f) {
  reference::detail::for_each_place(a.out[0].shape, [&](const reference::detail::coordinates& at, std::int64_t place) {
    a.out[0].data[place] = f([&](std::size_t k) {
      const auto& x = a.in[k];
      return x.data[reference::detail::broadcast_place(x.shape, a.out[0].shape.rank, at)];
    });
  });
}
inline void define(const op::where&, const field_arguments& a) {
  define_elements(a, [](auto of) { return of(0) == residue(0) ? of(2) : of(1); });
}
inline void define(const op::compare& p, const field_arguments& a) {
  define_elements(a, [&](auto of) -> residue {
    const residue x = of(0), y = of(1);
    switch (p.function) {
      case op::comparison::equal: return x == y;
      case op::comparison::not_equal: return x != y;
      case op::comparison::less: return x < y;
      case op::comparison::less_equal: return x <= y;
      case op::comparison::greater: return x > y;
      case op::comparison::greater_equal: return x >= y;
    }
    return 0;
  });
}
inline void define(const op::bitwise_not&, const field_arguments& a) {
  define_elements(a, [](auto of) { return residue(1) - of(0); });
}
inline void define(const op::einsum& p, const field_arguments& a) {
  std::vector<extents> shapes;
  for (const auto& x : a.in) shapes.push_back(x.shape);
  typed::sum_products<residue>(
      p, shapes, [&](std::size_t k) { return a.in[k].data; }, a.out[0].shape.count(), a.out[0].data);
}

/// Copies of elements: where each comes from is asked with integers.
template <class Op>
requires std::is_same_v<Op, op::expand> || std::is_same_v<Op, op::tile>
void define(const Op& p, const field_arguments& a) {
  const auto memory_of = [](std::vector<std::int64_t>& places) {
    return static_cast<float*>(static_cast<void*>(places.data()));
  };
  std::vector<std::int64_t> from(static_cast<std::size_t>(a.in[0].shape.count()));
  std::vector<std::int64_t> to(static_cast<std::size_t>(a.out[0].shape.count()));
  std::iota(from.begin(), from.end(), 0);
  const const_tensor in{memory_of(from), a.in[0].shape, layout::nchw, 0, dtype::i64};
  const tensor out{memory_of(to), a.out[0].shape, layout::nchw, 0, dtype::i64};
  find_typed_kernel (&type_of<Op>)(&p, {{&in, 1}, {&out, 1}, {}}, {});
  for (std::size_t i = 0; i < to.size(); ++i) a.out[0].data[i] = a.in[0].data[to[i]];
}

namespace detail {

template <class Op>
constexpr definition find_definition() {
  if constexpr (requires(const Op& op, const field_arguments& a) { reference::run(op, a); })
    return [](std::span<const double> f, const field_arguments& a) { reference::run(decode<Op>(f), a); };
  else if constexpr (requires(const Op& op, const field_arguments& a) { field::define(op, a); })
    return [](std::span<const double> f, const field_arguments& a) { field::define(decode<Op>(f), a); };
  else return nullptr;
}
template <class... Ops>
definition find_definition(operator_list<Ops...>, const operator_type* type) {
  definition found = nullptr;
  ((&type_of<Ops> == type ? void(found = find_definition<Ops>()) : void()), ...);
  return found;
}

}  // namespace detail

/// Null: the operator has none over a field.
inline definition definition_of(const operator_type& type) {
  return detail::find_definition(all_operators::list{}, &type);
}

}  // namespace ctnn::ir::field
