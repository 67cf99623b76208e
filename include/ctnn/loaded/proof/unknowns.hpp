// SPDX-License-Identifier: BSL-1.0
// Operators of which nothing is known over the field but that they are functions: of integers, of half floats, without
// a definition. What they make is random, and the same for the same operator, elements, inputs and weights: rules that
// move, join or drop what is around them are proved, and what they do to such a layer itself is not.
#pragma once

#include <bit>
#include <cmath>
#include <string>

#include "definitions.hpp"

namespace ctnn::ir::field {

constexpr bool is_real(dtype t) { return t == dtype::f32 || t == dtype::boolean; }

/// Why a layer is an unknown function, or nothing.
inline std::string unknown_function(const graph_view& g, const node& n) {
  const std::string name = "layer '" + std::string(n.name) + "'";
  if (definition_of(*n.type) == nullptr) return name + " has no definition over a field";
  if (n.type->is.copies || n.type == &type_of<op::constant>) return {};
  if (n.type == &type_of<op::linear> && decode<op::linear>(g.fields_of(n.fields)).weight.is_packed())
    return name + " has a packed weight";
  for (const bool reads : {true, false})
    for (const element& e : reads ? input_elements(g, n) : output_elements(g, n))
      if (!is_real(e))
        return name + (reads ? " reads" : " makes") + " elements of type " + std::string(name_of(e.type));
      else if (reads && n.type == &type_of<op::attention> && e == dtype::boolean)
        return name + " hides keys by booleans";
  return {};
}
/// An expression over weights is one if it is of other elements than reals.
inline bool is_unknown(const graph_view& g, const expression& x) {
  if (definition_of(*x.type) == nullptr) return true;
  if (x.type->is.copies) return false;
  for (const expression_id a : g.arguments(x))
    if (!is_real(g.at_expression(a).element)) return true;
  return !is_real(x.element);
}

/// A number of either sign, from 1 / 64 to 64.
inline double real_number(std::uint64_t bits) {
  const double size = std::exp2(static_cast<double>(bits >> 12) / 0x1p52 * 12 - 6);
  return bits & 1u ? size : -size;
}

/// An operator as it is defined, or as a function of all that it reads of which nothing is known.
struct any_definition {
  const operator_type* type;
  bool is_unknown = false;
  pool<std::int64_t> weight_sizes{};
  pool<element> elements{};

  void operator()(std::span<const double> fields, const field_arguments& a) const {
    if (!is_unknown) return definition_of(*type)(fields, a);
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
    for (const element& e : elements) {
      take(static_cast<std::uint64_t>(e.type) << 8 | static_cast<std::uint64_t>(e.rounded));
      take(std::bit_cast<std::uint64_t>(e.real.scale));
      take(static_cast<std::uint64_t>(e.real.zero));
    }
    for (const auto& x : a.in) take_all(x.data, x.shape.count());
    for (std::size_t k = 0; k < a.weights.size(); ++k) take_all(a.weights[k], weight_sizes[k]);
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
  static field::any_definition of(const graph_view& g, const node& n) {
    if (field::unknown_function(g, n).empty()) return {n.type};
    field::any_definition unknown{n.type, true};
    for (const element& e : input_elements(g, n)) unknown.elements.push_back(e);
    for (const element& e : output_elements(g, n)) unknown.elements.push_back(e);
    const auto in = g.inputs(n);
    const auto weights = g.weights(n);
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(g.given(n)));
    merge_slots(
        g.given(n), [&](std::size_t i) { return g.shape(in[own + i]).count(); },
        [&](std::size_t i) { return g.at_expression(weights[i]).shape.count(); }, weights.size(),
        unknown.weight_sizes);
    return unknown;
  }
  /// The first `inputs` arguments of an expression are inputs, the others weights.
  static field::any_definition of(const graph_view& g, const expression& x, std::size_t inputs) {
    if (!field::is_unknown(g, x)) return {x.type};
    field::any_definition unknown{x.type, true};
    unknown.elements.push_back(x.element);
    const auto arguments = g.arguments(x);
    for (const expression_id a : arguments) unknown.elements.push_back(g.at_expression(a).element);
    const slot_set given = given_of(*x.type, g.fields_of(x.fields));
    const std::size_t own = inputs - static_cast<std::size_t>(count_slots(given));
    const auto size = [&](std::size_t i) { return g.at_expression(arguments[i]).shape.count(); };
    merge_slots(
        given, [&](std::size_t i) { return size(own + i); }, [&](std::size_t i) { return size(inputs + i); },
        arguments.size() - inputs, unknown.weight_sizes);
    return unknown;
  }
};
