// SPDX-License-Identifier: BSL-1.0
// rules/channels.hpp: channels of zeros, or of one number, go from the layers that make them and from all that read
// them, or stay in all.
#include <limits>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using places = std::initializer_list<int>;

/// A layer of `out` channels whose weight and bias hold zeros.
template <class Layer>
constexpr value_id layer(builder& b, Layer p, std::string_view name, value_id x, places rows, places bias,
                         places columns = {}) {
  const value_id v = b.add(p, name, {x});
  constexpr bool transposed = std::is_same_v<Layer, op::conv_transpose2d>;
  b.zeros(0, transposed ? columns : rows, transposed ? rows : columns);
  if (p.bias) b.zeros(1, bias);
  return v;
}
constexpr op::conv2d conv_of(int out, int kernel = 3, activation_function f = {}, bool bias = true, int groups = 1) {
  op::conv2d c;
  c.out = out;
  c.kernel = {kernel, kernel};
  c.pad = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
  c.activation = f;
  c.bias = bias;
  c.groups = groups;
  return c;
}
constexpr activation_function relu{function::relu}, sigmoid{function::sigmoid};

/// conv > ... > conv, of which `Zeros` channels make 0. The second pads.
template <int Out, bool Zeros, class Between>
constexpr void between(builder& b, Between put, bool bias = true) {
  value_id v = b.input("x", {3, 6, 6});
  v = Zeros ? layer(b, conv_of(Out, 3, {}, bias), "a", v, {1, 3}, {1, 3}) : b.add(conv_of(Out, 3, {}, bias), "a", {v});
  b.output("", b.conv("b", put(b, v), 4, 3));
}
template <int Out, bool Zeros>
constexpr auto directly = [](builder& b) { between<Out, Zeros>(b, [](builder&, value_id v) { return v; }); };
template <int Out, bool Zeros>
constexpr auto without_bias = [](builder& b) {
  between<Out, Zeros>(
      b, [](builder&, value_id v) { return v; }, false);
};
template <int Out, bool Zeros>
constexpr auto through_all = [](builder& b) {
  between<Out, Zeros>(b, [](builder& c, value_id v) {
    v = c.scalar("times", op::binary_function::mul, c.apply("tanh", v, function::tanh), 3, relu);
    v = c.add(op::scale{true, 0, relu}, "scale", {v});
    if (Zeros) c.zeros(1, {1, 3});
    v = c.add(op::prelu{}, "prelu", {v});
    v = c.add(op::bias{}, "bias", {v});
    if (Zeros) c.zeros(0, {1, 3});
    op::pool p;
    p.kernel = {2, 2};
    p.pad = {1, 1, 1, 1};
    return c.add(op::adaptive_pool{op::pooling::max, {2}}, "up", {c.add(p, "pool", {v})});
  });
};
template <function F>
constexpr auto through =
    [](builder& b) { between<4, true>(b, [](builder& c, value_id v) { return c.apply("f", v, F, 0.5f, 1); }); };
template <op::binary_function F, int Number, bool Zeros = true, int Out = 4>
constexpr auto with_number =
    [](builder& b) { between<Out, Zeros>(b, [](builder& c, value_id v) { return c.scalar("k", F, v, Number); }); };
constexpr auto shifted = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) { return c.add(op::bias{}, "shift", {v}); });
};
constexpr auto along_rows = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) { return c.add(op::scale{false, 1}, "scale", {v}); });
};
constexpr auto normed = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) { return c.add(op::softmax{0}, "softmax", {v}); });
};
constexpr auto grown = [](builder& b) {  // windows of padding alone hold no zeros
  between<4, true>(b, [](builder& c, value_id v) {
    op::pool p;
    p.kernel = {1, 1};
    p.stride = {1, 1};
    p.pad = {1, 1, 1, 1};
    return c.add(p, "pool", {v});
  });
};

/// A depthwise layer makes the zeros, or the first layer does, or who reads does not look.
template <int Out, bool Zeros, bool ByFirst>
constexpr auto depthwise = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 5});
  value_id v = Zeros && ByFirst ? layer(b, conv_of(Out, 1, relu), "a", x, {0}, {0}) : b.conv("a", x, Out, 1, relu);
  const auto middle = conv_of(Out, 3, relu, true, Out);
  v = Zeros ? layer(b, middle, "dw", v, ByFirst ? places{} : places{0}, {0}) : b.add(middle, "dw", {v});
  b.output("", b.conv("b", v, 2));
};
/// A grouped one may need every channel.
constexpr auto grouped_reader = [](builder& b) {
  const value_id v = layer(b, conv_of(4), "a", b.input("x", {2, 5, 5}), {0}, {0});
  b.output("", b.add(conv_of(4, 3, {}, true, 2), "b", {v}));
};
constexpr auto grouped_maker = [](builder& b) {
  const value_id v = layer(b, conv_of(4, 3, {}, true, 2), "a", b.input("x", {2, 5, 5}), {0}, {0});
  b.output("", b.conv("b", v, 2));
};
template <int Out, bool Zeros>
constexpr auto unread = [](builder& b) {
  const value_id v = b.conv("a", b.input("x", {2, 5, 5}), Out, 3, sigmoid);
  b.output("", Zeros ? layer(b, conv_of(2), "b", v, {}, {}, {0, 2}) : b.add(conv_of(2), "b", {v}));
};
/// Two readers: both need not look at a channel, or one does.
template <int Out, int Second>
constexpr auto two_readers = [](builder& b) {
  const value_id v = b.conv("a", b.input("x", {2, 5, 5}), Out, 3, sigmoid);
  const places none_read{}, zero{0}, other{1};
  b.output("p", layer(b, conv_of(2), "b", v, none_read, none_read, Second < 0 ? none_read : zero));
  b.output("q", layer(b, conv_of(2, 1), "c", v, none_read, none_read,
                      Second == 1  ? other
                      : Second < 0 ? none_read
                                   : zero));
};
template <int Out, bool Zeros, int Ones = 0>
constexpr auto dense = [](builder& b) {
  value_id v = b.input("x", {3, 5});
  const op::linear p{Out, true, relu};
  v = Zeros ? layer(b, p, "a", v, {2}, {2}) : b.add(p, "a", {v});
  b.output("", b.linear("b", v, 4));
};
/// The second linear layer takes whole images.
template <int Out, bool Zeros, int Axes = 3>
constexpr auto of_images = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4});
  op::linear all{5};
  all.axes = Axes;
  b.output("", b.add(all, "fc", {Zeros ? layer(b, conv_of(Out), "a", x, {0}, {0}) : b.conv("a", x, Out, 3)}));
};
template <int Out, bool Zeros>
constexpr auto unread_images = [](builder& b) {
  op::linear all{5};
  all.axes = 3;
  const value_id v = b.conv("a", b.input("x", {2, 1, 2}), Out, 3);
  b.output("", Zeros ? layer(b, all, "fc", v, {}, {}, {2, 3, 4}) : b.add(all, "fc", {v}));
};
template <int Out, bool Zeros>
constexpr auto upwards = [](builder& b) {
  op::conv_transpose2d first, second;
  first.out = Out;
  second.out = 3;
  first.kernel = {2, 2};
  second.kernel = {3, 3};
  value_id v = b.input("x", {2, 4, 4});
  v = Zeros ? layer(b, first, "a", v, {1}, {1}) : b.add(first, "a", {v});
  b.output("", Zeros ? layer(b, second, "b", v, {}, {}, {2}) : b.add(second, "b", {v}));
};
template <int Out, bool Zeros>
constexpr auto volumes = [](builder& b) {
  op::conv3d p;
  p.out = Out;
  p.kernel = {2, 2, 2};
  const value_id x = b.input("x", {2, 2, 4, 4, 4});
  const value_id v = Zeros ? layer(b, p, "a", x, {1}, {1}) : b.add(p, "a", {x});
  p.out = 1;
  b.output("", b.add(p, "b", {v}));
};
template <int Out, bool Zeros>
constexpr auto nothing_left = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 5});
  b.output("", b.conv("b", Zeros ? layer(b, conv_of(Out), "a", x, {0, 1, 2}, {0, 1, 2}) : b.conv("a", x, Out, 3), 2));
};
/// Who else has the channels.
template <class Other>
constexpr void also_read(builder& b, Other other) {
  const value_id v = layer(b, conv_of(4), "a", b.input("x", {2, 5, 5}), {0}, {0});
  b.output("y", b.conv("b", v, 2));
  other(b, v);
}
constexpr auto as_output = [](builder& b) { also_read(b, [](builder& c, value_id v) { c.output("z", v); }); };
constexpr auto in_concat = [](builder& b) {
  also_read(b, [](builder& c, value_id v) { c.output("z", c.concat("cat", {v, c.input("w", {1, 5, 5})})); });
};
constexpr auto in_sum = [](builder& b) {
  also_read(b, [](builder& c, value_id v) { c.output("z", c.sum("sum", c.input("w", {4, 5, 5}), v)); });
};
constexpr auto as_residual = [](builder& b) {
  also_read(b, [](builder& c, value_id v) { c.output("z", c.add(conv_of(4), "r", {c.input("w", {1, 5, 5}), v})); });
};
constexpr auto with_residual = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 5});
  const value_id v = b.add(conv_of(4), "a", {x, x});
  b.zeros(0, {0});
  b.zeros(1, {0});
  b.output("", b.conv("b", v, 2));
};
// Its own weight is followed by the next layer's.
constexpr auto with_given_bias = [](builder& b) {
  op::linear p{4};
  p.given = 2;
  const value_id v = b.add(p, "a", {b.input("x", {2, 3}), b.input("bias", {4})});
  b.zeros(0, {0});
  b.output("", b.linear("b", v, 2));
  b.zeros(0, {}, {0});
};

/// conv > ... > a layer, of which some channels make one number that is not 0.
template <int Out, bool Zeros, class Between, class Last>
constexpr void of_one_number(builder& b, Between put, Last last, op::conv2d first = conv_of(Out, 3, relu)) {
  first.out = Out;
  const value_id x = b.input("x", {3, 6, 6});
  const value_id v = Zeros ? layer(b, first, "a", x, {1, 3}, {}) : b.add(first, "a", {x});
  b.output("", b.add(last, "b", {put(b, v)}));
}
constexpr auto as_it_is = [](builder&, value_id v) { return v; };
template <int Out, bool Zeros, bool Bias = true>
constexpr auto to_one_pixel =
    [](builder& b) { of_one_number<Out, Zeros>(b, as_it_is, conv_of(4, 1, relu, Bias || !Zeros)); };
template <int Out, bool Zeros>
constexpr auto to_windows = [](builder& b) {
  op::conv2d p = conv_of(4, 3, {}, false);
  p.pad = {};
  p.stride = {2, 1};
  p.bias = !Zeros;
  of_one_number<Out, Zeros>(b, as_it_is, p);
};
template <int Out, bool Zeros>
constexpr auto to_slopes =
    [](builder& b) { of_one_number<Out, Zeros>(b, as_it_is, conv_of(4, 1, {function::prelu}, !Zeros)); };
template <int Out, bool Zeros>
constexpr auto to_images = [](builder& b) {
  op::linear all{5};
  all.axes = 3;
  of_one_number<Out, Zeros>(b, as_it_is, all);
};
template <int Out, bool Zeros>
constexpr auto halves = [](builder& b) {  // of a layer without a bias
  of_one_number<Out, Zeros>(b, as_it_is, conv_of(4, 1), conv_of(Out, 3, sigmoid, false));
};
template <int Out, bool Zeros>
constexpr auto number_through_functions = [](builder& b) {
  of_one_number<Out, Zeros>(
      b,
      [](builder& c, value_id v) {
        v = c.scalar("plus", op::binary_function::add, c.apply("tanh", v, function::tanh), 3, sigmoid);
        v = c.scalar("minus", op::binary_function::sub, v, 0.25f);
        v = c.scalar("most", op::binary_function::minimum, c.scalar("least", op::binary_function::maximum, v, -2), 2);
        return c.scalar("times", op::binary_function::mul, v, -2);
      },
      conv_of(4, 1));
};
template <int Out, bool Zeros>
constexpr auto number_through_layers = [](builder& b) {
  of_one_number<Out, Zeros>(
      b,
      [](builder& c, value_id v) {
        v = c.add(op::prelu{}, "prelu", {c.add(op::scale{true, 0, {function::tanh}}, "scale", {v})});
        v = c.add(op::bias{0, {function::elu, 1}}, "bias", {v});
        op::conv2d each = conv_of(Out, 2, {function::hardswish, 1.0f / 6, 0.5f}, true, Out);
        each.pad = {};
        v = c.add(each, "each", {v});
        op::pool mean, most;
        mean.function = op::pooling::average;
        mean.kernel = {2, 2};
        mean.count_include_pad = true;
        most.kernel = {2, 2};
        most.pad = {1, 1, 1, 1};
        v = c.add(most, "most of them", {c.add(mean, "mean", {v})});
        return c.add(op::adaptive_pool{op::pooling::average, {2}}, "up", {v});
      },
      conv_of(4, 1));
};
/// Zeros of the first become the bias of a layer between.
template <int Out, bool Zeros, class Between>
constexpr void of_zeros(builder& b, Between put) {
  const value_id x = b.input("x", {3, 6, 6});
  const value_id v = Zeros ? layer(b, conv_of(Out), "a", x, {1, 3}, {1, 3}) : b.conv("a", x, Out, 3);
  b.output("", b.conv("b", put(b, v), 4));
}
template <int Out, bool Zeros>
constexpr auto padded_depthwise = [](builder& b) {
  of_zeros<Out, Zeros>(b, [](builder& c, value_id v) { return c.add(conv_of(Out, 3, relu, true, Out), "dw", {v}); });
};
/// Nothing is known of the first layer's channels: the layer between makes them.
template <int Out, bool Zeros, class Between>
constexpr void of_others(builder& b, Between put) {
  b.output("", b.conv("b", put(b, b.conv("a", b.input("x", {3, 6, 6}), Out, 3)), 4));
}
template <int Out, bool Zeros>
constexpr auto depthwise_makes = [](builder& b) {
  of_others<Out, Zeros>(b, [](builder& c, value_id v) {
    v = c.add(conv_of(Out, 3, relu, true, Out), "dw", {v});
    if (Zeros) c.zeros(0, {1, 3});
    return v;
  });
};
template <int Out, bool Zeros>
constexpr auto scale_makes = [](builder& b) {
  of_others<Out, Zeros>(b, [](builder& c, value_id v) {
    v = c.add(op::scale{true, 0, sigmoid}, "scale", {v});
    if (Zeros) c.zeros(0, {1, 3});
    return v;
  });
};
/// Behind a function that is not defined for every number nothing but zeros is known.
template <int Out, bool Zeros, function F>
constexpr auto behind_a_function = [](builder& b) {
  of_one_number<Out, Zeros>(
      b,
      [](builder& c, value_id v) {
        v = c.add(op::scale{true, 0}, "scale", {c.apply("f", v, F)});
        if (Zeros) c.zeros(0, {1, 3});
        return v;
      },
      conv_of(4, 1));
};
/// One reader has no use for a channel, the other takes its number in; of two more it is the other way round.
template <int Out, bool Zeros>
constexpr auto to_two_readers = [](builder& b) {
  const value_id x = b.input("x", {3, 6, 6});
  const value_id v = Zeros ? layer(b, conv_of(Out), "a", x, {1, 2}, {}) : b.conv("a", x, Out, 3);
  const value_id p = Zeros ? layer(b, conv_of(2, 1), "b", v, {}, {}, {1, 3}) : b.conv("b", v, 2);
  const value_id q = Zeros ? layer(b, conv_of(2, 1), "c", v, {}, {}, {3}) : b.conv("c", v, 2);
  b.output("p", p);
  b.output("q", q);
};
template <class Op>
constexpr auto put_between(const Op& op) {
  return [op](builder& c, value_id v) { return c.add(op, "between", {v}); };
}
constexpr auto number_to_transposed = [](builder& b) {
  op::conv_transpose2d p;
  p.out = 3;
  p.kernel = {2, 2};
  of_one_number<4, true>(b, as_it_is, p);
};
constexpr auto number_to_padding = [](builder& b) {
  op::conv2d p = conv_of(4, 2);
  p.pad = {0, 0, 0, 1};
  of_one_number<4, true>(b, as_it_is, p);
};
constexpr auto number_to_same_padding = [](builder& b) {
  op::conv2d p = conv_of(4, 3);
  p.pad = {};
  p.same = same_padding::upper;
  of_one_number<4, true>(b, as_it_is, p);
};
constexpr auto number_with_slopes = [](builder& b) {
  of_one_number<4, true>(b, as_it_is, conv_of(4, 1), conv_of(4, 3, {function::prelu}));
};
template <function F>
constexpr auto number_through =
    [](builder& b) { of_one_number<4, true>(b, put_between(op::activation{{F}}), conv_of(4, 1)); };
template <op::binary_function F, int Number, function Then = function::none>
constexpr auto number_with = [](builder& b) {
  of_one_number<4, true>(b, put_between(op::binary{F, static_cast<float>(Number), {Then}}), conv_of(4, 1));
};
constexpr auto number_times_infinity = [](builder& b) {
  of_one_number<4, true>(b, put_between(op::binary{op::binary_function::mul, std::numeric_limits<float>::infinity()}),
                         conv_of(4, 1));
};
constexpr op::pool pool_of(op::pooling f, bool pads, bool ceil) {
  op::pool p;
  p.function = f;
  p.kernel = {2, 2};
  if (pads) p.pad = {0, 0, 0, 1};
  p.count_include_pad = pads;
  p.ceil = ceil;
  if (ceil) p.stride = {3, 3};
  return p;
}
template <op::pooling F, bool Pads = false, bool Ceil = false>
constexpr auto number_in_windows =
    [](builder& b) { of_one_number<4, true>(b, put_between(pool_of(F, Pads, Ceil)), conv_of(4, 1)); };
constexpr auto number_in_padding_alone = [](builder& b) {
  op::pool p;
  p.kernel = {1, 1};
  p.stride = {1, 1};
  p.pad = {1, 1, 1, 1};
  of_one_number<4, true>(b, put_between(p), conv_of(4, 1));
};
constexpr auto number_in_same_windows = [](builder& b) {
  op::pool p = pool_of(op::pooling::average, false, false);
  p.kernel = {4, 4};
  p.same = same_padding::upper;
  p.count_include_pad = true;
  of_one_number<4, true>(b, put_between(p), conv_of(4, 1));
};
constexpr auto number_in_padded_depthwise = [](builder& b) {
  of_one_number<4, true>(b, put_between(conv_of(4, 3, {}, true, 4)), conv_of(4, 1));
};
constexpr auto number_in_transposed_depthwise = [](builder& b) {
  op::conv_transpose2d p;
  p.out = p.groups = 4;
  p.kernel = {2, 2};
  of_one_number<4, true>(b, put_between(p), conv_of(4, 1));
};

constexpr std::string_view as_they_are = "another layer reads the channels as they are";
constexpr std::string_view goes_round = "padding with zeros goes round channels of one number";

}  // namespace

FIRES("channels of zeros between convolutions", (rules::zero_channels), (directly<4, true>), (directly<2, false>))
FIRES("of a layer without a bias", (rules::zero_channels), (without_bias<4, true>), (without_bias<2, false>))
FIRES("through functions, numbers a channel and pooling", (rules::zero_channels), (through_all<4, true>),
      (through_all<2, false>))
FIRES("through a maximum with -1", (rules::zero_channels), (with_number<op::binary_function::maximum, -1>),
      (with_number<op::binary_function::maximum, -1, false, 2>))
FIRES("through a minimum with 1", (rules::zero_channels), (with_number<op::binary_function::minimum, 1>),
      (with_number<op::binary_function::minimum, 1, false, 2>))
FIRES("through a quotient", (rules::zero_channels), (with_number<op::binary_function::div, 2>),
      (with_number<op::binary_function::div, 2, false, 2>))
FIRES("through a depthwise convolution", (rules::zero_channels), (depthwise<3, true, true>),
      (depthwise<2, false, true>))
FIRES("of a depthwise convolution", (rules::zero_channels), (depthwise<3, true, false>), (depthwise<2, false, false>))
FIRES("that are not read", (rules::zero_channels), (unread<4, true>), (unread<2, false>))
FIRES("that neither of two readers reads", (rules::zero_channels), (two_readers<4, 0>), (two_readers<3, -1>))
FIRES("between linear layers", (rules::zero_channels), (dense<4, true>), (dense<3, false>))
FIRES("that a linear layer reads as one row", (rules::zero_channels), (of_images<4, true>), (of_images<3, false>))
FIRES("of whose rows one is not read", (rules::zero_channels), (unread_images<3, true>), (unread_images<2, false>))
FIRES("between transposed convolutions", (rules::zero_channels), (upwards<4, true>), (upwards<2, false>))
FIRES("between convolutions of volumes", (rules::zero_channels), (volumes<3, true>), (volumes<2, false>))
FIRES("all are zero: one stays", (rules::zero_channels), (nothing_left<3, true>), (nothing_left<1, false>))
FIRES("channels of one number before one pixel", (rules::zero_channels), (to_one_pixel<4, true>),
      (to_one_pixel<2, false>))
FIRES("before a layer that has no bias yet", (rules::zero_channels), (to_one_pixel<4, true, false>),
      (to_one_pixel<2, false>))
FIRES("before windows without padding", (rules::zero_channels), (to_windows<4, true>), (to_windows<2, false>))
FIRES("before slopes", (rules::zero_channels), (to_slopes<4, true>), (to_slopes<2, false>))
FIRES("before a linear layer of images", (rules::zero_channels), (to_images<4, true>), (to_images<2, false>))
FIRES("of a function of nothing", (rules::zero_channels), (halves<4, true>), (halves<2, false>))
FIRES("of one number through functions", (rules::zero_channels), (number_through_functions<4, true>),
      (number_through_functions<2, false>))
FIRES("of one number through layers and pooling", (rules::zero_channels), (number_through_layers<4, true>),
      (number_through_layers<2, false>))
FIRES("of zeros and a depthwise bias", (rules::zero_channels), (padded_depthwise<4, true>),
      (padded_depthwise<2, false>))
FIRES("of a depthwise layer of zeros", (rules::zero_channels), (depthwise_makes<4, true>), (depthwise_makes<2, false>))
FIRES("of a scale of zeros", (rules::zero_channels), (scale_makes<4, true>), (scale_makes<2, false>))
FIRES("of a scale of zeros behind 1 / x", (rules::zero_channels), (behind_a_function<4, true, function::reciprocal>),
      (behind_a_function<2, false, function::reciprocal>))
FIRES("that two readers do without, each in its way", (rules::zero_channels), (to_two_readers<4, true>),
      (to_two_readers<1, false>))
DECLINES("the last is zero", (rules::zero_channels), (nothing_left<1, false>), "")
DECLINES("one number before padding on one side", (rules::zero_channels), number_to_padding, goes_round)
DECLINES("one number before padding that follows from the size", (rules::zero_channels), number_to_same_padding,
         goes_round)
DECLINES("one number before a transposed convolution", (rules::zero_channels), number_to_transposed, goes_round)
DECLINES("one number with slopes", (rules::zero_channels), number_with_slopes, "")
DECLINES("a function that is not defined everywhere", (rules::zero_channels), number_through<function::log>, "")
DECLINES("one number by another", (rules::zero_channels), (number_with<op::binary_function::div, 2>), "")
DECLINES("one number, then 1 / x", (rules::zero_channels),
         (number_with<op::binary_function::add, 1, function::reciprocal>), "")
DECLINES("one number by infinity", (rules::zero_channels), number_times_infinity, "")
DECLINES("an average with zeros of padding", (rules::zero_channels), (number_in_windows<op::pooling::average, true>),
         "")
DECLINES("an average that reaches beyond", (rules::zero_channels),
         (number_in_windows<op::pooling::average, false, true>), "")
DECLINES("an average whose padding follows from the size", (rules::zero_channels), number_in_same_windows, "")
DECLINES("a root of squares of one number", (rules::zero_channels), (number_in_windows<op::pooling::lp>), "")
DECLINES("one number and windows of padding alone", (rules::zero_channels), number_in_padding_alone, "")
DECLINES("one number in a depthwise convolution that pads", (rules::zero_channels), number_in_padded_depthwise, "")
DECLINES("one number in a transposed depthwise one", (rules::zero_channels), number_in_transposed_depthwise, "")
DECLINES("zeros that become a half", (rules::zero_channels), through<function::sigmoid>, goes_round)
DECLINES("zeros that become infinite", (rules::zero_channels), through<function::reciprocal>, "")
DECLINES("zeros with a number", (rules::zero_channels), (with_number<op::binary_function::add, 1>), goes_round)
DECLINES("a maximum with 1", (rules::zero_channels), (with_number<op::binary_function::maximum, 1>), goes_round)
DECLINES("a minimum with -1", (rules::zero_channels), (with_number<op::binary_function::minimum, -1>), goes_round)
DECLINES("zeros by 0", (rules::zero_channels), (with_number<op::binary_function::div, 0>), "")
DECLINES("zeros with a shift", (rules::zero_channels), shifted, goes_round)
DECLINES("windows of padding alone", (rules::zero_channels), grown, "")
DECLINES("a scale along rows", (rules::zero_channels), along_rows, as_they_are)
DECLINES("a softmax of channels", (rules::zero_channels), normed, as_they_are)
DECLINES("groups that read", (rules::zero_channels), grouped_reader, as_they_are)
DECLINES("groups that make", (rules::zero_channels), grouped_maker, "its channels are in groups")
DECLINES("that one of two readers reads", (rules::zero_channels), (two_readers<4, 1>), "")
DECLINES("a linear layer over columns alone", (rules::zero_channels), (of_images<4, true, 1>), as_they_are)
DECLINES("an output of the network", (rules::zero_channels), as_output, "it is a network output")
DECLINES("channels that are joined to others", (rules::zero_channels), in_concat, "it is a network output")
DECLINES("channels that are added to others", (rules::zero_channels), in_sum, "it is a network output")
DECLINES("channels that are a residual", (rules::zero_channels), as_residual, "it is a network output")
DECLINES("a layer with a residual", (rules::zero_channels), with_residual, "it is a network input")
DECLINES("a layer whose bias is computed", (rules::zero_channels), with_given_bias,
         "its weights are not known before it runs")

namespace {
// Rows of 6, of which one is zero; the images that they make have 2 channels.
constexpr auto of_images_in_between = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 5}), rows = b.linear("rows", x, 6);
  b.zeros(0, {1});
  b.zeros(1, {1});
  op::conv2d each;
  each.out = each.groups = 2;
  each.kernel = {1, 1};
  const value_id images = b.add(each, "each", {rows});
  b.zeros(0, {1});
  b.output("y", b.linear("last", images, 3));
};
}  // namespace
DECLINES("a depthwise convolution along another axis", (rules::zero_channels), of_images_in_between, as_they_are)

namespace {
constexpr auto then_sigmoid = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) { return c.scalar("k", op::binary_function::mul, v, 2, sigmoid); });
};
constexpr auto biased_scale = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) { return c.add(op::scale{true, 0}, "scale", {v}); });
};
constexpr auto given_further_up = [](builder& b) {  // the layer before the function has no weight that is known
  op::linear p{4};
  p.given = 2;
  const value_id v = b.add(p, "a", {b.input("x", {2, 3}), b.input("bias", {4})});
  b.zeros(0, {0});
  b.output("", b.linear("b", b.relu("relu", v), 2));
  b.zeros(0, {}, {0});
};
template <bool Scale>
constexpr auto active_numbers = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) {
    if (Scale) return c.add(op::scale{false, 0, sigmoid}, "by", {v});
    const value_id y = c.add(op::bias{0, sigmoid}, "by", {v});
    c.zeros(0, {1, 3});
    return y;
  });
};
template <class Op>
constexpr auto along_columns = [](builder& b) {
  between<6, true>(b, [](builder& c, value_id v) {
    Op by;
    by.axis = 2;
    return c.add(by, "by", {v});
  });
};
template <class Pool>
constexpr auto pool_of_two_axes = [](builder& b) {  // channels lie along one of the axes that are pooled
  value_id v = b.input("x", {2, 3, 5});
  v = layer(b, op::linear{4, false}, "a", v, {1, 3}, {});
  Pool p;
  if constexpr (std::is_same_v<Pool, op::pool>) p.kernel = {1, 1};
  else p.size = {3, 4};
  b.output("", b.linear("b", b.add(p, "pool", {v}), 2));
};
constexpr auto with_places = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) {
    op::pool p;
    p.kernel = {2, 2};
    p.indices = true;
    return c.add(p, "pool", {v});
  });
};
constexpr auto added_first = [](builder& b) {
  also_read(b, [](builder& c, value_id v) { c.output("z", c.sum("sum", v, c.input("w", {4, 5, 5}))); });
};
constexpr auto by_given_weight = [](builder& b) {
  also_read(b, [](builder& c, value_id v) {
    op::conv2d p = conv_of(4, 3, {}, false);
    p.given = 1;
    c.output("z", c.add(p, "given", {v, c.input("w", {4, 4, 3, 3})}));
  });
};
constexpr auto behind_a_sum = [](builder& b) {
  between<4, true>(b, [](builder& c, value_id v) { return c.sum("sum", v, c.input("w", {4, 6, 6})); });
};
}  // namespace
DECLINES("a function of a layer whose bias is computed", (rules::zero_channels), given_further_up,
         "its weights are not known before it runs")
DECLINES("zeros that a number and sigmoid follow", (rules::zero_channels), then_sigmoid, goes_round)
DECLINES("zeros with a scale and its bias", (rules::zero_channels), biased_scale, goes_round)
DECLINES("zeros of a scale with sigmoid", (rules::zero_channels), active_numbers<true>, goes_round)
DECLINES("zeros of a bias with sigmoid", (rules::zero_channels), active_numbers<false>, goes_round)
DECLINES("a scale along columns", (rules::zero_channels), along_columns<op::scale>, as_they_are)
DECLINES("a bias along columns", (rules::zero_channels), along_columns<op::bias>, as_they_are)
DECLINES("slopes along columns", (rules::zero_channels), along_columns<op::prelu>, as_they_are)
DECLINES("a pool over the channels", (rules::zero_channels), pool_of_two_axes<op::pool>, as_they_are)
DECLINES("an adaptive pool over the channels", (rules::zero_channels), pool_of_two_axes<op::adaptive_pool>, as_they_are)
DECLINES("a pool that tells where", (rules::zero_channels), with_places, as_they_are)
DECLINES("channels that others are added to", (rules::zero_channels), added_first, "it is a network output")
DECLINES("channels that a computed weight multiplies", (rules::zero_channels), by_given_weight,
         "its weights are not known before it runs")
DECLINES("channels behind a sum", (rules::zero_channels), behind_a_sum, "it is a network input")

namespace {

/// A residual block between two layers: a channel that neither the layer before it nor the one in it makes.
template <int C, bool Zeros>
constexpr auto residual_block = [](builder& b) {
  const value_id trunk = b.add(conv_of(C), "trunk", {b.input("x", {2, 5, 5})});
  if (Zeros) b.zeros(0, {1}), b.zeros(1, {1});
  const value_id inside = b.add(conv_of(C, 1, {function::relu}), "inside", {b.relu("relu", trunk), trunk});
  if (Zeros) b.zeros(0, {1}), b.zeros(1, {1});
  b.output("", b.conv("last", b.scalar("half", op::binary_function::mul, inside, 0.5f), 2));
};
/// The layer in the block makes it, and the last does not read it.
template <int C, bool Zeros>
constexpr auto unread_block = [](builder& b) {
  const value_id trunk = b.add(conv_of(C), "trunk", {b.input("x", {2, 5, 5})});
  const value_id side = b.conv("side", b.input("z", {3, 5, 5}), C);
  const value_id sum = b.relu("relu", b.sum("sum", side, trunk));
  b.output("", b.conv("last", sum, 2));
  if (Zeros) b.zeros(0, {}, {0, 2});
};
template <int A, int B, bool Zeros>
constexpr auto joined = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 5}), first = b.conv("first", x, A);
  if (Zeros) b.zeros(0, {0}), b.zeros(1, {0});
  const value_id second = b.conv("second", x, B);
  b.output("", b.conv("last", b.relu("relu", b.concat("joined", {first, second})), 2));
  if (Zeros) b.zeros(0, {}, {4});
};
template <int A, int B, bool Zeros>
constexpr auto cut_apart = [](builder& b) {
  const value_id all = b.conv("all", b.input("x", {2, 5, 5}), A + B);
  if (Zeros) b.zeros(0, {3}), b.zeros(1, {3});
  const value_id part = b.add(op::split{{A, B}, 0}, "cut", {all});
  b.output("p", b.conv("p", b.relu("r", part), 2));
  b.output("q", b.conv("q", part + 1, 2));
};
template <int C, bool Zeros>
constexpr auto piece = [](builder& b) {
  const value_id all = b.conv("all", b.input("x", {2, 5, 5}), C);
  if (Zeros) b.zeros(0, {0});  // without any zero nobody looks
  const op::slice piece_of_rows{{0, 1}, {1, 0}, {4, 3}}, rows{{1}, {0}, {3}};
  b.output("p", b.conv("p", b.add(Zeros ? piece_of_rows : rows, "piece", {all}), 2));
};
template <int C, bool Zeros>
constexpr auto with_constant = [](builder& b) {
  const value_id x = b.conv("first", b.input("x", {2, 5, 5}), C), k = b.constant("k", {C, 1, 5});
  b.output("", b.conv("last", b.binary("product", op::binary_function::mul, x, k), 2));
  if (Zeros) b.zeros(0, {}, {1});
};
/// Squeeze and excite: numbers a channel, broadcast.
template <int C, bool Zeros>
constexpr auto excited = [](builder& b) {
  const value_id x = b.conv("first", b.input("x", {2, 5, 5}), C);
  if (Zeros) b.zeros(0, {2}), b.zeros(1, {2});
  const value_id gate = b.apply("gate", b.conv("squeeze", b.gap("pool", x), C), function::sigmoid);
  b.output("", b.conv("last", b.binary("product", op::binary_function::mul, x, gate), 2));
};
/// Of one number, joined to others, before one pixel.
template <int A, bool Zeros>
constexpr auto number_joined = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 5}), first = b.conv("first", x, A);
  if (Zeros) b.zeros(0, {0});
  const value_id second = b.conv("second", x, 2);
  b.output("", b.conv("last", b.relu("relu", b.concat("joined", {second, first})), 2));
};
constexpr auto one_side_of_a_sum = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 5}), first = b.conv("first", x, 4);
  b.zeros(0, {1});
  b.zeros(1, {1});
  b.output("", b.conv("last", b.sum("sum", first, b.conv("second", x, 4, 3)), 2));
};
constexpr auto part_is_output = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 5}), first = b.conv("first", x, 4);
  b.zeros(0, {1});
  b.zeros(1, {1});
  b.output("", b.conv("last", b.concat("joined", {first, b.conv("second", x, 4, 3)}), 2));
  b.output("first", first);
};

}  // namespace
FIRES("of a residual block", (rules::zero_channels), (residual_block<4, true>), (residual_block<3, false>))
FIRES("of a sum that is not read", (rules::zero_channels), (unread_block<5, true>), (unread_block<3, false>))
FIRES("of two layers that are joined", (rules::zero_channels), (joined<3, 2, true>), (joined<2, 1, false>))
FIRES("of a part", (rules::zero_channels), (cut_apart<2, 3, true>), (cut_apart<2, 2, false>))
FIRES("that a slice leaves out", (rules::zero_channels), (piece<5, true>), (piece<3, false>))
FIRES("by a constant", (rules::zero_channels), (with_constant<4, true>), (with_constant<3, false>))
FIRES("of a product with numbers a channel", (rules::zero_channels), (excited<4, true>), (excited<3, false>))
FIRES("of one number that is joined to others", (rules::zero_channels), (number_joined<4, true>),
      (number_joined<3, false>))
DECLINES("zeros on one side of a sum", (rules::zero_channels), one_side_of_a_sum, "")
DECLINES("zeros of a part that is an output", (rules::zero_channels), part_is_output, "it is a network output")
