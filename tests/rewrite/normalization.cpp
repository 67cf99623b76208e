// SPDX-License-Identifier: BSL-1.0
// rules/normalization.hpp: layer_norm and rms_norm spelled out.

#include "support/rule_cases.hpp"
#include "support/typed_numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr auto plus = op::binary_function::add, minus = op::binary_function::sub, times = op::binary_function::mul,
               over = op::binary_function::div;
constexpr auto pow_of = op::binary_function::pow;
constexpr value_id tokens(builder& b) { return b.input("x", {2, 5, 8}); }
constexpr value_id mean(builder& b, std::string_view name, value_id x, int axis = -1, bool keep = true) {
  return b.add(op::reduce{op::reduction::mean, {axis}, keep}, name, {x});
}
constexpr value_id square(builder& b, value_id d) { return b.add(op::activation{{function::square}}, "square", {d}); }
constexpr value_id deviation(builder& b, value_id squares, function f = function::sqrt, int axis = -1) {
  return b.add(op::activation{{f}}, "root", {b.scalar("eps", plus, mean(b, "variance", squares, axis), 0.01f)});
}

constexpr auto divided = [](builder& b) {
  const value_id x = tokens(b), d = b.binary("d", minus, x, mean(b, "mean", x));
  b.output("", b.binary("it", over, d, deviation(b, square(b, d))));
};
constexpr auto multiplied = [](builder& b) {
  const value_id x = tokens(b), d = b.binary("d", minus, x, mean(b, "mean", x));
  b.output("", b.binary("it", times, deviation(b, square(b, d), function::rsqrt), d));
};
constexpr auto normed = [](builder& b) { b.output("", b.add(op::layer_norm{2, 0.01f}, "it", {tokens(b)})); };
constexpr auto without_mean = [](builder& b) {
  const value_id x = tokens(b);
  b.output("", b.binary("it", over, x, deviation(b, square(b, x))));
};
constexpr auto rms_normed = [](builder& b) { b.output("", b.add(op::rms_norm{2, 0.01f}, "it", {tokens(b)})); };
constexpr auto two_axes = [](builder& b) {
  const value_id x = tokens(b);
  const value_id v = b.add(op::reduce{op::reduction::mean, {1, 2}, true}, "variance", {square(b, x)});
  b.output("",
           b.binary("it", over, x, b.add(op::activation{{function::sqrt}}, "root", {b.scalar("eps", plus, v, 0.01f)})));
};
constexpr auto rms_of_two = [](builder& b) { b.output("", b.add(op::rms_norm{1, 0.01f}, "it", {tokens(b)})); };

constexpr auto inner_axis = [](builder& b) {
  const value_id x = tokens(b);
  b.output("", b.binary("it", over, x, deviation(b, square(b, x), function::sqrt, 1)));
};
constexpr auto other_divided = [](builder& b) {
  const value_id x = tokens(b);
  b.output("", b.binary("it", over, b.input("y", {2, 5, 8}), deviation(b, square(b, x))));
};
constexpr auto no_eps = [](builder& b) {
  const value_id x = tokens(b), v = mean(b, "variance", square(b, x));
  b.output("", b.binary("it", over, x, b.add(op::activation{{function::sqrt}}, "root", {v})));
};
constexpr auto root_is_read = [](builder& b) {
  const value_id x = tokens(b), root = deviation(b, square(b, x));
  b.output("root", root);
  b.output("", b.binary("it", over, x, root));
};

template <class Norm, int Operands, op::binary_function F>
constexpr auto then = [](builder& b) {
  const value_id x = tokens(b), k = b.constant("scale", {8}), s = b.constant("bias", {5, 8});
  const value_id y = Operands == 0 ? b.add(Norm{}, "norm", {x}) : b.add(Norm{}, "norm", {x, k});
  b.output("", Operands == 0 ? b.binary("it", F, k, y) : b.binary("it", F, y, s));
  b.output("k", k);
  b.output("s", s);
};
template <class Norm, int Operands>
constexpr auto with = [](builder& b) {
  const value_id x = tokens(b), k = b.constant("scale", {8}), s = b.constant("bias", {5, 8});
  if constexpr (Operands == 0) b.output("", b.add(Norm{}, "norm", {x, k}));
  else b.output("", b.add(Norm{}, "norm", {x, k, s}));
  b.output("k", k);
  b.output("s", s);
};
constexpr auto with_statistics = [](builder& b) {
  op::layer_norm p;
  p.statistics = true;
  b.output("", b.binary("it", times, b.add(p, "norm", {tokens(b)}), b.constant("scale", {8})));
};
constexpr auto grows = [](builder& b) {
  b.output("", b.binary("it", times, b.add(op::rms_norm{}, "norm", {tokens(b)}), b.input("y", {3, 1, 5, 8})));
};

}  // namespace

FIRES_LOADED("(x - mean) / sqrt(variance + eps)", (rules::spelled_norm), divided, normed)
FIRES_LOADED("rsqrt(variance + eps) * (x - mean)", (rules::spelled_norm), multiplied, normed)
FIRES_LOADED("x / sqrt(mean(x^2) + eps)", (rules::spelled_norm), without_mean, rms_normed)
FIRES_LOADED("x / sqrt(mean(x^2) + eps) over two axes", (rules::spelled_norm), two_axes, rms_of_two)
DECLINES_LOADED("a mean over an inner axis", (rules::spelled_norm), inner_axis,
                "under the root is no mean over the last axes")
DECLINES_LOADED("y / sqrt(mean(x^2) + eps)", (rules::spelled_norm), other_divided,
                "it divides another value than the one squared")
DECLINES_LOADED("x / sqrt(mean(x^2))", (rules::spelled_norm), no_eps, "nothing is added under the root")
DECLINES_LOADED("the root is an output", (rules::spelled_norm), root_is_read, "its input is a network output too")

FIRES_LOADED("k * layer_norm(x)", (rules::norm_operand), (then<op::layer_norm, 0, times>), (with<op::layer_norm, 0>))
FIRES_LOADED("layer_norm(x) * k + b", (rules::norm_operand), (then<op::layer_norm, 1, plus>), (with<op::layer_norm, 1>))
FIRES_LOADED("k * rms_norm(x)", (rules::norm_operand), (then<op::rms_norm, 0, times>), (with<op::rms_norm, 0>))
DECLINES_LOADED("layer_norm(x) + b without a scale", (rules::norm_operand), (then<op::layer_norm, 0, plus>),
                "it is not the product of two values")
DECLINES_LOADED("layer_norm(x) * k * s", (rules::norm_operand), (then<op::layer_norm, 1, times>),
                "it is not the sum of two values")
DECLINES_LOADED("rms_norm(x) * k * s", (rules::norm_operand), (then<op::rms_norm, 1, times>),
                "its input has all operands already")
DECLINES_LOADED("layer_norm(x), its mean and its deviation, * k", (rules::norm_operand), with_statistics,
                "its input has several outputs")
DECLINES_LOADED("rms_norm(x) * something larger", (rules::norm_operand), grows, "its other operand is larger")

namespace {

constexpr auto rsqrt = function::rsqrt;
constexpr value_id distance(builder& b, value_id x) { return b.binary("d", minus, x, mean(b, "mean", x)); }
constexpr value_id root_of(builder& b, value_id d, function f = rsqrt) { return deviation(b, square(b, d), f); }

/// d * (k * root); `Others`: who reads k * root besides.
template <bool Centred, function F = rsqrt, bool Read = false, bool Same = true>
constexpr auto scaled_root = [](builder& b) {
  const value_id x = tokens(b), d = Centred ? distance(b, x) : x, k = b.constant("k", {8});
  const value_id s = b.binary("s", times, root_of(b, d, F), k);
  if (Read) b.output("s", s);
  b.output("", b.binary("it", times, Same ? d : b.input("y", {2, 5, 8}), s));
};
template <class Norm>
constexpr auto norm_with_scale = [](builder& b) {
  const value_id x = tokens(b), k = b.constant("k", {8});
  b.output("", b.add(Norm{2, 0.01f}, "it", {x, k}));
};
constexpr auto larger_scale = [](builder& b) {
  const value_id x = tokens(b), s = b.binary("s", times, root_of(b, x), b.input("k", {3, 1, 1, 8}));
  b.output("", b.binary("it", times, x, s));
};

/// x * s + (b - mean(x) * s) with s = k / deviation.
enum class slip { none, other_mean, other_scale, sum, product_read };
template <slip S>
constexpr auto in_terms = [](builder& b) {
  const value_id x = tokens(b), middle = mean(b, "mean", x), k = b.constant("k", {8});
  const value_id s = b.binary("s", times, root_of(b, b.binary("d", minus, x, middle)), k), shift = b.constant("b", {8});
  const value_id m = S == slip::other_mean ? b.input("m", {2, 5, 1}) : middle;
  const value_id xs = b.binary("xs", times, x, s), ms = b.binary("ms", times, m, S == slip::other_scale ? k : s);
  if (S == slip::product_read) b.output("xs", xs);
  b.output("", b.sum("it", b.binary("rest", S == slip::sum ? plus : minus, shift, ms), xs));
};
constexpr auto norm_with_both = [](builder& b) {
  const value_id x = tokens(b), k = b.constant("k", {8}), shift = b.constant("b", {8});
  b.output("", b.add(op::layer_norm{2, 0.01f}, "it", {x, k, shift}));
};

}  // namespace

FIRES_LOADED("(x - mean) * (k * rsqrt(variance + eps))", (rules::scaled_norm), scaled_root<true>,
             norm_with_scale<op::layer_norm>)
FIRES_LOADED("x * (k * rsqrt(mean(x^2) + eps))", (rules::scaled_norm), scaled_root<false>,
             norm_with_scale<op::rms_norm>)
DECLINES_LOADED("x * (k * sqrt(mean(x^2) + eps))", (rules::scaled_norm), (scaled_root<false, function::sqrt>),
                "it does not divide by a root")
DECLINES_LOADED("x * (k * root), which is an output", (rules::scaled_norm), (scaled_root<false, rsqrt, true>),
                "its input is a network output too")
DECLINES_LOADED("y * (k * rsqrt(mean(x^2) + eps))", (rules::scaled_norm), (scaled_root<false, rsqrt, false, false>),
                "it scales another value than the one squared")
DECLINES_LOADED("x * (k * root) where k is larger", (rules::scaled_norm), larger_scale, "its scale is larger")

FIRES_LOADED("x s + (b - mean(x) s)", (rules::expanded_norm), in_terms<slip::none>, norm_with_both)
DECLINES_LOADED("x s + (b - y s)", (rules::expanded_norm), in_terms<slip::other_mean>,
                "its other operand is not b - mean(x) * s")
DECLINES_LOADED("x s + (b - mean(x) k)", (rules::expanded_norm), in_terms<slip::other_scale>,
                "its other operand is not b - mean(x) * s")
DECLINES_LOADED("x s + (b + mean(x) s)", (rules::expanded_norm), in_terms<slip::sum>,
                "its other operand is not b - mean(x) * s")
DECLINES_LOADED("x s is an output", (rules::expanded_norm), in_terms<slip::product_read>,
                "its input is a network output too")

TEST_CASE("all rules together find layer_norm with its scale and bias in one of two spellings") {
  for (const bool twice : {false, true}) {
    builder b;
    const value_id x = tokens(b), middle = mean(b, "mean", x), d = b.binary("d", minus, x, middle);
    const value_id e = twice ? b.binary("d2", minus, x, middle) : d;  // as PyTorch exports it
    const value_id y = b.binary(
        "normed", over, d,
        b.scalar("root", pow_of, b.scalar("eps", plus, mean(b, "v", b.scalar("square", pow_of, e, 2)), 1e-5f), 0.5f));
    b.output("", b.sum("it", b.binary("scaled", times, y, b.constant("scale", {8})), b.constant("bias", {8})));
    const auto want = typed_outputs(b.g.view());
    const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
    CAPTURE(describe_graph(o.g.view()));
    CHECK(o.g.nodes.size() == 4);  // x, scale, bias, layer_norm
    CHECK(o.g.nodes[3].type == &type_of<op::layer_norm>);
    CHECK(agree(o.g.view(), typed_outputs(o.g.view()), want, false, o.history));
  }
}

namespace {
/// x / sqrt(f(x^2) + eps), where f is the mean or another; or x * sqrt(...), or with relu.
template <op::reduction F, bool Keep, op::binary_function By = over, function After = function::none>
constexpr auto root_of_other = [](builder& b) {
  const value_id x = b.input("x", {5, 5});
  const value_id v = b.add(op::reduce{F, {-1}, Keep}, "variance", {square(b, x)});
  const value_id root = b.apply("root", b.scalar("eps", plus, v, 0.01f), function::sqrt);
  b.output("", b.binary("it", By, x, root, {After}));
};
/// x s + (b - m s), where s multiplies or divides, m is x's mean, and shapes differ.
template <function Root, bool Centred, bool Larger>
constexpr auto other_expansion = [](builder& b) {
  const value_id x = tokens(b), middle = mean(b, "mean", x), k = b.constant("k", {8});
  const value_id s = b.binary("s", times, root_of(b, Centred ? b.binary("d", minus, x, middle) : x, Root), k);
  const value_id shift = Larger ? b.constant("b", {3, 1, 1, 8}) : b.constant("b", {8});
  const value_id ms = b.binary("ms", times, middle, s), xs = b.binary("xs", times, x, s);
  b.output("", b.sum("it", b.binary("rest", minus, shift, ms), xs));
};
constexpr auto active_scale = [](builder& b) {
  const value_id y = b.add(op::rms_norm{}, "norm", {tokens(b)});
  b.output("", b.binary("it", times, y, b.constant("k", {8}), {function::relu}));
};
}  // namespace
DECLINES_LOADED("x / sqrt(sum(x^2) + eps)", (rules::spelled_norm), (root_of_other<op::reduction::sum, true>),
                "under the root is no mean over the last axes")
DECLINES_LOADED("x / sqrt(means of other rows + eps)", (rules::spelled_norm),
                (root_of_other<op::reduction::mean, false>), "under the root is no mean over the last axes")
DECLINES_LOADED("x * sqrt(mean(x^2) + eps)", (rules::spelled_norm), (root_of_other<op::reduction::mean, true, times>),
                "it does not divide by a root")
DECLINES_LOADED("relu(x / sqrt(mean(x^2) + eps))", (rules::spelled_norm),
                (root_of_other<op::reduction::mean, true, over, function::relu>), "it applies an activation")
DECLINES_LOADED("x s + (b - mean(x) s), s k times a root", (rules::expanded_norm),
                (other_expansion<function::sqrt, true, false>), "it does not divide by a root")
DECLINES_LOADED("x s + (b - mean(x) s), s of x itself", (rules::expanded_norm), (other_expansion<rsqrt, false, false>),
                "its other operand is not b - mean(x) * s")
DECLINES_LOADED("x s + (b - mean(x) s), b larger", (rules::expanded_norm), (other_expansion<rsqrt, true, true>),
                "its scale or bias is larger")
DECLINES_LOADED("relu(k * rms_norm(x))", (rules::norm_operand), active_scale, "it applies an activation")

namespace {
/// Of `groups` over what a reshape makes of x, and back.
constexpr value_id norm_of_groups(builder& b, std::initializer_list<int> x, std::initializer_list<int> apart,
                                  int groups, std::initializer_list<int> back) {
  const int channels = apart.begin()[1];
  const value_id y = b.reshape("apart", b.input("x", x), apart);
  const value_id normed = b.add(op::group_norm{groups, 1e-3f, 1}, "norm",
                                {y, b.constant("scale", {channels}), b.constant("bias", {channels})});
  b.output("", b.reshape("back", normed, back));
  return normed;
}
constexpr auto groups_spelled = [](builder& b) { norm_of_groups(b, {2, 6, 3, 4}, {2, 3, 24}, 3, {2, 6, 3, 4}); };
constexpr auto groups_named = [](builder& b) {
  b.output("", b.add(op::group_norm{3, 1e-3f}, "norm",
                     {b.input("x", {2, 6, 3, 4}), b.constant("scale", {3}), b.constant("bias", {3})}));
};
constexpr auto groups_of_one_image = [](builder& b) {
  const value_id y = b.reshape("apart", b.input("x", {6, 3, 4}), {3, 24});
  b.output("",
           b.reshape("back",
                     b.add(op::group_norm{3, 1e-3f, 0}, "norm", {y, b.constant("scale", {3}), b.constant("bias", {3})}),
                     {6, 3, 4}));
};
constexpr auto named_of_one_image = [](builder& b) {
  b.output("", b.add(op::group_norm{3, 1e-3f}, "norm",
                     {b.input("x", {6, 3, 4}), b.constant("scale", {3}), b.constant("bias", {3})}));
};
constexpr auto groups_not_back = [](builder& b) { norm_of_groups(b, {2, 6, 3, 4}, {2, 3, 24}, 3, {2, 6, 12}); };
constexpr auto other_samples = [](builder& b) { norm_of_groups(b, {2, 6, 3, 4}, {4, 3, 12}, 3, {2, 6, 3, 4}); };
constexpr auto samples_alone = [](builder& b) { norm_of_groups(b, {6}, {6, 1, 1}, 1, {6}); };
constexpr auto groups_of_groups = [](builder& b) { norm_of_groups(b, {2, 6, 3, 4}, {2, 6, 12}, 3, {2, 6, 3, 4}); };
constexpr auto channels_cut = [](builder& b) { norm_of_groups(b, {2, 6, 4, 3}, {2, 4, 18}, 4, {2, 6, 4, 3}); };
constexpr auto groups_are_read = [](builder& b) {
  b.output("norm", norm_of_groups(b, {2, 6, 3, 4}, {2, 3, 24}, 3, {2, 6, 3, 4}));
};
}  // namespace

FIRES("a norm of what is reshaped to groups", (rules::spelled_groups), groups_spelled, groups_named)
FIRES("a norm of what is reshaped to groups, without a batch", (rules::spelled_groups), groups_of_one_image,
      named_of_one_image)
DECLINES("a norm of groups > another reshape", (rules::spelled_groups), groups_not_back,
         "it does not undo the reshape before")
DECLINES("a norm of parts of samples", (rules::spelled_groups), other_samples,
         "its samples are not those before the reshape")
DECLINES("a norm of the numbers of a vector", (rules::spelled_groups), samples_alone,
         "its samples are not those before the reshape")
DECLINES("groups of what is reshaped", (rules::spelled_groups), groups_of_groups, "its channels are not groups of them")
DECLINES("groups that cut channels", (rules::spelled_groups), channels_cut, "its channels are not groups of them")
DECLINES("the groups' norm is an output", (rules::spelled_groups), groups_are_read, "its input is a network output too")

namespace {

/// d / sqrt(mean(d^2) + eps), d the distance from another mean, over any axes.
constexpr list<int> axes_of(unsigned bits) {
  list<int> axes;
  for (int a = 0; a < 4; ++a)
    if (bits >> a & 1u) axes.push_back(a);
  return axes;
}
template <unsigned Middle, unsigned Squares, int Hundredths = 1, op::reduction F = op::reduction::mean>
constexpr auto over_axes = [](builder& b) {
  const value_id x = b.input("x", {2, 6, 3, 4});
  const value_id d =
      b.binary("d", minus, x, b.add(op::reduce{op::reduction::mean, axes_of(Middle), true}, "mean", {x}));
  const value_id v = b.add(op::reduce{F, axes_of(Squares), true}, "variance", {square(b, d)});
  const value_id eps = b.scalar("eps", plus, v, float(Hundredths) / 100);
  b.output("", b.binary("it", over, d, b.add(op::activation{{function::sqrt}}, "root", {eps})));
};
template <unsigned Axes>
constexpr auto normalized = [](builder& b) {
  b.output("", b.add(op::mean_variance_normalize{axes_of(Axes), 0.01f}, "it", {b.input("x", {2, 6, 3, 4})}));
};
constexpr unsigned by_channel = 1u << 1, by_sample_and_row = 1u | 1u << 2, by_column = 1u << 3;
constexpr std::string_view not_last = "under the root is no mean over the last axes";

}  // namespace

FIRES("a norm over channels of images", (rules::spelled_norm), (over_axes<by_channel, by_channel>),
      normalized<by_channel>)
FIRES("a norm over samples and rows", (rules::spelled_norm), (over_axes<by_sample_and_row, by_sample_and_row>),
      normalized<by_sample_and_row>)
DECLINES("distances from the mean over rows, squares over channels", (rules::spelled_norm),
         (over_axes<by_column, by_channel>), not_last)
DECLINES("a norm over channels without eps", (rules::spelled_norm), (over_axes<by_channel, by_channel, 0>), not_last)
DECLINES("the sum of squares over channels", (rules::spelled_norm),
         (over_axes<by_channel, by_channel, 1, op::reduction::sum>), not_last)
