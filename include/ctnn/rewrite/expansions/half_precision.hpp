// SPDX-License-Identifier: BSL-1.0
// f16 and bf16 are stored, never computed in. Said in the graph, so that half precision has the vector kernels, the
// layouts, the rules and the planned memory of f32, and that a rule (rounding_between) can leave out what lies between
// two operators.
#pragma once

#include "../../graph/operators/pointwise.hpp"
#include "../expansion.hpp"

namespace ctnn::ir::expansions {

/// An operator over halves that computes  ->  the same in f32 between conversions, to the bit. What only copies halves
/// still does, unless it copies the result of one of these. The outputs keep their names and types.
struct widen_halves {
  static constexpr expansion_info info{"widen_halves", "operator of f16 or bf16 -> cast > operator of f32 > cast"};

  static constexpr bool concerns(const graph_view& g, const node& n) {
    for (value_id v : g.inputs(n))
      if (is_narrow(g.at_value(v).type)) return true;
    return false;
  }
  static constexpr bool applies(const expander& x, const node& n) {
    if (n.type == &type_of<op::input> || n.type == &type_of<op::constant> || n.type == &type_of<op::cast>) return false;
    const graph_view g = x.source();
    bool halves = false, rounded = false;
    pool<element> types;
    for (value_id v : g.inputs(n)) {
      halves = halves || is_narrow(g.at_value(v).type);
      rounded = rounded || is_rounded(x, v);
      types.push_back(widened(g.at_value(v).type));
    }
    if (!halves || (n.type->is.copies && !rounded)) return false;
    // It must make f32 of f32 where it makes halves of halves.
    const pool<extents> shapes = input_shapes(g, n);
    pool<element> wanted;
    for (int k = 0; k < n.outputs.count; ++k) wanted.push_back(widened(g.at_value(n.outputs.first + k).type));
    description d{types_of(wanted)};
    if (n.type->describe(g.fields_of(n.fields), inputs(shapes.data(), shapes.size()), types_of(types), d)) return false;
    for (int k = 0; k < n.outputs.count; ++k)
      if ((d.types.empty() ? dtype::f32 : d.types[static_cast<std::size_t>(k)].type) !=
          widened(g.at_value(n.outputs.first + k).type).type)
        return false;
    const auto weights = g.weights(n);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const expression& w = g.at_expression(weights[k]);
      if (w.type || widened(w.element).type != d.weights[k].type.type) return false;
    }
    return true;
  }

  static constexpr void expand(expander& x, const node& n) {
    const graph_view g = x.source();
    pool<value_id> in;
    for (value_id v : g.inputs(n)) in.push_back(is_narrow(g.at_value(v).type) ? wide(x, v) : x.moved(v));
    const node_id id = x.add(n, in);
    pool<expression_id> weights;
    for (expression_id e : g.weights(n)) weights.push_back(as_floats(x, e));
    x.set_weights(id, weights);
    pool<value_id> made;
    for (int k = 0; k < n.outputs.count; ++k) {
      value v = g.at_value(n.outputs.first + k);
      if (is_narrow(v.type)) v = {{}, v.shape, none, dtype::f32, 0};
      made.push_back(x.add_value(id, v));
    }
    for (int k = 0; k < n.outputs.count; ++k) {
      const value_id v = n.outputs.first + k, now = made[static_cast<std::size_t>(k)];
      x.move(v, is_narrow(g.at_value(v).type) ? convert(x, now, g.at_value(v)) : now);
    }
  }

 private:
  static constexpr types types_of(const pool<element>& t) { return {t.data(), t.size()}; }
  static constexpr element widened(const element& e) { return is_narrow(e) ? element(dtype::f32) : e; }

  /// Was the half rounded from a float?
  static constexpr bool is_rounded(const expander& x, value_id v) {
    const value_id now = x.at_present(v);
    if (now == none || !is_narrow(x.source().at_value(v).type)) return false;
    const graph_view g = x.made();
    const node& maker = g.at(g.at_value(now).producer);
    return maker.type == &type_of<op::cast> && g.at_value(g.inputs(maker)[0]).type == dtype::f32;
  }
  /// Half v in f32: a constant is another constant.
  static constexpr value_id wide(expander& x, value_id v) {
    if (x.twin(v) != none) return x.twin(v);
    const graph_view g = x.source();
    value as_float = g.at_value(v);
    as_float.type = dtype::f32;
    as_float.name = x.name(as_float.name, ".f32");
    const node_id maker = as_float.producer;
    if (!g.is<op::constant>(maker)) return x.twin(v) = convert(x, x.moved(v), as_float);
    op::constant numbers = g.get<op::constant>(maker);
    numbers.type = dtype::f32;
    const pool<expression_id> weight(1, as_floats(x, g.weights(g.at(maker))[0]));
    return x.twin(v) = x.add_value(x.add(numbers, as_float.name, {}, weight), as_float);
  }
  /// The value `like`, converted from v.
  static constexpr value_id convert(expander& x, value_id v, const value& like) {
    const std::string_view name =
        like.type == dtype::f32 ? like.name : x.name(like.name, like.type == dtype::f16 ? ".f16" : ".bf16");
    return x.add_value(x.add(op::cast{like.type, is_narrow(like.type)}, name, pool<value_id>(1, v)), like);
  }
  static constexpr expression_id as_floats(expander& x, expression_id e) {
    const expression& leaf = x.source().at_expression(e);
    return is_narrow(leaf.element) ? x.leaf(e, leaf.shape) : e;
  }
};

}  // namespace ctnn::ir::expansions
