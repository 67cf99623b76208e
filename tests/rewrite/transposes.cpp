// SPDX-License-Identifier: BSL-1.0
// rules/transposes.hpp: permutes move behind what computes and what cuts.
#include <ctnn/graph/operators/pad.hpp>
#include <ctnn/graph/operators/pairwise.hpp>
#include <ctnn/graph/operators/reduction.hpp>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;

/// Every extent differs, or two are one: a rule that takes the wrong axis is found out by either.
template <int W = 5>
constexpr value_id image(builder& b, std::string_view name = "x") {
  return b.input(name, {2, 3, 4, W});
}
constexpr value_id to_nhwc(builder& b, std::string_view name, value_id x) { return b.permute(name, x, {0, 2, 3, 1}); }
constexpr value_id to_nchw(builder& b, std::string_view name, value_id x) { return b.permute(name, x, {0, 3, 1, 2}); }

// A constant along one axis
template <op::binary_function F, bool ConstantFirst, int W>
constexpr auto times_channels = [](builder& b) {
  const value_id x = to_nhwc(b, "move", image<W>(b)), k = b.constant("k", {3});
  b.output("", b.binary("it", F, ConstantFirst ? k : x, ConstantFirst ? x : k));
};
template <class Op, int W>
constexpr auto by_last_axis = [](builder& b) {
  const value_id x = to_nhwc(b, "move", image<W>(b));
  if constexpr (std::is_same_v<Op, op::scale>) b.output("", b.add(op::scale{false, 3}, "it", {x}));
  else b.output("", b.add(Op{3}, "it", {x}));
};
template <op::binary_function F, int... Extents>
constexpr auto with_constant =
    [](builder& b) { b.output("", b.binary("it", F, to_nhwc(b, "move", image<3>(b)), b.constant("k", {Extents...}))); };
constexpr auto slope_permuted = [](builder& b) {
  b.output("", b.binary("it", prelu, b.constant("k", {3}), to_nhwc(b, "move", image(b))));
};
template <op::binary_function F>
constexpr auto then_relu = [](builder& b) {
  b.output("", b.binary("it", F, to_nhwc(b, "move", image(b)), b.constant("k", {3}), {function::relu}));
};
constexpr auto sum_with_input = [](builder& b) {
  b.output("", b.sum("it", to_nhwc(b, "move", image(b)), b.input("k", {3})));
};

// Any constant
template <bool Between, int... Extents>
constexpr auto minus_constant = [](builder& b) {
  const value_id x = image(b), before = Between ? 0 : b.constant("k", {Extents...}), y = to_nhwc(b, "move", x);
  b.output("", b.binary("it", sub, y, Between ? b.constant("k", {Extents...}) : before));
};
template <int... Extents>
constexpr auto minus_permuted = [](builder& b) {
  const value_id x = image(b);
  b.output("", to_nhwc(b, "move", b.binary("it", sub, x, b.constant("k", {Extents...}))));
};
constexpr auto constant_is_read = [](builder& b) {
  const value_id k = b.constant("k", {4, 5, 3});
  b.output("", b.binary("it", sub, to_nhwc(b, "move", image(b)), k));
  b.output("other", b.relu("relu", k));
};
constexpr auto more_axes = [](builder& b) {
  b.output("", b.binary("it", sub, b.permute("move", b.input("x", {3, 4}), {1, 0}), b.constant("k", {2, 4, 3})));
};

// Several values
template <bool Last>
constexpr auto two_values = [](builder& b, const auto& by) {
  const value_id x = image(b), y = image(b, "y");
  if (Last) {
    const value_id p = to_nhwc(b, "first", x), q = to_nhwc(b, "second", y);
    b.output("", b.add(by, "it", {p, q}));
  } else {
    b.output("", to_nhwc(b, "second", b.add(by, "it", {x, y})));
  }
};
template <bool Last>
constexpr auto quotient = [](builder& b) {
  two_values<Last>(b, op::binary{div, {}, {function::relu}});
};
template <bool Last>
constexpr auto maximum_of = [](builder& b) { two_values<Last>(b, op::eltwise{op::eltwise_function::max}); };
template <bool Last>
constexpr auto less = [](builder& b) { two_values<Last>(b, op::compare{op::comparison::less}); };
template <bool Last, int Axis>
constexpr auto joined = [](builder& b) { two_values<Last>(b, op::concat{Axis}); };
template <bool Last>
constexpr auto broadcast_sum = [](builder& b) {
  const value_id x = b.input("x", {3, 1, 5}), y = b.input("y", {3, 4, 1});
  if (Last) {
    const value_id p = b.permute("first", x, {2, 0, 1}), q = b.permute("second", y, {2, 0, 1});
    b.output("", b.sum("it", p, q));
  } else {
    b.output("", b.permute("second", b.sum("it", x, y), {2, 0, 1}));
  }
};
/// Squeeze and excite: (N, C, 1, 1) is only reshaped.
template <int W>
constexpr auto excited = [](builder& b) {
  const value_id x = image<W>(b), y = b.input("y", {2, 3, 1, 1});
  const value_id p = to_nhwc(b, "first", x);
  b.output("", b.binary("it", mul, p, b.reshape("second", y, {2, 1, 1, 3})));
};
template <int W>
constexpr auto excited_before = [](builder& b) {
  const value_id x = image<W>(b), y = b.input("y", {2, 3, 1, 1});
  b.output("", to_nhwc(b, "second", b.binary("it", mul, x, y)));
};
constexpr auto excited_by_rows = [](builder& b) {
  const value_id x = image<3>(b), y = b.input("y", {2, 3, 1, 1});
  b.output("", b.binary("it", mul, to_nhwc(b, "first", x), b.reshape("second", y, {2, 1, 3, 1})));
};
constexpr auto permuted_differently = [](builder& b) {
  const value_id x = b.permute("first", b.input("x", {3, 3, 4}), {1, 0, 2}),
                 y = b.permute("second", b.input("y", {3, 4, 3}), {2, 0, 1});
  b.output("", b.sum("it", x, y));
};
constexpr auto second_is_output = [](builder& b) {
  const value_id x = to_nhwc(b, "first", image(b)), y = to_nhwc(b, "second", image(b, "y"));
  b.output("", b.sum("it", x, y));
  b.output("second", y);
};
constexpr auto with_itself = [](builder& b) {
  const value_id x = to_nhwc(b, "first", image(b));
  b.output("", b.sum("it", x, x));
};

// One value of two
template <bool First>
constexpr auto other_after = [](builder& b) {
  const value_id p = to_nhwc(b, "move", image(b)), y = b.input("y", {2, 4, 5, 1});
  b.output("", to_nchw(b, "back", b.binary("it", sub, First ? p : y, First ? y : p)));
};
template <bool First>
constexpr auto other_before = [](builder& b) {
  const value_id x = image(b), y = to_nchw(b, "back", b.input("y", {2, 4, 5, 1}));
  b.output("", b.binary("it", sub, First ? x : y, First ? y : x));
};
constexpr auto other_has_fewer_axes = [](builder& b) {
  b.output("", to_nchw(b, "back", b.sum("it", to_nhwc(b, "move", image(b)), b.input("y", {4, 5, 1}))));
};
constexpr auto other_not_back = [](builder& b) {
  b.output("", to_nhwc(b, "back", b.sum("it", to_nhwc(b, "move", image(b)), b.input("y", {2, 4, 5, 3}))));
};
constexpr auto other_is_read = [](builder& b) {
  const value_id p = to_nhwc(b, "move", image(b));
  b.output("", to_nchw(b, "back", b.sum("it", p, b.input("y", {2, 4, 5, 3}))));
  b.output("other", b.relu("relu", p));
};

// Batches of matrices
template <int... Order>
constexpr auto product_after = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4, 5}), y = b.input("y", {2, 1, 6, 5});
  const value_id p = b.permute("first", x, {1, 0, 2, 3}), q = b.permute("second", y, {Order...});
  b.output("", b.add(op::matmul{false, false, 0.5f}, "it", {p, q}));
};
constexpr auto product_before = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4, 5}), y = b.input("y", {2, 1, 6, 5});
  b.output("", b.permute("second", b.add(op::matmul{false, true, 0.5f}, "it", {x, y}), {1, 0, 2, 3}));
};
constexpr auto other_batches = [](builder& b) {
  const value_id x = b.input("x", {2, 2, 4, 5}), y = b.input("y", {2, 2, 6, 5});
  const value_id p = b.permute("first", x, {1, 0, 2, 3}), q = b.permute("second", y, {0, 1, 3, 2});
  b.output("", b.add(op::matmul{}, "it", {p, q}));
};
constexpr auto batches_from_rows = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 3, 5}), y = b.input("y", {2, 5, 3, 6});
  const value_id p = b.permute("first", x, {0, 2, 1, 3}), q = b.permute("second", y, {0, 2, 1, 3});
  b.output("", b.add(op::matmul{}, "it", {p, q}));
};
constexpr auto one_batch = [](builder& b) {
  const value_id x = b.input("x", {1, 3, 4, 5}), y = b.input("y", {1, 3, 6, 5});
  const value_id p = b.permute("first", x, {1, 0, 2, 3}), q = b.permute("second", y, {1, 0, 3, 2});
  b.output("", b.add(op::matmul{}, "it", {p, q}));
};
constexpr auto outer_product = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4, 1}), y = b.input("y", {2, 3, 5, 1});
  const value_id p = b.permute("first", x, {1, 0, 2, 3}), q = b.permute("second", y, {1, 0, 3, 2});
  b.output("", b.add(op::matmul{}, "it", {p, q}));
};
constexpr auto one_matrix_permuted = [](builder& b) {
  const value_id x = b.permute("first", b.input("x", {2, 3, 4, 5}), {1, 0, 2, 3});
  b.output("", b.add(op::matmul{}, "it", {x, b.input("y", {3, 2, 5, 6})}));
};

// Cuts and sums along axes
constexpr auto cut_after = [](builder& b) {
  b.output("", b.add(op::slice{{1, 3}, {3, 1}, {0, 3}, {-2, 1}}, "it", {to_nhwc(b, "move", image(b))}));
};
constexpr auto cut_before = [](builder& b) {
  b.output("", to_nhwc(b, "move", b.add(op::slice{{1, 2}, {1, 3}, {3, -4}, {1, -2}}, "it", {image(b)})));
};
constexpr auto cut_nothing = [](builder& b) {
  b.output("", b.add(op::slice{{1}, {0}, {4}}, "it", {to_nhwc(b, "move", image(b))}));
};
constexpr auto cut_reshaped = [](builder& b) {
  b.output("", b.add(op::slice{{1}, {1}, {3}}, "it", {b.permute("move", b.input("x", {1, 3, 4}), {1, 0, 2})}));
};
template <class Op, int Axis, bool Last>
constexpr auto along = [](builder& b) {
  const value_id x = image<3>(b);
  if (Last) b.output("", b.add(Op{Axis}, "it", {to_nhwc(b, "move", x)}));
  else b.output("", to_nhwc(b, "move", b.add(Op{Axis}, "it", {x})));
};
template <bool Keep, bool Last>
constexpr auto mean_of_rows = [](builder& b) {  // H and W of (N, H, W, C)
  const value_id x = image(b);
  if (Last) b.output("", b.add(op::reduce{op::reduction::mean, {1, -2}, Keep}, "it", {to_nhwc(b, "move", x)}));
  else if (Keep) b.output("", to_nhwc(b, "move", b.add(op::reduce{op::reduction::mean, {2, 3}, true}, "it", {x})));
  else b.output("", b.permute("move", b.add(op::reduce{op::reduction::mean, {2, 3}, false}, "it", {x}), {0, 1}));
};
template <bool Last>
constexpr auto sum_of_all = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.add(op::reduce{op::reduction::sum, {0, 1, 2, 3}, false}, "it", {Last ? to_nhwc(b, "move", x) : x}));
};
template <bool Last>
constexpr auto maxima_left_permuted = [](builder& b) {
  const value_id x = image(b);
  const auto of = [&](value_id v, int axis) { return b.add(op::reduce{op::reduction::max, {axis}, false}, "it", {v}); };
  if (Last) b.output("", of(b.permute("move", x, {3, 0, 2, 1}), 1));
  else b.output("", b.permute("move", of(x, 0), {2, 1, 0}));
};
constexpr auto softmax_reshaped = [](builder& b) {
  b.output("", b.add(op::softmax{1}, "it", {b.permute("move", b.input("x", {1, 3, 4}), {1, 0, 2})}));
};
constexpr auto softmax_shared = [](builder& b) {
  const value_id p = to_nhwc(b, "move", image(b));
  b.output("", b.add(op::softmax{1}, "it", {p}));
  b.output("move", p);
};

// Between a permute and its inverse
constexpr auto pad_after = [](builder& b) {
  b.output("", to_nchw(b, "back",
                       b.add(op::pad{op::pad_mode::edge, {0, 1, 2, 0}, {0, 3, 0, 1}, 2}, "it",
                             {to_nhwc(b, "move", image(b))})));
};
constexpr auto pad_alone = [](builder& b) {
  b.output("", b.add(op::pad{op::pad_mode::edge, {0, 0, 1, 2}, {0, 1, 3, 0}, 2}, "it", {image(b)}));
};
constexpr auto pad_not_back = [](builder& b) {
  b.output("", to_nhwc(b, "back",
                       b.add(op::pad{op::pad_mode::edge, {0, 1, 2, 0}, {0, 3, 0, 1}, 2}, "it",
                             {to_nhwc(b, "move", image(b))})));
};
constexpr auto pad_is_read = [](builder& b) {
  const value_id y =
      b.add(op::pad{op::pad_mode::edge, {0, 1, 2, 0}, {0, 3, 0, 1}, 2}, "it", {to_nhwc(b, "move", image(b))});
  b.output("", to_nchw(b, "back", y));
  b.output("it", y);
};
constexpr op::interpolate resized(op::interpolation mode, std::initializer_list<int> size,
                                  std::initializer_list<double> scale) {
  op::interpolate p;
  p.mode = mode;
  p.axes = static_cast<int>(size.size());
  p.size = size;
  p.scale = scale;
  return p;
}
constexpr auto nearest = op::interpolation::nearest, linear = op::interpolation::linear;
constexpr value_id resized_nhwc(builder& b, const op::interpolate& p) {  // and back
  const value_id y = b.add(p, "it", {to_nhwc(b, "move", image(b))});
  b.output("", to_nchw(b, "back", y));
  return y;
}
constexpr void resized_alone(builder& b, const op::interpolate& p) { b.output("", b.add(p, "it", {image(b)})); }
constexpr auto scaled_nhwc = [](builder& b) { resized_nhwc(b, resized(nearest, {0, 0, 0}, {2, 3, 1})); };
constexpr auto scaled_nchw = [](builder& b) { resized_alone(b, resized(nearest, {0, 0}, {2, 3})); };
constexpr auto sized_nhwc = [](builder& b) { resized_nhwc(b, resized(linear, {7, 5, 3}, {0, 0, 0})); };
constexpr auto sized_nchw = [](builder& b) { resized_alone(b, resized(linear, {7, 5}, {0, 0})); };
constexpr auto columns_nhwc = [](builder& b) { resized_nhwc(b, resized(linear, {4, 9, 3}, {0, 0, 0})); };
constexpr auto columns_nchw = [](builder& b) { resized_alone(b, resized(linear, {9}, {0})); };
constexpr auto moved_columns_nhwc = [](builder& b) {  // of as many results, elsewhere
  resized_nhwc(b, resized(linear, {7, 5, 3}, {0, 1.1, 0}));
};
constexpr auto moved_columns_nchw = [](builder& b) { resized_alone(b, resized(linear, {7, 5}, {0, 1.1})); };
constexpr auto channels_resized = [](builder& b) { resized_nhwc(b, resized(linear, {5}, {0})); };
constexpr auto nothing_resized = [](builder& b) { resized_nhwc(b, resized(nearest, {4, 5, 3}, {0, 0, 0})); };
constexpr auto resized_elsewhere = [](builder& b) {
  op::interpolate p = resized(nearest, {0, 0, 0}, {2, 3, 1});
  p.coordinates = op::coordinates::tf_half_pixel_for_nn;
  p.rounding = op::rounding::floor;
  resized_nhwc(b, p);
};
constexpr auto part_resized = [](builder& b) {
  op::interpolate p = resized(linear, {7, 5, 3}, {0, 0, 0});
  p.coordinates = op::coordinates::tf_crop_and_resize;
  p.roi = {0, 0, 0, 0.5, 0.5, 1};
  resized_nhwc(b, p);
};
constexpr auto resized_is_read = [](builder& b) {
  b.output("it", resized_nhwc(b, resized(nearest, {0, 0, 0}, {2, 3, 1})));
};
constexpr auto resized_not_back = [](builder& b) {
  b.output("", to_nhwc(b, "back", b.add(resized(nearest, {0, 0, 0}, {2, 3, 1}), "it", {to_nhwc(b, "move", image(b))})));
};
constexpr auto bytes_resized = [](builder& b) {
  const value_id x = b.add(op::input{{2, 3, 4, 5}, dtype::u8}, "x", {});
  op::interpolate p = resized(linear, {7, 9}, {0, 0});
  p.fraction_bits = 8;
  b.output("", b.permute("back", b.add(p, "it", {b.permute("move", x, {0, 1, 3, 2})}), {0, 1, 3, 2}));
};
constexpr auto parts_after = [](builder& b) {
  const value_id part = b.add(op::split{{1, 3}, 1}, "cut", {to_nhwc(b, "move", image(b))});
  b.output("", to_nchw(b, "back", part + 1));
  b.output("first", b.relu("relu", part));
};
constexpr auto part_before = [](builder& b) {
  const value_id x = image(b), part = b.add(op::split{{1, 3}, 1}, "cut", {to_nhwc(b, "move", x)});
  b.output("", b.add(op::slice{{2}, {1}, {4}}, "back", {x}));
  b.output("first", b.relu("relu", part));
};
constexpr auto parts_not_back = [](builder& b) {
  const value_id part = b.add(op::split{{1, 3}, 1}, "cut", {to_nhwc(b, "move", image(b))});
  b.output("", to_nhwc(b, "back", part + 1));
};
constexpr auto one_part = [](builder& b) {
  b.output("", to_nchw(b, "back", b.add(op::split{{4}, 1}, "cut", {to_nhwc(b, "move", image(b))})));
};

// What a slice takes of what was moved
template <int Start, int End>
constexpr auto of_columns = [](builder& b) {  // of the groups of ShuffleNet's channels
  const value_id table = b.reshape("move", b.input("x", {1, 6, 4, 5}), {3, 2, 20});
  b.output("", b.reshape("it", b.add(op::slice{{1}, {Start}, {End}}, "cut", {table}), {1, 3 * (End - Start), 4, 5}));
};
constexpr auto every_second = [](builder& b) {
  b.output("", b.add(op::slice{{1}, {1}, {6}, {2}}, "cut", {b.input("x", {1, 6, 4, 5})}));
};
constexpr auto of_rows = [](builder& b) {
  const value_id table = b.reshape("move", b.input("x", {1, 6, 4, 5}), {3, 2, 20});
  b.output("", b.flatten("it", b.add(op::slice{{0}, {1}, {3}}, "cut", {table})));
};
constexpr auto last_four = [](builder& b) {
  b.output("", b.flatten("it", b.add(op::slice{{1}, {2}, {6}}, "cut", {b.input("x", {1, 6, 4, 5})})));
};
constexpr auto of_joined_axes = [](builder& b) {
  const value_id row = b.reshape("move", b.input("x", {6, 4}), {24, 1});
  b.output("", b.reshape("it", b.add(op::slice{{0}, {1}, {5}}, "cut", {row}), {2, 2}));
};
template <int Count>
constexpr auto of_turned = [](builder& b) {
  const value_id y = b.permute("move", b.input("x", {3, 2, 4}), {1, 0, 2});
  b.output("", b.reshape("it", b.add(op::slice{{0}, {0}, {Count}}, "cut", {y}), {3 * Count, 4}));
  b.output("move", y);
};
constexpr auto turned_cut = [](builder& b) {
  const value_id x = b.input("x", {3, 2, 4}), y = b.permute("move", x, {1, 0, 2});
  b.output("", b.reshape("it", b.add(op::slice{{1}, {0}, {1}}, "cut", {x}), {3, 4}));
  b.output("move", y);
};
constexpr auto cut_is_read = [](builder& b) {
  const value_id table = b.reshape("move", b.input("x", {1, 6, 4, 5}), {3, 2, 20});
  const value_id y = b.add(op::slice{{1}, {1}, {2}}, "cut", {table});
  b.output("", b.reshape("it", y, {1, 3, 4, 5}));
  b.output("cut", y);
};
constexpr auto cut_is_read_before = [](builder& b) {
  const value_id y = b.add(op::slice{{1}, {1}, {6}, {2}}, "cut", {b.input("x", {1, 6, 4, 5})});
  b.output("", y);
  b.output("cut", b.reshape("move", y, {3, 1, 20}));
};
constexpr auto cut_of_nothing = [](builder& b) {
  const value_id table = b.reshape("move", b.input("x", {1, 6, 4, 5}), {3, 2, 20});
  b.output("", b.flatten("it", b.add(op::slice{{1}, {0}, {2}}, "cut", {table})));
};

// A skip of an NHWC network whose layers are NCHW: x and what is permuted of it, both in NHWC
constexpr value_id softmax_of(builder& b, value_id x) { return b.add(op::softmax{-1}, "layer", {x}); }
constexpr value_id skip(builder& b, value_id x) { return to_nchw(b, "into", x); }
template <bool SkipFirst>
constexpr auto skip_after = [](builder& b) {
  const value_id x = image(b), into = skip(b, x), y = softmax_of(b, into), back = to_nhwc(b, "back", y);
  b.output("", b.binary("it", sub, SkipFirst ? x : back, SkipFirst ? back : x));
};
template <bool SkipFirst>
constexpr auto skip_before = [](builder& b) {
  const value_id x = image(b), into = skip(b, x), y = softmax_of(b, into);
  b.output("", to_nhwc(b, "back", b.binary("it", sub, SkipFirst ? into : y, SkipFirst ? y : into)));
};
constexpr auto skip_turned_differently = [](builder& b) {
  const value_id x = b.input("x", {3, 3, 3}), y = b.permute("into", x, {1, 2, 0});
  b.output("", b.sum("it", x, b.permute("back", softmax_of(b, y), {1, 2, 0})));
};
constexpr auto skip_not_permuted = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 5, 3, 4});
  b.output("", b.sum("it", x, to_nhwc(b, "back", y)));
};
constexpr auto skip_permuted_later = [](builder& b) {
  const value_id x = image(b), back = to_nhwc(b, "back", b.input("y", {2, 5, 3, 4}));
  b.output("", b.sum("it", x, back));
  b.output("into", skip(b, x));
};
constexpr auto skip_is_read = [](builder& b) {
  const value_id x = image(b), back = to_nhwc(b, "back", softmax_of(b, skip(b, x)));
  b.output("", b.sum("it", x, back));
  b.output("back", back);
};
constexpr auto skip_reshaped = [](builder& b) {
  const value_id x = b.input("x", {1, 3, 4}), y = b.permute("into", x, {1, 0, 2});
  b.output("", b.sum("it", x, b.permute("back", softmax_of(b, y), {1, 0, 2})));
};

constexpr auto skip_of_itself = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 4});
  b.output("", b.sum("both", x, b.permute("turned", x, {0, 2, 1})));
};
}  // namespace

FIRES("+ one number a channel after nhwc", (rules::binary_to_scale), (times_channels<add, false, 5>),
      (by_last_axis<op::bias, 5>))
FIRES("one number a channel + after nhwc, W = C", (rules::binary_to_scale), (times_channels<add, true, 3>),
      (by_last_axis<op::bias, 3>))
FIRES("* one number a channel after nhwc", (rules::binary_to_scale), (times_channels<mul, false, 3>),
      (by_last_axis<op::scale, 3>))
FIRES("prelu by channel after nhwc", (rules::binary_to_scale), (times_channels<prelu, false, 5>),
      (by_last_axis<op::prelu, 5>))
DECLINES("- one number a channel", (rules::binary_to_scale), (with_constant<sub, 3>),
         "only +, * and prelu go by channel")
DECLINES("+ a constant along two axes", (rules::binary_to_scale), (with_constant<add, 3, 3>),
         "the constant is not one number an index of an axis")
DECLINES("a constant that broadcasts", (rules::binary_to_scale), (with_constant<add, 2, 1, 1, 1, 1>),
         "the constant broadcasts its other operand")
DECLINES("a permuted slope", (rules::binary_to_scale), slope_permuted, "the constant is not the slope")
FIRES("+ one number a channel and relu", (rules::binary_to_scale), then_relu<add>, ([](builder& b) {
        b.output("", b.add(op::bias{3, {function::relu}}, "it", {to_nhwc(b, "move", image(b))}));
      }))
DECLINES("slopes by channel and relu", (rules::binary_to_scale), then_relu<op::binary_function::prelu>,
         "it applies an activation")

FIRES("permuted - constant after it", (rules::constant_first), (minus_constant<true, 4, 5, 3>), ([](builder& b) {
        const value_id x = image(b), k = b.constant("k", {1, 3, 4, 5});
        b.output("", to_nhwc(b, "move", b.binary("it", sub, x, k)));
      }))
FIRES("permuted - constant before it", (rules::constant_first), (minus_constant<false, 5, 3>),
      (minus_permuted<1, 3, 1, 5>))
FIRES("permuted - one number", (rules::constant_first), (minus_constant<true, 1>), (minus_permuted<1>))
FIRES("permuted - one number a channel", (rules::constant_first), (minus_constant<true, 3>),
      (minus_permuted<1, 3, 1, 1>))
DECLINES("the constant is read", (rules::constant_first), constant_is_read, "its input is also read by another layer")
DECLINES("a constant of more axes", (rules::constant_first), more_axes, "the result has more axes")
DECLINES("permuted + input", (rules::constant_first), sum_with_input, "its other operand is not constant")

FIRES("a quotient of two permuted values", (rules::permute_once), quotient<true>, quotient<false>)
FIRES("an eltwise of two permuted values", (rules::permute_once), maximum_of<true>, maximum_of<false>)
FIRES_LOADED("a comparison of two permuted values", (rules::permute_once), less<true>, less<false>)
FIRES("concat along C of (N, H, W, C)", (rules::permute_once), (joined<true, -1>), (joined<false, 1>))
FIRES("concat along H of (N, H, W, C)", (rules::permute_once), (joined<true, 1>), (joined<false, 2>))
FIRES("a sum that broadcasts both", (rules::permute_once), broadcast_sum<true>, broadcast_sum<false>)
FIRES("a product with what is reshaped as if permuted", (rules::permute_once), excited<5>, excited_before<5>)
FIRES("a product with what is reshaped, W = C", (rules::permute_once), excited<3>, excited_before<3>)
DECLINES("a product with what is reshaped otherwise", (rules::permute_once), excited_by_rows,
         "its operands are permuted differently")
DECLINES("operands permuted differently", (rules::permute_once), permuted_differently,
         "its operands are permuted differently")
DECLINES("one permuted operand is an output", (rules::permute_once), second_is_output,
         "its input is a network output too")
DECLINES("one permuted value twice", (rules::permute_once), with_itself, "it has no second permuted operand")
DECLINES("one operand is not permuted", (rules::permute_once), sum_with_input, "its operands are permuted differently")

FIRES("permuted - y, and back", (rules::permute_other), other_after<true>, other_before<true>)
FIRES("y - permuted, and back", (rules::permute_other), other_after<false>, other_before<false>)
DECLINES("y of fewer axes", (rules::permute_other), other_has_fewer_axes,
         "its operands have not the same rank")
DECLINES("permuted + y, and further", (rules::permute_other), other_not_back, "it does not undo the permute before")
DECLINES("what is permuted is read elsewhere", (rules::permute_other), other_is_read,
         "its input is also read by another layer")

FIRES("a skip between permutes", (rules::permute_skip), skip_after<false>, skip_before<false>)
FIRES("a skip between permutes, the other way round", (rules::permute_skip), skip_after<true>, skip_before<true>)
DECLINES("a skip of what is permuted differently", (rules::permute_skip), skip_turned_differently,
         "its other operand is not permuted back")
DECLINES("a skip of what is not permuted", (rules::permute_skip), skip_not_permuted,
         "its other operand is not permuted back")
DECLINES("a skip of what is permuted later", (rules::permute_skip), skip_permuted_later,
         "its other operand is not permuted back")
DECLINES("a skip where what is permuted is read elsewhere", (rules::permute_skip), skip_is_read,
         "its input is a network output too")
DECLINES("a matrix and itself turned", (rules::permute_skip), skip_of_itself, "its other operand is not permuted back")
DECLINES("a skip where the permute only reshapes", (rules::permute_skip), skip_reshaped, "it only reshapes")

FIRES("a product of matrices in permuted batches", (rules::permuted_batches), (product_after<1, 0, 3, 2>),
      product_before)
DECLINES("batches permuted differently", (rules::permuted_batches), other_batches,
         "the batches of its operands are permuted differently")
DECLINES("batches that were rows", (rules::permuted_batches), batches_from_rows,
         "the batches of its operands are permuted differently")
DECLINES("batches of one", (rules::permuted_batches), one_batch, "it does not permute batches")
DECLINES("outer products in permuted batches", (rules::permuted_batches), outer_product,
         "its result has more elements to permute")
DECLINES("a product with matrices that are not permuted", (rules::permuted_batches), one_matrix_permuted,
         "its other operand is not permuted for it alone")

FIRES("a slice goes before a permute", (rules::one_view), cut_after, cut_before)

FIRES("softmax of C of (N, H, W, C)", (rules::axes_first), (along<op::softmax, -1, true>),
      (along<op::softmax, 1, false>))
FIRES("softmax of H of (N, H, W, C)", (rules::axes_first), (along<op::softmax, 1, true>),
      (along<op::softmax, 2, false>))
FIRES_LOADED("log_softmax of C of (N, H, W, C)", (rules::axes_first), (along<op::log_softmax, 3, true>),
             (along<op::log_softmax, 1, false>))
FIRES("mean of H and W of (N, H, W, C)", (rules::axes_first), (mean_of_rows<true, true>), (mean_of_rows<true, false>))
FIRES("mean of H and W of (N, H, W, C) to (N, C)", (rules::axes_first), (mean_of_rows<false, true>),
      (mean_of_rows<false, false>))
FIRES("maxima of an axis, the others permuted", (rules::axes_first), maxima_left_permuted<true>,
      maxima_left_permuted<false>)
FIRES("a sum of all", (rules::axes_first), sum_of_all<true>, sum_of_all<false>)
DECLINES("softmax after a permute of ones", (rules::axes_first), softmax_reshaped, "it only reshapes")
DECLINES("what softmax reads is an output", (rules::axes_first), softmax_shared, "its input is a network output too")

FIRES("pad between nhwc and back", (rules::pad_between), pad_after, pad_alone)
DECLINES("pad between two permutes", (rules::pad_between), pad_not_back, "it does not undo the permute before")
DECLINES("what is padded is an output", (rules::pad_between), pad_is_read, "its input is a network output too")

FIRES("nearest of nhwc and back", (rules::resize_between), scaled_nhwc, scaled_nchw)
FIRES("linear of nhwc to a size and back", (rules::resize_between), sized_nhwc, sized_nchw)
FIRES("columns of nhwc and back", (rules::resize_between), columns_nhwc, columns_nchw)
FIRES("as many columns elsewhere", (rules::resize_between), moved_columns_nhwc, moved_columns_nchw)
DECLINES("channels of nhwc resized", (rules::resize_between), channels_resized,
         "an axis that it does not resize would be among those")
DECLINES("nothing resized", (rules::resize_between), nothing_resized, "it keeps every size")
DECLINES("resize between two permutes", (rules::resize_between), resized_not_back,
         "it does not undo the permute before")
DECLINES("what is resized is an output", (rules::resize_between), resized_is_read, "its input is a network output too")
DECLINES("a resize whose first place is not the input's", (rules::resize_between), resized_elsewhere,
         "its coordinates are not the input's")
DECLINES("a part that is resized", (rules::resize_between), part_resized, "its coordinates are not the input's")
DECLINES("bytes resized by fixed-point numbers", (rules::resize_between), bytes_resized,
         "it rounds along one axis, then along the next")

FIRES("part of a split between nhwc and back", (rules::one_view), parts_after, part_before)
DECLINES("part of a split between two permutes", (rules::one_view), parts_not_back, "no fewer layers do both")

FIRES("a column of a table of channels", (rules::one_view), (of_columns<1, 2>), every_second)
FIRES("rows of a table of channels", (rules::one_view), of_rows, last_four)
FIRES("a slice of one of what is turned", (rules::one_view), of_turned<1>, turned_cut)
DECLINES("a slice of joined axes", (rules::one_view), of_joined_axes, "its elements are at no regular distances")
FIRES("what is cut is an output", (rules::one_view), cut_is_read, cut_is_read_before)

namespace {

/// Between a permute and its inverse: what ONNX Runtime's TransposeOptimizer is asked for.
constexpr value_id probe(builder& b, int which, value_id x, value_id y) {
  switch (which) {
    case 0: return b.sum("it", x, b.constant("k", {3}));
    case 1: return b.sum("it", x, y);
    case 2: return b.concat("it", {x, y}, -1);
    case 3: return b.add(op::reduce{op::reduction::mean, {1, 2}, true}, "it", {x});
    case 4: return b.add(op::softmax{-1}, "it", {x});
    case 5: return b.add(op::pad{op::pad_mode::constant, {0, 1, 1, 0}, {0, 1, 1, 0}}, "it", {x});
    case 6: return b.add(op::slice{{1}, {1}, {3}}, "it", {x});
    case 7: return b.binary("it", op::binary_function::sub, x, b.constant("k", {4, 3, 3}));
    default: return b.add(op::split{{1, 3}, 1}, "it", {x}) + 1;
  }
}
/// The permutes that are left, or -1 if the rules broke their word.
template <bool TwoPermuted>
constexpr int permutes_left(int which) {
  builder b;
  const value_id x = image<3>(b), y = TwoPermuted ? image<3>(b, "y") : 0;
  const value_id p = to_nhwc(b, "first", b.conv("conv", x, 3)), q = TwoPermuted ? to_nhwc(b, "second", y) : 0;
  b.output("", b.conv("last", to_nchw(b, "back", probe(b, which, p, q)), 3));
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rules::records);
  int permutes = 0;
  for (const node& n : o.g.nodes) permutes += n.type == &type_of<op::permute>;
  return o.broken_rule.empty() ? permutes : -1;
}
static_assert(permutes_left<false>(0) == 0 && permutes_left<true>(1) == 0 && permutes_left<true>(2) == 0 &&
              permutes_left<false>(3) == 0 && permutes_left<false>(4) == 0 && permutes_left<false>(5) == 0 &&
              permutes_left<false>(6) == 0 && permutes_left<false>(7) == 0 && permutes_left<false>(8) == 0);

}  // namespace

TEST_CASE("nothing is left of a permute and its inverse around what goes by axes") {
  for (int which = 0; which < 9; ++which) {
    CAPTURE(which);
    CHECK((which == 1 || which == 2 ? permutes_left<true>(which) : permutes_left<false>(which)) == 0);
  }
}

namespace {
/// The product of a and b, each permuted.
constexpr void product_of(builder& b, std::initializer_list<int> a, std::initializer_list<int> p,
                          std::initializer_list<int> c, std::initializer_list<int> q) {
  const value_id x = b.permute("pa", b.input("a", a), p), y = b.permute("pb", b.input("b", c), q);
  b.output("", b.add(op::matmul{}, "it", {x, y}));
}
constexpr auto matrices_turned = [](builder& b) { product_of(b, {4, 3}, {1, 0}, {5, 4}, {1, 0}); };
constexpr auto other_ranks = [](builder& b) {
  product_of(b, {3, 2, 4, 5}, {1, 0, 2, 3}, {5, 3, 6}, {1, 0, 2});
};
constexpr auto rows_to_batches = [](builder& b) { product_of(b, {3, 4, 2}, {2, 0, 1}, {5, 4, 2}, {2, 1, 0}); };
/// Two axes of (2, 3, 4) that are cut, seen as one axis or two; or nothing is left.
constexpr auto two_cuts = [](builder& b) {
  const value_id y = b.reshape("move", b.input("x", {6, 4}), {2, 3, 4});
  b.output("", b.flatten("back", b.add(op::slice{{0, 1}, {0, 0}, {1, 2}}, "cut", {y})));
};
constexpr auto two_cuts_to_one = [](builder& b) {
  const value_id y = b.reshape("move", b.input("x", {6, 4}), {2, 3, 4});
  b.output("", b.flatten("back", b.add(op::slice{{0, 1}, {0, 2}, {1, 3}}, "cut", {y})));
};
constexpr auto one_cut = [](builder& b) {
  b.output("", b.flatten("back", b.add(op::slice{{0}, {0}, {2}}, "cut", {b.input("x", {6, 4})})));
};
constexpr auto nothing_taken = [](builder& b) {
  const value_id y = b.reshape("move", b.input("x", {6, 4}), {2, 3, 4});
  b.output("", b.flatten("back", b.add(op::slice{{0}, {1}, {1}}, "cut", {y})));
};
constexpr auto still_turned = [](builder& b) {
  const value_id y = b.permute("move", b.input("x", {2, 3, 4}), {2, 0, 1});
  b.output("", b.flatten("back", b.add(op::slice{{0}, {0}, {2}}, "cut", {y})));
};
constexpr auto turned_later = [](builder& b) {
  const value_id y = b.add(op::slice{{2}, {0}, {2}}, "cut", {b.input("x", {2, 3, 4})});
  b.output("", b.flatten("back", b.permute("move", y, {2, 0, 1})));
};
/// a permuted plus b flattened or reshaped.
template <bool Reshaped>
constexpr auto one_is_reshaped = [](builder& b) {
  const value_id x = b.permute("pa", b.input("a", {2, 3}), {1, 0});
  const value_id y = Reshaped ? b.reshape("pb", b.input("b", {2, 3}), {3, 2}) : b.relu("pb", b.input("b", {3, 2}));
  b.output("", b.sum("it", x, y));
};
constexpr auto one_is_of_ones = [](builder& b) {  // whose axes the permute would only rename
  const value_id x = b.permute("pa", b.input("a", {2, 3, 4}), {1, 0, 2});
  b.output("", b.sum("it", x, b.relu("pb", b.input("b", {1, 1, 4}))));
};
constexpr auto only_ones_turned = [](builder& b) {
  const value_id x = b.permute("pa", b.input("a", {1, 3}), {1, 0}), y = b.permute("pb", b.input("b", {1, 3}), {1, 0});
  b.output("", b.sum("it", x, y));
};
}  // namespace
DECLINES("products of turned matrices", (rules::permuted_batches), matrices_turned,
         "the batches of its operands are permuted differently")
DECLINES("products of other ranks", (rules::permuted_batches), other_ranks,
         "the batches of its operands are permuted differently")
DECLINES("rows become batches", (rules::permuted_batches), rows_to_batches,
         "the batches of its operands are permuted differently")
FIRES("two cuts of what is one axis", (rules::one_view), two_cuts, one_cut)
DECLINES("a cut that takes nothing", (rules::one_view), nothing_taken, "it takes nothing")
FIRES("a cut that stays permuted", (rules::one_view), still_turned, turned_later)
DECLINES("permute + reshape", (rules::permute_once), one_is_reshaped<true>, "its operands are permuted differently")
DECLINES("permute + relu", (rules::permute_once), one_is_reshaped<false>, "its operands are permuted differently")
DECLINES("permute + relu of ones", (rules::permute_once), one_is_of_ones, "its operands are permuted differently")
DECLINES("two permutes of ones", (rules::permute_once), only_ones_turned, "it only reshapes")
