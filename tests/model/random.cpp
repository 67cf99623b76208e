// SPDX-License-Identifier: BSL-1.0
// Random graphs as loaded models: layouts, parts, in-place, lazy extraction and kernels together against the reference.
#include <doctest/doctest.h>

#include "support/loaded.hpp"
#include "support/random_graph.hpp"
#include "support/seeds.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// Not kept where an operator was expanded.
bool is_constant_nobody_reads(const graph_view& g, value_id v) {
  return g.at(g.at_value(v).producer).type == &type_of<op::constant> && g.at_value(v).readers == 0;
}

void check_seed(std::uint64_t seed, bool optimize, target_id target) {
  CAPTURE(seed);
  CAPTURE(optimize);
  const random_graph made(seed, 4 + static_cast<int>(seed % 24));
  const graph_view g = made.g.view();
  random_weights weights(g);
  const std::vector<floats> in = random_inputs(g);
  graph_values values;
  run_graph(g, weights, pointers_to(in), values);
  const double most = magnitude(values);
  if (most > 1e4) return;
  const double tolerance = 5e-5 * std::max(1.0, most);
  std::vector<floats> want;
  for (const network_output& o : g.outputs) want.emplace_back(values.of(o.value).begin(), values.of(o.value).end());

  load_options options;
  options.optimize = optimize;
  options.target = target;
  const model m(as_loaded(g, weights), options);
  const std::string text = describe_graph(m.graph());
  CAPTURE(text);
  for (bool light : {true, false}) {
    CAPTURE(light);
    extractor ex = m.extractor();
    ex.set_light_mode(light);
    feed(ex, g);
    std::vector<floats> got;
    for (std::size_t o = 0; o < g.outputs.size(); ++o) {
      const array a = ex.extract(o);
      got.emplace_back(a.values().begin(), a.values().end());
    }
    REQUIRE(difference(got, want, tolerance) == "");
    if (optimize) continue;
    // Any value, in any order, whatever is gone by now.
    dice d(seed);
    for (int k = 0; k < 4; ++k) {
      const value_id v = d.below(static_cast<int>(g.values.size()));
      const node& n = g.at(g.at_value(v).producer);
      if (n.outputs.count != 1 || is_constant_nobody_reads(g, v)) continue;
      const array a = ex.extract(n.name);
      CAPTURE(n.name);
      REQUIRE(difference({floats(a.values().begin(), a.values().end())},
                         {floats(values.of(v).begin(), values.of(v).end())}, tolerance) == "");
    }
  }
}

}  // namespace

TEST_CASE("random graphs, best target") {
  for (const std::uint64_t seed : seeds(0, 3000)) {
    check_seed(seed, false, best_target());
    check_seed(seed, true, best_target());
  }
}

TEST_CASE("random graphs, every target") {
  for (const target_id t : supported_targets()) {
    const std::string target(target_name(t));
    CAPTURE(target);
    for (const std::uint64_t seed : seeds(10000, 10300)) {
      check_seed(seed, false, t);
      check_seed(seed, true, t);
    }
  }
}
