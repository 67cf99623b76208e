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
              fused, nn::network<nn::input<"x", nn::shape<2, 40>>,
                                 nn::conv1d<"c1", nn::out<8>, nn::kernel<5>, nn::pad<2>, nn::fused<nn::function::relu>>,
                                 nn::conv1d<"c2", nn::out<6>, nn::kernel<3>, nn::stride<2>, nn::dilation<2>,
                                            nn::fused<nn::function::tanh>>,
                                 nn::linear<"fc", nn::out<3>, nn::axes<2>>>>);

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
static_assert(std::same_as<nn::optimized<causal>,
                           nn::network<nn::input<"x", nn::shape<1, 2, 20>>,
                                       nn::conv1d<"c1", nn::out<3>, nn::kernel<3>, nn::fused<nn::function::relu>>,
                                       nn::conv1d<"c2", nn::out<4>, nn::kernel<3>, nn::pad<4, 0>, nn::dilation<2>>>>);

/// What a layer takes in behind it: slopes, a sum, numbers of a channel, of a batch and without one; pools.
template <class Shape, class Channels>
struct taking
    : nn::network<nn::input<"x", Shape>, nn::conv1d<"c1", nn::out<6>, nn::kernel<3>, nn::pad<1>>,
                  nn::prelu<"slopes", Channels>,
                  nn::conv1d<"c2", nn::out<6>, nn::kernel<3>, nn::dilation<2>, nn::pad<2>>,
                  nn::add<"sum", nn::from<"c2", "slopes">>, nn::relu<"r">,
                  nn::conv1d<"c3", nn::out<6>, nn::kernel<5>, nn::pad<2>, nn::groups<6>>, nn::silu<"silu">,
                  nn::add<"last", nn::from<"silu", "r">>, nn::max_pool1d<"maxima", nn::kernel<3>, nn::stride<2>>,
                  nn::conv1d<"c4", nn::out<4>, nn::kernel<1>>, nn::scale<"scale", Channels>,
                  nn::avg_pool1d<"means", nn::kernel<4>, nn::stride<3>, nn::pad<1>>> {};
template <class Net>
inline constexpr std::size_t nodes_of = nn::ir::declared_graph<nn::optimized<Net>>.nodes.size();
using taking_one = taking<nn::shape<6, 30>, nn::axis<0>>;
using taking_three = taking<nn::shape<3, 6, 30>, nn::axis<1>>;
static_assert(nodes_of<taking_one> == 7 && nodes_of<taking_three> == 7);

/// Parts of signals where they lie: along the channels and along the samples; windows far apart.
struct parts
    : nn::network<nn::input<"x", nn::shape<2, 24>>, nn::conv1d<"c1", nn::out<8>, nn::kernel<3>, nn::pad<1>>,
                  nn::conv1d<"c2", nn::out<5>, nn::kernel<1>>, nn::concat<"both", nn::from<"c1", "c2">, nn::axis<0>>,
                  nn::conv1d<"c3", nn::out<4>, nn::kernel<3>>, nn::slice<"end", nn::axis<1>, nn::start<4>, nn::end<22>>,
                  nn::max_pool1d<"maxima", nn::kernel<3>, nn::stride<3>>, nn::softmax<"s", nn::axis<0>>> {};

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
  static nn::parameters<Net> plain{nn::zeros};
  static nn::parameters<nn::optimized<Net>> folded{nn::zeros};
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

TEST_CASE("slopes, sums, scales and pools of a signal") {
  check<taking_one>();
  check<taking_three>();
}
TEST_CASE("parts of signals") { check<parts>(); }
