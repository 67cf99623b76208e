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
DECLINES("another channel of zeros", (rules::pad_window<op::conv2d>), channels_too,
         "it pads more than rows and columns")
DECLINES("a column cut off", (rules::pad_window<op::conv2d>), cut_off, "it cuts something off")
DECLINES("zeros before a convolution of SAME size", (rules::pad_window<op::conv2d>), same_conv,
         "its own padding depends on the size")
DECLINES("the padded value is an output", (rules::pad_window<op::conv2d>), pad_is_output,
         "its input is a network output too")
DECLINES("zeros around a residual", (rules::pad_window<op::conv2d>), as_residual, "it is the residual")

FIRES("zeros that an average counts", (rules::pad_window<op::pool>), pad_average, average_counts)
FIRES("the lowest number around a maximum", (rules::pad_window<op::pool>), pad_max, just_max)
FIRES("the lowest number around a signal", (rules::pad_window<op::pool>), pad_signal, just_signal)
DECLINES("the lowest number around a signal seen through gaps", (rules::pad_window<op::pool>), pad_gaps,
         "a window may hold nothing but padding")
DECLINES("zeros around a maximum", (rules::pad_window<op::pool>), zeros_max, "the padding may be the maximum")
DECLINES("windows of padding alone", (rules::pad_window<op::pool>), wide_max, "a window may hold nothing but padding")
DECLINES("an average that leaves out its own padding", (rules::pad_window<op::pool>), pad_average_own,
         "its average leaves out its own padding")
DECLINES("an average over whole windows", (rules::pad_window<op::pool>), pad_average_whole,
         "its average counts what is not there")
DECLINES("windows that hang over", (rules::pad_window<op::pool>), pad_average_ceil,
         "its last windows depend on the padding")
