// SPDX-License-Identifier: BSL-1.0
// Convolutions by Winograd's filtering in static networks: who takes it, and the same numbers as without it, on every
// target and any number of threads.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include <ctnn/ctnn.hpp>
#include <ctnn/model/thread_pool.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

struct net
    : nn::network<nn::input<"image", nn::shape<3, 28, 26>>, nn::conv2d<"stem", nn::out<32>, nn::kernel<3>, nn::pad<1>>,
                  nn::relu<"stem_relu">, nn::conv2d<"a", nn::out<32>, nn::kernel<3>, nn::pad<1>>, nn::relu<"a_relu">,
                  nn::conv2d<"b", nn::out<32>, nn::kernel<3>, nn::pad<1>>, nn::add<"sum", nn::from<"b", "stem_relu">>,
                  nn::silu<"sum_silu">, nn::conv2d<"narrow", nn::out<20>, nn::kernel<3>>, nn::tanh_activation<"curve">,
                  nn::conv2d<"said", nn::out<32>, nn::kernel<3>, nn::no_winograd>,
                  nn::conv2d<"strided", nn::out<32>, nn::kernel<3>, nn::stride<2>>, nn::relu<"strided_relu">,
                  nn::conv2d<"point", nn::out<32>, nn::kernel<1>>> {};
using fused = nn::optimized<net>;
using fast = nn::optimized<net, nn::speed_first<>>;
using exact = nn::exact_convolutions<fused>;

static_assert(nn::winograd<fused, "stem"> == 0 && nn::winograd<fused, "strided"> == 0 &&
              nn::winograd<fused, "point"> == 0);
static_assert(nn::winograd<fused, "a"> == 4 && nn::winograd<fused, "b"> == 4 && nn::winograd<fused, "narrow"> != 0);
static_assert(nn::winograd<fused, "said"> == 0 && nn::winograd<exact, "a"> == 0);
static_assert(std::same_as<exact, nn::optimized<nn::exact_convolutions<net>>>);
static_assert(std::same_as<exact, nn::exact_convolutions<exact>>);
static_assert(std::same_as<exact, nn::exact_convolutions<fast>>);
static_assert(nn::arena_bytes<exact> <= nn::arena_bytes<fused> && nn::arena_bytes<fused> < nn::arena_bytes<fast>);

/// Blocks, networks in networks and classes that are networks.
template <class... Option>
struct of_blocks
    : nn::network<
          nn::input<"x", nn::shape<32, 28, 28>>,
          nn::repeat<"stage", 2,
                     nn::residual<"sum", nn::conv2d<"conv", nn::out<32>, nn::kernel<3>, nn::pad<1>, Option...>,
                                  nn::shortcut<"side", nn::conv2d<"point", nn::out<32>, nn::kernel<1>, Option...>>>>,
          nn::block<"head", nn::network<nn::conv2d<"last", nn::out<32>, nn::kernel<3>, Option...>>>> {};
static_assert(nn::winograd<of_blocks<>, "stage.1.conv"> != 0);
static_assert(std::same_as<nn::exact_convolutions<of_blocks<>>, of_blocks<nn::no_winograd>::network_type>);
static_assert(nn::winograd<nn::exact_convolutions<of_blocks<>>, "stage.1.conv"> == 0 &&
              nn::winograd<nn::exact_convolutions<of_blocks<>>, "head.last"> == 0);

/// Weights that are inputs are packed for each inference: no time to transform them.
struct given
    : nn::network<nn::input<"x", nn::shape<32, 28, 28>>, nn::input<"w", nn::shape<32, 32, 3, 3>>,
                  nn::conv2d<"conv", nn::from<"x", "w">, nn::out<32>, nn::kernel<3>, nn::no_bias, nn::given<1>>> {};
static_assert(nn::winograd<given, "conv"> == 0);

struct eager_pool : nn::thread_pool {
  using thread_pool::thread_pool;
  double least_nanoseconds() const override { return 1; }
};

std::vector<nn::named_weight> weights_of(std::vector<floats>& numbers) {
  // Weights that keep values about as large as they are: errors are those of sums, not what a tanh makes of them.
  std::vector<nn::named_weight> weights;
  for (const nn::ir::expression& e : nn::ir::declared_graph<fused>.expressions) {
    const float most = e.shape.rank == 4 ? 1.5f / std::sqrt(static_cast<float>(e.shape.count(1, 4))) : 0.1f;
    numbers.push_back(nn::ir::test::random_floats(e.layer, e.shape.count(), -most, most));
    weights.push_back({e.layer, e.name, numbers.back()});
  }
  return weights;
}

/// The same numbers as product by product, and the same bits on any number of threads.
template <class Net>
void compare() {
  std::vector<floats> numbers;
  const std::vector<nn::named_weight> weights = weights_of(numbers);
  const auto image = nn::ir::test::random_inputs(nn::ir::declared_graph<fused>);
  const float* const pointers[] = {image[0].data()};
  static nn::parameters<Net> packed{nn::zeros};
  static nn::parameters<exact> packed_exactly{nn::zeros};
  REQUIRE(!nn::load(packed, weights).found);
  REQUIRE(!nn::load(packed_exactly, weights).found);
  static nn::engine<Net> run{packed};
  static nn::engine<exact> run_exactly{packed_exactly};
  for (const nn::target_id target : nn::supported_targets()) {
    CAPTURE(std::string(nn::target_name(target)));
    run.use(target);
    run_exactly.use(target);
    run.run(pointers);
    run_exactly.run(pointers);
    const floats got(run.template output<0>().begin(), run.template output<0>().end()),
        want(run_exactly.template output<0>().begin(), run_exactly.template output<0>().end());
    float largest = 0, apart = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      largest = std::fmax(largest, std::fabs(want[i]));
      apart = std::fmax(apart, std::fabs(want[i] - got[i]));
    }
    CHECK(largest > 0);
    CHECK(apart <= 2e-5f * largest);
    for (int threads : {1, 2, 3, 5}) {
      CAPTURE(threads);
      eager_pool pool(threads);
      for (int round = 0; round < 5; ++round) {
        run.run(pointers, pool);
        CHECK(std::memcmp(got.data(), run.template output<0>().data(), got.size() * sizeof(float)) == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE("a network with and without") { compare<fast>(); }
TEST_CASE("a network in the memory that it takes without") { compare<fused>(); }
