// SPDX-License-Identifier: BSL-1.0
#include <ctnn/formats/graphviz.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/network/lower.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <set>

#include "every_layer.hpp"
#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace {

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++n;
  return n;
}

TEST_CASE("one graph: a box for every layer, an edge or a note for all it reads") {
  const loaded_model m = test::every_layer();
  const graph_view g = m.network.view();
  const std::string text = write_graphviz(g);
  CHECK(count(text, "<TABLE") == static_cast<int>(g.nodes.size()));
  CHECK(count(text, "<I>output ") == static_cast<int>(g.outputs.size()));
  std::set<std::pair<int, int>> edges;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (value_id v : g.inputs(g.nodes[i])) edges.insert({g.at_value(v).producer, static_cast<int>(i)});
  int noted = 0;
  for (std::size_t at = text.find("<I>reads "); at != text.npos; at = text.find("<I>reads ", at + 1)) ++noted;
  const int straight = count(text, ":s -> "), around = count(text, ":e -> ");
  CHECK(straight + around <= static_cast<int>(edges.size()));
  CHECK(straight + around + 3 * noted >= static_cast<int>(edges.size()));
  CHECK(text.find("<B>conv/1</B>") != text.npos);
  CHECK(text.find("conv2d 3x3 /2") != text.npos);
  CHECK(text.find("8\xc3\x97" "4\xc3\x97" "4") != text.npos);
  CHECK(text.find("depthwise 3x3") != text.npos);
  CHECK(text.find("&quot;quoted\\\\name&quot;") != text.npos);
}

TEST_CASE("before and after: layers that became one share a box, which stands beside it") {
  const loaded_model m = test::every_layer();
  const optimization o = optimize(thaw(m.network.view()), default_rule_records());
  const std::string text = write_graphviz(m.network.view(), o.g.view(), o.history);
  CHECK(text.find("as read: " + std::to_string(m.network.nodes.size()) + " layers") != text.npos);
  CHECK(text.find("rewritten: " + std::to_string(o.g.nodes.size()) + " layers") != text.npos);
  // conv/1, bn and leaky are drawn in one box; the convolution that has taken them in has the same height.
  const std::size_t line = text.find("before1 ["), end = text.find('\n', line);
  REQUIRE(line != text.npos);
  const std::string box = text.substr(line, end - line);
  CHECK(box.find("<B>conv/1</B>") != box.npos);
  CHECK(box.find("bn ") != box.npos);
  CHECK(box.find("leaky ") != box.npos);
  CHECK(box.find("BORDER=\"2\"") != box.npos);
  const std::size_t other = text.find("after1 [");
  REQUIRE(other != text.npos);
  CHECK(text.substr(other, text.find('\n', other) - other).find("conv2d 3x3 /2 + leaky_relu") != text.npos);
  const auto height = [&](std::size_t at) {
    return text.substr(text.find(',', at), text.find('!', at) - text.find(',', at));
  };
  CHECK(height(line) == height(other));
}

TEST_CASE("what an expansion makes has a box of its own") {
  loaded_model m;
  test::builder b;
  const value_id x = b.add(op::input{{3, 4, 5}, dtype::f16}, "x", {});
  b.output("y", b.relu("r", x));
  m.network = thaw(b.g.view());
  const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
  REQUIRE(o.g.nodes.size() == 4);
  const std::string text = write_graphviz(m.network.view(), o.g.view(), o.history);
  CHECK(text.find("<B>x.f32</B>") != text.npos);
  CHECK(text.find("<B>r.f16</B>") != text.npos);
  int before = 0, after = 0;
  for (int i = 0; i < 9; ++i) {
    before += count(text, "  before" + std::to_string(i) + " [");
    after += count(text, "  after" + std::to_string(i) + " [");
  }
  CHECK(before == 2);
  CHECK(after == 4);
  CHECK(count(text, ":s -> after") == 3);
}

TEST_CASE("many layers are folded into columns of about one height") {
  ir::graph g;
  std::deque<std::string> names{"x"};
  REQUIRE(!add_node(g, op::input{{1, 4, 4}}, "x", {}));
  for (int i = 0; i < 200; ++i) {
    const value_id last = static_cast<value_id>(g.values.size()) - 1;
    names.push_back("layer_with_a_rather_long_name_" + std::to_string(i));
    REQUIRE(!add_node(g, op::activation{{function::tanh}}, names.back(), {&last, 1}));
  }
  add_output(g, "y", static_cast<value_id>(g.values.size()) - 1);
  const std::string text = write_graphviz(g.view());
  std::map<std::string, int> columns;  // boxes by their x
  for (std::size_t at = text.find("pos=\""); at != text.npos; at = text.find("pos=\"", at + 1))
    ++columns[text.substr(at + 5, text.find(',', at) - at - 5)];
  CHECK(columns.size() >= 3);
  CHECK(columns.size() <= 12);
  for (const auto& [x, boxes] : columns) CHECK(boxes <= 90);
  CHECK(count(text, "<I>reads ") == static_cast<int>(columns.size()) - 1);
  CHECK(text.find("layer_with_a\xe2\x80\xa6" "ong_name_123") != text.npos);
}

}  // namespace
