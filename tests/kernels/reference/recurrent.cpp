// SPDX-License-Identifier: BSL-1.0
// Recurrent layers against their equations written out for one unit, and two units against one.
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

using math::sigmoid, math::tanh;

constexpr float steps[2] = {0.5f, -1};

constexpr bool one_unit_rnn() {
  const float w[1] = {1}, r[1] = {0.5f}, b[1] = {0.1f}, c[1] = {-0.3f}, start[1] = {0.25f};
  const float first = tanh(0.5f + 0.1f + 0.125f - 0.3f), second = tanh(-1 + 0.1f + 0.5f * first - 0.3f);
  return gives(op::rnn{{1}}, {{{2, 1}, steps}, {{1, 1}, start}}, {w, r, b, c}, {first, second, second});
}
static_assert(one_unit_rnn());

constexpr bool both_directions() {
  const float w[1] = {1}, r[1] = {0.5f}, w2[1] = {2}, r2[1] = {-0.5f};
  const float f1 = 0.5f, f2 = 0, b2 = 0, b1 = 1;  // relu
  using enum function;
  const op::rnn p{{1, op::direction::bidirectional, false, false, false, 0, {relu, relu}}};
  op::rnn back = p;
  back.direction = op::direction::reverse;
  back.functions = {relu};
  return gives(p, {{{2, 1, 1}, steps}}, {w, r, w2, r2}, {f1, b1, f2, b2, f2, b1}) &&
         gives(back, {{{2, 1, 1}, steps}}, {w2, r2}, {b1, b2, b1});
}
static_assert(both_directions());

constexpr bool one_unit_gru() {
  const float x[1] = {1}, w[3] = {0.2f, 0.1f, 0.3f}, r[3] = {0.5f, 0.4f, 0.6f};
  const float b[3] = {0.02f, 0.01f, 0.03f}, c[3] = {0.05f, 0.04f, 0.06f}, start[1] = {0.5f};
  const float reset = sigmoid(0.2f + 0.25f + 0.07f), z = sigmoid(0.1f + 0.2f + 0.05f);
  const float h = (1 - z) * tanh(0.33f + reset * (0.3f + 0.06f)) + z * 0.5f;
  return gives(op::gru{{1}}, {{{1, 1}, x}, {{1, 1}, start}}, {w, r, b, c}, {h, h});
}
static_assert(one_unit_gru());

constexpr bool one_unit_lstm() {
  const float x[1] = {1}, w[4] = {0.1f, 0.3f, 0.4f, 0.2f}, r[4] = {0.5f, 0.7f, 0.8f, 0.6f}, h0[1] = {0.5f}, c0[1] = {2};
  const float c = sigmoid(0.3f + 0.35f) * 2 + sigmoid(0.1f + 0.25f) * tanh(0.4f + 0.4f),
              h = sigmoid(0.2f + 0.3f) * tanh(c);
  return gives(op::lstm{{1, op::direction::forward, false, false}}, {{{1, 1}, x}, {{1, 1}, h0}, {{1, 1}, c0}}, {w, r},
               {h, h, c});
}
static_assert(one_unit_lstm());

/// What ONNX has besides: the reset before the product, peepholes, coupled gates, bounds and other functions.
constexpr bool other_gates() {
  const float x[1] = {1}, w[3] = {0.2f, 0.1f, 0.3f}, r[3] = {0.5f, 0.4f, 0.6f}, start[1] = {0.5f};
  const float reset = sigmoid(0.2f + 0.25f), z = sigmoid(0.1f + 0.2f);
  const float h = (1 - z) * tanh(0.3f + 0.6f * (reset * 0.5f)) + z * 0.5f;
  op::gru before{{1, op::direction::forward, false, false}};
  before.linear_before_reset = false;
  if (!gives(before, {{{1, 1}, x}, {{1, 1}, start}}, {w, r}, {h, h})) return false;

  const float w4[4] = {0.1f, 0.3f, 0.4f, 0.2f}, r4[4] = {0.5f, 0.7f, 0.8f, 0.6f}, c0[1] = {2};
  const float see[3] = {0.01f, 0.03f, 0.02f}, i = sigmoid(0.35f + 0.02f);
  const float c = sigmoid(0.65f + 0.06f) * 2 + i * tanh(0.8f), o = sigmoid(0.5f + 0.02f * c);
  op::lstm holes{{1, op::direction::forward, false, false}, true};
  if (!gives(holes, {{{1, 1}, x}, {{1, 1}, start}, {{1, 1}, c0}}, {w4, r4, see}, {o * tanh(c), o * tanh(c), c}))
    return false;
  holes.input_forget = true;
  const float coupled = (1 - i) * 2 + i * tanh(0.8f), out = sigmoid(0.5f + 0.02f * coupled) * tanh(coupled);
  if (!gives(holes, {{{1, 1}, x}, {{1, 1}, start}, {{1, 1}, c0}}, {w4, r4, see}, {out, out, coupled})) return false;

  using enum function;
  op::lstm others{{1, op::direction::forward, false, false, false, 0.05f, {affine, relu, affine}, {1, 0, 3}}};
  const float cell = 0.05f * 0.05f, last = 0.05f * 3 * cell;
  return gives(others, {{{1, 1}, x}}, {w4, r4}, {last, last, cell});
}
static_assert(other_gates());

/// Rows of a gate are its units; a batch is its sequences, in either order of axes.
constexpr bool two_of_each() {
  const float x[4] = {1, 2, 3, 4}, w[2] = {0.1f, -0.2f}, r[4] = {0.5f, 0, 0, 0.25f};
  const auto one = [](float first, float second, float wx, float rh) {
    const float a = tanh(wx * first);
    return tanh(wx * second + rh * a);
  };
  const float h00 = tanh(0.1f), h01 = tanh(-0.2f), h10 = tanh(0.2f), h11 = tanh(-0.4f);
  const float y00 = one(1, 3, 0.1f, 0.5f), y01 = one(1, 3, -0.2f, 0.25f), y10 = one(2, 4, 0.1f, 0.5f),
              y11 = one(2, 4, -0.2f, 0.25f);
  op::rnn p{{2, op::direction::forward, false, false}};
  if (!gives(p, {{{2, 2, 1}, x}}, {w, r}, {h00, h01, h10, h11, y00, y01, y10, y11, y00, y01, y10, y11})) return false;
  p.batch_first = true;
  const float turned[4] = {1, 3, 2, 4};
  return gives(p, {{{2, 2, 1}, turned}}, {w, r}, {h00, h01, y00, y01, h10, h11, y10, y11, y00, y01, y10, y11});
}
static_assert(two_of_each());

}  // namespace

TEST_CASE("recurrent layers are what their equations say") {
  CHECK(one_unit_rnn());
  CHECK(both_directions());
  CHECK(one_unit_gru());
  CHECK(one_unit_lstm());
  CHECK(other_gates());
  CHECK(two_of_each());
}

TEST_CASE("recurrent layers say what does not fit") {
  extents out[3];
  const auto wrong = [&](const auto& p, std::initializer_list<extents> in) {
    return p.infer(std::span<const extents>(in.begin(), in.size()), out).kind;
  };
  CHECK(wrong(op::lstm{}, {{2, 3}}) == mistake::missing_option);
  CHECK(wrong(op::lstm{{4}}, {{3}}) == mistake::rank_mismatch);
  CHECK(wrong(op::lstm{{4}}, {{2, 3}, {1, 4}}) == mistake::wrong_number_of_inputs);
  CHECK(wrong(op::lstm{{4}}, {{2, 3}, {1, 4}, {1, 5}}) == mistake::shape_mismatch);
  CHECK(wrong(op::gru{{4, op::direction::bidirectional}}, {{2, 5, 3}, {1, 5, 4}}) == mistake::shape_mismatch);
  op::gru with_lengths{{4}};
  with_lengths.lengths = true;
  CHECK(wrong(with_lengths, {{2, 5, 3}}) == mistake::wrong_number_of_inputs);
  CHECK(wrong(with_lengths, {{2, 5, 3}, {2}}) == mistake::shape_mismatch);
  CHECK(wrong(with_lengths, {{2, 5, 3}, {5}}) == mistake::none);
  const op::gru one_function{{4, op::direction::forward, false, true, false, 0, {function::tanh}}};
  CHECK(wrong(one_function, {{2, 5, 3}}) == mistake::option_out_of_range);
  CHECK(wrong(op::gru{{4, op::direction::bidirectional}}, {{2, 5, 3}, {2, 5, 4}}) == mistake::none);
  CHECK(out[0] == extents{2, 5, 8});
  CHECK(out[1] == extents{2, 5, 4});
}
