// SPDX-License-Identifier: BSL-1.0
// rules/lifting.hpp: arithmetic before what only rearranges.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

enum class move { flatten, reshape, permute };
template <move M>
constexpr value_id moved(builder& b, value_id x) {
  if (M == move::flatten) return b.flatten("move", x);
  if (M == move::reshape) return b.reshape("move", x, {6, 4});
  return b.permute("move", x, {1, 0, 2});
}
template <move M>
constexpr auto relu_last = [](builder& b) {
  b.output("", b.relu("f", moved<M>(b, b.input("x", {2, 3, 4}))));
};
template <move M>
constexpr auto relu_first = [](builder& b) {
  b.output("", moved<M>(b, b.relu("f", b.input("x", {2, 3, 4}))));
};
template <move M>
constexpr auto twice_last = [](builder& b) {
  b.output("", b.scalar("f", op::binary_function::mul, moved<M>(b, b.input("x", {2, 3, 4})), 2));
};
template <move M>
constexpr auto twice_first = [](builder& b) {
  b.output("", moved<M>(b, b.scalar("f", op::binary_function::mul, b.input("x", {2, 3, 4}), 2)));
};
template <move M>
constexpr auto move_is_output = [](builder& b) {
  const value_id y = moved<M>(b, b.input("x", {2, 3, 4}));
  b.output("y", y);
  b.output("z", b.relu("f", y));
};
template <move M>
constexpr auto sum_last = [](builder& b) {
  const value_id y = moved<M>(b, b.input("x", {2, 3, 4}));
  const value_id other = M == move::flatten   ? b.input("y", {24})
                         : M == move::reshape ? b.input("y", {6, 4})
                                              : b.input("y", {3, 2, 4});
  b.output("", b.sum("f", y, other));
};

}  // namespace

FIRES("relu goes before a flatten", (rules::function_first), relu_last<move::flatten>, relu_first<move::flatten>)
FIRES("relu goes before a reshape", (rules::function_first), relu_last<move::reshape>, relu_first<move::reshape>)
FIRES("relu goes before a permute", (rules::function_first), relu_last<move::permute>, relu_first<move::permute>)
FIRES("* 2 goes before a flatten", (rules::function_first), twice_last<move::flatten>, twice_first<move::flatten>)
FIRES("* 2 goes before a reshape", (rules::function_first), twice_last<move::reshape>, twice_first<move::reshape>)
FIRES("* 2 goes before a permute", (rules::function_first), twice_last<move::permute>, twice_first<move::permute>)
DECLINES("flatten is an output", (rules::function_first), move_is_output<move::flatten>,
         "its input is a network output too")
DECLINES("reshape is an output", (rules::function_first), move_is_output<move::reshape>,
         "its input is a network output too")
DECLINES("permute is an output", (rules::function_first), move_is_output<move::permute>,
         "its input is a network output too")
DECLINES("flatten before a sum", (rules::function_first), sum_last<move::flatten>, "it has no scalar operand")
DECLINES("reshape before a sum", (rules::function_first), sum_last<move::reshape>, "it has no scalar operand")
DECLINES("permute before a sum", (rules::function_first), sum_last<move::permute>, "it has no scalar operand")

namespace {

/// A signal (C, L) that was (C, 1, L), then scaled, shifted or bent by channel; `First` says which way round.
enum class by_channel { scale, bias, prelu };
template <by_channel F>
constexpr value_id through(builder& b, value_id x) {
  if (F == by_channel::scale) return b.add(op::scale{}, "f", {x});
  if (F == by_channel::bias) return b.add(op::bias{}, "f", {x});
  return b.add(op::prelu{}, "f", {x});
}
template <move M>
constexpr value_id to_signal(builder& b, value_id x) {
  return M == move::flatten ? b.flatten("move", x, 1) : b.reshape("move", x, {3, 8});
}
template <move M, by_channel F>
constexpr auto signal_last = [](builder& b) {
  b.output("", through<F>(b, to_signal<M>(b, b.input("x", {3, 1, 8}))));
};
template <move M, by_channel F>
constexpr auto signal_first = [](builder& b) {
  b.output("", to_signal<M>(b, through<F>(b, b.input("x", {3, 1, 8}))));
};
template <move M, by_channel F>
constexpr auto channels_move = [](builder& b) {
  const value_id x = b.input("x", {3, 1, 8});
  b.output("", through<F>(b, M == move::flatten ? b.flatten("move", x) : b.reshape("move", x, {8, 3})));
};

template <int... To>
constexpr auto cut_after = [](builder& b) {
  b.output("", b.add(op::slice{{-1}, {2}, {6}}, "cut", {b.reshape("move", b.input("x", {3, 1, 8}), {To...})}));
};
template <int... To>
constexpr auto cut_before = [](builder& b) {
  b.output("", b.reshape("move", b.add(op::slice{{2}, {2}, {6}}, "cut", {b.input("x", {3, 1, 8})}), {To...}));
};

constexpr auto sum_of_signals = [](builder& b) {
  const value_id x = b.input("x", {3, 1, 8}), y = b.input("y", {3, 1, 8});
  const value_id first = b.reshape("move", x, {3, 8}), second = b.reshape("second", y, {3, 8});
  b.output("", b.binary("sum", op::binary_function::sub, first, second));
};
constexpr auto signal_of_sum = [](builder& b) {
  const value_id x = b.input("x", {3, 1, 8}), y = b.input("y", {3, 1, 8});
  b.output("", b.reshape("second", b.binary("sum", op::binary_function::sub, x, y), {3, 8}));
};
constexpr auto sum_with_signal = [](builder& b) {
  const value_id first = b.reshape("move", b.input("x", {3, 1, 8}), {3, 8});
  b.output("", b.sum("sum", first, b.input("y", {3, 8})));
};
constexpr auto second_is_read = [](builder& b) {
  const value_id x = b.input("x", {3, 1, 8}), y = b.input("y", {3, 1, 8});
  const value_id first = b.reshape("move", x, {3, 8}), second = b.reshape("second", y, {3, 8});
  b.output("", b.binary("sum", op::binary_function::sub, first, second));
  b.output("other", b.relu("relu", second));
};
/// Channels that a permute leaves in their place, or moves.
template <bool Stay>
constexpr auto permuted_scale = [](builder& b) {
  b.output("", b.add(op::scale{}, "f",
                     {b.permute("move", b.input("x", {3, 4, 5}),
                                Stay ? std::initializer_list<int>{0, 2, 1} : std::initializer_list<int>{1, 0, 2})}));
};
template <bool Stay>
constexpr auto scale_permuted = [](builder& b) {
  const value_id y = b.add(op::scale{true, Stay ? automatic_axis : 1}, "f", {b.input("x", {3, 4, 5})});
  b.output("", b.permute("move", y, Stay ? std::initializer_list<int>{0, 2, 1} : std::initializer_list<int>{1, 0, 2}));
};
constexpr auto differently_reshaped = [](builder& b) {
  const value_id x = b.input("x", {3, 1, 8}), y = b.input("y", {24});
  const value_id first = b.reshape("move", x, {3, 8}), second = b.reshape("second", y, {3, 8});
  b.output("", b.sum("sum", first, second));
};

}  // namespace

#define BY_CHANNEL(M, F)                                                                                       \
  FIRES(#F " goes before a " #M, (rules::function_first), (signal_last<move::M, by_channel::F>),               \
        (signal_first<move::M, by_channel::F>))                                                                \
  DECLINES(#F " after a " #M " of channels", (rules::function_first), (channels_move<move::M, by_channel::F>), \
           "it moves channels")

namespace {
template <class Op, bool Last>
constexpr auto batch_of_signals = [](builder& b) {  // PyTorch's (N, C, L), the result of a 1-D convolution
  Op p;
  if (Last) p.axis = 1;
  const value_id x = b.input("x", {2, 3, 1, 8});
  if (Last) b.output("", b.add(p, "f", {b.reshape("move", x, {2, 3, 8})}));
  else b.output("", b.reshape("move", b.add(p, "f", {x}), {2, 3, 8}));
};
}  // namespace
FIRES("scale of (N, C, L) goes before its reshape", (rules::function_first), (batch_of_signals<op::scale, true>),
      (batch_of_signals<op::scale, false>))
BY_CHANNEL(flatten, scale)
BY_CHANNEL(flatten, bias)
BY_CHANNEL(flatten, prelu)
BY_CHANNEL(reshape, scale)
BY_CHANNEL(reshape, bias)
BY_CHANNEL(reshape, prelu)

FIRES("scale goes before a permute of other axes", (rules::function_first), permuted_scale<true>, scale_permuted<true>)
FIRES("scale of another axis goes before a permute of channels", (rules::function_first), permuted_scale<false>,
      scale_permuted<false>)

FIRES("slice goes before a reshape that drops a one", (rules::one_view), (cut_after<3, 8>), (cut_before<3, 4>))
FIRES("slice goes before a reshape that adds ones", (rules::one_view), (cut_after<1, 3, 1, 8>),
      (cut_before<1, 3, 1, 4>))
DECLINES("slice of other rows", (rules::one_view), (cut_after<4, 6>), "its elements are at no regular distances")

FIRES("reshape(x) - reshape(y)", (rules::reshape_once), sum_of_signals, signal_of_sum)
DECLINES("reshape(x) + y", (rules::reshape_once), sum_with_signal, "its other operand is not reshaped for it alone")
DECLINES("the second reshape is read elsewhere", (rules::reshape_once), second_is_read,
         "its input is also read by another layer")
DECLINES("operands reshaped from other shapes", (rules::reshape_once), differently_reshaped,
         "its operands are reshaped differently")

namespace {
constexpr auto same_then_relu = [](builder& b) {
  b.output("", b.relu("f", b.reshape("move", b.input("x", {2, 3, 4}), {2, 3, 4})));
};
/// A reshape that adds a one, or none, before a slice that takes all, or some.
template <bool Ones, bool All>
constexpr auto idle_part = [](builder& b) {
  const value_id x = b.input("x", {2, 6});
  const value_id y = Ones ? b.reshape("move", x, {2, 1, 6}) : b.reshape("move", x, {2, 6});
  b.output("", b.add(op::slice{{Ones ? 2 : 1}, {0}, {All ? 6 : 4}}, "cut", {y}));
};
constexpr auto row_and_column = [](builder& b) {
  const value_id a = b.input("a", {2, 3}), c = b.input("c", {2, 3});
  b.output("", b.sum("it", b.reshape("row", a, {1, 6}), b.reshape("column", c, {6, 1})));
};
}  // namespace
DECLINES("reshape to the same shape before relu", (rules::function_first), same_then_relu,
         "there is nothing to go before")
DECLINES("a row plus a column", (rules::reshape_once), row_and_column, "its operands are reshaped differently")

namespace {

/// What moves pixels or makes more of them, of (8, 3, 4), and a function before it or behind.
enum class spread { pixels, channels, nearest, linear, smaller, copies };
template <spread S>
constexpr value_id spread_out(builder& b, value_id x) {
  op::interpolate twice;
  twice.scale = {2.0};
  if (S == spread::pixels) return b.add(op::pixel_shuffle{{1, 2}}, "move", {x});
  if (S == spread::channels) return b.add(op::channel_shuffle{2}, "move", {x});
  if (S == spread::copies) return b.add(op::expand{{2, 8, 3, 4}}, "move", {x});
  if (S == spread::linear) twice.mode = op::interpolation::linear;
  if (S == spread::smaller) twice.scale = {0.5};
  return b.add(twice, "move", {x});
}
enum class bend { relu, scale, scale_rows, prelu };
template <bend B>
constexpr value_id bent(builder& b, value_id x) {
  if (B == bend::relu) return b.relu("f", x);
  if (B == bend::scale) return b.add(op::scale{}, "f", {x});
  if (B == bend::scale_rows) return b.add(op::scale{true, 1}, "f", {x});
  return b.add(op::prelu{}, "f", {x});
}
template <spread S, bend B, bool First>
constexpr auto bent_image = [](builder& b) {
  const value_id x = b.input("x", {8, 3, 4});
  b.output("", First ? spread_out<S>(b, bent<B>(b, x)) : bent<B>(b, spread_out<S>(b, x)));
};

/// Pixels times 2, of which a sum may be made.
template <bool Sum>
constexpr auto twice_as_large = [](builder& b) {
  const value_id x = b.input("x", {8, 3, 4});
  const value_id y = b.scalar("f", op::binary_function::mul, spread_out<spread::pixels>(b, x), 2);
  b.output("", Sum ? b.sum("sum", b.input("y", {4, 3, 8}), y) : y);
};
constexpr auto twice_before = [](builder& b) {
  const value_id x = b.input("x", {8, 3, 4});
  b.output("", spread_out<spread::pixels>(b, b.scalar("f", op::binary_function::mul, x, 2)));
};

}  // namespace

#define GOES_BEFORE(S, B)                                                                        \
  FIRES(#B " goes before " #S, (rules::function_first), (bent_image<spread::S, bend::B, false>), \
        (bent_image<spread::S, bend::B, true>))
GOES_BEFORE(pixels, relu)
GOES_BEFORE(pixels, scale)
GOES_BEFORE(pixels, prelu)
GOES_BEFORE(channels, relu)
GOES_BEFORE(channels, scale)
GOES_BEFORE(channels, prelu)
GOES_BEFORE(nearest, relu)
GOES_BEFORE(nearest, scale)
GOES_BEFORE(nearest, prelu)
FIRES_LOADED("relu goes before an expand", (rules::function_first), (bent_image<spread::copies, bend::relu, false>),
             (bent_image<spread::copies, bend::relu, true>))
FIRES("* 2 goes before pixels", (rules::function_first), twice_as_large<false>, twice_before)
DECLINES("* 2 before a sum", (rules::function_first), twice_as_large<true>, "the sum behind it may take the factor")
DECLINES("scale of rows of pixels that were channels", (rules::function_first),
         (bent_image<spread::pixels, bend::scale_rows, false>), "it moves channels")
DECLINES("scale of rows made larger", (rules::function_first), (bent_image<spread::nearest, bend::scale_rows, false>),
         "it moves channels")
DECLINES_LOADED("scale of an axis that is new", (rules::function_first),
                (bent_image<spread::copies, bend::scale, false>), "it moves channels")
DECLINES("relu of lines between pixels", (rules::function_first), (bent_image<spread::linear, bend::relu, false>),
         "it computes numbers")
DECLINES("relu of fewer pixels", (rules::function_first), (bent_image<spread::smaller, bend::relu, false>),
         "there are fewer numbers behind it")
DECLINES("scale of rows of shuffled channels", (rules::function_first),
         (bent_image<spread::channels, bend::scale_rows, false>), "it moves channels")
