// SPDX-License-Identifier: BSL-1.0
// SqueezeNet and MobileNetV2 from files, some rows at a time: the same bits as layer by layer, half of the memory for
// the latter, and still every value can be asked for and fed.
#include <doctest/doctest.h>

#include <cstring>

#include "benchmarks/networks.hpp"
#include "support/check_plan.hpp"
#include "support/loaded.hpp"
#include "support/numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

bool same_bits(const array& a, const array& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// A network of the benchmark's, loaded, and a picture for it.
struct loaded_network {
  written_network net;
  model m = model::load(std::as_bytes(std::span(net.onnx)));
  array image{extents{1, 3, 224, 224}, random_floats("image", 3 * 224 * 224)};

  array run(extractor& ex) const {
    ex.input("x", image);
    return ex.extract(net.output);
  }
};

/// The nodes of the longest cascade.
std::vector<int> longest(const memory_plan& plan) {
  std::span<const int> best;
  for (const plan_step& s : plan.steps)
    if (const auto now = plan.view().ids_of(s.cascade); now.size() > best.size()) best = now;
  return {best.begin(), best.end()};
}

struct eager_pool : thread_pool {
  using thread_pool::thread_pool;
  double least_nanoseconds() const override { return 1; }
};

}  // namespace

TEST_CASE("SqueezeNet's stem and its pooling") {
  const loaded_network net{squeezenet11()};
  const graph_view g = net.m.graph();
  const memory_plan plan = make_plan(g), by_layer = make_plan(g, {.cascades = false});
  CHECK(plan_judge(g, plan.view()).judge() == "");
  CHECK(plan.steps.size() + 1 == by_layer.steps.size());
  extractor whole = net.m.extractor(), rows = net.m.extractor();
  whole.set_light_mode(false);
  const array want = net.run(whole);
  CHECK(same_bits(net.run(rows), want));
  rows.set_executor(std::make_shared<eager_pool>(3));
  CHECK(same_bits(net.run(rows), want));
}

TEST_CASE("MobileNetV2 in cascades") {
  const loaded_network net{mobilenetv2()};
  const graph_view g = net.m.graph();
  const memory_plan plan = make_plan(g), by_layer = make_plan(g, {.cascades = false});
  CHECK(plan_judge(g, plan.view()).judge() == "");
  CHECK(by_layer.arena_size * 4 > 6'000'000);
  CHECK(plan.arena_size * 4 <= 2'700'000);

  extractor whole = net.m.extractor(), rows = net.m.extractor();
  whole.set_light_mode(false);
  const array want = net.run(whole);
  CHECK(same_bits(net.run(rows), want));
  CHECK(rows.steps_run() < whole.steps_run());
  CHECK(2 * rows.peak_bytes() < whole.peak_bytes());
  for (const int threads : {2, 3, 5}) {
    CAPTURE(threads);
    rows.set_executor(std::make_shared<eager_pool>(threads));
    CHECK(same_bits(net.run(rows), want));
    CHECK((rows.steps_run() < whole.steps_run()) == (threads < 5));
  }
  rows.set_executor({});

  // A value between two convolutions of a cascade.
  const std::vector<int> nodes = longest(plan);
  REQUIRE(nodes.size() == 3);
  std::vector<int> together;
  struct watch {
    int last;
    std::vector<int>& nodes;
  } seen{nodes[2], together};
  rows.on_step(
      [](void* c, const running_step& s) {
        auto& w = *static_cast<watch*>(c);
        if (s.begins && s.node == w.last) w.nodes.assign(s.together.begin(), s.together.end());
      },
      &seen);
  CHECK(net.run(rows).size() == want.size());
  CHECK(together == nodes);
  rows.on_step(nullptr, nullptr);
  const std::string_view between = g.at_value(g.at(nodes[1]).outputs.first).name;
  const array value = whole.extract(between);
  CHECK(same_bits(rows.extract(between), value));
  CHECK(same_bits(rows.extract(net.net.output), want));
  extractor fed = net.m.extractor();
  fed.input("x", net.image);
  fed.input(between, value);
  CHECK(same_bits(fed.extract(net.net.output), want));
}
