// SPDX-License-Identifier: BSL-1.0
// rules/hardswish.hpp: hard sigmoid and hard swish in the spellings of exporters.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr value_id image(builder& b) { return b.input("x", {2, 3, 4}); }
constexpr activation_function relu6{function::clip, 0, 6};
constexpr float sixth = 1.0f / 6;

constexpr value_id clipped(builder& b, value_id x, activation_function f = relu6) {
  return b.scalar("clipped", add, x, 3, f);
}
/// relu6(x + 3) / 6, the clip an operator or inside the sum.
template <bool Apart, bool Divide>
constexpr auto hard_gate = [](builder& b) {
  const value_id x = image(b);
  const value_id gate = Apart ? b.apply("clipped", b.scalar("plus", add, x, 3), function::clip, 0, 6) : clipped(b, x);
  b.output("", b.scalar("it", Divide ? op::binary_function::div : mul, gate, Divide ? 6 : sixth));
};
/// The sum stays for others if the clip is an operator of its own.
constexpr auto sigmoid_of_sum = [](builder& b) {
  const value_id x = image(b), plus = b.scalar("plus", add, x, 3);
  b.output("plus", plus);
  b.output("", b.scalar("it", mul, b.apply("clipped", plus, function::clip, 0, 6), sixth));
};
constexpr auto sum_and_sigmoid = [](builder& b) {
  const value_id x = image(b), plus = b.scalar("plus", add, x, 3);
  b.output("plus", plus);
  b.output("", b.apply("it", plus, function::hardsigmoid, sixth, 0));
};
constexpr auto keras_sigmoid = [](builder& b) {
  b.output("", b.scalar("it", add, b.scalar("times", mul, image(b), 0.2f), 0.5f, {function::clip, 0, 1}));
};
template <function F, int A = 6, int B = 5>
constexpr auto whole = [](builder& b) {
  b.output("", b.apply("it", image(b), F, A == 6 ? sixth : float(A) / 10, float(B) / 10));
};
template <int Top, op::binary_function F, int K>
constexpr auto other_clip = [](builder& b) {
  b.output("", b.scalar("it", F, clipped(b, image(b), {function::clip, 0, Top}), K));
};
constexpr auto clip_from_below = [](builder& b) {
  b.output("", b.scalar("it", op::binary_function::div, clipped(b, image(b), {function::clip, -1, 6}), 6));
};
constexpr auto gate_is_read = [](builder& b) {
  const value_id gate = clipped(b, image(b));
  b.output("gate", gate);
  b.output("", b.scalar("it", op::binary_function::div, gate, 6));
};
constexpr auto shifted_after = [](builder& b) { b.output("", b.scalar("it", sub, clipped(b, image(b)), 6)); };
constexpr auto no_slope = [](builder& b) {
  b.output("", b.scalar("it", add, b.scalar("times", mul, image(b), 0), 0.5f, {function::clip, 0, 1}));
};

enum class sixth_of { gate, x, product };
template <sixth_of S, bool Divide, bool GateFirst, bool Same = true, bool Shared = false>
constexpr auto hard_swish = [](builder& b) {
  const value_id x = image(b), y = Same ? x : b.input("y", {2, 3, 4});
  const auto over_six = [&](value_id v) {
    return b.scalar(S == sixth_of::product ? "it" : "sixth", Divide ? op::binary_function::div : mul, v,
                    Divide ? 6 : sixth);
  };
  value_id gate = clipped(b, y), other = x;
  if (Shared) b.output("gate", gate);
  if (S == sixth_of::gate) gate = over_six(gate);
  if (S == sixth_of::x) other = over_six(x);
  const value_id product =
      b.binary(S == sixth_of::product ? "product" : "it", mul, GateFirst ? gate : other, GateFirst ? other : gate);
  b.output("", S == sixth_of::product ? over_six(product) : product);
};
constexpr auto no_sixth = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, clipped(b, x)));
};
constexpr auto of_square = [](builder& b) {
  const value_id x = image(b);
  const value_id square = b.add(op::activation{{function::square}}, "square", {x});
  b.output("", b.scalar("it", mul, b.binary("product", mul, square, clipped(b, x)), sixth));
};
constexpr std::string_view no_sigmoid = "it is not a line of x, clipped and scaled to 0 ... 1",
                           no_swish = "it is not x times a line of x, clipped and scaled to 0 ... 1";

}  // namespace

FIRES("relu6(x + 3) / 6", (rules::spelled_hardsigmoid), (hard_gate<false, true>), whole<function::hardsigmoid>)
FIRES("relu6(x + 3) * (1 / 6)", (rules::spelled_hardsigmoid), (hard_gate<false, false>), whole<function::hardsigmoid>)
FIRES("relu6 by itself, of x + 3", (rules::spelled_hardsigmoid), (hard_gate<true, true>), whole<function::hardsigmoid>)
FIRES("relu6 of a sum that others read", (rules::spelled_hardsigmoid), sigmoid_of_sum, sum_and_sigmoid)
FIRES("clip(0.2 x + 0.5, 0, 1)", (rules::spelled_hardsigmoid), keras_sigmoid, (whole<function::hardsigmoid, 2>))
DECLINES("clip(x + 3, 0, 5) / 6", (rules::spelled_hardsigmoid), (other_clip<5, op::binary_function::div, 6>),
         no_sigmoid)
DECLINES("relu6(x + 3) / 3", (rules::spelled_hardsigmoid), (other_clip<6, op::binary_function::div, 3>), no_sigmoid)
DECLINES("clip(x + 3, 0, -6) / -6", (rules::spelled_hardsigmoid), (other_clip<-6, op::binary_function::div, -6>),
         no_sigmoid)
DECLINES("clip(x + 3, -1, 6) / 6", (rules::spelled_hardsigmoid), clip_from_below, no_sigmoid)
DECLINES("clip(0 x + 0.5, 0, 1)", (rules::spelled_hardsigmoid), no_slope, no_sigmoid)
DECLINES("relu6(x + 3) - 6", (rules::spelled_hardsigmoid), shifted_after, "it is not the gate times a number")
DECLINES("relu6(x + 3) is an output", (rules::spelled_hardsigmoid), gate_is_read, "its input is a network output too")

FIRES("x * relu6(x + 3) / 6", (rules::spelled_hardswish), (hard_swish<sixth_of::product, true, false>),
      whole<function::hardswish>)
FIRES("relu6(x + 3) * x * (1 / 6)", (rules::spelled_hardswish), (hard_swish<sixth_of::product, false, true>),
      whole<function::hardswish>)
FIRES("x * (relu6(x + 3) / 6)", (rules::spelled_hardswish), (hard_swish<sixth_of::gate, true, false>),
      whole<function::hardswish>)
FIRES("(x * (1 / 6)) * relu6(x + 3)", (rules::spelled_hardswish), (hard_swish<sixth_of::x, false, false>),
      whole<function::hardswish>)
FIRES("relu6(x + 3) * (x / 6)", (rules::spelled_hardswish), (hard_swish<sixth_of::x, true, true>),
      whole<function::hardswish>)
DECLINES("x * relu6(y + 3) / 6", (rules::spelled_hardswish), (hard_swish<sixth_of::product, true, false, false>),
         no_swish)
DECLINES("x * relu6(x + 3)", (rules::spelled_hardswish), no_sixth, no_swish)
DECLINES("x^2 * relu6(x + 3) / 6", (rules::spelled_hardswish), of_square, no_swish)
DECLINES("x * relu6(x + 3) / 6 with the gate an output", (rules::spelled_hardswish),
         (hard_swish<sixth_of::product, true, false, true, true>), "its input is a network output too")

namespace {

enum class maker { linear, conv, transposed, volume };
/// A layer with an activation, and what of it is times a number.
template <maker L, function F, int A, int B, bool Shared = false>
constexpr auto activated = [](builder& b) {
  const activation_function f{F, float(A) / 2, float(B) / 2};
  const value_id x = L == maker::volume ? b.input("x", {5, 2, 3, 3}) : b.input("x", {4, 5, 5});
  op::conv_transpose3d c;  // as many outputs as its weight has not first
  c.out = 2;
  c.kernel = {1, 1, 2};
  c.activation = f;
  const value_id y = L == maker::volume   ? b.add(c, "it", {x})
                     : L == maker::linear ? b.linear("it", x, 3, f)
                     : L == maker::conv   ? b.conv("it", x, 3, 3, f)
                                          : b.conv_transpose("it", x, 6, 2, f);
  if (Shared) b.output("shared", y);
  return y;
};
template <auto Activated, op::binary_function F, int K>
constexpr auto then_times = [](builder& b) { b.output("", b.scalar("times", F, Activated(b), float(K) / 2)); };
template <auto Activated>
constexpr auto by_itself = [](builder& b) { b.output("", Activated(b)); };
constexpr auto of_residual = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {3, 3, 4});
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  c.activation = {function::relu};
  b.output("", b.scalar("times", op::binary_function::mul, b.add(c, "it", {x, y}), 2));
};

}  // namespace

FIRES("linear, relu6 > / 2", (rules::positive_factor),
      (then_times<activated<maker::linear, function::clip, 0, 12>, op::binary_function::div, 4>),
      (by_itself<activated<maker::linear, function::clip, 0, 6>>))
FIRES("conv2d, relu > * 1.5", (rules::positive_factor),
      (then_times<activated<maker::conv, function::relu, 0, 0>, op::binary_function::mul, 3>),
      (by_itself<activated<maker::conv, function::relu, 0, 0>>))
FIRES("conv2d, relu > / 1e6", (rules::positive_factor),
      (then_times<activated<maker::conv, function::relu, 0, 0>, op::binary_function::div, 2000000>),
      (by_itself<activated<maker::conv, function::relu, 0, 0>>))
FIRES("conv_transpose2d, leaky_relu > * 1.5", (rules::positive_factor),
      (then_times<activated<maker::transposed, function::leaky_relu, 1, 0>, op::binary_function::mul, 3>),
      (by_itself<activated<maker::transposed, function::leaky_relu, 1, 0>>))
FIRES("conv_transpose3d, relu > / 2", (rules::positive_factor),
      (then_times<activated<maker::volume, function::relu, 0, 0>, op::binary_function::div, 4>),
      (by_itself<activated<maker::volume, function::relu, 0, 0>>))
DECLINES("conv2d, relu > * -1", (rules::positive_factor),
         (then_times<activated<maker::conv, function::relu, 0, 0>, op::binary_function::mul, -2>), "it is no factor")
DECLINES("conv2d, relu > + 1", (rules::positive_factor),
         (then_times<activated<maker::conv, function::relu, 0, 0>, op::binary_function::add, 2>), "it is no factor")
DECLINES("conv2d, tanh > * 2", (rules::positive_factor),
         (then_times<activated<maker::conv, function::tanh, 0, 0>, op::binary_function::mul, 4>),
         "its input applies no relu or clip")
DECLINES("conv2d, relu is an output > * 2", (rules::positive_factor),
         (then_times<activated<maker::conv, function::relu, 0, 0, true>, op::binary_function::mul, 4>),
         "its input is a network output too")
DECLINES("conv2d with a residual, relu > * 2", (rules::positive_factor), of_residual, "its input adds a residual")

TEST_CASE("all rules together find hardswish, whatever the spelling, the clip as bounds") {
  using enum op::binary_function;
  for (const bool bounds : {false, true})
    for (const sixth_of s : {sixth_of::gate, sixth_of::x, sixth_of::product})
      for (const bool divide : {false, true}) {
        builder b, w;
        const value_id x = b.relu("relu", image(b));
        value_id gate = b.scalar("plus", add, x, 3), other = x;
        if (bounds) gate = b.scalar("below", minimum, b.scalar("above", maximum, gate, 0), 6);
        else gate = b.apply("clip", gate, function::clip, 0, 6);
        const auto over_six = [&](value_id v) {
          return b.scalar("sixth", divide ? op::binary_function::div : mul, v, divide ? 6 : sixth);
        };
        if (s == sixth_of::gate) gate = over_six(gate);
        if (s == sixth_of::x) other = over_six(other);
        value_id y = b.binary("product", mul, other, gate);
        if (s == sixth_of::product) y = over_six(y);
        b.output("", b.conv("conv", y, 3));

        w.output("", w.conv("conv", w.apply(s == sixth_of::product ? "sixth" : "product", w.relu("relu", image(w)),
                                            function::hardswish, sixth, 0.5f), 3));
        const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
        CAPTURE(describe_graph(o.g.view()));
        CHECK(same_structure(o.g.view(), w.g.view()));
      }
}

namespace {
constexpr auto by_zero = [](builder& b) {
  const value_id gate = clipped(b, b.scalar("add", add, image(b), 3));
  b.output("", b.scalar("it", op::binary_function::div, gate, 0));
};
constexpr auto active_swish = [](builder& b) {
  const value_id x = image(b), gate = clipped(b, b.scalar("add", add, x, 3));
  b.output("", b.scalar("it", mul, b.binary("product", mul, x, gate), sixth, {function::relu}));
};
constexpr auto shifted_swish = [](builder& b) {
  const value_id x = image(b), gate = clipped(b, b.scalar("add", add, x, 3));
  b.output("", b.scalar("it", mul, b.binary("product", mul, b.scalar("shift", add, x, 1), gate), sixth));
};
template <int Case>
constexpr auto no_factor = [](builder& b) {
  const value_id y = b.conv("conv", image(b), 3, 1, {function::clip, 0, Case == 0 ? 1e35f : 6.0f});
  if (Case == 0) b.output("", b.scalar("times", mul, y, 2));
  else b.output("", b.scalar("times", mul, y, 2, {function::sigmoid}));
};
}  // namespace
DECLINES("clip / 0", (rules::spelled_hardsigmoid), by_zero, "it is not the gate times a number")
DECLINES("relu of a hardswish", (rules::spelled_hardswish), active_swish, "it applies an activation")
DECLINES("(x + 1) * relu6(x + 3) / 6", (rules::spelled_hardswish), shifted_swish,
         "it is not x times a line of x, clipped and scaled to 0 ... 1")
DECLINES("a bound out of range", (rules::positive_factor), no_factor<0>, "a bound is too large")
DECLINES("a factor and then sigmoid", (rules::positive_factor), no_factor<1>, "it is no factor")
