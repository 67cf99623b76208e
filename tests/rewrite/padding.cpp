// SPDX-License-Identifier: BSL-1.0
// rules/padding.hpp: padding that becomes a window's own.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr float lowest = std::numeric_limits<float>::lowest();
constexpr value_id image(builder& b) { return b.input("x", {2, 5, 5}); }
constexpr value_id padded(builder& b, double value = 0, list<int> before = {0, 1, 2}, list<int> after = {0, 0, 1},
                          op::pad_mode mode = op::pad_mode::constant) {
  return b.add(op::pad{mode, before, after, value}, "pad", {image(b)});
}
constexpr value_id conv(builder& b, value_id x, margins pad, same_padding same = same_padding::none) {
  op::conv2d c;
  c.out = 3;
  c.kernel = {3, 3};
  c.pad = pad;
  c.same = same;
  return b.add(c, "it", {x});
}
constexpr value_id pooled(builder& b, value_id x, op::pooling f, margins pad, bool counts = false, bool ceil = false) {
  op::pool p;
  p.function = f;
  p.kernel = {3, 3};
  p.stride = {1, 1};
  p.pad = {pad[0], pad[1], pad[2], pad[3]};
  p.count_include_pad = counts;
  p.ceil = ceil;
  return b.add(p, "it", {x});
}
using enum op::pooling;
constexpr auto pad_conv = [](builder& b) { b.output("", conv(b, padded(b), {1, 0, 0, 1})); };
constexpr auto just_conv = [](builder& b) { b.output("", conv(b, image(b), {2, 2, 0, 2})); };
constexpr auto ones_around = [](builder& b) { b.output("", conv(b, padded(b, 1), {})); };
constexpr auto mirror_around = [](builder& b) {
  b.output("", conv(b, padded(b, 0, {0, 1, 1}, {0, 1, 1}, op::pad_mode::reflect), {}));
};
constexpr auto channels_too = [](builder& b) { b.output("", conv(b, padded(b, 0, {1, 1, 1}, {0, 1, 1}), {})); };
constexpr auto cut_off = [](builder& b) { b.output("", conv(b, padded(b, 0, {0, 1, -1}, {0, 0, 0}), {})); };
constexpr auto same_conv = [](builder& b) { b.output("", conv(b, padded(b), {}, same_padding::upper)); };
constexpr auto pad_is_output = [](builder& b) {
  const value_id p = padded(b);
  b.output("p", p);
  b.output("y", conv(b, p, {}));
};
constexpr auto as_residual = [](builder& b) {
  const value_id p = padded(b, 0, {0, 1, 1}, {1, 1, 1});
  op::conv2d c;
  c.out = 3;
  c.kernel = {3, 3};
  b.output("", b.add(c, "it", {b.input("y", {2, 9, 9}), p}));
};
constexpr auto pad_average = [](builder& b) { b.output("", pooled(b, padded(b), average, {})); };
constexpr auto average_counts = [](builder& b) { b.output("", pooled(b, image(b), average, {1, 2, 0, 1}, true)); };
constexpr auto pad_average_whole = [](builder& b) {
  op::pool p;
  p.function = average;
  p.kernel = {2, 2};
  p.divisor_whole = true;
  p.count_include_pad = true;
  b.output("", b.add(p, "it", {padded(b)}));
};
constexpr auto pad_average_own = [](builder& b) { b.output("", pooled(b, padded(b), average, {1, 1, 1, 1})); };
constexpr auto pad_average_ceil = [](builder& b) { b.output("", pooled(b, padded(b), average, {}, false, true)); };
constexpr auto pad_max = [](builder& b) { b.output("", pooled(b, padded(b, double{lowest}), op::pooling::max, {})); };
constexpr auto pad_infinity = [](builder& b) {
  b.output("", pooled(b, padded(b, -std::numeric_limits<double>::infinity()), op::pooling::max, {}));
};
/// Zeros around what a relu, or a sigmoid and more, leaves.
template <function F, int Padding>
constexpr auto pad_function = [](builder& b) {
  const value_id x = b.apply("f", image(b), F);
  b.output("", pooled(b, b.add(op::pad{op::pad_mode::constant, {0, 1, 2}, {0, 0, 1}, Padding / 2.0}, "pad", {x}),
                      op::pooling::max, {}));
};
template <function F>
constexpr auto just_function = [](builder& b) {
  b.output("", pooled(b, b.apply("f", image(b), F), op::pooling::max, {1, 2, 0, 1}));
};
constexpr auto just_max = [](builder& b) { b.output("", pooled(b, image(b), op::pooling::max, {1, 2, 0, 1})); };
constexpr auto zeros_max = [](builder& b) { b.output("", pooled(b, padded(b), op::pooling::max, {})); };
constexpr auto wide_max = [](builder& b) {
  b.output("", pooled(b, padded(b, double{lowest}, {0, 3, 0}, {0, 0, 0}), op::pooling::max, {}));
};

constexpr value_id signal_pool(builder& b, value_id x, by_axis pad, by_axis dilation = {1}) {
  op::pool p;
  p.axes = 1;
  p.kernel = {3};
  p.stride = {1};
  p.pad = pad;
  p.dilation = dilation;
  return b.add(p, "it", {x});
}
constexpr value_id padded_signal(builder& b) { return padded(b, double{lowest}, {0, 0, 1}, {0, 0, 2}); }
constexpr auto pad_signal = [](builder& b) { b.output("", signal_pool(b, padded_signal(b), {0})); };
constexpr auto just_signal = [](builder& b) { b.output("", signal_pool(b, image(b), {1, 2})); };
constexpr auto pad_gaps = [](builder& b) { b.output("", signal_pool(b, padded_signal(b), {0}, {2})); };

constexpr auto value_around = [](builder& b) {
  const op::pad p{op::pad_mode::constant, {0, 1, 1}, {0, 1, 1}};
  b.output("", b.conv("conv", b.add(p, "pad", {image(b), b.input("value", {1})}), 3));
};

constexpr auto no_widths = [](builder& b) { b.output("", b.relu("relu", padded(b, 1, {0, 0, 0}, {0, 0, 0}))); };
constexpr auto relu_alone = [](builder& b) { b.output("", b.relu("relu", image(b))); };
constexpr auto some_width = [](builder& b) { b.output("", b.relu("relu", padded(b, 1, {0, 0, 0}, {0, 0, 1}))); };

}  // namespace

FIRES("pad by nothing goes", (rules::pad_nothing), no_widths, relu_alone)
DECLINES("pad by a column stays", (rules::pad_nothing), some_width, "it adds or cuts off elements")

FIRES("zeros around a convolution's input", (rules::pad_window<op::conv2d>), pad_conv, just_conv)
DECLINES("ones around a convolution's input", (rules::pad_window<op::conv2d>), ones_around,
         "it does not pad with zeros")
DECLINES("mirrored pixels around a convolution's input", (rules::pad_window<op::conv2d>), mirror_around,
         "it pads with more than one number")
DECLINES("a computed number around a convolution's input", (rules::pad_window<op::conv2d>), value_around,
         "it pads with more than one number")
DECLINES("another channel of zeros", (rules::pad_window<op::conv2d>), channels_too,
         "it pads more than the axes of the windows")
DECLINES("a column cut off", (rules::pad_window<op::conv2d>), cut_off, "it cuts something off")
DECLINES("zeros before a convolution of SAME size", (rules::pad_window<op::conv2d>), same_conv,
         "its own padding depends on the size")
DECLINES("the padded value is an output", (rules::pad_window<op::conv2d>), pad_is_output,
         "its input is a network output too")
DECLINES("zeros around a residual", (rules::pad_window<op::conv2d>), as_residual, "it is the residual")

FIRES("zeros that an average counts", (rules::pad_window<op::pool>), pad_average, average_counts)
FIRES("-infinity around a maximum", (rules::pad_window<op::pool>), pad_infinity, just_max)
FIRES("less than a relu leaves around a maximum", (rules::pad_window<op::pool>), (pad_function<function::relu, -1>),
      just_function<function::relu>)
DECLINES("no more than a relu leaves around a maximum", (rules::pad_window<op::pool>),
         (pad_function<function::relu, 0>), "the padding may be the maximum")
DECLINES("the lowest number where there may be -infinity", (rules::pad_window<op::pool>), pad_max,
         "the padding may be the maximum")
FIRES("the lowest number around a maximum", (rules::pad_below_maximum), pad_max, just_max)
FIRES("the lowest number around a signal", (rules::pad_below_maximum), pad_signal, just_signal)
FIRES("zeros around a maximum of what a relu leaves", (rules::pad_below_maximum), (pad_function<function::relu, 0>),
      just_function<function::relu>)
FIRES("zeros around a maximum of probabilities", (rules::pad_below_maximum), (pad_function<function::sigmoid, 0>),
      just_function<function::sigmoid>)
DECLINES("zeros around a maximum of what tanh leaves", (rules::pad_below_maximum), (pad_function<function::tanh, 0>),
         "the padding may be the maximum")
DECLINES("more than there may be around a maximum", (rules::pad_below_maximum), (pad_function<function::relu, 1>),
         "the padding may be the maximum")
DECLINES("zeros that an average counts are for another rule", (rules::pad_below_maximum), pad_average,
         "it is no maximum")
DECLINES("the lowest number around a signal seen through gaps", (rules::pad_below_maximum), pad_gaps,
         "a window may hold nothing but padding")
DECLINES("zeros around a maximum", (rules::pad_window<op::pool>), zeros_max, "the padding may be the maximum")
DECLINES("windows of padding alone", (rules::pad_below_maximum), wide_max, "a window may hold nothing but padding")
DECLINES("an average that leaves out its own padding", (rules::pad_window<op::pool>), pad_average_own,
         "its average leaves out its own padding")
DECLINES("an average over whole windows", (rules::pad_window<op::pool>), pad_average_whole,
         "its average counts what is not there")
DECLINES("windows that hang over", (rules::pad_window<op::pool>), pad_average_ceil,
         "its last windows depend on the padding")

namespace {

/// Volumes.
constexpr op::conv3d volume_filter(std::array<int, 6> pad) {
  op::conv3d c;
  c.out = 3;
  c.kernel = {2, 2, 3};
  c.pad = pad;
  return c;
}
constexpr value_id volume(builder& b) { return b.input("x", {2, 3, 4, 5}); }
constexpr value_id padded_volume(builder& b, list<int> before, list<int> after, double value = 0) {
  return b.add(op::pad{op::pad_mode::constant, before, after, value}, "pad", {volume(b)});
}
template <int Planes>
constexpr auto pad_volume = [](builder& b) {
  b.output("", b.add(volume_filter({0, 0, 1, 0, 0, 1}), "it", {padded_volume(b, {0, Planes, 0, 1}, {0, 0, 2, 0})}));
};
constexpr auto just_volume = [](builder& b) {
  b.output("", b.add(volume_filter({1, 0, 2, 0, 2, 1}), "it", {volume(b)}));
};
constexpr auto pad_volume_channels = [](builder& b) {
  b.output("", b.add(volume_filter({}), "it", {padded_volume(b, {1, 0, 0, 0}, {1, 0, 0, 0})}));
};
constexpr auto pad_volume_ones = [](builder& b) {
  b.output("", b.add(volume_filter({}), "it", {padded_volume(b, {0, 1, 0, 0}, {0, 0, 0, 0}, 1)}));
};
constexpr auto pad_volume_pool = [](builder& b) {
  op::pool p{op::pooling::average, 3, {2}};
  b.output("", b.add(p, "it", {padded_volume(b, {0, 1, 0, 1}, {0, 0, 2, 0})}));
};
constexpr auto just_volume_pool = [](builder& b) {
  op::pool p{op::pooling::average, 3, {2}};
  p.pad = {1, 0, 1, 0, 2, 0};
  p.count_include_pad = true;
  b.output("", b.add(p, "it", {volume(b)}));
};

/// Signals (2, 5) padded, then seen as an image of one row, and the other way round.
constexpr value_id signal_of(builder& b) { return b.input("x", {2, 5}); }
constexpr value_id padded_signal_of(builder& b, list<int> before, list<int> after,
                                    op::pad_mode mode = op::pad_mode::constant, double value = 0) {
  return b.add(op::pad{mode, before, after, value}, "pad", {signal_of(b)});
}
constexpr auto causal_signal = [](builder& b) {
  b.output("", b.reshape("image", padded_signal_of(b, {0, 4}, {0, 0}), {2, 1, 9}));
};
constexpr auto causal_image = [](builder& b) {
  const value_id image = b.reshape("image", signal_of(b), {2, 1, 5});
  b.output("", b.add(op::pad{op::pad_mode::constant, {0, 0, 4}, {0, 0, 0}}, "pad", {image}));
};
constexpr auto mirrored_signal = [](builder& b) {
  b.output("", b.reshape("image", padded_signal_of(b, {1, 2}, {0, 1}, op::pad_mode::reflect), {3, 1, 8}));
};
constexpr auto mirrored_image = [](builder& b) {
  const value_id image = b.reshape("image", signal_of(b), {2, 1, 5});
  b.output("", b.add(op::pad{op::pad_mode::reflect, {1, 0, 2}, {0, 0, 1}}, "pad", {image}));
};
constexpr auto cropped_row = [](builder& b) {
  const value_id x = b.input("x", {1, 2, 1, 6});
  const value_id p = b.add(op::pad{op::pad_mode::constant, {0, 0, 0, -1}, {0, 0, 0, -1}, 3}, "pad", {x});
  b.output("", b.reshape("signal", p, {2, 4}));
};
constexpr auto cropped_signal = [](builder& b) {
  const value_id x = b.reshape("signal", b.input("x", {1, 2, 1, 6}), {2, 6});
  b.output("", b.add(op::pad{op::pad_mode::constant, {0, -1}, {0, -1}, 3}, "pad", {x}));
};
constexpr auto mixed_up = [](builder& b) {
  b.output("", b.reshape("image", padded_signal_of(b, {0, 4}, {0, 0}), {3, 1, 6}));
};
constexpr auto cropped_to_one = [](builder& b) {  // which of the ones it was nobody can tell
  b.output("", b.reshape("image", padded_signal_of(b, {0, -4}, {0, 0}), {2, 1, 1}));
};
constexpr auto same_again = [](builder& b) {
  b.output("", b.reshape("image", padded_signal_of(b, {0, 4}, {0, 0}), {2, 9}));
};
constexpr auto pad_is_read_twice = [](builder& b) {
  const value_id p = padded_signal_of(b, {0, 4}, {0, 0});
  b.output("p", b.relu("relu", p));
  b.output("image", b.reshape("image", p, {2, 1, 9}));
};
constexpr auto pad_by_value = [](builder& b) {
  const value_id x = signal_of(b), with = b.input("with", {1});
  const value_id p = b.add(op::pad{op::pad_mode::constant, {0, 4}, {0, 0}}, "pad", {x, with});
  b.output("", b.reshape("image", p, {2, 1, 9}));
};

/// Everything at once: causal convolutions as they come from the expansion of signals, with all rules.
constexpr op::conv2d row_filter(int before) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 3};
  c.pad = {0, before, 0, 0};
  c.activation = {function::relu};
  return c;
}
constexpr auto causal_chain = [](builder& b) {
  op::conv2d c = row_filter(0);
  c.activation = {};
  const auto causal = [&](value_id x, std::string_view name) {
    const value_id p = b.add(op::pad{op::pad_mode::constant, {0, 0, 2}, {0, 0, 0}}, name, {x});
    return b.relu(name, b.reshape(name, b.add(c, name, {b.reshape(name, p, {1, 2, 1, 7})}), {1, 2, 5}));
  };
  b.output("", causal(causal(b.input("x", {1, 2, 5}), "a"), "b"));
};
constexpr auto two_convolutions = [](builder& b) {
  const value_id x = b.reshape("a", b.input("x", {1, 2, 5}), {1, 2, 1, 5});
  const value_id y = b.add(row_filter(2), "b", {b.add(row_filter(2), "a", {x})});
  b.output("", b.reshape("b", y, {1, 2, 5}));
};
constexpr bool all_rules_give(recipe before, recipe after) {
  builder b, a;
  before(b);
  after(a);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rules::records);
  const graph_view x = o.g.view(), y = a.g.view();
  if (x.nodes.size() != y.nodes.size()) return false;
  for (std::size_t i = 0; i < x.nodes.size(); ++i)
    if (x.nodes[i].type != y.nodes[i].type ||
        !same_numbers(x.fields_of(x.nodes[i].fields), y.fields_of(y.nodes[i].fields)))
      return false;
  return true;
}

}  // namespace

FIRES("zeros around a conv3d's input", (rules::pad_window<op::conv3d>), pad_volume<1>, just_volume)
DECLINES("another channel of zeros for a conv3d", (rules::pad_window<op::conv3d>), pad_volume_channels,
         "it pads more than the axes of the windows")
DECLINES("a plane of ones before a conv3d", (rules::pad_window<op::conv3d>), pad_volume_ones,
         "it does not pad with zeros")
DECLINES("a plane cut off before a conv3d", (rules::pad_window<op::conv3d>), pad_volume<-1>,
         "it cuts something off")
FIRES("zeros that an average of a volume counts", (rules::pad_window<op::pool>), pad_volume_pool, just_volume_pool)

FIRES("a padded signal is a padded image", (rules::reshape_before_pad), causal_signal, causal_image)
FIRES("mirrored, and with another channel", (rules::reshape_before_pad), mirrored_signal, mirrored_image)
FIRES("cut off, and ones that go", (rules::reshape_before_pad), cropped_row, cropped_signal)
DECLINES("a reshape across the padded axis", (rules::reshape_before_pad), mixed_up,
         "it does more than adding or removing ones")
DECLINES("an axis cut to one", (rules::reshape_before_pad), cropped_to_one,
         "it does more than adding or removing ones")
DECLINES("a reshape to the same", (rules::reshape_before_pad), same_again, "it changes nothing")
DECLINES("a padded signal read by two", (rules::reshape_before_pad), pad_is_read_twice,
         "its input is also read by another layer")
DECLINES("padding with a value", (rules::reshape_before_pad), pad_by_value, "what it pads with is a value")

static_assert(all_rules_give(causal_chain, two_convolutions));
TEST_CASE("causal convolutions of signals pad by themselves") {
  CHECK(all_rules_give(causal_chain, two_convolutions));
}

namespace {
template <bool Signal>
constexpr auto with_a_value = [](builder& b) {
  const value_id x = Signal ? signal_of(b) : image(b), with = b.input("with", {});
  b.output("", b.reshape("image", b.add(op::pad{op::pad_mode::constant, {0, 4}, {0, 0}}, "pad", {x, with}), {2, 1, 9}));
};
constexpr auto cut_behind = [](builder& b) { b.output("", conv(b, padded(b, 0, {0, 0, 0}, {0, 0, -1}), {})); };
constexpr auto only_padding_behind = [](builder& b) {
  b.output("", pooled(b, padded(b, lowest, {0, 0, 0}, {0, 0, 3}), max, {}));
};
constexpr auto norms = [](builder& b) { b.output("", pooled(b, padded(b), lp, {})); };
constexpr auto padded_twice = [](builder& b) { b.output("", pooled(b, padded(b), average, {1, 0, 1, 1}, true)); };
constexpr auto padded_once = [](builder& b) { b.output("", pooled(b, image(b), average, {2, 2, 1, 2}, true)); };
}  // namespace
DECLINES("pad with a value > reshape", (rules::reshape_before_pad), with_a_value<true>, "what it pads with is a value")
DECLINES("pad that cuts off behind", (rules::pad_window<op::conv2d>), cut_behind, "it cuts something off")
DECLINES("a window of padding behind", (rules::pad_below_maximum), only_padding_behind,
         "a window may hold nothing but padding")
DECLINES("pad > norms of windows", (rules::pad_window<op::pool>), norms,
         "its norms have no padding of their own to count")
FIRES("pad > average that counts its padding", (rules::pad_window<op::pool>), padded_twice, padded_once)
