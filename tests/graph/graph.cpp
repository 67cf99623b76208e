// SPDX-License-Identifier: BSL-1.0
// The graph as a value: nodes know their weights and readers, and a node that does not fit leaves no trace.
#include <doctest/doctest.h>

#include <limits>

#include <ctnn/graph/cost.hpp>
#include <ctnn/kernels/operator_code.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// x of 3 channels > conv of 5 > split into 2 and 3 > the second added to itself.
constexpr ir::graph small() {
  ir::graph g;
  add_node(g, op::input{{3, 6, 6}}, "x", {});
  op::conv2d conv;
  conv.out = 5;
  conv.kernel = {3, 3};
  const value_id x[] = {0}, c[] = {1}, twice[] = {3, 3};
  add_node(g, conv, "conv", x);
  const std::string_view names[] = {"left", "right"};
  add_node(g, op::split{{2, 3}, 0}, "split", c, names);
  add_node(g, op::binary{}, "sum", twice);
  add_output(g, "y", 4);
  return g;
}

}  // namespace

TEST_CASE("nodes, values and weights refer to each other") {
  const ir::graph g = small();
  const graph_view v = g.view();
  REQUIRE(v.nodes.size() == 4);
  REQUIRE(v.values.size() == 5);
  CHECK(v.is<op::conv2d>(1));
  CHECK(v.get<op::conv2d>(1).out == 5);
  CHECK(v.shape(1) == extents{5, 4, 4});
  CHECK(v.output_of(2, 1) == 3);
  CHECK(v.at_value(3).producer == 2);
  CHECK(v.at_value(2).name == "left");
  CHECK(v.at_value(3).name == "right");
  CHECK(v.at_value(1).name == "conv");
  REQUIRE(v.weights(v.at(1)).size() == 2);
  const expression& weight = v.at_expression(v.weights(v.at(1))[0]);
  CHECK(weight.layer == "conv");
  CHECK(weight.name == "weight");
  CHECK(weight.shape == extents{5, 3, 3, 3});
  CHECK(weight.type == nullptr);
}

TEST_CASE("readers are inputs and network outputs, each time they are read") {
  const ir::graph g = small();
  CHECK(g.values[0].readers == 1);
  CHECK(g.values[2].readers == 0);
  CHECK(g.values[3].readers == 2);
  CHECK(g.values[4].readers == 1);
}

TEST_CASE("a node that does not fit leaves the graph as it was") {
  ir::graph g = small();
  const value_id images[] = {0}, both[] = {2, 3};
  op::conv2d large;
  large.out = 4;
  large.kernel = {9, 9};
  CHECK(add_node(g, large, "large", images).kind == mistake::window_larger_than_padded_input);
  CHECK(add_node(g, op::binary{}, "unlike", both).kind == mistake::operand_mismatch);
  CHECK(add_node(g, op::concat{7}, "axis", both).kind == mistake::axis_out_of_range);
  const ir::graph was = small();
  CHECK(g.nodes.size() == was.nodes.size());
  CHECK(g.values.size() == was.values.size());
  CHECK(g.operands.size() == was.operands.size());
  CHECK(g.fields.size() == was.fields.size());
  CHECK(g.expressions.size() == was.expressions.size());
  for (std::size_t i = 0; i < was.values.size(); ++i) CHECK(g.values[i].readers == was.values[i].readers);
}

TEST_CASE("multiply-adds and memory are those of the operator") {
  const ir::graph g = small();
  CHECK(macs_of(g.view(), 1) == 5 * 4 * 4 * 3 * 3 * 3);
  CHECK(macs_of(g.view(), 3) == 0);
  CHECK(nanoseconds_of(g.view(), 1) == 2160 / 80.0 + (3 * 36 + 5 * 16) / 8.0);
  CHECK(scratch_bytes(g.view(), g.nodes[1]) > 0);  // of its kernel for any type
  CHECK(scratch_bytes(g.view(), g.nodes[2]) == 0);
}

TEST_CASE("which kernels a node's element types admit") {
  ir::graph g;
  add_node(g, op::input{{4}}, "f", {});
  add_node(g, op::input{{4}, dtype::f16}, "h", {});
  add_node(g, op::input{{4}, dtype::i64}, "i", {});
  const value_id f[] = {0}, h[] = {1}, i[] = {2};
  add_node(g, op::activation{{function::relu}}, "of floats", f);
  add_node(g, op::activation{{function::relu}}, "of halves", h);
  add_node(g, op::cast{dtype::f32}, "wider", h);
  add_node(g, op::cast{dtype::f32}, "of integers", i);
  const graph_view v = g.view();
  CHECK(takes_vectors(v, v.at(3)));
  CHECK(!takes_vectors(v, v.at(4)));
  CHECK(takes_vectors(v, v.at(5)));
  CHECK(!takes_vectors(v, v.at(6)));
  CHECK(computes_f32(v, v.at(3)));
  CHECK(!computes_f32(v, v.at(5)));
}

TEST_CASE("slots that are inputs and slots that are weights make one list again") {
  CHECK(slot_of(0, 1) == 1);
  CHECK(slot_of(0b1, 0) == 1);
  CHECK(slot_of(0b101, 0) == 1);
  CHECK(slot_of(0b101, 1) == 3);
  pool<int> all;
  merge_slots(0b101, [](std::size_t i) { return static_cast<int>(10 + i); },
              [](std::size_t i) { return static_cast<int>(20 + i); }, 2, all);
  REQUIRE(all.size() == 4);
  CHECK(all[0] == 10);
  CHECK(all[1] == 20);
  CHECK(all[2] == 11);
  CHECK(all[3] == 21);
}

TEST_CASE("what is known of numbers") {
  const float positive[] = {1, 2}, mixed[] = {1, -2}, zero[] = {1, 0}, tiny[] = {1e-38f},
              infinite[] = {std::numeric_limits<float>::infinity()},
              unknown[] = {std::numeric_limits<float>::quiet_NaN()};
  CHECK(known_of(positive) == numbers_are::positive);
  CHECK(known_of(mixed) == numbers_are::invertible);
  CHECK(known_of(std::array{0.0f, -0.0f}) == numbers_are::zeros);
  CHECK(known_of(std::array{1.0f, 1.0f}) == numbers_are::ones);
  CHECK(known_of({}) == numbers_are::positive);
  for (std::span<const float> n : {std::span<const float>(zero), {tiny}, {infinite}, {unknown}})
    CHECK(known_of(n) == numbers_are::anything);
}
