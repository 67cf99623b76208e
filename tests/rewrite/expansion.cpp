// SPDX-License-Identifier: BSL-1.0
// Expansions: what is said with other operators before the first rule, in the compiler and at run time.
#include <doctest/doctest.h>

#include <ctnn/rewrite/expansions.hpp>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr value_id given(builder& b, dtype type, std::string_view name = "x") {
  return b.add(op::input{{2, 3, 4}, type}, name, {});
}
constexpr value_id as(builder& b, dtype type, std::string_view name, value_id x) {
  return b.add(op::cast{type, type != dtype::f32}, name, {x});  // to halves: of a result
}
constexpr value_id twice(builder& b, std::string_view name, value_id x) { return b.concat(name, {x, x}); }

template <class Recipe>
constexpr ir::graph expanded(Recipe recipe, pool<rewrite_step>& history) {
  builder b;
  recipe(b);
  name_maker names;
  return default_expansions::apply(static_cast<ir::graph&&>(b.g), names, history);
}
template <class Before, class After>
constexpr bool becomes(Before before, After after, std::size_t steps) {
  builder b;
  after(b);
  pool<rewrite_step> history, again;
  ir::graph g = expanded(before, history);
  const bool same = same_structure(g.view(), b.g.view()) && history.size() == steps;
  for (std::size_t i = 0; i < g.values.size(); ++i)
    if (g.values[i].type != b.g.values[i].type) return false;
  // Nothing of it can be expanded again.
  name_maker names;
  const ir::graph twice_expanded = default_expansions::apply(thaw(g.view()), names, again);
  return same && again.empty() && same_structure(twice_expanded.view(), g.view());
}

#define EXPANDS(title, before, after, steps)    \
  static_assert(becomes(before, after, steps)); \
  TEST_CASE(title) { CHECK(becomes(before, after, steps)); }

template <dtype Type>
constexpr auto relus = [](builder& b) { b.output("", b.relu("s", b.relu("r", given(b, Type)))); };
constexpr auto relus_of_floats = [](builder& b) {
  const value_id r = as(b, dtype::f16, "r", b.relu("r", as(b, dtype::f32, "x", given(b, dtype::f16))));
  b.output("", as(b, dtype::f16, "s", b.relu("s", as(b, dtype::f32, "r", r))));
};

constexpr auto two_readers = [](builder& b) {
  const value_id x = given(b, dtype::bf16);
  b.output("r", b.relu("r", x));
  b.output("x2", twice(b, "x2", x));
  b.output("s", b.sum("s", x, x));
};
constexpr auto two_readers_of_floats = [](builder& b) {
  const value_id x = given(b, dtype::bf16), wide = as(b, dtype::f32, "x", x);
  b.output("r", as(b, dtype::bf16, "r", b.relu("r", wide)));
  b.output("x2", twice(b, "x2", x));
  b.output("s", as(b, dtype::bf16, "s", b.sum("s", wide, wide)));
};

constexpr auto copied_result = [](builder& b) { b.output("", twice(b, "twice", b.relu("r", given(b, dtype::f16)))); };
constexpr auto copied_floats = [](builder& b) {
  const value_id r = as(b, dtype::f16, "r", b.relu("r", as(b, dtype::f32, "x", given(b, dtype::f16))));
  b.output("", as(b, dtype::f16, "twice", twice(b, "twice", as(b, dtype::f32, "r", r))));
};
constexpr auto copies = [](builder& b) { b.output("", twice(b, "twice", given(b, dtype::f16))); };

template <dtype Type>
constexpr auto constant_operand = [](builder& b) {
  const value_id c = b.add(op::constant{{4}, Type}, "c", {});
  b.output("", b.sum("s", given(b, Type), c));
};
constexpr auto constant_floats = [](builder& b) {
  const value_id wide = as(b, dtype::f32, "x", given(b, dtype::f16)), c = b.constant("c", {4});
  b.output("", as(b, dtype::f16, "s", b.sum("s", wide, c)));
};

constexpr bool weights_are_floats() {
  pool<rewrite_step> history;
  const ir::graph g = expanded([](builder& b) { b.output("", b.conv("conv", given(b, dtype::f16), 5, 3)); }, history);
  const node& conv = g.nodes[2];
  if (conv.type != &type_of<op::conv2d> || conv.weights.count != 2) return false;
  for (expression_id e : g.view().weights(conv)) {
    const expression& w = g.view().at_expression(e);
    if (w.element != dtype::f32 || w.layer != "conv") return false;
  }
  return true;
}

}  // namespace

EXPANDS("operators over halves compute in f32", relus<dtype::f16>, relus_of_floats, 2)
EXPANDS("f32 stays", relus<dtype::f32>, relus<dtype::f32>, 0)
EXPANDS("f64 stays", relus<dtype::f64>, relus<dtype::f64>, 0)
EXPANDS("a value is converted once; what copies it does not want it converted", two_readers, two_readers_of_floats, 2)
EXPANDS("what copies a result goes on in f32", copied_result, copied_floats, 2)
EXPANDS("what only copies stays", copies, copies, 0)
EXPANDS("a constant of halves is one of floats", constant_operand<dtype::f16>, constant_floats, 1)

static_assert(weights_are_floats());
TEST_CASE("the weights of an operator over halves are floats") { CHECK(weights_are_floats()); }
