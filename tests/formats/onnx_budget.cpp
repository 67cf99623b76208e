// SPDX-License-Identifier: BSL-1.0
// What a small ONNX file may make its reader do: memory, work and nodes are counted before they are spent.
#include <doctest/doctest.h>

#include <ctime>
#include <limits>

#include <ctnn/formats/onnx/load.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;

namespace {

/// What reading the graph with these limits complains of; "" if nothing.
std::string refused(const std::string& graph, const budget& limits = {}, std::int64_t opset = 13) {
  onnx::read_options options;
  options.limits = limits;
  const std::string bytes = pb::model(graph, opset);
  try {
    onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx", limits), options);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
bool mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  MESSAGE(text);
  return false;
}

const pb::dims two{2};
const std::string x = pb::input(pb::value("x", pb::f32, two)), y = pb::output(pb::value("y", pb::f32, two));
std::string shape_constant(const char* name, const pb::dims& v) {
  return pb::initializer(pb::longs(name, {static_cast<std::int64_t>(v.size())}, v));
}

}  // namespace

TEST_CASE("numbers made while reading come out of the same budget as those in the file") {
  const std::string made = shape_constant("s", {1000, 1000}) + pb::node("ConstantOfShape", {"s"}, {"a"}) + x +
                           pb::output(pb::value("a", pb::f32, {}));
  CHECK(refused(made).empty());
  CHECK(mentions(refused(made, {.memory_bytes = 3'000'000}), "more memory than the limit"));
  CHECK(mentions(refused(made, {.value_elements = 999'999}), "above the limit of 999999 elements"));
  // Each of these would be a copy.
  std::string copies =
      shape_constant("s", {1000, 100}) + shape_constant("t", {100, 1000}) + pb::node("ConstantOfShape", {"s"}, {"a0"});
  for (int i = 0; i < 100; ++i)
    copies += pb::node("Reshape", {"a" + std::to_string(i), i % 2 ? "s" : "t"}, {"a" + std::to_string(i + 1)});
  copies += x + pb::output(pb::value("a100", pb::f32, {}));
  CHECK(refused(copies).empty());
  CHECK(mentions(refused(copies, {.memory_bytes = 10'000'000}), "more memory than the limit"));
}

TEST_CASE("products of extents do not wrap, whatever their order") {
  const std::int64_t huge = 2147483647;
  for (const pb::dims& shape : {pb::dims{huge, huge, huge, huge}, pb::dims{0, huge, huge, huge},
                                pb::dims{huge, huge, huge, 0}, pb::dims{huge + 1}, pb::dims{-1}}) {
    CAPTURE(shape.size());
    CHECK(!refused(pb::initializer(pb::longs("w", shape, {})) + x + pb::node("Relu", {"x"}, {"y"}) + y).empty());
    CHECK(!refused(pb::input(pb::value("x", pb::f32, shape)) + pb::node("Relu", {"x"}, {"y"}) + y).empty());
    CHECK(!refused(shape_constant("s", shape) + pb::node("ConstantOfShape", {"s"}, {"y"}) + x + y).empty());
    CHECK(!refused(shape_constant("s", shape) + pb::node("Expand", {"x", "s"}, {"y"}) + x + y).empty());
  }
  CHECK(mentions(refused(shape_constant("s", {1 << 30, 1 << 30}) + pb::node("Tile", {"x", "s"}, {"y"}) +
                         pb::input(pb::value("x", pb::f32, {2, 2})) + y),
                 "node"));
}

TEST_CASE("work done while reading is limited") {
  const std::string product = shape_constant("s", {300, 300}) + pb::node("ConstantOfShape", {"s"}, {"a"}) +
                              pb::node("MatMul", {"a", "a"}, {"y"}) + x + y;
  CHECK(refused(product, {.work = 100'000'000}).empty());
  CHECK(mentions(refused(product, {.work = 20'000'000}), "more work than the limit"));
}

TEST_CASE("loops count as what they become") {
  const std::string idle = pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
                           pb::output(pb::value("c", pb::boolean, {}));
  const auto loop = [](const std::string& body, std::int64_t trips) {
    return pb::node("Loop", {"trips", ""}, {}, pb::graph_attribute("body", body)) +
           pb::initializer(pb::longs("trips", {}, {trips})) + x + pb::node("Relu", {"x"}, {"y"}) + y;
  };
  CHECK(refused(loop(idle, 100)).empty());
  CHECK(mentions(refused(loop(idle, std::int64_t{1} << 62)), "more than 100000 nodes"));
  // Loops in loops, and many constants in one: the sum counts.
  std::string nested = idle;
  for (int depth = 0; depth < 8; ++depth)
    nested = pb::node("Loop", {"trips", ""}, {}, pb::graph_attribute("body", nested)) + idle;
  CHECK(mentions(refused(loop(nested, 10)), "more than 100000 nodes"));
  std::string stuffed = idle;
  for (int i = 0; i < 1000; ++i) stuffed += pb::initializer(pb::longs("k" + std::to_string(i), {}, {i}));
  CHECK(mentions(refused(loop(stuffed, 1000)), "more than 100000 nodes"));
}

TEST_CASE("graphs are nested as deep as the limit says") {
  std::string inner = pb::node("Relu", {"x"}, {"b"}) + pb::output(pb::value("b", pb::f32, two));
  for (int depth = 0; depth < 3; ++depth)
    inner = pb::node("If", {"c"}, {"b"},
                     pb::graph_attribute("then_branch", inner) + pb::graph_attribute("else_branch", inner)) +
            pb::output(pb::value("b", pb::f32, two));
  const std::string graph =
      pb::node("If", {"c"}, {"y"},
               pb::graph_attribute("then_branch", inner) + pb::graph_attribute("else_branch", inner)) +
      pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {}, {1})) + x + y;
  CHECK(refused(graph).empty());
  CHECK(refused(graph, {.nesting = 5}).empty());
  CHECK(mentions(refused(graph, {.nesting = 4}), "nested deeper than 4"));
}

TEST_CASE("attributes that hold nothing are no graphs and no tensors") {
  const auto nothing = [](const char* name) {
    return pb::bytes(5, pb::bytes(1, name));
  };  // of no type, as before ONNX 1.2
  const std::string shape = shape_constant("s", {2});
  CHECK(mentions(refused(pb::node("Loop", {"n", "", "x"}, {"y"}, nothing("body")) +
                         pb::initializer(pb::longs("n", {}, {2})) + x + y),
                 "attribute 'body' is nothing, expected a graph"));
  CHECK(mentions(refused(pb::node("If", {"c"}, {"y"}, nothing("then_branch") + nothing("else_branch")) +
                         pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {}, {1})) + x + y),
                 "attribute 'then_branch' is nothing, expected a graph"));
  CHECK(mentions(refused(pb::node("ConstantOfShape", {"s"}, {"y"}, nothing("value")) + shape + x + y),
                 "attribute 'value' is nothing, expected a tensor"));
}

TEST_CASE("zero points are integers, and of 32 bits where they are made use of") {
  const auto quantize = [&](const std::string& zero_point) {
    return refused(pb::node("QuantizeLinear", {"x", "s", "z"}, {"y"}) + pb::initializer(pb::floats("s", {}, {0.5f})) +
                   pb::initializer(zero_point) + x + y);
  };
  CHECK(mentions(quantize(pb::floats("z", {}, {3e29f})), "quantize cannot be of type f32"));
  CHECK(mentions(quantize(pb::floats("z", {}, {std::numeric_limits<float>::quiet_NaN()})), "cannot be of type f32"));
  CHECK(mentions(quantize(pb::tensor<std::int64_t>("z", pb::i64, {}, {std::int64_t{1} << 40})), "be of type i64"));
}

TEST_CASE("names: once each, no cycles, inner ones hide outer ones") {
  const auto relu = [](const char* from, const char* to) { return pb::node("Relu", {from}, {to}); };
  CHECK(mentions(refused(relu("x", "y") + relu("x", "y") + x + y), "'y' is made twice"));
  CHECK(mentions(refused(relu("x", "x") + x + y), "reads, perhaps through others, what it makes"));
  CHECK(mentions(refused(relu("a", "b") + relu("b", "a") + relu("a", "y") + x + y),
                 "reads, perhaps through others, what it makes"));
  CHECK(mentions(refused(relu("y", "y") + x + y), "reads, perhaps through others, what it makes"));
  CHECK(mentions(refused(relu("z", "y") + x + y), "'z', which nothing before it makes"));
  CHECK(mentions(refused(relu("x", "y") + x + x + y), "'x' is made twice"));
  CHECK(mentions(refused(relu("x", "y") + x + y + y), "two outputs are called 'y'"));
  CHECK(mentions(refused(relu("x", "y") + pb::initializer(pb::floats("w", {1}, {1})) +
                         pb::initializer(pb::floats("w", {1}, {2})) + x + y),
                 "'w' is made twice"));
  CHECK(mentions(refused(relu("x", "y") + x + y, {.name_length = 0}), "characters, the limit is 0"));
  // A branch has a value of the same name as one outside.
  const std::string branch = relu("x", "y") + pb::output(pb::value("y", pb::f32, two));
  CHECK(refused(pb::node("If", {"c"}, {"y"},
                         pb::graph_attribute("then_branch", branch) + pb::graph_attribute("else_branch", branch)) +
                pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {}, {1})) + x + y)
            .empty());
  // Even as one that follows from it.
  CHECK(refused(pb::node("If", {"c"}, {"r"},
                         pb::graph_attribute("then_branch", branch) + pb::graph_attribute("else_branch", branch)) +
                relu("r", "y") + pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {}, {1})) + x + y)
            .empty());
}

TEST_CASE("many nodes of one name take no longer than of many") {
  const std::clock_t begin = std::clock();  // of this process: others may use the machine
  std::string graph = pb::node("Relu", {"x"}, {"v0"}, {}, "same");
  for (int i = 0; i < 5000; ++i)
    graph += pb::node("Relu", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}, {}, "same");
  CHECK(refused(graph + x + pb::output(pb::value("v5000", pb::f32, two))).empty());
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
}
