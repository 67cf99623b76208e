// SPDX-License-Identifier: BSL-1.0
// ONNX files that ctnn writes: what they say, where they are and are not, open axes, and the way to ncnn.
#include <doctest/doctest.h>

#include <filesystem>

#include <ctnn/formats/ncnn/write.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/write_ncnn.hpp>
#include <ctnn/model/write_onnx.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;
namespace fs = std::filesystem;

namespace {

std::vector<float> some(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 37 % 101) / 101 - 0.4f;
  return v;
}

/// conv > relu > pool > flatten > gemm > softmax, for a batch of `n` (-1: open).
onnx::model_message file_for(std::int64_t n) {
  const std::string graph =
      pb::node("Conv", {"image", "w", "b"}, {"c"}, pb::attribute("pads", pb::dims{1, 1, 1, 1}), "conv") +
      pb::node("Relu", {"c"}, {"r"}, {}, "relu") +
      pb::node("MaxPool", {"r"}, {"p"},
               pb::attribute("kernel_shape", pb::dims{2, 2}) + pb::attribute("strides", pb::dims{2, 2}), "pool") +
      pb::node("Flatten", {"p"}, {"f"}, {}, "flatten") +
      pb::node("Gemm", {"f", "m"}, {"g"}, pb::attribute("transB", std::int64_t{1}), "fc") +
      pb::node("Softmax", {"g"}, {"prob"}, {}, "softmax") + pb::input(pb::value("image", pb::f32, {n, 2, 4, 4})) +
      pb::output(pb::value("prob", pb::f32, {n, 3})) + pb::initializer(pb::floats("w", {4, 2, 3, 3}, some(72))) +
      pb::initializer(pb::floats("b", {4}, some(4))) + pb::initializer(pb::floats("m", {3, 16}, some(48)));
  const std::string bytes = pb::model(graph, 13);
  return onnx::parse_model(pb::view(bytes), "m.onnx");
}
program code_of(const onnx::model_message& file, const onnx::read_options& options = {}) {
  program_options keeping;
  keeping.keep_weights = true;
  return program(onnx::build(file, options), keeping);
}
onnx::model_message parsed(const std::string& bytes) { return onnx::parse_model(pb::view(bytes), "again.onnx"); }

std::vector<float> answer(const onnx::model_message& file, const extents& shape) {
  onnx::read_options options;
  options.input_shapes["image"] = shape;
  const model m(onnx::build(file, options));
  extractor e = m.extractor();
  e.input("image", array(shape, some(static_cast<std::size_t>(shape.count()))));
  const array out = e.extract("prob");
  return {out.values().begin(), out.values().end()};
}

struct temporary_folder {
  fs::path path;
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "ctnn_written_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~temporary_folder() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("what is written has standard operators under their names") {
  const onnx::model_message file = file_for(1), again = parsed(onnx::write(code_of(file), {.opset = 13}));
  std::string types, names;
  for (const onnx::node_message& n : again.graph.nodes) {
    types += n.type + " ";
    names += n.name + " ";
  }
  CHECK(types == "Conv Relu MaxPool Flatten Gemm Softmax ");
  CHECK(names == "conv conv_Relu pool fc_Flatten fc softmax ");
  CHECK(again.opsets.at("") == 13);
  CHECK(again.graph.inputs.at(0).name == "image");
  CHECK(again.graph.outputs.at(0).name == "prob");
  std::string weights;
  for (const onnx::tensor& t : again.graph.initializers) weights += t.name + " ";
  CHECK(weights == "w b m ");
  CHECK(answer(again, {1, 2, 4, 4}) == answer(file, {1, 2, 4, 4}));
}

TEST_CASE("an operator that came later raises the operator set") {
  const std::string bytes =
      pb::model(pb::node("LayerNormalization", {"x", "s"}, {"y"}) + pb::input(pb::value("x", pb::f32, {2, 3})) +
                    pb::output(pb::value("y", pb::f32, {2, 3})) + pb::initializer(pb::floats("s", {3}, some(3))),
                17);
  CHECK(parsed(onnx::write(code_of(parsed(bytes)), {.opset = 13})).opsets.at("") == 17);
}

TEST_CASE("an open axis stays open") {
  const onnx::model_message file = file_for(-1);
  CHECK(onnx::has_open_axes(file, {}));
  CHECK_FALSE(onnx::has_open_axes(file, {{"image", {1, 2, 4, 4}}}));
  const onnx::open_model open =
      onnx::describe_open(file, [&](const onnx::shapes_by_name& shapes, const onnx::write_options& how) {
        const program code = code_of(file, {.input_shapes = shapes});
        return onnx::describe_for_file(code.source(), code.g(), how);
      });
  const onnx::model_message again = parsed(onnx::bytes_of(open.file));
  onnx::require_same(again, open.sample, {}, open.shapes);
  CHECK(again.graph.inputs[0].shape->at(0).name == "n");
  CHECK(again.graph.outputs[0].shape->at(0).name == "n");
  for (const int n : {1, 2, 7}) CHECK(answer(again, {n, 2, 4, 4}) == answer(file, {n, 2, 4, 4}));
}

TEST_CASE("what follows from the size of an open axis is refused") {
  // The last two axes change places in one: their extents cannot both be left over.
  const std::string graph = pb::node("Shape", {"image"}, {"s"}) + pb::node("Expand", {"b", "s"}, {"prob"}) +
                            pb::input(pb::value("image", pb::f32, {-1, 2})) +
                            pb::output(pb::value("prob", pb::f32, {-1, 2})) +
                            pb::initializer(pb::floats("b", {1, 2}, some(2)));
  const onnx::model_message file = parsed(pb::model(graph, 13));
  std::string why;
  try {
    onnx::describe_open(file, [&](const onnx::shapes_by_name& shapes, const onnx::write_options& how) {
      const program code = code_of(file, {.input_shapes = shapes});
      return onnx::describe_for_file(code.source(), code.g(), how);
    });
  } catch (const onnx::undetermined& e) {
    why = e.what();
  }
  CHECK_MESSAGE(why.find("open axes cannot stay open") != why.npos, why);
}

TEST_CASE("what pads to a multiple is not taken for what pads never") {
  const std::string graph =
      pb::node("Shape", {"image"}, {"s"}) + pb::node("Gather", {"s", "last"}, {"n"}) + pb::node("Neg", {"n"}, {"m"}) +
      pb::node("Mod", {"m", "sixteen"}, {"more"}) +
      pb::node("Concat", {"none", "more"}, {"pads"}, pb::attribute("axis", 0)) +
      pb::node("Pad", {"image", "pads"}, {"p"}) + pb::node("Neg", {"p"}, {"prob"}) +
      pb::input(pb::value("image", pb::f32, {1, -1})) + pb::output(pb::value("prob", pb::f32, {1, -1})) +
      pb::initializer(pb::longs("last", {1}, {1})) + pb::initializer(pb::longs("sixteen", {1}, {16})) +
      pb::initializer(pb::longs("none", {3}, {0, 0, 0}));
  const onnx::model_message file = parsed(pb::model(graph, 18));
  CHECK(answer(file, {1, 33}).size() == 48);
  const auto make = [&](const onnx::shapes_by_name& shapes, const onnx::write_options& how) {
    const program code = code_of(file, {.input_shapes = shapes});
    return onnx::describe_for_file(code.source(), code.g(), how);
  };
  CHECK_THROWS_WITH_AS(onnx::describe_open(file, make), doctest::Contains("open axes cannot stay open"), error);
}

TEST_CASE("a file is there when it has been read back, or not at all") {
  const temporary_folder t;
  const std::string path = (t.path / "m.onnx").string();
  const program code = code_of(file_for(1));
  const onnx::model_message file = onnx::describe_for_file(code.source(), code.g());
  CHECK_THROWS_AS(onnx::save(file, path, {}, [](const auto&) { throw error("no"); }), error);
  CHECK(t.files() == 0);
  onnx::write_options outside;
  outside.external_data = "m.weights";
  CHECK_THROWS_AS(onnx::save(file, path, outside, [](const auto&) { throw error("no"); }), error);
  CHECK(t.files() == 0);
  outside.external_data = "../m.weights";
  CHECK_THROWS_AS(onnx::save(code.source(), code.g(), path, outside), error);
  CHECK_THROWS_AS(onnx::save(code.source(), code.g(), (t.path / "none" / "m.onnx").string()), error);
  CHECK(t.files() == 0);
  const onnx::saved_model done = onnx::save(code.source(), code.g(), path);
  CHECK(t.files() == 1);
  CHECK(done.bytes == fs::file_size(path));
  CHECK(done.external_data.empty());
}

TEST_CASE("large weights lie beside the model on request") {
  const temporary_folder t;
  const std::string path = (t.path / "m.onnx").string();
  const std::string graph = pb::node("MatMul", {"image", "w"}, {"prob"}) +
                            pb::input(pb::value("image", pb::f32, {2, 40})) +
                            pb::output(pb::value("prob", pb::f32, {2, 40})) +
                            pb::initializer(pb::floats("w", {40, 40}, some(1600)));
  const onnx::model_message file = parsed(pb::model(graph, 13));
  const program code = code_of(file);
  const onnx::saved_model done = onnx::save(code.source(), code.g(), path, {.opset = 17, .external_data = "m.weights"});
  CHECK(done.data_bytes == 6400);
  CHECK(fs::file_size(t.path / "m.weights") == 6400);
  CHECK(t.files() == 2);
  onnx::read_options outside;
  outside.external_data = true;
  CHECK(answer(onnx::read(path, outside), {2, 40}) == answer(file, {2, 40}));
}

TEST_CASE("for ncnn a batch of 1 goes") {
  const program code = code_of(file_for(1));
  CHECK_THROWS_AS(ncnn::write(code), error);
  const ncnn::written_model written = ncnn::write(code, ncnn::weight_storage::fp32, ncnn::batch_axis::dropped);
  CHECK(written.param.find("0=4 1=4 2=2") != written.param.npos);
  CHECK(written.param.find("Reshape") == written.param.npos);
  CHECK(written.param.find("Convolution ") != written.param.npos);
}

TEST_CASE("a linear layer from pixel to pixel is one Conv") {
  const std::string graph =
      pb::node("GlobalAveragePool", {"image"}, {"p"}) + pb::node("Conv", {"p", "v", "b"}, {"d"}) +
      pb::node("Relu", {"d"}, {"r"}) +
      pb::node("Conv", {"r", "w"}, {"e"}, pb::attribute("pads", pb::dims{1, 1, 1, 1})) +
      pb::node("Add", {"e", "p"}, {"s"}) + pb::node("Sigmoid", {"s"}, {"g"}) +
      pb::node("Mul", {"image", "g"}, {"prob"}) + pb::input(pb::value("image", pb::f32, {1, 2, 4, 4})) +
      pb::output(pb::value("prob", pb::f32, {1, 2, 4, 4})) + pb::initializer(pb::floats("v", {3, 2, 1, 1}, some(6))) +
      pb::initializer(pb::floats("b", {3}, some(3))) + pb::initializer(pb::floats("w", {2, 3, 3, 3}, some(54)));
  const onnx::model_message file = parsed(pb::model(graph, 17));
  const program code = code_of(file);
  const auto linears =
      std::ranges::count_if(code.g().nodes, [](const node& n) { return n.type == &type_of<op::linear> && !n.dead; });
  CHECK(linears == 2);
  const std::vector<float> want = answer(file, {1, 2, 4, 4});
  for (const bool fused : {false, true}) {
    onnx::write_options options;
    options.fused = fused;
    const onnx::model_message again = parsed(onnx::write(code, options));
    std::string types;
    for (const onnx::node_message& n : again.graph.nodes) types += n.type + " ";
    CHECK(types == (fused ? "GlobalAveragePool FusedConv FusedConv Mul "
                          : "GlobalAveragePool Conv Relu Conv Add Sigmoid Mul "));
    const std::vector<float> got = answer(again, {1, 2, 4, 4});
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  }
  const std::string ncnn = ncnn::write(code, ncnn::weight_storage::fp32, ncnn::batch_axis::dropped).param;
  CAPTURE(ncnn);
  CHECK(ncnn.find("InnerProduct") != ncnn.npos);  // the first: the second reads any shape as one row
  CHECK(ncnn.find("Convolution ") != ncnn.npos);
  CHECK(ncnn.find("Reshape") == ncnn.npos);
}

TEST_CASE("fused operators of com.microsoft on request") {
  // conv + x > relu > flatten > rows; linear > gelu > linear + rows > normalised, with the sum > a product of both.
  const std::string graph =
      pb::node("Conv", {"image", "w", "b"}, {"c"}, pb::attribute("pads", pb::dims{1, 1, 1, 1})) +
      pb::node("Add", {"c", "image"}, {"d"}) + pb::node("LeakyRelu", {"d"}, {"r"}, pb::attribute("alpha", 0.25f)) +
      pb::node("Reshape", {"r", "rows"}, {"t"}) + pb::node("MatMul", {"t", "m"}, {"h0"}) +
      pb::node("Add", {"h0", "mb"}, {"h1"}) + pb::node("Gelu", {"h1"}, {"h"}, pb::bytes(7, "com.microsoft")) +
      pb::node("MatMul", {"h", "m"}, {"k0"}) + pb::node("Add", {"k0", "t"}, {"sum"}) +
      pb::node("LayerNormalization", {"sum", "g", "g"}, {"n"}, pb::attribute("axis", std::int64_t{-1})) +
      pb::node("Add", {"n", "sum"}, {"sum2"}) + pb::node("Mul", {"n", "n"}, {"n2"}) +
      pb::node("Add", {"n2", "sum2"}, {"sum3"}) +
      pb::node("SimplifiedLayerNormalization", {"sum3", "g"}, {"o"}, pb::attribute("axis", std::int64_t{-1})) +
      pb::node(
          "FusedMatMul", {"o", "sum2"}, {"s"},
          pb::attribute("alpha", 0.5f) + pb::attribute("transB", std::int64_t{1}) + pb::bytes(7, "com.microsoft")) +
      pb::node("Sigmoid", {"s"}, {"q"}) + pb::node("Mul", {"q", "s"}, {"u"}) +
      pb::node("Reshape", {"u", "row"}, {"v"}) + pb::node("Gemm", {"v", "fc", "fb"}, {"z"}) +
      pb::node("Tanh", {"z"}, {"prob"}) + pb::input(pb::value("image", pb::f32, {1, 2, 4, 4})) +
      pb::output(pb::value("prob", pb::f32, {1, 3})) + pb::output(pb::value("sum2", pb::f32, {1, 4, 8})) +
      pb::initializer(pb::floats("w", {2, 2, 3, 3}, some(36))) + pb::initializer(pb::floats("b", {2}, some(2))) +
      pb::initializer(pb::longs("rows", {3}, {1, 4, 8})) + pb::initializer(pb::longs("row", {2}, {1, 16})) +
      pb::initializer(pb::floats("m", {8, 8}, some(64))) + pb::initializer(pb::floats("mb", {8}, some(8))) +
      pb::initializer(pb::floats("g", {8}, some(8))) + pb::initializer(pb::floats("fc", {16, 3}, some(48))) +
      pb::initializer(pb::floats("fb", {3}, some(3)));
  const std::string bytes = pb::model(graph, 17) + pb::bytes(8, pb::bytes(1, "com.microsoft") + pb::number(2, 1));
  const onnx::model_message file = parsed(bytes);
  const program code = code_of(file);
  onnx::write_options options;
  options.fused = true;
  const onnx::model_message fused = parsed(onnx::write(code, options)), plain = parsed(onnx::write(code));
  std::vector<std::string> types;
  for (const onnx::node_message& n : fused.graph.nodes)
    if (!n.domain.empty()) types.push_back(n.type);
  CHECK(types == std::vector<std::string>{"FusedConv", "BiasGelu", "SkipLayerNormalization",
                                          "SkipSimplifiedLayerNormalization", "FusedMatMul", "QuickGelu", "FusedGemm"});
  CHECK(fused.opsets.at("com.microsoft") == 1);
  CHECK(!plain.opsets.contains("com.microsoft"));
  CHECK(fused.graph.nodes.size() < plain.graph.nodes.size());
  const std::vector<float> want = answer(file, {1, 2, 4, 4});
  for (const onnx::model_message* again : {&fused, &plain}) {
    const std::vector<float> got = answer(*again, {1, 2, 4, 4});
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  }
}

TEST_CASE("a convolution of signals is one Conv of one axis, for ncnn a Convolution1D") {
  const std::string graph =
      pb::node("Conv", {"image", "w", "b"}, {"c"}, pb::attribute("pads", pb::dims{2, 0})) +
      pb::node("Mul", {"c", "k"}, {"d"}) + pb::node("Add", {"d", "image"}, {"e"}) + pb::node("Relu", {"e"}, {"f"}) +
      pb::node("MaxPool", {"f"}, {"g"}, pb::attribute("kernel_shape", pb::dims{2})) +
      pb::node("ConvTranspose", {"g", "v"}, {"h"}, pb::attribute("strides", pb::dims{2})) +
      pb::node("PRelu", {"h", "s"}, {"i"}) + pb::node("Conv", {"i", "u"}, {"j"}) +
      pb::node("PRelu", {"j", "t"}, {"prob"}) + pb::input(pb::value("image", pb::f32, {1, 2, 9})) +
      pb::output(pb::value("prob", pb::f32, {1, 3, 17})) + pb::initializer(pb::floats("w", {2, 2, 3}, some(12))) +
      pb::initializer(pb::floats("b", {2}, some(2))) + pb::initializer(pb::floats("k", {2, 1}, some(2))) +
      pb::initializer(pb::floats("v", {2, 4, 3}, some(24))) + pb::initializer(pb::floats("s", {4, 1}, some(4))) +
      pb::initializer(pb::floats("u", {3, 4, 1}, some(12))) + pb::initializer(pb::floats("t", {3, 1}, some(3)));
  const onnx::model_message file = parsed(pb::model(graph, 13));
  const program code = code_of(file);
  const std::vector<float> want = answer(file, {1, 2, 9});
  for (const bool fused : {false, true}) {
    const onnx::model_message again = parsed(onnx::write(code_of(file), {.opset = 13, .fused = fused}));
    std::string types;
    for (const onnx::node_message& n : again.graph.nodes) types += n.type + " ";
    CHECK(types == (fused ? "FusedConv MaxPool ConvTranspose PRelu Conv PRelu "
                          : "Conv Relu MaxPool ConvTranspose PRelu Conv PRelu "));
    const std::vector<float> got = answer(again, {1, 2, 9});
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  }
  const std::string ncnn = ncnn::write(code, ncnn::weight_storage::fp32, ncnn::batch_axis::dropped).param;
  CAPTURE(ncnn);
  for (const char* layer : {"Convolution1D ", "Deconvolution1D ", "Pooling1D ", "PReLU "})
    CHECK(ncnn.find(layer) != ncnn.npos);
  CHECK(ncnn.find("Reshape") == ncnn.npos);
}

TEST_CASE("what is added behind an activation is a node again") {
  const std::string graph =
      pb::node("Conv", {"image", "w"}, {"c"}) + pb::node("Relu", {"c"}, {"r"}) +
      pb::node("Add", {"image", "r"}, {"d"}) + pb::node("Reshape", {"d", "rows"}, {"t"}) +
      pb::node("Gemm", {"t", "m", "mb"}, {"h"}) + pb::node("Tanh", {"h"}, {"a"}) +
      pb::node("Add", {"a", "t"}, {"prob"}) + pb::input(pb::value("image", pb::f32, {1, 2, 4, 4})) +
      pb::output(pb::value("prob", pb::f32, {4, 8})) + pb::initializer(pb::floats("w", {2, 2, 1, 1}, some(4))) +
      pb::initializer(pb::longs("rows", {2}, {4, 8})) + pb::initializer(pb::floats("m", {8, 8}, some(64))) +
      pb::initializer(pb::floats("mb", {8}, some(8)));
  const onnx::model_message file = parsed(pb::model(graph, 13));
  const program code = code_of(file);
  int sums = 0;
  for (const node& n : code.g().nodes) sums += !n.dead && n.type == &type_of<op::binary> ? 1 : 0;
  CHECK(sums == 0);
  const std::vector<float> want = answer(file, {1, 2, 4, 4});
  for (const bool fused : {false, true}) {
    const onnx::model_message again = parsed(onnx::write(code_of(file), {.opset = 13, .fused = fused}));
    std::string types;
    for (const onnx::node_message& n : again.graph.nodes) types += n.type + " ";
    CHECK(types == (fused ? "FusedConv Add Reshape FusedGemm Add " : "Conv Relu Add Reshape Gemm Tanh Add "));
    const std::vector<float> got = answer(again, {1, 2, 4, 4});
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  }
}

TEST_CASE("slopes that a convolution has taken in are a node again") {
  const std::string graph =
      pb::node("Conv", {"image", "w"}, {"c"}, {}, "conv") + pb::node("PRelu", {"c", "s"}, {"prob"}, {}, "slopes") +
      pb::input(pb::value("image", pb::f32, {1, 2, 4, 4})) + pb::output(pb::value("prob", pb::f32, {1, 3, 4, 4})) +
      pb::initializer(pb::floats("w", {3, 2, 1, 1}, some(6))) + pb::initializer(pb::floats("s", {3, 1, 1}, some(3)));
  const onnx::model_message file = parsed(pb::model(graph, 13));
  for (const bool fused : {false, true}) {
    const onnx::model_message again = parsed(onnx::write(code_of(file), {.opset = 13, .fused = fused}));
    std::string types;
    for (const onnx::node_message& n : again.graph.nodes) types += n.type + " ";
    CHECK(types == "Conv PRelu ");
    CHECK(answer(again, {1, 2, 4, 4}) == answer(file, {1, 2, 4, 4}));
  }
}
