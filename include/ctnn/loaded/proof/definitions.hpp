// SPDX-License-Identifier: BSL-1.0
// Operators over the field that kernels/reference/ does not define: comparisons and choices, sums of products, copies.
// Booleans are 0 and 1.
#pragma once

#include <bit>
#include <cmath>
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

/// A number of either sign, from 1 / 64 to 64.
inline double real_number(std::uint64_t bits) {
  const double size = std::exp2(static_cast<double>(bits >> 12) / 0x1p52 * 12 - 6);
  return bits & 1u ? size : -size;
}

/// An operator as it is defined, or as a function of all that it reads of which nothing is known. (Of weights that are
/// inputs it says nothing.)
struct any_definition {
  const operator_type* type;

  void operator()(std::span<const double> fields, const field_arguments& a) const {
    if (const definition known = definition_of(*type)) return known(fields, a);
    std::uint64_t state = 0;
    bool ordered = true;
    const auto take = [&](std::uint64_t bits) { state = mix(state ^ bits); };
    const auto take_all = [&](const residue* numbers, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        take(numbers[i].bits());
        ordered = ordered && numbers[i].real() == numbers[i].real();
      }
    };
    for (const char c : type->name) take(static_cast<unsigned char>(c));
    for (const double f : fields) take(std::bit_cast<std::uint64_t>(f));
    pool<extents> shapes;
    for (const auto& x : a.in) {
      take_all(x.data, x.shape.count());
      shapes.push_back(x.shape);
    }
    description d;
    type->describe(fields, {shapes.data(), shapes.size()}, {}, d);
    for (std::size_t k = 0; k < d.weights.size() && k < a.weights.size(); ++k)
      take_all(a.weights[k], d.weights[k].shape.count());
    for (const auto& y : a.out)
      for (std::int64_t i = 0; i < y.shape.count(); ++i) {
        take(0);
        y.data[i] = residue::of_bits(state >> 3, ordered ? real_number(mix(state)) : residue::no_order);
      }
  }
};

}  // namespace ctnn::ir::field

template <>
struct ctnn::ir::detail::definitions<ctnn::ir::field::residue> {
  static field::any_definition of(const operator_type& type) { return {&type}; }
};
