// SPDX-License-Identifier: BSL-1.0
// Other elements than f32 in plain C++, as firmware has them: words by their ids, through a recurrent layer in f64.
#define CTNN_PLAIN
#include <doctest/doctest.h>

#include <cmath>

#include <ctnn/typed.hpp>

namespace nn = ctnn;

namespace {

struct tagger : nn::network<
    nn::input<"ids", nn::shape<3>, nn::i32>,
    nn::constant<"table", nn::shape<4, 2>>,
    nn::gather<"rows", nn::from<"table", "ids">>,
    nn::cast<"wide", nn::to<nn::dtype::f64>>,
    nn::rnn<"rnn", nn::hidden<1>>,
    nn::output<"rnn.0", "ids">> {};

constexpr float table[] = {1, -2, 3, -4, 0.5f, 0.25f, 0, 0};
constexpr double from_input[] = {0.5, -0.25}, from_state[] = {0.75}, bias[] = {0.125}, none[] = {0};

}  // namespace

TEST_CASE("a recurrent layer of doubles") {
  static nn::parameters<tagger> weights{nn::zeros};
  const nn::named_weight numbers[] = {{"table", "value", table},       {"rnn", "weight_ih_l0", from_input},
                                      {"rnn", "weight_hh_l0", from_state}, {"rnn", "bias_ih_l0", bias},
                                      {"rnn", "bias_hh_l0", none}};
  REQUIRE(!nn::load(weights, numbers).found);
  static nn::engine<tagger> run(weights);
  const std::int32_t ids[] = {2, 0, -3};
  run.run(ids);
  double h = 0;
  for (int i = 0; i < 3; ++i) {
    const float* row = table + 2 * (ids[i] < 0 ? ids[i] + 4 : ids[i]);
    h = std::tanh(0.5 * row[0] - 0.25 * row[1] + 0.75 * h + 0.125);
    CHECK(std::abs(run.output<0>()[static_cast<std::size_t>(i)] - h) < 1e-15);
  }
}
