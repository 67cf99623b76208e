// SPDX-License-Identifier: BSL-1.0
// Models in f16 and bf16: to the bit what each operator gives in f32, rounded; and as fused and laid out as in f32.
#include <doctest/doctest.h>

#include <algorithm>
#include <ctnn/rewrite/rules.hpp>

#include "support/builder.hpp"
#include "support/halved.hpp"
#include "support/loaded.hpp"
#include "support/random_graph.hpp"
#include "support/seeds.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

int count_of(const graph_view& g, std::string_view type) {
  return static_cast<int>(
      std::count_if(g.nodes.begin(), g.nodes.end(), [&](const node& n) { return n.type->name == type; }));
}

/// A model of the graph in half precision; its weights are those of the graph in f32.
model made(const graph_view& g, dtype type, const load_options& options) {
  random_weights weights(g);
  loaded_model m = as_loaded(g, weights);
  REQUIRE(halve(m, type));
  return model(std::move(m), options);
}
std::vector<array> answers(const model& m, const graph_view& g, dtype type) {
  extractor run = m.extractor();
  const std::vector<floats> in = random_inputs(g);
  std::size_t next = 0;
  for (const node& n : g.nodes)
    if (n.type == &type_of<op::input>) {
      run.input(next, narrowed(array(g.shape(n.outputs.first), in[next]), type));
      ++next;
    }
  std::vector<array> out;
  for (std::size_t o = 0; o < g.outputs.size(); ++o) out.push_back(run.extract(o));
  return out;
}
std::vector<floats> numbers_of_all(const std::vector<array>& all) {
  std::vector<floats> out;
  for (const array& a : all) {
    const array f = as_floats(a);
    out.emplace_back(f.values().begin(), f.values().end());
  }
  return out;
}

/// Every value of the f32 graph as an operator in half precision leaves it: the reference's, rounded.
graph_values rounded_values(const graph_view& g, dtype type) {
  random_weights weights(g);
  std::vector<floats> in = random_inputs(g);
  for (floats& numbers : in)
    for (float& x : numbers) x = rounded(x, type);
  std::map<std::string, floats> halves;
  const auto leaf = [&](const expression& e) {
    floats& w = halves[std::string(e.layer) + "/" + std::string(e.name)];
    if (w.empty())
      for (float x : weights.of(e)) w.push_back(rounded(x, type));
    return static_cast<const float*>(w.data());
  };
  graph_values values;
  graph_values now;
  // Node by node, each of what the ones before it have left.
  values.first = pool<std::int64_t>(g.values.size() + 1, 0);
  run_graph(g, leaf, pointers_to(in), values);
  std::size_t next = 0;
  for (const node& n : g.nodes) {
    if (n.type == &type_of<op::input>) {
      std::copy(in[next].begin(), in[next].end(), values.data(n.outputs.first));
      ++next;
      continue;
    }
    builder one;
    std::vector<const float*> from;
    std::vector<value_id> ids;
    for (value_id v : g.inputs(n)) {
      op::input i;
      for (int d = 0; d < g.shape(v).rank; ++d) i.shape.push_back(g.shape(v)[d]);
      ids.push_back(one.add(i, "x", {}));
      from.push_back(values.data(v));
    }
    REQUIRE(!add_node(one.g, *n.type, n.name, ids, g.fields_of(n.fields)));
    run_graph(one.g.view(), leaf, from, now);
    const value_id first = one.g.nodes.back().outputs.first;
    for (int k = 0; k < n.outputs.count; ++k) {
      const std::span<const float> made = now.of(first + k);
      for (std::size_t i = 0; i < made.size(); ++i) values.data(n.outputs.first + k)[i] = rounded(made[i], type);
    }
  }
  return values;
}

/// Convolutions, sums, a concatenation and a dense layer.
void small_network(builder& b) {
  const value_id x = b.input("x", {3, 12, 12});
  const value_id a = b.relu("a", b.conv("conv1", x, 16, 3));
  const value_id left = b.relu("l", b.conv("conv2", a, 16, 1)), right = b.conv("conv3", a, 16, 3);
  const value_id both = b.add(op::concat{-3}, "both", {b.relu("sum", b.sum("plus", left, right)), left});
  b.output("probability",
           b.add(op::softmax{-1}, "probability", {b.add(op::linear{10, true, {}}, "fc", {b.flatten("flat", both)})}));
}

}  // namespace

TEST_CASE("a network in half precision runs in f32 between its inputs and outputs") {
  for (dtype type : {dtype::f16, dtype::bf16}) {
    builder b;
    small_network(b);
    const graph_view g = b.g.view();
    random_weights weights(g);
    const model in_floats(as_loaded(g, weights), {}), in_halves = made(g, type, {});
    CHECK(count_of(in_halves.graph(), "cast") == 2);
    CHECK(in_halves.graph().nodes.size() == in_floats.graph().nodes.size() + 2);
    CHECK(count_of(in_halves.source(), "cast") == 0);
    const auto steps = in_halves.code().history();
    const auto fired = [&](std::string_view rule) {
      return std::any_of(steps.begin(), steps.end(), [&](const rewrite_step& s) { return s.rule == rule; });
    };
    CHECK(fired("widen_halves"));
    CHECK(fired("rounding_between"));
    const std::vector<array> got = answers(in_halves, g, type);
    CHECK(got[0].type() == type);
    const graph_values want = rounded_values(g, type);
    CHECK(difference(numbers_of_all(got),
                     {floats(want.of(g.outputs[0].value).begin(), want.of(g.outputs[0].value).end())},
                     type == dtype::f16 ? 2e-3 : 2e-2) == "");
  }
}

TEST_CASE("rules that change no number leave half precision its bits") {
  for (dtype type : {dtype::f16, dtype::bf16}) {
    builder b;
    small_network(b);
    const graph_view g = b.g.view();
    const model plain = made(g, type, {.optimize = false}), rewritten = made(g, type, {.rules = exact_rules::records});
    const auto want = answers(plain, g, type), got = answers(rewritten, g, type);
    CHECK(same_bytes(got[0], want[0]));
    // Any value keeps its name and type.
    extractor run = plain.extractor();
    run.input(0, narrowed(array(g.shape(0), random_inputs(g)[0]), type));
    CHECK(run.extract("plus").type() == type);
  }
}

TEST_CASE("random graphs in half precision: each operator in f32, rounded") {
  int halved = 0;
  for (const std::uint64_t seed : seeds(0, 600)) {
    CAPTURE(seed);
    const random_graph made_up(seed, 3 + static_cast<int>(seed % 12));
    const graph_view g = made_up.g.view();
    const dtype type = seed % 2 ? dtype::f16 : dtype::bf16;
    random_weights weights(g);
    loaded_model plain = as_loaded(g, weights), fused = as_loaded(g, weights);
    if (!halve(plain, type) || !halve(fused, type)) continue;
    ++halved;
    const graph_values values = rounded_values(g, type);
    const double most = magnitude(values);
    if (!(most < 1e3)) continue;
    std::vector<floats> want;
    for (const network_output& o : g.outputs) want.emplace_back(values.of(o.value).begin(), values.of(o.value).end());
    const double tolerance = (type == dtype::f16 ? 0.02 : 0.15) * std::max(1.0, most);
    const model m(std::move(plain), {.optimize = false}), n(std::move(fused), {});
    const std::string text = describe_graph(m.graph());
    CAPTURE(text);
    REQUIRE(difference(numbers_of_all(answers(m, g, type)), want, tolerance) == "");
    REQUIRE(difference(numbers_of_all(answers(n, g, type)), want, tolerance) == "");
  }
  CHECK(halved > 300);
}

TEST_CASE("what only moves halves moves halves") {
  builder b;
  const value_id x = b.input("x", {3, 4, 5});
  b.output("", b.add(op::permute{{2, 0, 1}}, "turned", {b.add(op::concat{0}, "twice", {x, x})}));
  const graph_view g = b.g.view();
  random_weights weights(g);
  const model in_floats(as_loaded(g, weights), {});
  extractor run = in_floats.extractor();
  feed(run, g);
  const array want = narrowed(run.extract(std::size_t{0}), dtype::f16);
  for (bool optimize : {false, true}) {
    const model m = made(g, dtype::f16, {.optimize = optimize});
    CHECK(count_of(m.graph(), "cast") == 0);
    CHECK(same_bytes(answers(m, g, dtype::f16)[0], want));
  }
}
