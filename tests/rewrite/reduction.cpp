// SPDX-License-Identifier: BSL-1.0
// rules/reduction.hpp.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// Signals or volumes.
template <int Axes>
constexpr value_id some(builder& b) {
  return Axes == 1 ? b.input("x", {2, 3}) : Axes == 2 ? b.input("x", {2, 3, 4}) : b.input("x", {2, 3, 4, 5});
}

template <op::pooling F, int Size, bool Flatten, int Axes>
constexpr auto pooled = [](builder& b) {
  b.output("", b.add(op::adaptive_pool{F, {Size}, Flatten, Axes}, "it", {some<Axes>(b)}));
};
template <op::reduction F, bool Keep, int Axes>
constexpr auto reduced = [](builder& b) {
  op::reduce p{F};
  for (int i = -Axes; i < 0; ++i) p.axes.push_back(i);
  p.keep = Keep;
  b.output("", b.add(p, "it", {some<Axes>(b)}));
};

}  // namespace

FIRES("mean of signals", (rules::global_pool_to_reduce), (pooled<op::pooling::average, 1, false, 1>),
      (reduced<op::reduction::mean, true, 1>))
FIRES("maxima of volumes", (rules::global_pool_to_reduce), (pooled<op::pooling::max, 1, true, 3>),
      (reduced<op::reduction::max, false, 3>))
DECLINES("mean of images", (rules::global_pool_to_reduce), (pooled<op::pooling::average, 1, false, 2>),
         "it pools images")
DECLINES("halves of signals", (rules::global_pool_to_reduce), (pooled<op::pooling::average, 2, false, 1>),
         "it is not global")

namespace {

enum class window { whole, padded, part, dilated, power };
template <op::pooling F, window W, int Axes>
constexpr auto windowed = [](builder& b) {
  const value_id x = some<Axes>(b);
  op::pool p;
  p.function = F;
  p.axes = Axes;
  p.kernel = Axes == 1 ? ir::by_axis{3} : Axes == 2 ? ir::by_axis{3, 4} : ir::by_axis{3, 4, 5};
  p.stride = {1};
  if (W == window::padded) p.pad = {1};
  if (W == window::part) p.kernel = {3};
  if (W == window::dilated) {
    p.kernel = {2};
    p.dilation = {2};
  }
  if (W == window::power) p.function = op::pooling::lp;
  b.output("", b.add(p, "it", {x}));
};

/// Means over rows and columns, then another shape.
template <bool Keep>
constexpr value_id means(builder& b, std::string_view name, std::initializer_list<int> axes = {1, 2}) {
  return b.add(op::reduce{op::reduction::mean, list<int>(axes), Keep}, name, {some<2>(b)});
}
constexpr auto kept_then_flat = [](builder& b) { b.output("", b.flatten("flat", means<true>(b, "it"))); };
constexpr auto kept_then_reshaped = [](builder& b) { b.output("", b.reshape("flat", means<true>(b, "it"), {2})); };
constexpr auto flat = [](builder& b) { b.output("", means<false>(b, "it")); };
constexpr auto flat_then_kept = [](builder& b) { b.output("", b.reshape("back", means<false>(b, "it"), {2, 1, 1})); };
constexpr auto kept = [](builder& b) { b.output("", means<true>(b, "it")); };
constexpr auto another_shape = [](builder& b) { b.output("", b.reshape("row", means<true>(b, "it"), {1, 2})); };
constexpr auto one_more_gone = [](builder& b) { b.output("", b.flatten("flat", means<true>(b, "it", {1}))); };
constexpr auto means_are_read = [](builder& b) {
  const value_id y = means<true>(b, "it");
  b.output("means", y);
  b.output("", b.flatten("flat", y));
};

}  // namespace

FIRES("a window of the whole image", (rules::whole_pool), (windowed<op::pooling::average, window::whole, 2>),
      (pooled<op::pooling::average, 1, false, 2>))
FIRES("the maximum of a signal as a window", (rules::whole_pool), (windowed<op::pooling::max, window::whole, 1>),
      (pooled<op::pooling::max, 1, false, 1>))
FIRES("a window of a whole volume", (rules::whole_pool), (windowed<op::pooling::average, window::whole, 3>),
      (pooled<op::pooling::average, 1, false, 3>))
DECLINES("a window of the whole image that pads", (rules::whole_pool),
         (windowed<op::pooling::average, window::padded, 2>), "it pads")
DECLINES("a window of a part", (rules::whole_pool), (windowed<op::pooling::max, window::part, 2>),
         "its window is not all there is")
DECLINES("a window with holes", (rules::whole_pool), (windowed<op::pooling::average, window::dilated, 1>),
         "its window is not all there is")
DECLINES("powers of the whole image", (rules::whole_pool), (windowed<op::pooling::average, window::power, 2>),
         "it computes something else")

FIRES("means that are kept > flatten", (rules::reduce_reshape), kept_then_flat, flat)
FIRES("means that are kept > reshape", (rules::reduce_reshape), kept_then_reshaped, flat)
FIRES("means > reshape that keeps them", (rules::reduce_reshape), flat_then_kept, kept)
DECLINES("means > reshape to a row", (rules::reduce_reshape), another_shape,
         "it does more than leave out or bring back the axes")
DECLINES("means over rows > flatten", (rules::reduce_reshape), one_more_gone,
         "it does more than leave out or bring back the axes")
DECLINES("means that are kept are an output", (rules::reduce_reshape), means_are_read,
         "its input is a network output too")

namespace {
template <op::pooling F>
constexpr auto of_bytes = [](builder& b) {
  b.output("", b.add(op::adaptive_pool{F, {1}, false, 1}, "it", {b.add(op::input{{2, 3}, dtype::i8}, "x", {})}));
};
constexpr auto greatest_bytes = [](builder& b) {
  b.output("", b.add(op::reduce{op::reduction::max, {-1}}, "it", {b.add(op::input{{2, 3}, dtype::i8}, "x", {})}));
};
constexpr auto of_one = [](builder& b) {
  b.output("", b.add(op::adaptive_pool{op::pooling::average, {1}, false, 1}, "it", {b.input("x", {2, 1})}));
};
constexpr auto tells_places = [](builder& b) {
  op::pool p;
  p.kernel = {3, 4};
  p.indices = true;
  b.output("", b.add(p, "it", {some<2>(b)}));
};
template <bool Before>
constexpr auto pads_once = [](builder& b) {
  op::pool p;
  p.axes = 1;
  p.kernel = ir::by_axis{3};
  p.pad = Before ? ir::by_axis{1, 0} : ir::by_axis{0, 1};
  p.stride = {2};
  b.output("", b.add(p, "it", {some<1>(b)}));
};
}  // namespace
FIRES_LOADED("greatest bytes of signals", (rules::global_pool_to_reduce), of_bytes<op::pooling::max>, greatest_bytes)
DECLINES_LOADED("mean of bytes", (rules::global_pool_to_reduce), of_bytes<op::pooling::average>, "it averages bytes")
DECLINES("mean of one", (rules::global_pool_to_reduce), of_one, "it changes nothing")
DECLINES("a window of all that tells where", (rules::whole_pool), tells_places, "it computes something else")
DECLINES("a window of all that pads before", (rules::whole_pool), pads_once<true>, "it pads")
DECLINES("a window of all that pads behind", (rules::whole_pool), pads_once<false>, "it pads")

namespace {
/// One after the other.
struct over {
  op::reduction function = op::reduction::mean;
  int axis = -1;
  bool keep = true;
};
template <over... Steps>
constexpr auto in_steps = [](builder& b) {
  value_id y = some<3>(b);
  int n = 0;
  for (const over& step : {Steps...})
    y = b.add(op::reduce{step.function, {step.axis}, step.keep}, n++ == 0 ? "it" : "then", {y});
  b.output("", y);
};
template <op::reduction F, bool Keep, int... Axes>
constexpr auto at_once = [](builder& b) {
  b.output("", b.add(op::reduce{F, {Axes...}, Keep}, "it", {some<3>(b)}));
};
constexpr auto first_step_is_read = [](builder& b) {
  const value_id y = b.add(op::reduce{op::reduction::mean, {1}, true}, "it", {some<3>(b)});
  b.output("rows", y);
  b.output("", b.add(op::reduce{op::reduction::mean, {2}, true}, "then", {y}));
};
constexpr auto mean = op::reduction::mean, largest = op::reduction::max, total = op::reduction::sum,
               squares = op::reduction::sum_square;
}  // namespace
FIRES("means over columns, then rows", (rules::reduce_chain), (in_steps<over{mean, 3}, over{mean, 2}>),
      (at_once<mean, true, 2, 3>))
FIRES("sums over rows that go, then the first of what is left", (rules::reduce_chain),
      (in_steps<over{total, 1, false}, over{total, 1, false}>), (at_once<total, false, 1, 2>))
FIRES("maxima along one axis twice", (rules::reduce_chain), (in_steps<over{largest, 3}, over{largest, 3, false}>),
      (at_once<largest, false, 3>))
DECLINES("means over rows that stay, then columns that go", (rules::reduce_chain),
         (in_steps<over{mean, 2}, over{mean, 3, false}>), "some axes stay and others go")
DECLINES("the largest mean", (rules::reduce_chain), (in_steps<over{mean, 2}, over{largest, 3}>),
         "its input has another function")
DECLINES("squares of squares", (rules::reduce_chain), (in_steps<over{squares, 2}, over{squares, 3}>),
         "its function is not the same of results of its own")
DECLINES("means that are an output, then others", (rules::reduce_chain), first_step_is_read,
         "its input is a network output too")
