// SPDX-License-Identifier: BSL-1.0
// rules/siblings.hpp: three layers alike of one input are one, whose parts need no copies.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr activation_function relu{function::relu};

constexpr op::linear rows(int out, bool bias = true, activation_function f = {}) { return {out, bias, f}; }
constexpr op::conv2d pixels(int out, activation_function f = {}, int groups = 1) {
  op::conv2d c;
  c.out = out;
  c.kernel = {1, 1};
  c.activation = f;
  c.groups = groups;
  return c;
}

/// Query, key and value of one row, and what multiplies each.
constexpr auto three = [](builder& b) {
  const value_id x = b.input("x", {1, 6});
  const value_id q = b.add(rows(3), "q", {x}), k = b.add(rows(4, false), "k", {x}), v = b.add(rows(5), "v", {x});
  b.output("a", b.linear("a", q, 2));
  b.output("c", b.linear("c", k, 2));
  b.output("d", b.linear("d", v, 2));
};
constexpr auto one_cut = [](builder& b) {
  const value_id all = b.add(rows(12), "q", {b.input("x", {1, 6})});
  const value_id part = b.add(op::split{{3, 4, 5}, 1}, "k", {all});
  b.output("a", b.linear("a", part, 2));
  b.output("c", b.linear("c", part + 1, 2));
  b.output("d", b.linear("d", part + 2, 2));
};
/// Other layers stand between, and one has two readers.
constexpr auto four_without_bias = [](builder& b) {
  const value_id x = b.input("x", {6}), o = b.linear("other", x, 3, relu);
  const value_id p = b.add(rows(3, false), "p", {x}), q = b.add(rows(4, false), "q", {x});
  const value_id r = b.add(rows(5, false), "r", {x}), s = b.add(rows(1, false), "s", {x});
  b.output("a", b.linear("a", p, 2));
  b.output("c", b.linear("c", q, 2));
  b.output("d", b.linear("d", r, 2));
  b.output("e", b.linear("e", s, 2));
  b.output("f", b.linear("f", p, 1));
  b.output("o", o);
};
constexpr auto four_cut = [](builder& b) {
  const value_id x = b.input("x", {6}), o = b.linear("other", x, 3, relu);
  const value_id part = b.add(op::split{{3, 4, 5, 1}, 0}, "q", {b.add(rows(13, false), "p", {x})});
  b.output("a", b.linear("a", part, 2));
  b.output("c", b.linear("c", part + 1, 2));
  b.output("d", b.linear("d", part + 2, 2));
  b.output("e", b.linear("e", part + 3, 2));
  b.output("f", b.linear("f", part, 1));
  b.output("o", o);
};
/// Convolutions of one input; then a convolution, a pooling, a product.
template <class Layer>
constexpr void side_by_side(builder& b, std::initializer_list<int> shape, const Layer& first, const Layer& second,
                            const Layer& third) {
  const value_id x = b.input("x", shape);
  const value_id p = b.add(first, "p", {x}), q = b.add(second, "q", {x}), r = b.add(third, "r", {x});
  op::pool half;
  half.kernel = {2, 2};
  b.output("a", b.conv("a", p, 3, 3));
  b.output("c", b.add(half, "c", {q}));
  b.output("d", b.conv("d", r, 2));
}
constexpr auto branches = [](builder& b) {
  side_by_side(b, {4, 6, 6}, pixels(2, relu), pixels(3, relu), pixels(5, relu));
};
constexpr auto of_a_batch = [](builder& b) {
  side_by_side(b, {2, 4, 6, 6}, pixels(2, relu), pixels(3, relu), pixels(5, relu));
};
constexpr auto one_branch = [](builder& b) {
  const value_id all = b.add(pixels(10, relu), "p", {b.input("x", {4, 6, 6})});
  const value_id part = b.add(op::split{{2, 3, 5}, 0}, "q", {all});
  op::pool half;
  half.kernel = {2, 2};
  b.output("a", b.conv("a", part, 3, 3));
  b.output("c", b.add(half, "c", {part + 1}));
  b.output("d", b.conv("d", part + 2, 2));
};
constexpr auto in_groups = [](builder& b) {
  side_by_side(b, {4, 6, 6}, pixels(2, relu, 2), pixels(4, relu, 2), pixels(6, relu, 2));
};
constexpr auto with_slopes = [](builder& b) {
  constexpr activation_function slopes{function::prelu};
  side_by_side(b, {4, 6, 6}, pixels(2, slopes), pixels(3, slopes), pixels(5, slopes));
};
constexpr auto other_activation = [](builder& b) {
  side_by_side(b, {4, 6, 6}, pixels(2, relu), pixels(3, relu), pixels(5));
};
constexpr auto other_stride = [](builder& b) {
  op::conv2d strided = pixels(3);
  strided.stride = {1, 2};
  side_by_side(b, {4, 6, 6}, pixels(2), strided, pixels(5));
};
/// Linear layers, each read by a product; something else is done on the way.
template <class Between, class Last>
constexpr void products(builder& b, std::initializer_list<int> shape, Between between, Last last,
                        const op::linear& first = rows(3)) {
  const value_id x = b.input("x", shape), p = b.add(first, "p", {x});
  between(b, p);
  const value_id q = b.add(rows(first.out, first.bias), "q", {x}), r = last(b, x);
  b.output("a", b.linear("a", p, 2));
  b.output("c", b.linear("c", q, 2));
  b.output("d", b.linear("d", r, 2));
}
constexpr auto nothing = [](builder&, value_id) {};
constexpr auto third = [](builder& b, value_id x) { return b.add(rows(3), "r", {x}); };
constexpr auto many_rows = [](builder& b) { products(b, {2, 6}, nothing, third); };
constexpr auto is_output = [](builder& b) {
  products(
      b, {6}, [](builder& c, value_id p) { c.output("p", p); }, third);
};
constexpr auto read_early = [](builder& b) {
  products(
      b, {6}, [](builder& c, value_id p) { c.output("e", c.linear("e", p, 2)); }, third);
};
/// Who read the first stands behind its part now.
constexpr auto cut_early = [](builder& b) {
  const value_id part = b.add(op::split{{3, 3, 3}, 0}, "q", {b.add(rows(9), "p", {b.input("x", {6})})});
  b.output("e", b.linear("e", part, 2));
  b.output("a", b.linear("a", part, 2));
  b.output("c", b.linear("c", part + 1, 2));
  b.output("d", b.linear("d", part + 2, 2));
};
template <bool Activated = false, bool Output = false>
constexpr auto reshaped = [](builder& b) {
  products(
      b, {6},
      [](builder& c, value_id p) {
        const value_id row = c.reshape("row", p, {1, 3});
        c.output("e", Activated ? c.relu("e", row) : c.linear("e", row, 2));
        if (Output) c.output("row", row);
      },
      third);
};
constexpr auto cut_reshaped = [](builder& b) {
  const value_id part = b.add(op::split{{3, 3, 3}, 0}, "q", {b.add(rows(9), "p", {b.input("x", {6})})});
  b.output("e", b.linear("e", b.reshape("row", part, {1, 3}), 2));
  b.output("a", b.linear("a", part, 2));
  b.output("c", b.linear("c", part + 1, 2));
  b.output("d", b.linear("d", part + 2, 2));
};
constexpr auto activated = [](builder& b) {
  products(b, {6}, nothing, [](builder& c, value_id x) {
    const value_id r = third(c, x);
    c.output("e", c.relu("e", r));
    return r;
  });
};
constexpr auto with_residual = [](builder& b) {
  products(b, {3}, nothing, [](builder& c, value_id x) { return c.add(rows(3), "r", {x, x}); });
};
constexpr auto by_given = [](builder& b) {
  const value_id x = b.input("x", {6}), w = b.input("w", {3, 6});
  op::linear given = rows(3, false);
  given.given = 1;
  const value_id p = b.add(given, "p", {x, w}), q = b.add(rows(3, false), "q", {x}),
                 r = b.add(rows(3, false), "r", {x});
  b.output("a", b.linear("a", p, 2));
  b.output("c", b.linear("c", q, 2));
  b.output("d", b.linear("d", r, 2));
};
constexpr auto two_alone = [](builder& b) {
  const value_id x = b.input("x", {6}), p = b.linear("p", x, 3), q = b.linear("q", x, 3);
  b.output("a", b.linear("a", p, 2));
  b.output("c", b.linear("c", q, 2));
};
/// A bias for the last alone would make one for all.
constexpr auto of_one_number = [](builder& b) {
  products(
      b, {1}, nothing, [](builder& c, value_id x) { return c.add(rows(1), "r", {x}); }, rows(50, false));
};

}  // namespace

FIRES("query, key and value of one row", (rules::join_siblings), three, one_cut)
FIRES("four of a vector", (rules::join_siblings), four_without_bias, four_cut)
FIRES("convolutions side by side", (rules::join_siblings), branches, one_branch)
DECLINES("two layers", (rules::join_siblings), two_alone, "")
DECLINES("two layers and one of another activation", (rules::join_siblings), other_activation, "")
DECLINES("two layers and one of another stride", (rules::join_siblings), other_stride, "")
DECLINES("two layers and one with a residual", (rules::join_siblings), with_residual, "")
DECLINES("two layers and one whose weight is computed", (rules::join_siblings), by_given,
         "its weights are not known before it runs")
DECLINES("three in groups", (rules::join_siblings), in_groups, "its channels are in groups")
DECLINES("three with slopes", (rules::join_siblings), with_slopes, "it applies one slope an output")
DECLINES("three of several rows", (rules::join_siblings), many_rows, "parts of its rows would be copied")
DECLINES("three of a batch of images", (rules::join_siblings), of_a_batch, "parts of its rows would be copied")
DECLINES("one of three is an output", (rules::join_siblings), is_output, "it is a network output")
FIRES("one of three is read before the second", (rules::join_siblings), read_early, cut_early)
FIRES("one of three is reshaped before the second", (rules::join_siblings), reshaped<>, cut_reshaped)
DECLINES("one of three is reshaped and activated", (rules::join_siblings), reshaped<true>,
         "what reads it does not multiply")
DECLINES("one of three is reshaped to an output", (rules::join_siblings), (reshaped<false, true>),
         "it is a network output")
DECLINES("one of three is activated", (rules::join_siblings), activated, "what reads it does not multiply")
DECLINES("three of one number", (rules::join_siblings), of_one_number, "one layer would not cost less")
