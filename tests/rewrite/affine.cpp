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
constexpr auto constant_and_scalar = [](builder& b) {
  b.output("", b.scalar("it", op::binary_function::mul, b.constant("k", {2, 1, 1}), 3));
};
constexpr auto constant_first = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {2, 1, 1});
  b.output("", b.binary("it", op::binary_function::mul, k, x));
};
constexpr auto batched = [](builder& b) {
  const value_id x = b.input("x", {3, 2, 2, 2});
  b.output("", b.binary("it", op::binary_function::add, x, b.constant("k", {2, 1, 1})));
};
constexpr auto batched_biased = [](builder& b) { b.output("", bias(b, "it", b.input("x", {3, 2, 2, 2}))); };
constexpr auto active = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", op::binary_function::add, x, b.constant("k", {2, 1, 1}), {function::relu}));
};
constexpr auto grows = [](builder& b) {  // the constant broadcasts x, not the other way round
  const value_id x = b.input("x", {2, 1, 1});
  b.output("", b.binary("it", op::binary_function::mul, x, b.constant("k", {2, 4, 4})));
};
constexpr auto just_scaled = [](builder& b) { b.output("", scale(b, "it", image(b), false)); };
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
FIRES("x + k[c] of a batch is a bias", (rules::binary_to_scale), batched, batched_biased)
DECLINES("k[c] * a scalar, when nothing folded it before", (rules::binary_to_scale), constant_and_scalar,
         "its other operand is a scalar")
DECLINES("x - k[c]", (rules::binary_to_scale), sub_channels, "only +, * and prelu go by channel")
DECLINES("x * k[h]", (rules::binary_to_scale), mul_rows, "the constant is not one number a channel")
FIRES("x * k is a scale by k everywhere", (rules::binary_to_scale), mul_scalar, just_scaled)
DECLINES("x * a whole constant", (rules::binary_to_scale), mul_all, "the constant is not one number a channel")
DECLINES("x * a constant of more axes", (rules::binary_to_scale), more_axes, "the constant is not one number a channel")
DECLINES("a constant that x is broadcast to", (rules::binary_to_scale), grows,
         "the constant is not one number a channel")
DECLINES("relu(x + k[c])", (rules::binary_to_scale), active, "it applies an activation")

FIRES("conv2d > scale", (rules::fold_affine), (then<kind::conv, kind::scale>), alone<kind::conv>)
FIRES("grouped conv2d without bias > scale without bias", (rules::fold_affine), without_bias, still_without_bias)
DECLINES("conv2d with relu > scale (X1)", (rules::fold_affine), active_conv,
         "its input has an activation already")
FIRES("conv2d > bias", (rules::fold_affine), (then<kind::conv, kind::bias>), alone<kind::conv>)
DECLINES("conv2d with relu > bias", (rules::fold_affine), active_conv_bias,
         "its input has an activation already")
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
DECLINES("linear of rows > bias", (rules::fold_affine), rows_bias,
         "its channels are not the linear layer's outputs")
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
DECLINES("scale > relu(* 2)", (rules::merge_affine), scale_binary_active, "it applies an activation")
DECLINES("1 - scale", (rules::merge_affine), then_one_minus<kind::scale>, "its function is not affine")
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

}  // namespace

FIRES("x - k[c]", (rules::binary_to_inverse_scale), (against_constant<1, op::binary_function::sub, 2, 1, 1>),
      just_biased)
FIRES("x / k[c]", (rules::binary_to_inverse_scale), over_constant<numbers_are::invertible>, just_scaled)
DECLINES("x / k[c], which may be 0", (rules::binary_to_inverse_scale), over_constant<numbers_are::anything>,
         "the constant may hold zeros")
DECLINES("k[c] - x", (rules::binary_to_inverse_scale), (against_constant<0, op::binary_function::sub, 2, 1, 1>),
         "the constant is not the second operand")
DECLINES("x - k[w]", (rules::binary_to_inverse_scale), (against_constant<1, op::binary_function::sub, 4>),
         "the constant is not one number a channel")
DECLINES("x ^ k[c]", (rules::binary_to_inverse_scale), (against_constant<1, op::binary_function::pow, 2, 1, 1>),
         "only - and / have inverses")

FIRES("linear + k[output]", (rules::fold_last_axis), (rows_then<op::binary_function::add, 4>), rows_of_linear)
FIRES("linear * k", (rules::fold_last_axis), (rows_then<op::binary_function::mul, 1>), rows_of_linear)
FIRES("linear * k[1, output]", (rules::fold_last_axis), (rows_then<op::binary_function::mul, 1, 4>), rows_of_linear)
DECLINES("linear + k[row]", (rules::fold_last_axis), (rows_then<op::binary_function::add, 3, 1>),
         "the constant is not one number an output")
DECLINES("linear - k[output]", (rules::fold_last_axis), (rows_then<op::binary_function::sub, 4>),
         "it is not the sum or product of two values")
DECLINES("linear + value", (rules::fold_last_axis), rows_then_value, "its other operand is not constant")
DECLINES("relu(linear) + k[output]", (rules::fold_last_axis), active_rows_then, "its input has an activation already")

FIRES("x * 1.5 > conv2d", (rules::scale_before), (scaled_before<kind::conv, op::binary_function::mul, 15>),
      alone<kind::conv>)
FIRES("x * 1.5 > conv_transpose2d", (rules::scale_before),
      (scaled_before<kind::transposed, op::binary_function::mul, 15>), alone<kind::transposed>)
DECLINES("x + 1 > conv_transpose2d", (rules::scale_before),
         (scaled_before<kind::transposed, op::binary_function::add, 10>), "its input is not a value times a scalar")
FIRES("x / 2 > linear", (rules::scale_before), (scaled_before<kind::linear, op::binary_function::div, 20>),
      alone<kind::linear>)
DECLINES("x + 1 > conv2d", (rules::scale_before), (scaled_before<kind::conv, op::binary_function::add, 10>),
         "its input is not a value times a scalar")
DECLINES("x + 1 > linear", (rules::scale_before), (scaled_before<kind::linear, op::binary_function::add, 10>),
         "its input is not a value times a scalar")
DECLINES("x / 0 > linear", (rules::scale_before), (scaled_before<kind::linear, op::binary_function::div, 0>),
         "its input divides by zero")
DECLINES("x / 1e-39 > linear", (rules::scale_before), over_tiny_before, "its input's factor is not finite")
DECLINES("x * 2 is read elsewhere", (rules::scale_before), shared_before<kind::conv>,
         "its input is a network output too")
DECLINES("scaled residual", (rules::scale_before), scaled_residual, "it is the residual")
