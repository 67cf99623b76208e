// SPDX-License-Identifier: BSL-1.0
// rules/movement.hpp: flatten, reshape and permute that need not be there.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr auto flatten_flat = [](builder& b) { b.output("", b.relu("relu", b.flatten("it", b.input("x", {8})))); };
constexpr auto reshape_same = [](builder& b) { b.output("", b.relu("relu", b.reshape("it", b.input("x", {8}), {8}))); };
constexpr auto relu_8 = [](builder& b) { b.output("", b.relu("relu", b.input("x", {8}))); };
constexpr auto flatten_2d = [](builder& b) { b.output("", b.flatten("it", b.linear("fc", b.input("x", {2, 4}), 3))); };
constexpr auto reshape_added = [](builder& b) {  // passes.md X4, X5: broadcasting needs the shape
  const value_id x = b.reshape("it", b.input("x", {2, 2, 1}), {1, 1, 4});
  b.output("", b.sum("sum", x, b.input("y", {3, 1, 4})));
};

constexpr auto gap_flatten = [](builder& b) {
  b.output("", b.flatten("flat", b.gap("gap", b.input("x", {3, 4, 4}))));
};
constexpr auto gap_reshape = [](builder& b) {
  b.output("", b.reshape("flat", b.gap("gap", b.input("x", {3, 4, 4})), {3}));
};
constexpr auto gap_flat = [](builder& b) {
  b.output("", b.add(op::adaptive_pool{op::pooling::average, {1, 1}, true}, "gap", {b.input("x", {3, 4, 4})}));
};
constexpr auto batched_gap_flatten = [](builder& b) {
  b.output("", b.flatten("flat", b.gap("gap", b.input("x", {2, 3, 4, 4})), 1));
};
constexpr auto batched_gap_flat = [](builder& b) {
  b.output("", b.add(op::adaptive_pool{op::pooling::average, {1, 1}, true}, "gap", {b.input("x", {2, 3, 4, 4})}));
};
constexpr auto batch_flattened_too = [](builder& b) {
  b.output("", b.flatten("flat", b.gap("gap", b.input("x", {2, 3, 4, 4}))));
};
constexpr auto pool_2x2_flatten = [](builder& b) {
  b.output("",
           b.flatten("flat", b.add(op::adaptive_pool{op::pooling::average, {2, 2}}, "gap", {b.input("x", {3, 4, 4})})));
};
constexpr auto gap_read_twice = [](builder& b) {
  const value_id p = b.gap("gap", b.input("x", {3, 4, 4}));
  b.output("a", b.flatten("flat", p));
  b.output("b", b.relu("relu", p));
};
constexpr auto gap_to_rows = [](builder& b) {
  b.output("", b.reshape("rows", b.gap("gap", b.input("x", {4, 4, 4})), {2, 2}));
};

template <int Case>
constexpr auto two = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4});
  switch (Case) {
    case 0: b.output("", b.flatten("second", b.flatten("first", x, 1))); break;
    case 1: b.output("", b.flatten("second", b.reshape("first", x, {6, 2, 2}))); break;
    case 2: b.output("", b.reshape("second", b.flatten("first", x), {4, 6})); break;
    case 3: b.output("", b.reshape("second", b.reshape("first", x, {6, 4}), {4, 6})); break;
    case 4: b.output("", b.flatten("second", x)); break;
    case 5: b.output("", b.reshape("second", x, {4, 6})); break;
    case 6: b.output("", b.flatten("second", b.relu("first", x))); break;
    case 7: b.output("", b.reshape("second", b.permute("first", x, {1, 0, 2}), {4, 6})); break;
    case 8: b.output("", b.reshape("second", b.relu("first", x), {4, 6})); break;
  }
};
constexpr recipe flat_flat = two<0>, shape_flat = two<1>, flat_shape = two<2>, shape_shape = two<3>, flat = two<4>,
                 reshaped = two<5>, relu_flat = two<6>, permute_shape = two<7>, relu_shape = two<8>;
constexpr auto shared_first = [](builder& b) {
  const value_id f = b.reshape("first", b.input("x", {2, 3, 4}), {6, 4});
  b.output("a", b.linear("fc", f, 2));
  b.output("b", b.reshape("second", f, {4, 6}));
};
constexpr auto both_from_x = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4}), f = b.reshape("first", x, {6, 4});
  b.output("a", b.linear("fc", f, 2));
  b.output("b", b.reshape("second", x, {4, 6}));
};

constexpr auto permute_none = [](builder& b) {
  b.output("", b.relu("relu", b.permute("it", b.input("x", {2, 3}), {0, 1})));
};
constexpr auto relu_2x3 = [](builder& b) { b.output("", b.relu("relu", b.input("x", {2, 3}))); };
constexpr auto permute_square = [](builder& b) { b.output("", b.permute("it", b.input("x", {3, 3}), {1, 0})); };
constexpr auto permute_twice = [](builder& b) {
  b.output("", b.permute("second", b.permute("first", b.input("x", {2, 3, 4}), {2, 0, 1}), {2, 1, 0}));
};
constexpr auto permute_once = [](builder& b) { b.output("", b.permute("second", b.input("x", {2, 3, 4}), {1, 0, 2})); };
constexpr auto permute_relu_permute = [](builder& b) {
  b.output("", b.permute("second", b.relu("relu", b.permute("first", b.input("x", {2, 3, 4}), {2, 0, 1})), {2, 1, 0}));
};

/// (3, 4, 5) through a linear layer over its last axes from `First` on.
template <bool Flatten, int First>
constexpr auto into_linear = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 5});
  b.output("", b.linear("fc", Flatten ? b.flatten("move", x, First) : b.reshape("move", x, {3, 20}), 2));
};
template <int Axes>
constexpr auto over_axes = [](builder& b) {
  op::linear fc;
  fc.out = 2;
  fc.axes = Axes;
  b.output("", b.add(fc, "fc", {b.input("x", {3, 4, 5})}));
};
constexpr auto flatten_into_matrix = [](builder& b) {
  op::linear fc;
  fc.out = 2;
  fc.axes = 2;
  b.output("", b.add(fc, "fc", {b.flatten("move", b.input("x", {3, 2, 4, 5}), 2)}));
};
constexpr auto over_matrix = [](builder& b) {
  op::linear fc;
  fc.out = 2;
  fc.axes = 3;
  b.output("", b.add(fc, "fc", {b.input("x", {3, 2, 4, 5})}));
};
template <int Rank>
constexpr auto linear_reshape = [](builder& b) {
  const value_id y = b.linear("fc", b.input("x", {5}), 4);
  b.output("", Rank == 3 ? b.reshape("move", y, {4, 1, 1}) : b.reshape("move", y, {1, 4}));
};
constexpr auto linear_of_channels = [](builder& b) {
  b.output("", b.add(op::linear{4, true, {}, 1, 2}, "fc", {b.input("x", {5})}));
};
constexpr auto rows_reshape = [](builder& b) {
  b.output("", b.reshape("move", b.linear("fc", b.input("x", {2, 5}), 4), {2, 4, 1}));
};
constexpr auto rows_with_one = [](builder& b) {
  b.output("", b.add(op::linear{4, true, {}, 1, 1}, "fc", {b.input("x", {2, 5})}));
};
constexpr auto rows_to_vector = [](builder& b) {
  b.output("", b.reshape("move", b.linear("fc", b.input("x", {2, 5}), 4), {8}));
};
template <int... Shape>
constexpr auto of_one_row = [](builder& b) {
  b.output("", b.reshape("move", b.linear("fc", b.input("x", {1, 5}), 4), {Shape...}));
};
template <int Ones>
constexpr auto with_ones = [](builder& b) {
  b.output("", b.add(op::linear{4, true, {}, 1, Ones}, "fc", {b.input("x", {5})}));
};
template <int Ones, int... Shape>
constexpr auto from_ones = [](builder& b) {
  b.output("", b.reshape("move", b.add(op::linear{4, true, {}, 1, Ones}, "fc", {b.input("x", {5})}), {Shape...}));
};
constexpr auto ones_flattened = [](builder& b) {
  b.output("", b.flatten("move", b.add(op::linear{4, true, {}, 1, 2}, "fc", {b.input("x", {5})})));
};
constexpr auto first_into_linear = [](builder& b) {
  b.output("", b.linear("fc", b.add(op::flatten{0, 1}, "move", {b.input("x", {3, 4, 5})}), 2));
};
constexpr auto other_rows = [](builder& b) {
  b.output("", b.linear("fc", b.reshape("move", b.input("x", {3, 4, 5}), {4, 15}), 2));
};
constexpr auto more_axes = [](builder& b) {
  b.output("", b.linear("fc", b.reshape("move", b.input("x", {3, 4}), {3, 2, 2}), 2));
};

}  // namespace

FIRES("flatten of a vector goes", (rules::one_view), flatten_flat, relu_8)
DECLINES("flatten of linear's rows stays (X6)", (rules::one_view), flatten_2d, "")
FIRES("reshape to the same shape goes", (rules::one_view), reshape_same, relu_8)
DECLINES("reshape before a sum stays (X4, X5)", (rules::one_view), reshape_added, "")

FIRES("global pooling flattens", (rules::global_pool_flatten), gap_flatten, gap_flat)
FIRES("global pooling of a batch flattens", (rules::global_pool_flatten), batched_gap_flatten, batched_gap_flat)
DECLINES("flattening the batch, too, stays (X11)", (rules::global_pool_flatten), batch_flattened_too,
         "it gives another shape than one number a channel")
DECLINES("2x2 pooling keeps its flatten", (rules::global_pool_flatten), pool_2x2_flatten, "the pooling is not global")
DECLINES("pooling read by another layer keeps its flatten", (rules::global_pool_flatten), gap_read_twice,
         "its input is also read by another layer")
FIRES("global pooling takes a reshape", (rules::global_pool_flatten), gap_reshape, gap_flat)
DECLINES("reshape to rows stays", (rules::global_pool_flatten), gap_to_rows,
         "it gives another shape than one number a channel")

FIRES("flatten > flatten", (rules::one_view), flat_flat, flat)
DECLINES("relu > flatten", (rules::one_view), relu_flat, "")
FIRES("reshape > flatten", (rules::one_view), shape_flat, flat)
DECLINES("relu > flatten is no chain", (rules::one_view), relu_flat, "")
FIRES("flatten > reshape", (rules::one_view), flat_shape, reshaped)
DECLINES("relu > reshape", (rules::one_view), relu_shape, "")
FIRES("reshape > reshape", (rules::one_view), shape_shape, reshaped)
FIRES("a shared reshape stays for the other", (rules::one_view), shared_first, both_from_x)
DECLINES("permute > reshape", (rules::one_view), permute_shape, "no fewer layers do both")

FIRES("flatten > linear", (rules::flatten_linear), (into_linear<true, 0>), (over_axes<3>))
FIRES("flatten of images > linear", (rules::flatten_linear), (into_linear<true, 1>), (over_axes<2>))
FIRES("flatten of rows > linear of matrices", (rules::flatten_linear), flatten_into_matrix, over_matrix)
DECLINES("flatten of the first axes > linear", (rules::flatten_linear), first_into_linear,
         "it changes other axes than the last")
FIRES("reshape > linear", (rules::flatten_linear), (into_linear<false, 1>), (over_axes<2>))
DECLINES("reshape to other rows > linear", (rules::flatten_linear), other_rows, "it changes other axes than the last")
DECLINES("reshape to more axes > linear", (rules::flatten_linear), more_axes, "it makes more than one of the last axes")
FIRES("linear > reshape to channels", (rules::linear_ones), linear_reshape<3>, linear_of_channels)
FIRES("linear of rows > reshape with a one behind", (rules::linear_ones), rows_reshape, rows_with_one)
DECLINES("linear > reshape to a row", (rules::linear_ones), linear_reshape<2>, "it does more than putting ones behind")
DECLINES("linear of rows > reshape to a vector", (rules::linear_ones), rows_to_vector,
         "it does more than putting ones behind")
DECLINES("linear of rows of one > reshape to a vector", (rules::linear_ones), (of_one_row<4>),
         "it does more than putting ones behind")
FIRES("linear with ones behind > reshape with fewer", (rules::linear_ones), (from_ones<2, 4, 1>), (with_ones<1>))
FIRES("linear with ones behind > flatten", (rules::linear_ones), ones_flattened, (with_ones<0>))
DECLINES("linear with ones behind > reshape with ones in front", (rules::linear_ones), (from_ones<2, 1, 4>),
         "it does more than putting ones behind")
FIRES("permute that moves nothing goes", (rules::one_view), permute_none, relu_2x3)
DECLINES("permute of a square stays", (rules::one_view), permute_square, "")
FIRES("permute > permute", (rules::one_view), permute_twice, permute_once)
DECLINES("permute > relu > permute", (rules::one_view), permute_relu_permute, "")

namespace {

template <int... To>
constexpr auto added_to = [](builder& b) {
  const value_id x = b.input("x", {3, 4});
  b.output("", b.sum("it", b.input("y", {2, 3, 4}), b.reshape("up", x, {To...})));
};
constexpr auto ones_inside = [](builder& b) {
  b.output("", b.sum("it", b.input("y", {3, 5, 4}), b.reshape("up", b.input("x", {3, 4}), {3, 1, 4})));
};
constexpr auto added_plainly = [](builder& b) {
  const value_id x = b.input("x", {3, 4});
  b.output("", b.sum("it", b.input("y", {2, 3, 4}), x));
};
template <bool Read>
constexpr auto added_and_used = [](builder& b) {  // by a layer that wants its rank
  const value_id up = b.reshape("up", b.input("x", {3, 4}), {1, 3, 4});
  if (Read) b.output("up", up);
  else b.output("mean", b.add(op::softmax{-1}, "softmax", {up}));
  b.output("", b.sum("it", b.input("y", {2, 3, 4}), up));
};
constexpr auto rank_from_reshape = [](builder& b) {
  const value_id x = b.input("x", {3, 4});
  b.output("", b.sum("it", b.input("y", {4}), b.reshape("up", x, {1, 3, 4})));
};
constexpr auto added_scalar = [](builder& b) {
  b.output("", b.scalar("it", op::binary_function::add, b.reshape("up", b.input("x", {3, 4}), {1, 3, 4}), 2));
};

constexpr auto added_scalar_beside = [](builder& b) {  // whose layer has no second operand, but the next one has some
  const value_id v = b.reshape("up", b.input("x", {3, 4}), {1, 3, 4}), w = b.input("w", {1, 3, 4});
  b.output("y", b.scalar("it", op::binary_function::add, v, 2));
  b.output("z", b.relu("relu", w));
};

}  // namespace

FIRES("ones in front of a broadcast operand", (rules::leading_ones), (added_to<1, 3, 4>), added_plainly)
DECLINES("reshape that is not ones in front", (rules::leading_ones), ones_inside,
         "it does more than putting ones in front")
DECLINES("the reshape makes the rank", (rules::leading_ones), rank_from_reshape, "the result would have another rank")
DECLINES("the reshape is another layer's, too", (rules::leading_ones), added_and_used<false>,
         "another layer needs it reshaped")
DECLINES("the reshape is an output", (rules::leading_ones), added_and_used<true>, "its input is a network output too")
DECLINES("the reshape before a scalar", (rules::leading_ones), added_scalar, "the result would have another rank")
DECLINES("the reshape before a scalar and another layer", (rules::leading_ones), added_scalar_beside,
         "the result would have another rank")

namespace {

/// x as a table, its axes exchanged, and back to a shape.
template <class Table, class Order, class Back>
constexpr void spelled(builder& b, value_id x, Table table, Order order, Back back) {
  b.output("", b.reshape("it", b.permute("turn", b.reshape("rows", x, table), order), back));
}
using ints = std::initializer_list<int>;
constexpr auto shuffle_3d = [](builder& b) {
  spelled(b, b.input("x", {6, 2, 3}), ints{2, 3, 2, 3}, ints{1, 0, 2, 3}, ints{6, 2, 3});
};
constexpr auto shuffle_flat_rest = [](builder& b) {
  spelled(b, b.input("x", {6, 2, 3}), ints{2, 3, 6}, ints{1, 0, 2}, ints{6, 2, 3});
};
constexpr auto shuffle_batch = [](builder& b) {
  spelled(b, b.input("x", {2, 6, 2, 2}), ints{2, 2, 3, 2, 2}, ints{0, 2, 1, 3, 4}, ints{2, 6, 2, 2});
};
constexpr auto shuffled = [](builder& b) {
  b.output("", b.add(op::channel_shuffle{2}, "it", {b.input("x", {6, 2, 3})}));
};
constexpr auto shuffled_batch = [](builder& b) {
  b.output("", b.add(op::channel_shuffle{2}, "it", {b.input("x", {2, 6, 2, 2})}));
};
constexpr auto groups_too_wide = [](builder& b) {  // the table's second axis takes rows of pixels, too
  spelled(b, b.input("x", {6, 2, 3}), ints{2, 6, 3}, ints{1, 0, 2}, ints{6, 2, 3});
};
constexpr auto rows_turned = [](builder& b) {
  b.output("", b.permute("turn", b.reshape("rows", b.input("x", {6, 2, 3}), {2, 6, 3}), {1, 0, 2}));
};
constexpr auto other_order = [](builder& b) {
  spelled(b, b.input("x", {6, 2, 3}), ints{2, 3, 2, 3}, ints{1, 0, 3, 2}, ints{6, 2, 3});
};
constexpr auto other_result = [](builder& b) {
  spelled(b, b.input("x", {6, 2, 3}), ints{2, 3, 2, 3}, ints{1, 0, 2, 3}, ints{3, 4, 3});
};
constexpr auto no_groups = [](builder& b) {
  b.output("", b.reshape("it", b.permute("turn", b.input("x", {2, 3, 6}), {1, 0, 2}), {6, 2, 3}));
};
constexpr auto turned_is_output = [](builder& b) {
  const value_id turned = b.permute("turn", b.reshape("rows", b.input("x", {6, 2, 3}), {2, 3, 6}), {1, 0, 2});
  b.output("turned", turned);
  b.output("", b.reshape("it", turned, {6, 2, 3}));
};

}  // namespace

FIRES("channel shuffle", (rules::one_view), shuffle_3d, shuffled)
FIRES("channel shuffle of flattened pixels", (rules::one_view), shuffle_flat_rest, shuffled)
FIRES("channel shuffle of a batch", (rules::one_view), shuffle_batch, shuffled_batch)
FIRES("groups of more than channels", (rules::one_view), groups_too_wide, rows_turned)
DECLINES("a permutation that moves pixels, too", (rules::one_view), other_order, "no fewer layers do both")
DECLINES("a shuffle to another shape", (rules::one_view), other_result, "no fewer layers do both")
DECLINES("a permutation without groups", (rules::one_view), no_groups, "no fewer layers do both")
DECLINES("the permuted value is an output", (rules::one_view), turned_is_output, "its input is a network output too")

namespace {

constexpr auto pixels = [](builder& b) {
  spelled(b, b.input("x", {12, 2, 5}), ints{2, 3, 2, 2, 5}, ints{0, 3, 1, 4, 2}, ints{2, 6, 10});
};
constexpr auto pixels_of_batch = [](builder& b) {
  spelled(b, b.input("x", {2, 4, 3, 2}), ints{2, 1, 2, 2, 3, 2}, ints{0, 1, 4, 2, 5, 3}, ints{2, 1, 6, 4});
};
constexpr auto pixels_shuffled = [](builder& b) {
  b.output("", b.add(op::pixel_shuffle{{3, 2}}, "it", {b.input("x", {12, 2, 5})}));
};
constexpr auto pixels_of_batch_shuffled = [](builder& b) {
  b.output("", b.add(op::pixel_shuffle{{2, 2}}, "it", {b.input("x", {2, 4, 3, 2})}));
};
constexpr auto blocks_first = [](builder& b) {  // ONNX's DepthToSpace in its other mode: blocks are the outer channels
  spelled(b, b.input("x", {8, 3, 3}), ints{2, 2, 2, 3, 3}, ints{2, 3, 0, 4, 1}, ints{2, 6, 6});
};
constexpr auto other_pixels = [](builder& b) {
  spelled(b, b.input("x", {12, 2, 5}), ints{2, 3, 2, 5, 2}, ints{0, 3, 1, 4, 2}, ints{2, 15, 4});
};
constexpr auto four_axes = [](builder& b) {
  spelled(b, b.input("x", {6, 2, 3}), ints{2, 3, 2, 3}, ints{1, 0, 2, 3}, ints{6, 2, 3});
};
constexpr auto without_blocks = [](builder& b) {
  b.output("", b.reshape("it", b.permute("turn", b.input("x", {2, 2, 2, 3, 3}), {0, 3, 1, 4, 2}), {2, 6, 6}));
};

}  // namespace

FIRES("pixel shuffle", (rules::one_view), pixels, pixels_shuffled)
FIRES("pixel shuffle of a batch", (rules::one_view), pixels_of_batch, pixels_of_batch_shuffled)
DECLINES("blocks before channels", (rules::one_view), blocks_first, "no fewer layers do both")
DECLINES("blocks of other pixels", (rules::one_view), other_pixels, "no fewer layers do both")
DECLINES("a permutation without blocks", (rules::one_view), without_blocks, "no fewer layers do both")

namespace {

template <int Groups, int Channels>
constexpr auto shuffled_by = [](builder& b) {
  b.output("", b.relu("relu", b.add(op::channel_shuffle{Groups}, "it", {b.input("x", {Channels, 2, 2})})));
};
template <int Factor>
constexpr auto blocks_of = [](builder& b) {
  b.output("", b.relu("relu", b.add(op::pixel_shuffle{{Factor, 1}}, "it", {b.input("x", {4, 2, 2})})));
};
constexpr auto relu_only = [](builder& b) { b.output("", b.relu("relu", b.input("x", {4, 2, 2}))); };

}  // namespace

FIRES("shuffle of one group goes", (rules::one_view), (shuffled_by<1, 4>), relu_only)
FIRES("shuffle of single channels goes", (rules::one_view), (shuffled_by<4, 4>), relu_only)
DECLINES("shuffle of two groups stays", (rules::one_view), (shuffled_by<2, 4>), "")
FIRES("blocks of single pixels go", (rules::one_view), blocks_of<1>, relu_only)
DECLINES("blocks of two pixels stay", (rules::one_view), blocks_of<2>, "")

namespace {

constexpr auto ones_move = [](builder& b) { b.output("", b.permute("it", b.input("x", {3, 1, 4}), {1, 0, 2})); };
constexpr auto ones_reshaped = [](builder& b) { b.output("", b.reshape("it", b.input("x", {3, 1, 4}), {1, 3, 4})); };
constexpr auto reshape_to_itself = [](builder& b) {
  b.output("", b.reshape("second", b.reshape("first", b.input("x", {2, 3, 4}), {6, 4}), {6, 4}));
};

}  // namespace

FIRES("permute that moves a one", (rules::one_view), ones_move, ones_reshaped)
DECLINES("permute that moves rows", (rules::one_view), permute_square, "")

namespace {
/// x reshaped, permuted and reshaped.
constexpr void three_steps(builder& b, std::initializer_list<int> x, std::initializer_list<int> cut,
                           std::initializer_list<int> order, std::initializer_list<int> back) {
  b.output("", b.reshape("back", b.permute("turn", b.reshape("cut", b.input("x", x), cut), order), back));
}
constexpr auto flat_pool_reshaped = [](builder& b) {
  const op::adaptive_pool p{op::pooling::average, {1, 1}, true};
  b.output("", b.reshape("flat", b.add(p, "gap", {b.input("x", {2, 3, 4})}), {2, 1}));
};
constexpr auto one_output_flattened = [](builder& b) {
  b.output("", b.flatten("flat", b.linear("fc", b.input("x", {3, 5}), 1)));
};
constexpr auto ones_permuted_twice = [](builder& b) {
  b.output("", b.permute("it", b.permute("first", b.input("x", {2, 1, 3}), {2, 1, 0}), {1, 0, 2}));
};
constexpr auto added_transposed = [](builder& b) {
  b.output("", b.sum("it", b.input("y", {4, 3}), b.reshape("up", b.input("x", {3, 4}), {4, 3})));
};
constexpr auto one_added_to = [](builder& b) {
  b.output("", b.scalar("it", op::binary_function::add, b.reshape("up", b.input("x", {3, 4}), {1, 3, 4}), 2));
};
constexpr auto columns_of_matrix = [](builder& b) { three_steps(b, {6, 4}, {2, 3, 4}, {1, 0, 2}, {6, 4}); };
constexpr auto channels_of_volumes = [](builder& b) {
  three_steps(b, {1, 2, 6, 2, 2}, {1, 2, 2, 3, 2, 2}, {0, 1, 3, 2, 4, 5}, {1, 2, 6, 2, 2});
};
constexpr auto rows_in_groups = [](builder& b) { three_steps(b, {4, 4, 2}, {4, 2, 2, 2}, {0, 2, 1, 3}, {4, 4, 2}); };
constexpr auto blocks_of_matrix = [](builder& b) { three_steps(b, {4, 6}, {2, 2, 2, 3}, {2, 0, 3, 1}, {4, 6}); };
constexpr auto blocks_of_volumes = [](builder& b) {
  three_steps(b, {2, 1, 4, 2, 3}, {2, 1, 1, 2, 2, 2, 3}, {0, 1, 2, 5, 3, 6, 4}, {2, 1, 1, 4, 6});
};
template <int... Back>
constexpr auto blocks_to = [](builder& b) {
  three_steps(b, {4, 2, 3}, {1, 2, 2, 2, 3}, {0, 3, 1, 4, 2}, {Back...});
};
}  // namespace
DECLINES("pool of one number a channel > reshape", (rules::global_pool_flatten), flat_pool_reshaped,
         "the pooling is not global")
DECLINES("linear of one output > flatten", (rules::linear_ones), one_output_flattened,
         "it does more than putting ones behind")
DECLINES("reshape that adds no axis > sum", (rules::leading_ones), added_transposed, "it does not put ones in front")
DECLINES("ones in front of a sum with a number", (rules::leading_ones), one_added_to,
         "the result would have another rank")
DECLINES("groups of rows of a matrix", (rules::one_view), columns_of_matrix, "no fewer layers do both")
DECLINES("groups of channels of volumes", (rules::one_view), channels_of_volumes, "no fewer layers do both")
DECLINES("groups of rows", (rules::one_view), rows_in_groups, "no fewer layers do both")
DECLINES("blocks of a matrix", (rules::one_view), blocks_of_matrix, "no fewer layers do both")
DECLINES("blocks of volumes", (rules::one_view), blocks_of_volumes, "no fewer layers do both")
DECLINES("blocks flattened", (rules::one_view), blocks_to<24>, "no fewer layers do both")
DECLINES("blocks of other rows", (rules::one_view), (blocks_to<1, 6, 4>), "no fewer layers do both")

namespace {
/// A flattened value that two linear layers read, and perhaps somebody else.
enum class also { nobody, relu, residual, output };
template <also Who, bool Flat = true>
constexpr auto into_two = [](builder& b) {
  const value_id x = b.input("x", {3, 4, 5}), flat = Flat ? b.flatten("move", x, 1) : x;
  op::linear fc{2};
  if (!Flat) fc.axes = 2;
  b.output("a", b.add(fc, "a", {flat}));
  b.output("c", b.add(fc, "c", {flat}));
  if (Who == also::relu) b.output("relu", b.relu("relu", flat));
  if (Who == also::residual) b.output("d", b.add(op::linear{20}, "d", {b.input("y", {3, 5}), flat}));
  if (Who == also::output) b.output("flat", flat);
};
}  // namespace
FIRES("flatten > two linear layers", (rules::flatten_linear), into_two<also::nobody>, (into_two<also::nobody, false>))
DECLINES("flatten > linear layers and relu", (rules::flatten_linear), into_two<also::relu>,
         "another layer needs it reshaped")
DECLINES("flatten > linear layers, and what one adds", (rules::flatten_linear), into_two<also::residual>,
         "it is the residual")
DECLINES("a flattened value that is an output > linear layers", (rules::flatten_linear), into_two<also::output>,
         "its input is a network output too")
