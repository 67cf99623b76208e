// SPDX-License-Identifier: BSL-1.0
// The compiler and the running program make the same graph, node for node, expression for expression.
#include <doctest/doctest.h>

#include <ctnn/network/lift.hpp>

#include "support/builder.hpp"

namespace nn = ctnn;

namespace {

template <class Net>
void check_both() {
  nn::ir::lowering l;
  nn::ir::lower(Net::network_type::flat(), l);
  REQUIRE(!l.error);
  CHECK(nn::ir::test::identical(l.g.view(), nn::ir::declared_graph<Net>));
  const nn::ir::optimization o = nn::ir::optimize(static_cast<nn::ir::graph&&>(l.g), nn::default_rules::records);
  CHECK(o.broken_rule == "");
  CHECK(nn::ir::test::identical(o.g.view(), nn::ir::optimized_graph<Net>));
  // And lifted to a type and lowered again it is the same network.
  nn::ir::lowering again;
  nn::ir::lower(nn::optimized<Net>::network_type::flat(), again);
  CHECK(nn::ir::test::same_structure(again.g.view(), o.g.view()));
}

using plain =
    nn::network<nn::input<"x", nn::shape<3, 9, 9>>, nn::conv2d<"c1", nn::out<4>, nn::kernel<3>>, nn::batch_norm<"b1">,
                nn::relu<"r1">, nn::conv2d<"c2", nn::out<4>, nn::kernel<3>, nn::no_bias>, nn::scale<"s2">,
                nn::clip<"r2", -1, 1>, nn::flatten<"f1">, nn::reshape<"f2", nn::shape<4, 25>>, nn::flatten<"f3">,
                nn::linear<"fc", nn::out<3>>, nn::softmax<"p">>;
using branches = nn::network<nn::input<"x", nn::shape<4, 8, 8>>, nn::conv2d<"a", nn::out<4>, nn::kernel<1>>,
                             nn::relu<"ra">, nn::conv2d<"b", nn::from<"x">, nn::out<4>, nn::kernel<3>, nn::pad<1>>,
                             nn::batch_norm<"bb">, nn::add<"sum", nn::from<"bb", "ra">>, nn::relu<"rs">,
                             nn::max_pool2d<"mp", nn::kernel<3>, nn::stride<2>, nn::ceil_mode>,
                             nn::avg_pool2d<"ap", nn::from<"rs">, nn::kernel<3>, nn::stride<2>, nn::ceil_mode>,
                             nn::concat<"cat", nn::from<"mp", "ap">>, nn::split<"sp", nn::sizes<3, 5>>,
                             nn::adaptive_avg_pool2d<"g0", nn::from<"sp.0">>, nn::flatten<"f0">,
                             nn::permute<"pe", nn::from<"sp.1">, nn::order<1, 2, 0>>,
                             nn::permute<"pe2", nn::order<2, 0, 1>>, nn::constant<"k", nn::shape<5, 1, 1>>,
                             nn::mul<"scaled", nn::from<"pe2", "k">>, nn::output<"f0", "scaled", "cat">>;
using sums =
    nn::network<nn::input<"x", nn::shape<2, 4>>, nn::weighted_sum<"w", nn::from<"x", "x">, nn::coefficients<1, 1>>,
                nn::leaky_relu<"l", 0.25>, nn::constant<"k", nn::shape<2, 4>>, nn::constant<"m", nn::shape<2, 4>>,
                nn::add<"km", nn::from<"k", "m">>, nn::tanh_activation<"t">, nn::sub<"d", nn::from<"l", "t">>,
                nn::slice<"s", nn::axis<1>, nn::start<1>, nn::end<3>>, nn::prelu<"pr", nn::axis<0>>, nn::elu<"e", 1>>;
using turned =
    nn::network<nn::input<"x", nn::shape<6, 4, 4>>, nn::conv2d<"c", nn::out<6>, nn::kernel<1>>,
                nn::permute<"to", nn::order<1, 2, 0>>, nn::constant<"b", nn::shape<6>>,
                nn::add<"sum", nn::from<"to", "b">>, nn::constant<"k", nn::shape<4, 1, 6>>,
                nn::sub<"less", nn::from<"sum", "k">>, nn::softmax<"s">,
                nn::slice<"cut", nn::axis<0>, nn::start<1>, nn::end<3>>, nn::permute<"back", nn::order<2, 0, 1>>,
                nn::reshape<"table", nn::shape<3, 2, 8>>, nn::slice<"column", nn::axis<1>, nn::start<1>, nn::end<2>>,
                nn::reshape<"odd", nn::shape<3, 2, 4>>>;
/// More entries than one constant lowers: groups, a shortcut and a layer of several outputs are open in between, and a
/// name of the first constant is read in the last.
using deep = nn::network<
    nn::input<"x", nn::shape<4, 3, 3>>, nn::relu<"first">, nn::split<"halves", nn::sizes<2, 2>>,
    nn::concat<"whole", nn::from<"halves.1", "halves.0">>,
    nn::repeat<"blocks", 60,
               nn::residual<"sum", nn::shortcut<"side", nn::sigmoid<"gate">>, nn::scale<"norm", nn::axis<0>>,
                            nn::relu<"act">>>,
    nn::mul<"product", nn::from<"blocks", "first">>, nn::split<"last", nn::sizes<2, 2>>,
    nn::add<"end", nn::from<"last.0", "halves.1">>>;

}  // namespace

TEST_CASE("more entries than one constant lowers") {
  REQUIRE(deep::flat().size() > 3 * nn::ir::detail::entries_at_once);
  check_both<deep>();
}
TEST_CASE("a plain network") { check_both<plain>(); }
TEST_CASE("branches, split, several outputs") { check_both<branches>(); }
TEST_CASE("sums, constants, slices") { check_both<sums>(); }
TEST_CASE("between permutes") {
  check_both<turned>();
  int permutes = 0;
  for (const nn::ir::node& n : nn::ir::optimized_graph<turned>.nodes)
    permutes += n.type == &nn::ir::type_of<nn::op::permute>;
  CHECK(permutes == 0);
}
