// SPDX-License-Identifier: BSL-1.0
// What the lazy run keeps straight: layouts, cuts, and values that share memory.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ctnn/model.hpp>

using namespace ctnn;
using namespace ctnn::ir;
using floats = std::vector<float>;

namespace {

model load_text(const std::string& text, bool optimize = false) {
  ncnn::bin_reader bin = ncnn::bin_reader::zeros();
  return model(ncnn::build(ncnn::parse_param(text, "t.param"), bin), {.optimize = optimize});
}
floats values(const array& a) { return {a.values().begin(), a.values().end()}; }

}  // namespace

TEST_CASE("a value that is the same in both layouts is found in either") {
  const model m = load_text(
      "7767517\n4 4\n"
      "Input   in   0 1 in 0=4 1=2 2=1\n"
      "AbsVal  abs  1 1 in a\n"
      "Pooling pool 1 1 a b 0=0 1=2 2=2\n"
      "ReLU    relu 1 1 b out\n");
  for (bool light : {true, false}) {
    extractor run = m.extractor();
    run.set_light_mode(light);
    run.input("in", {{1, 2, 4}, floats{1, -2, 3, -4, 5, 0, 7, -8}});
    CHECK(values(run.extract("out")) == floats{5, 8});
    CHECK(values(run.extract("a"))[3] == 4);
    CHECK(values(run.extract("b")) == floats{5, 8});
    run.input("a", {{1, 2, 4}, floats{1, 1, 1, 1, 2, 2, 3, 3}});  // the graph is cut there
    CHECK(values(run.extract("out")) == floats{2, 3});
  }
  // Straight from the input, too.
  const model direct = load_text("7767517\n2 2\nInput in 0 1 in 0=2 1=2 2=1\nPooling pool 1 1 in out 0=0 1=2 2=2\n");
  extractor run = direct.extractor();
  run.input(0, {{1, 2, 2}, floats{1, 4, 2, 3}});
  CHECK(values(run.extract(0)) == floats{4});
}

TEST_CASE("local response normalisation over channels and over windows") {
  for (int region : {0, 1}) {
    const model m =
        load_text("7767517\n2 2\nInput in 0 1 in 0=2 1=2 2=3\nLRN lrn 1 1 in out 0=" + std::to_string(region) +
                  " 1=3 2=3.0 3=1.0 4=1.0\n");
    extractor run = m.extractor();
    run.input("in", {{3, 2, 2}, floats{1, 2, 0, 1, 3, 0, 1, 2, 1, 1, 1, 1}});
    const floats out = values(run.extract("out"));
    // 1 + 3 (sum of squares) / window, the window being 3 channels or 3 x 3 pixels
    const float sum = region == 0 ? 1 + 9 : 1 + 4 + 0 + 1, window = region == 0 ? 3 : 9;
    CHECK(out[0] == doctest::Approx(1 / (1 + 3 * sum / window)));
  }
}
