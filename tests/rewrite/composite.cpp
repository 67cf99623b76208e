// SPDX-License-Identifier: BSL-1.0
// rules/composite.hpp: several operators that spell one.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr value_id image(builder& b) { return b.input("x", {2, 3, 4}); }
constexpr auto product = op::binary_function::mul;

template <function F>
constexpr auto gated = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", product, x, b.apply("gate", x, F, 0.2f, 0.5f)));
};
template <function F>
constexpr auto gated_first = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", product, b.apply("gate", x, F, 0.2f, 0.5f), x));
};
template <function F>
constexpr auto whole = [](builder& b) { b.output("", b.apply("it", image(b), F, 0.2f, 0.5f)); };
constexpr auto gated_by_other = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", product, x, b.apply("gate", b.input("y", {2, 3, 4}), function::sigmoid)));
};
constexpr auto sum_with_gate = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.sum("it", x, b.apply("gate", x, function::sigmoid)));
};
constexpr auto gate_is_output = [](builder& b) {
  const value_id x = image(b), gate = b.apply("gate", x, function::sigmoid);
  b.output("gate", gate);
  b.output("it", b.binary("it", product, x, gate));
};

template <op::binary_function F, int Tenths>
constexpr auto with_scalar = [](builder& b) { b.output("", b.scalar("it", F, image(b), float(Tenths) / 10)); };
template <op::binary_function F>
constexpr auto with_value = [](builder& b) {
  b.output("", b.binary("it", F, image(b), b.input("y", {2, 3, 4})));
};
constexpr float most = std::numeric_limits<float>::infinity();
constexpr auto rectified = [](builder& b) { b.output("", b.relu("it", image(b))); };
constexpr auto leaky_half = [](builder& b) { b.output("", b.apply("it", image(b), function::leaky_relu, 0.5f)); };
constexpr auto at_least = [](builder& b) { b.output("", b.apply("it", image(b), function::clip, 0.5f, most)); };
constexpr auto at_most = [](builder& b) { b.output("", b.apply("it", image(b), function::clip, -most, 0.5f)); };
/// Roots of what has a lower bound.
constexpr value_id bounded(builder& b) { return b.apply("bound", image(b), function::clip, -1, 2); }
constexpr value_id positive(builder& b) {
  return b.scalar("eps", op::binary_function::add, b.add(op::activation{{function::square}}, "square", {image(b)}),
                  1e-5f);
}
template <int Tenths>
constexpr auto power_of_bounded =
    [](builder& b) { b.output("", b.scalar("it", op::binary_function::pow, bounded(b), float(Tenths) / 10)); };
template <int Tenths>
constexpr auto power_of_positive =
    [](builder& b) { b.output("", b.scalar("it", op::binary_function::pow, positive(b), float(Tenths) / 10)); };
constexpr auto power_of_relu = [](builder& b) {
  b.output("", b.scalar("it", op::binary_function::pow, b.relu("r", image(b)), -0.5f));
};
template <function F>
constexpr auto root_of_bounded = [](builder& b) { b.output("", b.add(op::activation{{F}}, "it", {bounded(b)})); };
template <function F>
constexpr auto root_of_positive = [](builder& b) { b.output("", b.add(op::activation{{F}}, "it", {positive(b)})); };
template <function F>
constexpr auto named = [](builder& b) { b.output("", b.add(op::activation{{F}}, "it", {image(b)})); };

template <int Input>
constexpr auto sum_of_scaled = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  const value_id scaled = b.scalar("times", product, Input == 0 ? x : y, 1.5f);
  b.output("", Input == 0 ? b.sum("it", scaled, y) : b.sum("it", x, scaled));
};
template <int Input>
constexpr auto weighted = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  b.output("", b.add(op::eltwise{op::eltwise_function::sum, {Input == 0 ? 1.5f : 1.0f, Input == 0 ? 1.0f : 1.5f}, {}},
                     "it", {x, y}));
};
constexpr auto sum_that_broadcasts = [](builder& b) {  // X3
  const value_id x = image(b), y = b.input("y", {2, 1, 1});
  b.output("", b.sum("it", b.scalar("times", product, x, 2), y));
};
constexpr auto difference_of_scaled = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  b.output("", b.binary("it", op::binary_function::sub, b.scalar("times", product, x, 2), y));
};
constexpr auto sum_of_shifted = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  b.output("", b.sum("it", b.scalar("plus", op::binary_function::add, x, 2), y));
};
/// The product is a term with a coefficient of its own; k and that are 10 to the powers given.
constexpr float power_of_ten(int n) {
  double x = 1;
  for (int i = 0; i < (n < 0 ? -n : n); ++i) x *= n < 0 ? 0.1 : 10;
  return static_cast<float>(x);
}
template <int Own, int K>
constexpr auto term_times = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  b.output("", b.add(op::eltwise{op::eltwise_function::sum, {1.0f, power_of_ten(Own)}, {}}, "it",
                     {x, b.scalar("times", op::binary_function::mul, y, power_of_ten(K))}));
};
template <int Both>
constexpr auto term_of = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  b.output("", b.add(op::eltwise{op::eltwise_function::sum, {1.0f, power_of_ten(Both)}, {}}, "it", {x, y}));
};
template <op::eltwise_function F>
constexpr auto three_terms = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4}), z = b.input("z", {2, 3, 4});
  b.output("", b.add(op::eltwise{F, {}, {}}, "it", {x, b.scalar("times", product, y, 2), z}));
};
constexpr auto three_weighted = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4}), z = b.input("z", {2, 3, 4});
  b.output("", b.add(op::eltwise{op::eltwise_function::sum, {1.0f, 2.0f, 1.0f}, {}}, "it", {x, y, z}));
};

}  // namespace

FIRES("x * sigmoid(x)", (rules::gated_by_itself), gated<function::sigmoid>, whole<function::silu>)
FIRES("sigmoid(x) * x", (rules::gated_by_itself), gated_first<function::sigmoid>, whole<function::silu>)
FIRES("x * hardsigmoid(x)", (rules::gated_by_itself), gated<function::hardsigmoid>, whole<function::hardswish>)
DECLINES("x * tanh(x)", (rules::gated_by_itself), gated<function::tanh>, "the gate is not a sigmoid or hardsigmoid")
DECLINES("x * sigmoid(y)", (rules::gated_by_itself), gated_by_other, "the gate is computed from another value")
DECLINES("x + sigmoid(x)", (rules::gated_by_itself), sum_with_gate, "it is not the product of two values")
DECLINES("gate is an output", (rules::gated_by_itself), gate_is_output, "its input is a network output too")

FIRES("maximum(x, 0)", (rules::bound_by_scalar), (with_scalar<op::binary_function::maximum, 0>), rectified)
FIRES("maximum(x, 0.5)", (rules::bound_by_scalar), (with_scalar<op::binary_function::maximum, 5>), at_least)
FIRES("minimum(x, 0.5)", (rules::bound_by_scalar), (with_scalar<op::binary_function::minimum, 5>), at_most)
FIRES("prelu(x, 0.5)", (rules::bound_by_scalar), (with_scalar<op::binary_function::prelu, 5>), leaky_half)
DECLINES("maximum(x, y)", (rules::bound_by_scalar), with_value<op::binary_function::maximum>,
         "it has no scalar operand")
DECLINES("x + 0.5 is no bound", (rules::bound_by_scalar), (with_scalar<op::binary_function::add, 5>),
         "it has no bound or slope")

FIRES("x ^ 2", (rules::power_by_name), (with_scalar<op::binary_function::pow, 20>), named<function::square>)
FIRES("clip(x) ^ 0.5", (rules::power_by_name), power_of_bounded<5>, root_of_bounded<function::sqrt>)
FIRES("(x^2 + eps) ^ 0.5", (rules::power_by_name), power_of_positive<5>, root_of_positive<function::sqrt>)
FIRES("(x^2 + eps) ^ -0.5", (rules::power_by_name), power_of_positive<-5>, root_of_positive<function::rsqrt>)
DECLINES("x ^ 0.5", (rules::power_by_name), (with_scalar<op::binary_function::pow, 5>),
         "its input may be -inf, whose root is NaN")
DECLINES("x ^ -0.5", (rules::power_by_name), (with_scalar<op::binary_function::pow, -5>),
         "its input may be -inf or -0, whose roots are others")
DECLINES("relu(x) ^ -0.5", (rules::power_by_name), power_of_relu, "its input may be -inf or -0, whose roots are others")
FIRES("1 / x", (rules::power_by_name), (with_scalar<op::binary_function::rdiv, 10>), named<function::reciprocal>)
DECLINES("2 / x", (rules::power_by_name), (with_scalar<op::binary_function::rdiv, 20>), "the power has no name")
FIRES("x ^ -1", (rules::power_by_name), (with_scalar<op::binary_function::pow, -10>), named<function::reciprocal>)
DECLINES("x ^ 3", (rules::power_by_name), (with_scalar<op::binary_function::pow, 30>), "the power has no name")
DECLINES("x * 2 is no power", (rules::power_by_name), (with_scalar<op::binary_function::mul, 20>), "it is not a power")

FIRES("x * 1.5 + y", (rules::weighted_sum), sum_of_scaled<0>, weighted<0>)
FIRES("x + y * 1.5", (rules::weighted_sum), sum_of_scaled<1>, weighted<1>)
DECLINES("x * 2 + y of another shape", (rules::weighted_sum), sum_that_broadcasts, "its operands differ in shape")
DECLINES("x * 2 - y", (rules::weighted_sum), difference_of_scaled, "it is not the sum of two values")
DECLINES("(x + 2) + y", (rules::weighted_sum), sum_of_shifted, "its operand is not a value times a scalar")

FIRES("eltwise(x, y * 2, z)", (rules::scaled_term), three_terms<op::eltwise_function::sum>, three_weighted)
FIRES("eltwise(x, 10 (y * 10))", (rules::scaled_term), (term_times<1, 1>), (term_of<2>))
FIRES("eltwise(x, y * 1e-40)", (rules::scaled_term), (term_times<0, -40>), (term_of<-40>))
FIRES("eltwise(x, 1e-40 (y * 1))", (rules::scaled_term), (term_times<-40, 0>), (term_of<-40>))
DECLINES("eltwise(x, 1e-30 (y * 1e-30))", (rules::scaled_term), (term_times<-30, -30>),
         "the product of its factors is too large or small")
DECLINES("eltwise(x, 1e30 (y * 1e30))", (rules::scaled_term), (term_times<30, 30>),
         "the product of its factors is too large or small")
DECLINES("eltwise product of y * 2", (rules::scaled_term), three_terms<op::eltwise_function::prod>, "it is not a sum")

namespace {

/// relu(x) + k * relu(-y), where k is one number a channel or 0.25.
enum class spelling { per_channel, one_number, inside_product, at_most_zero, at_most_one, twice, twice_per_channel };
template <spelling S, bool Same, bool Shared, op::binary_function Sum = op::binary_function::add>
constexpr auto both_sides = [](builder& b) {
  const value_id x = image(b), y = Same ? x : b.input("y", {2, 3, 4});
  value_id negative = 0;
  if (S == spelling::at_most_zero || S == spelling::at_most_one) {
    negative = b.apply("below", y, function::clip, -most, S == spelling::at_most_one ? 1 : 0);
  } else if (S == spelling::twice || S == spelling::twice_per_channel) {
    negative = b.binary("below", op::binary_function::sub, y, b.add(op::activation{{function::abs}}, "size", {y}));
  } else if (S == spelling::inside_product) {
    negative = b.scalar("neg", product, y, -1, {function::relu});
  } else {
    negative = b.relu("below", b.add(op::activation{{function::neg}}, "neg", {y}));
  }
  if (Shared) b.output("below", negative);
  const value_id times = S == spelling::per_channel || S == spelling::twice_per_channel
                             ? b.add(op::scale{false}, "times", {negative})
                             : b.scalar("times", product, negative, 0.25f);
  b.output("", b.binary("it", Sum, b.relu("above", x), times));
};
template <int Hundredths>
constexpr auto leaky =
    [](builder& b) { b.output("", b.apply("it", image(b), function::leaky_relu, float(Hundredths) / 100)); };
constexpr auto minus_relu = [](builder& b) {
  const value_id x = image(b);
  const value_id negative = b.relu("below", b.add(op::activation{{function::neg}}, "neg", {x}));
  b.output("",
           b.binary("it", op::binary_function::sub, b.scalar("times", product, negative, 0.25f), b.relu("above", x)));
};
constexpr auto slope_each = [](builder& b) { b.output("", b.add(op::prelu{}, "it", {image(b)})); };
constexpr auto sum_of_relus = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.sum("it", b.relu("above", x), b.add(op::scale{false}, "times", {b.relu("again", x)})));
};

}  // namespace

FIRES("relu(x) + k[c] * relu(-x)", (rules::two_sided_relu_by_channel), (both_sides<spelling::per_channel, true, false>),
      slope_each)
FIRES("relu(x) + k * relu(-x)", (rules::two_sided_relu_by_number), (both_sides<spelling::one_number, true, false>),
      leaky<-25>)
FIRES("relu(x) + k * (relu after * -1)", (rules::two_sided_relu_by_number),
      (both_sides<spelling::inside_product, true, false>), leaky<-25>)
DECLINES("relu(x) + k[c] * relu(-y)", (rules::two_sided_relu_by_channel),
         (both_sides<spelling::per_channel, false, false>), "its other operand is not relu(x)")
DECLINES("relu(x) + k[c] * relu(x)", (rules::two_sided_relu_by_channel), sum_of_relus,
         "its operand is not a product with relu(-x)")
DECLINES("relu(-x) is read elsewhere", (rules::two_sided_relu_by_number),
         (both_sides<spelling::one_number, true, true>), "its input is a network output too")
FIRES("relu(x) - k * relu(-x)", (rules::two_sided_relu_by_number),
      (both_sides<spelling::one_number, true, false, op::binary_function::sub>), leaky<25>)
FIRES("relu(x) - k[c] * relu(-x)", (rules::two_sided_relu_by_channel),
      (both_sides<spelling::per_channel, true, false, op::binary_function::sub>), slope_each)
FIRES("relu(x) + k * minimum(x, 0)", (rules::two_sided_relu_by_number),
      (both_sides<spelling::at_most_zero, true, false>), leaky<25>)
FIRES("relu(x) + k * (x - |x|)", (rules::two_sided_relu_by_number), (both_sides<spelling::twice, true, false>),
      leaky<50>)
FIRES("relu(x) + k[c] * (x - |x|)", (rules::two_sided_relu_by_channel),
      (both_sides<spelling::twice_per_channel, true, false>), slope_each)
DECLINES("relu(x) + k * minimum(x, 1)", (rules::two_sided_relu_by_number),
         (both_sides<spelling::at_most_one, true, false>), "its operand is not a product with relu(-x)")
DECLINES("relu(x) + k * (y - |y|)", (rules::two_sided_relu_by_number), (both_sides<spelling::twice, false, false>),
         "its other operand is not relu(x)")
DECLINES("k * relu(-x) - relu(x)", (rules::two_sided_relu_by_number), minus_relu, "it subtracts relu(x)")
DECLINES("relu(x) * k * relu(-x)", (rules::two_sided_relu_by_number),
         (both_sides<spelling::one_number, true, false, product>), "it is not the sum or difference of two values")

TEST_CASE("all rules together find a slope a channel in the ways it is spelled") {
  for (const bool lesser : {false, true}) {
    builder b, w;
    const value_id x = image(b), alpha = b.constant("alpha", {2, 1, 1});
    value_id below = 0;
    if (lesser) {
      below = b.binary("times", product, alpha, b.scalar("below", op::binary_function::minimum, x, 0));
    } else {
      const value_id size = b.add(op::activation{{function::abs}}, "size", {x});
      below = b.binary("times", product, alpha, b.binary("below", op::binary_function::sub, x, size));
      below = b.scalar("half", product, below, 0.5f);
    }
    b.output("", b.sum("it", b.scalar("above", op::binary_function::maximum, x, 0), below));
    slope_each(w);
    const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
    CAPTURE(describe_graph(o.g.view()));
    CHECK(same_structure(o.g.view(), w.g.view()));
  }
}

namespace {

template <op::binary_function F>
constexpr auto with_itself = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", F, x, x));
};
template <function F, function G>
constexpr auto both = [](builder& b) {
  b.output("", b.add(op::activation{{G}}, "then", {b.add(op::activation{{F}}, "it", {b.relu("relu", image(b))})}));
};
constexpr auto inverse_root = [](builder& b) {
  b.output("", b.add(op::activation{{function::rsqrt}}, "it", {b.relu("relu", image(b))}));
};
template <function F, op::binary_function G>
constexpr auto with_function = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {3, 4});
  b.output("", b.binary("it", G, b.add(op::activation{{F}}, "inverse", {y}), x));
};
constexpr auto quotient = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {3, 4});
  b.output("", b.binary("it", op::binary_function::div, x, y));
};
constexpr auto inverse_is_read = [](builder& b) {
  const value_id x = image(b), y = b.add(op::activation{{function::reciprocal}}, "inverse", {b.input("y", {3, 4})});
  b.output("", b.binary("it", product, x, y));
  b.output("inverse", y);
};

}  // namespace

FIRES("x * x", (rules::square_by_name), with_itself<product>, named<function::square>)
DECLINES("x * y is no square", (rules::square_by_name), with_value<product>, "its operands are not the same")
DECLINES("x + x is no square", (rules::square_by_name), with_itself<op::binary_function::add>,
         "it is not the product of two values")

FIRES("1 / sqrt(x)", (rules::rsqrt_by_name), (both<function::sqrt, function::reciprocal>), inverse_root)
DECLINES("sqrt(1 / x)", (rules::rsqrt_by_name), (both<function::reciprocal, function::sqrt>), "it is not a reciprocal")
DECLINES("1 / |x|", (rules::rsqrt_by_name), (both<function::abs, function::reciprocal>), "its input is not a root")

FIRES("1 / y * x", (rules::times_reciprocal), (with_function<function::reciprocal, product>), quotient)
DECLINES("1 / y + x", (rules::times_reciprocal), (with_function<function::reciprocal, op::binary_function::add>),
         "it is not the product of two values")
DECLINES("|y| * x", (rules::times_reciprocal), (with_function<function::abs, product>),
         "its operand is not a reciprocal")
DECLINES("1 / y is an output", (rules::times_reciprocal), inverse_is_read, "its input is a network output too")

namespace {
/// relu(x) + k * relu(-x), with something else about one part of it.
enum class oddity { none, negative_is_no_relu, slopes_shift, sum_activates, times_first, product_activates, of_values };
template <oddity O>
constexpr auto odd_sides = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  const activation_function relu{function::relu};
  const value_id below =
      b.scalar("below", product, x, -1, O == oddity::negative_is_no_relu ? activation_function{} : relu);
  const value_id positive = b.relu("positive", x);
  value_id times = none;
  if (O == oddity::slopes_shift) times = b.add(op::scale{true}, "times", {below});
  else if (O == oddity::of_values) times = b.binary("times", product, below, y);
  else times = b.scalar("times", product, below, -0.5f, O == oddity::product_activates ? relu : activation_function{});
  const activation_function last = O == oddity::sum_activates ? relu : activation_function{};
  const auto plus = op::binary_function::add;
  b.output("y", y);
  b.output("", O == oddity::times_first ? b.binary("it", plus, times, positive, last)
                                        : b.binary("it", plus, positive, times, last));
};
constexpr auto half_below = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  b.output("y", y);
  b.output("", b.apply("it", x, function::leaky_relu, 0.5f));
};
template <op::binary_function F>
constexpr auto active_number = [](builder& b) { b.output("", b.scalar("it", F, image(b), 2, {function::relu})); };
constexpr auto no_number = [](builder& b) {
  b.output("", b.scalar("it", op::binary_function::maximum, image(b), std::numeric_limits<float>::quiet_NaN()));
};
constexpr auto active_gate = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", product, x, b.apply("gate", x, function::sigmoid), {function::relu}));
};
template <bool Divides>
constexpr auto active_quotient = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 4});
  const auto f = Divides ? op::binary_function::div : product;
  b.output("", b.binary("it", f, y, Divides ? x : b.apply("inverse", x, function::reciprocal), {function::relu}));
};
}  // namespace
FIRES("k * relu(-x) + relu(x)", (rules::two_sided_relu_by_number), odd_sides<oddity::times_first>, half_below)
DECLINES("relu(x) - k x", (rules::two_sided_relu_by_number), odd_sides<oddity::negative_is_no_relu>,
         "its operand is not a product with relu(-x)")
DECLINES("relu(x) + k * relu(-x) + s", (rules::two_sided_relu_by_channel), odd_sides<oddity::slopes_shift>,
         "its operand is not a product")
DECLINES("relu of both sides", (rules::two_sided_relu_by_number), odd_sides<oddity::sum_activates>,
         "it applies an activation")
DECLINES("relu of the multiple", (rules::two_sided_relu_by_number), odd_sides<oddity::product_activates>,
         "its operand has an activation")
DECLINES("a side times a value", (rules::two_sided_relu_by_number), odd_sides<oddity::of_values>,
         "its operand is not a value times a scalar")
DECLINES("relu of a maximum", (rules::bound_by_scalar), active_number<op::binary_function::maximum>,
         "it applies an activation")
DECLINES("maximum with no number", (rules::bound_by_scalar), no_number, "its scalar is not a number")
DECLINES("power of two values", (rules::power_by_name), with_value<op::binary_function::pow>,
         "it has no scalar operand")
DECLINES("relu of a square", (rules::power_by_name), active_number<op::binary_function::pow>,
         "it applies an activation")
DECLINES("relu of x * sigmoid(x)", (rules::gated_by_itself), active_gate, "it applies an activation")
FIRES("relu of b * (1 / a)", (rules::times_reciprocal), active_quotient<false>, active_quotient<true>)
