// SPDX-License-Identifier: BSL-1.0
// Rules without rounding (loaded/proof/): every case of a rule proves it, but for those of rules that say why not; a
// wrong rule is found, however little it changes.
#include <map>

#include <ctnn/loaded/proof/prove.hpp>

#include "support/random_graph.hpp"
#include "support/rule_cases.hpp"
#include "support/seeds.hpp"

namespace ctnn::ir::test {
namespace {

using field::residue;

static_assert(residue(0.5f) * residue(2) == residue(1));
static_assert(residue(1 / 6.0f) * residue(6) == residue(1));
static_assert(residue(0.1f) * residue(0.2f) == residue(0.02f));
static_assert(residue(0.5f * (1 + 1e-6f)) != residue(0.5f));
static_assert(residue(-3) + residue(3) == residue(0));
static_assert(residue(1234567) / residue(7654321) * residue(7654321) == residue(1234567));
static_assert(residue(residue::prime - 1) * residue(residue::prime - 1) == residue(1));
static_assert(residue(-1) < residue(0) && residue(0) < residue(0.25f) && residue(0.25f) < residue(6));
static_assert(residue(1e30f) < std::numeric_limits<residue>::infinity());
static_assert(std::numeric_limits<residue>::lowest() < residue(-1e30f));

/// Sums and products in another order, off by a millionth: no test with a tolerance sees it.
struct nearly_merged {
  static constexpr rule_info info{"nearly_merged", "x * a * b -> x * ab", lowers::nodes, numerics::reassociates};
  using pattern = chain<op::binary, op::binary>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto both = r.get<op::binary>(m.last);
    both.scalar = *both.scalar * *r.get<op::binary>(m.first).scalar * (1 + 1e-6f);
    r.fuse(m.first, m.last, both, r.inputs_of(m.first), {});
  }
};

ctnn::proof prove_rewritten(recipe before, span<const rule_record> rules) {
  builder b;
  before(b);
  const optimization o = optimize(thaw(b.g.view()), rules);
  CHECK(o.applied > 0);
  return prove(b.g.view(), o.g.view());
}
ctnn::proof prove_same(recipe before, recipe after) {
  builder a, b;
  before(a);
  after(b);
  return prove(a.g.view(), b.g.view());
}
bool looks_same(recipe before, recipe after) {
  builder a, b;
  before(a);
  after(b);
  random_weights weights;
  return difference(reference_outputs(a.g.view(), weights), reference_outputs(b.g.view(), weights)).empty();
}

using enum op::binary_function;
constexpr auto two_factors = [](builder& b) {
  b.output("", b.scalar("second", mul, b.scalar("first", mul, b.input("x", {3, 4}), 3), 0.25f));
};
constexpr auto one_factor = [](builder& b) {
  b.output("", b.scalar("second", mul, b.input("x", {3, 4}), 0.75f * (1 + 1e-6f)));
};
constexpr auto bounded = [](builder& b) { b.output("", b.apply("y", b.input("x", {40}), function::clip, -6, 6)); };
constexpr auto unbounded = [](builder& b) { b.output("", b.input("x", {40})); };
template <int Slope>
constexpr auto slope_before = [](builder& b) {
  const value_id y = b.apply("f", b.input("x", {2, 4, 6}), function::leaky_relu, Slope);
  b.output("", b.add(op::adaptive_pool{op::pooling::max}, "pool", {y}));
};
template <int Slope>
constexpr auto slope_after = [](builder& b) {
  const value_id y = b.add(op::adaptive_pool{op::pooling::max}, "pool", {b.input("x", {2, 4, 6})});
  b.output("", b.apply("f", y, function::leaky_relu, Slope));
};

}  // namespace
}  // namespace ctnn::ir::test

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("every rule is proved by its cases, or says why it is checked by running") {
  struct cases {
    int proved = 0, by_order = 0, others = 0;
    std::string what{};
  };
  std::map<rule_number, cases> of_rules;
  for (const covered_rule& c : covered_rules()) {
    if (!c.fires) continue;
    const ctnn::proof p = prove_rewritten(c.before, {&default_rule_records()[c.rule], 1});
    cases& n = of_rules[c.rule];
    const rule_info& info = default_rule_records()[c.rule].info;
    CAPTURE(info.name);
    CAPTURE(p.what);
    if (p) ++(p.result == proof_result::order ? n.by_order : n.proved);
    else ++n.others;
    n.what += p.what.empty() ? "" : p.what + "; ";
    // Only elements and operators are no algebra; rules that check by running may do more than is known of a field.
    if (info.proof != proved_by::running) CHECK(p.result != proof_result::differs);
  }
  for (const auto& [rule, n] : of_rules) {
    const rule_info& info = default_rule_records()[rule].info;
    const cases all = n;
    CAPTURE(info.name);
    CAPTURE(all.what);
    CHECK(info.unproved.empty() == (info.proof != proved_by::running));
    switch (info.proof) {
      case proved_by::algebra:
        CHECK(all.proved > 0);
        CHECK(all.by_order == 0);
        break;
      case proved_by::order: CHECK(all.by_order > 0); break;
      case proved_by::running: CHECK(all.others > 0); break;
    }
  }
}

TEST_CASE("what the rules make of random graphs is proved") {
  std::map<proof_result, int> results;
  std::vector<rule_record> provable;
  for (const rule_record& r : default_rule_records())
    if (r.info.proof != proved_by::running) provable.push_back(r);
  for (const std::uint64_t seed : seeds(0, 1000)) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 20), seed % 4 == 3);
    const graph_view before = made.g.view();
    // Without the rules that no field knows.
    const optimization o = optimize(thaw(before), provable);
    const ctnn::proof p = prove(before, o.g.view());
    CAPTURE(p.what);
    ++results[p.result];
    CHECK(p);
  }
  CHECK(results[proof_result::algebra] > results[proof_result::order]);
}

TEST_CASE("a rule that is wrong by less than a tolerance is found") {
  CHECK(looks_same(two_factors, one_factor));
  const ctnn::proof p = prove_rewritten(two_factors, rule_list<nearly_merged>::records);
  CHECK(p.result == proof_result::differs);
  CHECK(p.what == "number 0 of output ''");
  CHECK(prove_rewritten(two_factors, default_rule_records()).result == proof_result::algebra);
}

TEST_CASE("bounds that the numbers of a test stay within are found") {
  CHECK(looks_same(bounded, unbounded));
  CHECK(prove_same(bounded, unbounded).result == proof_result::differs);
}

TEST_CASE("the order of real numbers proves what needs it, and no more") {
  CHECK(prove_same(slope_before<2>, slope_after<2>).result == proof_result::order);
  CHECK(prove_same(slope_before<-2>, slope_after<-2>).result == proof_result::differs);
}

TEST_CASE("operators without a definition are unknown functions") {
  constexpr auto half_of_sum = [](builder& b) {
    const value_id x = b.input("x", {3}), y = b.input("y", {3});
    b.output("", b.add(op::cast{dtype::f16}, "half", {b.sum("sum", x, y)}));
  };
  constexpr auto half_of_same_sum = [](builder& b) {
    const value_id x = b.input("x", {3}), y = b.input("y", {3});
    b.output("", b.add(op::cast{dtype::f16}, "half", {b.sum("sum", y, x)}));
  };
  constexpr auto half_of_one = [](builder& b) {
    const value_id x = b.input("x", {3});
    b.input("y", {3});
    b.output("", b.add(op::cast{dtype::f16}, "half", {x}));
  };
  CHECK(prove_same(half_of_sum, half_of_same_sum).result == proof_result::algebra);
  CHECK(prove_same(half_of_sum, half_of_one).result == proof_result::differs);
}

TEST_CASE("layers of integers are unknown functions, and a rule about them is not proved") {
  constexpr auto twice = [](builder& b) {
    op::input x{list<int>({3})};
    x.type = dtype::i32;
    b.output("", b.scalar("twice", op::binary_function::mul, b.add(x, "x", {}), 2));
  };
  constexpr auto sum = [](builder& b) {
    op::input x{list<int>({3})};
    x.type = dtype::i32;
    const value_id of = b.add(x, "x", {});
    b.output("", b.sum("sum", of, of));
  };
  CHECK(prove_same(twice, twice).result == proof_result::algebra);
  const ctnn::proof p = prove_same(twice, sum);
  CHECK(p.result == proof_result::not_algebra);
  CHECK(p.what == "layer 'twice' reads elements of type i32");
}
