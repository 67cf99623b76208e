// SPDX-License-Identifier: BSL-1.0
// Models whose bytes are in memory, and what a model says of its inputs and outputs before anything is fed.
#include <doctest/doctest.h>

#include <cstring>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

namespace nn = ctnn;

namespace {

const std::string fixed = "7767517\n2 2\nInput in 0 1 x 0=2 1=3\nInnerProduct fc 1 1 x y 0=2 1=1 2=12\n";
const std::string unsized_input = "7767517\n2 2\nInput in 0 1 x\nScale s 1 1 x y 0=2 1=1\n";

std::vector<std::byte> bytes_of(std::initializer_list<float> numbers, bool tagged) {
  std::vector<std::byte> out(tagged ? 4 : 0);
  for (float f : numbers) {
    std::byte b[4];
    std::memcpy(b, &f, 4);
    out.insert(out.end(), b, b + 4);
  }
  return out;
}

}  // namespace

TEST_CASE("an ncnn model from memory") {
  std::vector<std::byte> bin = bytes_of({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, true);
  for (std::byte b : bytes_of({10, 20}, false)) bin.push_back(b);
  const nn::model m = nn::model::load(fixed, bin);
  REQUIRE(m.inputs().size() == 1);
  CHECK(m.inputs()[0].name == "x");
  CHECK(nn::ir::describe(m.inputs()[0]) == "3 x 2");
  CHECK(!m.inputs()[0].open());
  REQUIRE(m.outputs().size() == 1);
  CHECK(nn::ir::describe(m.outputs()[0]) == "2");
  auto ex = m.extractor();
  ex.input("x", nn::array({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}));
  const nn::array y = ex.extract("y");
  CHECK(y[0] == 11);
  CHECK(y[1] == 26);
  CHECK(nn::model::load(fixed, std::span<const std::byte>{}).source().nodes.size() == 2);  // zeros
  bin.pop_back();
  const auto cut = nn::model::try_load(fixed, bin);
  REQUIRE(!cut);
  CHECK(std::string(cut.error().what()).find("the .bin bytes") != std::string::npos);
}

TEST_CASE("weights in memory serve any number of shapes, after the caller's bytes are gone") {
  auto bin = bytes_of({2, 3, 10, 20}, false);
  const nn::model m = nn::model::load(unsized_input, bin);
  std::fill(bin.begin(), bin.end(), std::byte{0xff});
  REQUIRE(m.inputs().size() == 1);
  CHECK(!m.inputs()[0].ranked);
  CHECK(m.inputs()[0].open());
  REQUIRE(m.outputs().size() == 1);
  CHECK(m.outputs()[0].name == "y");
  CHECK(!m.outputs()[0].ranked);
  auto ex = m.extractor();
  for (int n : {1, 4, 2}) {
    ex.input("x", nn::array({2, 1, n}, std::vector<float>(static_cast<std::size_t>(2 * n), 1)));
    const nn::array y = ex.extract("y");
    CHECK(y.shape() == nn::extents{2, 1, n});
    CHECK(y[0] == 12);
    CHECK(y[static_cast<std::size_t>(n)] == 23);
  }
  nn::load_options sized;
  sized.read.input_shapes["x"] = {2, 1, 5};
  CHECK(nn::ir::describe(nn::model::load(unsized_input, bytes_of({2, 3, 10, 20}, false), sized).inputs()[0]) ==
        "2 x 1 x 5");
}

#if defined(CTNN_READS_ONNX)
TEST_CASE("an ONNX model from memory, its open axes by their names") {
  namespace pb = nn::ir::test::onnx_bytes;
  std::string bytes = pb::model(pb::node("Mul", {"x", "w"}, {"y"}) + pb::initializer(pb::floats("w", {2}, {3, 5})) +
                                pb::input(pb::value("x", pb::f32, {-1, 2})) + pb::input(pb::value("w", pb::f32, {2})) +
                                pb::output(pb::value("y", pb::f32, {-1, 2})));
  const nn::model m = nn::model::load(pb::view(bytes));
  REQUIRE(m.inputs().size() == 2);
  CHECK(nn::ir::describe(m.inputs()[0]) == "n x 2");
  CHECK(m.inputs()[0].axes[0].open());
  CHECK(!m.inputs()[0].optional);
  CHECK(m.inputs()[1].optional);
  CHECK(nn::ir::describe(m.outputs()[0]) == "n x 2");
  bytes.assign(bytes.size(), 'x');
  auto ex = m.extractor();
  ex.input("x", nn::array({2, 2}, std::vector<float>{1, 1, 2, 2}));
  const nn::array y = ex.extract("y");
  CHECK(y.shape() == nn::extents{2, 2});
  CHECK(y[3] == 10);
  auto by_number = m.extractor();  // before anything is known of it but the file
  by_number.input(0, nn::array({1, 2}, std::vector<float>{7, 1}));
  CHECK(by_number.extract(0)[0] == 21);
  CHECK_THROWS_WITH_AS(by_number.input(1, nn::array({2})), "the model has no input with that index", nn::error);
  const auto broken = nn::model::try_load(pb::view(bytes));
  REQUIRE(!broken);
  CHECK(std::string(broken.error().what()).find("the .onnx bytes") != std::string::npos);
}
#endif
