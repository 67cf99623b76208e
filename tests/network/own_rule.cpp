// SPDX-License-Identifier: BSL-1.0
// Rules of one's own for declared networks: operators that only a rule makes, and rules that change no number.
#include <ctnn/network/lift.hpp>
#include <doctest/doctest.h>

#include <concepts>

namespace nn = ctnn;

namespace {

/// relu(x) / 2, which nobody has told ctnn of but the rule that makes it.
struct half_relu {
  static constexpr std::string_view name = "half_relu";
  static constexpr void fields(auto&, auto&&) {}
  constexpr nn::problem infer(nn::ir::inputs in, nn::ir::outputs out) const {
    out[0] = in[0];
    return {};
  }
};
struct times_half {
  using of = nn::op::binary;
  static constexpr std::string_view why_not(const nn::op::binary& b) {
    return b.function == nn::op::binary_function::mul && b.scalar && *b.scalar == 0.5f ? ""
                                                                                       : "it is not a product with 0.5";
  }
};
struct relu_and_half {
  static constexpr nn::ir::rule_info info{"relu_and_half", "relu(x) * 0.5 -> half_relu(x)", nn::ir::lowers::nodes,
                                          nn::ir::numerics::exact};
  struct match {
    nn::ir::node_id product = nn::ir::none, bent = nn::ir::none;
    nn::ir::value_id x = nn::ir::none;
  };
  using pattern = nn::ir::find::node<
      times_half, &match::product,
      nn::ir::find::alone<nn::ir::find::node<nn::op::activation, &match::bent, nn::ir::find::value<&match::x>>>>;
  static constexpr void rewrite(nn::ir::rewriter& r, const match& m) {
    r.fuse(m.bent, m.product, half_relu{}, {&m.x, 1}, {});
  }
};
struct mine : nn::joined_rules<nn::rule_list<relu_and_half>, nn::default_rules> {};

using net = nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"r">, nn::mul<"half", nn::scalar<0.5>>>;
static_assert(
    std::same_as<nn::optimized<net, mine>, nn::network<nn::input<"x", nn::shape<4>>, nn::layer<half_relu, "r">>>);

// A sum of squares under a root: the rule reorders sums, so exact_rules leave it alone.
using root_mean_square = nn::network<
    nn::input<"x", nn::shape<3, 8>>, nn::unary<"square", nn::function::square>,
    nn::layer<nn::op::reduce, "mean", nn::option<"function", nn::op::reduction::mean>, nn::option<"axes", -1>>,
    nn::add<"eps", nn::scalar<0.00001>>, nn::unary<"root", nn::function::sqrt>, nn::divide<"y", nn::from<"x", "root">>>;
static_assert(nn::optimized<root_mean_square>::size == 2 && nn::optimized<root_mean_square>::has<"y">);
static_assert(nn::optimized<root_mean_square, nn::exact_rules>::size == 6);

}  // namespace

TEST_CASE("a rule's own operator needs no other mention") { CHECK(nn::optimized<net, mine>::size == 2); }
