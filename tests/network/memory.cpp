// SPDX-License-Identifier: BSL-1.0
// Engines in the caller's memory, and engines that the compiler initialises.
#include <doctest/doctest.h>

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
