// SPDX-License-Identifier: BSL-1.0
// Loaded models on several threads: the same bits for any number of them, and one model shared by many extractors.
// ThreadSanitizer runs this file, too (.ci/run).
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include <ctnn/formats/ncnn/param_reader.hpp>

#include "support/builder.hpp"
#include "support/loaded.hpp"
#include "support/random_graph.hpp"
#include "synthetic.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// Everything of some size is worth a thread.
struct eager_pool : thread_pool {
  using thread_pool::thread_pool;
  double least_nanoseconds() const override { return 1; }
};

/// No threads: parts in a row, the last one first.
struct backwards : executor {
  explicit backwards(int width) : width_(width) {}
  int width() const override { return width_; }
  double least_nanoseconds() const override { return 0; }
  void run(int count, part_function part, void* work) override {
    for (int i = count; i-- > 0;) part(work, i);
    most = std::max(most, count);
  }
  int most = 0;

 private:
  int width_;
};

/// Convolutions of several kinds, depthwise, pooling, element-wise work, joins, linear, softmax.
constexpr const char* network =
    "7767517\n14 16\n"
    "Input in 0 1 in 0=33 1=29 2=3\n"
    "Convolution stem 1 1 in a 0=24 1=3 3=2 4=1 5=1 6=648 9=1\n"
    "Split s 1 3 a a1 a2 a3\n"
    "ConvolutionDepthWise dw 1 1 a1 b 0=24 1=3 4=1 5=1 6=216 7=24 9=3 -23310=2,0.0,6.0\n"
    "Convolution pw 1 1 b c 0=40 1=1 5=1 6=960\n"
    "Convolution wide 1 1 a2 d 0=40 1=5 4=2 5=1 6=24000 9=4\n"
    "BinaryOp sum 2 1 c d e 0=0\n"
    "HardSwish h 1 1 e f\n"
    "Pooling mean 1 1 a3 g 0=1 1=3 2=1 3=1\n"
    "Concat join 2 1 f g i 0=0\n"
    "Pooling most 1 1 i j 0=0 1=2 2=2\n"
    "Pooling all 1 1 j k 0=1 4=1\n"
    "InnerProduct fc 1 1 k l 0=100 1=1 2=6400\n"
    "Softmax prob 1 1 l out\n";

model load(const load_options& options = {}) {
  const ncnn::param_file file = ncnn::parse_param(network, "t.param");
  const synthetic_weights weights(file);
  ncnn::bin_reader bin(weights.bytes(), "t.bin");
  return model(ncnn::build(file, bin), options);
}

floats answer(extractor& run, int image = 0) {
  floats in = synthetic_input(3 * 29 * 33);
  for (float& x : in) x += static_cast<float>(image);
  run.input("in", {{3, 29, 33}, in});
  const array out = run.extract("out");
  return {out.values().begin(), out.values().end()};
}

std::vector<floats> all_outputs(const model& m, const graph_view& g, std::shared_ptr<executor> threads) {
  extractor run = m.extractor();
  run.set_executor(std::move(threads));
  feed(run, g);
  std::vector<floats> out;
  for (std::size_t o = 0; o < g.outputs.size(); ++o) {
    const array a = run.extract(o);
    out.emplace_back(a.values().begin(), a.values().end());
  }
  return out;
}

bool same_bits(const std::vector<floats>& a, const std::vector<floats>& b) {
  return std::ranges::equal(a, b, [](const floats& x, const floats& y) {
    return std::ranges::equal(std::as_bytes(std::span(x)), std::as_bytes(std::span(y)));
  });
}

}  // namespace

TEST_CASE("random graphs in parts give the same bits") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 24));
    const graph_view g = made.g.view();
    random_weights weights(g);
    const model m(as_loaded(g, weights), {.optimize = seed % 2 == 0});
    const std::vector<floats> whole = all_outputs(m, g, nullptr);
    for (int width : {2, 3, 5}) CHECK(same_bits(all_outputs(m, g, std::make_shared<backwards>(width)), whole));
  }
}

TEST_CASE("layers of bytes in parts give the same bytes") {
  builder b;
  const value_id x = b.add(op::input{{20, 33, 29}, dtype::i8}, "x", {});
  op::pool most;
  most.kernel = {3, 3};
  most.stride = {2, 2};
  op::pool mean = most;
  mean.function = op::pooling::average;
  op::interpolate grown;
  grown.mode = op::interpolation::linear;
  grown.size = {40, 41};
  grown.coordinates = op::coordinates::align_corners;
  grown.fraction_bits = 11;
  b.output("most", b.add(most, "most", {x}));
  b.output("mean", b.add(mean, "mean", {x}));
  b.output("grown", b.add(grown, "grown", {x}));
  random_weights none;
  const model m(as_loaded(b.g.view(), none));
  array image({20, 33, 29}, dtype::i8);
  int last = 1;
  for (std::int8_t& v : image.elements<std::int8_t>()) v = static_cast<std::int8_t>(last = (last * 75 + 74) % 65537);
  for (const char* name : {"most", "mean", "grown"}) {
    CAPTURE(name);
    extractor alone = m.extractor();
    alone.input("x", image);
    const array want = alone.extract(name);
    const auto in_parts = std::make_shared<backwards>(3);
    extractor run = m.extractor();
    run.set_executor(in_parts);
    run.input("x", image);
    CHECK(std::ranges::equal(run.extract(name).bytes(), want.bytes()));
    CHECK(in_parts->most > 1);
  }
}

TEST_CASE("what an attention refuses reaches who asked, on several threads, too") {
  builder b;
  op::attention p;
  p.heads = p.kv_heads = 4;
  p.lengths = true;
  std::vector<value_id> in;
  for (const char* name : {"q", "k", "v"}) in.push_back(b.add(op::input{{1, 4, 60, 16}}, name, {}));
  in.push_back(b.add(op::input{{1}, dtype::i64}, "lengths", {}));
  b.output("y", b.add(p, "y", {in[0], in[1], in[2], in[3]}));
  random_weights none;
  const model m(as_loaded(b.g.view(), none));
  for (const std::int64_t length : {60, 61, -62}) {
    CAPTURE(length);
    extractor run = m.extractor();
    run.set_executor(std::make_shared<thread_pool>(3));
    for (const char* name : {"q", "k", "v"}) run.input(name, array({1, 4, 60, 16}));
    array lengths({1}, dtype::i64);
    lengths.elements<std::int64_t>()[0] = length;
    run.input("lengths", lengths);
    if (length == 60) CHECK(run.extract("y").size() == 4 * 60 * 16);
    else CHECK_THROWS_AS(run.extract("y"), ctnn::error);
  }
}

TEST_CASE("one, two, three and five threads give the same bits") {
  for (bool optimize : {false, true}) {
    const model m = load({.optimize = optimize});
    extractor alone = m.extractor();
    const floats want = answer(alone);
    for (int threads : {1, 2, 3, 5}) {
      CAPTURE(threads);
      const auto in_parts = std::make_shared<backwards>(threads);
      extractor run = m.extractor();
      run.set_executor(in_parts);
      CHECK(same_bits({answer(run)}, {want}));
      CHECK((in_parts->most > 1) == (threads > 1));
      run.set_executor(std::make_shared<eager_pool>(threads));
      for (int round = 0; round < 20; ++round) REQUIRE(same_bits({answer(run)}, {want}));
      run.set_executor(std::make_shared<thread_pool>(threads));
      CHECK(same_bits({answer(run)}, {want}));
    }
  }
}

TEST_CASE("many extractors on many threads share a model and a pool") {
  load_options options;
  options.executor = std::make_shared<eager_pool>(2);
  const model m = load(options);
  std::vector<floats> want;
  for (int image = 0; image < 4; ++image) {
    extractor alone = m.extractor();
    alone.set_executor(nullptr);
    want.push_back(answer(alone, image));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      extractor run = m.extractor();
      run.set_light_mode(t % 2 == 0);  // both plans are made while others look for theirs
      for (int round = 0; round < 12; ++round)
        if (!same_bits({answer(run, (t + round) % 4)}, {want[static_cast<std::size_t>((t + round) % 4)]})) ++wrong;
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("many extractors run the samples of a batch side by side on one pool") {
  builder b;
  add_output(b.g, "y", b.conv("c", b.input("x", {5, 4, 240, 240}), 4));
  random_weights weights;
  const model m(as_loaded(b.g.view(), weights));
  const array x(extents{5, 4, 240, 240}, random_floats("x", 5 * 4 * 240 * 240));
  extractor alone = m.extractor();
  alone.set_executor(std::make_shared<backwards>(4));
  alone.input("x", x);
  const array want = alone.extract("y");
  CHECK(m.code().one_sample());  // made by the first
  const model again(as_loaded(b.g.view(), weights));
  const auto pool = std::make_shared<thread_pool>(3);
  std::vector<std::thread> users;
  std::atomic<int> right{0};
  for (int k = 0; k < 2; ++k)
    users.emplace_back([&] {
      extractor ex = again.extractor();
      ex.set_executor(pool);
      ex.input("x", x);
      const array y = ex.extract("y");
      right += std::equal(y.values().begin(), y.values().end(), want.values().begin(), want.values().end());
    });
  for (std::thread& t : users) t.join();
  CHECK(right == 2);
}
