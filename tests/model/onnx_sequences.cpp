// SPDX-License-Identifier: BSL-1.0
// ONNX's sequences and optionals, which leave nothing in the graph. (Debian's test_sequence_model1 to 8 are run by
// onnx_backend.cpp.)
#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;

namespace {

const std::string x24 = pb::input(pb::value("x", pb::f32, {2, 4}));

std::string y_of(const pb::dims& shape) { return pb::output(pb::value("y", pb::f32, shape)); }
std::string at(std::int64_t i, std::string_view name) { return pb::initializer(pb::longs(name, {}, {i})); }
model made(const std::string& graph) {
  return model(onnx::build(onnx::parse_model(pb::view(pb::model(graph, 18)), "m.onnx", {}), {}));
}
/// y of a graph for x = 0 .. 7 (2 x 4).
array answer(const std::string& graph) {
  const model m = made(graph);
  extractor e = m.extractor();
  e.input("x", array({2, 4}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
  return e.extract("y");
}
std::vector<float> numbers(const array& a) { return {a.values().begin(), a.values().end()}; }
std::string why_not(const std::string& graph) {
  try {
    made(graph);
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}
bool says(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

const std::string split_in_columns = pb::node("SplitToSequence", {"x"}, {"s"}, pb::attribute("axis", 1));
using numbers_t = std::vector<float>;

}  // namespace

TEST_CASE("a value is split, and its parts are joined in another order") {
  const std::string columns = pb::node("SplitToSequence", {"x"}, {"s"}, pb::attribute("axis", 1)) +
                              pb::node("SequenceAt", {"s", "last"}, {"l"}) + pb::node("SequenceErase", {"s"}, {"t"}) +
                              pb::node("SequenceInsert", {"t", "l", "first"}, {"u"}) +
                              pb::node("ConcatFromSequence", {"u"}, {"y"}, pb::attribute("axis", -1)) + x24 +
                              at(-1, "last") + at(0, "first");
  const array y = answer(columns + y_of({2, 4}));
  CHECK(y.shape() == extents{2, 4});
  CHECK(numbers(y) == numbers_t{3, 0, 1, 2, 7, 4, 5, 6});
}

TEST_CASE("pieces have one size but for the last, or sizes of their own, and may lose their axis") {
  const auto part = [](const std::string& split, std::int64_t which, const std::string& more) {
    return answer(pb::node("SplitToSequence", more.empty() ? std::vector<std::string>{"x"}
                                                           : std::vector<std::string>{"x", "sizes"},
                           {"s"}, split) +
                  more + pb::node("SequenceAt", {"s", "k"}, {"y"}) + x24 + at(which, "k") + y_of({-1}));
  };
  const std::string columns = pb::attribute("axis", 1);
  const std::string three = pb::initializer(pb::longs("sizes", {}, {3}));
  CHECK(part(columns, 0, three).shape() == extents{2, 3});
  CHECK(numbers(part(columns, 1, three)) == numbers_t{3, 7});
  const std::string sizes = pb::initializer(pb::longs("sizes", {3}, {1, 1, 2}));
  CHECK(numbers(part(columns, 2, sizes)) == numbers_t{2, 3, 6, 7});
  const std::string bare = pb::attribute("axis", 1) + pb::attribute("keepdims", 0);
  CHECK(part(bare, 1, "").shape() == extents{2});
  CHECK(part(bare, 1, sizes).shape() == extents{2, 1});  // ONNX: where sizes are given, keepdims says nothing
  CHECK(numbers(part(bare, 1, "")) == numbers_t{1, 5});
}

TEST_CASE("a loop gathers a sequence, which is stacked") {
  // y[i] = x * i for i < 3, as torch.jit writes lists that are appended to.
  const std::string body =
      pb::node("Cast", {"i"}, {"f"}, pb::attribute("to", pb::f32)) + pb::node("Mul", {"x", "f"}, {"p"}) +
      pb::node("SequenceInsert", {"list", "p"}, {"longer"}) + pb::node("Identity", {"go"}, {"on"}) +
      pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("go", pb::boolean, {})) +
      pb::input(pb::bytes(1, "list")) + pb::output(pb::value("on", pb::boolean, {})) +
      pb::output(pb::bytes(1, "longer"));
  const std::string loop = pb::node("SequenceEmpty", {}, {"none"}) +
                           pb::node("Loop", {"trips", "", "none"}, {"all"}, pb::graph_attribute("body", body)) + x24 +
                           at(3, "trips");
  const array y = answer(loop +
                         pb::node("ConcatFromSequence", {"all"}, {"y"},
                                  pb::attribute("axis", 0) + pb::attribute("new_axis", 1)) +
                         y_of({3, 2, 4}));
  CHECK(y.shape() == extents{3, 2, 4});
  for (std::size_t k = 0; k < 24; ++k) CHECK(y.values()[k] == static_cast<float>(k % 8 * (k / 8)));
  const model m = made(loop + pb::node("SequenceLength", {"all"}, {"n"}) +
                       pb::node("Cast", {"n"}, {"y"}, pb::attribute("to", pb::f32)) + y_of({}));
  CHECK(numbers(m.extractor().extract("y")) == numbers_t{3});
}

TEST_CASE("a graph is applied to the parts of sequences, and to a tensor with each") {
  const std::string body = pb::node("Mul", {"a", "b"}, {"ab"}) + pb::node("Add", {"ab", "c"}, {"r"}) +
                           pb::input(pb::value("a", pb::f32, {2, 1})) + pb::input(pb::value("b", pb::f32, {2, 1})) +
                           pb::input(pb::value("c", pb::f32, {})) + pb::output(pb::value("r", pb::f32, {2, 1}));
  const std::string graph = split_in_columns +
                            pb::node("SequenceMap", {"s", "s", "one"}, {"t"}, pb::graph_attribute("body", body)) +
                            pb::node("ConcatFromSequence", {"t"}, {"y"}, pb::attribute("axis", 1)) + x24 +
                            pb::initializer(pb::floats("one", {}, {1})) + y_of({2, 4});
  CHECK(numbers(answer(graph)) == numbers_t{1, 2, 5, 10, 17, 26, 37, 50});
}

TEST_CASE("optionals with a value are that value; those without say so") {
  const std::string branch = pb::node("OptionalGetElement", {"o"}, {"v"}) + pb::output(pb::value("v", pb::f32, {2, 4}));
  const std::string other = pb::node("Neg", {"x"}, {"w"}) + pb::output(pb::value("w", pb::f32, {2, 4}));
  const auto choice = [&](const std::vector<std::string>& of) {
    return pb::node("Optional", of, {"o"}) + pb::node("OptionalHasElement", {"o"}, {"has"}) +
           pb::node("If", {"has"}, {"y"},
                    pb::graph_attribute("then_branch", branch) + pb::graph_attribute("else_branch", other)) +
           x24 + y_of({2, 4});
  };
  CHECK(numbers(answer(choice({"x"}))) == numbers_t{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(numbers(answer(choice({}))) == numbers_t{-0.f, -1, -2, -3, -4, -5, -6, -7});
}

TEST_CASE("what sequences cannot be is refused") {
  const std::string end = x24 + y_of({2, 4});
  CHECK(says(why_not(split_in_columns + pb::node("Relu", {"s"}, {"y"}) + end), "'s' is a sequence"));
  CHECK(says(why_not(split_in_columns + pb::node("Identity", {"s"}, {"y"}) + end), "output 'y' is a sequence"));
  CHECK(says(why_not(split_in_columns + pb::node("SequenceAt", {"s", "k"}, {"y"}) + at(4, "k") + end),
             "position 4 is out of range for a sequence of 4"));
  CHECK(says(why_not(split_in_columns + pb::node("SequenceAt", {"s", "k"}, {"y"}) + at(-5, "k") + end),
             "position -5 is out of range for a sequence of 4"));
  CHECK(says(why_not(pb::node("SequenceAt", {"x", "k"}, {"y"}) + at(0, "k") + end), "'x' is a tensor, not a sequence"));
  CHECK(says(why_not(pb::node("SequenceEmpty", {}, {"s"}) +
                     pb::node("ConcatFromSequence", {"s"}, {"y"}, pb::attribute("axis", 0)) + end),
             "the sequence has no parts"));
  CHECK(says(why_not(pb::node("SequenceEmpty", {}, {"s"}) + pb::node("SequenceErase", {"s"}, {"t"}) +
                     pb::node("SequenceAt", {"t", "k"}, {"y"}) + at(0, "k") + end),
             "the sequence has no part to erase"));
  CHECK(says(why_not(pb::node("Optional", {}, {"o"}) + pb::node("OptionalGetElement", {"o"}, {"y"}) + end),
             "the optional has no value"));
  CHECK(says(why_not(pb::node("SplitToSequence", {"x", "sizes"}, {"s"}) + pb::node("SequenceAt", {"s", "k"}, {"y"}) +
                     pb::initializer(pb::longs("sizes", {2}, {1, 2})) + at(0, "k") + end),
             "split takes 2 of the 1 elements left"));
  // What a loop gathers in an output of its own is a tensor.
  const std::string body = pb::node("SplitToSequence", {"x"}, {"r"}) + pb::node("Identity", {"go"}, {"on"}) +
                           pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("go", pb::boolean, {})) +
                           pb::output(pb::value("on", pb::boolean, {})) + pb::output(pb::value("r", pb::f32, {2, 4}));
  CHECK(says(why_not(pb::node("Loop", {"trips", ""}, {"y"}, pb::graph_attribute("body", body)) + at(2, "trips") + end),
             "gathers what is a sequence"));
}

TEST_CASE("sequences that a small file makes longer and longer have a limit") {
  const std::string body =
      pb::node("SequenceInsert", {"list", "x"}, {"longer"}) + pb::node("Identity", {"go"}, {"on"}) +
      pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("go", pb::boolean, {})) +
      pb::input(pb::bytes(1, "list")) + pb::output(pb::value("on", pb::boolean, {})) +
      pb::output(pb::bytes(1, "longer"));
  const std::string text = why_not(
      pb::node("SequenceEmpty", {}, {"none"}) +
      pb::node("Loop", {"trips", "", "none"}, {"all"}, pb::graph_attribute("body", body)) +
      pb::node("SequenceAt", {"all", "k"}, {"y"}) + x24 + at(30'000, "trips") + at(0, "k") + y_of({2, 4}));
  CHECK_MESSAGE(says(text, "its sequences have more than 100000 times 100 parts"), text);
}
