// SPDX-License-Identifier: BSL-1.0
// What the lazy run keeps straight: layouts, cuts, and values that share memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
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

TEST_CASE("several values at once are computed once each") {
  // The sigmoid is planned to take the place of the convolution's result, after the pooling.
  const model m = load_text(
      "7767517\n6 7\n"
      "Input       in   0 1 in 0=4 1=4 2=1\n"
      "Convolution conv 1 1 in c 0=3 1=1 5=1 6=3\n"
      "Split       two  1 2 c c0 c1\n"
      "Pooling     pool 1 1 c0 p 0=1 1=2 2=2\n"
      "Sigmoid     gate 1 1 c1 s\n"
      "ReLU        last 1 1 p out\n",
      true);
  for (bool light : {true, false}) {
    std::vector<floats> alone;
    const std::vector<std::string> names = {"s", "out", "s", "in"};
    for (const std::string& name : names) {
      extractor run = m.extractor();
      run.input("in", {{1, 4, 4}, floats(16, 2)});
      alone.push_back(values(run.extract(name)));
    }
    extractor run = m.extractor();
    run.set_light_mode(light);
    run.input("in", {{1, 4, 4}, floats(16, 2)});
    int convolutions = 0;
    run.on_step(
        [](void* count, const running_step& step) {
          const bool convolves = step.node != none && step.code->g().at(step.node).type == &type_of<op::conv2d>;
          if (convolves && step.begins) ++*static_cast<int*>(count);
        },
        &convolutions);
    const std::vector<array> all = run.extract(names);
    REQUIRE(all.size() == names.size());
    for (std::size_t k = 0; k < all.size(); ++k) CHECK(values(all[k]) == alone[k]);
    CHECK(convolutions == 1);
    // What the sigmoid takes the place of is computed again.
    const std::vector<std::string> both = {"c", "s"};
    const std::vector<array> again = run.extract(both);
    CHECK(values(again[0]) == floats(48, 0));
    CHECK(values(again[1]) == floats(48, 0.5f));
  }
}

TEST_CASE("numbers may stay where the caller has them") {
  const model m = load_text("7767517\n2 2\nInput in 0 1 in 0=2 1=2 2=1\nAbsVal abs 1 1 in out\n");
  floats x = {-1, 2, -3, 4};
  const array lent = array::from_blob({1, 2, 2}, x);
  CHECK(lent.values().data() == x.data());
  extractor run = m.extractor();
  run.input(0, lent);
  CHECK(values(run.extract(0)) == floats{1, 2, 3, 4});
  x[0] = -7;
  run.input(0, lent);
  CHECK(values(run.extract(0)) == floats{7, 2, 3, 4});
  array own = lent;  // whoever writes has a copy
  own.values()[1] = 9;
  CHECK(x[1] == 2);
  CHECK_THROWS_WITH_AS(array::from_blob({1, 2, 3}, x), "array of shape 1 x 2 x 3 needs 6 values, got 4", error);
}

TEST_CASE("large outputs are handed out without a copy, and stay as they are") {
  const std::string text =
      "7767517\n6 7\n"
      "Input       in   0 1 in 0=64 1=64 2=1\n"
      "Convolution conv 1 1 in c 0=3 1=1 5=1 6=3\n"
      "Split       two  1 2 c c0 c1\n"
      "Pooling     pool 1 1 c0 p 0=1 1=2 2=2\n"
      "Sigmoid     gate 1 1 c1 s\n"
      "ReLU        last 1 1 p out\n";
  const model in_place = load_text(text, true), apart = load_text(text, false);
  for (const model* m : {&in_place, &apart})
    for (bool light : {true, false}) {
      extractor run = m->extractor();
      run.set_light_mode(light);
      run.input("in", {{1, 64, 64}, floats(4096, 2)});
      // Each takes the other's place and is computed again.
      const array s = run.extract("s"), c = run.extract("c"), again = run.extract("s"), last = run.extract("c");
      CHECK(values(s) == floats(12288, 0.5f));
      CHECK(values(c) == floats(12288, 0));
      CHECK(values(again) == floats(12288, 0.5f));
      CHECK(values(last) == floats(12288, 0));
    }

  const model m = load_text("7767517\n2 2\nInput in 0 1 in 0=64 1=64 2=2\nAbsVal abs 1 1 in out\n");
  extractor run = m.extractor();
  const auto run_with = [&](float x) {
    run.input(0, {{2, 64, 64}, floats(8192, x)});
    return run.extract(0);
  };
  array first = run_with(-1);
  const array second = run_with(-2);
  CHECK(values(first) == floats(8192, 1));
  CHECK(values(second) == floats(8192, 2));
  const float* const place = std::as_const(first).data();
  first.values()[0] = 7;  // whoever writes has a copy
  CHECK(std::as_const(first).data() != place);
  {
    const array third = run_with(-3);
    CHECK(std::as_const(third).data() != std::as_const(second).data());
    const array same = run.extract(0);
    CHECK(same.data() == third.data());  // nothing was copied
  }
  CHECK(values(run_with(4)) == floats(8192, 4));
  CHECK(values(second) == floats(8192, 2));
  array outlives;
  {
    extractor other = m.extractor();
    other.input(0, {{2, 64, 64}, floats(8192, 5)});
    outlives = other.extract(0);
  }
  CHECK(values(outlives) == floats(8192, 5));
}

TEST_CASE("values lie side by side, and in one block from the second run on") {
  constexpr std::size_t count = 40;
  buffers memory(count);
  std::size_t first_peak = 0;
  for (int round = 0; round < 3; ++round) {
    std::uint32_t state = 99;  // each round the same
    const auto next = [&](std::uint32_t below) { return (state = state * 1664525u + 1013904223u) / 7919u % below; };
    std::vector<float*> places(count);
    std::vector<std::size_t> sizes(count);
    for (int step = 0; step < 2000; ++step) {
      const std::size_t i = next(count);
      if (places[i] == nullptr) {
        sizes[i] = next(200);
        places[i] = memory.at(i, sizes[i]);
        CHECK(reinterpret_cast<std::uintptr_t>(places[i]) % 64 == 0);
        for (std::size_t k = 0; k < sizes[i]; ++k) places[i][k] = static_cast<float>(i);
      } else {
        CHECK(memory.at(i, sizes[i]) == places[i]);
        CHECK(std::all_of(places[i], places[i] + sizes[i], [&](float v) { return v == static_cast<float>(i); }));
        memory.release(i);
        places[i] = nullptr;
      }
    }
    memory.release_all();
    if (round == 0) first_peak = memory.peak_bytes();
  }
  CHECK(memory.peak_bytes() <= first_peak + first_peak / 4);
  for (std::size_t i = 0; i < count; ++i) memory.release(i);  // of nothing
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
