// SPDX-License-Identifier: BSL-1.0
// ncnn's layers that no published model with a reference has, against values by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/bin_writer.hpp>
#include <ctnn/formats/ncnn/param_reader.hpp>
#include <ctnn/model.hpp>

#include "support/deviation.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using floats = std::vector<float>;

namespace {

model made(const std::string& layers, int count, const ncnn::bin_writer& weights = ncnn::bin_writer()) {
  const auto file = ncnn::parse_param("7767517\n" + std::to_string(count) + " 99\n" + layers, "t.param");
  ncnn::bin_reader bin(std::as_bytes(std::span(weights.bytes())), "t.bin");
  return model(ncnn::build(file, bin));
}
void require_near(const array& got, const floats& want) { CHECK(test::deviation(got.values(), want) <= 0.1); }
float logistic(float x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("a GRU's new state: the reset acts on the product with the state") {
  ncnn::bin_writer w;
  w.tagged(floats{0.5f, -1, 2});                 // of the input: R, U, N
  w.tagged(floats{0.1f, 0.2f, 0.3f, 0.4f});      // R, U, N of the input, N of the state
  w.tagged(floats{1, -0.5f, 1.5f});              // of the state
  const model m = made("Input x 0 1 x 0=1 1=2\nInput h 0 1 h 0=1 1=1\nGRU g 2 2 x h y z 0=1 1=3\n", 3, w);
  extractor run = m.extractor();
  run.input("x", array({2, 1}, floats{1, -2}));
  run.input("h", array({1, 1}, floats{0.5f}));
  floats want;
  float h = 0.5f;
  for (float x : {1.0f, -2.0f}) {
    const float r = logistic(0.5f * x + 0.1f + h), u = logistic(-x + 0.2f - 0.5f * h);
    const float n = std::tanh(2 * x + 0.3f + r * (1.5f * h + 0.4f));
    want.push_back(h = (1 - u) * n + u * h);
  }
  require_near(run.extract("y"), want);
  require_near(run.extract("z"), {h});
}

TEST_CASE("an RNN runs backwards as well") {
  ncnn::bin_writer w;
  w.tagged(floats{1, 2});
  w.tagged(floats{0.5f, -0.5f});
  w.tagged(floats{0.25f, 0.75f});
  extractor run = made("Input x 0 1 x 0=1 1=2\nRNN r 1 1 x y 0=1 1=2 2=2\n", 2, w).extractor();
  run.input("x", array({2, 1}, floats{0.5f, -1}));
  const float f1 = std::tanh(0.5f + 0.5f), f2 = std::tanh(-1 + 0.5f + 0.25f * f1);
  const float b2 = std::tanh(-2 - 0.5f), b1 = std::tanh(1 - 0.5f + 0.75f * b2);
  require_near(run.extract("y"), {f1, b1, f2, b2});
}

TEST_CASE("attention step by step with a cache is attention over all steps") {
  const model m = made(
      "Input q 0 1 q 0=2 1=1 2=2\nInput k 0 1 k 0=2 1=1 2=1\nInput v 0 1 v 0=2 1=1 2=1\nInput a 0 1 a 0=2 1=2 2=1\n"
      "Input b 0 1 b 0=2 1=2 2=1\nSDPA s 5 3 q k v a b y c d 6=1.0 7=1\n",
      6);
  extractor run = m.extractor();
  run.input("q", array({2, 1, 2}, floats{1, 0, 0, 2}));
  run.input("k", array({1, 1, 2}, floats{1, 1}));
  run.input("v", array({1, 1, 2}, floats{5, 6}));
  run.input("a", array({1, 2, 2}, floats{0, 0, 1, -1}));
  run.input("b", array({1, 2, 2}, floats{1, 2, 3, 4}));
  const auto mixed = [](float s0, float s1, float s2) {
    const float x = std::exp(s0), y = std::exp(s1), z = std::exp(s2), sum = x + y + z;
    return floats{(x + 3 * y + 5 * z) / sum, (2 * x + 4 * y + 6 * z) / sum};
  };
  floats want = mixed(0, 1, 1);
  const floats second = mixed(0, -2, 2);
  want.insert(want.end(), second.begin(), second.end());
  require_near(run.extract("y"), want);
  require_near(run.extract("c"), {0, 0, 1, -1, 1, 1});
  require_near(run.extract("d"), {1, 2, 3, 4, 5, 6});
}

TEST_CASE("tiles: repeats are for the last axes, further ones make new axes") {
  const auto tiled = [](const char* shape, const extents& x, const char* repeats) {
    extractor run =
        made("Input x 0 1 x " + std::string(shape) + "\nTile t 1 1 x y -23302=" + repeats + "\n", 2).extractor();
    run.input("x", array(x, floats{1, 2}));
    return run.extract("y");
  };
  CHECK(tiled("0=2 1=1", {1, 2}, "3,2,1,1").shape() == extents{2, 1, 2});
  require_near(tiled("0=2 1=1", {1, 2}, "3,2,1,1"), {1, 2, 1, 2});
  CHECK(tiled("0=2", {2}, "2,2,3").shape() == extents{2, 6});
  CHECK(tiled("0=2 1=1", {1, 2}, "1,2").shape() == extents{1, 4});
  CHECK(tiled("0=1 1=2 2=1", {1, 2, 1}, "2,3,1").shape() == extents{1, 6, 1});
  CHECK(tiled("0=2 1=1", {1, 2}, "3,1,2,1").shape() == extents{2, 2});
  CHECK_THROWS_WITH_AS(tiled("0=1 1=2 2=1", {1, 2, 1}, "4,2,1,1,1"), doctest::Contains("more repeats than axes"),
                       error);
}

TEST_CASE("positions are rotated by the cosines and sines that are given") {
  const model m =
      made("Input x 0 1 x 0=4 1=1 2=1\nInput c 0 1 c 0=2 1=1\nInput s 0 1 s 0=2 1=1\nRotaryEmbed r 3 1 x c s y\n", 4);
  extractor run = m.extractor();
  run.input("x", array({1, 1, 4}, floats{1, 2, 3, 4}));
  run.input("c", array({1, 2}, floats{0.5f, 1}));
  run.input("s", array({1, 2}, floats{2, 0.25f}));
  require_near(run.extract("y"), {0.5f - 6, 2 - 1, 2 + 1.5f, 0.5f + 4});
}

TEST_CASE("Gemm scales the sum as well; norms of rows") {
  ncnn::bin_writer w;
  w.tagged(floats{1, 2, 3, 4});
  w.tagged(floats{1, -1});
  w.raw(floats{1, 2});
  const model m = made(
      "Input x 0 1 x 0=2 1=1\nGemm g 1 1 x y 0=2.0 1=0.5 5=1 6=1 8=2 9=2 10=4\nRMSNorm n 1 1 y z 0=2 1=0.0\n", 3, w);
  extractor run = m.extractor();
  run.input("x", array({1, 2}, floats{1, 1}));
  require_near(run.extract("y"), {9, 11});
  const float root = std::sqrt((81.0f + 121) / 2);
  require_near(run.extract("z"), {9 / root, 22 / root});
}

TEST_CASE("bytes are rounded away from zero, kept within 127, and quantized again") {
  ncnn::bin_writer w;
  w.int8(floats{2, -3});            // one weight an output
  w.raw(floats{0.5f, 0});           // bias
  w.raw(floats{4, 2});              // scales of the weights
  w.raw(floats{2});                 // of the input
  w.raw(floats{1});                 // of the output
  w.int8(floats{1, 1});
  w.raw(floats{1});
  w.raw(floats{1});
  const model m = made(
      "Input x 0 1 x 0=3 1=1 2=1\nConvolution c 1 1 x q 0=2 1=1 5=1 6=2 8=102\nConvolution d 1 1 q y 0=1 1=1 6=2 8=2\n",
      3, w);
  extractor run = m.extractor();
  run.input("x", array({1, 1, 3}, floats{1.25f, -0.75f, 500}));
  // x as bytes: 3, -2, 127; the first output (2 x) / 8 + 0.5 = 1.25, 0, 32.25; the second -3 x / 4 = -2.25, 1.5,
  // -95.25.
  const array q = run.extract("q");
  REQUIRE(q.type() == dtype::i8);
  const std::int8_t want[] = {1, 0, 32, -2, 2, -95};
  for (std::size_t i = 0; i < 6; ++i) CHECK(+q.elements<std::int8_t>()[i] == +want[i]);
  require_near(run.extract("y"), {-1, 2, -63});
}

TEST_CASE("a detector gives as many rows as it finds") {
  const model m =
      made("Input x 0 1 x 0=1 1=2 2=6\nYoloDetectionOutput y 1 1 x out 0=1 1=1 2=0.6 3=0.1 -23304=2,0.1,0.1\n", 2);
  extractor run = m.extractor();
  for (const auto& [first, second, rows] : {std::array{2, 2, 2}, {2, -2, 1}, {-2, -2, 0}}) {
    floats x(12);
    x[8] = static_cast<float>(first);
    x[9] = static_cast<float>(second);
    run.input("x", array({6, 2, 1}, x));
    CHECK(run.extract("out").shape() == extents{rows, 6});
  }
}
