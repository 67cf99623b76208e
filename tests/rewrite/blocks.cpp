// SPDX-License-Identifier: BSL-1.0
// rules/blocks.hpp: blocks of pixels as channels before a convolution.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// What differs from slices of (3, 6, 8) by blocks of 2 x 2, row by row of a block, before a convolution.
enum class slip {
  none,
  by_columns,
  twice_one,
  two_values,
  part_read,
  whole_read,
  other_axis,
  cut,
  groups,
  holes,
  same
};
template <slip S>
constexpr value_id slices(builder& b, value_id x) {
  const value_id y = S == slip::two_values ? b.input("y", {3, 6, 8}) : x;
  value_id parts[4]{};
  for (int i = 0; i < 4; ++i) {
    int row = i / 2, column = i % 2;
    if (S == slip::by_columns) row = i % 2, column = i / 2;
    if (S == slip::twice_one && i == 3) row = 0;
    const int last = S == slip::cut ? 6 : 8;
    parts[i] = b.add(op::slice{{1, 2}, {row, column}, {6, last}, {2, 2}}, "part", {i == 2 ? y : x});
  }
  if (S == slip::part_read) b.output("part", parts[1]);
  return b.concat("blocks", {parts[0], parts[1], parts[2], parts[3]}, S == slip::other_axis ? 1 : 0);
}
template <slip S>
constexpr auto focus = [](builder& b) {
  const value_id blocks = slices<S>(b, b.input("x", {3, 6, 8}));
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 2};
  c.stride = {1, 2};
  c.pad = {1, 0, 1, 1};
  if (S == slip::groups) c.groups = 4;
  if (S == slip::holes) c.dilation = {1, 2};
  if (S == slip::same) c.pad = {}, c.same = same_padding::upper;
  if (S == slip::whole_read) b.output("blocks", blocks);
  b.output("", b.add(c, "c", {blocks}));
};
template <bool Same>
constexpr auto whole = [](builder& b) {
  op::conv2d c;
  c.out = 4;
  c.kernel = {6, 4};
  c.stride = {2, 4};
  c.pad = {2, 0, 2, Same ? 0 : 2};
  b.output("", b.add(c, "c", {b.input("x", {3, 6, 8})}));
};

/// Rows of blocks alone.
constexpr auto rows_in_steps = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 6, 5});
  value_id parts[3]{};
  for (int i = 0; i < 3; ++i) parts[i] = b.add(op::slice{{2}, {i}, {}, {3}}, "part", {x});
  b.output("", b.conv("c", b.concat("blocks", {parts[0], parts[1], parts[2]}, 1), 4, 1, {function::relu}));
};
constexpr auto rows_at_once = [](builder& b) {
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 1};
  c.stride = {3, 1};
  c.activation = {function::relu};
  b.output("", b.add(c, "c", {b.input("x", {2, 3, 6, 5})}));
};

/// Space to depth by reshape > permute > reshape, of a batch or without.
template <int... Order>
constexpr auto turned = [](builder& b) {
  const value_id cut = b.reshape("cut", b.input("x", {2, 3, 4, 6}), {2, 3, 2, 2, 2, 3});
  b.output("", b.conv("c", b.reshape("back", b.permute("turned", cut, {Order...}), {2, 18, 2, 2}), 5, 3));
};
constexpr auto turned_at_once = [](builder& b) {
  op::conv2d c;
  c.out = 5;
  c.kernel = {6, 9};
  c.stride = {2, 3};
  c.pad = {2, 3, 2, 3};
  b.output("", b.add(c, "c", {b.input("x", {2, 3, 4, 6})}));
};
constexpr auto turned_image = [](builder& b) {
  const value_id cut = b.reshape("cut", b.input("x", {3, 4, 6}), {3, 2, 2, 2, 3});
  b.output("", b.conv("c", b.reshape("back", b.permute("turned", cut, {2, 4, 0, 1, 3}), {18, 2, 2}), 5, 1));
};
constexpr auto turned_image_at_once = [](builder& b) {
  op::conv2d c;
  c.out = 5;
  c.kernel = {2, 3};
  c.stride = {2, 3};
  b.output("", b.add(c, "c", {b.input("x", {3, 4, 6})}));
};
constexpr auto turned_is_read = [](builder& b) {
  const value_id turned =
      b.permute("turned", b.reshape("cut", b.input("x", {3, 4, 6}), {3, 2, 2, 2, 3}), {2, 4, 0, 1, 3});
  b.output("turned", turned);
  b.output("", b.conv("c", b.reshape("back", turned, {18, 2, 2}), 5, 1));
};
constexpr auto other_reshape = [](builder& b) {
  const value_id turned =
      b.permute("turned", b.reshape("cut", b.input("x", {3, 4, 6}), {3, 2, 2, 2, 3}), {2, 4, 0, 1, 3});
  b.output("", b.conv("c", b.reshape("back", turned, {9, 4, 2}), 5, 1));
};
constexpr auto other_cut = [](builder& b) {
  const value_id turned =
      b.permute("turned", b.reshape("cut", b.input("x", {3, 4, 6}), {3, 2, 3, 2, 2}), {2, 4, 0, 1, 3});
  b.output("", b.conv("c", b.reshape("back", turned, {18, 2, 2}), 5, 1));
};
constexpr auto as_residual = [](builder& b) {
  op::conv2d c;
  c.out = 12;
  c.kernel = {1, 1};
  const value_id y = b.input("y", {4, 3, 4});
  b.output("", b.add(c, "c", {y, slices<slip::none>(b, b.input("x", {3, 6, 8}))}));
};

}  // namespace

FIRES("slices of blocks, row by row", (rules::conv_of_blocks), focus<slip::none>, whole<false>)
FIRES("slices of blocks, column by column", (rules::conv_of_blocks), focus<slip::by_columns>, whole<false>)
FIRES("slices of blocks, padded to the same size", (rules::conv_of_blocks), focus<slip::same>, whole<true>)
FIRES("every third row", (rules::conv_of_blocks), rows_in_steps, rows_at_once)
DECLINES("one slice twice", (rules::conv_of_blocks), focus<slip::twice_one>, "")
DECLINES("slices of two values", (rules::conv_of_blocks), focus<slip::two_values>, "")
DECLINES("a slice that is an output", (rules::conv_of_blocks), focus<slip::part_read>, "")
DECLINES("slices one below the other", (rules::conv_of_blocks), focus<slip::other_axis>, "")
DECLINES("slices of a part", (rules::conv_of_blocks), focus<slip::cut>, "")
DECLINES("joined slices that are an output", (rules::conv_of_blocks), focus<slip::whole_read>,
         "its input is a network output too")
DECLINES("blocks in groups", (rules::conv_of_blocks), focus<slip::groups>, "it has groups")
DECLINES("windows with holes", (rules::conv_of_blocks), focus<slip::holes>, "its windows have holes")
DECLINES("blocks as a residual", (rules::conv_of_blocks), as_residual, "it is the residual")
FIRES("space to depth of a batch", (rules::conv_of_blocks), (turned<0, 3, 5, 1, 2, 4>), turned_at_once)
FIRES("space to depth of an image", (rules::conv_of_blocks), turned_image, turned_image_at_once)
DECLINES("blocks behind the channels", (rules::conv_of_blocks), (turned<0, 1, 3, 5, 2, 4>), "")
DECLINES("turned blocks that are an output", (rules::conv_of_blocks), turned_is_read, "")
DECLINES("turned blocks as other channels", (rules::conv_of_blocks), other_reshape, "")
DECLINES("blocks that are no rows and columns", (rules::conv_of_blocks), other_cut, "")
