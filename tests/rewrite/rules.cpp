// SPDX-License-Identifier: BSL-1.0
// Every rule has cases in this room, whose run-time halves are here.
#include <set>

#include "support/any_size.hpp"
#include "support/random_graph.hpp"
#include "support/rule_cases.hpp"
#include "support/seeds.hpp"
#include "support/typed_numbers.hpp"
#include "support/typed_random_graph.hpp"

namespace ctnn::ir::test {
namespace {

/// The numbers of a graph, of the same rewritten by one rule, and by all, agree.
template <class Numbers, class Agree>
void check_rewritten(rule_number rule, recipe before, const Numbers& numbers, const Agree& agree) {
  builder b, c;
  before(b);
  before(c);
  const std::string was = describe_graph(b.g.view());
  CAPTURE(was);
  const auto want = numbers(b.g.view());
  const rule_record& record = default_rule_records()[rule];
  const optimization one = optimize(static_cast<ir::graph&&>(b.g), {&record, 1});
  CHECK(agree(one, want, record.info.effect == numerics::exact));
  const optimization all = optimize(static_cast<ir::graph&&>(c.g), default_rule_records());
  CHECK(all.broken_rule == "");
  CHECK(agree(all, want, false));
}
void check_numbers(rule_number rule, recipe before, bool loaded) {
  if (loaded)
    return check_rewritten(rule, before, typed_outputs, [](const optimization& o, const auto& want, bool exact) {
      return agree(o.g.view(), typed_outputs(o.g.view()), want, exact, o.history);
    });
  random_weights weights;
  const auto numbers = [&](const graph_view& g) { return reference_outputs(g, weights); };
  check_rewritten(rule, before, numbers, [&](const optimization& o, const auto& want, bool) {
    const std::string off = difference(numbers(o.g.view()), want);
    CHECK(off == "");
    return off.empty();
  });
}

/// Why a rule does not apply at any node of a graph: the last near miss.
std::string what_it_says(const rule_record& rule, const graph_view& g) {
  reason said;
  rewriter r(thaw(g));
  for (node_id n = 0; n < static_cast<node_id>(g.nodes.size()); ++n)
    if (r.live(n) && rule.roots.has(r.at(n).type) && rule.apply(r, n, &said)) return "it applies";
  return std::string(said.text);
}

}  // namespace

void check_that_it_fires(rule_number rule, bool in_the_compiler, recipe before, recipe after, bool loaded) {
  const rule_record& record = default_rule_records()[rule];
  builder b, a;
  before(b);
  after(a);
  const std::string from = describe_graph(b.g.view()), wanted = describe_graph(a.g.view()),
                    made = describe_graph(optimize(static_cast<ir::graph&&>(b.g), {&record, 1}).g.view());
  CAPTURE(record.info.name);
  CAPTURE(from);
  CAPTURE(made);
  CAPTURE(wanted);
  CHECK(in_the_compiler);
  CHECK(gives(record, before, after));
  check_numbers(rule, before, loaded);
}
void check_that_it_declines(rule_number rule, bool in_the_compiler, recipe before, std::string_view why, bool loaded) {
  const rule_record& record = default_rule_records()[rule];
  builder b;
  before(b);
  const std::string from = describe_graph(b.g.view()), said = what_it_says(record, b.g.view()),
                    made = describe_graph(optimize(static_cast<ir::graph&&>(b.g), {&record, 1}).g.view());
  CAPTURE(record.info.name);
  CAPTURE(from);
  CAPTURE(made);
  CAPTURE(said);
  CAPTURE(why);
  CHECK(in_the_compiler);
  CHECK(declines(record, before, why));
  check_numbers(rule, before, loaded);
}

}  // namespace ctnn::ir::test

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("every rule fires in a test and declines in a test") {
  for (rule_number n = 0; n < default_rule_records().size(); ++n) {
    const rule_record& r = default_rule_records()[n];
    int fires = 0, declines = 0;
    for (const covered_rule& c : covered_rules())
      if (c.rule == n) ++(c.fires ? fires : declines);
    CAPTURE(r.info.name);
    CAPTURE(r.info.arrow);
    CHECK(fires > 0);
    CHECK(declines > 0);
  }
}

TEST_CASE("rules say what they are") {
  for (const rule_record& r : default_rule_records()) {
    CHECK(!r.info.name.empty());
    CHECK(r.info.arrow.find("->") != std::string_view::npos);
  }
}

TEST_CASE("rules take no number out of the range of floats, or say that they may, and then they do") {
  std::set<std::string_view> saying, leaving;
  for (const covered_rule& c : covered_rules()) {
    if (!c.fires || c.loaded) continue;
    const rule_record& rule = default_rule_records()[c.rule];
    builder b;
    c.before(b);
    const graph_view was = b.g.view();
    const optimization o = optimize(thaw(was), {&rule, 1});
    const bool says = rule.info.effect == numerics::rescales;
    if (says) saying.insert(rule.info.name);
    CAPTURE(rule.info.name);
    const std::string text_before = describe_graph(was);
    CAPTURE(text_before);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      CAPTURE(seed);
      weights_of_any_size weights(was, seed);
      const std::vector<floats> in = inputs_of_any_size(was, seed);
      const outputs_and_size want(was, weights, in);
      if (want.size > headroom) continue;
      const std::string off = left_the_floats(outputs_and_size(o.g.view(), weights, in).outputs, want.outputs);
      if (!says) CHECK(off == "");
      else if (!off.empty()) leaving.insert(rule.info.name);
    }
  }
  for (const std::string_view rule : saying) {
    CAPTURE(rule);
    CHECK(leaving.count(rule) == 1);
  }
}

TEST_CASE("exact rules are the default ones that change no number, in their order") {
  std::size_t exact = 0;
  for (const rule_record& r : default_rule_records()) {
    if (r.info.effect != numerics::exact) continue;
    REQUIRE(exact < exact_rules::records.size());
    const bool same = exact_rules::records[exact++].apply == r.apply;
    CHECK(same);
  }
  CHECK(exact == exact_rules::records.size());
  CHECK(exact < default_rule_records().size());
}

namespace {

/// Equal bits, NaNs apart.
bool same_results(const graph_view& g, const std::vector<bytes>& got, const std::vector<bytes>& want) {
  for (std::size_t o = 0; o < want.size(); ++o) {
    if (got[o] == want[o]) continue;
    if (g.at_value(g.outputs[o].value).type != dtype::f32 || got[o].size() != want[o].size()) return false;
    for (std::size_t i = 0; i < got[o].size(); i += 4) {
      float a, b;
      std::memcpy(&a, got[o].data() + i, 4);
      std::memcpy(&b, want[o].data() + i, 4);
      if (std::memcmp(&a, &b, 4) != 0 && !(a != a && b != b)) return false;
    }
  }
  return got.size() == want.size();
}
/// Can its kernels be run here?
bool has_kernels(const graph_view& g) {
  for (const node& n : g.nodes)
    if (n.type != &type_of<op::input> && n.type != &type_of<op::constant> && !find_typed_kernel(n.type)) return false;
  return true;
}

}  // namespace

TEST_CASE("exact rules keep every bit of random graphs of all element types") {
  int changed = 0, tried = 0, refused = 0;
  for (const std::uint64_t seed : seeds(0, 1500)) {
    CAPTURE(seed);
    const typed_random_graph made(seed, 2 + static_cast<int>(seed % 12));
    const graph_view was = made.g.view();
    const optimization o = optimize(thaw(was), exact_rules::records);
    REQUIRE(o.broken_rule == "");
    if (!has_kernels(was) || o.history.size() == 0) continue;
    ++tried;
    std::vector<bytes> want;
    try {
      want = typed_outputs(was);
    } catch (const error&) {  // an index that is none, more results than planned
      ++refused;
      continue;
    }
    ++changed;
    const std::string before = describe_graph(was), after = describe_graph(o.g.view());
    CAPTURE(before);
    CAPTURE(after);
    CHECK(same_results(o.g.view(), typed_outputs(o.g.view()), want));
  }
  MESSAGE(changed << " graphs compared, of " << refused << " operators refuse the numbers");
  CHECK(changed > tried / 2);
}

TEST_CASE("the rules keep the numbers of random graphs of all element types, bytes but for a step") {
  int tried = 0;
  std::string others;  // where what lay between two numbers was rounded the other way, and that again
  int off = 0;
  for (const std::uint64_t seed : seeds(0, 1500)) {
    const typed_random_graph made(seed, 2 + static_cast<int>(seed % 12));
    const graph_view was = made.g.view();
    const optimization o = optimize(thaw(was), default_rule_records());
    if (!has_kernels(was) || !has_kernels(o.g.view()) || o.history.size() == 0) continue;
    std::vector<bytes> want;
    try {
      want = typed_outputs(was);
    } catch (const error&) {
      continue;
    }
    ++tried;
    if (agree(o.g.view(), typed_outputs(o.g.view()), want, false, o.history)) continue;
    ++off;
    others += ' ' + std::to_string(seed);
  }
  MESSAGE(tried << " graphs compared");
  CAPTURE(others);
  // Also where a GELU that is spelled out cancels near 0, or its bits are read.
  CHECK(off <= tried / 500);
}

TEST_CASE("random graphs have every operator, and every rule fires in them") {
  std::set<const operator_type*> seen;
  std::set<std::string_view> fired;
  const auto rewrite = [&](const graph_view& g) {
    const optimization o = optimize(thaw(g), default_rule_records());
    CHECK(o.broken_rule == "");
    for (const rewrite_step& s : o.history) fired.insert(s.rule);
    for (const graph_view& made : {g, o.g.view()})
      for (const node& n : made.nodes) seen.insert(n.type);
  };
  for (const std::uint64_t seed : seeds(0, 20000)) {
    CAPTURE(seed);
    rewrite(random_graph(seed, 4 + static_cast<int>(seed % 20), seed % 4 == 3).g.view());
    rewrite(typed_random_graph(seed, 2 + static_cast<int>(seed % 12)).g.view());
  }
  std::string never;
  for (const rule_record& r : default_rule_records())
    // Weights that are large enough to stay packed are none of random graphs', nor are halves that expansions round.
    if (!fired.contains(r.info.name) && r.info.name != "keep_packed" && r.info.name != "rounding_between")
      never += ' ' + std::string(r.info.name);
  const auto all = []<class... Ops>(operator_list<Ops...>) {
    return std::vector<const operator_type*>{&type_of<Ops>...};
  }(all_operators{});
  for (const operator_type* t : all)
    if (!seen.contains(t)) never += ' ' + std::string(t->name);
  CHECK(never == "");
}
