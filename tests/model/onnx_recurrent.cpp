// SPDX-License-Identifier: BSL-1.0
// ONNX's recurrent nodes: with constant weights they are the layers of static networks, and give what the general operator
// gives for the same weights as inputs.
#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
namespace pb = test::onnx_bytes;

namespace {

struct recurrent_node {
  std::string_view type;
  std::int64_t gates, directions, batch;
  std::string_view direction = "forward";
  bool bias = true, states = false;
  std::string more{};  ///< attributes
  bool plain = true;   ///< a layer of static networks expresses it
};

constexpr std::int64_t steps = 3, in = 2, hidden = 5;

pb::dims shape_of(const recurrent_node& r, int i) {
  const auto rows = r.gates * hidden;
  switch (i) {
    case 0: return {steps, r.batch, in};
    case 1: return {r.directions, rows, in};
    case 2: return {r.directions, rows, hidden};
    case 3: return {r.directions, 2 * rows};
    default: return {r.directions, r.batch, hidden};
  }
}
std::vector<float> numbers_of(const pb::dims& shape, int seed) {
  std::size_t n = 1;
  for (auto d : shape) n *= static_cast<std::size_t>(d);
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>((static_cast<int>(i) * 37 + seed * 11) % 29 - 14) * 0.05f;
  return v;
}

model made(const recurrent_node& r, bool constant) {
  std::vector<std::string> names{"x", "w", "r", r.bias ? "b" : ""};
  if (r.states) names.insert(names.end(), {"", "h"});
  if (r.states && r.type == "LSTM") names.push_back("c");
  std::string graph;
  for (int i = 0, k = 0; i < static_cast<int>(names.size()); ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    if (name.empty()) continue;
    const bool weight = name == "w" || name == "r" || name == "b";
    graph += weight && constant ? pb::initializer(pb::floats(name, shape_of(r, i), numbers_of(shape_of(r, i), k)))
                                : pb::input(pb::value(name, pb::f32, shape_of(r, i)));
    ++k;
  }
  std::vector<std::string> out{"y", "last_h"};
  if (r.type == "LSTM") out.push_back("last_c");
  for (const std::string& o : out) graph += pb::output(pb::value(o, pb::f32, {-1, -1, -1}));
  graph += pb::node(r.type, names, out, pb::attribute("hidden_size", hidden) + pb::attribute("direction", r.direction) + r.more);
  const std::string bytes = pb::model(graph, 14);
  return model(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx")));
}

void require_same(const recurrent_node& r) {
  CAPTURE(r.type);
  CAPTURE(r.direction);
  CAPTURE(r.batch);
  const model fixed = made(r, true), free = made(r, false);
  const auto has = [](const model& m, std::string_view name) {
    const auto g = m.source();
    return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const node& n) { return n.type->name == name; });
  };
  std::string lower;
  for (char c : r.type) lower += static_cast<char>(c + ('a' - 'A'));
  CHECK(has(fixed, lower) == r.plain);
  CHECK(has(free, "general_" + lower));
  extractor a = fixed.extractor(), b = free.extractor();
  int k = 0;
  for (const auto& [name, i] : {std::pair{"x", 0}, {"w", 1}, {"r", 2}, {"b", 3}, {"h", 5}, {"c", 6}}) {
    if ((i == 3 && !r.bias) || (i > 3 && !r.states) || (i == 6 && r.type != "LSTM")) continue;
    const pb::dims shape = shape_of(r, i);
    extents e;
    for (auto d : shape) e.push_back(static_cast<int>(d));
    const array given(e, numbers_of(shape, k++));
    b.input(name, given);
    if (i == 0 || i > 3) a.input(name, given);
  }
  for (const char* name : {"y", "last_h", "last_c"}) {
    if (name == std::string_view("last_c") && r.type != "LSTM") continue;
    const array got = a.extract(name), want = b.extract(name);
    REQUIRE(got.shape() == want.shape());
    for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("constant weights make a layer of static networks") {
  const std::string after = pb::attribute("linear_before_reset", std::int64_t{1});
  for (const std::int64_t batch : {1, 3})
    for (const bool states : {false, true})
      for (const std::string_view direction : {"forward", "reverse", "bidirectional"}) {
        const std::int64_t d = direction == "bidirectional" ? 2 : 1;
        require_same({"LSTM", 4, d, batch, direction, !states, states});
        require_same({"GRU", 3, d, batch, direction, states, states, after});
        require_same({"RNN", 1, d, batch, direction, true, states});
      }
}

TEST_CASE("what only ONNX has stays general") {
  require_same({"GRU", 3, 1, 2, "forward", true, false, {}, false});
  require_same({"LSTM", 4, 1, 2, "forward", true, false, pb::attribute("clip", 0.5f), false});
  require_same({"LSTM", 4, 1, 2, "forward", true, true, pb::attribute("input_forget", std::int64_t{1}), false});
}

TEST_CASE("weights that do not fit are refused with the node") {
  const std::string graph = pb::node("LSTM", {"x", "w", "r"}, {"y"}, pb::attribute("hidden_size", std::int64_t{2}), "here") +
                            pb::input(pb::value("x", pb::f32, {1, 1, 3})) + pb::initializer(pb::floats("w", {1, 8, 2}, std::vector<float>(16))) +
                            pb::initializer(pb::floats("r", {1, 8, 2}, std::vector<float>(16))) + pb::output(pb::value("y", pb::f32, {1, 1, 1, 2}));
  const std::string bytes = pb::model(graph, 14);
  CHECK_THROWS_WITH_AS(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx")), doctest::Contains("'here'"), error);
}
