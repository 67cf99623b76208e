// SPDX-License-Identifier: BSL-1.0
// Weights that were made in the same way of the same numbers are one weight: two layers that share theirs still do when
// the same batch normalisation has been folded into both.
#pragma once

#include <bit>

#include "../graph/graph.hpp"

namespace ctnn::ir {

namespace detail {

/// Finds the first of equal expressions by open addressing. Arguments come before what is made of them, so those of an
/// expression are the first of their kind already.
class expression_table {
 public:
  constexpr explicit expression_table(const graph_view& g, const pool<expression_id>& first_of)
      : g_(g), first_of_(first_of) {
    std::size_t slots = 8;
    while (slots < 2 * g.expressions.size()) slots *= 2;
    table_ = pool<expression_id>(slots, none);
  }
  constexpr expression_id first_like(expression_id id) {
    for (std::size_t at = hash(g_.at_expression(id)) & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
      expression_id& slot = table_[at];
      if (slot == none) slot = id;
      if (slot == id || same(slot, id)) return slot;
    }
  }

 private:
  constexpr expression_id argument(const expression& e, int i) const {
    return first_of_[static_cast<std::size_t>(g_.operands[static_cast<std::size_t>(e.arguments.first + i)])];
  }
  static constexpr std::size_t letter(std::string_view name, std::size_t back) {
    return name.size() < back ? 0 : static_cast<unsigned char>(name[name.size() - back]);
  }
  /// Of a leaf some letters: compilers count each.
  constexpr std::size_t hash(const expression& e) const {
    std::size_t h = static_cast<std::size_t>(e.shape.count());
    if (!e.type) {
      for (std::size_t back = 1; back < 4; ++back) h = h * 31 + letter(e.layer, back);
      h = (h * 31 + e.layer.size()) * 31 + letter(e.name, 1);
    } else {
      h = h * 31 + e.type->name.size();
      for (int i = 0; i < e.arguments.count; ++i) h = h * 31 + static_cast<std::size_t>(argument(e, i));
    }
    return h * 2654435761u >> 7;
  }
  constexpr bool same(expression_id a, expression_id b) const {
    const expression &x = g_.at_expression(a), &y = g_.at_expression(b);
    if (x.type != y.type || !(x.shape == y.shape) || !(x.element == y.element)) return false;
    if (!x.type) return x.name == y.name && x.layer == y.layer;
    if (x.arguments.count != y.arguments.count || x.fields.count != y.fields.count) return false;
    for (int i = 0; i < x.arguments.count; ++i)
      if (argument(x, i) != argument(y, i)) return false;
    const auto f = g_.fields_of(x.fields), other = g_.fields_of(y.fields);
    for (std::size_t i = 0; i < f.size(); ++i)  // bit by bit: 1 / 0 is not 1 / -0
      if (std::bit_cast<std::uint64_t>(f[i]) != std::bit_cast<std::uint64_t>(other[i])) return false;
    return true;
  }

  graph_view g_;
  const pool<expression_id>& first_of_;
  pool<expression_id> table_;
};

}  // namespace detail

/// Could anything be shared? If several layers read one weight, or one constant that may become one.
constexpr bool shares_weights(const graph_view& g) {
  pool<bool> read(g.expressions.size(), false);
  for (const node& n : g.nodes)
    for (int k = n.weights.first; k < n.weights.first + n.weights.count && !n.dead; ++k) {
      bool& now = read[static_cast<std::size_t>(g.operands[static_cast<std::size_t>(k)])];
      if (now || (n.type == &type_of<op::constant> && g.at_value(n.outputs.first).readers > 1)) return true;
      now = true;
    }
  return false;
}

/// Whoever reads an expression reads the first that is like it; nobody reads the others any more.
constexpr void share_equal_expressions(graph& g) {
  const std::size_t count = g.expressions.size();
  pool<expression_id> first_of(count, none);
  bool any = false;
  {
    detail::expression_table table(g.view(), first_of);
    for (std::size_t i = 0; i < count; ++i) {
      const auto id = static_cast<expression_id>(i);
      first_of[i] = table.first_like(id);
      any = any || first_of[i] != id;
    }
  }
  if (!any) return;
  const auto read_first = [&](range r) {
    for (int k = r.first; k < r.first + r.count; ++k) {
      int& e = g.operands[static_cast<std::size_t>(k)];
      e = first_of[static_cast<std::size_t>(e)];
    }
  };
  for (const expression& e : g.expressions) read_first(e.arguments);
  for (const node& n : g.nodes) read_first(n.weights);
}

}  // namespace ctnn::ir
