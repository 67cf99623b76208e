// SPDX-License-Identifier: BSL-1.0
// What becomes of an ONNX graph: shape arithmetic goes away, inputs decide what is open, and refusals come all at once.
#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
namespace pb = test::onnx_bytes;

namespace {

onnx::model_message parse(const std::string& graph, std::int64_t opset = 13) {
  const std::string bytes = pb::model(graph, opset);
  return onnx::parse_model(pb::view(bytes), "m.onnx");
}
model made(const std::string& graph, std::int64_t opset = 13) {
  const auto file = std::make_shared<const onnx::model_message>(parse(graph, opset));
  return model(onnx::build(*file), {}, [file](const arrays_by_name& fed) { return onnx::build(*file, {}, fed); });
}
array numbers(const extents& shape, const std::vector<float>& v) { return array(shape, v); }
array longs(const std::vector<std::int64_t>& v) {
  array a({static_cast<int>(v.size())}, dtype::i64);
  std::ranges::copy(v, a.elements<std::int64_t>().begin());
  return a;
}
std::vector<float> values(const array& a) { return {a.values().begin(), a.values().end()}; }
int count_of(const graph_view& g, std::string_view op) {
  return static_cast<int>(std::count_if(g.nodes.begin(), g.nodes.end(), [&](const node& n) { return n.type->name == op; }));
}

/// y = reshape(x, concat(shape(x)[0:1], [-1])): what exporters write for flatten.
const std::string exported_flatten =
    pb::node("Shape", {"x"}, {"s"}) + pb::node("Gather", {"s", "zero"}, {"n"}) + pb::node("Unsqueeze", {"n", "axis"}, {"n1"}) +
    pb::node("Concat", {"n1", "rest"}, {"to"}, pb::attribute("axis", std::int64_t{0})) + pb::node("Reshape", {"x", "to"}, {"y"}) +
    pb::initializer(pb::longs("zero", {}, {0})) + pb::initializer(pb::longs("axis", {1}, {0})) + pb::initializer(pb::longs("rest", {1}, {-1})) +
    pb::output(pb::value("y", pb::f32, {-1, -1}));

}  // namespace

TEST_CASE("arithmetic on shapes leaves no trace") {
  const model m = made(exported_flatten + pb::input(pb::value("x", pb::f32, {2, 3, 4})));
  CHECK(m.source().nodes.size() == 2);
  extractor e = m.extractor();
  e.input("x", array({2, 3, 4}));
  CHECK(e.extract("y").shape() == extents{2, 12});
}

TEST_CASE("open axes follow what is fed, again and again") {
  const auto file = std::make_shared<const onnx::model_message>(parse(exported_flatten + pb::input(pb::value("x", pb::f32, {-1, 3, 4}))));
  CHECK_THROWS_WITH_AS(onnx::build(*file), doctest::Contains("open axis 'n'"), onnx::undetermined);
  onnx::read_options five;
  five.input_shapes["x"] = {5, 3, 4};
  const model m(onnx::build(*file, five), {}, [file](const arrays_by_name& fed) { return onnx::build(*file, {}, fed); });
  extractor e = m.extractor();
  for (int n : {5, 2, 7, 5}) {
    e.input("x", array({n, 3, 4}));
    CHECK(e.extract("y").shape() == extents{n, 12});
  }
  CHECK_THROWS_AS(e.input("x", array({5, 3, 4}, dtype::i64)), error);
}

TEST_CASE("numbers that decide a shape are part of the plan") {
  const auto file = std::make_shared<const onnx::model_message>(
      parse(pb::node("Tile", {"x", "times"}, {"y"}) + pb::input(pb::value("x", pb::f32, {2})) + pb::input(pb::value("times", pb::i64, {1})) +
            pb::output(pb::value("y", pb::f32, {-1}))));
  CHECK_THROWS_WITH_AS(onnx::build(*file), doctest::Contains("follow from input 'times'"), onnx::undetermined);
  arrays_by_name fed;
  fed.emplace("times", longs({2}));
  const model m(onnx::build(*file, {}, fed), {}, [file](const arrays_by_name& given) { return onnx::build(*file, {}, given); });
  extractor e = m.extractor();
  e.input("x", numbers({2}, {1, 2}));
  for (std::int64_t n : {2, 3, 1}) {
    e.input("times", longs({n}));
    CHECK(e.extract("y").shape() == extents{static_cast<int>(2 * n)});
  }
}

TEST_CASE("a known condition leaves one branch") {
  const auto branch = [](const char* op) { return pb::node(op, {"x"}, {"b"}) + pb::output(pb::value("b", pb::f32, {2})); };
  const std::string graph = pb::node("If", {"c"}, {"y"}, pb::graph_attribute("then_branch", branch("Neg")) + pb::graph_attribute("else_branch", branch("Abs"))) +
                            pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("y", pb::f32, {2}));
  for (const bool yes : {true, false}) {
    const model m = made(graph + pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {}, {yes ? std::uint8_t{1} : std::uint8_t{0}})));
    CHECK(m.source().nodes.size() == 2);
    extractor e = m.extractor();
    e.input("x", numbers({2}, {3, -4}));
    CHECK(values(e.extract("y")) == (yes ? std::vector<float>{-3, 4} : std::vector<float>{3, 4}));
  }
}

TEST_CASE("a loop of known length is unrolled") {
  const std::string body = pb::node("Add", {"v", "x"}, {"v2"}) + pb::node("Identity", {"c"}, {"c2"}) + pb::input(pb::value("i", pb::i64, {})) +
                           pb::input(pb::value("c", pb::boolean, {})) + pb::input(pb::value("v", pb::f32, {2})) +
                           pb::output(pb::value("c2", pb::boolean, {})) + pb::output(pb::value("v2", pb::f32, {2}));
  const model m = made(pb::node("Loop", {"trips", "", "x"}, {"y"}, pb::graph_attribute("body", body)) + pb::initializer(pb::longs("trips", {}, {3})) +
                       pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("y", pb::f32, {2})));
  extractor e = m.extractor();
  e.input("x", numbers({2}, {1, 2}));
  CHECK(values(e.extract("y")) == std::vector<float>{4, 8});
}

TEST_CASE("operators that ctnn has for static networks are used, and fused") {
  const std::string graph =
      pb::node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv") + pb::node("Relu", {"c"}, {"r"}, {}, "relu") +
      pb::node("GlobalAveragePool", {"r"}, {"p"}, {}, "pool") + pb::node("Flatten", {"p"}, {"f"}) + pb::node("Gemm", {"f", "m"}, {"y"}, {}, "fc") +
      pb::initializer(pb::floats("w", {2, 1, 1, 1}, {1, -1})) + pb::initializer(pb::floats("b", {2}, {0, 1})) +
      pb::initializer(pb::floats("m", {2, 3}, {1, 2, 3, 4, 5, 6})) + pb::input(pb::value("x", pb::f32, {1, 1, 2, 2})) +
      pb::output(pb::value("y", pb::f32, {1, 3}));
  const model m = made(graph);
  CHECK(count_of(m.source(), "conv2d") == 1);
  CHECK(count_of(m.source(), "linear") == 1);
  CHECK(count_of(m.graph(), "activation") == 0);
  extractor e = m.extractor();
  e.input("x", numbers({1, 1, 2, 2}, {1, 2, 3, 4}));
  CHECK(values(e.extract("y")) == std::vector<float>{2.5f, 5, 7.5f});
}

TEST_CASE("half precision weights are converted where the file says so") {
  const onnx::model_message file =
      parse(pb::node("Cast", {"w"}, {"f"}, pb::attribute("to", std::int64_t{1})) + pb::node("Mul", {"x", "f"}, {"y"}) +
            pb::initializer(pb::tensor<std::uint16_t>("w", pb::f16, {2}, {0x3c00, 0x4000})) + pb::input(pb::value("x", pb::f32, {2})) +
            pb::output(pb::value("y", pb::f32, {2})));
  const model m(onnx::build(file));
  extractor e = m.extractor();
  e.input("x", numbers({2}, {3, 5}));
  CHECK(values(e.extract("y")) == std::vector<float>{3, 10});
}

TEST_CASE("all that is not supported is said at once") {
  const std::string graph = pb::node("NoSuch", {"x"}, {"a"}, {}, "first") + pb::node("Relu", {"a"}, {"b"}) +
                            pb::node("Celu", {"x"}, {"c"}, pb::attribute("colour", std::int64_t{1}), "second") + pb::node("NoSuch", {"b"}, {"y"}, {}, "third") +
                            pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("y", pb::f32, {2}));
  std::string text;
  try {
    onnx::build(parse(graph));
  } catch (const error& e) {
    text = e.what();
  }
  CAPTURE(text);
  for (const char* part : {"m.onnx: not supported: ", "NoSuch in 'first' (byte ", "'third'", "Celu: attribute 'colour' in 'second'"})
    CHECK(text.find(part) != text.npos);
}

TEST_CASE("what a file gets wrong is said with the node and the byte") {
  const auto what = [](const std::string& nodes) -> std::string {
    try {
      onnx::build(parse(nodes + pb::input(pb::value("x", pb::f32, {2, 3})) + pb::output(pb::value("y", pb::f32, {2, 3}))));
    } catch (const error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(what(pb::node("Relu", {"z"}, {"y"}, {}, "n")).find("node 'n' (Relu, byte ") != std::string::npos);
  CHECK(what(pb::node("Softmax", {"x"}, {"y"}, pb::attribute("axis", std::int64_t{9}))).find("axis 9 is out of range for 2") != std::string::npos);
  CHECK(what(pb::node("Softmax", {"x"}, {"y"}, pb::attribute("axis", 1.0f))).find("is a float, expected an int") != std::string::npos);
  CHECK(what(pb::node("Relu", {"x"}, {"y"}) + pb::node("Abs", {"x"}, {"y"})).find("made twice") != std::string::npos);
  CHECK(what(pb::node("Relu", {"b"}, {"y"}) + pb::node("Relu", {"y"}, {"b"})).find("reads, perhaps through others, what it makes") != std::string::npos);
  CHECK(what(pb::node("Relu", {"x"}, {"z"})).find("output 'y' is made by no node") != std::string::npos);
}

TEST_CASE("an index that no double holds is out of range all the same") {
  const std::string x = pb::input(pb::value("x", pb::f32, {3})) + pb::output(pb::value("y", pb::f32, {1}));
  CHECK_THROWS_WITH_AS(made(pb::node("Gather", {"x", "i"}, {"y"}) + x + pb::initializer(pb::longs("i", {1}, {std::numeric_limits<std::int64_t>::max()}))),
                       doctest::Contains("index 9223372036854775807 is out of range for 3 elements"), error);
}

TEST_CASE("a padding by less than nothing may leave nothing") {
  const std::string x = pb::input(pb::value("x", pb::f32, {3})) + pb::output(pb::value("y", pb::f32, {-1}));
  for (const auto& [after, left] : {std::pair<std::int64_t, int>{-1, 1}, {-2, 0}}) {
    const model m = made(pb::node("Pad", {"x", "pads"}, {"y"}) + x + pb::initializer(pb::longs("pads", {2}, {-1, after})));
    extractor e = m.extractor();
    e.input("x", numbers({3}, {1, 2, 3}));
    CHECK(e.extract("y").shape() == extents{left});
  }
  CHECK_THROWS_AS(made(pb::node("Pad", {"x", "pads"}, {"y"}) + x + pb::initializer(pb::longs("pads", {2}, {-1, -3}))), error);
}

TEST_CASE("whole numbers written as text and read again are themselves") {
  const auto to = [](std::int64_t type) { return pb::attribute("to", type); };
  const std::string x = pb::input(pb::value("x", pb::f32, {3}));
  const model m = made(pb::node("Cast", {"x"}, {"whole"}, to(pb::i32)) + pb::node("Cast", {"whole"}, {"t"}, to(pb::text)) + pb::node("Cast", {"t"}, {"y"}, to(pb::f32)) +
                       pb::node("Cast", {"x"}, {"b"}, to(pb::boolean)) + pb::node("Cast", {"b"}, {"bt"}, to(pb::text)) + pb::node("Cast", {"bt"}, {"z"}, to(pb::f32)) + x +
                       pb::output(pb::value("y", pb::f32, {3})) + pb::output(pb::value("z", pb::f32, {3})));
  extractor e = m.extractor();
  e.input("x", numbers({3}, {-2.5f, 0, 7}));
  CHECK(values(e.extract("y")) == std::vector<float>{-2, 0, 7});
  CHECK(values(e.extract("z")) == std::vector<float>{1, 0, 1});
  const auto refused = [&](const std::string& nodes, const char* why) {
    CHECK_THROWS_WITH_AS(made(nodes + x + pb::output(pb::value("y", pb::text, {3}))), doctest::Contains(why), error);
  };
  const std::string whole = pb::node("Cast", {"x"}, {"whole"}, to(pb::i64));
  refused(pb::node("Cast", {"x"}, {"y"}, to(pb::text)), "Cast: a float as text in 'y'");
  refused(whole + pb::node("Cast", {"whole"}, {"y"}, to(pb::text)), "output 'y' is text");
  refused(whole + pb::node("Cast", {"whole"}, {"t"}, to(pb::text)) + pb::node("Identity", {"t"}, {"y"}), "Identity: 't' is text in 'y'");
}
