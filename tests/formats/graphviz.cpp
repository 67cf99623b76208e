// SPDX-License-Identifier: BSL-1.0
#include <ctnn/formats/graphviz.hpp>
#include <ctnn/network/lower.hpp>
#include <ctnn/rewrite/rules.hpp>

#include <doctest/doctest.h>

#include "every_layer.hpp"

namespace ctnn {
namespace {

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++n;
  return n;
}

TEST_CASE("one graph: every layer, every edge") {
  const loaded_model m = test::every_layer();
  const graph_view g = m.network.view();
  const std::string text = write_graphviz(g);
  std::size_t edges = g.outputs.size();
  for (const node& n : g.nodes) edges += g.inputs(n).size();
  CHECK(count(text, " -> ") == static_cast<int>(edges));
  CHECK(count(text, "fillcolor") == static_cast<int>(g.nodes.size()));
  CHECK(text.find("conv/1\\nconv2d 3x3 /2  \xe2\x86\x92  8 x 4 x 4") != std::string::npos);
  CHECK(text.find("dw\\ndepthwise conv2d 3x3") != std::string::npos);
  CHECK(text.find("\\\"quoted\\\\\\\\name\\\"\\nconv2d 1x1") != std::string::npos);
  CHECK(count(text, "subgraph") == 0);
}

TEST_CASE("before and after: layers that became one share a box") {
  const loaded_model m = test::every_layer();
  const optimization o = optimize(thaw(m.network.view()), default_rules::records);
  const std::string text = write_graphviz(m.network.view(), o.g.view(), o.history);
  CHECK(count(text, "cluster_before {") == 1);
  CHECK(count(text, "cluster_after {") == 1);
  CHECK(text.find("conv/1\\nconv2d 3x3 /2 + leaky_relu") != std::string::npos);
  // conv/1, bn and leaky are drawn in one box.
  const std::size_t box = text.find("subgraph cluster_before_1 {"), end = text.find("}\n", box);
  REQUIRE(box != std::string::npos);
  const std::string inside = text.substr(box, end - box);
  CHECK(count(inside, "[label=") == 3);
  CHECK(inside.find("bn\\n") != std::string::npos);
  CHECK(inside.find("leaky\\n") != std::string::npos);
}

}  // namespace
}  // namespace ctnn
