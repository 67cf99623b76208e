// SPDX-License-Identifier: BSL-1.0
// rules/affine.hpp: scales and shifts, in their many spellings, move into weights.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr value_id scale(builder& b, std::string_view name, value_id x, bool bias = true) {
  return b.add(op::scale{bias}, name, {x});
}
constexpr value_id bias(builder& b, std::string_view name, value_id x) { return b.add(op::bias{}, name, {x}); }
constexpr value_id image(builder& b) { return b.input("x", {2, 4, 4}); }

constexpr auto norm = [](builder& b) { b.output("", b.add(op::batch_norm{}, "bn", {image(b)})); };
constexpr auto norm_of_rows = [](builder& b) { b.output("", b.add(op::batch_norm{}, "bn", {b.input("x", {3, 5})})); };
constexpr auto norm_of_no_eps = [](builder& b) { b.output("", b.add(op::batch_norm{0}, "bn", {image(b)})); };
constexpr auto norm_of_other_root = [](builder& b) {
  op::batch_norm p{0};
  p.zero_root = 1e-4f;
  b.output("", b.add(p, "bn", {image(b)}));
};
constexpr auto norm_by_value = [](builder& b) {
  op::batch_norm p;
  p.given = 1;
  b.output("", b.add(p, "bn", {image(b), b.input("gamma", {2})}));
};
constexpr auto scaled = [](builder& b) { b.output("", scale(b, "bn", image(b))); };
constexpr auto scaled_rows = [](builder& b) { b.output("", scale(b, "bn", b.input("x", {3, 5}))); };

/// x (f) a constant of shape D.
template <op::binary_function F, int... D>
constexpr auto with_constant = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", F, x, b.constant("k", {D...})));
};
template <op::binary_function F>
constexpr auto constant_and_scalar = [](builder& b) {  // and another layer of a value with as many channels
  const value_id x = image(b);
  b.output("", b.scalar("it", F, b.constant("k", {2, 1, 1}), 3));
  b.output("y", b.relu("relu", x));
};
constexpr auto constant_first = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {2, 1, 1});
  b.output("", b.binary("it", op::binary_function::mul, k, x));
};
constexpr auto of_a_batch = [](builder& b) {
  const value_id x = b.input("x", {3, 2, 2, 2});
  b.output("", b.binary("it", op::binary_function::add, x, b.constant("k", {2, 1, 1})));
};
constexpr auto batched_biased = [](builder& b) { b.output("", bias(b, "it", b.input("x", {3, 2, 2, 2}))); };
template <op::binary_function F>
constexpr auto active = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", F, x, b.constant("k", {2, 1, 1}), {function::relu}));
};
constexpr auto active_bias = [](builder& b) {
  b.output("", b.add(op::bias{automatic_axis, {function::relu}}, "it", {image(b)}));
};
constexpr auto active_scale = [](builder& b) {
  b.output("", b.add(op::scale{false, automatic_axis, {function::relu}}, "it", {image(b)}));
};
constexpr auto grows = [](builder& b) {  // the constant broadcasts x, not the other way round
  const value_id x = b.input("x", {2, 1, 1});
  b.output("", b.binary("it", op::binary_function::mul, x, b.constant("k", {2, 4, 4})));
};
constexpr auto just_scaled = [](builder& b) { b.output("", scale(b, "it", image(b), false)); };
template <int Axis>
constexpr auto scaled_along = [](builder& b) {
  b.output("", b.add(op::scale{false, Axis}, "it", {image(b)}));
};
constexpr auto just_prelu = [](builder& b) { b.output("", b.add(op::prelu{}, "it", {image(b)})); };
constexpr auto slope_first = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {2, 1, 1});
  b.output("", b.binary("it", op::binary_function::prelu, k, x));
};
constexpr auto just_biased = [](builder& b) { b.output("", bias(b, "it", image(b))); };

/// First > Last on x; `Producer` makes conv2d, conv_transpose2d, linear, scale or bias.
enum class kind { conv, transposed, linear, scale, bias };
template <kind K>
constexpr value_id make(builder& b, value_id x) {
  if constexpr (K == kind::conv) return b.conv("first", x, 3, 3);
  else if constexpr (K == kind::transposed) return b.conv_transpose("first", x, 3);
  else if constexpr (K == kind::linear) return b.linear("first", x, 3);
  else if constexpr (K == kind::scale) return scale(b, "first", x);
  else return bias(b, "first", x);
}
template <kind K>
constexpr value_id start(builder& b) {
  return K == kind::linear ? b.input("x", {5}) : image(b);
}
template <kind First, kind Last>
constexpr auto then = [](builder& b) {
  const value_id y = make<First>(b, start<First>(b));
  b.output("", Last == kind::scale ? scale(b, "last", y) : bias(b, "last", y));
};
template <kind First, op::binary_function F, int Tenths>
constexpr auto then_scalar =
    [](builder& b) { b.output("", b.scalar("last", F, make<First>(b, start<First>(b)), float(Tenths) / 10)); };
template <op::binary_function F, int Tenths, kind Last>
constexpr auto scalar_then = [](builder& b) {
  const value_id y = b.scalar("first", F, image(b), float(Tenths) / 10);
  b.output("", Last == kind::scale ? scale(b, "last", y) : bias(b, "last", y));
};
template <kind First>
constexpr auto alone = [](builder& b) { b.output("", make<First>(b, start<First>(b))); };
template <kind First>
constexpr auto then_power = then_scalar<First, op::binary_function::pow, 20>;
template <kind First>
constexpr auto then_one_minus = then_scalar<First, op::binary_function::rsub, 10>;
template <kind First>
constexpr auto shared = [](builder& b) {
  const value_id y = make<First>(b, start<First>(b));
  b.output("y", y);
  b.output("a", scale(b, "last", y));
  b.output("c", bias(b, "last2", y));
  b.output("d", b.scalar("last3", op::binary_function::mul, y, 2));
};
constexpr auto without_bias = [](builder& b) {
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 3};
  c.groups = 2;
  c.bias = false;
  b.output("", scale(b, "last", b.add(c, "first", {image(b)}), false));
};
constexpr auto still_without_bias = [](builder& b) {
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 3};
  c.groups = 2;
  c.bias = false;
  b.output("", b.add(c, "first", {image(b)}));
};
/// Groups, and outputs that are not the weight's first axis.
template <bool Scaled>
constexpr auto grouped_transposed = [](builder& b) {
  const value_id y = b.conv_transpose("first", b.input("x", {6, 3, 2}), 4, 2, {}, false);
  b.output("", Scaled ? scale(b, "last", y, false) : y);
};
constexpr auto depthwise_transposed = [](builder& b) {
  b.output("", scale(b, "last", b.conv_transpose("first", b.input("x", {2, 3, 4, 4}), 3, 3)));
};
constexpr auto depthwise_transposed_alone = [](builder& b) {
  b.output("", b.conv_transpose("first", b.input("x", {2, 3, 4, 4}), 3, 3));
};
template <bool Scaled>
constexpr auto active_transposed = [](builder& b) {
  const value_id y = b.conv_transpose("first", image(b), 3, 1, {function::relu});
  b.output("", Scaled ? scale(b, "last", y) : bias(b, "last", y));
};
constexpr auto active_conv = [](builder& b) {  // X1
  b.output("", scale(b, "last", b.conv("first", image(b), 3, 3, {function::relu})));
};
constexpr auto active_conv_bias = [](builder& b) {
  b.output("", bias(b, "last", b.conv("first", image(b), 3, 3, {function::relu})));
};
constexpr auto residual_conv = [](builder& b) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  const value_id x = image(b);
  b.output("", b.scalar("last", op::binary_function::mul, b.add(c, "first", {x, x}), 2));
};
constexpr auto sigmoid_linear_dropout = [](builder& b) {  // X15, after dropout became a product
  b.output("", b.scalar("last", op::binary_function::mul, b.linear("first", b.input("x", {5}), 3, {function::sigmoid}),
                        0.5f));
};
constexpr auto rows_scale = [](builder& b) {
  b.output("", scale(b, "last", b.linear("first", b.input("x", {3, 5}), 3)));
};  // X10
constexpr auto rows_bias = [](builder& b) {
  b.output("", bias(b, "last", b.linear("first", b.input("x", {3, 5}), 3)));
};
constexpr auto rows_scalar = [](builder& b) {
  b.output("", b.scalar("last", op::binary_function::mul, b.linear("first", b.input("x", {3, 5}), 3), 2));
};
constexpr auto rows_alone = [](builder& b) { b.output("", b.linear("first", b.input("x", {3, 5}), 3)); };
constexpr auto by_zero = [](builder& b) {
  b.output("", b.scalar("last", op::binary_function::div, make<kind::conv>(b, image(b)), 0));
};
constexpr auto by_almost_zero = [](builder& b) {
  b.output("", b.scalar("last", op::binary_function::div, make<kind::conv>(b, image(b)), 1e-40f));
};
constexpr auto conv_binary_active = [](builder& b) {
  b.output("", b.scalar("last", op::binary_function::mul, make<kind::conv>(b, image(b)), 2, {function::relu}));
};

constexpr auto conv_active = [](builder& b) { b.output("", b.conv("first", image(b), 3, 3, {function::relu})); };
constexpr auto scale_binary_active = [](builder& b) {
  b.output("", b.scalar("last", op::binary_function::mul, make<kind::scale>(b, image(b)), 2, {function::relu}));
};
constexpr auto binary_active_scale = [](builder& b) {
  b.output("", scale(b, "last", b.scalar("first", op::binary_function::mul, image(b), 2, {function::relu})));
};
constexpr auto last_active_scale = [](builder& b) {
  b.output("", b.add(op::scale{true, automatic_axis, {function::relu}}, "first", {image(b)}));
};
constexpr auto active_then_scale = [](builder& b) {
  b.output("", scale(b, "last", b.add(op::bias{automatic_axis, {function::relu}}, "first", {image(b)})));
};
constexpr auto conv_active_scale = [](builder& b) {
  b.output("", b.add(op::scale{true, automatic_axis, {function::relu}}, "last", {b.conv("first", image(b), 3, 3)}));
};

constexpr recipe mul_channels = with_constant<op::binary_function::mul, 2, 1, 1>,
                 add_channels = with_constant<op::binary_function::add, 2, 1, 1>;
constexpr recipe mul_rows = with_constant<op::binary_function::mul, 4, 1>,
                 mul_scalar = with_constant<op::binary_function::mul, 1, 1, 1>,
                 sub_channels = with_constant<op::binary_function::sub, 2, 1, 1>;
constexpr recipe mul_all = with_constant<op::binary_function::mul, 2, 4, 4>,
                 more_axes = with_constant<op::binary_function::mul, 1, 2, 1, 1>;

}  // namespace

FIRES("batch_norm is a scale", (rules::batch_norm_to_scale), norm, scaled)
namespace {
/// Op of axis A on (3, 5), and on a convolution's or a linear layer's result.
template <int A, class Op>
constexpr auto along = [](builder& b) {
  Op p;
  p.axis = A;
  b.output("", b.add(p, "bn", {b.input("x", {3, 5})}));
};
template <kind First, int A>
constexpr auto then_along = [](builder& b) {
  const value_id x = First == kind::linear ? b.input("x", {3, 5}) : b.input("x", {2, 3, 3});
  b.output("", b.add(op::scale{true, A}, "last", {make<First>(b, x)}));
};
constexpr auto linear_of_rows = [](builder& b) { b.output("", make<kind::linear>(b, b.input("x", {3, 5}))); };
template <int A, int B>
constexpr auto two_along = [](builder& b) {
  b.output("", b.add(op::bias{B}, "last", {b.add(op::scale{true, A}, "first", {b.input("x", {3, 3})})}));
};
constexpr auto one_along = [](builder& b) { b.output("", b.add(op::scale{true, 1}, "first", {b.input("x", {3, 3})})); };
}  // namespace

FIRES("batch_norm of (N, C) is a scale of (N, C)", (rules::batch_norm_to_scale), (along<1, op::batch_norm>),
      (along<1, op::scale>))
FIRES("linear > scale of its outputs", (rules::fold_affine), (then_along<kind::linear, 1>), linear_of_rows)
DECLINES("linear > scale of its rows, as many as outputs", (rules::fold_affine), (then_along<kind::linear, 0>),
         "its channels are not the linear layer's outputs")
DECLINES("conv2d > scale of its rows, as many as channels", (rules::fold_affine), (then_along<kind::conv, 1>),
         "its channels are not the convolution's")
FIRES("scale > bias of (N, C)", (rules::merge_affine), (two_along<1, 1>), one_along)
DECLINES("scale > bias, one by columns and one by rows", (rules::merge_affine), (two_along<1, 0>),
         "their channels are different axes")

FIRES("batch_norm of rows is a scale", (rules::batch_norm_to_scale), norm_of_rows, scaled_rows)
FIRES("batch_norm that divides by another number than a root of 0", (rules::batch_norm_to_scale), norm_of_other_root,
      scaled)
DECLINES("batch_norm that may divide by 0", (rules::batch_norm_to_scale), norm_of_no_eps,
         "it may divide by a root of 0")
DECLINES("batch_norm by values", (rules::batch_norm_to_scale), norm_by_value,
         "its weights are not known before it runs")
DECLINES("a scale is no batch_norm", (rules::batch_norm_to_scale), scaled, "")

FIRES("x * k[c] is a scale", (rules::binary_to_scale), mul_channels, just_scaled)
FIRES("k[c] * x is a scale", (rules::binary_to_scale), constant_first, just_scaled)
FIRES("x + k[c] is a bias", (rules::binary_to_scale), add_channels, just_biased)
FIRES("prelu(x, k[c]) is prelu by channel", (rules::binary_to_scale),
      (with_constant<op::binary_function::prelu, 2, 1, 1>), just_prelu)
DECLINES("prelu(k[c], x)", (rules::binary_to_scale), slope_first, "the constant is not the slope")
FIRES("x + k[c] of a batch is a bias", (rules::binary_to_scale), of_a_batch, batched_biased)
DECLINES("k[c] * a scalar, when nothing folded it before", (rules::binary_to_scale),
         constant_and_scalar<op::binary_function::mul>, "its other operand is a scalar")
DECLINES("k[c] - a scalar, when nothing folded it before", (rules::binary_to_inverse_scale),
         constant_and_scalar<op::binary_function::sub>, "its other operand is a scalar")
DECLINES("x - k[c]", (rules::binary_to_scale), sub_channels, "only +, * and prelu go by channel")
FIRES("x * k[h] is a scale of rows", (rules::binary_to_scale), mul_rows, scaled_along<1>)
FIRES("x * k is a scale by k everywhere", (rules::binary_to_scale), mul_scalar, just_scaled)
DECLINES("x * a whole constant", (rules::binary_to_scale), mul_all,
         "the constant is not one number an index of an axis")
DECLINES("x * a constant of more axes", (rules::binary_to_scale), more_axes,
         "the constant broadcasts its other operand")
DECLINES("a constant that x is broadcast to", (rules::binary_to_scale), grows,
         "the constant broadcasts its other operand")
FIRES("relu(x + k[c])", (rules::binary_to_scale), active<op::binary_function::add>, active_bias)
FIRES("relu(x * k[c])", (rules::binary_to_scale), active<op::binary_function::mul>, active_scale)
DECLINES("relu(prelu(x, k[c]))", (rules::binary_to_scale), active<op::binary_function::prelu>,
         "it applies an activation")
FIRES("relu(x - k[c])", (rules::binary_to_inverse_scale), active<op::binary_function::sub>, active_bias)

FIRES("conv2d > scale", (rules::fold_affine), (then<kind::conv, kind::scale>), alone<kind::conv>)
FIRES("grouped conv2d without bias > scale without bias", (rules::fold_affine), without_bias, still_without_bias)
DECLINES("conv2d with relu > scale (X1)", (rules::fold_affine), active_conv, "its input has an activation already")
FIRES("conv2d > bias", (rules::fold_affine), (then<kind::conv, kind::bias>), alone<kind::conv>)
DECLINES("conv2d with relu > bias", (rules::fold_affine), active_conv_bias, "its input has an activation already")
FIRES("conv2d > * 2.5", (rules::fold_affine), (then_scalar<kind::conv, op::binary_function::mul, 25>),
      alone<kind::conv>)
FIRES("conv2d > / 2.5", (rules::fold_affine), (then_scalar<kind::conv, op::binary_function::div, 25>),
      alone<kind::conv>)
FIRES("conv2d > + 2.5", (rules::fold_affine), (then_scalar<kind::conv, op::binary_function::add, 25>),
      alone<kind::conv>)
FIRES("conv2d > - 2.5", (rules::fold_affine), (then_scalar<kind::conv, op::binary_function::sub, 25>),
      alone<kind::conv>)
DECLINES("conv2d > ^ 2", (rules::fold_affine), then_power<kind::conv>, "its function is not affine")
DECLINES("conv2d > / 0", (rules::fold_affine), by_zero, "it divides by zero")
DECLINES("conv2d > / almost 0", (rules::fold_affine), by_almost_zero, "it divides by almost zero")
FIRES("conv2d > relu(* 2)", (rules::fold_affine), conv_binary_active, conv_active)
DECLINES("conv2d with a residual > * 2", (rules::fold_affine), residual_conv, "its input adds a residual")
DECLINES("conv2d that is an output > * 2", (rules::fold_affine), shared<kind::conv>,
         "its input is a network output too")
FIRES("conv_transpose2d > scale", (rules::fold_affine), (then<kind::transposed, kind::scale>), alone<kind::transposed>)
FIRES("grouped conv_transpose2d without bias > scale without bias", (rules::fold_affine), grouped_transposed<true>,
      grouped_transposed<false>)
FIRES("depthwise conv_transpose2d > scale", (rules::fold_affine), depthwise_transposed, depthwise_transposed_alone)
DECLINES("conv_transpose2d with relu > scale", (rules::fold_affine), active_transposed<true>,
         "its input has an activation already")
FIRES("conv_transpose2d > bias", (rules::fold_affine), (then<kind::transposed, kind::bias>), alone<kind::transposed>)
DECLINES("conv_transpose2d with relu > bias", (rules::fold_affine), active_transposed<false>,
         "its input has an activation already")
FIRES("conv_transpose2d > * 2.5", (rules::fold_affine), (then_scalar<kind::transposed, op::binary_function::mul, 25>),
      alone<kind::transposed>)
DECLINES("conv_transpose2d > ^ 2", (rules::fold_affine), then_power<kind::transposed>, "its function is not affine")
FIRES("linear > scale", (rules::fold_affine), (then<kind::linear, kind::scale>), alone<kind::linear>)
DECLINES("linear of rows > scale (X10)", (rules::fold_affine), rows_scale,
         "its channels are not the linear layer's outputs")
FIRES("linear > bias", (rules::fold_affine), (then<kind::linear, kind::bias>), alone<kind::linear>)
DECLINES("linear of rows > bias", (rules::fold_affine), rows_bias, "its channels are not the linear layer's outputs")
FIRES("linear > * -0.5", (rules::fold_affine), (then_scalar<kind::linear, op::binary_function::mul, -5>),
      alone<kind::linear>)
FIRES("linear of rows > * 2", (rules::fold_affine), rows_scalar, rows_alone)
DECLINES("linear with sigmoid > * 0.5 (X15)", (rules::fold_affine), sigmoid_linear_dropout,
         "its input has an activation already")

FIRES("scale > scale", (rules::merge_affine), (then<kind::scale, kind::scale>), alone<kind::scale>)
DECLINES("scale that is an output > scale", (rules::merge_affine), shared<kind::scale>,
         "its input is a network output too")
FIRES("scale > bias", (rules::merge_affine), (then<kind::scale, kind::bias>), alone<kind::scale>)
DECLINES("scale that is an output > bias", (rules::merge_affine), shared<kind::scale>,
         "its input is a network output too")
FIRES("scale > + 1.5", (rules::merge_affine), (then_scalar<kind::scale, op::binary_function::add, 15>),
      alone<kind::scale>)
DECLINES("scale > ^ 2", (rules::merge_affine), then_power<kind::scale>, "its function is not affine")
FIRES("scale > relu(* 2)", (rules::merge_affine), scale_binary_active, last_active_scale)
DECLINES("relu(* 2) > scale", (rules::merge_affine), binary_active_scale, "it applies an activation")
DECLINES("relu(bias) > scale", (rules::merge_affine), active_then_scale, "it applies an activation")
FIRES("conv2d > relu(scale)", (rules::fold_affine), conv_active_scale, conv_active)
FIRES("1 - scale", (rules::merge_affine), then_one_minus<kind::scale>, alone<kind::scale>)
FIRES("1 - bias", (rules::merge_affine), then_one_minus<kind::bias>, alone<kind::scale>)
FIRES("1 - conv2d", (rules::fold_affine), then_one_minus<kind::conv>, alone<kind::conv>)
FIRES("1 - conv_transpose2d", (rules::fold_affine), then_one_minus<kind::transposed>, alone<kind::transposed>)
FIRES("2 - x > bias", (rules::merge_affine), (scalar_then<op::binary_function::rsub, 20, kind::bias>),
      alone<kind::scale>)
FIRES("bias > scale", (rules::merge_affine), (then<kind::bias, kind::scale>), alone<kind::scale>)
DECLINES("bias that is an output > scale", (rules::merge_affine), shared<kind::bias>,
         "its input is a network output too")
FIRES("bias > bias", (rules::merge_affine), (then<kind::bias, kind::bias>), alone<kind::bias>)
DECLINES("bias that is an output > bias", (rules::merge_affine), shared<kind::bias>,
         "its input is a network output too")
FIRES("bias > * 2", (rules::merge_affine), (then_scalar<kind::bias, op::binary_function::mul, 20>), alone<kind::scale>)
FIRES("bias > + 2", (rules::merge_affine), (then_scalar<kind::bias, op::binary_function::add, 20>), alone<kind::bias>)
FIRES("* 2 > scale", (rules::merge_affine), (scalar_then<op::binary_function::mul, 20, kind::scale>),
      alone<kind::scale>)
DECLINES("^ 2 > scale", (rules::merge_affine), (scalar_then<op::binary_function::pow, 20, kind::scale>),
         "its function is not affine")
FIRES("* 2 > bias", (rules::merge_affine), (scalar_then<op::binary_function::mul, 20, kind::bias>), alone<kind::scale>)
FIRES("- 2 > bias", (rules::merge_affine), (scalar_then<op::binary_function::sub, 20, kind::bias>), alone<kind::bias>)
DECLINES("^ 2 > bias", (rules::merge_affine), (scalar_then<op::binary_function::pow, 20, kind::bias>),
         "its function is not affine")
DECLINES("bias > ^ 2", (rules::merge_affine), then_power<kind::bias>, "its function is not affine")

namespace {

/// x (f) a constant, where the inverse is a bias or a scale.
template <int Input, op::binary_function F, int... D>
constexpr auto against_constant = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {D...});
  b.output("", Input == 1 ? b.binary("it", F, x, k) : b.binary("it", F, k, x));
};
template <numbers_are Numbers>
constexpr auto over_constant = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {2, 1, 1}, Numbers);
  b.output("", b.binary("it", op::binary_function::div, x, k));
};
constexpr auto constant_over = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {2, 1, 1}, numbers_are::invertible);
  b.output("", b.binary("it", op::binary_function::div, k, x));
};

/// Rows through a linear layer, then a constant of shape D.
template <op::binary_function F, int... D>
constexpr auto rows_then = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {3, 5}), 4);
  b.output("", b.binary("it", F, y, b.constant("k", {D...})));
};
constexpr auto rows_of_linear = [](builder& b) { b.output("", b.linear("fc", b.input("x", {3, 5}), 4)); };
constexpr auto rows_then_value = [](builder& b) {
  b.output("", b.sum("it", b.linear("fc", b.input("x", {3, 5}), 4), b.input("y", {3, 4})));
};
constexpr auto active_rows_then = [](builder& b) {
  b.output("", b.sum("it", b.linear("fc", b.input("x", {3, 5}), 4, {function::relu}), b.constant("k", {4})));
};

template <kind K, op::binary_function F, int Tenths>
constexpr auto scaled_before =
    [](builder& b) { b.output("", make<K>(b, b.scalar("before", F, start<K>(b), float(Tenths) / 10))); };
constexpr auto over_tiny_before = [](builder& b) {
  b.output("", make<kind::linear>(b, b.scalar("before", op::binary_function::div, start<kind::linear>(b), 1e-39f)));
};
template <kind K>
constexpr auto shared_before = [](builder& b) {
  const value_id x = b.scalar("before", op::binary_function::mul, start<K>(b), 2);
  b.output("x", x);
  b.output("y", make<K>(b, x));
};
constexpr auto scaled_residual = [](builder& b) {
  const value_id x = image(b), r = b.scalar("before", op::binary_function::mul, b.input("r", {2, 4, 4}), 2);
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  b.output("", b.add(c, "first", {x, r}));
};

constexpr auto biased_columns = [](builder& b) { b.output("", b.add(op::bias{2}, "it", {image(b)})); };

}  // namespace

FIRES("x - k[c]", (rules::binary_to_inverse_scale), (against_constant<1, op::binary_function::sub, 2, 1, 1>),
      just_biased)
FIRES("x / k[c]", (rules::binary_to_inverse_scale), over_constant<numbers_are::invertible>, just_scaled)
DECLINES("x / k[c], which may be 0", (rules::binary_to_inverse_scale), over_constant<numbers_are::anything>,
         "the constant may hold zeros")
DECLINES("k[c] - x", (rules::binary_to_inverse_scale), (against_constant<0, op::binary_function::sub, 2, 1, 1>),
         "the constant is not the second operand")
DECLINES("k[c] / x", (rules::binary_to_inverse_scale), constant_over, "the constant is not the second operand")
FIRES("x - k[w] is a bias of columns", (rules::binary_to_inverse_scale),
      (against_constant<1, op::binary_function::sub, 4>), biased_columns)
DECLINES("x ^ k[c]", (rules::binary_to_inverse_scale), (against_constant<1, op::binary_function::pow, 2, 1, 1>),
         "only - and / have inverses")

namespace {

/// Rows through a linear layer that ends in ones, then a constant of shape D.
template <int... D>
constexpr auto pixels_then = [](builder& b) {
  op::linear p{4};
  p.axes = 3;
  p.ones = 2;
  b.output("", b.sum("it", b.add(p, "fc", {b.input("x", {3, 5, 1, 1})}), b.constant("k", {D...})));
};
constexpr auto pixels_of_linear = [](builder& b) {
  op::linear p{4};
  p.axes = 3;
  p.ones = 2;
  b.output("", b.add(p, "fc", {b.input("x", {3, 5, 1, 1})}));
};
template <int A>
constexpr auto pixels_scaled = [](builder& b) {
  op::linear p{4};
  p.axes = 3;
  p.ones = 2;
  b.output("", b.add(op::scale{true, A}, "it", {b.add(p, "fc", {b.input("x", {4, 5, 1, 1})})}));
};
constexpr auto four_pixels_of_linear = [](builder& b) {
  op::linear p{4};
  p.axes = 3;
  p.ones = 2;
  b.output("", b.add(p, "fc", {b.input("x", {4, 5, 1, 1})}));
};
template <numbers_are Numbers>
constexpr auto rows_over = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {3, 5}), 4);
  b.output("", b.binary("it", op::binary_function::div, y, b.constant("k", {4}, Numbers)));
};
template <op::binary_function F>
constexpr auto constant_by_rows = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {3, 5}), 4);
  b.output("", b.binary("it", F, b.constant("k", {4}), y));
};
constexpr auto rows_then_active = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {3, 5}), 4);
  b.output("", b.binary("it", op::binary_function::add, y, b.constant("k", {4}), {function::relu}));
};
constexpr auto active_rows = [](builder& b) {
  b.output("", b.linear("fc", b.input("x", {3, 5}), 4, {function::relu}));
};
constexpr auto shared_rows = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {3, 5}), 4);
  b.output("y", y);
  b.output("z", b.sum("it", y, b.constant("k", {4})));
};

/// Volumes.
constexpr value_id volume(builder& b) { return b.input("x", {2, 4, 4, 4}); }
constexpr op::conv3d filter(int out = 4, int groups = 1) {
  op::conv3d c;
  c.out = out;
  c.kernel = {1, 2, 3};
  c.pad = {0, 1, 1, 0, 0, 1};
  c.groups = groups;
  return c;
}
constexpr op::conv_transpose3d back(int groups = 1) {
  op::conv_transpose3d c;
  c.out = 4;
  c.kernel = {2, 1, 3};
  c.stride = {2, 1, 1};
  c.groups = groups;
  return c;
}
template <class Op>
constexpr value_id make_volume(builder& b, int groups) {
  if constexpr (std::is_same_v<Op, op::conv3d>) return b.add(filter(4, groups), "first", {volume(b)});
  else return b.add(back(groups), "first", {volume(b)});
}
template <class Op, int Groups = 1>
constexpr auto volume_alone = [](builder& b) { b.output("", make_volume<Op>(b, Groups)); };
template <class Op, int Axis, int Groups = 1>
constexpr auto volume_scaled = [](builder& b) {
  b.output("", b.add(op::scale{true, Axis}, "last", {make_volume<Op>(b, Groups)}));
};
template <class Op, int... D>
constexpr auto volume_plus =
    [](builder& b) { b.output("", b.sum("last", make_volume<Op>(b, 1), b.constant("k", {D...}))); };
constexpr auto volume_residual = [](builder& b) {
  const value_id x = volume(b);
  op::conv3d c;
  c.out = 2;
  c.kernel = {1, 1, 1};
  b.output("", b.scalar("last", op::binary_function::mul, b.add(c, "first", {x, x}), 2));
};

}  // namespace

FIRES("conv3d > scale", (rules::fold_affine), (volume_scaled<op::conv3d, 0>), volume_alone<op::conv3d>)
FIRES("grouped conv3d > scale", (rules::fold_affine), (volume_scaled<op::conv3d, -4, 2>), (volume_alone<op::conv3d, 2>))
FIRES("conv_transpose3d > scale", (rules::fold_affine), (volume_scaled<op::conv_transpose3d, 0>),
      volume_alone<op::conv_transpose3d>)
FIRES("grouped conv_transpose3d > scale", (rules::fold_affine), (volume_scaled<op::conv_transpose3d, 0, 2>),
      (volume_alone<op::conv_transpose3d, 2>))
DECLINES("conv3d > scale of its planes, as many as channels", (rules::fold_affine), (volume_scaled<op::conv3d, 1>),
         "its channels are not the convolution's")
DECLINES("conv_transpose3d > scale of its rows", (rules::fold_affine), (volume_scaled<op::conv_transpose3d, 2>),
         "its channels are not the convolution's")
DECLINES("conv3d with a residual > * 2", (rules::fold_affine), volume_residual, "its input adds a residual")
FIRES("linear of batches with ones behind > scale", (rules::fold_affine), pixels_scaled<1>, four_pixels_of_linear)
DECLINES("linear with ones behind > scale of its batch, as many as outputs", (rules::fold_affine), pixels_scaled<0>,
         "its channels are not the linear layer's outputs")

FIRES("conv3d + k[c]", (rules::fold_affine), (volume_plus<op::conv3d, 4, 1, 1, 1>), volume_alone<op::conv3d>)
FIRES("conv_transpose3d + k", (rules::fold_affine), (volume_plus<op::conv_transpose3d, 1>),
      volume_alone<op::conv_transpose3d>)
DECLINES("conv3d + k[plane], as many as channels", (rules::fold_affine), (volume_plus<op::conv3d, 4, 1, 1>),
         "the constant is not one number an output")
FIRES("linear with ones behind + k[output]", (rules::fold_affine), (pixels_then<4, 1, 1>), pixels_of_linear)
DECLINES("linear with ones behind + a row of k", (rules::fold_affine), (pixels_then<4>),
         "the constant broadcasts its other operand")
DECLINES("linear with ones behind + k[batch]", (rules::fold_affine), (pixels_then<3, 1, 1, 1>),
         "the constant is not one number an output")
FIRES("linear / k[output]", (rules::fold_affine), rows_over<numbers_are::invertible>, rows_of_linear)
DECLINES("linear / k[output], which may be 0", (rules::fold_affine), rows_over<numbers_are::anything>,
         "the constant may hold zeros")
FIRES("k[output] - linear", (rules::fold_affine), constant_by_rows<op::binary_function::sub>, rows_of_linear)
DECLINES("k[output] / linear", (rules::fold_affine), constant_by_rows<op::binary_function::div>,
         "the constant is not the second operand")
FIRES("relu(linear + k[output])", (rules::fold_affine), rows_then_active, active_rows)
DECLINES("linear that is an output + k[output]", (rules::fold_affine), shared_rows, "its input is a network output too")
DECLINES("linear ^ k[output]", (rules::fold_affine), (rows_then<op::binary_function::pow, 4>),
         "its function is not affine")
FIRES("linear + k[output]", (rules::fold_affine), (rows_then<op::binary_function::add, 4>), rows_of_linear)
FIRES("linear * k", (rules::fold_affine), (rows_then<op::binary_function::mul, 1>), rows_of_linear)
FIRES("linear * k[1, output]", (rules::fold_affine), (rows_then<op::binary_function::mul, 1, 4>), rows_of_linear)
DECLINES("linear + k[row]", (rules::fold_affine), (rows_then<op::binary_function::add, 3, 1>),
         "the constant is not one number an output")
FIRES("linear - k[output]", (rules::fold_affine), (rows_then<op::binary_function::sub, 4>), rows_of_linear)
DECLINES("linear + value", (rules::fold_affine), rows_then_value, "its other operand is not constant")
DECLINES("relu(linear) + k[output]", (rules::fold_affine), active_rows_then, "its input has an activation already")

FIRES("x * 1.5 > conv2d", (rules::affine_before), (scaled_before<kind::conv, op::binary_function::mul, 15>),
      alone<kind::conv>)
FIRES("x * 1.5 > conv_transpose2d", (rules::affine_before),
      (scaled_before<kind::transposed, op::binary_function::mul, 15>), alone<kind::transposed>)
DECLINES("x + 1 > conv_transpose2d", (rules::affine_before),
         (scaled_before<kind::transposed, op::binary_function::add, 10>), "not every output sees the same of a shift")
FIRES("x / 2 > linear", (rules::affine_before), (scaled_before<kind::linear, op::binary_function::div, 20>),
      alone<kind::linear>)
DECLINES("x + 1 > padded conv2d", (rules::affine_before), (scaled_before<kind::conv, op::binary_function::add, 10>),
         "padding with zeros goes round what is shifted")
FIRES("x + 1 > linear", (rules::affine_before), (scaled_before<kind::linear, op::binary_function::add, 10>),
      alone<kind::linear>)
DECLINES("x / 0 > linear", (rules::affine_before), (scaled_before<kind::linear, op::binary_function::div, 0>),
         "it divides by zero")
DECLINES("x / 1e-39 > linear", (rules::affine_before), over_tiny_before, "it divides by almost zero")
DECLINES("x ^ 2 > linear", (rules::affine_before), (scaled_before<kind::linear, op::binary_function::pow, 20>),
         "its function is not affine")
DECLINES("x * 2 is read elsewhere", (rules::affine_before), shared_before<kind::conv>,
         "its input is a network output too")
DECLINES("scaled residual", (rules::affine_before), scaled_residual, "it is the residual")

namespace {

/// `Before` on (N, 4, 5, 6) or (4, 5, 6), then a convolution of these groups and padding.
enum class by { scale, slope, bias, constant, relu };
template <by B>
constexpr value_id made_before(builder& b, value_id x, int axis = automatic_axis) {
  if constexpr (B == by::scale) return b.add(op::scale{true, axis}, "before", {x});
  else if constexpr (B == by::slope) return b.add(op::scale{false, axis}, "before", {x});
  else if constexpr (B == by::bias) return b.add(op::bias{axis}, "before", {x});
  else if constexpr (B == by::relu) return b.scalar("before", op::binary_function::mul, x, 2, {function::relu});
  else return b.sum("before", x, b.constant("k", {4, 1, 1}));
}
constexpr op::conv2d image_filter(int groups, bool pads, bool biased = true) {
  op::conv2d c;
  c.out = 8;
  c.kernel = {3, 2};
  if (pads) c.pad = {0, 0, 0, 1};
  c.groups = groups;
  c.bias = biased;
  return c;
}
template <by B, int Groups, bool Pads = false, bool Biased = true, int Axis = automatic_axis>
constexpr auto before_conv = [](builder& b) {
  const value_id x = made_before<B>(b, b.input("x", {4, 5, 6}), Axis);
  b.output("", b.add(image_filter(Groups, Pads, Biased), "conv", {x}));
};
template <int Groups, bool Pads = false, bool Biased = true>
constexpr auto only_conv = [](builder& b) {
  b.output("", b.add(image_filter(Groups, Pads, Biased), "conv", {b.input("x", {4, 5, 6})}));
};
constexpr auto before_same_conv = [](builder& b) {
  op::conv2d c = image_filter(1, false);
  c.same = same_padding::upper;
  b.output("", b.add(c, "conv", {made_before<by::bias>(b, b.input("x", {4, 5, 6}))}));
};
constexpr auto before_rows_of_four = [](builder& b) {  // H = C
  const value_id x = b.add(op::scale{true, 1}, "before", {b.input("x", {4, 4, 6})});
  b.output("", b.add(image_filter(1, false), "conv", {x}));
};
template <bool Before, int Groups>
constexpr auto before_volume = [](builder& b) {
  op::conv3d c;
  c.out = 4;
  c.kernel = {2, 2, 1};
  c.groups = Groups;
  const value_id x = b.input("x", {3, 2, 4, 4, 4});
  b.output("", b.add(c, "conv", {Before ? b.add(op::scale{}, "before", {x}) : x}));
};
template <bool Before, int Groups, bool Shift = false>
constexpr auto before_transposed = [](builder& b) {
  const value_id x = b.input("x", {4, 3, 2});
  b.output("", b.conv_transpose("conv", Before ? b.add(op::scale{Shift}, "before", {x}) : x, 6, Groups));
};
template <bool Before>
constexpr auto before_transposed_volume = [](builder& b) {
  const value_id x = volume(b);
  b.output("", b.add(back(2), "conv", {Before ? b.add(op::scale{false, 0}, "before", {x}) : x}));
};
constexpr auto before_residual = [](builder& b) {
  op::conv2d c = image_filter(2, false);
  c.activation = {function::relu};
  const value_id x = made_before<by::scale>(b, b.input("x", {4, 5, 6}));
  b.output("", b.add(c, "conv", {x, b.input("y", {8, 3, 5})}));
};
constexpr auto only_residual = [](builder& b) {
  op::conv2d c = image_filter(2, false);
  c.activation = {function::relu};
  const value_id x = b.input("x", {4, 5, 6});
  b.output("", b.add(c, "conv", {x, b.input("y", {8, 3, 5})}));
};
/// A scale of axis `Axis` of (2, 3, 4, 5), then a linear layer over the last `Axes`.
template <int Axis, int Axes, bool Before>
constexpr auto before_linear = [](builder& b) {
  op::linear p{3};
  p.axes = Axes;
  const value_id x = b.input("x", {2, 3, 4, 5});
  b.output("", b.add(p, "fc", {Before ? b.add(op::scale{true, Axis}, "before", {x}) : x}));
};
/// x (f) a constant of shape D, then a linear layer over the last `Axes` of (2, 3, 4, 5).
template <op::binary_function F, int Axes, int... D>
constexpr auto constant_before_linear = [](builder& b) {
  op::linear p{3};
  p.axes = Axes;
  const value_id x = b.input("x", {2, 3, 4, 5});
  b.output("", b.add(p, "fc", {b.binary("before", F, x, b.constant("k", {D...}, numbers_are::invertible))}));
};
template <op::binary_function F>
constexpr auto constant_by = [](builder& b) {
  const value_id x = b.input("x", {2, 5});
  b.output("", b.linear("fc", b.binary("before", F, b.constant("k", {5}), x), 3));
};
template <op::binary_function F, int Pad>
constexpr auto number_before_conv = [](builder& b) {
  op::conv2d c{4};
  c.kernel = {3, 3};
  c.pad = {Pad, Pad, Pad, Pad};
  b.output("", b.add(c, "c", {b.scalar("before", F, b.input("x", {2, 5, 5}), 1)}));
};
constexpr auto just_conv = [](builder& b) {
  op::conv2d c{4};
  c.kernel = {3, 3};
  b.output("", b.add(c, "c", {b.input("x", {2, 5, 5})}));
};
constexpr auto constant_plus = [](builder& b) {
  const value_id x = b.input("x", {2, 5});
  b.output("", b.linear("fc", b.sum("before", b.constant("k", {5}), x), 3));
};
constexpr auto only_rows = [](builder& b) { b.output("", b.linear("fc", b.input("x", {2, 5}), 3)); };
constexpr auto constant_grows = [](builder& b) {
  const value_id x = b.input("x", {1, 5});
  b.output("", b.linear("fc", b.sum("before", x, b.constant("k", {2, 5})), 3));
};
constexpr auto value_before = [](builder& b) {
  const value_id x = b.input("x", {2, 5});
  b.output("", b.linear("fc", b.sum("before", x, b.input("y", {2, 5})), 3));
};
constexpr auto two_linears = [](builder& b) {
  const value_id x = b.add(op::scale{true, 1}, "before", {b.input("x", {2, 5})});
  b.output("y", b.linear("fc", x, 3));
  b.output("z", b.linear("fd", x, 3));
};
/// A signal scaled along `Axis`, as an image.
template <bool Before, int Axis = 1>
constexpr auto before_signal = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 6});
  const value_id image = b.reshape("image", Before ? b.add(op::scale{true, Axis}, "before", {x}) : x, {3, 4, 1, 6});
  op::conv2d c = image_filter(2, false);
  c.kernel = {1, 3};
  b.output("", b.add(c, "conv", {image}));
};
constexpr auto before_shared_signal = [](builder& b) {
  const value_id x = b.add(op::scale{true, 1}, "before", {b.input("x", {3, 4, 6})});
  const value_id image = b.reshape("image", x, {3, 4, 1, 6});
  b.output("image", image);
  op::conv2d c = image_filter(2, false);
  c.kernel = {1, 3};
  b.output("", b.add(c, "conv", {image}));
};

/// The bias goes before the slopes of prelu.
template <bool Before>
constexpr auto before_prelu = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4});
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  c.bias = !Before;
  c.activation = {function::prelu};
  b.output("", b.add(c, "conv", {Before ? b.add(op::bias{}, "it", {x}) : x}));
};

}  // namespace

FIRES("scale > conv2d without padding", (rules::affine_before), (before_conv<by::scale, 1>), only_conv<1>)
FIRES("scale > grouped conv2d without padding", (rules::affine_before), (before_conv<by::scale, 2>), only_conv<2>)
FIRES("scale > depthwise conv2d", (rules::affine_before), (before_conv<by::scale, 4>), only_conv<4>)
FIRES("bias > conv2d without bias, which has one then", (rules::affine_before),
      (before_conv<by::bias, 2, false, false>), (only_conv<2>))
FIRES("bias > conv2d with prelu, without bias", (rules::affine_before), before_prelu<true>, before_prelu<false>)
FIRES("slopes > padded conv2d without bias", (rules::affine_before), (before_conv<by::slope, 2, true, false>),
      (only_conv<2, true, false>))
DECLINES("scale > padded conv2d", (rules::affine_before), (before_conv<by::scale, 1, true>),
         "padding with zeros goes round what is shifted")
DECLINES("bias > conv2d of SAME size", (rules::affine_before), before_same_conv,
         "padding with zeros goes round what is shifted")
DECLINES("scale of rows > conv2d", (rules::affine_before), (before_conv<by::scale, 1, false, true, 1>),
         "its channels are not the convolution's inputs")
DECLINES("scale of rows, as many as channels > conv2d", (rules::affine_before), before_rows_of_four,
         "its channels are not the convolution's inputs")
FIRES("x + k[c] > conv2d", (rules::affine_before), (before_conv<by::constant, 2>), only_conv<2>)
DECLINES("relu(2 x) > conv2d", (rules::affine_before), (before_conv<by::relu, 1>), "it applies an activation")
FIRES("scale > conv2d with a residual and relu", (rules::affine_before), before_residual, only_residual)
FIRES("scale > conv3d", (rules::affine_before), (before_volume<true, 1>), (before_volume<false, 1>))
FIRES("scale > grouped conv3d", (rules::affine_before), (before_volume<true, 2>), (before_volume<false, 2>))
FIRES("slopes > grouped conv_transpose2d", (rules::affine_before), (before_transposed<true, 2>),
      (before_transposed<false, 2>))
FIRES("slopes > conv_transpose3d", (rules::affine_before), before_transposed_volume<true>,
      before_transposed_volume<false>)
DECLINES("scale > conv_transpose2d", (rules::affine_before), (before_transposed<true, 1, true>),
         "not every output sees the same of a shift")
FIRES("scale of the last axis > linear", (rules::affine_before), (before_linear<3, 1, true>),
      (before_linear<3, 1, false>))
FIRES("scale of channels > linear over images", (rules::affine_before), (before_linear<1, 3, true>),
      (before_linear<1, 3, false>))
FIRES("scale of rows > linear over images", (rules::affine_before), (before_linear<2, 3, true>),
      (before_linear<2, 3, false>))
DECLINES("scale of rows > linear over columns", (rules::affine_before), (before_linear<2, 1, true>),
         "its channels are not the linear layer's inputs")
DECLINES("scale of the batch > linear over images", (rules::affine_before), (before_linear<0, 3, true>),
         "its channels are not the linear layer's inputs")
FIRES("x - k[column] > linear", (rules::affine_before), (constant_before_linear<op::binary_function::sub, 1, 5>),
      (before_linear<0, 1, false>))
FIRES("x / k[column] > linear over images", (rules::affine_before),
      (constant_before_linear<op::binary_function::div, 3, 5>), (before_linear<0, 3, false>))
FIRES("x * k[row, column] > linear over images", (rules::affine_before),
      (constant_before_linear<op::binary_function::mul, 3, 1, 4, 5>), (before_linear<0, 3, false>))
FIRES("x + k > linear", (rules::affine_before), (constant_before_linear<op::binary_function::add, 1, 1>),
      (before_linear<0, 1, false>))
FIRES("k + x > linear", (rules::affine_before), constant_plus, only_rows)
DECLINES("x * k[row, column] > linear over columns", (rules::affine_before),
         (constant_before_linear<op::binary_function::mul, 1, 4, 5>), "its channels are not the linear layer's inputs")
DECLINES("x * k[channel, column] > linear over images", (rules::affine_before),
         (constant_before_linear<op::binary_function::mul, 3, 3, 1, 5>),
         "the constant's axes are not next to each other")
DECLINES("x ^ k[column] > linear", (rules::affine_before), (constant_before_linear<op::binary_function::pow, 1, 5>),
         "its function is not affine")
FIRES("k - x > linear", (rules::affine_before), constant_by<op::binary_function::sub>, only_rows)
DECLINES("k / x > linear", (rules::affine_before), constant_by<op::binary_function::div>,
         "the constant is not the second operand")
FIRES("1 - x > conv2d", (rules::affine_before), (number_before_conv<op::binary_function::rsub, 0>), just_conv)
DECLINES("1 - x > conv2d with padding", (rules::affine_before), (number_before_conv<op::binary_function::rsub, 1>),
         "padding with zeros goes round what is shifted")
DECLINES("x + k of more rows > linear", (rules::affine_before), constant_grows,
         "the constant broadcasts its other operand")
DECLINES("x + y > linear", (rules::affine_before), value_before, "its other operand is not constant")
DECLINES("scale > two linear layers", (rules::affine_before), two_linears, "its input is also read by another layer")
FIRES("scale of a signal > image > conv2d", (rules::affine_before), before_signal<true>, before_signal<false>)
DECLINES("scale of a signal's batch > image > conv2d", (rules::affine_before), (before_signal<true, 0>),
         "its channels are not the convolution's inputs")
DECLINES("scale of a signal whose image is an output", (rules::affine_before), before_shared_signal,
         "its input is a network output too")

namespace {
constexpr auto scale_of_once = [](builder& b) {
  b.output("", b.add(op::scale{}, "s", {b.scalar("once", op::binary_function::mul, b.input("x", {2, 3, 3}), 1)}));
};
}  // namespace
DECLINES("x * 1 > scale, where the product goes", (rules::merge_affine), scale_of_once, "its scalar changes nothing")

namespace {
constexpr auto mul = op::binary_function::mul;
constexpr auto rank_of_four = [](builder& b) {
  b.output("", b.binary("it", mul, image(b), b.constant("k", {1, 1, 1, 1})));
};
constexpr auto of_a_scalar = [](builder& b) {
  b.output("", b.binary("it", mul, b.input("x", {}), b.constant("k", {})));
};
constexpr auto vector_times = [](builder& b) {
  b.output("", b.binary("it", mul, b.linear("fc", b.input("x", {5}), 3), b.constant("k", {3})));
};
constexpr auto vector_scaled = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {5}), 3);
  b.output("", scale(b, "it", y, false));
};
constexpr auto rows_times = [](builder& b) {
  b.output("", b.binary("it", mul, b.linear("fc", b.input("x", {2, 5}), 3), b.constant("k", {2, 1})));
};
template <int Case>
constexpr auto conv_times_extreme = [](builder& b) {
  const float k = Case == 0 ? 0.0f : Case == 1 ? 1e-44f : std::numeric_limits<float>::infinity();
  b.output("", b.scalar("last", mul, b.conv("first", image(b), 3, 3), k));
};
constexpr auto vector_plus_more_axes = [](builder& b) {
  b.output("", b.sum("it", b.linear("fc", b.input("x", {5}), 3), b.constant("k", {1, 1, 3})));
};
constexpr auto scale_then_sum = [](builder& b) {
  b.output("", b.sum("it", scale(b, "first", image(b)), b.input("y", {2, 4, 4})));
};
template <bool Merged>
constexpr auto active_one = [](builder& b) {
  const activation_function relu{function::relu};
  if (Merged) return b.output("", b.add(op::scale{true, automatic_axis, relu}, "first", {image(b)}));
  b.output("", b.scalar("last", mul, scale(b, "first", image(b)), 1, relu));
};
/// Something before a convolution.
constexpr auto active_scale_then_conv = [](builder& b) {
  const value_id y = b.add(op::scale{false, automatic_axis, {function::relu}}, "first", {image(b)});
  b.output("", b.conv("last", y, 3));
};
constexpr auto active_product_then_conv = [](builder& b) {
  b.output("", b.conv("last", b.binary("first", mul, image(b), b.constant("k", {2, 1, 1}), {function::relu}), 3));
};
template <int... K>
constexpr auto moved_then_conv = [](builder& b) {
  const value_id y = b.binary("first", mul, b.input("x", {4, 6}), b.constant("k", {K...}));
  b.output("", b.conv("last", b.reshape("between", y, {2, 3, 4}), 3));
};
constexpr auto scale_then_no_weight = [](builder& b) {
  const value_id none_left = b.add(op::slice{{0}, {0}, {0}}, "cut", {b.input("x", {3})});
  b.output("", b.linear("last", b.scalar("first", mul, none_left, 2), 3));
};
constexpr value_id sums_of_bytes(builder& b, bool real) {
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  c.weight = {dtype::i8, real, real, real};
  op::input x{{2, 4, 4}, dtype::i8};
  x.as = {0.5, 0};
  return b.add_as(dtype::f32, c, "first", {b.add(x, "x", {})});
}
constexpr auto sums_scaled = [](builder& b) { b.output("", scale(b, "last", sums_of_bytes(b, false))); };
template <bool Scaled>
constexpr auto bytes_with_zeros = [](builder& b) {
  const value_id y = sums_of_bytes(b, true);
  b.output("", Scaled ? scale(b, "last", y) : y);
};
constexpr auto rows_scaled = [](builder& b) {
  b.output("", b.add(op::scale{false, 0}, "it", {b.linear("fc", b.input("x", {2, 5}), 3)}));
};
}  // namespace
DECLINES("one number of more axes", (rules::binary_to_scale), rank_of_four, "the constant broadcasts its other operand")
DECLINES("a scalar times a constant", (rules::binary_to_scale), of_a_scalar,
         "the constant is not one number an index of an axis")
FIRES("linear of a vector > * constant", (rules::binary_to_scale), vector_times, vector_scaled)
FIRES("linear of rows > * one number a row", (rules::binary_to_scale), rows_times, rows_scaled)
FIRES("convolution > * 0", (rules::fold_affine), conv_times_extreme<0>, alone<kind::conv>)
FIRES("convolution > * almost 0", (rules::fold_affine), conv_times_extreme<1>, alone<kind::conv>)
DECLINES("convolution > * infinity", (rules::fold_affine), conv_times_extreme<2>, "its scalar is not finite")
DECLINES("linear > + a constant of more axes", (rules::fold_affine), vector_plus_more_axes,
         "the constant broadcasts its other operand")
DECLINES("scale > sum of two values", (rules::merge_affine), scale_then_sum, "its other operand is not constant")
FIRES("scale > relu(* 1)", (rules::merge_affine), active_one<false>, active_one<true>)
DECLINES_LOADED("sums of bytes > scale", (rules::fold_affine), sums_scaled, "its bias is no real number")
FIRES_LOADED("bytes with a zero point an output > scale", (rules::fold_affine), bytes_with_zeros<true>,
             bytes_with_zeros<false>)
DECLINES("relu(scale) > convolution", (rules::affine_before), active_scale_then_conv, "it applies an activation")
DECLINES("relu(* constant) > convolution", (rules::affine_before), active_product_then_conv, "it applies an activation")
DECLINES("* a matrix, reshaped > convolution", (rules::affine_before), (moved_then_conv<4, 6>),
         "its channels are not the convolution's inputs")
DECLINES("* rows, reshaped > convolution", (rules::affine_before), (moved_then_conv<4, 1>),
         "the reshape moves channels")
DECLINES("* 2 > linear of nothing", (rules::affine_before), scale_then_no_weight, "its weight is empty")

// Numbers along any axis of values of any rank.
namespace {
constexpr auto plus = op::binary_function::add, over = op::binary_function::div, minus = op::binary_function::sub,
               from = op::binary_function::rsub;
/// A scale along the last axis of an NHWC image, then a constant of shape K.
template <op::binary_function F, int... K>
constexpr auto pixels_scaled_then = [](builder& b) {
  const value_id y = b.add(op::scale{true, 3}, "first", {b.input("x", {2, 4, 5, 3})});
  b.output("", b.binary("last", F, y, b.constant("k", {K...}, numbers_are::invertible)));
};
constexpr auto pixels_scaled_once = [](builder& b) {
  b.output("", b.add(op::scale{true, 3}, "first", {b.input("x", {2, 4, 5, 3})}));
};
/// x * m, then + k: constants of shape (C) of an NHWC image.
constexpr auto pixels_by_constants = [](builder& b) {
  const value_id y = b.binary("first", mul, b.input("x", {2, 4, 5, 3}), b.constant("m", {3}));
  b.output("", b.sum("last", y, b.constant("k", {1, 1, 1, 3})));
};
/// One number for all, then one number a pixel's channel.
template <bool Merged>
constexpr auto one_number_of_rows = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 5, 3});
  if (Merged) return b.output("", b.add(op::scale{true, 3}, "one", {x}));
  const value_id y = b.binary("one", mul, x, b.constant("m", {1}));
  b.output("", b.add(op::bias{3}, "last", {y}));
};
/// As above, with the one number where binary_to_scale puts it: a scale of rows whose numbers are known to be one.
constexpr bool one_number_goes_along_any_axis() {
  builder b;
  const value_id x = b.input("x", {2, 4, 5, 3});
  const value_id y = b.binary("one", mul, x, b.constant("m", {1}));
  b.output("", b.sum("last", y, b.constant("k", {3})));
  const rule_record rules[] = {rule_entry<rules::binary_to_scale>::record, rule_entry<rules::merge_affine>::record};
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), rules);
  int layers = 0;
  for (const node& n : o.g.nodes) layers += counts_as_node(n.type);
  return layers == 1;
}
static_assert(one_number_goes_along_any_axis());
/// Two scalars, the first with an activation or the second.
template <op::binary_function F, op::binary_function G, int A, int B, function First = function::none>
constexpr auto two_scalars = [](builder& b) {
  const value_id y = b.scalar("first", F, b.input("x", {4, 8}), float(A), {First});
  b.output("", b.scalar("last", G, y, float(B), {function::relu}));
};
template <op::binary_function F, int A>
constexpr auto one_scalar = [](builder& b) {
  b.output("", b.scalar("first", F, b.input("x", {4, 8}), float(A), {function::relu}));
};
constexpr auto doubled_then_matrix = [](builder& b) {
  const value_id y = b.scalar("first", mul, b.input("x", {2, 4, 5, 3}), 2);
  b.output("", b.binary("last", mul, y, b.constant("k", {5, 3})));
};
constexpr auto nothing_scaled = [](builder& b) {
  const value_id none_left = b.add(op::slice{{1}, {0}, {0}}, "cut", {b.input("x", {2, 3})});
  b.output("", b.binary("it", mul, none_left, b.constant("k", {0})));
};
constexpr auto huge_scalars = [](builder& b) {
  b.output("", b.scalar("last", mul, b.scalar("first", mul, b.input("x", {4}), 1e30f), 1e30f));
};
constexpr auto scalars_of_a_scalar = [](builder& b) {
  b.output("", b.sum("last", b.scalar("first", mul, b.input("x", {}), 2), b.constant("k", {})));
};
/// NHWC, then a convolution of NCHW: x (f) a constant of shape K, the permute, the convolution, padded or not.
template <op::binary_function F, bool Pads, int... K>
constexpr auto pixels_before_conv = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 5, 3});
  const value_id y = b.binary("first", F, x, b.constant("k", {K...}, numbers_are::invertible));
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 2};
  if (Pads) c.pad = {1, 0, 1, 0};
  b.output("", b.add(c, "last", {b.permute("nchw", y, {0, 3, 1, 2})}));
};
template <bool Pads>
constexpr auto permuted_conv = [](builder& b) {
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 2};
  if (Pads) c.pad = {1, 0, 1, 0};
  b.output("", b.add(c, "last", {b.permute("nchw", b.input("x", {2, 4, 5, 3}), {0, 3, 1, 2})}));
};
template <bool Before>
constexpr auto permuted_before_linear = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 3});
  const value_id y = Before ? b.binary("first", plus, x, b.constant("k", {4, 1, 1})) : x;
  b.output("", b.linear("last", b.permute("turned", y, {2, 1, 0}), 6));
};
template <int... K>
constexpr auto permuted_matrix_before_linear = [](builder& b) {
  const value_id y = b.binary("first", plus, b.input("x", {4, 5, 3}), b.constant("k", {K...}));
  op::linear p{6};
  p.axes = 2;
  b.output("", b.add(p, "last", {b.permute("turned", y, {2, 1, 0})}));
};
constexpr auto shared_permute = [](builder& b) {
  const value_id y = b.binary("first", plus, b.input("x", {4, 5, 3}), b.constant("k", {4, 1, 1}));
  const value_id turned = b.permute("turned", y, {2, 1, 0});
  b.output("turned", turned);
  b.output("", b.linear("last", turned, 6));
};
/// A constant of two axes that a reshape keeps together, before a linear layer over them.
template <bool Before>
constexpr auto reshaped_matrix_before_linear = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 3});
  const value_id y = Before ? b.binary("first", plus, x, b.constant("k", {4, 3})) : x;
  b.output("", b.linear("last", b.reshape("flat", y, {2, 12}), 6));
};
}  // namespace
FIRES("scale of pixels > + one number a channel of theirs", (rules::merge_affine), (pixels_scaled_then<plus, 3>),
      pixels_scaled_once)
FIRES("scale of pixels > / one number a channel of theirs", (rules::merge_affine), (pixels_scaled_then<over, 1, 3>),
      pixels_scaled_once)
FIRES("scale of pixels > * one number", (rules::merge_affine), (pixels_scaled_then<mul, 1, 1>), pixels_scaled_once)
DECLINES("scale of pixels > * one number a column", (rules::merge_affine), (pixels_scaled_then<mul, 5, 1>),
         "their channels are different axes")
DECLINES("scale of pixels > * a row of pixels", (rules::merge_affine), (pixels_scaled_then<mul, 5, 3>),
         "their channels are different axes")
DECLINES("scale of pixels > * a constant that broadcasts it", (rules::merge_affine),
         (pixels_scaled_then<mul, 1, 2, 4, 5, 3>), "the constant broadcasts its other operand")
FIRES("pixels by constants", (rules::merge_affine), pixels_by_constants, pixels_scaled_once)
FIRES("* one number > bias of pixels", (rules::merge_affine), one_number_of_rows<false>, one_number_of_rows<true>)
DECLINES("* 2 > * a row of pixels", (rules::merge_affine), doubled_then_matrix, "their channels are different axes")
DECLINES("nothing * a constant of nothing", (rules::binary_to_scale), nothing_scaled, "it has no elements")
FIRES("* 2 > * 3", (rules::merge_affine), (two_scalars<mul, mul, 2, 3>), (one_scalar<mul, 6>))
FIRES("* 6 > / 2", (rules::merge_affine), (two_scalars<mul, over, 6, 2>), (one_scalar<mul, 3>))
FIRES("- 2 > + 3", (rules::merge_affine), (two_scalars<minus, plus, 2, 3>), (one_scalar<plus, 1>))
FIRES("3 - (x - 2)", (rules::merge_affine), (two_scalars<minus, from, 2, 3>), (one_scalar<from, 5>))
FIRES("3 - (x + 2)", (rules::merge_affine), (two_scalars<plus, from, 2, 3>), (one_scalar<from, 1>))
FIRES("(2 - x) - 3", (rules::merge_affine), (two_scalars<from, minus, 2, 3>), (one_scalar<from, -1>))
FIRES("(2 - x) + 3", (rules::merge_affine), (two_scalars<from, plus, 2, 3>), (one_scalar<from, 5>))
FIRES("3 - (2 - x)", (rules::merge_affine), (two_scalars<from, from, 2, 3>), (one_scalar<plus, 1>))
DECLINES("3 - 2 x, which may be part of more", (rules::merge_affine), (two_scalars<mul, from, 2, 3>), "")
DECLINES("* 2 > + 3, which may be part of more", (rules::merge_affine), (two_scalars<mul, plus, 2, 3>), "")
DECLINES("relu(* 2) > * 3", (rules::merge_affine), (two_scalars<mul, mul, 2, 3, function::relu>),
         "it applies an activation")
DECLINES("* 0 > * 3", (rules::merge_affine), (two_scalars<mul, mul, 0, 3>),
         "both scalars together are too large or small")
DECLINES("* 1e30 > * 1e30", (rules::merge_affine), huge_scalars, "both scalars together are too large or small")
DECLINES("a scalar * 2 > + a constant", (rules::merge_affine), scalars_of_a_scalar, "it has no axis")
FIRES("pixels - k[c] > nchw > convolution", (rules::affine_before), (pixels_before_conv<minus, false, 3>),
      permuted_conv<false>)
FIRES("pixels / k[c] > nchw > padded convolution", (rules::affine_before), (pixels_before_conv<over, true, 3>),
      permuted_conv<true>)
DECLINES("pixels + k[c] > nchw > padded convolution", (rules::affine_before), (pixels_before_conv<plus, true, 3>),
         "padding with zeros goes round what is shifted")
DECLINES("pixels * k[w] > nchw > convolution", (rules::affine_before), (pixels_before_conv<mul, false, 5, 1>),
         "its channels are not the convolution's inputs")
DECLINES("pixels * k[w, c] > nchw > convolution", (rules::affine_before), (pixels_before_conv<mul, false, 5, 3>),
         "the permute moves the constant's axes")
FIRES("+ k of the axis that a permute puts last > linear", (rules::affine_before), permuted_before_linear<true>,
      permuted_before_linear<false>)
DECLINES("+ k of two axes that a permute exchanges > linear", (rules::affine_before),
         (permuted_matrix_before_linear<4, 5, 1>), "the permute moves the constant's axes")
DECLINES("+ k of the axis that a permute puts first > linear", (rules::affine_before),
         (permuted_matrix_before_linear<3>), "its channels are not the linear layer's inputs")
DECLINES("+ k > a permute that is an output, too > linear", (rules::affine_before), shared_permute,
         "its input is a network output too")
FIRES("+ k of two axes > reshape that makes one of them > linear", (rules::affine_before),
      reshaped_matrix_before_linear<true>, reshaped_matrix_before_linear<false>)
