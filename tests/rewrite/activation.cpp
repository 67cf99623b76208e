// SPDX-License-Identifier: BSL-1.0
// rules/activation.hpp: when activations move, when they stay.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using function::clip, function::sigmoid;
constexpr activation_function with_relu{function::relu};

constexpr auto conv_relu = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.relu("relu", b.conv("conv", x, 3, 3)));
};
constexpr auto conv_with_relu = [](builder& b) {
  b.output("", b.conv("conv", b.input("x", {2, 4, 4}), 3, 3, with_relu));
};
constexpr auto conv_relu_clip = [](builder& b) {  // passes.md X2
  const value_id x = b.input("x", {2, 4, 4});
  const value_id y = b.conv("conv", x, 3, 3, {function::sigmoid});
  b.output("", b.apply("clip", b.apply("leaky", y, function::leaky_relu, 0.5f), function::clip, 0.2f, 0.4f));
};
constexpr auto conv_read_twice = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 4, 4}), 2);
  b.output("a", b.relu("relu", y));
  b.output("b", b.apply("tanh", y, function::tanh));
};
constexpr auto conv_is_output = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 4, 4}), 2);
  b.output("y", y);
  b.output("z", b.relu("relu", y));
};
constexpr auto residual_relu = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  b.output("", b.relu("relu", b.add(c, "conv", {x, x})));
};
constexpr auto residual_with_relu = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  c.activation = with_relu;
  b.output("", b.add(c, "conv", {x, x}));
};

template <class Op, bool Outside>
constexpr auto volume_relu = [](builder& b) {
  Op c;
  c.out = 2;
  c.kernel = {2, 1, 2};
  if (!Outside) c.activation = with_relu;
  const value_id y = b.add(c, "conv", {b.input("x", {2, 3, 4, 4})});
  b.output("", Outside ? b.relu("relu", y) : y);
};
constexpr auto volume_sigmoid_relu = [](builder& b) {
  op::conv3d c;
  c.out = 2;
  c.kernel = {2, 1, 2};
  c.activation = {function::sigmoid};
  b.output("", b.relu("relu", b.add(c, "conv", {b.input("x", {2, 3, 4, 4})})));
};

constexpr auto linear_relu = [](builder& b) { b.output("", b.relu("relu", b.linear("fc", b.input("x", {3, 5}), 4))); };
constexpr auto linear_with_relu = [](builder& b) { b.output("", b.linear("fc", b.input("x", {3, 5}), 4, with_relu)); };
constexpr auto linear_sigmoid_relu = [](builder& b) {
  b.output("", b.relu("relu", b.linear("fc", b.input("x", {5}), 4, {function::sigmoid})));
};

constexpr auto sum_relu = [](builder& b) {
  const value_id x = b.input("x", {2, 3}), y = b.input("y", {3});
  b.output("", b.relu("relu", b.sum("sum", x, y)));
};
constexpr auto sum_with_relu = [](builder& b) {
  const value_id x = b.input("x", {2, 3}), y = b.input("y", {3});
  b.output("", b.binary("sum", op::binary_function::add, x, y, with_relu));
};
constexpr auto sum_relu_tanh = [](builder& b) {
  const value_id x = b.input("x", {2, 3}), y = b.input("y", {3});
  b.output("", b.apply("tanh", b.binary("sum", op::binary_function::add, x, y, with_relu), function::tanh));
};

constexpr void eltwise(builder& b, activation_function inside, function outside) {
  const value_id x = b.input("x", {2, 3}), y = b.input("y", {2, 3});
  op::eltwise e;
  e.coefficients = {2.0f, -1.0f};
  e.activation = inside;
  const value_id s = b.add(e, "sum", {x, y});
  b.output("", outside == function::none ? s : b.apply("act", s, outside));
}
constexpr auto eltwise_relu = [](builder& b) { eltwise(b, {}, function::relu); };
constexpr auto eltwise_with_relu = [](builder& b) { eltwise(b, with_relu, function::none); };
constexpr auto eltwise_relu_tanh = [](builder& b) { eltwise(b, with_relu, function::tanh); };
constexpr auto conv_clip_relu = [](builder& b) {
  b.output("", b.relu("relu", b.conv("conv", b.input("x", {2, 4, 4}), 3, 3, {clip, -0.5f, 0.5f})));
};
constexpr auto conv_clip = [](builder& b) {
  b.output("", b.conv("conv", b.input("x", {2, 4, 4}), 3, 3, {clip, 0, 0.5f}));
};

template <bool Activated, bool Again>
constexpr auto transposed = [](builder& b) {
  const value_id y = b.conv_transpose("conv", b.input("x", {2, 3, 3}), 3, 1,
                                      Activated ? activation_function{sigmoid} : activation_function{});
  b.output("", Again ? b.apply("act", y, sigmoid) : y);
};

template <function A, int ALow, int AHigh, function B, int BLow, int BHigh>
constexpr auto two = [](builder& b) {
  const value_id x = b.input("x", {40});
  b.output("", b.apply("second", b.apply("first", x, A, float(ALow) / 10, float(AHigh) / 10), B, float(BLow) / 10,
                       float(BHigh) / 10));
};
template <function F, int Low, int High>
constexpr auto one = [](builder& b) {
  b.output("", b.apply("first", b.input("x", {40}), F, float(Low) / 10, float(High) / 10));
};
constexpr auto relu_relu = two<function::relu, 0, 0, function::relu, 0, 0>;
constexpr auto relu_clip = two<function::relu, 0, 0, clip, -5, 6>;
constexpr auto clip_relu = two<clip, -5, 6, function::relu, 0, 0>;
constexpr auto clip_below_relu = two<clip, -5, -2, function::relu, 0, 0>;
constexpr auto apart = two<clip, -5, -2, clip, 3, 7>;
constexpr auto overlapping = two<clip, -5, 5, clip, 3, 7>;
constexpr auto just_relu = one<function::relu, 0, 0>;
constexpr auto clip_0_6 = one<clip, 0, 6>;
constexpr auto clip_0_0 = one<clip, 0, 0>;
constexpr auto clip_3_3 = one<clip, 3, 3>;
constexpr auto clip_3_5 = one<clip, 3, 5>;
constexpr auto relu_sigmoid = two<function::relu, 0, 0, sigmoid, 0, 0>;
template <function F, function G, int Low, int High>
constexpr auto behind = [](builder& b) {  // F, then a pooling, a concat with itself and a permute; then G
  op::pool p;
  p.kernel = {2, 2};
  const value_id y = b.add(p, "pool", {b.apply("first", b.input("x", {2, 4, 4}), F)});
  const value_id z = b.add(op::softmax{}, "soft", {b.input("z", {1, 2, 2})});
  const value_id both = b.permute("turn", b.concat("both", {y, z}), {1, 2, 0});
  b.output("", G == function::none ? both : b.apply("last", both, G, float(Low) / 10, float(High) / 10));
};
constexpr auto relu_output_clip = [](builder& b) {
  const value_id y = b.relu("relu", b.input("x", {9}));
  b.output("y", y);
  b.output("z", b.apply("clip", y, clip, -1, 1));
};

constexpr op::pool windows(int kernel, int pad = 0, op::pooling f = op::pooling::max) {
  op::pool p;
  p.function = f;
  p.kernel = by_axis{kernel};
  p.stride = by_axis{2};
  p.pad = by_axis{pad};
  return p;
}
/// conv2d > pooling > f, or the convolution applies Inner.
template <int Pad, op::pooling Pool, function F, int A, int B, function Inner = function::none>
constexpr void conv_pool(builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 6, 6}), 3, 3, {Inner, 0, Inner == clip ? 6.0f : 0.0f});
  const value_id p = b.add(windows(3, Pad, Pool), "pool", {y});
  b.output("", F == function::none ? p : b.apply("f", p, F, static_cast<float>(A) / 4, static_cast<float>(B)));
}
constexpr auto max = op::pooling::max;
constexpr auto pooled_relu = conv_pool<1, max, function::relu, 0, 0>;
constexpr auto relu_pooled = conv_pool<1, max, function::none, 0, 0, function::relu>;
constexpr auto relu_pooled_clip = conv_pool<0, max, clip, 0, 6, function::relu>;
constexpr auto clip_pooled = conv_pool<0, max, function::none, 0, 0, clip>;
template <bool After>
constexpr void whole_pool_leaky(builder& b) {
  constexpr activation_function leaky{function::leaky_relu, 0.25f};
  const value_id y = b.linear("fc", b.input("x", {2, 3, 4}), 5, After ? leaky : activation_function{});
  const value_id p = b.add(op::adaptive_pool{max}, "pool", {y});
  b.output("", After ? p : b.apply("f", p, leaky.kind, leaky.a));
}
constexpr auto positions_too = [](builder& b) {
  op::pool p = windows(2);
  p.indices = true;
  const value_id y = b.add(p, "pool", {b.conv("conv", b.input("x", {2, 6, 6}), 3)});
  b.output("", b.relu("f", y));
  b.output("where", y + 1);
};
constexpr auto conv_is_read_twice = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 6, 6}), 3);
  b.output("", b.relu("f", b.add(windows(2), "pool", {y})));
  b.output("y", y);
};
/// conv > prelu, or one step. `Axis` of the slopes.
template <int Axis, function Inside = function::none, bool Residual = false>
constexpr auto conv_prelu = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 4});
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  c.activation.kind = Inside;
  const value_id y = Residual ? b.add(c, "conv", {x, x}) : b.add(c, "conv", {x});
  b.output("", b.add(op::prelu{Axis}, "slopes", {y}));
};
template <bool Bias, bool Residual>
constexpr auto conv_with_slopes = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 4});
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  c.bias = Bias;
  c.activation.kind = function::prelu;
  b.output("", Residual ? b.add(c, "conv", {x, x}) : b.add(c, "conv", {x}));
};
constexpr auto batch_prelu = [](builder& b) {
  op::conv2d c;
  c.out = 3;
  c.kernel = {2, 2};
  c.bias = false;
  b.output("", b.add(op::prelu{1}, "slopes", {b.add(c, "conv", {b.input("x", {2, 2, 4, 4})})}));
};
constexpr auto batch_with_slopes = [](builder& b) {
  op::conv2d c;
  c.out = 3;
  c.kernel = {2, 2};
  c.bias = false;
  c.activation.kind = function::prelu;
  b.output("", b.add(c, "conv", {b.input("x", {2, 2, 4, 4})}));
};
constexpr auto prelu_of_shared = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 4, 4}), 2);
  b.output("a", b.add(op::prelu{}, "slopes", {y}));
  b.output("b", b.apply("tanh", y, function::tanh));
};
/// What may follow a convolution with slopes, stays.
constexpr auto slopes_then_relu = [](builder& b) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  c.activation.kind = function::prelu;
  b.output("", b.relu("relu", b.add(c, "conv", {b.input("x", {2, 4, 4})})));
};

constexpr auto conv_abs = [](builder& b) {
  b.output("", b.apply("abs", b.conv("conv", b.input("x", {2, 4, 4}), 2), function::abs));
};

}  // namespace

FIRES("prelu goes into conv2d", (rules::fuse_slopes), conv_prelu<automatic_axis>, (conv_with_slopes<true, false>))
FIRES("prelu goes into conv2d behind its residual", (rules::fuse_slopes),
      (conv_prelu<0, function::none, true>), (conv_with_slopes<true, true>))
FIRES("prelu goes into conv2d of a batch without a bias", (rules::fuse_slopes), batch_prelu, batch_with_slopes)
DECLINES("prelu behind relu", (rules::fuse_slopes), (conv_prelu<0, function::relu>),
         "its input has an activation already")
DECLINES("prelu behind prelu", (rules::fuse_slopes), (conv_prelu<0, function::prelu>),
         "its input has an activation already")
DECLINES("prelu along rows", (rules::fuse_slopes), conv_prelu<1>, "its channels are not the convolution's outputs")
DECLINES("prelu of what others read", (rules::fuse_slopes), prelu_of_shared, "its input is also read by another layer")
DECLINES("no second activation behind slopes", (rules::fuse_activation), slopes_then_relu,
         "its input has an activation already")
FIRES("scale > relu, as behind a batch norm before a convolution", (rules::fuse_activation), ([](builder& b) {
        b.output("", b.relu("relu", b.add(op::scale{}, "scale", {b.input("x", {2, 4, 4})})));
      }),
      ([](builder& b) {
        b.output("", b.add(op::scale{true, automatic_axis, with_relu}, "scale", {b.input("x", {2, 4, 4})}));
      }))
FIRES("bias > sigmoid", (rules::fuse_activation), ([](builder& b) {
        b.output("", b.apply("sigmoid", b.add(op::bias{1}, "bias", {b.input("x", {2, 4, 4})}), function::sigmoid));
      }),
      ([](builder& b) {
        b.output("", b.add(op::bias{1, {function::sigmoid}}, "bias", {b.input("x", {2, 4, 4})}));
      }))
FIRES("relu goes into conv2d", (rules::fuse_activation), conv_relu, conv_with_relu)
FIRES("relu goes into conv2d behind its residual", (rules::fuse_activation), residual_relu, residual_with_relu)
FIRES("relu joins the clip that conv2d has", (rules::fuse_activation), conv_clip_relu, conv_clip)
DECLINES("no second activation in conv2d (X2)", (rules::fuse_activation), conv_relu_clip,
         "its input has an activation already")
DECLINES("conv2d read by another layer keeps its value", (rules::fuse_activation), conv_read_twice,
         "its input is also read by another layer")
DECLINES("conv2d that is an output keeps its value", (rules::fuse_activation), conv_is_output,
         "its input is a network output too")
FIRES("relu goes into conv3d", (rules::fuse_activation), (volume_relu<op::conv3d, true>),
      (volume_relu<op::conv3d, false>))
FIRES("relu goes into conv_transpose3d", (rules::fuse_activation), (volume_relu<op::conv_transpose3d, true>),
      (volume_relu<op::conv_transpose3d, false>))
DECLINES("no second activation in conv3d", (rules::fuse_activation), volume_sigmoid_relu,
         "its input has an activation already")
FIRES("sigmoid goes into conv_transpose2d", (rules::fuse_activation), (transposed<false, true>),
      (transposed<true, false>))
DECLINES("no second activation in conv_transpose2d", (rules::fuse_activation), (transposed<true, true>),
         "its input has an activation already")
FIRES("relu goes into linear", (rules::fuse_activation), linear_relu, linear_with_relu)
DECLINES("no second activation in linear", (rules::fuse_activation), linear_sigmoid_relu,
         "its input has an activation already")
FIRES("relu goes into binary", (rules::fuse_activation), sum_relu, sum_with_relu)
DECLINES("no second activation in binary", (rules::fuse_activation), sum_relu_tanh,
         "its input has an activation already")
FIRES("relu goes into eltwise", (rules::fuse_activation), eltwise_relu, eltwise_with_relu)
DECLINES("no second activation in eltwise", (rules::fuse_activation), eltwise_relu_tanh,
         "its input has an activation already")

FIRES("conv2d > max_pool > relu", (rules::activation_before_pool), pooled_relu, relu_pooled)
FIRES("conv2d with relu > max_pool > clip", (rules::activation_before_pool), relu_pooled_clip, clip_pooled)
FIRES("linear > maximum of all > leaky relu", (rules::activation_before_pool), whole_pool_leaky<false>,
      whole_pool_leaky<true>)
DECLINES("conv2d > avg_pool > relu", (rules::activation_before_pool),
         (conv_pool<1, op::pooling::average, function::relu, 0, 0>), "it does not take the maximum")
DECLINES("a window of padding alone has no number to clip", (rules::activation_before_pool),
         (conv_pool<3, max, function::relu, 0, 0>), "a window may hold nothing but padding")
DECLINES("leaky relu that falls", (rules::activation_before_pool), (conv_pool<0, max, function::leaky_relu, -1, 0>),
         "it is no function that never falls and costs next to nothing")
DECLINES("sigmoid of the few", (rules::activation_before_pool), (conv_pool<0, max, sigmoid, 0, 0>),
         "it is no function that never falls and costs next to nothing")
DECLINES("conv2d with sigmoid > max_pool > relu", (rules::activation_before_pool),
         (conv_pool<0, max, function::relu, 0, 0, sigmoid>), "its input has an activation already")
DECLINES("positions of maxima", (rules::activation_before_pool), positions_too, "it tells where the maximum was")
DECLINES("conv2d before pooling is an output", (rules::activation_before_pool), conv_is_read_twice,
         "its input is a network output too")

FIRES("relu > relu", (rules::activation_chain), relu_relu, just_relu)
FIRES("relu > clip", (rules::activation_chain), relu_clip, clip_0_6)
FIRES("clip > relu", (rules::activation_chain), clip_relu, clip_0_6)
FIRES("clip below zero > relu", (rules::activation_chain), clip_below_relu, clip_0_0)
FIRES("clips that do not meet", (rules::activation_chain), apart, clip_3_3)
FIRES("clips that overlap", (rules::activation_chain), overlapping, clip_3_5)
DECLINES("relu > sigmoid", (rules::activation_chain), relu_sigmoid, "only relu and clip combine")
DECLINES("relu that is an output > clip", (rules::activation_chain), relu_output_clip,
         "its input is a network output too")

FIRES("clip behind a sigmoid", (rules::activation_within), (two<sigmoid, 0, 0, clip, 0, 10>), (one<sigmoid, 0, 0>))
DECLINES("a clip that a sigmoid does not keep", (rules::activation_within), (two<sigmoid, 0, 0, clip, 1, 10>), "")
FIRES("leaky relu behind a relu", (rules::activation_within), (two<function::relu, 0, 0, function::leaky_relu, 1, 0>),
      just_relu)
DECLINES("abs changes -0", (rules::activation_within), (two<function::relu, 0, 0, function::abs, 0, 0>), "")
FIRES("relu far behind what is not negative", (rules::activation_within),
      (behind<function::relu, function::relu, 0, 0>), (behind<function::relu, function::none, 0, 0>))
FIRES("clip far behind what is in it", (rules::activation_within), (behind<sigmoid, clip, 0, 10>),
      (behind<sigmoid, function::none, 0, 0>))
DECLINES("one of two may be negative", (rules::activation_within), (behind<function::tanh, function::relu, 0, 0>), "")
DECLINES("any number", (rules::activation_within), just_relu, "")
DECLINES("conv2d > abs", (rules::fuse_activation), conv_abs, "its function is no activation")

namespace {
// Nothing of a sum of sigmoids is below 0.
template <function F, function Idle>
constexpr auto idle_behind = [](builder& b) {
  const value_id s = b.apply("s", b.input("x", {4}), F);
  b.output("", b.apply("t", b.binary("sum", op::binary_function::add, s, s, {Idle}), function::tanh));
};
constexpr auto without_idle = [](builder& b) {
  const value_id s = b.apply("s", b.input("x", {4}), function::sigmoid);
  b.output("", b.binary("sum", op::binary_function::add, s, s, {function::tanh}));
};
}  // namespace
FIRES("tanh behind a sum whose relu changes nothing", (rules::fuse_activation),
      (idle_behind<function::sigmoid, function::relu>), without_idle)
DECLINES("tanh behind a sum whose relu does", (rules::fuse_activation), (idle_behind<function::tanh, function::relu>),
         "its input has an activation already")

namespace {
constexpr auto sums_of_bytes = [](builder& b) {
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 1};
  c.weight.type = dtype::i8;
  const value_id y = b.add_as(dtype::f32, c, "conv", {b.add(op::input{{2, 4, 4}, dtype::i8}, "x", {})});
  b.output("", b.relu("relu", y));
};
constexpr auto sigmoid_of_input = [](builder& b) {
  b.output("", b.apply("it", b.input("x", {3}), function::sigmoid));
};
}  // namespace
DECLINES("sigmoid of anything", (rules::activation_within), sigmoid_of_input, "")
DECLINES_LOADED("sums of bytes > relu", (rules::fuse_activation), sums_of_bytes,
                "its numbers are rounded in another order")
