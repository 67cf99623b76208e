// SPDX-License-Identifier: BSL-1.0
// rules/gelu.hpp: GELU by tanh in the spellings of exporters.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr value_id image(builder& b) { return b.input("x", {2, 3, 4}); }
constexpr float root = 0.79788456f;

/// sqrt(2 / pi) (x + 0.044715 x^3) in three ways.
enum class inner { power, factored, summed };
template <inner I>
constexpr value_id polynomial_of(builder& b, value_id x, float cubic = 0.044715f) {
  if (I == inner::power)
    return b.scalar("scaled", mul, b.sum("poly", x, b.scalar("k", mul, b.scalar("cube", pow, x, 3), cubic)), root);
  const value_id square = b.add(op::activation{{function::square}}, "square", {x});
  if (I == inner::factored)
    return b.binary("scaled", mul, b.scalar("poly", add, b.scalar("k", mul, square, cubic), 1),
                    b.scalar("rx", mul, x, root));
  return b.scalar(
      "scaled", mul,
      b.add(op::eltwise{op::eltwise_function::sum, {cubic, 1}, {}}, "poly", {b.binary("cube", mul, square, x), x}),
      root);
}
/// Where the half goes.
enum class half { of_x, of_gate, last };
template <inner I, half H>
constexpr auto spelled = [](builder& b) {
  const value_id x = image(b);
  value_id gate = b.scalar("gate", add, b.apply("tanh", polynomial_of<I>(b, x), function::tanh), 1);
  if (H == half::of_gate) gate = b.scalar("half", mul, gate, 0.5f);
  if (H == half::of_x) b.output("", b.binary("it", mul, b.scalar("half", mul, x, 0.5f), gate));
  else if (H == half::of_gate) b.output("", b.binary("it", mul, gate, x));
  else b.output("", b.scalar("it", mul, b.binary("product", mul, x, gate), 0.5f));
};
constexpr auto fused_tanh = [](builder& b) {
  const value_id x = image(b);
  const value_id cube = b.scalar("cube", pow, x, 3);
  const value_id poly = b.add(op::eltwise{op::eltwise_function::sum, {1, 0.044715f}, {}}, "poly", {x, cube});
  const value_id gate = b.scalar("gate", add, b.scalar("tanh", mul, poly, root, {function::tanh}), 1);
  b.output("", b.binary("it", mul, x, b.scalar("half", mul, gate, 0.5f)));
};
constexpr auto whole = [](builder& b) { b.output("", b.apply("it", image(b), function::gelu_tanh)); };

constexpr auto other_cubic = [](builder& b) {
  const value_id x = image(b);
  const value_id gate =
      b.scalar("gate", add, b.apply("tanh", polynomial_of<inner::power>(b, x, 0.05f), function::tanh), 1);
  b.output("", b.scalar("it", mul, b.binary("product", mul, x, gate), 0.5f));
};
constexpr auto of_another = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  const value_id gate = b.scalar("gate", add, b.apply("tanh", polynomial_of<inner::power>(b, y), function::tanh), 1);
  b.output("", b.scalar("it", mul, b.binary("product", mul, x, gate), 0.5f));
};
constexpr auto gate_is_read = [](builder& b) {
  const value_id x = image(b), tanh = b.apply("tanh", polynomial_of<inner::power>(b, x), function::tanh);
  b.output("tanh", tanh);
  b.output("", b.binary("it", mul, x, b.scalar("half", mul, b.scalar("gate", add, tanh, 1), 0.5f)));
};
constexpr auto not_half = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x,
                        b.scalar("gate", add, b.apply("tanh", polynomial_of<inner::power>(b, x), function::tanh), 1)));
};
constexpr std::string_view no = "it is not x / 2 times 1 + the function of x that GELU has";

}  // namespace

FIRES("x/2 (1 + tanh(x, x^3))", (rules::gelu_by_tanh), (spelled<inner::power, half::of_x>), whole)
FIRES("(1 + tanh(x, x^3))/2 x", (rules::gelu_by_tanh), (spelled<inner::power, half::of_gate>), whole)
FIRES("(x (1 + tanh(x, x^3)))/2", (rules::gelu_by_tanh), (spelled<inner::power, half::last>), whole)
FIRES("x/2 (1 + tanh(x (1 + x^2)))", (rules::gelu_by_tanh), (spelled<inner::factored, half::of_x>), whole)
FIRES("(x (1 + tanh(x (1 + x^2))))/2", (rules::gelu_by_tanh), (spelled<inner::factored, half::last>), whole)
FIRES("(1 + tanh(eltwise(x^3, x)))/2 x", (rules::gelu_by_tanh), (spelled<inner::summed, half::of_gate>), whole)
FIRES("tanh already in the product", (rules::gelu_by_tanh), fused_tanh, whole)
DECLINES("another cubic term", (rules::gelu_by_tanh), other_cubic, no)
DECLINES("x (1 + tanh(y))", (rules::gelu_by_tanh), of_another, no)
DECLINES("the tanh is an output", (rules::gelu_by_tanh), gate_is_read, "its input is a network output too")
DECLINES("x (1 + tanh(x)) without the half", (rules::gelu_by_tanh), not_half, no)

TEST_CASE("all rules together find GELU, whatever the spelling") {
  const recipe spellings[] = {spelled<inner::power, half::of_x>,       spelled<inner::power, half::of_gate>,
                              spelled<inner::power, half::last>,       spelled<inner::factored, half::of_x>,
                              spelled<inner::factored, half::of_gate>, spelled<inner::factored, half::last>,
                              spelled<inner::summed, half::of_x>,      spelled<inner::summed, half::of_gate>,
                              spelled<inner::summed, half::last>,      fused_tanh};
  for (const recipe& spelling : spellings) {
    builder b, w;
    spelling(b);
    whole(w);
    const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
    CAPTURE(describe_graph(o.g.view()));
    CHECK(same_structure(o.g.view(), w.g.view()));
  }
}

namespace {
constexpr auto active_whole = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4});
  const value_id erf = b.apply("erf", b.scalar("root", op::binary_function::mul, x, 0.70710678f), function::erf);
  const value_id y =
      b.binary("product", op::binary_function::mul, x, b.scalar("one", op::binary_function::add, erf, 1));
  b.output("", b.scalar("it", op::binary_function::mul, y, 0.5f, {function::relu}));
};
}  // namespace
DECLINES("relu of a GELU", (rules::gelu_by_erf), active_whole, "it applies an activation")
