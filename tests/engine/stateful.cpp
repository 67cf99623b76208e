// SPDX-License-Identifier: BSL-1.0
// Stateful networks in engines: by name, on every target, begun anew, copied in the middle of a stream; carried inputs
// that a network declares itself.
#include <doctest/doctest.h>

#include <ctnn/typed.hpp>

#include "support/streams.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

/// Two recurrent layers, each step's features to one number.
template <int Steps>
struct recurrent : nn::network<nn::input<"x", nn::shape<Steps, 3>>, nn::lstm<"cell", nn::hidden<8>>,
                               nn::gru<"cells", nn::from<"cell.0">, nn::hidden<5>>,
                               nn::linear<"dense", nn::from<"cells.0">, nn::out<1>>> {};
using step = nn::stateful<recurrent<1>>;
static_assert(std::same_as<step, nn::stateful<recurrent<12>, 1>>);
static_assert(nn::state_bytes<step> == 4 * (8 + 8 + 5) && nn::arena_bytes<step> >= nn::state_bytes<step>);
static_assert(nn::engine<step>::inputs == 1 && nn::engine<step>::outputs == 1);
static_assert(nn::output_shape<step, "cell.h"> == nn::extents{1, 8});
// As one would declare it.
static_assert(
    std::same_as<step, nn::network<nn::input<"x", nn::shape<1, 3>>, nn::input<"cell.h", nn::shape<1, 8>, nn::carried>,
                                   nn::input<"cell.c", nn::shape<1, 8>, nn::carried>,
                                   nn::lstm<"cell", nn::from<"x", "cell.h", "cell.c">, nn::hidden<8>>,
                                   nn::input<"cells.h", nn::shape<1, 5>, nn::carried>,
                                   nn::gru<"cells", nn::from<"cell.0", "cells.h">, nn::hidden<5>>,
                                   nn::linear<"dense", nn::from<"cells.0">, nn::out<1>>,
                                   nn::named_output<nn::from<"dense", "cell.h", "cell.c", "cells.h">,
                                                    nn::from<"dense", "cell.1", "cell.2", "cells.1">>>>);

/// A running sum.
struct sums : nn::network<nn::input<"x", nn::shape<4>>, nn::input<"sum", nn::shape<4>, nn::carried>,
                          nn::add<"add", nn::from<"x", "sum">>,
                          nn::named_output<nn::from<"y", "sum">, nn::from<"add", "add">>> {};

}  // namespace

TEST_CASE("recurrent layers step by step") {
  using whole = recurrent<12>;
  nn::ir::test::made_up_weights numbers;
  const auto weights = nn::ir::test::weights_of_network<whole>(numbers);
  static nn::parameters<whole> all{nn::zeros};
  static nn::parameters<step> one{nn::zeros};
  REQUIRE(!nn::load(all, weights).found);
  REQUIRE(!nn::load(one, weights).found);
  const floats x = nn::ir::test::random_inputs(nn::ir::declared_graph<whole>)[0];
  for (const nn::target_id target : nn::supported_targets()) {
    nn::engine<whole> at_once{all, target};
    const auto want = at_once(std::span<const float, 36>(x.data(), 36));
    nn::engine<step> stream{one, target};
    for (int time = 0; time < 2; ++time, stream.reset())
      for (std::size_t t = 0; t < 12; ++t) {
        float y[1];
        auto other = stream;  // goes its own way
        const float noise[3] = {1, 2, 3};
        other(noise);
        stream.run(nn::in<"x">(std::span<const float, 3>(x.data() + 3 * t, 3)), nn::into<"dense">(y));
        CHECK(y[0] == doctest::Approx(want[t]).epsilon(1e-6));
      }
  }
}

TEST_CASE("a carried input of the network's own") {
  static const nn::parameters<sums> none;
  nn::engine<sums> run{none};
  const float x[4] = {1, 2, 3, 4};
  for (int i = 1; i <= 3; ++i) CHECK(run(x)[3] == 4.0f * static_cast<float>(i));
  run.reset();
  CHECK(run(x)[1] == 2.0f);
}

namespace {

/// Bytes that begin with their zero point.
struct sums_of_bytes : nn::network<nn::input<"x", nn::shape<4>, nn::i8, nn::as_i8<0.5, 3>>,
                                   nn::input<"sum", nn::shape<4>, nn::i8, nn::as_i8<0.5, 3>, nn::carried>,
                                   nn::add<"add", nn::from<"x", "sum">, nn::as_i8<0.5, 3>>,
                                   nn::named_output<nn::from<"y", "sum">, nn::from<"add", "add">>> {};

constexpr nn::parameters<sums> nothing;
nn::arena<step, sums> shared;
constinit nn::engine<sums, nn::shared_arena> at_start{nothing, shared};

/// Causal windows, whose histories advance and begin anew after 1, 3 and 7 runs.
template <int Samples>
struct windows : nn::declared<windows<Samples>> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("x", {1, Samples});
    for (int i = 0; i < 3; ++i) {
      const auto scope = m.scope("layers", i);
      x = m.conv1d("conv", m.pad(x, {3 << i, 0}), {.out_channels = 4, .kernel_size = 4, .dilation = 1 << i});
    }
    return x;
  }
};

/// Recurrent layers whose first states are weights.
template <int Steps>
struct begun : nn::declared<begun<Steps>> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("x", {Steps, 3});
    const auto y = m.lstm("cell", {x, m.parameter("h0", {1, 8}), m.parameter("c0", {1, 8})}, {.hidden_size = 8});
    return m.gru("cells", {y.output, m.parameter("h1", {1, 5})}, {.hidden_size = 5}).output;
  }
};

}  // namespace
static_assert(sizeof(nn::engine<sums, nn::shared_arena>) <= 4 * sizeof(void*) + nn::state_bytes<sums> + 8);

TEST_CASE("streams take turns in one memory, and each keeps what it carries") {
  nn::ir::test::made_up_weights numbers;
  static nn::parameters<step> weights{nn::zeros};
  REQUIRE(!nn::load(weights, nn::ir::test::weights_of_network<step>(numbers)).found);
  static nn::engine<step> alone{weights};
  nn::engine<step, nn::shared_arena> one{weights, shared}, two{weights, shared};
  const floats x = nn::ir::test::random_floats("x", 36);
  const float ones[4] = {1, 1, 1, 1};
  for (int time = 0; time < 2; ++time, alone.reset(), one.reset(), two.reset(), at_start.reset()) {
    std::vector<float> want;
    for (std::size_t t = 0; t < 12; ++t) want.push_back(alone(std::span<const float, 3>(x.data() + 3 * t, 3))[0]);
    for (std::size_t t = 0; t < 12; ++t) {
      const std::span<const float, 3> now(x.data() + 3 * t, 3);
      CHECK(one(now)[0] == want[t]);
      CHECK(at_start(ones)[2] == static_cast<float>(t + 1));
      if (t % 2 == 0) continue;  // half as fast
      CHECK(two(std::span<const float, 3>(x.data() + 3 * (t / 2), 3))[0] == want[t / 2]);
    }
  }
}

TEST_CASE("histories advance in own memory and in shared memory, in copies, and begin anew") {
  using by_one = nn::optimized<nn::stateful<windows<1>>>;
  static_assert(nn::ir::executable<by_one>::plan.histories_before() == 3);
  CHECK(nn::ir::test::stream_differs<windows<60>, 1>() == "");
  CHECK(nn::ir::test::stream_differs<windows<60>, 2>() == "");
  CHECK(nn::ir::test::stream_differs<windows<60>, 5>() == "");

  nn::ir::test::made_up_weights numbers;
  static nn::parameters<by_one> weights{nn::zeros};
  REQUIRE(!nn::load_folded<nn::stateful<windows<1>>>(weights, nn::ir::test::weights_of_network<windows<1>>(numbers))
               .found);
  static nn::arena<by_one> memory;
  static nn::engine<by_one> own{weights};
  nn::engine<by_one, nn::shared_arena> first{weights, memory}, second{weights, memory};
  const floats x = nn::ir::test::random_floats("x", 60);
  for (int time = 0; time < 2; ++time, own.reset(), first.reset(), second.reset()) {
    std::vector<float> want;
    static nn::engine<by_one> copy{weights};
    for (std::size_t t = 0; t < x.size(); ++t) {
      if (t == 31) copy = own;
      want.push_back(own(std::span<const float, 1>(&x[t], 1))[3]);
      if (t >= 31) CHECK(copy(std::span<const float, 1>(&x[t], 1))[3] == want.back());
    }
    for (std::size_t t = 0; t < x.size(); ++t) {
      CHECK(first(std::span<const float, 1>(&x[t], 1))[3] == want[t]);
      if (t % 3 == 2) CHECK(second(std::span<const float, 1>(&x[t / 3], 1))[3] == want[t / 3]);
    }
  }
}

TEST_CASE("recurrent layers begin with the states that they are given, and again after reset()") {
  using in_parts = nn::stateful<begun<12>, 2>;
  static_assert(nn::state_bytes<in_parts> == 4 * (8 + 8 + 5) + 8);  // and the number of runs
  nn::ir::test::made_up_weights numbers;
  const auto weights = nn::ir::test::weights_of_network<begun<12>>(numbers);
  static nn::parameters<begun<12>> all{nn::zeros};
  static nn::parameters<in_parts> packed{nn::zeros};
  REQUIRE(!nn::load(all, weights).found);
  REQUIRE(!nn::load(packed, weights).found);
  static nn::engine<begun<12>> at_once{all};
  static nn::engine<in_parts> stream{packed};
  const floats x = nn::ir::test::random_floats("x", 36);
  const auto want = at_once(std::span<const float, 36>(x.data(), 36));
  for (int time = 0; time < 2; ++time, stream.reset())
    for (std::size_t t = 0; t < 12; t += 2) {
      const auto y = stream(std::span<const float, 6>(x.data() + 3 * t, 6));
      for (std::size_t i = 0; i < 10; ++i) CHECK(y[i] == doctest::Approx(want[5 * t + i]).epsilon(1e-6));
    }
}

TEST_CASE("bytes that are carried begin with their zero point, in any memory") {
  static const nn::parameters<sums_of_bytes> none;
  static nn::arena<sums_of_bytes> memory;
  nn::engine<sums_of_bytes> own{none};
  nn::engine<sums_of_bytes, nn::shared_arena> in_shared{none, memory};
  const std::int8_t x[4] = {3, 4, 5, 13};
  for (int i = 1; i <= 3; ++i) {
    CHECK(own(x)[3] == 3 + 10 * i);
    CHECK(in_shared(x)[3] == 3 + 10 * i);
    CHECK(in_shared.output<0>()[0] == 3);
  }
  in_shared.reset();
  CHECK(in_shared(x)[2] == 5);
}
