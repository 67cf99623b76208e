// SPDX-License-Identifier: BSL-1.0
// One set of packed weights for the network itself, for several samples and for a stream.
#include <doctest/doctest.h>

#include <type_traits>

#include <ctnn/ctnn.hpp>

#include "support/run_both.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

// clang-format off

using net = nn::network<
    nn::input<"x", nn::shape<2, 8>>,
    nn::constant_pad<"past", nn::before<0, 2>, nn::after<0, 0>>, nn::conv1d<"conv", nn::out<3>, nn::kernel<3>>,
    nn::batch_norm<"norm", nn::axis<0>>, nn::tanh_activation<"act">, nn::conv1d<"head", nn::out<1>, nn::kernel<1>>>;
using other = nn::network<
    nn::input<"x", nn::shape<2, 8>>,
    nn::conv1d<"conv", nn::out<3>, nn::kernel<3>>, nn::conv1d<"head", nn::out<1>, nn::kernel<1>>>;

// clang-format on

using fused = nn::optimized<net>;
using eight = nn::batched<fused, 8>;
using stream = nn::stateful<fused, 1>;

template <class Net, class One>
constexpr bool takes = std::is_constructible_v<nn::engine<Net>, nn::parameters<One>&>;

}  // namespace
static_assert(takes<fused, fused> && takes<eight, fused> && takes<nn::optimized<eight>, fused> && takes<stream, fused>);
static_assert(takes<nn::stateful<fused>, fused> && takes<nn::stateful<net, 4>, net> && takes<nn::batched<net, 2>, net>);
static_assert(!takes<fused, net> && !takes<net, fused> && !takes<other, net> && !takes<stream, net> &&
              !takes<fused, stream> && !takes<stream, nn::optimized<other>>);

TEST_CASE("three engines with one set of weights") {
  nn::ir::test::made_up_weights numbers;
  static nn::parameters<fused> weights{nn::zeros};
  REQUIRE(!nn::load_folded<net>(weights, nn::ir::test::weights_of_network<net>(numbers)).found);
  static nn::engine<fused> one{weights};
  static nn::engine<eight> many{weights};
  static nn::engine<stream> step{weights};
  const floats x = nn::ir::test::random_floats("x", 8 * 16);
  const auto all = many(std::span<const float, 128>(x.data(), 128));
  for (std::size_t n = 0; n < 8; ++n, step.reset()) {
    const auto want = one(std::span<const float, 16>(x.data() + 16 * n, 16));
    for (std::size_t t = 0; t < 8; ++t) {
      CHECK(all[8 * n + t] == doctest::Approx(want[t]).epsilon(1e-5));
      const float sample[] = {x[16 * n + t], x[16 * n + 8 + t]};
      CHECK(step(sample)[0] == doctest::Approx(want[t]).epsilon(1e-5));
    }
  }
}
