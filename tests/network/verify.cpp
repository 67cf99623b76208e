// SPDX-License-Identifier: BSL-1.0
// verify() of declared networks: right rules pass, and a rule that changes numbers is named.
#include <doctest/doctest.h>

#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/verify.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
namespace ir = ctnn::ir;

namespace {

/// Takes relu away wherever it stands behind a convolution.
struct forgets_relu {
  static constexpr ir::rule_info info{"forgets_relu", "conv2d > relu -> conv2d", ir::lowers::nodes,
                                      ir::numerics::exact};
  using pattern = ir::edge<nn::op::conv2d, nn::op::activation>;
  static constexpr void rewrite(ir::rewriter& r, const ir::match& m) { r.bypass(m.last, r.output(m.first)); }
};
using wrong_rules = nn::joined_rules<nn::rule_list<forgets_relu>, nn::default_rules>;

using net = nn::network<nn::input<"x", nn::shape<3, 8, 8>>, nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>, nn::pad<1>>,
                        nn::batch_norm<"bn1">, nn::relu<"relu1">, nn::dropout<"drop">,
                        nn::conv2d<"conv2", nn::out<4>, nn::kernel<1>>, nn::add<"sum", nn::from<"conv2", "relu1">>,
                        nn::relu<"relu2">, nn::flatten<"flat">, nn::linear<"fc", nn::out<5>>, nn::softmax<"prob">>;

/// Numbers for every weight, as many as there are.
struct weights {
  std::vector<std::vector<float>> numbers;
  std::vector<nn::named_weight> named;

  weights() {
    for (const ir::expression& e : ir::declared_graph<net>.expressions) {
      const bool variance = e.name == "running_var";
      numbers.push_back(ir::test::random_floats(std::string(e.layer) + std::string(e.name),
                                                e.shape.count(), variance ? 0.5f : -1, 1));
    }
    std::size_t i = 0;
    for (const ir::expression& e : ir::declared_graph<net>.expressions)
      named.push_back({e.layer, e.name, numbers[i++]});
  }
};

}  // namespace

TEST_CASE("ctnn's rules leave the numbers as they are") {
  const weights w;
  const auto x = ir::test::random_floats("x", 3 * 8 * 8, -1, 1);
  const std::span<const float> inputs[] = {x};
  const nn::verification v = nn::verify<net>(w.named, inputs);
  CHECK(v.same);
  CHECK(v.difference < 1e-5);
  CHECK(v.rule.empty());
  CHECK(ir::describe(v).starts_with("same"));
}

TEST_CASE("a rule that changes numbers is named, with its layer") {
  const weights w;
  const auto x = ir::test::random_floats("x", 3 * 8 * 8, -1, 1);
  const std::span<const float> inputs[] = {x};
  const nn::verification v = nn::verify<net, wrong_rules>(w.named, inputs);
  CHECK(!v.same);
  CHECK(v.rule == "forgets_relu");
  CHECK(v.layer == "relu1");
  CHECK(ir::describe(v).find("rule 'forgets_relu'") != std::string::npos);
}

TEST_CASE("what is missing is said") {
  const weights w;
  CHECK_THROWS_WITH_AS(nn::verify<net>(w.named, {}), "input 'x' is 3 x 8 x 8, got 0 numbers", nn::error);
  const auto x = ir::test::random_floats("x", 3 * 8 * 8, -1, 1);
  const std::span<const float> inputs[] = {x};
  CHECK_THROWS_WITH_AS(nn::verify<net>({}, inputs), "layer 'conv1': no numbers for weight weight", nn::error);
}
