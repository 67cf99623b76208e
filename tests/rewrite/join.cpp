// SPDX-License-Identifier: BSL-1.0
// rules/join.hpp: concat, split and slice.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr value_id image(builder& b, std::string_view name = "x") { return b.input(name, {2, 3, 4}); }
constexpr value_id join(builder& b, std::string_view name, int axis, std::initializer_list<value_id> in) {
  return b.add(op::concat{axis}, name, in);
}
constexpr value_id cut(builder& b, std::string_view name, value_id x, int axis, int start, int end) {
  return b.add(op::slice{{axis}, {start}, {end}}, name, {x});
}

template <int Inner, int Outer>
constexpr auto nested = [](builder& b) {
  const value_id x = image(b), y = image(b, "y"), z = b.input("z", {Inner == 0 ? 4 : 2, 3, Inner == 0 ? 4 : 8});
  b.output("", join(b, "it", Outer, {z, join(b, "inner", Inner, {x, y})}));
};
constexpr auto flat = [](builder& b) {
  const value_id x = image(b), y = image(b, "y"), z = b.input("z", {4, 3, 4});
  b.output("", join(b, "it", 0, {z, x, y}));
};
constexpr auto inner_is_read = [](builder& b) {
  const value_id x = image(b), inner = join(b, "inner", 0, {x, image(b, "y")});
  b.output("a", b.relu("a", inner));
  b.output("it", join(b, "it", 0, {inner, x}));
};

template <int First, int Second>
constexpr auto twice = [](builder& b) {
  b.output("", cut(b, "it", cut(b, "inner", b.input("x", {9, 9}), First, 2, -1), Second, 1, 4));
};
constexpr auto once = [](builder& b) { b.output("", cut(b, "it", b.input("x", {9, 9}), 0, 3, 6)); };
constexpr auto both_ways = [](builder& b) {
  b.output("", b.add(op::slice{{0, 1}, {2, 1}, {8, 4}}, "it", {b.input("x", {9, 9})}));
};
/// Every third element from the end, of which every second from the end: 19 16 ... 1, then 1 7 13 19.
constexpr auto back_and_forth = [](builder& b) {
  const value_id inner = b.add(op::slice{{0}, {-1}, {}, {-3}}, "inner", {b.input("x", {20, 2})});
  b.output("", b.add(op::slice{{0}, {}, {}, {-2}}, "it", {inner}));
};
constexpr auto only_forth = [](builder& b) {
  b.output("", b.add(op::slice{{0}, {1}, {20}, {6}}, "it", {b.input("x", {20, 2})}));
};
constexpr auto reversed = [](builder& b) {
  const value_id inner = b.add(op::slice{{0}, {}, {}, {-1}}, "inner", {b.input("x", {9, 9})});
  b.output("", cut(b, "it", inner, 0, 0, 3));
};
constexpr auto last_three = [](builder& b) {
  b.output("", b.add(op::slice{{0}, {8}, {-4}, {-1}}, "it", {b.input("x", {9, 9})}));
};
constexpr auto cut_is_read = [](builder& b) {
  const value_id inner = cut(b, "inner", b.input("x", {9, 9}), 0, 2, 8);
  b.output("a", b.relu("a", inner));
  b.output("it", cut(b, "it", inner, 0, 1, 4));
};

template <int Start, int End>
constexpr auto part_of_join = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {5, 3, 4});
  const value_id whole = join(b, "whole", 0, {x, y});
  b.output("it", b.relu("it", cut(b, "cut", whole, 0, Start, End)));
  b.output("whole", whole);
};
constexpr auto the_part = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {5, 3, 4});
  const value_id whole = join(b, "whole", 0, {x, y});
  b.output("it", b.relu("it", y));
  b.output("whole", whole);
};

template <int Axis, bool Swap>
constexpr auto split_and_joined = [](builder& b) {
  const value_id x = b.input("x", {4, 4});
  const value_id first = b.add(op::split{{1, 3}, 0}, "parts", {x});
  b.output("", b.relu("r", Swap ? join(b, "it", Axis, {first + 1, first}) : join(b, "it", Axis, {first, first + 1})));
};
constexpr auto never_split = [](builder& b) { b.output("", b.relu("r", b.input("x", {4, 4}))); };
constexpr auto one_part_missing = [](builder& b) {
  const value_id x = b.input("x", {6, 4});
  const value_id first = b.add(op::split{{1, 3, 2}, 0}, "parts", {x});
  b.output("", join(b, "it", 0, {first, first + 1}));
};
constexpr auto split_equally_joined_across = [](builder& b) {
  const value_id first = b.add(op::split{{2, 2}, 0}, "parts", {b.input("x", {4, 4})});
  b.output("", join(b, "it", 1, {first, first + 1}));
};

}  // namespace

FIRES("concat of a concat", (rules::concat_chain), (nested<0, 0>), flat)
DECLINES("concat of a concat along another axis", (rules::concat_chain), (nested<2, 0>),
         "they join along different axes")
DECLINES("inner concat is read elsewhere", (rules::concat_chain), inner_is_read,
         "its input is also read by another layer")

FIRES("slice of a slice", (rules::slice_chain), (twice<0, 0>), once)
FIRES("slice of a slice along another axis", (rules::slice_chain), (twice<0, 1>), both_ways)
FIRES("slice of a slice with steps", (rules::slice_chain), back_and_forth, only_forth)
FIRES("slice of a reversed value", (rules::slice_chain), reversed, last_three)
DECLINES("inner slice is read elsewhere", (rules::slice_chain), cut_is_read, "its input is also read by another layer")

FIRES("slice cuts out a part of a concat", (rules::slice_of_concat), (part_of_join<2, 7>), the_part)
DECLINES("slice cuts across parts", (rules::slice_of_concat), (part_of_join<1, 7>),
         "it does not cut out exactly one part")

FIRES("concat of a split", (rules::concat_of_split), (split_and_joined<0, false>), never_split)
DECLINES("parts joined in another order", (rules::concat_of_split), (split_and_joined<0, true>),
         "it joins the parts in another order")
DECLINES("a part is left out", (rules::concat_of_split), one_part_missing,
         "it joins other values, too, or not all parts")
DECLINES("parts joined along another axis", (rules::concat_of_split), split_equally_joined_across,
         "it joins along another axis")
