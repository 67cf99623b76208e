// SPDX-License-Identifier: BSL-1.0
// Recurrent layers against their equations written out for one unit.
#include "run_typed.hpp"

namespace ctnn {

using namespace test;

namespace {

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("rnn in both directions, with lengths and an initial state") {
  op::general_rnn p;
  p.hidden = 1;
  p.direction = op::direction::bidirectional;
  p.lengths = p.initial_h = true;
  const array x = make<float>({2, 1, 1}, {0.5f, -1}), w = make<float>({2, 1, 1}, {1, 2}), r = make<float>({2, 1, 1}, {0.5f, -0.5f});
  const array length = make<std::int32_t>({1}, {2}), h0 = make<float>({2, 1, 1}, {0.25f, 0});
  const float f1 = std::tanh(0.5f + 0.125f), f2 = std::tanh(-1 + 0.5f * f1);
  const float b1 = std::tanh(-2.0f), b2 = std::tanh(1 - 0.5f * b1);
  auto y = run_typed(p, {x, w, r, length, h0});
  require_near(y[0], {2, 2, 1, 1}, {f1, b2, f2, b1});
  require_near(y[1], {2, 1, 1}, {f2, b2});
  y = run_typed(p, {x, w, r, make<std::int32_t>({1}, {1}), h0});
  require_near(y[0], {2, 2, 1, 1}, {f1, std::tanh(1.0f), 0, 0});
  require_near(y[1], {2, 1, 1}, {f1, std::tanh(1.0f)});
}

TEST_CASE("gru, with the reset before or after the product") {
  op::general_gru p;
  p.hidden = 1;
  p.bias = p.initial_h = true;
  const array x = make<float>({1, 1, 1}, {1}), w = make<float>({1, 3, 1}, {0.1f, 0.2f, 0.3f}), r = make<float>({1, 3, 1}, {0.4f, 0.5f, 0.6f});
  const array bias = make<float>({1, 6}, {0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.06f}), h0 = make<float>({1, 1, 1}, {0.5f});
  const float z = logistic(0.1f + 0.2f + 0.05f), reset = logistic(0.2f + 0.25f + 0.07f);
  float h = std::tanh(0.3f + 0.6f * reset * 0.5f + 0.09f);
  require_near(run_typed(p, {x, w, r, bias, h0})[1], {1, 1, 1}, {(1 - z) * h + z * 0.5f});
  p.linear_before_reset = true;
  h = std::tanh(0.3f + reset * (0.6f * 0.5f + 0.06f) + 0.03f);
  require_near(run_typed(p, {x, w, r, bias, h0})[1], {1, 1, 1}, {(1 - z) * h + z * 0.5f});
}

TEST_CASE("lstm with states, peepholes and other functions") {
  op::general_lstm p;
  p.hidden = 1;
  p.initial_h = p.initial_c = p.peepholes = true;
  const array x = make<float>({1, 1, 1}, {1}), w = make<float>({1, 4, 1}, {0.1f, 0.2f, 0.3f, 0.4f}), r = make<float>({1, 4, 1}, {0.5f, 0.6f, 0.7f, 0.8f});
  const array h0 = make<float>({1, 1, 1}, {0.5f}), c0 = make<float>({1, 1, 1}, {2}), peep = make<float>({1, 3}, {0.01f, 0.02f, 0.03f});
  const float i = logistic(0.1f + 0.25f + 0.02f), f = logistic(0.3f + 0.35f + 0.06f), c = f * 2 + i * std::tanh(0.4f + 0.4f);
  const float o = logistic(0.2f + 0.3f + 0.02f * c);
  const auto y = run_typed(p, {x, w, r, h0, c0, peep});
  require_near(y[2], {1, 1, 1}, {c});
  require_near(y[1], {1, 1, 1}, {o * std::tanh(c)});
  require_near(y[0], {1, 1, 1, 1}, {o * std::tanh(c)});
  op::general_lstm q;
  q.hidden = 1;
  q.clip = 0.05f;
  q.gates = {op::gate_function::affine, op::gate_function::relu, op::gate_function::affine};
  q.alpha = {1, 0, 3};
  q.beta = {0, 0, 0};
  const float g = 0.05f;
  require_near(run_typed(q, {x, w, r})[1], {1, 1, 1}, {g * 3 * (g * g)});
}

TEST_CASE("batch first is the same layer") {
  op::general_lstm p;
  p.hidden = 2;
  const array x = counting<float>({3, 2, 1}, 0.1f), w = counting<float>({1, 8, 1}, 0.05f), r = counting<float>({1, 8, 2}, 0.02f);
  array turned({2, 3, 1});
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t b = 0; b < 2; ++b) turned.data()[b * 3 + t] = x[t * 2 + b];
  const auto want = run_typed(p, {x, w, r});
  p.batch_first = true;
  const auto got = run_typed(p, {turned, w, r});
  REQUIRE(got[0].shape() == extents{2, 3, 1, 2});
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t k = 0; k < 2; ++k) CHECK(got[0][(b * 3 + t) * 2 + k] == want[0][(t * 2 + b) * 2 + k]);
}

}  // namespace ctnn
