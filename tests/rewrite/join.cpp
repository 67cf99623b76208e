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

// Layers whose results are joined or cut, and what follows.
constexpr op::conv2d pointwise(int out, activation_function f = {}) {
  op::conv2d c;
  c.out = out;
  c.kernel = {1, 1};
  c.activation = f;
  return c;
}
constexpr activation_function with_relu{function::relu};

template <function First, function Then, bool Joined = true>
constexpr auto joined = [](builder& b) {
  const value_id x = image(b);
  const value_id parts[] = {b.add(pointwise(3, {First}), "a", {x}), b.add(pointwise(2, {First}), "b", {x})};
  const value_id y = join(b, "parts", 0, {parts[0], parts[1]});
  b.output("", Joined ? y : b.apply("it", y, Then));
};
constexpr auto relu_behind = joined<function::none, function::relu, false>;
constexpr auto sigmoid_and_relu = joined<function::sigmoid, function::relu, false>;
constexpr auto relu_in_parts = joined<function::relu, function::none>;
template <bool Output>
constexpr auto a_part_is_read = [](builder& b) {
  const value_id x = image(b), y = b.add(pointwise(3), "a", {x});
  if (Output) b.output("a", y);
  else b.output("other", b.apply("other", y, function::tanh));
  b.output("it", b.relu("it", join(b, "parts", 0, {b.add(pointwise(2), "b", {x}), y})));
};
constexpr auto a_part_is_the_input = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.relu("it", join(b, "parts", 0, {b.add(pointwise(2), "b", {x}), x})));
};
constexpr auto a_part_twice = [](builder& b) {
  const value_id y = b.add(pointwise(2), "b", {image(b)});
  b.output("", b.relu("it", join(b, "parts", 0, {y, y})));
};
constexpr auto halves_of_bias = [](builder& b) {
  const value_id x = image(b), y = image(b, "y");
  b.output("", b.relu("it", join(b, "parts", 0, {b.add(op::bias{}, "a", {x}), b.sum("b", x, y)})));
};
constexpr auto halves_of_bias_with_relu = [](builder& b) {
  const value_id x = image(b), y = image(b, "y");
  b.output("", join(b, "parts", 0,
                    {b.add(op::bias{automatic_axis, with_relu}, "a", {x}),
                     b.binary("b", op::binary_function::add, x, y, with_relu)}));
};

/// Parts joined along an axis, then a scale of another.
template <int Joins, int Scales, bool Folded, bool Bias = true>
constexpr auto scaled_parts = [](builder& b) {
  const value_id x = image(b);
  op::conv2d first = pointwise(2), second = pointwise(Joins == 0 ? 3 : 2);
  first.bias = Folded;
  if (Folded) first.activation = second.activation = with_relu;
  const value_id y = join(b, "parts", Joins, {b.add(first, "a", {x}), b.add(second, "b", {x})});
  b.output("", Folded ? y : b.add(op::scale{Bias, Scales, with_relu}, "it", {y}));
};
constexpr auto halved_parts = [](builder& b) {
  const value_id x = image(b);
  const value_id y = join(b, "parts", 0, {b.add(pointwise(3), "a", {x}), b.add(pointwise(2), "b", {x})});
  b.output("", b.scalar("it", op::binary_function::mul, y, 0.5f));
};
constexpr auto plain_parts = joined<function::none, function::none>;
template <bool Folded>
constexpr auto lines_and_columns = [](builder& b) {
  const value_id x = b.input("x", {4, 5});
  const value_id y = b.concat("parts", {b.linear("a", x, 3), b.linear("b", x, 2)}, 1);
  b.output("", Folded ? y : b.add(op::bias{1}, "it", {y}));
};
constexpr auto a_sum_with_weights = [](builder& b) {
  const value_id x = image(b), y = b.add(pointwise(2), "a", {x});
  b.output("", b.add(op::scale{true, 0}, "it", {join(b, "parts", 0, {y, b.sum("b", x, image(b, "y"))})}));
};
constexpr auto scaled_parts_with_relu = [](builder& b) {
  const value_id x = image(b);
  const value_id y = join(b, "parts", 0, {b.add(pointwise(3, with_relu), "a", {x}), b.add(pointwise(2), "b", {x})});
  b.output("", b.add(op::scale{true, 0}, "it", {y}));
};
constexpr auto scaled_part_is_read = [](builder& b) {
  const value_id x = image(b), y = b.add(pointwise(3), "a", {x});
  b.output("a", y);
  b.output("it", b.add(op::scale{true, 0}, "it", {join(b, "parts", 0, {y, b.add(pointwise(2), "b", {x})})}));
};

/// A layer, cut in two, and a function of each part.
template <function First, function Second, bool Moved = false>
constexpr auto activated_parts = [](builder& b) {
  const value_id y = b.add(pointwise(4, {Moved ? First : function::none}), "layer", {image(b)});
  const value_id cuts = b.add(op::split{{1, 3}}, "cuts", {y});
  b.output("one", Moved ? cuts : b.apply("one", cuts, First));
  b.output("two", Moved || Second == function::none ? cuts + 1 : b.apply("two", cuts + 1, Second));
};
/// Behind one part the same function again, which is applied to what is activated already.
template <bool Moved>
constexpr auto activated_twice = [](builder& b) {
  const value_id y = b.add(pointwise(4, {Moved ? function::sigmoid : function::none}), "layer", {image(b)});
  const value_id cuts = b.add(op::split{{1, 3}}, "cuts", {y});
  const value_id one = Moved ? cuts : b.apply("one", cuts, function::sigmoid);
  const value_id two = Moved ? cuts + 1 : b.apply("two", cuts + 1, function::sigmoid);
  b.output("one", one);
  b.output("again", b.apply("again", two, function::sigmoid));
};
constexpr auto cut_layer_is_read = [](builder& b) {
  const value_id y = b.add(pointwise(4), "layer", {image(b)});
  const value_id cuts = b.add(op::split{{1, 3}}, "cuts", {y});
  b.output("y", y);
  b.output("one", b.relu("one", cuts));
  b.output("two", b.relu("two", cuts + 1));
};
constexpr auto cut_sigmoid = [](builder& b) {
  const value_id cuts = b.add(op::split{{1, 3}}, "cuts", {b.add(pointwise(4, {function::sigmoid}), "c", {image(b)})});
  b.output("one", b.relu("one", cuts));
  b.output("two", b.relu("two", cuts + 1));
};

/// Slices of x (6, 4) along its rows, from and to so.
template <int A, int B, int C, int D>
constexpr auto two_pieces = [](builder& b) {
  const value_id x = b.input("x", {6, 4});
  const value_id p = b.add(op::slice{{0}, {A}, {B}}, "p", {x}), q = b.add(op::slice{{0}, {C}, {D}}, "q", {x});
  b.output("p", b.relu("rp", p));
  b.output("q", b.relu("rq", q));
};
template <bool Swapped>
constexpr auto split_into_pieces = [](builder& b) {
  const value_id part = b.add(op::split{{4, 2}, 0}, "p", {b.input("x", {6, 4})});
  b.output("p", b.relu("rp", part + (Swapped ? 1 : 0)));
  b.output("q", b.relu("rq", part + (Swapped ? 0 : 1)));
};
constexpr auto three_pieces = [](builder& b) {  // and the whole
  const value_id x = b.input("x", {6, 4});
  const auto piece = [&](std::string_view name, int from, int to) {
    return b.add(op::slice{{1}, {from}, {to}}, name, {x});
  };
  const value_id p = piece("p", 1, 3), q = piece("q", 3, 4), all = b.relu("all", x), o = piece("o", 0, 1);
  b.output("", b.concat("joined", {p, q, all, o}, 1));
};
constexpr auto three_parts_split = [](builder& b) {
  const value_id x = b.input("x", {6, 4}), part = b.add(op::split{{1, 2, 1}, 1}, "p", {x}), all = b.relu("all", x);
  b.output("", b.concat("joined", {part + 1, part + 2, all, part}, 1));
};
constexpr auto pieces_of_both_axes = [](builder& b) {
  const value_id x = b.input("x", {6, 4});
  b.output("p", b.add(op::slice{{0}, {0}, {4}}, "p", {x}));
  b.output("q", b.add(op::slice{{0, 1}, {4, 0}, {6, 3}}, "q", {x}));
};

}  // namespace

FIRES("concat of a concat", (rules::concat_chain), (nested<0, 0>), flat)
DECLINES("concat of a concat along another axis", (rules::concat_chain), (nested<2, 0>),
         "they join along different axes")
DECLINES("inner concat is read elsewhere", (rules::concat_chain), inner_is_read,
         "its input is also read by another layer")

FIRES("slice of a slice", (rules::one_view), (twice<0, 0>), once)
FIRES("slice of a slice along another axis", (rules::one_view), (twice<0, 1>), both_ways)
FIRES("slice of a slice with steps", (rules::one_view), back_and_forth, only_forth)
FIRES("slice of a reversed value", (rules::one_view), reversed, last_three)
DECLINES("inner slice is read elsewhere", (rules::one_view), cut_is_read, "its input is also read by another layer")

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

FIRES("joined convolutions > relu", (rules::activation_before_concat), relu_behind, relu_in_parts)
FIRES("joined bias and sum > relu", (rules::activation_before_concat), halves_of_bias, halves_of_bias_with_relu)
DECLINES("joined sigmoids > relu", (rules::activation_before_concat), sigmoid_and_relu,
         "its input has an activation already")
DECLINES("a joined part is read elsewhere", (rules::activation_before_concat), a_part_is_read<false>,
         "its input is also read by another layer")
DECLINES("a joined part is an output", (rules::activation_before_concat), a_part_is_read<true>,
         "its input is a network output too")
DECLINES("a joined part is an input", (rules::activation_before_concat), a_part_is_the_input,
         "not every part applies one")
DECLINES("one part twice", (rules::activation_before_concat), a_part_twice, "its input is also read by another layer")

FIRES("joined convolutions > scale > relu", (rules::affine_before_concat), (scaled_parts<0, 0, false>),
      (scaled_parts<0, 0, true>))
FIRES("convolutions joined by rows > scale", (rules::affine_before_concat), (scaled_parts<1, 0, false>),
      (scaled_parts<1, 0, true>))
FIRES("joined convolutions > * 0.5", (rules::affine_before_concat), halved_parts, plain_parts)
FIRES("joined linear layers > bias", (rules::affine_before_concat), lines_and_columns<false>, lines_and_columns<true>)
DECLINES("scale of rows behind joined convolutions", (rules::affine_before_concat), (scaled_parts<0, 1, false>),
         "its channels are not the outputs of every part")
DECLINES("a joined sum > scale", (rules::affine_before_concat), a_sum_with_weights, "not every part has weights")
DECLINES("a joined relu > scale", (rules::affine_before_concat), scaled_parts_with_relu,
         "its input has an activation already")
DECLINES("a scaled part is an output", (rules::affine_before_concat), scaled_part_is_read,
         "its input is a network output too")

FIRES("convolution > split > relu twice", (rules::activation_before_split),
      (activated_parts<function::relu, function::relu>), (activated_parts<function::relu, function::relu, true>))
FIRES("convolution > split > sigmoid twice and again", (rules::activation_before_split), activated_twice<false>,
      activated_twice<true>)
DECLINES("split > relu and sigmoid", (rules::activation_before_split),
         (activated_parts<function::relu, function::sigmoid>), "it is not applied to all of every part")
DECLINES("split > relu of one part", (rules::activation_before_split),
         (activated_parts<function::relu, function::none>), "it is not applied to all of every part")
DECLINES("what is split is an output", (rules::activation_before_split), cut_layer_is_read,
         "its input is a network output too")
DECLINES("a sigmoid is split > relu", (rules::activation_before_split), cut_sigmoid,
         "its input has an activation already")

namespace {
constexpr auto nothing_cut_first = [](builder& b) {
  b.output("", cut(b, "it", cut(b, "first", b.input("x", {9, 9}), 0, 0, 9), 0, 3, 6));
};
/// A layer of four outputs, cut into one, two and one, of which the second is mapped.
template <class Layer, class Map>
constexpr void mapped_part(builder& b, std::initializer_list<int> shape, const Layer& layer, int axis, Map map) {
  const value_id cuts = b.add(op::split{{1, 2, 1}, axis}, "cuts", {b.add(layer, "layer", {b.input("x", shape)})});
  b.output("one", b.relu("one", cuts));
  b.output("two", b.relu("two", map(b, cuts + 1)));
  b.output("three", b.relu("three", cuts + 2));
}
template <bool Mapped>
constexpr auto normed_part = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4), 0,
              [](builder& c, value_id v) { return Mapped ? c.add(op::scale{true}, "scale", {v}) : v; });
};
template <bool Mapped>
constexpr auto shifted_columns = [](builder& b) {  // of a layer that has no bias yet
  mapped_part(b, {5, 3}, op::linear{4, !Mapped}, 1,
              [](builder& c, value_id v) { return Mapped ? c.add(op::bias{1}, "bias", {v}) : v; });
};
template <bool Mapped>
constexpr auto halved_part = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4), 0,
              [](builder& c, value_id v) { return Mapped ? c.scalar("half", op::binary_function::mul, v, 0.5f) : v; });
};
template <bool First>
constexpr auto end_part = [](builder& b) {  // of two parts
  const value_id cuts = b.add(op::split{{1, 3}}, "cuts", {b.add(pointwise(4), "layer", {image(b)})});
  const value_id mapped = b.add(op::scale{true}, "scale", {cuts + (First ? 0 : 1)});
  b.output("one", b.relu("one", First ? mapped : cuts));
  b.output("two", b.relu("two", First ? cuts + 1 : mapped));
};
constexpr auto end_part_mapped = [](builder& b) {
  const value_id cuts = b.add(op::split{{1, 3}}, "cuts", {b.add(pointwise(4), "layer", {image(b)})});
  b.output("one", b.relu("one", cuts));
  b.output("two", b.relu("two", cuts + 1));
};
constexpr auto active_part = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4), 0, [](builder& c, value_id v) {
    return c.add(op::scale{true, automatic_axis, {function::relu}}, "scale", {v});
  });
};
constexpr auto part_of_active = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4, {function::relu}), 0,
              [](builder& c, value_id v) { return c.add(op::scale{true}, "scale", {v}); });
};
constexpr auto part_of_rows = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4), 1,
              [](builder& c, value_id v) { return c.add(op::scale{true}, "scale", {v}); });
};
constexpr auto rows_of_part = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4), 0, [](builder& c, value_id v) {
    return c.add(op::scale{true, 1}, "scale", {v});
  });
};
constexpr auto part_is_read = [](builder& b) {
  mapped_part(b, {3, 4, 4}, pointwise(4), 0, [](builder& c, value_id v) {
    c.output("part", v);
    return c.add(op::scale{true}, "scale", {v});
  });
};
constexpr auto joined_power = [](builder& b) {
  const value_id x = image(b);
  const value_id y = join(b, "join", 0, {b.add(pointwise(2), "a", {x}), b.add(pointwise(3), "c", {x})});
  b.output("", b.scalar("it", op::binary_function::pow, y, 2));
};
}  // namespace
FIRES("a scale of one part of three", (rules::affine_before_split), normed_part<true>, normed_part<false>)
FIRES("a bias of some columns", (rules::affine_before_split), shifted_columns<true>, shifted_columns<false>)
FIRES("half of one part", (rules::affine_before_split), halved_part<true>, halved_part<false>)
FIRES("a scale of the first of two parts", (rules::affine_before_split), end_part<true>, end_part_mapped)
FIRES("a scale of the last of two parts", (rules::affine_before_split), end_part<false>, end_part_mapped)
DECLINES("a scale with relu of a part", (rules::affine_before_split), active_part, "it applies an activation")
DECLINES("a scale of a part behind relu", (rules::affine_before_split), part_of_active,
         "its input has an activation already")
DECLINES("a scale of a part of the rows", (rules::affine_before_split), part_of_rows,
         "its parts are not some of the outputs each")
DECLINES("a scale of the rows of a part", (rules::affine_before_split), rows_of_part,
         "its channels are not the outputs of the layer")
DECLINES("a scaled part is read elsewhere", (rules::affine_before_split), part_is_read,
         "its input is a network output too")
DECLINES("concat > a power", (rules::affine_before_concat), joined_power, "its function is not affine")
FIRES("two slices", (rules::slices_to_split), (two_pieces<0, 4, 4, 6>), split_into_pieces<false>)
FIRES("the second slice first", (rules::slices_to_split), (two_pieces<4, 6, 0, 4>), split_into_pieces<true>)
FIRES("three slices and what reads all", (rules::slices_to_split), three_pieces, three_parts_split)
DECLINES("slices with a gap", (rules::slices_to_split), (two_pieces<0, 4, 5, 6>), "")
DECLINES("slices that overlap", (rules::slices_to_split), (two_pieces<0, 4, 3, 6>), "")
DECLINES("slices that end before", (rules::slices_to_split), (two_pieces<0, 4, 4, 5>), "")
DECLINES("slices of two axes", (rules::slices_to_split), pieces_of_both_axes, "it takes no piece of one axis")

namespace {

/// x (2, 3, 4), y (5, 3, 4) and z (1, 3, 4) one after the other, of which each cut takes some of the first axis.
struct rows {
  int start, end, step = 1;
};
template <rows... Cuts>
constexpr auto cut_within = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {5, 3, 4}), z = b.input("z", {1, 3, 4});
  const value_id whole = join(b, "whole", 0, {x, y, z});
  (b.output("it", b.add(op::slice{{0}, {Cuts.start}, {Cuts.end}, {Cuts.step}}, "cut", {whole})), ...);
};
constexpr auto rows_of_y = [](builder& b) {
  const value_id y = (image(b), b.input("y", {5, 3, 4}));
  b.input("z", {1, 3, 4});
  b.output("it", cut(b, "cut", y, 0, 1, 3));
};
constexpr auto rows_of_parts = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {5, 3, 4});
  b.input("z", {1, 3, 4});
  b.output("it", cut(b, "cut", y, 0, 1, 3));
  b.output("it", cut(b, "cut", x, 0, 1, 2));
  b.output("it", b.add(op::slice{{0}, {4}, {-6}, {-2}}, "cut", {y}));
};
constexpr auto columns_of_join = [](builder& b) {
  const value_id whole = join(b, "whole", 0, {image(b), image(b, "y")});
  b.output("it", cut(b, "cut", whole, 1, 1, 3));
};
constexpr auto cut_and_read = [](builder& b) {
  const value_id whole = join(b, "whole", 0, {image(b), image(b, "y")});
  b.output("it", cut(b, "cut", whole, 0, 0, 1));
  b.output("relu", b.relu("relu", whole));
};
constexpr auto cut_and_output = [](builder& b) {
  const value_id whole = join(b, "whole", 0, {image(b), image(b, "y")});
  b.output("it", cut(b, "cut", whole, 0, 0, 1));
  b.output("whole", whole);
};
constexpr auto cut_of_one = [](builder& b) { b.output("it", cut(b, "cut", join(b, "whole", 0, {image(b)}), 0, 0, 1)); };

/// x (2, 3, 4) and y (5, 3, 4) joined, then apart again, in parts of these sizes along an axis.
template <int Axis, int... Sizes>
constexpr auto joined_and_split = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {5, 3, 4});
  const value_id first = b.add(op::split{{Sizes...}, Axis}, "parts", {join(b, "whole", 0, {x, y})});
  b.output("a", b.relu("a", first));
  b.output("last", first + static_cast<int>(sizeof...(Sizes)) - 1);
};
constexpr auto never_joined = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {5, 3, 4});
  b.output("a", b.relu("a", x));
  b.output("last", y);
};

}  // namespace
FIRES("a slice within a part", (rules::slice_within_part), (cut_within<rows{3, 5}>), rows_of_y)
FIRES("slices within parts, one of them backwards", (rules::slice_within_part),
      (cut_within<rows{3, 5}, rows{1, 2}, rows{6, 1, -2}>), rows_of_parts)
DECLINES("a slice across two parts", (rules::slice_within_part), (cut_within<rows{1, 3}>),
         "it does not cut within one part")
DECLINES("a slice of nothing", (rules::slice_within_part), (cut_within<rows{3, 3}>), "it does not cut within one part")
DECLINES("a slice of every part", (rules::slice_within_part), columns_of_join, "it does not cut within one part")
DECLINES("a concat that another layer reads", (rules::slice_within_part), cut_and_read, "another layer needs all parts")
DECLINES("a concat that is an output", (rules::slice_within_part), cut_and_output, "its input is a network output too")
DECLINES("a slice of one part", (rules::slice_within_part), cut_of_one, "its input joins nothing")

FIRES("split of a concat", (rules::split_of_concat), (joined_and_split<0, 2, 5>), never_joined)
DECLINES("split in other places", (rules::split_of_concat), (joined_and_split<0, 3, 4>), "it cuts in other places")
DECLINES("split into more parts", (rules::split_of_concat), (joined_and_split<0, 2, 4, 1>), "it cuts in other places")
DECLINES("split along another axis", (rules::split_of_concat), (joined_and_split<1, 1, 2>),
         "it joins along another axis")
