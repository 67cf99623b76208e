// SPDX-License-Identifier: BSL-1.0
// Layers mean what ncnn means by them: shapes, broadcasting, padding; computed with the reference kernels.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/bin_writer.hpp>
#include <ctnn/formats/ncnn/load.hpp>

#include "reference_run.hpp"
#include "shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using floats = std::vector<float>;

namespace {

loaded_model built(const std::string& layers, int count, const ncnn::bin_writer& weights = ncnn::bin_writer(),
                   const ncnn::read_options& options = {}) {
  const auto file = ncnn::parse_param("7767517\n" + std::to_string(count) + " 99\n" + layers, "t.param");
  ncnn::bin_reader bin(std::as_bytes(std::span(weights.bytes())), "t.bin");
  return build(file, bin, options);
}

/// The result of one layer on one input, 1, 2, 3, ... in (c, h, w).
struct outcome {
  extents shape;
  floats numbers;
};
outcome on_counting_input(const std::string& input_params, const std::string& layer,
                          const ncnn::bin_writer& weights = ncnn::bin_writer()) {
  const loaded_model m = built("Input in 0 1 in " + input_params + "\n" + layer + "\n", 2, weights);
  floats x(static_cast<std::size_t>(m.network.values[0].shape.count()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  REQUIRE(m.network.outputs.size() == 1);
  return {m.network.view().shape(m.network.outputs[0].value),
          test::run_reference(m, {{"in", x}}).at(std::string(m.network.outputs[0].name))};
}

std::string refused(const std::string& layers, int count) {
  try {
    built(layers, count);
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("blob names are value names, layer names are node names, Split disappears") {
  const loaded_model m = built(
      "Input data 0 1 in 0=4\nSplit s 1 3 in a b c\nReLU r 1 1 a x\nSigmoid q 1 1 b y\nBinaryOp sum 2 1 x y z\n", 5);
  REQUIRE(m.network.nodes.size() == 4);
  CHECK(m.network.nodes[1].name == "r");
  CHECK(m.network.values[0].readers == 3);
  CHECK(m.aliases.at("b") == "in");
  REQUIRE(m.network.outputs.size() == 2);
  CHECK(m.network.outputs[0].name == "c");
  CHECK(m.network.outputs[1].name == "z");
  CHECK(m.network.view().at_value(m.network.outputs[1].value).name == "z");
}

TEST_CASE("all unsupported layers are reported in one line") {
  const std::string text = refused(
      "Input in 0 1 in 0=4 1=4 2=2\nArgMax l1 1 1 in a\nPooling p 1 1 a b 0=7\nReLU r 1 1 b c\nArgMax l2 1 1 c d\n"
      "UnaryOp u 1 1 d e 0=99\n", 6);
  CHECK(text == "t.param: not supported: ArgMax in 'l1' (line 4), 'l2' (line 7); "
                "Pooling: parameter 0 (pooling type 7) in 'p' (line 5); "
                "UnaryOp: parameter 0 (unary operation 99) in 'u' (line 8)");
}

TEST_CASE("inputs take their shape from the file, from the caller, or from the first convolution") {
  CHECK(refused("Input in 0 1 in\nReLU r 1 1 in out\n", 2).find("neither in the file nor given") != std::string::npos);
  ncnn::read_options options;
  options.input_shapes["in"] = {3, 5, 7};
  CHECK(built("Input in 0 1 in 0=1 1=1 2=1\nReLU r 1 1 in out\n", 2, ncnn::bin_writer(), options)
            .network.values[1]
            .shape == extents{3, 5, 7});
  ncnn::bin_writer w;
  w.tagged(floats(2 * 3 * 9));
  const loaded_model old = built("Input in 0 1 in 0=3 1=12 2=16\nConvolution c 1 1 in out 0=2 1=3 6=54\n", 2, w);
  CHECK(old.network.values[1].shape == extents{2, 10, 14});
}

TEST_CASE("weight files that do not fit are refused") {
  ncnn::bin_writer w;
  w.tagged(floats(54));
  const std::string conv = "Input in 0 1 in 0=8 1=8 2=3\nConvolution c 1 1 in out 0=2 1=3 6=";
  CHECK_NOTHROW(built(conv + "54\n", 2, w));
  CHECK_THROWS_WITH_AS(built(conv + "27\n", 2, w), doctest::Contains("expected 2 x 3 x 3 x 3"), error);
  CHECK_THROWS_WITH_AS(built(conv + "54 5=1\n", 2, w), doctest::Contains("t.bin: byte 220"), error);
  w.raw(floats(3));
  CHECK_THROWS_WITH_AS(built(conv + "54 5=1\n", 2, w), doctest::Contains("4 bytes follow"), error);
}

TEST_CASE("binary operations line operands up with the outermost axes") {
  const auto shape_of = [](const std::string& a, const std::string& b, const std::string& op = "0=0") {
    const loaded_model m =
        built("Input a 0 1 a " + a + "\nInput b 0 1 b " + b + "\nBinaryOp o 2 1 a b o " + op + "\n", 3);
    floats x(static_cast<std::size_t>(m.network.values[0].shape.count())),
        y(static_cast<std::size_t>(m.network.values[1].shape.count()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(100 * i);
    return test::run_reference(m, {{"a", x}, {"b", y}}).at("o");
  };
  CHECK(shape_of("0=1 1=2 2=2", "0=2") == floats{0, 1, 102, 103});             // (c): by channel
  CHECK(shape_of("0=2 1=2 2=1", "0=2") == floats{0, 101, 2, 103});             // not c: by column
  CHECK(shape_of("0=2 1=2 2=2", "0=2") == floats{0, 1, 2, 3, 104, 105, 106, 107});  // c first
  CHECK(shape_of("0=2 1=1 2=2", "0=1 1=2") == floats{0, 1, 102, 103});         // (h, w) become (c, h)
  CHECK(shape_of("0=2", "0=2 1=3 2=2") == floats{0, 100, 200, 300, 400, 500, 601, 701, 801, 901, 1001, 1101});
  CHECK(shape_of("0=2", "0=2", "0=7") == floats{0, 99});                       // rsub
}

TEST_CASE("pooling: full windows, SAME, global, adaptive") {
  CHECK(on_counting_input("0=4 1=1 2=1", "Pooling p 1 1 in out 0=0 1=3 11=1 2=2 12=1").numbers == floats{3, 4});
  CHECK(on_counting_input("0=4 1=1 2=1", "Pooling p 1 1 in out 0=1 1=3 11=1 2=2 12=1").numbers == floats{2, 3.5f});
  // A window that begins in the far padding, which PyTorch's ceil mode drops.
  CHECK(on_counting_input("0=4 1=1 2=1", "Pooling p 1 1 in out 0=0 1=2 11=1 2=3 12=1 3=1 13=0 15=0").shape ==
        extents{1, 1, 3});
  CHECK(on_counting_input("0=3 1=1 2=1", "Pooling p 1 1 in out 0=0 1=2 11=1 2=2 12=1 5=1").numbers == floats{2});
  CHECK(on_counting_input("0=3 1=1 2=1", "Pooling p 1 1 in out 0=1 1=2 11=1 2=1 12=1 5=2").numbers ==
        floats{1.5f, 2.5f, 1.5f});
  const outcome global = on_counting_input("0=2 1=2 2=2", "Pooling p 1 1 in out 0=1 4=1");
  CHECK(global.shape == extents{2});
  CHECK(global.numbers == floats{2.5f, 6.5f});
  CHECK(on_counting_input("0=4 1=2 2=1", "Pooling p 1 1 in out 0=0 7=1 8=2 18=-233").shape == extents{1, 2, 2});
}

TEST_CASE("shuffles, permutations, crops and padding put every element where ncnn does") {
  CHECK(on_counting_input("0=1 1=1 2=6", "ShuffleChannel s 1 1 in out 0=2").numbers == floats{1, 4, 2, 5, 3, 6});
  CHECK(on_counting_input("0=1 1=1 2=6", "ShuffleChannel s 1 1 in out 0=2 1=1").numbers == floats{1, 3, 5, 2, 4, 6});
  CHECK(on_counting_input("0=2 1=1 2=4", "PixelShuffle s 1 1 in out 0=2").numbers == floats{1, 3, 2, 4, 5, 7, 6, 8});
  CHECK(on_counting_input("0=2 1=2 2=1", "Reorg s 1 1 in out 0=2").numbers == floats{1, 2, 3, 4});
  const outcome hwc = on_counting_input("0=2 1=1 2=3", "Permute p 1 1 in out 0=3");
  CHECK(hwc.shape == extents{1, 2, 3});
  CHECK(hwc.numbers == floats{1, 3, 5, 2, 4, 6});
  CHECK(on_counting_input("0=3 1=3 2=1", "Crop c 1 1 in out -23309=2,1,-2 -23310=2,-1,-233 -23311=2,1,2").numbers ==
        floats{5, 6});
  CHECK(on_counting_input("0=3 1=3 2=1", "Crop c 1 1 in out 0=1 1=1 3=2 4=-233 5=-233").numbers == floats{5, 6, 8, 9});
  CHECK(on_counting_input("0=2 1=1 2=1", "Padding p 1 1 in out 0=1 2=1 5=7.0 8=1").numbers ==
        floats{7, 7, 7, 7, 1, 2, 7, 7, 7, 7, 7, 7});
  CHECK(on_counting_input("0=4", "Reshape r 1 1 in out 0=2 1=-1").shape == extents{2, 2});
  CHECK(on_counting_input("0=4 1=2 2=3", "Reshape r 1 1 in out 0=-1 1=0").shape == extents{2, 12});
}

TEST_CASE("reductions over any axes") {
  const auto reduced = [](const std::string& p) {
    return on_counting_input("0=2 1=2 2=2", "Reduction r 1 1 in out " + p);
  };
  CHECK(reduced("0=0").numbers == floats{36});
  CHECK(reduced("0=3 1=0 -23303=2,1,2 5=1").numbers == floats{2.5f, 6.5f});
  CHECK(reduced("0=3 1=0 -23303=2,1,2 5=1 4=1").shape == extents{2, 1, 1});
  CHECK(reduced("0=4 1=0 -23303=1,0 5=1").numbers == floats{5, 6, 7, 8});
  CHECK(reduced("0=5 1=0 -23303=1,-1 5=1 2=2.0").numbers == floats{2, 6, 10, 14});
  CHECK(reduced("0=2 1=0 -23303=2,0,2 5=1").numbers == floats{1 + 4 + 25 + 36, 9 + 16 + 49 + 64});
  CHECK(refused("Input i 0 1 i 0=2\nReduction r 1 1 i o 0=0 1=0 -23303=1,0\n", 2).find("not supported") !=
        std::string::npos);
}

TEST_CASE("a transposed convolution is one layer") {
  struct setting {
    int kernel, stride, dilation, groups;
    std::string padding;  ///< parameters
    int cut, far, extra;  ///< what they come to
  };
  const setting settings[] = {{4, 2, 1, 1, "4=1", 1, 1, 0},          {2, 2, 1, 1, "", 0, 0, 0},
                              {3, 1, 1, 1, "4=1", 1, 1, 0},          {3, 2, 1, 1, "4=1 18=1", 1, 1, 1},
                              {4, 2, 1, 2, "4=3", 3, 3, 0},          {3, 2, 2, 4, "4=1 15=2 16=2", 1, 2, 0},
                              {3, 2, 1, 1, "4=-233 20=10", 0, 1, 0}, {3, 2, 1, 1, "4=-234 20=10", 1, 0, 0}};
  for (const setting& c : settings) {
    const int k = c.kernel, s = c.stride, in_c = 4, out_c = 4, size = 5, per = in_c / c.groups, each = out_c / c.groups;
    CAPTURE(k);
    CAPTURE(c.padding);
    ncnn::bin_writer w;
    floats weight, bias{1, 2, 3, 4};
    for (int i = 0; i < out_c * per * k * k; ++i) weight.push_back(static_cast<float>(i % 7 - 3));
    w.tagged(weight);
    w.raw(bias);
    const auto text = [](int i) { return std::to_string(i); };
    const std::string type = c.groups == 1 ? "Deconvolution" : "DeconvolutionDepthWise";
    const std::string layer = type + " d 1 1 in out 0=4 1=" + text(k) + " 2=" + text(c.dilation) + " 3=" + text(s) +
                              " " + c.padding + " 5=1 6=" + text(out_c * per * k * k) + " 7=" + text(c.groups);
    const outcome got = on_counting_input("0=5 1=5 2=4", layer, w);
    const int n = (size - 1) * s + (k - 1) * c.dilation + 1 + c.extra - c.cut - c.far;
    CHECK(got.shape == extents{out_c, n, n});
    floats want(static_cast<std::size_t>(out_c * n * n));
    for (int o = 0; o < out_c; ++o)
      for (int i = 0; i < n * n; ++i) want[static_cast<std::size_t>(o * n * n + i)] = bias[static_cast<std::size_t>(o)];
    for (int o = 0; o < out_c; ++o)
      for (int q = 0; q < per; ++q)
        for (int y = 0; y < size; ++y)
          for (int x = 0; x < size; ++x)
            for (int i = 0; i < k * k; ++i) {
              const int oy = y * s + i / k * c.dilation - c.cut, ox = x * s + i % k * c.dilation - c.cut;
              if (oy < 0 || oy >= n || ox < 0 || ox >= n) continue;
              const int channel = o / each * per + q;
              want[static_cast<std::size_t>((o * n + oy) * n + ox)] +=
                  static_cast<float>(channel * 25 + y * 5 + x + 1) *
                  weight[static_cast<std::size_t>(((o * per + q) * k * k) + i)];
            }
    CHECK(test::deviation(got.numbers, want) <= 1e-3);
    CHECK(built("Input in 0 1 in 0=5 1=5 2=4\n" + layer + "\n", 2, w).network.nodes.size() == 2);
  }
  CHECK(refused("Input in 0 1 in 0=5 1=5 2=1\nDeconvolution d 1 1 in out 0=1 1=3 6=9 20=4\n", 2).find("parameter 20") !=
        std::string::npos);
}

TEST_CASE("LRN over channels and over pixels, and a crop of several axes, are one layer each") {
  const floats across = on_counting_input("0=1 1=1 2=4", "LRN l 1 1 in out 0=0 1=3 2=3.0 3=1.0 4=2.0").numbers;
  CHECK(test::deviation(across, floats{1.0f / 7, 2.0f / 16, 3.0f / 31, 4.0f / 27}) <= 1e-3);
  const floats within = on_counting_input("0=2 1=2 2=2", "LRN l 1 1 in out 0=1 1=3 2=9.0 3=1.0 4=1.0").numbers;
  CHECK(test::deviation(within, floats{1.0f / 31, 2.0f / 31, 3.0f / 31, 4.0f / 31, 5.0f / 175, 6.0f / 175, 7.0f / 175,
                                       8.0f / 175}) <= 1e-3);
  const loaded_model cropped = built("Input in 0 1 in 0=5 1=6 2=2\nCrop c 1 1 in out 0=1 1=2 3=3 4=3 5=-233\n", 2);
  REQUIRE(cropped.network.nodes.size() == 2);
  CHECK(cropped.network.values[1].shape == extents{2, 3, 3});
}

TEST_CASE("published models with small inputs give ncnn's answers") {
  const auto compare = [](const char* model, const char* test_case, const char* input, const extents& shape,
                          const char* output) {
    const auto folder = test::shared_models(model);
    if (folder.empty()) return;
    CAPTURE(model);
    const auto numbers = [&](const std::string& ending) {
      const auto bytes = read_file((folder / (test_case + ending)).string());
      ncnn::bin_reader r(bytes, "case");
      return r.raw(static_cast<std::int64_t>(bytes.size() / 4), "case");
    };
    ncnn::read_options options;
    options.input_shapes[input] = shape;
    const loaded_model m = ncnn::load((folder / "model.param").string(), (folder / "model.bin").string(), options);
    CHECK(test::deviation(test::run_reference(m, {{input, numbers(".in0.bin")}}).at(output), numbers(".out0.bin")) <=
          1);
  };
  compare("ncnn_converted/mnist_8", "zoo_set0", "Input3", {1, 28, 28}, "Plus214_Output_0");
  compare("ncnn_converted/keras_mlp", "shipped", "main_input_input", {100}, "dense_1");
  compare("ncnn_converted/tfl_helloworld", "x1", "dense_2_input", {1}, "dense_4");
  compare("ncnn/mtcnn_det1", "faces_13_60", "data", {3, 46, 60}, "conv4-2");
}
