// SPDX-License-Identifier: BSL-1.0
// Weights that are computed by the network itself, or fed: the same numbers as with weights of the layer's own.
#include <doctest/doctest.h>

#include <algorithm>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

#include "../support/numbers.hpp"

namespace nn = ctnn;

namespace {

struct own
    : nn::network<nn::input<"x", nn::shape<3, 9, 10>>, nn::conv2d<"conv", nn::out<5>, nn::kernel<3>, nn::pad<1>>> {};
/// A slot is a bit: 1 for the weight, 2 for the bias.
struct fed : nn::network<
    nn::input<"x", nn::shape<3, 9, 10>>, nn::input<"w", nn::shape<5, 3, 3, 3>>, nn::input<"b", nn::shape<5>>,
    nn::conv2d<"conv", nn::from<"x", "w", "b">, nn::out<5>, nn::kernel<3>, nn::pad<1>, nn::given<3>>> {};
/// The weight is a sum of two inputs, the bias the layer's own.
struct computed : nn::network<
    nn::input<"x", nn::shape<2, 7>>, nn::input<"u", nn::shape<20, 7>>, nn::input<"v", nn::shape<20, 7>>,
    nn::add<"w", nn::from<"u", "v">>, nn::linear<"fc", nn::from<"x", "w">, nn::out<20>, nn::given<1>>> {};

constexpr std::array<nn::named_weight, 0> nothing{};

}  // namespace

TEST_CASE("a convolution with weights that are inputs") {
  const auto x = ctnn::ir::test::random_floats("x", 3 * 9 * 10, -1, 1),
             w = ctnn::ir::test::random_floats("w", 5 * 27, -1, 1), b = ctnn::ir::test::random_floats("b", 5, -1, 1);
  static nn::parameters<own> weights{nn::zeros};
  const nn::named_weight given[] = {{"conv", "weight", w}, {"conv", "bias", b}};
  REQUIRE_FALSE(nn::load(weights, given).found);
  static nn::parameters<fed> none;
  for (nn::target_id t : nn::supported_targets()) {
    nn::engine<own> by_own{weights, t};
    nn::engine<fed> by_input{none, t};
    const float* const one[] = {x.data()};
    const float* const all[] = {x.data(), w.data(), b.data()};
    by_own.run(one);
    by_input.run(all);
    CHECK(std::ranges::equal(by_own.output<0>(), by_input.output<0>()));
  }
}

TEST_CASE("a linear layer whose weight is computed") {
  const auto x = ctnn::ir::test::random_floats("x", 14, -1, 1), u = ctnn::ir::test::random_floats("u", 140, -1, 1),
             v = ctnn::ir::test::random_floats("v", 140, -1, 1), b = ctnn::ir::test::random_floats("b", 20, -1, 1);
  static nn::parameters<computed> weights{nn::zeros};
  const nn::named_weight given[] = {{"fc", "bias", b}};
  REQUIRE_FALSE(nn::load(weights, given).found);
  nn::engine<computed> run{weights};
  const float* const all[] = {x.data(), u.data(), v.data()};
  run.run(all);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t o = 0; o < 20; ++o) {
      float sum = b[o];
      for (std::size_t k = 0; k < 7; ++k) sum += x[n * 7 + k] * (u[o * 7 + k] + v[o * 7 + k]);
      CHECK(run.output<0>()[n * 20 + o] == doctest::Approx(sum));
    }
}

TEST_CASE("the definition runs them as well") {
  constexpr float x[] = {1, 2}, w[] = {3, 4, 5, 6};
  using net = nn::network<nn::input<"x", nn::shape<2>>, nn::input<"w", nn::shape<2, 2>>,
                          nn::linear<"fc", nn::from<"x", "w">, nn::out<2>, nn::no_bias, nn::given<1>>>;
  static_assert(nn::constant_run<net, nothing>(x, w) == std::array<float, 2>{11, 17});
}

namespace {

/// Windows over one axis and over three run by their definition, with weights that are inputs as well.
struct signal : nn::network<nn::input<"x", nn::shape<3, 19>>, nn::input<"w", nn::shape<4, 3, 5>>,
                            nn::input<"v", nn::shape<4, 2, 3>>,
                            nn::conv1d<"conv", nn::from<"x", "w">, nn::out<4>, nn::kernel<5>, nn::dilation<2>,
                                       nn::pad<8, 0>, nn::no_bias, nn::given<1>>,
                            nn::conv_transpose1d<"up", nn::from<"conv", "v">, nn::out<2>, nn::kernel<3>, nn::stride<2>,
                                                 nn::no_bias, nn::given<1>, nn::fused<nn::function::relu>>> {};
struct volume : nn::network<nn::input<"x", nn::shape<2, 4, 5, 6>>, nn::input<"w", nn::shape<4, 1, 2, 3, 2>>,
                            nn::conv3d<"conv", nn::from<"x", "w">, nn::out<4>, nn::kernel<2, 3, 2>, nn::groups<2>,
                                       nn::pad<1>, nn::no_bias, nn::given<1>>> {};

template <class Net, class... Inputs>
void same_as_definition(const Inputs&... inputs) {
  static nn::parameters<Net> none;
  const auto want = nn::constant_run<Net, nothing>(inputs...);
  for (nn::target_id t : nn::supported_targets()) {
    nn::engine<Net> run{none, t};
    const float* const all[] = {inputs.data()...};
    run.run(all);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(run.template output<0>()[i] == doctest::Approx(want[i]));
  }
}

}  // namespace

TEST_CASE("causal and transposed convolutions of signals, and convolutions of volumes") {
  using ctnn::ir::test::random_floats;
  same_as_definition<signal>(random_floats("x", 57, -1, 1), random_floats("w", 60, -1, 1),
                             random_floats("v", 24, -1, 1));
  same_as_definition<volume>(random_floats("x", 240, -1, 1), random_floats("w", 48, -1, 1));
}
