// SPDX-License-Identifier: BSL-1.0
// A network of one's own with the weights that `ctnn header --weights` wrote by their names.
#include <ctnn.hpp>

#include "board/compare.hpp"
#include "weights.hpp"

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<2>>, nn::relu<"positive">> {};
nn::arena<nn::optimized<net>> memory;
constexpr auto folded = nn::fold<net, weights_net>();
constinit nn::engine<nn::optimized<net>, nn::shared_arena> run{folded, memory};

int main() {
  const float x[]{1, 2, 3, 4}, expected[]{30.5f, 0};
  return board::differences("positive", run(x), expected, 0);
}
