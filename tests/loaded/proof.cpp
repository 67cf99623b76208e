// SPDX-License-Identifier: BSL-1.0
// What is proved of a loaded network (loaded/proof/network.hpp): all by right rules, and by a wrong one nothing, which
// is named while the others' rewrites are proved.
#include <doctest/doctest.h>

#include <string>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/loaded/proof/network.hpp>
#include <ctnn/rewrite/rules.hpp>

using namespace ctnn;

namespace {

/// Takes the first relu behind a pooling away.
struct forgets_relu {
  static constexpr ir::rule_info info{"forgets_relu", "pool > relu -> pool", ir::lowers::nodes, ir::numerics::exact};
  using pattern = ir::edge<op::pool, op::activation>;
  static constexpr void rewrite(ir::rewriter& r, const ir::match& m) { r.bypass(m.last, r.output(m.first)); }
};
using wrong_rules = joined_rules<default_rules, rule_list<forgets_relu>>;

loaded_model small_model() {
  const std::string text =
      "7767517\n7 7\nInput x 0 1 x 0=8 1=8 2=2\n"
      "Convolution conv0 1 1 x conv0 0=4 1=3 4=1 5=1 6=72\nTanH tanh0 1 1 conv0 tanh0\n"
      "Convolution conv1 1 1 tanh0 conv1 0=4 1=3 4=1 5=1 6=144\nTanH tanh1 1 1 conv1 tanh1\n"
      "Pooling pool 1 1 tanh1 pool 0=1 1=2 2=2\nReLU relu 1 1 pool relu\n";
  const ncnn::param_file file = ncnn::parse_param(text, "small.param", {});
  ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
  return ncnn::build(file, zeros);
}

}  // namespace

TEST_CASE("ctnn's rules are proved on a loaded network, whatever its weights are") {
  loaded_model m = small_model();
  const network_proof p = ir::prove(m, default_rules::records);
  CHECK(p);
  CHECK(p.rewrites > 1);
  CHECK(p.others.empty());
}

TEST_CASE("a rule that changes numbers is named, and what the others do is proved") {
  loaded_model m = small_model();
  const network_proof p = ir::prove(m, rule_list<forgets_relu>::records);
  CHECK(p);
  CHECK(p.rewrites == 0);
  REQUIRE(p.others.size() == 1);
  CHECK(p.others[0].name == "forgets_relu");
  const std::string why = p.others[0].why;
  CAPTURE(why);
  CHECK(why.find("layer 'relu'") != why.npos);

  const network_proof all = ir::prove(m, wrong_rules::records);
  CHECK(all);
  CHECK(all.rewrites > 1);
}

TEST_CASE("rules that are checked by running alone say why") {
  loaded_model m = small_model();
  std::vector<ir::rule_record> rules(default_rules::records.begin(), default_rules::records.end());
  for (ir::rule_record& r : rules)
    if (r.info.name == "fuse_activation") r.info.proof = ir::proved_by::running, r.info.unproved = "a reason";
  const network_proof p = ir::prove(m, rules);
  CHECK(p);
  REQUIRE(p.others.size() == 1);
  CHECK(p.others[0].name == "fuse_activation");
  CHECK(p.others[0].why == "a reason");
}
