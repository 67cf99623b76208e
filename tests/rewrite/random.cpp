// SPDX-License-Identifier: BSL-1.0
// Random graphs: optimised and not they give the same numbers, and the optimiser keeps its own promises.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "support/any_size.hpp"
#include "support/random_graph.hpp"
#include "support/seeds.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// Nodes in topological order, reader counts right, nothing dead, nothing unread.
std::string defect_of(const graph_view& g) {
  std::vector<int> readers(g.values.size(), 0);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    if (n.dead) return "a dead node";
    for (value_id v : g.inputs(n)) {
      if (v >= n.outputs.first) return "a node reads a later value";
      ++readers[static_cast<std::size_t>(v)];
    }
    description d;
    const pool<extents> in = input_shapes(g, n);
    if (n.type->describe(g.fields_of(n.fields), in, {}, d)) return "an invalid node";
    for (int k = 0; k < n.outputs.count; ++k) {
      if (!(d.outputs[static_cast<std::size_t>(k)] == g.shape(n.outputs.first + k))) return "a wrong shape";
      if (g.at_value(n.outputs.first + k).producer != static_cast<int>(i)) return "a wrong producer";
    }
    if (d.weights.size() != g.weights(n).size()) return "a wrong number of weights";
    for (std::size_t k = 0; k < d.weights.size(); ++k)
      if (!(d.weights[k].shape == g.at_expression(g.weights(n)[k]).shape)) return "a weight of the wrong shape";
  }
  for (const network_output& o : g.outputs) ++readers[static_cast<std::size_t>(o.value)];
  for (std::size_t v = 0; v < g.values.size(); ++v)
    if (readers[v] != g.values[v].readers) return "a wrong reader count";
  for (const node& n : g.nodes) {
    int read = n.type == &type_of<op::input> ? 1 : 0;
    for (int k = 0; k < n.outputs.count; ++k) read += g.at_value(n.outputs.first + k).readers;
    if (read == 0) return "a node that nothing reads";
  }
  return {};
}

std::vector<floats> outputs_of(const graph_view& g, random_weights& weights, const std::vector<floats>& in) {
  weights.look_at(g);
  graph_values values;
  run_graph(g, weights, pointers_to(in), values);
  std::vector<floats> out;
  for (const network_output& o : g.outputs) out.emplace_back(values.of(o.value).begin(), values.of(o.value).end());
  return out;
}
/// Does the graph itself make more than `tolerance` of a rounding of its inputs? Long recurrent layers may.
bool magnifies_rounding(const graph_view& g, random_weights& weights, double tolerance) {
  const std::vector<floats> in = random_inputs(g), was = outputs_of(g, weights, in);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<floats> rounded = in;
    dice d(seed);
    for (floats& f : rounded)
      for (float& x : f) x *= 1 + static_cast<float>(d.below(3) - 1) * std::numeric_limits<float>::epsilon();
    if (!difference(outputs_of(g, weights, rounded), was, tolerance).empty()) return true;
  }
  return false;
}

/// Inputs among which are all that arithmetic treats apart.
std::vector<floats> inputs_with_extremes(const graph_view& g, std::uint64_t seed) {
  using limits = std::numeric_limits<float>;
  constexpr float extremes[] = {limits::quiet_NaN(),
                                limits::infinity(),
                                -limits::infinity(),
                                0.0f,
                                -0.0f,
                                limits::denorm_min(),
                                -1e-40f,
                                limits::max(),
                                limits::lowest(),
                                -1e30f};
  dice d(seed);
  std::vector<floats> in = random_inputs(g);
  for (floats& f : in)
    for (float& x : f)
      if (d.one_in(4)) x = extremes[d.below(static_cast<int>(std::size(extremes)))];
  return in;
}
/// The rule whose application is the first after which `parts` holds of the graph.
std::string_view parting_rule(const graph_view& g, std::span<const rule_record> rules, auto&& parts) {
  for (std::size_t most = 1;; ++most) {
    optimization o = optimize(thaw(g), rules, most);
    if (parts(o.g.view())) return o.history.empty() ? "" : o.history.back().rule;
    if (o.applied < most) return {};
  }
}
/// Where two results differ in a bit, NaNs apart, which are all the same.
std::string different_bits(const std::vector<floats>& got, const std::vector<floats>& want) {
  std::ostringstream s;
  for (std::size_t o = 0; o < want.size(); ++o)
    for (std::size_t i = 0; i < want[o].size(); ++i) {
      const float a = got[o][i], b = want[o][i];
      if ((std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b))
        continue;
      s << "output " << o << "[" << i << "] is " << a << ", not " << b;
      return s.str();
    }
  return {};
}

}  // namespace

TEST_CASE("optimised random graphs are valid, final and give the same numbers") {
  int compared = 0, tried = 0, unsteady = 0;
  std::size_t before = 0, after = 0;
  for (const std::uint64_t seed : seeds(0, 6000)) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 20), seed % 4 == 3);
    const graph_view was = made.g.view();
    const optimization o = optimize(thaw(was), default_rule_records());
    REQUIRE(o.broken_rule == "");
    const graph_view now = o.g.view();
    before += was.nodes.size();
    after += now.nodes.size();
    const std::string text_before = describe_graph(was), text_after = describe_graph(now);
    CAPTURE(text_before);
    CAPTURE(text_after);
    REQUIRE(defect_of(now) == "");
    const optimization again = optimize(thaw(now), default_rule_records());
    REQUIRE(again.history.size() == 0);
    REQUIRE(same_structure(again.g.view(), now));

    random_weights weights(was);
    const std::vector<floats> in = random_inputs(was);
    graph_values values;
    run_graph(was, weights, pointers_to(in), values);
    const double most = magnitude(values);
    ++tried;
    if (most > 1e4) continue;
    ++compared;
    const double tolerance = 2e-5 * std::max(1.0, most);
    const std::string off = difference(reference_outputs(now, weights), reference_outputs(was, weights), tolerance);
    if (!off.empty() && magnifies_rounding(was, weights, tolerance)) {
      ++unsteady;
      continue;
    }
    const std::string_view by = off.empty() ? "" : parting_rule(was, default_rule_records(), [&](const graph_view& g) {
      return !difference(reference_outputs(g, weights), reference_outputs(was, weights), tolerance).empty();
    });
    CAPTURE(by);
    REQUIRE(off == "");
  }
  MESSAGE(compared << " graphs compared, " << before << " nodes before, " << after << " after");
  CHECK(compared > 0.8 * tried);
  CHECK(unsteady <= tried / 50000);
}

TEST_CASE("exact rules keep every bit of random graphs, of infinities, NaNs and denormals as well") {
  int changed = 0;
  for (const std::uint64_t seed : seeds(0, 6000)) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 20), seed % 4 == 3);
    const graph_view was = made.g.view();
    const optimization o = optimize(thaw(was), exact_rules::records);
    const graph_view now = o.g.view();
    if (o.history.size() == 0) continue;
    ++changed;
    const std::string text_before = describe_graph(was), text_after = describe_graph(now);
    CAPTURE(text_before);
    CAPTURE(text_after);
    random_weights weights(was);
    const std::vector<floats> in = inputs_with_extremes(was, seed);
    const std::vector<floats> want = outputs_of(was, weights, in);
    const std::string off = different_bits(outputs_of(now, weights, in), want);
    const std::string_view by = off.empty() ? "" : parting_rule(was, exact_rules::records, [&](const graph_view& g) {
      return !different_bits(outputs_of(g, weights, in), want).empty();
    });
    CAPTURE(by);
    CHECK(off == "");
  }
  CHECK(changed > 0);
}

TEST_CASE("rules that say nothing of it take no number of random graphs out of the range of floats") {
  std::vector<rule_record> rules;
  for (const rule_record& r : default_rule_records())
    if (r.info.effect != numerics::rescales) rules.push_back(r);
  int compared = 0, tried = 0;
  for (const std::uint64_t seed : seeds(0, 6000)) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 20), seed % 4 == 3);
    const ir::graph odd = with_scalars_of_any_size(made.g.view(), seed);
    const graph_view was = odd.view();
    weights_of_any_size weights(was, seed);
    const std::vector<floats> in = inputs_of_any_size(was, seed);
    const outputs_and_size want(was, weights, in);
    ++tried;
    if (want.size > headroom) continue;
    ++compared;
    const optimization o = optimize(thaw(was), rules);
    const std::string text_before = describe_graph(was), text_after = describe_graph(o.g.view());
    CAPTURE(text_before);
    CAPTURE(text_after);
    const auto leaves = [&](const graph_view& g) {
      return left_the_floats(outputs_and_size(g, weights, in).outputs, want.outputs);
    };
    const std::string off = leaves(o.g.view());
    const std::string_view by =
        off.empty() ? "" : parting_rule(was, rules, [&](const graph_view& g) { return !leaves(g).empty(); });
    CAPTURE(by);
    CHECK(off == "");
  }
  CHECK(compared > 0.7 * tried);
}

TEST_CASE("rare graphs whose rules were not all tried again where something had changed") {
  for (const std::uint64_t seed : {92622u, 109616u, 128303u, 194412u, 240078u, 373653u}) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 20));
    const optimization o = optimize(thaw(made.g.view()), default_rule_records());
    CHECK(optimize(thaw(o.g.view()), default_rule_records()).history.size() == 0);
  }
}

TEST_CASE("the measure that is kept is the measure, after every rule in any order, and falls") {
  int steps = 0, tried = 0;
  for (const std::uint64_t seed : seeds(0, 1500)) {
    CAPTURE(seed);
    const random_graph made(seed, 20);
    ++tried;
    dice d(seed);
    rewriter r(thaw(made.g.view()));
    REQUIRE(r.size() == r.measured());
    r.begin_sweep();
    for (int idle = 0; idle < 5000;) {
      const node_id n = d.below(static_cast<int>(r.view().nodes.size()));
      const rule_record& rule = default_rule_records()[static_cast<std::size_t>(
          d.below(static_cast<int>(std::size(default_rule_records()))))];
      ++idle;
      if (!r.live(n) || !rule.roots.has(r.at(n).type)) continue;
      const measure was = r.size();
      if (!rule.apply(r, n, nullptr)) continue;
      CAPTURE(rule.info.arrow);
      REQUIRE(r.size() == r.measured());
      REQUIRE(r.size() < was);
      REQUIRE(fell(was, r.size(), rule.info.component));
      ++steps;
      idle = 0;
    }
  }
  CHECK(steps > 3 * tried);
}
