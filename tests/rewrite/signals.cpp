// SPDX-License-Identifier: BSL-1.0
// Convolutions of signals take in what follows them, as those of images do, and stay convolutions of signals.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using op::binary_function;

constexpr op::conv1d filter(int out, int kernel = 3, int dilation = 1) {
  op::conv1d c;
  c.out = out;
  c.kernel = {kernel};
  c.dilation = {dilation};
  c.pad = {(kernel - 1) * dilation / 2, (kernel - 1) * dilation - (kernel - 1) * dilation / 2};
  return c;
}
template <bool Batch>
constexpr value_id signal(builder& b) {
  return Batch ? b.input("x", {1, 4, 32}) : b.input("x", {4, 32});
}
/// What (C, L) and (1, C, L) alike have along axis 0 and 1 of the channels.
template <bool Batch, class Op>
constexpr Op by_channel(Op op) {
  op.axis = Batch ? 1 : 0;
  return op;
}

// One convolution is left of each.
template <bool Batch>
constexpr auto add_k = [](builder& b) {
  b.output("", b.sum("add", b.add(filter(6), "c", {signal<Batch>(b)}), b.constant("k", {6, 1})));
};
template <bool Batch>
constexpr auto mul_k = [](builder& b) {
  const value_id c = b.add(filter(6), "c", {signal<Batch>(b)});
  b.output("", b.binary("mul", binary_function::mul, b.constant("k", {6, 1}), c));
};
template <bool Batch>
constexpr auto norm_and_relu = [](builder& b) {
  const value_id c = b.add(filter(6), "c", {signal<Batch>(b)});
  b.output("", b.relu("relu", b.add(by_channel<Batch>(op::batch_norm{}), "norm", {c})));
};
template <bool Batch>
constexpr auto slopes = [](builder& b) {
  b.output("", b.add(by_channel<Batch>(op::prelu{}), "p", {b.add(filter(6), "c", {signal<Batch>(b)})}));
};
template <bool Batch>
constexpr auto residual = [](builder& b) {
  const value_id x = signal<Batch>(b);
  b.output("", b.relu("relu", b.sum("add", b.add(filter(4), "c", {x}), x)));
};
template <bool Batch>
constexpr auto scale_and_leaky = [](builder& b) {
  const value_id c = b.add(filter(6), "c", {signal<Batch>(b)});
  const value_id scaled = b.binary("mul", binary_function::mul, c, b.constant("k", {6, 1}));
  b.output("", b.apply("leaky", b.scalar("half", binary_function::mul, scaled, 0.5f), function::leaky_relu, 0.1f));
};
template <bool Batch>
constexpr auto transposed = [](builder& b) {
  op::conv_transpose1d c;
  c.out = 6;
  c.kernel = {4};
  c.stride = {2};
  const value_id y = b.add(c, "c", {signal<Batch>(b)});
  b.output("", b.relu("relu", b.add(by_channel<Batch>(op::batch_norm{}), "norm", {y})));
};
template <bool Batch>
constexpr auto padded = [](builder& b) {
  op::pad zeros;
  if (Batch) zeros.before.push_back(0), zeros.after.push_back(0);
  for (const int n : {0, 2}) zeros.before.push_back(n), zeros.after.push_back(0);
  op::conv1d c = filter(6);
  c.pad = {0, 0};
  b.output("", b.add(c, "c", {b.add(zeros, "pad", {signal<Batch>(b)})}));
};
/// Two of WaveNet's layers, each of which adds to what it reads: four convolutions, two products.
template <bool Batch>
constexpr auto wavenet = [](builder& b) {
  value_id x = signal<Batch>(b);
  for (const int dilation : {1, 2}) {
    const value_id f = b.apply("tanh", b.add(filter(4, 3, dilation), "filter", {x}), function::tanh);
    const value_id g = b.apply("sigmoid", b.add(filter(4, 3, dilation), "gate", {x}), function::sigmoid);
    x = b.sum("add", b.add(filter(4, 1), "mix", {b.binary("gated", binary_function::mul, f, g)}), x);
  }
  b.output("", x);
};

struct left {
  int nodes = 0, convolutions = 0, reshapes = 0;
  friend constexpr bool operator==(const left&, const left&) = default;
};
/// What is left of a network, its inputs aside.
template <class Recipe>
constexpr left rewritten(Recipe recipe) {
  builder b;
  recipe(b);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
  left n;
  for (const node& each : o.g.view().nodes) {
    if (each.type == &type_of<op::input>) continue;
    ++n.nodes;
    if (each.type == &type_of<op::conv1d> || each.type == &type_of<op::conv_transpose1d>) ++n.convolutions;
    if (each.type == &type_of<op::reshape>) ++n.reshapes;
  }
  return n;
}

}  // namespace

#define LEAVES(title, recipe, ...)                       \
  TEST_CASE(title) {                                     \
    CHECK(rewritten(recipe<false>) == left __VA_ARGS__); \
    CHECK(rewritten(recipe<true>) == left __VA_ARGS__);  \
  }

LEAVES("a constant an output is added by the convolution", add_k, {1, 1})
LEAVES("a constant an output multiplies its weights", mul_k, {1, 1})
LEAVES("a batch norm and a relu go into a convolution", norm_and_relu, {1, 1})
LEAVES("slopes go into a convolution", slopes, {1, 1})
LEAVES("a sum goes into a convolution, and the relu behind it", residual, {1, 1})
LEAVES("factors and leaky_relu go into a convolution", scale_and_leaky, {1, 1})
LEAVES("a batch norm and a relu go into a transposed convolution", transposed, {1, 1})
LEAVES("padding goes into a convolution", padded, {1, 1})
LEAVES("of WaveNet's layer three convolutions and a product are left", wavenet, {8, 6})

namespace {
template <int Axis>
constexpr auto slopes_along =
    [](builder& b) { b.output("", b.add(op::prelu{Axis}, "p", {b.add(filter(6), "c", {signal<true>(b)})})); };
constexpr auto with_slopes = [](builder& b) {
  op::conv1d c = filter(6);
  c.activation = {function::prelu};
  b.output("", b.add(c, "c", {signal<true>(b)}));
};
constexpr auto two_of_one = [](builder& b) {
  b.output("", b.add(filter(4, 1), "second", {b.add(filter(64, 3), "first", {b.input("x", {4, 64})})}));
};
constexpr auto one_of_both = [](builder& b) { b.output("", b.add(filter(4, 3), "first", {b.input("x", {4, 64})})); };
constexpr auto one_sample = [](builder& b) { b.output("", b.add(filter(6, 3), "c", {b.input("x", {4, 1})})); };
constexpr auto linear_of_one = [](builder& b) {
  op::linear l;
  l.out = 6;
  l.axes = 2;
  l.ones = 1;
  b.output("", b.add(l, "c", {b.input("x", {4, 1})}));
};
/// Zeros before the samples, or a channel of zeros before the others.
template <bool Channels>
constexpr auto zeros_first = [](builder& b) {
  op::pad zeros;
  for (const int n : {Channels ? 1 : 0, Channels ? 0 : 2}) zeros.before.push_back(n), zeros.after.push_back(0);
  op::conv1d c = filter(6);
  c.pad = {0, 1};
  b.output("", b.add(c, "c", {b.add(zeros, "pad", {b.input("x", {4, 32})})}));
};
constexpr auto with_zeros = [](builder& b) {
  op::conv1d c = filter(6);
  c.pad = {2, 1};
  b.output("", b.add(c, "c", {b.input("x", {4, 32})}));
};
}  // namespace

FIRES("zeros before a signal", (rules::pad_window<op::conv1d>), zeros_first<false>, with_zeros)
DECLINES("zeros before the channels", (rules::pad_window<op::conv1d>), zeros_first<true>,
         "it pads more than the axes of the windows")
FIRES("slopes along the channels of a batch of signals", (rules::fuse_slopes), slopes_along<1>, with_slopes)
DECLINES("slopes along the samples", (rules::fuse_slopes), slopes_along<2>,
         "its channels are not the convolution's outputs")
FIRES("a convolution of signals and one of windows of 1", (rules::multiply_weights), two_of_one, one_of_both)
FIRES("a convolution of one sample", (rules::conv_of_one_pixel), one_sample, linear_of_one)
