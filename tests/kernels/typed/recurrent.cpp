// SPDX-License-Identifier: BSL-1.0
// Recurrent layers against their equations written out for one unit, with weights that are inputs.
#include <ctnn/base/error.hpp>

#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

/// The layer with all its weights given: inputs and weights are floats, run as floats, doubles and halves.
template <class Op>
void require_in_every_type(Op p, const std::vector<array>& in, std::size_t output, const extents& shape,
                           const std::vector<float>& want) {
  std::vector<array> as_double, as_half;
  for (const array& a : in) {
    const bool real = a.type() == dtype::f32;
    as_double.push_back(real ? make<double>(a.shape(), {a.values().begin(), a.values().end()}) : a);
    as_half.push_back(real ? make_half(a.shape(), {a.values().begin(), a.values().end()}) : a);
  }
  require_near(run_typed(p, in)[output], shape, want);
  require_near(run_typed(p, as_double)[output], shape, want);
  require_near(run_typed(p, as_half)[output], shape, want, 2e-3f);
}

}  // namespace

TEST_CASE("rnn in both directions, with lengths and an initial state") {
  op::rnn p;
  p.hidden = 1;
  p.direction = op::direction::bidirectional;
  p.lengths = true;
  p.bias = false;
  p.given = 15;
  const array x = make<float>({2, 1, 1}, {0.5f, -1}), w = make<float>({1, 1}, {1}), w2 = make<float>({1, 1}, {2});
  const array r = make<float>({1, 1}, {0.5f}), r2 = make<float>({1, 1}, {-0.5f});
  const array h0 = make<float>({2, 1, 1}, {0.25f, 0});
  const float f1 = std::tanh(0.5f + 0.125f), f2 = std::tanh(-1 + 0.5f * f1);
  const float b1 = std::tanh(-2.0f), b2 = std::tanh(1 - 0.5f * b1);
  const std::vector<array> both{x, make<std::int32_t>({1}, {2}), h0, w, r, w2, r2};
  require_in_every_type(p, both, 0, {2, 1, 2}, {f1, b2, f2, b1});
  require_in_every_type(p, both, 1, {2, 1, 1}, {f2, b2});
  const std::vector<array> one{x, make<std::int64_t>({1}, {1}), h0, w, r, w2, r2};
  require_in_every_type(p, one, 0, {2, 1, 2}, {f1, std::tanh(1.0f), 0, 0});
  require_in_every_type(p, one, 1, {2, 1, 1}, {f1, std::tanh(1.0f)});
  const std::vector<array> none{x, make<std::int64_t>({1}, {0}), h0, w, r, w2, r2};
  require_in_every_type(p, none, 1, {2, 1, 1}, {0.25f, 0});
  for (const std::int32_t wrong : {-1, 3})
    CHECK_THROWS_WITH_AS(run_typed(p, {x, make<std::int32_t>({1}, {wrong}), h0, w, r, w2, r2}),
                         doctest::Contains("steps of a sequence of 2"), error);
}

TEST_CASE("gru, with the reset before or after the product") {
  op::gru p;
  p.hidden = 1;
  p.given = 15;
  const array x = make<float>({1, 1, 1}, {1}), h0 = make<float>({1, 1, 1}, {0.5f});
  const array w = make<float>({3, 1}, {0.2f, 0.1f, 0.3f}), r = make<float>({3, 1}, {0.5f, 0.4f, 0.6f});
  const array b = make<float>({3}, {0.02f, 0.01f, 0.03f}), c = make<float>({3}, {0.05f, 0.04f, 0.06f});
  const float z = logistic(0.1f + 0.2f + 0.05f), reset = logistic(0.2f + 0.25f + 0.07f);
  float h = std::tanh(0.3f + reset * (0.6f * 0.5f + 0.06f) + 0.03f);
  require_in_every_type(p, {x, h0, w, r, b, c}, 1, {1, 1, 1}, {(1 - z) * h + z * 0.5f});
  p.linear_before_reset = false;
  h = std::tanh(0.3f + 0.6f * reset * 0.5f + 0.09f);
  require_in_every_type(p, {x, h0, w, r, b, c}, 1, {1, 1, 1}, {(1 - z) * h + z * 0.5f});
}

TEST_CASE("lstm with states, peepholes and other functions") {
  op::lstm p;
  p.hidden = 1;
  p.bias = false;
  p.peepholes = true;
  p.given = 7;
  const array x = make<float>({1, 1, 1}, {1}), h0 = make<float>({1, 1, 1}, {0.5f}), c0 = make<float>({1, 1, 1}, {2});
  const array w = make<float>({4, 1}, {0.1f, 0.3f, 0.4f, 0.2f}), r = make<float>({4, 1}, {0.5f, 0.7f, 0.8f, 0.6f});
  const array peep = make<float>({3}, {0.01f, 0.03f, 0.02f});
  const float i = logistic(0.1f + 0.25f + 0.02f), f = logistic(0.3f + 0.35f + 0.06f);
  const float c = f * 2 + i * std::tanh(0.4f + 0.4f);
  const float o = logistic(0.2f + 0.3f + 0.02f * c);
  const std::vector<array> in{x, h0, c0, w, r, peep};
  require_in_every_type(p, in, 2, {1, 1, 1}, {c});
  require_in_every_type(p, in, 1, {1, 1, 1}, {o * std::tanh(c)});
  require_in_every_type(p, in, 0, {1, 1, 1}, {o * std::tanh(c)});
  p.input_forget = true;
  const float coupled = (1 - i) * 2 + i * std::tanh(0.4f + 0.4f);
  require_in_every_type(p, in, 2, {1, 1, 1}, {coupled});
  REQUIRE(coupled > 0.3f);
  p.cell_clip = 0.3f;
  require_in_every_type(p, in, 2, {1, 1, 1}, {0.3f});
  op::lstm q;
  q.hidden = 1;
  q.bias = false;
  q.given = 3;
  q.clip = 0.05f;
  q.functions = {function::affine, function::relu, function::affine};
  q.alpha = {1, 0, 3};
  q.beta = {0, 0, 0};
  const float g = 0.05f;
  require_in_every_type(q, {x, w, r}, 1, {1, 1, 1}, {g * 3 * (g * g)});
}

TEST_CASE("batch first is the same layer") {
  op::lstm p;
  p.hidden = 2;
  p.bias = false;
  p.given = 3;
  const array x = counting<float>({3, 2, 1}, 0.1f);
  const array w = counting<float>({8, 1}, 0.05f), r = counting<float>({8, 2}, 0.02f);
  array turned({2, 3, 1});
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t b = 0; b < 2; ++b) turned.data()[b * 3 + t] = x[t * 2 + b];
  const auto want = run_typed(p, {x, w, r});
  p.batch_first = true;
  const auto got = run_typed(p, {turned, w, r});
  REQUIRE(got[0].shape() == extents{2, 3, 2});
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t k = 0; k < 2; ++k) CHECK(got[0][(b * 3 + t) * 2 + k] == want[0][(t * 2 + b) * 2 + k]);
}
