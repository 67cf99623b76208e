// SPDX-License-Identifier: BSL-1.0
// Networks for several samples at once: what each sample alone gives, with the weights of the network for one.
#include <doctest/doctest.h>

#include <ctnn/typed.hpp>

#include "support/run_both.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

// clang-format off

struct classifier : nn::network<
    nn::input<"x", nn::shape<3, 12, 10>>,
    nn::constant_pad<"pad", nn::before<0, 1, 0>, nn::after<0, 0, 2>>,
    nn::conv2d<"conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"bn">, nn::relu<"relu">,
    nn::residual<"add", nn::conv2d<"conv2", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::prelu<"prelu">>,
    nn::max_pool2d<"pool", nn::kernel<2>>,
    nn::slice<"crop", nn::axis<1>, nn::start<1>, nn::end<5>>,
    nn::flatten<"flat">, nn::linear<"fc", nn::out<7>>, nn::softmax<"prob">> {};

/// Group norm, channels that are cut up and put together, numbers for each place.
struct image : nn::network<
    nn::input<"x", nn::shape<4, 6, 8>>,
    nn::group_norm<"norm", 2, 4, nn::axis<0>>, nn::silu<"silu">,
    nn::glu<"glu", nn::axis<0>>,
    nn::interpolate_bilinear<"up", nn::size<12, 16>>,
    nn::constant<"place", nn::shape<12, 16>>, nn::mul<"placed", nn::from<"up", "place">>,
    nn::permute<"turned", nn::order<1, 2, 0>>, nn::reduce<"mean", nn::op::reduction::mean, nn::axes<-1>, nn::drop_axes>,
    nn::add<"sum", nn::from<"up", "mean">>,  // 2 x 12 x 16 and 12 x 16
    nn::concat<"both", nn::from<"sum", "placed">>,
    nn::pixel_shuffle<"image", nn::upscale_factor<2>>> {};

struct sequence : nn::network<
    nn::input<"x", nn::shape<9, 6>>,
    nn::gru<"gru", nn::hidden<5>, nn::bidirectional>,
    nn::lstm<"lstm", nn::from<"gru.0">, nn::hidden<8>>,
    nn::reshape<"heads", nn::from<"lstm.0">, nn::shape<9, 2, 4>>, nn::permute<"by_head", nn::order<1, 0, 2>>,
    nn::permute<"keys", nn::order<0, 2, 1>>,
    nn::matmul<"scores", nn::from<"by_head", "keys">>, nn::softmax<"attention">,
    nn::matmul<"values", nn::from<"attention", "by_head">>,
    nn::linear<"fc", nn::out<3>>,
    nn::output<"fc", "lstm.1">> {};

struct signal : nn::network<
    nn::input<"x", nn::shape<2, 20>>,
    nn::conv1d<"conv", nn::out<4>, nn::kernel<3>, nn::stride<2>>, nn::tanh_activation<"tanh">,
    nn::adaptive_avg_pool1d<"mean">, nn::log_softmax<"said", nn::axis<0>>> {};

struct modules : nn::network<
    nn::input<"x", nn::shape<5, 6>>,
    nn::stacked_gru<"gru", 6, 4, 2>, nn::transformer_encoder_layer<"layer", 4, 2, 7>,
    nn::projected_lstm<"lstm", 4, 5, 3>, nn::affine_rms_norm<"norm", 3>> {};

// clang-format on

constexpr int samples = 3;

/// Of all samples at once and one after the other.
template <class Net, class Batch>
std::string differs() {
  nn::ir::test::made_up_weights numbers;
  const auto weights = nn::ir::test::weights_of_network<Net>(numbers);
  const auto one = std::make_unique<nn::parameters<Net>>(nn::zeros);
  const auto all = std::make_unique<nn::parameters<Batch>>(nn::zeros);
  if (nn::load<Net>(*one, weights).found) return "weights of one";
  if constexpr (std::is_same_v<Batch, nn::batched<Net, samples>>) {
    if (nn::load<Batch>(*all, weights).found) return "weights of the batch";
  } else {
    if (nn::load_folded<nn::batched<Net, samples>>(*all, weights).found) return "weights of the batch";
  }
  const auto run_one = std::make_unique<nn::engine<Net>>(*one);
  const auto run_all = std::make_unique<nn::engine<Batch>>(*all);
  constexpr std::size_t size = nn::engine<Net>::template input_size<>;
  static_assert(nn::engine<Batch>::template input_size<> == samples * size);
  const floats in = nn::ir::test::random_floats("x", static_cast<std::int64_t>(samples * size));
  const float* const x[] = {in.data()};
  run_all->run(std::span<const float* const, 1>(x));
  std::string wrong;
  const auto check = [&]<std::size_t Output>(std::integral_constant<std::size_t, Output>) {
    floats want;
    for (std::size_t n = 0; n < samples; ++n) {
      const float* const sample[] = {in.data() + n * size};
      run_one->run(std::span<const float* const, 1>(sample));
      const auto y = run_one->template output<Output>();
      want.insert(want.end(), y.begin(), y.end());
    }
    const auto got = run_all->template output<Output>();
    if (const std::string off = nn::ir::test::difference({floats(got.begin(), got.end())}, {want}, 1e-5); !off.empty())
      wrong = off;
  };
  [&]<std::size_t... Output>(std::index_sequence<Output...>) {
    (check(std::integral_constant<std::size_t, Output>{}), ...);
  }(std::make_index_sequence<nn::engine<Net>::outputs>{});
  return wrong;
}
template <class Net>
void check() {
  CHECK(differs<Net, nn::batched<Net, samples>>() == "");
  CHECK(differs<Net, nn::optimized<nn::batched<Net, samples>>>() == "");
}

}  // namespace

static_assert(nn::output_shape<nn::batched<classifier, 8>, "prob"> == nn::extents{8, 7});
static_assert(nn::parameter_count<nn::batched<classifier, 8>> == nn::parameter_count<classifier>);
static_assert(nn::macs<nn::batched<classifier, 8>> == 8 * nn::macs<classifier>);
static_assert(nn::optimized<nn::batched<classifier, 8>>::size == nn::optimized<classifier>::size);
static_assert(nn::output_shape<nn::batched<sequence, 2>, "fc"> == nn::extents{2, 2, 9, 3});

TEST_CASE("a classifier") { check<classifier>(); }
TEST_CASE("norms of groups, permutations, sums of unlike ranks") { check<image>(); }
TEST_CASE("recurrent layers, their last states, attention") { check<sequence>(); }
TEST_CASE("a signal") { check<signal>(); }
TEST_CASE("modules with weights") { check<modules>(); }
