// SPDX-License-Identifier: BSL-1.0
// Attention and rotations against hand values.
#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("attention weighs values by the softmax of products") {
  op::attention p;
  p.scale = 1;
  p.scores = true;
  p.which = op::attention_scores::probabilities;
  const array q = make<float>({1, 1, 2, 1}, {0, 1}), k = make<float>({1, 1, 2, 1}, {0, 1}),
              v = make<float>({1, 1, 2, 1}, {10, 20});
  const float e = std::exp(1.0f), high = e / (1 + e);
  auto y = run_typed(p, {q, k, v});
  require_near(y[0], {1, 1, 2, 1}, {15, 10 + 10 * high});
  require_near(y[1], {1, 1, 2, 2}, {0.5f, 0.5f, 1 - high, high});
  p.causal = true;
  require_near(run_typed(p, {q, k, v})[0], {1, 1, 2, 1}, {10, 10 + 10 * high});
  p.causal = false;
  p.mask = true;
  require_near(run_typed(p, {q, k, v, make<bool>({2, 2}, {1, 0, 0, 1})})[0], {1, 1, 2, 1}, {10, 20});
  require_near(run_typed(p, {q, k, v, make<float>({2, 2}, {0, 1, 0, -1})})[0], {1, 1, 2, 1}, {10 + 10 * high, 15});
  p.hidden_score = 1;  // the score of those that booleans hide
  require_near(run_typed(p, {q, k, v, make<bool>({2, 2}, {1, 0, 0, 0})})[0], {1, 1, 2, 1}, {10 + 10 * high, 15});
}

TEST_CASE("a causal query sees the last keys of its window") {
  op::attention p;
  p.causal = true;
  p.sliding_window = 2;
  const array q = make<double>({1, 1, 3, 1}, {0, 0, 0}), k = q, v = make<double>({1, 1, 3, 1}, {10, 20, 30});
  require_near(run_typed(p, {q, k, v})[0], {1, 1, 3, 1}, {10, 15, 25});
  const array two = make<double>({1, 1, 2, 1}, {0, 0});
  require_near(run_typed(p, {two, k, v})[0], {1, 1, 2, 1}, {10, 15});
  p.lower_right = true;
  require_near(run_typed(p, {two, k, v})[0], {1, 1, 2, 1}, {15, 25});
}

TEST_CASE("attention with shared heads and a past, in either form") {
  op::attention p;
  p.heads = 2;
  p.kv_heads = 1;
  p.past = p.present = p.causal = true;
  const array q = make<float>({1, 1, 4}, {1, 0, 0, 1}), k = make<float>({1, 1, 2}, {0, 0}),
              v = make<float>({1, 1, 2}, {4, 8});
  const array past = make<float>({1, 1, 1, 2}, {0, 0}), past_v = make<float>({1, 1, 1, 2}, {2, 0});
  const auto y = run_typed(p, {q, k, v, past, past_v});
  require_near(y[0], {1, 1, 4}, {3, 4, 3, 4});
  require_near(y[1], {1, 1, 2, 2}, {0, 0, 0, 0});
  require_near(y[2], {1, 1, 2, 2}, {2, 0, 4, 8});
}

TEST_CASE("rotating by positions") {
  const array x = make<float>({1, 1, 2, 2}, {1, 0, 0, 1}), c = make<float>({2, 1}, {1, 0}),
              s = make<float>({2, 1}, {0, 1});
  op::rotary_embedding p;
  require_near(run_typed(p, {x, c, s, make<std::int64_t>({1, 2}, {0, 1})})[0], {1, 1, 2, 2}, {1, 0, -1, 0});
  p.interleaved = true;
  require_near(run_typed(p, {x, make<float>({1, 2, 1}, {0, 1}), make<float>({1, 2, 1}, {1, 0})})[0], {1, 1, 2, 2},
               {0, 1, 0, 1});
}
