// SPDX-License-Identifier: BSL-1.0
// An operator's record: shapes, weights that are inputs, element types, options and their spelling.
#include <doctest/doctest.h>

#include <ctnn/graph/graph.hpp>
#include <ctnn/graph/operators.hpp>
#include <ctnn/kernels/operator_code.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

template <class Op>
constexpr problem described(const Op& op, std::initializer_list<extents> in, description& d,
                            std::initializer_list<ir::element> element = {}) {
  const field_values f = encode(op);
  return type_of<Op>.describe({f.data(), f.size()}, {in.begin(), in.size()}, {element.begin(), element.size()}, d);
}
template <class Op>
constexpr mistake mistake_of(const Op& op, std::initializer_list<extents> in,
                             std::initializer_list<ir::element> element = {}) {
  description d;
  return described(op, in, d, element).kind;
}
template <class Op>
constexpr extents result_of(const Op& op, std::initializer_list<extents> in) {
  description d;
  return described(op, in, d) ? extents{} : d.outputs[0];
}

constexpr auto window = [](auto op, int out, int kernel, slot_set given = 0) {
  op.out = out;
  for (int& k : op.kernel) k = kernel;
  op.given = given;
  return op;
};

// Windows over one, two and three axes, with a batch and without.
static_assert(result_of(window(op::conv1d{}, 4, 3), {{2, 9}}) == extents{4, 7});
static_assert(result_of(window(op::conv1d{}, 4, 3), {{5, 2, 9}}) == extents{5, 4, 7});
static_assert(result_of(window(op::conv2d{}, 4, 3), {{2, 9, 8}}) == extents{4, 7, 6});
static_assert(result_of(window(op::conv3d{}, 4, 3), {{5, 2, 9, 8, 7}}) == extents{5, 4, 7, 6, 5});
static_assert(result_of(window(op::conv_transpose3d{}, 4, 3), {{2, 9, 8, 7}}) == extents{4, 11, 10, 9});
static_assert(mistake_of(window(op::conv3d{}, 4, 3), {{2, 9, 8}}) == mistake::rank_mismatch);
static_assert(mistake_of(window(op::conv1d{}, 4, 10), {{2, 9}}) == mistake::window_larger_than_padded_input);
static_assert(mistake_of(window(op::conv1d{}, 4, 2147483647), {{2, 9}}) == mistake::window_larger_than_padded_input);

// One axis alone becomes several; parts are equal but for the last.
static_assert(result_of(op::reshape{{2, -1}, true, 1}, {{3, 8, 5}}) == extents{3, 2, 4, 5});
static_assert(result_of(op::reshape{{8}, true, -2}, {{3, 8, 5}}) == extents{3, 8, 5});
static_assert(mistake_of(op::reshape{{3, -1}, true, 1}, {{3, 8, 5}}) == mistake::element_count_mismatch);
static_assert(mistake_of(op::reshape{{8, 0}, true, 1}, {{3, 8, 5}}) == mistake::option_out_of_range);
static_assert(mistake_of(op::reshape{{2, 4}, true, 3}, {{3, 8, 5}}) == mistake::axis_out_of_range);
static_assert(mistake_of(op::reshape{{1, 1, 1, 1, 1, 1, 1, 1, 1, 8}, true, 1}, {{3, 8, 5}}) ==
              mistake::option_out_of_range);
static_assert(op::split{{-1, -1, -1}, 1}.sizes_in({3, 8}) == list<int>{3, 3, 2});
static_assert(result_of(op::split{{-1, -1}, -1}, {{3, 8}}) == extents{3, 4});
static_assert(mistake_of(op::split{{-1, -1, -1, -1, -1}, 0}, {{12}}) == mistake::option_out_of_range);
static_assert(mistake_of(op::split{{-1, 8}, 0}, {{12}}) == mistake::option_out_of_range);
static_assert(mistake_of(op::split{{-1, -1}, 1}, {{12}}) == mistake::axis_out_of_range);

// Weights that are inputs come last and must be what the slot is.
constexpr op::linear by_value{5, true, {}, 1, 0, false, {}, false, 1};
static_assert(result_of(by_value, {{3, 7}, {5, 7}}) == extents{3, 5});
static_assert(mistake_of(by_value, {{3, 7}, {7, 5}}) == mistake::shape_mismatch);
static_assert(mistake_of(by_value, {{3, 7}}) == mistake::wrong_number_of_inputs);
static_assert(mistake_of(by_value, {{3, 7}, {5, 7}}, {dtype::f32, dtype::f64}) == mistake::element_type);
static_assert(mistake_of(op::linear{5, true, {}, 1, 0, false, {}, false, 4}, {{3, 7}, {5, 7}}) ==
              mistake::option_out_of_range);
static_assert(result_of(window(op::conv2d{}, 4, 3, 2), {{2, 9, 8}, {4, 7, 6}, {4}}) ==
              extents{4, 7, 6});  // a residual, then the bias

constexpr bool what_is_left() {
  description d;
  return !described(by_value, {{3, 7}, {5, 7}}, d) && d.weights.size() == 1 && d.weights[0].name == "bias" &&
         !described(window(op::conv2d{}, 4, 3), {{2, 9, 8}}, d, {dtype::f64}) && d.weights[0].type == dtype::f64;
}
static_assert(what_is_left());

constexpr bool one_type() {
  description d;
  return !described(op::concat{}, {{2}, {3}}, d, {dtype::i64, dtype::i64}) && d.types[0] == dtype::i64 &&
         described(op::concat{}, {{2}, {3}}, d, {dtype::u8, dtype::f32}).kind == mistake::element_type;
}
static_assert(one_type());

// The numbers of margins as one would write them.
constexpr bool spelled_briefly() {
  op::conv3d c = window(op::conv3d{}, 4, 3);
  c.pad = {1, 2, 3, 1, 2, 3};
  const field_values f = encode(c);
  const spelled_options o = type_of<op::conv3d>.spell({f.data(), f.size()});
  return o.size() == 3 && o[1].key == "kernel" && o[1].values.size() == 1 && o[2].key == "pad" &&
         o[2].values.size() == 3;
}
static_assert(spelled_briefly());

// Lists that are longer than a new operator's, and what stands behind them; what is spelled as the default is one.
constexpr bool spelled_behind_lists() {
  op::slice cut;
  cut.axis.push_back(1);
  cut.start.push_back(2);
  cut.end.push_back(5);
  cut.step.push_back(3);
  const field_values f = encode(cut);
  const spelled_options o = type_of<op::slice>.spell({f.data(), f.size()});
  op::binary add;
  add.scalar.value = 3;  // though there is none
  add.activation = {function::relu};
  const field_values g = encode(add);
  const spelled_options p = type_of<op::binary>.spell({g.data(), g.size()});
  return o.size() == 4 && o[0].key == "axis" && o[3].values[0] == 3 && p.size() == 1 && p[0].key == "activation";
}
static_assert(spelled_behind_lists());

}  // namespace

TEST_CASE("a node keeps weights of its own for the slots that are not given") {
  ir::graph g;
  REQUIRE(!add_node(g, op::input{{3, 7}}, "x", {}));
  REQUIRE(!add_node(g, op::input{{5, 7}}, "w", {}));
  const value_id in[] = {0, 1};
  REQUIRE(!add_node(g, by_value, "fc", in));
  const graph_view v = g.view();
  CHECK(v.given(v.at(2)) == 1);
  CHECK(v.weights(v.at(2)).size() == 1);
  CHECK(v.at_expression(v.weights(v.at(2))[0]).name == "bias");
  CHECK(macs_of(v, 2) == 3 * 5 * 7);
  CHECK(slot_of(1, 0) == 1);
  CHECK(add_node(g, by_value, "wrong", {in, 1}).kind == mistake::wrong_number_of_inputs);
  CHECK(g.nodes.size() == 3);
}

TEST_CASE("a record makes the operator's struct") {
  const op::conv2d c = window(op::conv2d{}, 4, 3);
  const field_values f = encode(c);
  alignas(op::conv2d) std::byte memory[sizeof(op::conv2d)];
  REQUIRE(type_of<op::conv2d>.size == sizeof(op::conv2d));
  type_of<op::conv2d>.construct({f.data(), f.size()}, memory);
  const auto* made = std::launder(reinterpret_cast<const op::conv2d*>(memory));
  CHECK(made->out == 4);
  CHECK(made->kernel == pair{3, 3});
}
