// SPDX-License-Identifier: BSL-1.0
// Engines in the caller's memory, and engines that the compiler initialises.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

namespace {

struct small : nn::network<nn::input<"x", nn::shape<4>>, nn::scale<"s", nn::axis<0>>, nn::softmax<"y">> {};
struct large : nn::network<
    nn::input<"x", nn::shape<4>>, nn::concat<"t", nn::from<"x", "x", "x", "x", "x", "x", "x">>, nn::softmax<"y">> {};

constexpr float factors[] = {1, 2, 3, 4}, shifts[] = {0, 1, 0, -1};
constexpr nn::named_weight weights[] = {{"s", "scale", factors}, {"s", "bias", shifts}};
constexpr auto packed = nn::pack<small, weights>();
constexpr nn::parameters<large> none;

nn::arena<small, large> memory;
constinit nn::engine<small, nn::shared_arena> at_start{packed, memory};

constexpr float x[4] = {0.5f, 1, -1, 2};

std::vector<float> result(auto& engine) {
  const auto y = engine(x);
  return {y.begin(), y.end()};
}

}  // namespace

TEST_CASE("constinit engines give what others do, and know their target") {
  nn::engine<small> usual{packed};
  CHECK(result(at_start) == result(usual));
  CHECK(at_start.target() == nn::best_target());
  for (const nn::target_id t : nn::supported_targets()) {
    at_start.use(t);
    CHECK(at_start.target() == t);
    CHECK(result(at_start).size() == 4);
  }
  static_assert(std::is_trivially_copyable_v<nn::engine<small>>);
  nn::engine<small> copy = usual;
  CHECK(copy(x).data() != usual(x).data());
}

TEST_CASE("several networks take turns in one memory, as large as the largest needs") {
  static_assert(sizeof memory.bytes == nn::arena_bytes<large>);
  static_assert(sizeof(nn::engine<large, nn::shared_arena>) <= 4 * sizeof(void*));
  static_assert(!std::is_constructible_v<nn::engine<small>, nn::parameters<small>&&>);
  static_assert(!std::is_constructible_v<nn::engine<small, nn::shared_arena>, nn::parameters<small>&&,
                                         nn::arena<small>&>);
  nn::engine<small> first_alone{packed};
  nn::engine<large> second_alone{none};
  nn::engine<small, nn::shared_arena> first{packed, memory};
  nn::engine<large, nn::shared_arena> second{none, memory};
  for (int i = 0; i < 2; ++i) {
    CHECK(result(first) == result(first_alone));
    CHECK(result(second) == result(second_alone));
  }
  const auto* at = reinterpret_cast<const std::byte*>(second(x).data());
  CHECK((at >= memory.bytes && at < memory.bytes + sizeof memory.bytes));
}

TEST_CASE("any bytes will do, wherever they begin") {
  nn::engine<small> usual{packed};
  constexpr std::size_t needed = nn::arena_bytes<small> + 63;
  std::byte bytes[needed + 64];
  for (std::size_t from = 0; from < 64; from += 7) {
    const std::span<std::byte, needed> room(bytes + from, needed);
    nn::engine<small, nn::shared_arena> in_bytes{packed, room};
    CHECK(result(in_bytes) == result(usual));
    const auto y = in_bytes(x);
    CHECK(reinterpret_cast<const std::byte*>(y.data()) >= room.data());
    CHECK(reinterpret_cast<const std::byte*>(y.data() + y.size()) <= room.data() + room.size());
  }
}

namespace {

/// Convolutions over their input, which is the caller's or in the arena.
template <class... Where>
struct pixels : nn::network<nn::input<"x", nn::shape<3, 12, 12>, Where...>,
                            nn::conv2d<"c", nn::out<4>, nn::kernel<3>, nn::pad<1>>, nn::relu<"r">,
                            nn::max_pool2d<"p", nn::kernel<2>>, nn::linear<"l", nn::axes<3>, nn::out<5>>> {};

struct two : nn::network<nn::input<"a", nn::shape<6>>, nn::input<"b", nn::shape<6>, nn::in_arena>,
                         nn::sub<"d", nn::from<"b", "a">>, nn::tanh_activation<"t">,
                         nn::concat<"all", nn::axis<0>, nn::from<"t", "b">>> {};

std::vector<float> ramp(std::size_t n, float step) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 17) * step - 0.5f;
  return v;
}

}  // namespace

TEST_CASE("an input in the arena is filled there, or copied there") {
  using outside = nn::optimized<pixels<>>;
  using inside = nn::optimized<pixels<nn::in_arena>>;
  const auto w = ramp(4 * 3 * 9, 0.05f), b = ramp(4, 0.1f), l = ramp(5 * 4 * 36, 0.02f), lb = ramp(5, 0.3f),
             image = ramp(432, 0.1f);
  const nn::named_weight numbers[] = {{"c", "weight", w}, {"c", "bias", b}, {"l", "weight", l}, {"l", "bias", lb}};
  static nn::parameters<outside> for_outside{nn::zeros};
  static nn::parameters<inside> for_inside{nn::zeros};
  REQUIRE(!nn::load_folded<pixels<>>(for_outside, numbers).found);
  REQUIRE(!nn::load_folded<pixels<nn::in_arena>>(for_inside, numbers).found);
  static_assert(nn::arena_bytes<inside> < nn::arena_bytes<outside> + 432 * sizeof(float));
  static nn::engine<outside> usual(for_outside);
  static nn::engine<inside> run(for_inside);
  const auto want = usual(std::span<const float, 432>(image));
  for (const nn::target_id t : nn::supported_targets()) {
    usual.use(t);
    run.use(t);
    usual(std::span<const float, 432>(image));
    const auto x = run.input<"x">();
    static_assert(std::is_same_v<decltype(run.input<0>()), std::span<float, 432>>);
    for (int again = 0; again < 2; ++again) {
      std::copy(image.begin(), image.end(), x.begin());
      const auto got = again ? run(x) : run(std::span<const float, 432>(image));
      CHECK(std::equal(got.begin(), got.end(), want.begin()));
    }
    std::copy(image.begin(), image.end(), x.begin());
    run.run(nn::in<"x">(x));
    CHECK(std::equal(want.begin(), want.end(), run.output<0>().begin()));
    std::copy(image.begin(), image.end(), x.begin());
    CHECK(std::equal(want.begin(), want.end(), run().begin()));
  }
}

TEST_CASE("one input in the arena and one of the caller's") {
  static nn::engine<two> run;  // it has no weights
  const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 1, 3, 3, 5, 5};
  for (int way = 0; way < 3; ++way) {
    if (way == 0) run.run(nn::in<"b">(b), nn::in<"a">(a));
    if (way == 1) run.run(a, std::span(b));
    const float* const both[] = {a, b};
    if (way == 2) run.run(both);
    const auto y = run.output<0>();
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(std::abs(y[i] - std::tanh(b[i] - a[i])) < 1e-6f);
      CHECK(y[6 + i] == b[i]);
    }
  }
}
