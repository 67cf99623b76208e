// SPDX-License-Identifier: BSL-1.0
// Convolutions over one axis in declared networks: fused, on the kernels of images, against the definition.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

#include "../support/numbers.hpp"

namespace nn = ctnn;

namespace {

struct audio : nn::network<nn::input<"x", nn::shape<2, 40>>,
                           nn::conv1d<"c1", nn::out<8>, nn::kernel<5>, nn::pad<2>, nn::no_bias>,
                           nn::batch_norm<"bn", nn::axis<0>>, nn::relu<"r1">,
                           nn::conv1d<"c2", nn::out<6>, nn::kernel<3>, nn::stride<2>, nn::dilation<2>>,
                           nn::tanh_activation<"r2">, nn::flatten<"flat">, nn::linear<"fc", nn::out<3>>> {};
using fused = nn::optimized<audio>;
static_assert(std::same_as<
              fused, nn::network<nn::input<"x", nn::shape<2, 40>>, nn::reshape<"x.image", nn::shape<2, 1, 40>>,
                                 nn::conv2d<"c1", nn::out<8>, nn::kernel<1, 5>, nn::pad<0, 2>,
                                            nn::fused<nn::function::relu>>,
                                 nn::conv2d<"c2", nn::out<6>, nn::kernel<1, 3>, nn::stride<1, 2>, nn::dilation<1, 2>,
                                            nn::fused<nn::function::tanh>>,
                                 nn::linear<"fc", nn::out<3>, nn::axes<3>>>>);

/// WaveNet's: two convolutions of one value, gated, a skip connection; then back to more samples.
struct gated : nn::network<nn::input<"x", nn::shape<1, 4, 32>>,
                           nn::conv1d<"filter", nn::out<4>, nn::kernel<2>, nn::dilation<4>, nn::pad<4, 0>>,
                           nn::tanh_activation<"tanh">,
                           nn::conv1d<"gate", nn::from<"x">, nn::out<4>, nn::kernel<2>, nn::dilation<4>, nn::pad<4, 0>>,
                           nn::sigmoid<"sigmoid">, nn::mul<"gated", nn::from<"tanh", "sigmoid">>,
                           nn::conv1d<"mix", nn::out<4>, nn::kernel<1>>, nn::add<"skip", nn::from<"mix", "x">>,
                           nn::layer<nn::op::conv_transpose1d, "up", nn::out<2>, nn::kernel<4>, nn::stride<2>>> {};

/// Causal: zeros on the left only, by layers of their own; a batch norm before a convolution without padding.
struct causal : nn::network<nn::input<"x", nn::shape<1, 2, 20>>, nn::batch_norm<"bn", nn::axis<1>>,
                            nn::conv1d<"c1", nn::out<3>, nn::kernel<3>>, nn::relu<"r1">,
                            nn::constant_pad<"p2", nn::before<0, 0, 4>, nn::after<0, 0, 0>>,
                            nn::conv1d<"c2", nn::out<4>, nn::kernel<3>, nn::dilation<2>>> {};
static_assert(std::same_as<
              nn::optimized<causal>,
              nn::network<nn::input<"x", nn::shape<1, 2, 20>>, nn::reshape<"bn.image", nn::shape<1, 2, 1, 20>>,
                          nn::conv2d<"c1", nn::out<3>, nn::kernel<1, 3>, nn::fused<nn::function::relu>>,
                          nn::conv2d<"c2", nn::out<4>, nn::kernel<1, 3>, nn::pad<0, 4, 0, 0>, nn::dilation<1, 2>>,
                          nn::reshape<"c2.signal", nn::shape<1, 4, 18>>>>);

/// Volumes: one node.
struct volumes : nn::network<nn::input<"x", nn::shape<1, 2, 4, 5, 6>>,
                             nn::constant_pad<"p", nn::before<0, 0, 2, 0, 1>, nn::after<0, 0, 0, 1, 1>>,
                             nn::conv3d<"c", nn::out<4>, nn::kernel<3>>, nn::batch_norm<"bn">, nn::relu<"r">> {};
static_assert(std::same_as<nn::optimized<volumes>,
                           nn::network<nn::input<"x", nn::shape<1, 2, 4, 5, 6>>,
                                       nn::conv3d<"c", nn::out<4>, nn::kernel<3>, nn::pad<2, 0, 1, 0, 1, 1>,
                                                  nn::fused<nn::function::relu>>>>);

template <class Net>
std::vector<nn::ir::test::floats> run(nn::parameters<Net>& weights, const std::vector<float>& x, nn::target_id t) {
  nn::engine<Net> engine{weights, t};
  const float* const in[] = {x.data()};
  engine.run(in);
  return {{engine.template output<0>().begin(), engine.template output<0>().end()}};
}

template <class Net>
void check() {
  nn::ir::test::random_weights numbers;
  std::vector<nn::named_weight> given;
  for (const nn::ir::expression& e : nn::ir::declared_graph<Net>.expressions)
    if (!e.type) given.push_back({e.layer, e.name, numbers.of(e)});
  const auto in = nn::ir::test::random_inputs(nn::ir::declared_graph<Net>);
  const auto want = nn::ir::test::reference_outputs(nn::ir::declared_graph<Net>, numbers);
  static nn::parameters<Net> plain;
  static nn::parameters<nn::optimized<Net>> folded;
  REQUIRE(!nn::load(plain, given).found);
  REQUIRE(!nn::load_folded<Net>(folded, given).found);
  for (const nn::target_id t : nn::supported_targets()) {
    CHECK(nn::ir::test::difference(run(plain, in[0], t), want, 1e-4) == "");
    CHECK(nn::ir::test::difference(run(folded, in[0], t), want, 1e-4) == "");
  }
}

}  // namespace

TEST_CASE("an audio network as declared and fused") { check<audio>(); }
TEST_CASE("causal convolutions pad by themselves") { check<causal>(); }
TEST_CASE("padding, scale and activation of a volume") { check<volumes>(); }
TEST_CASE("gated convolutions, a skip, a transpose; a batch of signals") { check<gated>(); }

TEST_CASE("the history tells of expansions first") {
  static constexpr auto& steps = nn::ir::detail::rewriting_history<audio, nn::default_rules>::steps;
  static_assert(steps[0].rule == "signal_to_image" && steps[0].into == "c1");
}
