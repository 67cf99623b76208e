// SPDX-License-Identifier: BSL-1.0
// What becomes of an ONNX graph: shape arithmetic goes away, inputs decide what is open, and refusals come all at once.
#include <cmath>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
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
  return static_cast<int>(
      std::count_if(g.nodes.begin(), g.nodes.end(), [&](const node& n) { return n.type->name == op; }));
}

/// y = reshape(x, concat(shape(x)[0:1], [-1])): what exporters write for flatten.
const std::string exported_flatten =
    pb::node("Shape", {"x"}, {"s"}) + pb::node("Gather", {"s", "zero"}, {"n"}) +
    pb::node("Unsqueeze", {"n", "axis"}, {"n1"}) +
    pb::node("Concat", {"n1", "rest"}, {"to"}, pb::attribute("axis", std::int64_t{0})) +
    pb::node("Reshape", {"x", "to"}, {"y"}) + pb::initializer(pb::longs("zero", {}, {0})) +
    pb::initializer(pb::longs("axis", {1}, {0})) + pb::initializer(pb::longs("rest", {1}, {-1})) +
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
  const auto file = std::make_shared<const onnx::model_message>(
      parse(exported_flatten + pb::input(pb::value("x", pb::f32, {-1, 3, 4}))));
  CHECK_THROWS_WITH_AS(onnx::build(*file), doctest::Contains("open axis 'n'"), onnx::undetermined);
  onnx::read_options five;
  five.input_shapes["x"] = {5, 3, 4};
  const model m(onnx::build(*file, five), {},
                [file](const arrays_by_name& fed) { return onnx::build(*file, {}, fed); });
  extractor e = m.extractor();
  for (int n : {5, 2, 7, 5}) {
    e.input("x", array({n, 3, 4}));
    CHECK(e.extract("y").shape() == extents{n, 12});
  }
  CHECK_THROWS_AS(e.input("x", array({5, 3, 4}, dtype::i64)), error);
}

TEST_CASE("numbers that decide a shape are part of the plan") {
  const auto file = std::make_shared<const onnx::model_message>(
      parse(pb::node("Tile", {"x", "times"}, {"y"}) + pb::input(pb::value("x", pb::f32, {2})) +
            pb::input(pb::value("times", pb::i64, {1})) + pb::output(pb::value("y", pb::f32, {-1}))));
  CHECK_THROWS_WITH_AS(onnx::build(*file), doctest::Contains("follow from input 'times'"), onnx::undetermined);
  arrays_by_name fed;
  fed.emplace("times", longs({2}));
  const model m(onnx::build(*file, {}, fed), {},
                [file](const arrays_by_name& given) { return onnx::build(*file, {}, given); });
  extractor e = m.extractor();
  e.input("x", numbers({2}, {1, 2}));
  for (std::int64_t n : {2, 3, 1}) {
    e.input("times", longs({n}));
    CHECK(e.extract("y").shape() == extents{static_cast<int>(2 * n)});
  }
}

TEST_CASE("a known condition leaves one branch") {
  const auto branch = [](const char* op) {
    return pb::node(op, {"x"}, {"b"}) + pb::output(pb::value("b", pb::f32, {2}));
  };
  const std::string graph =
      pb::node("If", {"c"}, {"y"},
               pb::graph_attribute("then_branch", branch("Neg")) + pb::graph_attribute("else_branch", branch("Abs"))) +
      pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("y", pb::f32, {2}));
  for (const bool yes : {true, false}) {
    const model m = made(graph + pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {},
                                                                          {yes ? std::uint8_t{1} : std::uint8_t{0}})));
    CHECK(m.source().nodes.size() == 2);
    extractor e = m.extractor();
    e.input("x", numbers({2}, {3, -4}));
    CHECK(values(e.extract("y")) == (yes ? std::vector<float>{-3, 4} : std::vector<float>{3, 4}));
  }
}

TEST_CASE("a loop of known length is unrolled") {
  const std::string body = pb::node("Add", {"v", "x"}, {"v2"}) + pb::node("Identity", {"c"}, {"c2"}) +
                           pb::input(pb::value("i", pb::i64, {})) + pb::input(pb::value("c", pb::boolean, {})) +
                           pb::input(pb::value("v", pb::f32, {2})) + pb::output(pb::value("c2", pb::boolean, {})) +
                           pb::output(pb::value("v2", pb::f32, {2}));
  const model m = made(pb::node("Loop", {"trips", "", "x"}, {"y"}, pb::graph_attribute("body", body)) +
                       pb::initializer(pb::longs("trips", {}, {3})) + pb::input(pb::value("x", pb::f32, {2})) +
                       pb::output(pb::value("y", pb::f32, {2})));
  extractor e = m.extractor();
  e.input("x", numbers({2}, {1, 2}));
  CHECK(values(e.extract("y")) == std::vector<float>{4, 8});
}

TEST_CASE("operators that ctnn has for static networks are used, and fused") {
  const std::string graph =
      pb::node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv") + pb::node("Relu", {"c"}, {"r"}, {}, "relu") +
      pb::node("GlobalAveragePool", {"r"}, {"p"}, {}, "pool") + pb::node("Flatten", {"p"}, {"f"}) +
      pb::node("Gemm", {"f", "m"}, {"y"}, {}, "fc") + pb::initializer(pb::floats("w", {2, 1, 1, 1}, {1, -1})) +
      pb::initializer(pb::floats("b", {2}, {0, 1})) + pb::initializer(pb::floats("m", {2, 3}, {1, 2, 3, 4, 5, 6})) +
      pb::input(pb::value("x", pb::f32, {1, 1, 2, 2})) + pb::output(pb::value("y", pb::f32, {1, 3}));
  const model m = made(graph);
  CHECK(count_of(m.source(), "conv2d") == 1);
  CHECK(count_of(m.source(), "matmul") == 1);
  CHECK(count_of(m.graph(), "conv2d") == 1);
  CHECK(count_of(m.graph(), "linear") == 1);
  CHECK(count_of(m.graph(), "matmul") == 0);
  CHECK(count_of(m.graph(), "activation") == 0);
  extractor e = m.extractor();
  e.input("x", numbers({1, 1, 2, 2}, {1, 2, 3, 4}));
  CHECK(values(e.extract("y")) == std::vector<float>{2.5f, 5, 7.5f});
}

TEST_CASE("half precision weights are converted where the file says so") {
  const onnx::model_message file =
      parse(pb::node("Cast", {"w"}, {"f"}, pb::attribute("to", std::int64_t{1})) + pb::node("Mul", {"x", "f"}, {"y"}) +
            pb::initializer(pb::tensor<std::uint16_t>("w", pb::f16, {2}, {0x3c00, 0x4000})) +
            pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("y", pb::f32, {2})));
  const model m(onnx::build(file));
  extractor e = m.extractor();
  e.input("x", numbers({2}, {3, 5}));
  CHECK(values(e.extract("y")) == std::vector<float>{3, 10});
}

TEST_CASE("all that is not supported is said at once") {
  const std::string graph = pb::node("NoSuch", {"x"}, {"a"}, {}, "first") + pb::node("Relu", {"a"}, {"b"}) +
                            pb::node("Celu", {"x"}, {"c"}, pb::attribute("colour", std::int64_t{1}), "second") +
                            pb::node("NoSuch", {"b"}, {"y"}, {}, "third") + pb::input(pb::value("x", pb::f32, {2})) +
                            pb::output(pb::value("y", pb::f32, {2}));
  std::string text;
  try {
    onnx::build(parse(graph));
  } catch (const error& e) {
    text = e.what();
  }
  CAPTURE(text);
  for (const char* part :
       {"m.onnx: not supported: ", "NoSuch in 'first' (byte ", "'third'", "Celu: attribute 'colour' in 'second'"})
    CHECK(text.find(part) != text.npos);
}

TEST_CASE("what a file gets wrong is said with the node and the byte") {
  const auto what = [](const std::string& nodes) -> std::string {
    try {
      onnx::build(
          parse(nodes + pb::input(pb::value("x", pb::f32, {2, 3})) + pb::output(pb::value("y", pb::f32, {2, 3}))));
    } catch (const error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(what(pb::node("Relu", {"z"}, {"y"}, {}, "n")).find("node 'n' (Relu, byte ") != std::string::npos);
  CHECK(what(pb::node("Softmax", {"x"}, {"y"}, pb::attribute("axis", std::int64_t{9})))
            .find("axis 9 is out of range for 2") != std::string::npos);
  CHECK(what(pb::node("Softmax", {"x"}, {"y"}, pb::attribute("axis", 1.0f))).find("is a float, expected an int") !=
        std::string::npos);
  CHECK(what(pb::node("Relu", {"x"}, {"y"}) + pb::node("Abs", {"x"}, {"y"})).find("made twice") != std::string::npos);
  CHECK(what(pb::node("Relu", {"b"}, {"y"}) + pb::node("Relu", {"y"}, {"b"}))
            .find("reads, perhaps through others, what it makes") != std::string::npos);
  CHECK(what(pb::node("Relu", {"x"}, {"z"})).find("output 'y' is made by no node") != std::string::npos);
}

TEST_CASE("an index that no double holds is out of range all the same") {
  const std::string x = pb::input(pb::value("x", pb::f32, {3})) + pb::output(pb::value("y", pb::f32, {1}));
  CHECK_THROWS_WITH_AS(made(pb::node("Gather", {"x", "i"}, {"y"}) + x +
                            pb::initializer(pb::longs("i", {1}, {std::numeric_limits<std::int64_t>::max()}))),
                       doctest::Contains("index 9223372036854775807 is out of range for 3 elements"), error);
}

TEST_CASE("a padding by less than nothing may leave nothing") {
  const std::string x = pb::input(pb::value("x", pb::f32, {3})) + pb::output(pb::value("y", pb::f32, {-1}));
  for (const auto& [after, left] : {std::pair<std::int64_t, int>{-1, 1}, {-2, 0}}) {
    const model m =
        made(pb::node("Pad", {"x", "pads"}, {"y"}) + x + pb::initializer(pb::longs("pads", {2}, {-1, after})));
    extractor e = m.extractor();
    e.input("x", numbers({3}, {1, 2, 3}));
    CHECK(e.extract("y").shape() == extents{left});
  }
  CHECK_THROWS_AS(made(pb::node("Pad", {"x", "pads"}, {"y"}) + x + pb::initializer(pb::longs("pads", {2}, {-1, -3}))),
                  error);
}

TEST_CASE("whole numbers written as text and read again are themselves") {
  const auto to = [](std::int64_t type) { return pb::attribute("to", type); };
  const std::string x = pb::input(pb::value("x", pb::f32, {3}));
  const model m =
      made(pb::node("Cast", {"x"}, {"whole"}, to(pb::i32)) + pb::node("Cast", {"whole"}, {"t"}, to(pb::text)) +
           pb::node("Cast", {"t"}, {"y"}, to(pb::f32)) + pb::node("Cast", {"x"}, {"b"}, to(pb::boolean)) +
           pb::node("Cast", {"b"}, {"bt"}, to(pb::text)) + pb::node("Cast", {"bt"}, {"z"}, to(pb::f32)) + x +
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
  refused(whole + pb::node("Cast", {"whole"}, {"t"}, to(pb::text)) + pb::node("Identity", {"t"}, {"y"}),
          "output 'y' is text");
}

TEST_CASE("a slice backwards begins at an element, however far below the first its start is") {
  const auto sliced = [](std::int64_t start, std::int64_t end) {
    const model m =
        made(pb::node("Slice", {"x", "from", "to", "axis", "step"}, {"y"}) +
             pb::initializer(pb::longs("from", {1}, {start})) + pb::initializer(pb::longs("to", {1}, {end})) +
             pb::initializer(pb::longs("axis", {1}, {0})) + pb::initializer(pb::longs("step", {1}, {-1})) +
             pb::input(pb::value("x", pb::f32, {3})) + pb::output(pb::value("y", pb::f32, {-1})));
    extractor e = m.extractor();
    e.input("x", numbers({3}, {1, 2, 3}));
    return values(e.extract("y"));
  };
  CHECK(sliced(-4, -10) == std::vector<float>{1});
  CHECK(sliced(-1'000'000'000'000, -10) == std::vector<float>{1});
  CHECK(sliced(-4, 0) == std::vector<float>{});
  CHECK(sliced(9, -10) == std::vector<float>{3, 2, 1});
  CHECK(sliced(-2, -3) == std::vector<float>{2});
}

TEST_CASE("not-a-numbers that are fed are one distinct number, the largest") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const model m = model(onnx::build(parse(
      pb::node("Identity", {"w"}, {"y"}) + pb::input(pb::value("x", pb::f32, {1})) + pb::node("Unique", {"v"}, {"w"}) +
      pb::initializer(pb::floats("v", {5}, {nan, 2, -nan, 1, 2})) + pb::output(pb::value("y", pb::f32, {-1})))));
  const array y = m.extractor().extract("y");
  CHECK(y.shape() == extents{3});
  CHECK(y[0] == 1);
  CHECK(y[1] == 2);
  CHECK(std::isnan(y[2]));
  std::vector<float> fed;  // of several, in no order that a comparison without NaNs would keep
  for (int i = 0; i < 3000; ++i) fed.push_back(i % 3 == 0 ? nan : static_cast<float>(i * 7919 % 500));
  const auto file = std::make_shared<const onnx::model_message>(parse(pb::node("Unique", {"x"}, {"y"}) +
      pb::input(pb::value("x", pb::f32, {3000})) + pb::output(pb::value("y", pb::f32, {-1}))));
  arrays_by_name given;
  given.emplace("x", numbers({3000}, fed));
  const model of_fed(onnx::build(*file, {}, given), {},
                     [file](const arrays_by_name& f) { return onnx::build(*file, {}, f); });
  extractor e = of_fed.extractor();
  e.input("x", numbers({3000}, fed));
  CHECK(e.extract("y").shape() == extents{501});
}

TEST_CASE("a product over nothing is zeros") {
  const model m = made(pb::node("MatMul", {"x", "down"}, {"a"}) + pb::node("MatMul", {"a", "up"}, {"b"}) +
                       pb::node("Add", {"x", "b"}, {"y"}) + pb::initializer(pb::floats("down", {3, 0}, {})) +
                       pb::initializer(pb::floats("up", {0, 3}, {})) + pb::input(pb::value("x", pb::f32, {2, 3})) +
                       pb::output(pb::value("y", pb::f32, {2, 3})));
  extractor e = m.extractor();
  e.input("x", numbers({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(values(e.extract("y")) == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("the branch that a condition does not choose is checked") {
  const auto refusal = [](const std::string& other) {
    const std::string chosen = pb::node("Relu", {"x"}, {"r"}) + pb::output(pb::value("r", pb::f32, {2}));
    try {
      onnx::build(
          parse(pb::node("If", {"c"}, {"y"},
                         pb::graph_attribute("then_branch", chosen) + pb::graph_attribute("else_branch", other)) +
                pb::initializer(pb::tensor<std::uint8_t>("c", pb::boolean, {}, {1})) +
                pb::input(pb::value("x", pb::f32, {2})) + pb::output(pb::value("y", pb::f32, {2}))));
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  const std::string out = pb::output(pb::value("o", pb::f32, {2}));
  CHECK(refusal(pb::node("Neg", {"x"}, {"o"}) + out) == "accepted");
  CHECK(has(refusal(pb::node("Mystery", {"x"}, {"o"}, {}, "inner") + out), "not supported: Mystery in 'inner'"));
  CHECK(has(refusal(pb::node("Neg", {"nowhere"}, {"o"}) + out), "reads 'nowhere', which nothing before it makes"));
  CHECK(has(refusal(pb::node("Neg", {"x"}, {"p"}) + out), "output 'o' is made by no node"));
  CHECK(has(refusal(pb::node("Neg", {"x"}, {"o"}) + pb::node("Neg", {"x"}, {"p"}) + out +
                    pb::output(pb::value("p", pb::f32, {2}))),
            "has 1 outputs, the branch 2"));
  const std::string inner = pb::node("Mystery", {"o"}, {"q"}) + pb::output(pb::value("q", pb::f32, {2}));
  CHECK(has(refusal(pb::node("Neg", {"x"}, {"o"}) +
                    pb::node("If", {"c"}, {"z"},
                             pb::graph_attribute("then_branch", inner) + pb::graph_attribute("else_branch", inner)) +
                    out),
            "Mystery"));
}

TEST_CASE("refusals say what does not fit and what would") {
  const auto refusal = [](const std::string& graph, std::int64_t opset = 13) {
    try {
      onnx::build(parse(graph, opset));
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  const std::string x = pb::input(pb::value("x", pb::f32, {1, 3, 8, 8})) + pb::output(pb::value("y", pb::f32, {-1})),
                    w = pb::input(pb::value("w", pb::f32, {5, 4}));
  CHECK(has(refusal(x + w + pb::node("Add", {"x", "w"}, {"y"})),
            "second input, 5 x 4, does not go with the first, 1 x 3 x 8 x 8"));
  CHECK(has(refusal(x + w + pb::node("MatMul", {"x", "w"}, {"y"})),
            "second input, 5 x 4, does not go with the first, 1 x 3 x 8 x 8"));
  CHECK(has(refusal(x + w + pb::node("Einsum", {"x", "w"}, {"y"}, pb::attribute("equation", "ij,jk->ik"))),
            "equation makes no sense for these inputs"));
  for (const char* type : {"RNN", "GRU", "LSTM"})
    for (const std::int64_t hidden : {2147483647, 1073741824, 16777217})
      CHECK(has(refusal(pb::input(pb::value("x", pb::f32, {2, 1, 3})) + pb::output(pb::value("y", pb::f32, {-1})) +
                        pb::node(type, {"x", "W", "R", "B"}, {"y"}, pb::attribute("hidden_size", hidden)) +
                        pb::initializer(pb::floats("W", {1, 4, 3}, std::vector<float>(12))) +
                        pb::initializer(pb::floats("R", {1, 4, 1}, std::vector<float>(4))) +
                        pb::initializer(pb::floats("B", {1, 8}, std::vector<float>(8)))),
                (std::to_string(hidden) + ", expected 1 to 16777216").c_str()));
}

TEST_CASE("a layer of bytes owns the constants it is made of, and one zero point serves all columns") {
  const auto byte = [](const char* name, pb::element type, const pb::dims& shape, const std::vector<std::int8_t>& v) {
    return pb::initializer(pb::tensor<std::int8_t>(name, type, shape, v));
  };
  const std::string constants =
      pb::initializer(pb::tensor<std::uint16_t>("sx", pb::f16, {}, {0x3800})) + byte("zx", pb::u8, {}, {2}) +  // 0.5
      byte("w", pb::i8, {2, 3}, {1, -2, 3, 4, 5, -6}) + pb::initializer(pb::floats("sw", {3}, {1, 2, 4})) +
      byte("zw", pb::i8, {}, {1}) + pb::initializer(pb::floats("sy", {1}, {2})) + byte("zy", pb::i8, {1}, {3});
  const model m =
      made(pb::node("QLinearMatMul", {"x", "sx", "zx", "w", "sw", "zw", "sy", "zy"}, {"y"}, {}, "product") +
               pb::input(pb::value("x", pb::u8, {2, 2})) + constants + pb::output(pb::value("y", pb::i8, {2, 3})),
           21);
  CHECK(count_of(m.graph(), "linear") == 1);
  CHECK(m.graph().nodes.size() == 2);
  CHECK(m.graph().nodes[1].name == "product");
  array x({2, 2}, dtype::u8);
  const std::uint8_t given[] = {3, 4, 0, 22};
  std::copy(std::begin(given), std::end(given), x.elements<std::uint8_t>().begin());
  extractor e = m.extractor();
  e.input("x", x);
  const array y = e.extract("y");
  REQUIRE(y.type() == dtype::i8);
  // (x - 2) (w - 1): 6, 5, -12; 60, 86, -144; times 0.25, 0.5, 1; and 3.
  const int want[] = {5, 5, -9, 18, 46, -128};
  for (std::size_t i = 0; i < 6; ++i) CHECK(y.elements<std::int8_t>()[i] == want[i]);

  // Weights and zero points that are known when it runs.
  const model late = made(pb::node("ConvInteger", {"x", "w", "", "z"}, {"y"}, pb::attribute("pads", pb::dims{1, 0})) +
                          pb::input(pb::value("x", pb::u8, {1, 1, 2})) + pb::input(pb::value("w", pb::i8, {2, 1, 2})) +
                          pb::input(pb::value("z", pb::i8, {2})) + pb::output(pb::value("y", pb::i32, {1, 2, 2})));
  extractor run = late.extractor();
  array pixels({1, 1, 2}, dtype::u8), weight({2, 1, 2}, dtype::i8), zero({2}, dtype::i8);
  pixels.elements<std::uint8_t>()[0] = 200;
  pixels.elements<std::uint8_t>()[1] = 3;
  std::ranges::copy(std::array<std::int8_t, 4>{5, 7, -1, 2}, weight.elements<std::int8_t>().begin());
  std::ranges::copy(std::array<std::int8_t, 2>{5, -1}, zero.elements<std::int8_t>().begin());
  run.input("x", pixels);
  run.input("w", weight);
  run.input("z", zero);
  const array sums = run.extract("y");
  const int expected[] = {400, 6, 600, 9};
  for (std::size_t i = 0; i < 4; ++i) CHECK(sums.elements<std::int32_t>()[i] == expected[i]);
}

TEST_CASE("integers of 4 bits are read where they become other numbers") {
  constexpr auto u4 = static_cast<pb::element>(21), i4 = static_cast<pb::element>(22);
  const auto packed = [](const char* name, pb::element type, const pb::dims& shape,
                         const std::vector<std::uint8_t>& b) {
    return pb::initializer(pb::tensor(name, type, shape, b));
  };
  // -8, 7, -1, 0, 1 (the last byte has one number), by 0.5 and an offset of -1.
  const std::string five = packed("w", i4, {5}, {0x78, 0x0f, 0x01}) + packed("z", i4, {}, {0x0f}) +
                           pb::initializer(pb::floats("s", {}, {0.5f}));
  const auto answers = [](const std::string& graph, int size) {
    const model m = made(graph + pb::input(pb::value("x", pb::f32, {size})), 21);
    extractor e = m.extractor();
    e.input("x", array({size}));
    return values(e.extract("y"));
  };
  const std::string y = pb::output(pb::value("y", pb::f32, {-1}));
  CHECK(answers(pb::node("DequantizeLinear", {"w", "s", "z"}, {"d"}) + pb::node("Add", {"d", "x"}, {"y"}) + five + y,
                5) == std::vector<float>{-3.5f, 4, 0, 0.5f, 1});
  CHECK(answers(pb::node("Cast", {"w"}, {"c"}, pb::attribute("to", std::int64_t{3})) +
                    pb::node("Cast", {"c"}, {"d"}, pb::attribute("to", std::int64_t{1})) +
                    pb::node("Add", {"d", "x"}, {"y"}) + five + y,
                5) == std::vector<float>{-8, 7, -1, 0, 1});
  // In blocks, two bytes in the list for small integers.
  const std::string list = pb::number(1, 1) + pb::number(1, 4) + pb::number(2, 21) + pb::bytes(8, "w") +
                           pb::number(5, 0xf1) + pb::number(5, 0x20);
  const std::string blocks = pb::initializer(list) + pb::initializer(pb::floats("s", {1, 2}, {1, 10}));
  CHECK(answers(pb::node("DequantizeLinear", {"w", "s"}, {"d"},
                         pb::attribute("axis", std::int64_t{1}) + pb::attribute("block_size", std::int64_t{2})) +
                    pb::node("Add", {"d", "x"}, {"y"}) + blocks + y,
                4) == std::vector<float>{1, 15, 0, 20});
  const auto refused = [&](const std::string& graph, const char* why) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(made(graph + pb::input(pb::value("x", pb::f32, {5})) + y, 21), doctest::Contains(why), error);
  };
  refused(pb::node("QuantizeLinear", {"x", "s", "z"}, {"y"}) + five, "'z' is a tensor of integers of at most 4 bits");
  refused(pb::node("Add", {"w", "w"}, {"y"}) + five, "'w' is a tensor of integers of at most 4 bits");
  refused(pb::output(pb::value("w", pb::i8, {5})) + pb::node("Neg", {"x"}, {"y"}) + five,
          "output 'w' is a tensor of integers of at most 4 bits");
  refused(pb::node("Neg", {"x"}, {"y"}) + packed("w", u4, {5}, {1, 2}), "has 2 bytes of raw data");
  refused(pb::node("Neg", {"x"}, {"y"}) + packed("w", u4, {4}, {1, 2, 3}), "has 3 bytes of raw data");
}
