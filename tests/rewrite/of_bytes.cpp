// SPDX-License-Identifier: BSL-1.0
// Every rule's cases, which are of floats, between bytes as well: from one description. README.md of the room rewrite/
// says for each rule whether it fires on bytes, and why not.
#include <filesystem>
#include <map>
#include <string>

#include "support/page_section.hpp"
#include "support/rule_cases.hpp"
#include "support/typed_numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace fs = std::filesystem;

namespace {

/// A graph of floats whose values are bytes of one element, computed by the same operators.
class graph_of_bytes {
 public:
  explicit graph_of_bytes(const graph_view& g) : g_(g), moved_(g.values.size(), none) {
    for (const node& n : g.nodes)
      if (!n.dead && why.empty()) add(n);
    if (!why.empty()) return;
    for (const network_output& o : g.outputs) add_output(made, o.name, moved(o.value));
  }
  ir::graph made{};
  std::string why{};  ///< there is none

 private:
  value_id& moved(value_id v) { return moved_[static_cast<std::size_t>(v)]; }
  element as_bytes(const element& e) const { return e == dtype::f32 ? element(dtype::i8, {0.0625, 3}) : e; }
  template <class Op, class Change>
  static void change(const node& n, field_values& fields, Change how) {
    if (n.type != &type_of<Op>) return;
    auto op = decode<Op>({fields.data(), fields.size()});
    how(op);
    fields = encode(op);
  }

  void add(const node& n) {
    if (g_.given(n) != 0) return void(why = "weights that are values");
    std::vector<value_id> in;
    for (const value_id v : g_.inputs(n)) in.push_back(moved(v));
    field_values fields;
    for (const double f : g_.fields_of(n.fields)) fields.push_back(f);
    std::vector<element> made_of;
    for (int k = 0; k < n.outputs.count; ++k) made_of.push_back(as_bytes(g_.at_value(n.outputs.first + k).type));
    change<op::input>(n, fields, [&](op::input& x) {
      x.type = made_of[0].type;
      x.as = made_of[0].real;
    });
    change<op::constant>(n, fields, [&](op::constant& c) { c.type = made_of[0].type; });
    const auto by_bytes = [](auto& op) { op.weight = {dtype::i8, true, false, false}; };
    change<op::conv1d>(n, fields, by_bytes);
    change<op::conv2d>(n, fields, by_bytes);
    change<op::conv3d>(n, fields, by_bytes);
    change<op::linear>(n, fields, by_bytes);
    if (const problem p =
            add_node(made, *n.type, n.name, in, {fields.data(), fields.size()}, {}, {made_of.data(), made_of.size()}))
      return void(why = std::string(n.type->name) + ": " + describe(p));
    for (int k = 0; k < n.outputs.count; ++k) moved(n.outputs.first + k) = made.nodes.back().outputs.first + k;
    for (std::size_t k = 0; k < g_.weights(n).size(); ++k) {  // which channels are zeros
      const expression& e = g_.at_expression(g_.weights(n)[k]);
      const expression_id own = made.view().weights(made.nodes.back())[k];
      made.expressions[static_cast<std::size_t>(own)].fields = made.store_fields(g_.fields_of(e.fields));
    }
    for (int k = 0; k < n.outputs.count; ++k)
      if (!(made.at_value(made.nodes.back().outputs.first + k).type == made_of[static_cast<std::size_t>(k)]))
        why = std::string(n.type->name) + " has no bytes for its result";
  }

  graph_view g_;
  std::vector<value_id> moved_;
};

/// What the rule says of a graph that it leaves alone.
std::string reason_of(const rule_record& rule, const ir::graph& g) {
  reason said;
  rewriter r(thaw(g.view()));
  for (std::size_t n = 0; n < r.view().nodes.size(); ++n)
    if (r.live(static_cast<int>(n)) && rule.roots.has(r.at(static_cast<int>(n)).type))
      rule.apply(r, static_cast<int>(n), &said);
  return said.text.empty() ? "it is about floats" : std::string(said.text);
}

/// Whether a rule fires between bytes, by name; and where not, why.
struct verdict {
  bool fires = false, has_case = false;
  std::string why{};
};
std::map<std::string_view, verdict> verdicts() {
  std::map<std::string_view, verdict> all;
  for (const covered_rule& c : covered_rules()) {
    if (!c.fires || c.loaded) continue;
    const rule_record& rule = default_rule_records()[c.rule];
    builder b;
    c.before(b);
    const graph_of_bytes of(b.g.view());
    verdict& v = all[rule.info.name];
    if (!of.why.empty()) {
      if (!v.has_case && v.why.empty()) v.why = "no such layer of bytes: " + of.why;
      continue;
    }
    const optimization o = optimize(thaw(of.made.view()), {&rule, 1});
    CAPTURE(rule.info.name);
    const std::string was = describe_graph(of.made.view());
    CAPTURE(was);
    CHECK(o.broken_rule == "");
    if (o.history.size() == 0) {
      if (!v.has_case) v.why = reason_of(rule, of.made);
      v.has_case = true;
      continue;
    }
    v = {true, true, {}};
    const bool same = agree(o.g.view(), typed_outputs(o.g.view()), typed_outputs(of.made.view()),
                            rule.info.effect == numerics::exact, o.history);
    CHECK(same);
  }
  return all;
}

std::string table() {
  std::string out = "| rule | between bytes |\n|---|---|\n";
  for (const auto& [rule, v] : verdicts())
    out += "| `" + std::string(rule) + "` | " + (v.fires ? "yes" : in_a_cell(v.why)) + " |\n";
  return out;
}

}  // namespace

// CTNN_WRITE_README=1 test_rewrite --source-file="*of_bytes.cpp" writes it.
TEST_CASE("cases of floats are cases of bytes, or there is a reason") {
  const fs::path readme =
      fs::path(__FILE__).parent_path().parent_path().parent_path() / "include/ctnn/rewrite/README.md";
  check_section(readme, "Rules of floats between bytes", table(), 1);
}
