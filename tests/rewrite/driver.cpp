// SPDX-License-Identifier: BSL-1.0
// The driver with all rules: fixpoints, sharing, outputs, broken rules, and the defects other optimisers have
// (passes.md 0.1).
#include <doctest/doctest.h>

#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "support/builder.hpp"
#include "support/numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using recipe = void (*)(builder&);

/// All rules make `after` of `before`, and nothing more of that.
constexpr bool becomes(recipe before, recipe after) {
  builder b, a;
  before(b);
  after(a);
  const optimization once = optimize(static_cast<ir::graph&&>(b.g), default_rules::records);
  if (!once.broken_rule.empty() || !same_structure(once.g.view(), a.g.view())) return false;
  const optimization twice = optimize(thaw(once.g.view()), default_rules::records);
  return twice.history.size() == 0 && same_structure(twice.g.view(), once.g.view());
}
void check_numbers(recipe before) {
  builder b, c;
  before(b);
  before(c);
  random_weights weights;
  const optimization o = optimize(static_cast<ir::graph&&>(c.g), default_rule_records());
  CHECK(difference(reference_outputs(o.g.view(), weights), reference_outputs(b.g.view(), weights)) == "");
}

#define BECOMES(title, before, after)     \
  static_assert(becomes(before, after));  \
  TEST_CASE(title) {                      \
    CHECK(becomes(before, after));        \
    check_numbers(before);                \
  }

using op::binary_function;
constexpr activation_function relu_inside{function::relu};
constexpr value_id image(builder& b) { return b.input("x", {2, 4, 4}); }
constexpr value_id norm(builder& b, std::string_view name, value_id x) { return b.add(op::batch_norm{}, name, {x}); }

/// Weights that constants give: the second convolution shares its weight with the first, the bias of the last is
/// computed.
constexpr value_id given_conv(builder& b, std::string_view name, value_id x, value_id w, value_id bias = none) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {3, 3};
  c.pad = {1, 1, 1, 1};
  c.bias = bias != none;
  c.given = bias != none ? 3 : 1;
  return bias != none ? b.add(c, name, {x, w, bias}) : b.add(c, name, {x, w});
}
template <bool Given>
constexpr auto given_weights = [](builder& b) {
  value_id x = image(b);
  const value_id fed = b.input("fed", {2});
  const value_id w = Given ? b.constant("w", {2, 2, 3, 3}) : none;
  op::conv2d own;
  own.out = 2;
  own.kernel = {3, 3};
  own.pad = {1, 1, 1, 1};
  own.bias = false;
  if (!Given) own.activation = relu_inside;
  x = Given ? b.relu("relu", given_conv(b, "first", x, w)) : b.add(own, "first", {x});
  own.activation = {};
  x = Given ? given_conv(b, "second", x, w) : b.add(own, "second", {x});
  own.bias = true;
  own.given = 2;
  x = Given ? given_conv(b, "third", x, w, fed) : b.add(own, "third", {x, fed});
  b.output("", x);
};

constexpr auto long_chain = [](builder& b) {
  value_id x = image(b);
  for (int i = 0; i < 8; ++i) x = b.add(op::dropout{}, "drop", {norm(b, "bn_in", b.add(op::identity{}, "id", {x}))});
  x = norm(b, "bn", norm(b, "bn", b.conv("conv", x, 3, 3)));
  x = b.scalar("div", binary_function::div, b.add(op::bias{}, "bias", {x}), 4);
  b.output("", b.relu("relu", b.relu("relu", b.scalar("sub", binary_function::sub, x, 1))));
};
constexpr auto scale_conv = [](builder& b) {
  const value_id x = b.add(op::scale{}, "bn_in", {image(b)});
  b.output("", b.conv("conv", x, 3, 3, {function::relu}));
};

// X20: both in one run.
constexpr auto add_then_mul = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 3, 3), k = b.constant("k", {3, 1, 1}), m = b.constant("m", {3, 1, 1});
  b.output("", b.binary("mul", binary_function::mul, b.sum("add", y, k), m));
};
constexpr auto mul_then_add = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 3, 3), k = b.constant("k", {3, 1, 1}), m = b.constant("m", {3, 1, 1});
  b.output("", b.sum("add", b.binary("mul", binary_function::mul, y, k), m));
};
constexpr auto just_conv = [](builder& b) { b.output("", b.conv("conv", image(b), 3, 3)); };

// X1: nothing moves past an activation.
constexpr auto conv_relu_norm = [](builder& b) {
  b.output("", norm(b, "bn", b.relu("relu", b.conv("conv", image(b), 3, 3))));
};
constexpr auto conv_relu_scale = [](builder& b) {
  b.output("", b.add(op::scale{}, "bn", {b.conv("conv", image(b), 3, 3, {function::relu})}));
};

// X10, X6: rows of a linear layer.
constexpr auto rows_norm_flatten = [](builder& b) {
  b.output("", b.flatten("flat", norm(b, "bn", b.linear("fc", b.input("x", {3, 5}), 3))));
};
constexpr auto rows_scale_flatten = [](builder& b) {
  b.output("", b.flatten("flat", b.add(op::scale{}, "bn", {b.linear("fc", b.input("x", {3, 5}), 3)})));
};

// X3: a broadcast sum of weighted values is no eltwise.
constexpr auto weighted_broadcast = [](builder& b) {
  const value_id a = b.input("a", {2, 2, 3}), c = b.input("c", {2, 1, 1});
  const value_id twice = b.scalar("twice", binary_function::mul, a, 2);
  b.output("", b.sum("sum", twice, b.scalar("thrice", binary_function::mul, c, 3)));
};

// X7, X8, X19: values under several public names, values read and given out, constants as outputs.
constexpr auto two_names = [](builder& b) {
  const value_id y = b.add(op::identity{}, "id", {b.conv("conv", image(b), 2)});
  b.output("a", y);
  b.output("b", y);
  b.output("c", b.relu("relu", y));
  b.output("k", b.constant("k", {3}));
  b.output("x", 0);
};
constexpr auto two_names_left = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 2);
  b.output("a", y);
  b.output("b", y);
  b.output("c", b.relu("relu", y));
  b.output("k", b.constant("k", {3}));
  b.output("x", 0);
};

// X16: the input keeps its name.
constexpr auto input_dropout = [](builder& b) {
  b.output("", b.relu("relu", b.add(op::dropout{}, "drop", {b.input("data", {4})})));
};
constexpr auto input_relu = [](builder& b) { b.output("", b.relu("relu", b.input("data", {4}))); };

// One value read twice by one reader.
constexpr auto doubled = [](builder& b) {
  const value_id y = b.relu("relu", b.add(op::identity{}, "id", {b.conv("conv", image(b), 2)}));
  b.output("", b.sum("sum", y, y));
};
constexpr auto doubled_left = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 2, 1, {function::relu});
  b.output("", b.sum("sum", y, y));
};
// Equal branches become one, whoever reads them; what follows then fuses.
constexpr auto twins = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 2);
  const value_id p = b.scalar("first", binary_function::mul, y, 2), q = b.scalar("second", binary_function::mul, y, 2);
  const value_id r = b.relu("relu1", p), s = b.relu("relu2", q);
  b.output("", b.concat("cat", {r, s}));
};
constexpr auto one_of_twins = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 2, 1, {function::relu});
  b.output("", b.concat("cat", {y, y}));
};
constexpr auto not_twins = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 2);
  const value_id p = b.scalar("first", binary_function::mul, y, 2), q = b.scalar("second", binary_function::mul, y, 3);
  b.output("", b.concat("cat", {p, q}));
};
constexpr auto zeros_differ = [](builder& b) {
  const value_id y = b.input("y", {4});
  const value_id p = b.scalar("first", binary_function::div, y, 0.0f),
                 q = b.scalar("second", binary_function::div, y, -0.0f);
  b.output("", b.concat("cat", {p, q}));
};

template <bool Active>
constexpr auto diamond = [](builder& b) {
  const value_id x = image(b), y = b.relu("relu", norm(b, "bn", b.conv("stem", x, 2, 3)));
  const value_id left = norm(b, "bn_left", b.conv("left", y, 2, 3)), right = norm(b, "bn_right", b.conv("right", y, 2));
  b.output("", b.relu("out", b.sum("sum", left, Active ? b.relu("right_relu", right) : right)));
};
constexpr auto diamond_left = [](builder& b) {
  const value_id x = image(b), y = b.conv("stem", x, 2, 3, relu_inside);
  const value_id right = b.conv("right", y, 2, 1, relu_inside);
  op::conv2d c;
  c.out = 2;
  c.kernel = {3, 3};
  c.pad = {1, 1, 1, 1};
  c.activation = relu_inside;
  b.output("", b.add(c, "left", {y, right}));
};
constexpr auto both_sides = [](builder& b) {
  b.output("", b.conv("left", b.conv("stem", image(b), 2, 3, relu_inside), 2, 3, relu_inside));
};

constexpr auto dead_branch = [](builder& b) {
  const value_id x = image(b), y = b.conv("used", x, 2);
  b.flatten("dead2", b.conv("dead", y, 7));
  b.add(op::split{{1, 1}, 0}, "dead3", {x});
  b.output("", b.relu("relu", y));
};
constexpr auto live_branch = [](builder& b) { b.output("", b.conv("used", image(b), 2, 1, relu_inside)); };

constexpr auto constants = [](builder& b) {
  const value_id x = image(b), k = b.full("k", {2, 1, 1}, 2), m = b.constant("m", {2, 1, 1});
  const value_id f = b.scalar("half", binary_function::mul, b.sum("km", k, m), 0.5f);
  b.output("", b.binary("times", binary_function::mul, b.conv("conv", x, 2), b.apply("tanh", f, function::tanh)));
};
constexpr auto no_constants = [](builder& b) { b.output("", b.conv("conv", image(b), 2)); };

constexpr auto nothing_to_do = [](builder& b) { b.output("y", image(b)); };

/// A rule that turns relu6 into relu and one that turns it back would never end.
struct relu_to_clip {
  static constexpr rule_info info{"relu_to_clip", "relu -> clip", lowers::tier, numerics::exact};
  using pattern = single<op::activation>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    return r.get<op::activation>(m.last).activation.kind == function::relu ? reason{} : reason{"no relu"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last);
    r.become(m.last, op::activation{{function::clip, 0, 100}}, r.name(m.last), {&x, 1}, {});
  }
};
/// Differences of the halves of x, split twice; one of the halves is a network output besides.
template <int A, int B>
constexpr auto two_splits = [](builder& b) {
  const value_id x = b.input("x", {4, 4});
  const value_id a = b.add(op::split{{2, 2}, A}, "a", {x}), c = B == none ? a : b.add(op::split{{2, 2}, B}, "c", {x});
  const value_id one = b.binary("one", binary_function::sub, a, a + 1);
  b.output("one", one);
  b.output("two", B == none ? one : b.binary("two", binary_function::sub, c, c + 1));
  b.output("three", c + 1);
};
template <bool Both, bool Largest>
constexpr auto two_topks = [](builder& b) {
  const value_id x = b.input("x", {4, 4});
  const value_id a = b.add(op::topk{2, 1, true}, "a", {x}), c = Both ? b.add(op::topk{2, 1, Largest}, "c", {x}) : a;
  b.output("values", b.relu("relu", a));
  b.output("at", c + 1);
};

constexpr bool is_caught() {
  builder b;
  b.output("", b.relu("relu", b.input("x", {4})));
  return optimize(static_cast<ir::graph&&>(b.g), rule_list<relu_to_clip>::records).broken_rule == "relu_to_clip";
}
static_assert(is_caught());

/// What is permuted is read twice, by a pad that is permuted back and by a second permute back.
constexpr auto read_twice_permuted = [](builder& b) {
  const value_id y = b.add(op::permute{{1, 2, 0}}, "to", {b.input("x", {3, 4, 5})});
  const value_id z = b.add(op::pad{op::pad_mode::constant, {1, 0, 0}, {0, 0, 2}}, "pad", {y});
  b.output("a", b.add(op::permute{{2, 0, 1}}, "back", {z}));
  b.output("b", b.relu("relu", b.add(op::permute{{2, 0, 1}}, "again", {y})));
};
constexpr auto never_permuted = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 5});
  b.output("a", b.add(op::pad{op::pad_mode::constant, {0, 1, 0}, {2, 0, 0}}, "pad", {x}));
  b.output("b", b.relu("relu", x));
};

}  // namespace

BECOMES("a rule is tried again where two layers further up a reader has gone", read_twice_permuted, never_permuted)
BECOMES("weights that constants give are the layers' own", given_weights<true>, given_weights<false>)
BECOMES("a long chain", long_chain, scale_conv)
BECOMES("conv2d + constant, * constant (X20)", add_then_mul, just_conv)
BECOMES("conv2d * constant, + constant (X20)", mul_then_add, just_conv)
BECOMES("conv2d, relu, batch_norm (X1)", conv_relu_norm, conv_relu_scale)
BECOMES("linear of rows, batch_norm, flatten (X6, X10)", rows_norm_flatten, rows_scale_flatten)
BECOMES("a weighted sum that broadcasts (X3)", weighted_broadcast, weighted_broadcast)
BECOMES("outputs of one value, outputs that are read, constants and inputs as outputs (X7, X8, X19)", two_names,
        two_names_left)
BECOMES("dropout behind the input (X16)", input_dropout, input_relu)
BECOMES("a value read twice by one reader", doubled, doubled_left)
BECOMES("equal branches", twins, one_of_twins)
BECOMES("branches that differ in a number", not_twins, not_twins)
BECOMES("a diamond", diamond<true>, diamond_left)
BECOMES("a diamond of linear maps", diamond<false>, both_sides)
BECOMES("dead branches", dead_branch, live_branch)
BECOMES("a subgraph of constants", constants, no_constants)
BECOMES("a network without layers", nothing_to_do, nothing_to_do)

BECOMES("equal splits", (two_splits<0, 0>), (two_splits<0, none>))
BECOMES("splits along two axes", (two_splits<0, 1>), (two_splits<0, 1>))
static_assert(becomes(two_topks<true, true>, two_topks<false, true>));
TEST_CASE("equal topks are one") { CHECK(becomes(two_topks<true, true>, two_topks<false, true>)); }
static_assert(becomes(two_topks<true, false>, two_topks<true, false>));
TEST_CASE("largest and smallest are two") { CHECK(becomes(two_topks<true, false>, two_topks<true, false>)); }

static_assert(becomes(zeros_differ, zeros_differ));
TEST_CASE("1 / 0 and 1 / -0 are no common subexpression") { CHECK(becomes(zeros_differ, zeros_differ)); }

TEST_CASE("a rule that does not lower the measure is named") { CHECK(is_caught()); }

TEST_CASE("batch_norm with a variance and an eps of zero stays finite (X9)") {
  builder b;
  b.output("", b.add(op::batch_norm{0, automatic_axis, 1e-4f}, "bn", {b.conv("conv", image(b), 2)}));
  const optimization o = optimize(thaw(b.g.view()), default_rule_records());
  REQUIRE(o.g.nodes.size() == 2);
  random_weights some;
  const floats zeros(2, 0.0f);
  const auto weights = [&](const expression& e) { return e.name == "running_var" ? zeros.data() : some(e); };
  const std::vector<floats> in = random_inputs(b.g.view());
  graph_values before, after;
  run_graph(b.g.view(), weights, pointers_to(in), before);
  run_graph(o.g.view(), weights, pointers_to(in), after);
  const auto want = before.of(b.g.outputs[0].value), got = after.of(o.g.outputs[0].value);
  for (float f : want) CHECK(std::isfinite(f));
  CHECK(difference({floats(got.begin(), got.end())}, {floats(want.begin(), want.end())}) == "");
}

TEST_CASE("the history tells where every layer went") {
  builder b;
  long_chain(b);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
  for (const rewrite_step& s : o.history) {
    CHECK(!s.rule.empty());
    CHECK(!s.consumed.empty());
  }
}

TEST_CASE("of more nodes than are looked at once all are rewritten") {
  constexpr std::size_t blocks = nodes_at_once;  // of three nodes each
  builder b;
  value_id x = image(b);
  for (std::size_t i = 0; i < blocks; ++i) x = b.relu("relu", norm(b, "bn", b.conv("conv", x, 2, 1)));
  b.output("", x);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
  CHECK(o.g.nodes.size() == blocks + 1);
  CHECK(o.settled == blocks + 1);
  CHECK(o.history.size() >= 2 * blocks);
  CHECK(optimize(thaw(o.g.view()), default_rule_records()).history.size() == 0);
}
