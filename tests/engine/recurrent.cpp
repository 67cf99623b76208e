// SPDX-License-Identifier: BSL-1.0
// Recurrent layers in declared networks: a stream step by step is the whole sequence at once; the compiler can run
// them.
#include <doctest/doctest.h>

#include <algorithm>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

namespace {

namespace nn = ctnn;

constexpr int steps = 6, features = 3, hidden = 20;

template <std::size_t N>
struct noise {
  float numbers[N]{};
  constexpr noise(unsigned seed, float size) {
    for (float& x : numbers) {
      seed = seed * 1664525u + 1013904223u;
      x = size * (static_cast<float>(seed >> 8) / 8388608.0f - 1.0f);
    }
  }
};
constexpr noise<4 * hidden * features> weight_ih(1, 0.5f);
constexpr noise<4 * hidden * hidden> weight_hh(2, 0.3f);
constexpr noise<4 * hidden> bias_ih(3, 0.2f), bias_hh(4, 0.2f);
constexpr noise<hidden> weight(5, 1);
constexpr float bias[1] = {0.1f};
constexpr noise<steps * features> sequence(6, 2);

constexpr nn::named_weight weights[] = {
    {"cell", "weight_ih_l0", weight_ih.numbers}, {"cell", "weight_hh_l0", weight_hh.numbers},
    {"cell", "bias_ih_l0", bias_ih.numbers},     {"cell", "bias_hh_l0", bias_hh.numbers},
    {"dense", "weight", weight.numbers},         {"dense", "bias", bias}};

struct whole : nn::network<nn::input<"x", nn::shape<steps, features>>,                  //
                           nn::lstm<"cell", nn::hidden<hidden>>,                        // 6 x 20, and the last states
                           nn::linear<"dense", nn::from<"cell.0">, nn::out<1>>> {};     // 6 x 1

struct one_step : nn::network<nn::input<"x", nn::shape<1, features>>,                   //
                              nn::input<"h", nn::shape<1, hidden>>,                     //
                              nn::input<"c", nn::shape<1, hidden>>,                     //
                              nn::lstm<"cell", nn::from<"x", "h", "c">, nn::hidden<hidden>>,
                              nn::linear<"dense", nn::from<"cell.0">, nn::out<1>>,      //
                              nn::output<"dense", "cell.1", "cell.2">> {};

static_assert(nn::macs<whole> == steps * (4 * hidden * (features + hidden) + hidden));
static_assert(nn::arena_bytes<nn::optimized<one_step>> <= 4 * (3 * 32 + 16));

constexpr auto packed = nn::fold<whole, weights>();
constexpr auto packed_step = nn::fold<one_step, weights>();

struct both_ways
    : nn::network<nn::input<"x", nn::shape<4, 2>>,                                  //
                  nn::gru<"cells", nn::hidden<3>, nn::bidirectional, nn::no_bias>,  // 4 x 6
                  nn::reduce<"mean", nn::op::reduction::mean, nn::from<"cells.0">, nn::axes<0>, nn::drop_axes>,  // 6
                  nn::reduce<"size", nn::op::reduction::l2, nn::from<"cells.1">>, nn::output<"mean", "size">> {};
constexpr noise<9 * 2> gru_w(7, 0.5f), gru_w_back(8, 0.5f);
constexpr noise<9 * 3> gru_r(9, 0.5f), gru_r_back(10, 0.5f);
constexpr nn::named_weight gru_weights[] = {{"cells", "weight_ih_l0", gru_w.numbers},
                                            {"cells", "weight_hh_l0", gru_r.numbers},
                                            {"cells", "weight_ih_l0_reverse", gru_w_back.numbers},
                                            {"cells", "weight_hh_l0_reverse", gru_r_back.numbers}};
constexpr noise<8> small(11, 1);
constexpr auto mean = nn::constant_run<both_ways, gru_weights, 0>(small.numbers);
constexpr auto size = nn::constant_run<both_ways, gru_weights, 1>(small.numbers);

}  // namespace

TEST_CASE("a stream step by step is the whole sequence at once, on every target") {
  for (const nn::target_id target : nn::supported_targets()) {
    nn::engine<nn::optimized<whole>> at_once{packed, target};
    nn::engine<nn::optimized<one_step>> stream{packed_step, target};
    const auto want = at_once(sequence.numbers);
    float h[hidden]{}, c[hidden]{};
    for (int t = 0; t < steps; ++t) {
      const float* const inputs[] = {sequence.numbers + t * features, h, c};
      stream.run(inputs);
      CHECK(stream.output<0>()[0] == doctest::Approx(want[static_cast<std::size_t>(t)]).epsilon(1e-6));
      std::ranges::copy(stream.output<1>(), h);
      std::ranges::copy(stream.output<2>(), c);
    }
  }
}

TEST_CASE("the compiler runs recurrent layers and reductions") {
  static const auto folded = nn::fold<both_ways, gru_weights>();
  nn::engine<nn::optimized<both_ways>> engine{folded};
  const float* const inputs[] = {small.numbers};
  engine.run(inputs);
  for (std::size_t i = 0; i < 6; ++i) CHECK(engine.output<0>()[i] == doctest::Approx(mean[i]).epsilon(1e-5));
  CHECK(engine.output<1>()[0] == doctest::Approx(size[0]).epsilon(1e-5));
}
