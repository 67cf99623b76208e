// SPDX-License-Identifier: BSL-1.0
// Networks of signals by firmware's kernels, which see images of one row: bit by bit those of such images.
#define CTNN_PLAIN
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;

namespace {

struct signals
    : nn::network<
          nn::input<"x", nn::shape<3, 40>>, nn::conv1d<"c1", nn::out<8>, nn::kernel<5>, nn::stride<2>, nn::pad<2>>,
          nn::relu<"r1">, nn::conv1d<"c2", nn::out<8>, nn::kernel<3>, nn::dilation<2>, nn::pad<2>, nn::groups<8>>,
          nn::add<"sum", nn::from<"c2", "r1">>, nn::tanh_activation<"r2">, nn::conv1d<"c3", nn::out<6>, nn::kernel<1>>,
          nn::prelu<"slopes", nn::axis<0>>, nn::max_pool1d<"maxima", nn::kernel<3>, nn::stride<2>, nn::pad<1>>,
          nn::conv_transpose1d<"up", nn::out<5>, nn::kernel<4>, nn::stride<3>>,
          nn::avg_pool1d<"means", nn::kernel<4>>> {};
struct rows
    : nn::network<nn::input<"x", nn::shape<3, 1, 40>>,
                  nn::conv2d<"c1", nn::out<8>, nn::kernel<1, 5>, nn::stride<1, 2>, nn::pad<0, 2>>, nn::relu<"r1">,
                  nn::conv2d<"c2", nn::out<8>, nn::kernel<1, 3>, nn::dilation<1, 2>, nn::pad<0, 2>, nn::groups<8>>,
                  nn::add<"sum", nn::from<"c2", "r1">>, nn::tanh_activation<"r2">,
                  nn::conv2d<"c3", nn::out<6>, nn::kernel<1>>, nn::prelu<"slopes">,
                  nn::max_pool2d<"maxima", nn::kernel<1, 3>, nn::stride<1, 2>, nn::pad<0, 1>>,
                  nn::conv_transpose2d<"up", nn::out<5>, nn::kernel<1, 4>, nn::stride<1, 3>>,
                  nn::avg_pool2d<"means", nn::kernel<1, 4>>> {};

template <class Net>
std::vector<float> answer() {
  nn::ir::test::random_weights numbers;
  std::vector<nn::named_weight> given;
  for (const nn::ir::expression& e : nn::ir::declared_graph<Net>.expressions)
    if (!e.type) given.push_back({e.layer, e.name, numbers.of(e)});
  static nn::parameters<nn::optimized<Net>> folded{nn::zeros};
  REQUIRE(!nn::load_folded<Net>(folded, given).found);
  static nn::engine<nn::optimized<Net>> engine(folded);
  const auto x = nn::ir::test::random_inputs(nn::ir::declared_graph<Net>);
  const float* const in[] = {x[0].data()};
  engine.run(in);
  const auto y = engine.template output<0>();
  return {y.begin(), y.end()};
}

template <class Net>
inline constexpr std::size_t nodes_of = nn::ir::declared_graph<nn::optimized<Net>>.nodes.size();
static_assert(nodes_of<signals> == nodes_of<rows>);
// Nothing is kept or moved for the one that the other does without.
static_assert(nn::arena_bytes<nn::optimized<signals>> == nn::arena_bytes<nn::optimized<rows>>);

}  // namespace

TEST_CASE("firmware computes signals as images of one row") { CHECK(answer<signals>() == answer<rows>()); }
