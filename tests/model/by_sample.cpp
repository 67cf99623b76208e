// SPDX-License-Identifier: BSL-1.0
// Batches that run sample by sample: each has the bits that it has alone, on any number of threads, in less memory; and
// every value can still be asked for.
#include <doctest/doctest.h>

#include <cstring>

#include "benchmarks/networks.hpp"
#include "support/builder.hpp"
#include "support/loaded.hpp"
#include "support/numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}
bool same_bits(const array& a, const array& b) {
  return a.shape() == b.shape() && same_bits({a.data(), a.size()}, {b.data(), b.size()});
}
bool is_close(const array& a, const array& b) {
  return difference({{a.data(), a.data() + a.size()}}, {{b.data(), b.data() + b.size()}}).empty();
}

struct mobile {
  static constexpr int samples = 9;
  static constexpr std::size_t pixels = 3 * 96 * 96;

  written_network net = mobilenetv1_025();
  model one = model::load(std::as_bytes(std::span(net.onnx))),
        m = model::load(std::as_bytes(std::span(net.onnx)), {.read{.input_shapes{{"x", {samples, 3, 96, 96}}}}});
  array images{extents{samples, 3, 96, 96}, random_floats("images", samples* pixels)};
  array others{extents{samples, 3, 96, 96}, random_floats("others", samples* pixels)};

  array run(extractor& ex, const array& given) const {
    ex.input("x", given);
    return ex.extract(net.output);
  }
  array alone(const array& from, std::size_t i) const {
    extractor ex = one.extractor();
    return run(ex, array(extents{1, 3, 96, 96}, {from.data() + i * pixels, pixels}));
  }
};

/// Two outputs of two large pictures.
struct two_outputs : builder {
  random_weights weights;

  two_outputs() {
    const value_id x = input("x", {2, 8, 160, 160}), y = conv("y", x, 8, 3), z = conv("z", y, 4);
    add_output(g, "y", y);
    add_output(g, "z", z);
  }
  model made() { return model(as_loaded(g.view(), weights)); }
};

}  // namespace

TEST_CASE("MobileNetV1, nine pictures") {
  const mobile net;
  extractor whole = net.m.extractor(), apart = net.m.extractor();
  whole.set_light_mode(false);
  const array want = net.run(whole, net.images), got = net.run(apart, net.images);
  CHECK(is_close(got, want));
  for (std::size_t i = 0; i < net.samples; ++i) {
    const array one = net.alone(net.images, i);
    CHECK(same_bits({got.data() + i * one.size(), one.size()}, {one.data(), one.size()}));
  }
  extractor one = net.one.extractor();
  net.run(one, array(extents{1, 3, 96, 96}, {net.images.data(), net.pixels}));
  CHECK(apart.steps_run() == net.samples * one.steps_run());
  CHECK(2 * apart.peak_bytes() < whole.peak_bytes());

  // The last ones on all threads, or side by side as all before, or all on all threads.
  for (const int threads : {2, 3, 4, 7, 19}) {
    CAPTURE(threads);
    apart.set_executor(std::make_shared<thread_pool>(threads));
    CHECK(same_bits(net.run(apart, net.images), got));
  }
  apart.set_executor(std::make_shared<thread_pool>(2));
  const array other = net.run(apart, net.others);
  CHECK(!same_bits(other, got));
  CHECK(same_bits(net.run(apart, net.images), got));
  const array again = net.alone(net.others, 2);
  CHECK(same_bits({other.data() + 2 * again.size(), again.size()}, {again.data(), again.size()}));

  // A value within, before and after the output.
  const std::string within = "v10";
  const array value = whole.extract(within);
  CHECK(is_close(apart.extract(within), value));
  CHECK(is_close(apart.extract(net.net.output), got));
  apart.input("x", net.images);
  CHECK(is_close(apart.extract(within), value));
  CHECK(is_close(apart.extract(net.net.output), got));
  CHECK(same_bits(net.run(apart, net.images), got));
  int steps = 0;
  apart.on_step([](void* count, const running_step& s) { *static_cast<int*>(count) += s.begins; }, &steps);
  CHECK(is_close(net.run(apart, net.images), got));
  CHECK(steps == static_cast<int>(apart.steps_run()));
}

TEST_CASE("two outputs: apart when both are asked for") {
  two_outputs net;
  const model m = net.made();
  REQUIRE(m.code().one_sample());
  const array images{extents{2, 8, 160, 160}, random_floats("images", 2 * 8 * 160 * 160)};
  extractor both = m.extractor(), one = m.extractor();
  both.input("x", images);
  const std::vector<std::string> names{"z", "y", "z"};
  const std::vector<array> got = both.extract(names);
  CHECK(same_bits(got[0], got[2]));
  const std::size_t steps = both.steps_run();
  CHECK(same_bits(both.extract("y"), got[1]));
  CHECK(both.steps_run() == steps);
  one.input("x", images);
  CHECK(is_close(one.extract("y"), got[1]));
  CHECK(one.steps_run() < steps);
  CHECK(is_close(one.extract("z"), got[0]));
  // What was handed out is its owner's.
  const array kept = got[1];
  both.input("x", array(extents{2, 8, 160, 160}));
  CHECK(!same_bits(both.extract(names)[1], kept));
  CHECK(same_bits(got[1], kept));
}

TEST_CASE("an output that is an input, and one that nobody feeds") {
  two_outputs net;
  add_output(net.g, "same", 0);
  const model m = net.made();
  const array images{extents{2, 8, 160, 160}, random_floats("images", 2 * 8 * 160 * 160)};
  extractor ex = m.extractor();
  const std::vector<std::string> names{"y", "z", "same"};
  CHECK_THROWS_WITH(ex.extract(names), "input 'x' has not been given");
  ex.input("x", images);
  CHECK(same_bits(ex.extract(names)[2], images));
}

TEST_CASE("what does not pay runs whole") {
  const auto runs_whole = [](std::initializer_list<int> input, auto&& make) {
    builder b;
    random_weights weights;
    add_output(b.g, "y", make(b, b.input("x", input)));
    CHECK(model(as_loaded(b.g.view(), weights)).code().one_sample() == nullptr);
  };
  runs_whole({4, 8, 20, 20}, [](builder& b, value_id x) { return b.conv("small", x, 8, 3); });
  runs_whole({1, 8, 200, 200}, [](builder& b, value_id x) { return b.conv("of one", x, 8, 3); });
  runs_whole({512, 640}, [](builder& b, value_id x) { return b.add(op::linear{640}, "connected", {x}); });
  runs_whole({512, 1024}, [](builder& b, value_id x) { return b.add(op::softmax{}, "many", {x}); });
  runs_whole({2, 8, 160, 160}, [](builder& b, value_id x) { return b.add(op::softmax{0}, "mixed", {x}); });
}
