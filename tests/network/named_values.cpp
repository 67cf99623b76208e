// SPDX-License-Identifier: BSL-1.0
// Engines fed and read by name, in any order, of any element types, on several threads.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/model/thread_pool.hpp>
#include <ctnn/typed.hpp>

namespace nn = ctnn;

namespace {

struct gate
    : nn::network<nn::input<"x", nn::shape<4>>, nn::input<"h", nn::shape<4>>, nn::sub<"difference", nn::from<"x", "h">>,
                  nn::add<"sum", nn::from<"x", "h">>, nn::split<"halves", nn::sizes<1, 3>>,
                  nn::named_output<nn::from<"apart", "first", "h2">, nn::from<"difference", "halves.0", "halves.1">>> {
};
struct plain : nn::network<nn::input<"x", nn::shape<3>>, nn::relu<"y">> {};
struct rows : nn::network<nn::input<"table", nn::shape<3, 2>>, nn::input<"ids", nn::shape<2>, nn::i64>,
                          nn::gather<"rows", nn::from<"table", "ids">>> {};

}  // namespace

TEST_CASE("inputs and outputs by name, whatever the order") {
  static constexpr nn::parameters<gate> none;
  nn::engine<gate> run{none};
  const float x[4] = {1, 2, 3, 4};
  const std::array<float, 4> h{10, 20, 30, 40};
  float apart[4] = {}, rest[3] = {};
  run.run(nn::into<"h2">(rest), nn::in<"h">(h), nn::into<"apart">(apart), nn::in<"x">(x));
  CHECK(std::vector<float>(apart, apart + 4) == std::vector<float>{-9, -18, -27, -36});
  CHECK(std::vector<float>(rest, rest + 3) == std::vector<float>{22, 33, 44});
  CHECK(run.output<"first">()[0] == 11);
  CHECK(run.output<"apart">().data() == run.output<0>().data());

  // A state that goes round.
  std::array<float, 4> state = h;
  for (int i = 0; i < 3; ++i) run.run(nn::in<"x">(x), nn::in<"h">(state), nn::into<"apart">(state));
  CHECK(state == std::array<float, 4>{-9, -18, -27, -36});

  nn::thread_pool threads(2);
  float again[4] = {};
  run.run_on(threads, nn::in<"x">(x), nn::in<"h">(h), nn::into<"apart">(again));
  CHECK(std::vector<float>(again, again + 4) == std::vector<float>{-9, -18, -27, -36});
}

TEST_CASE("an output without a name of its own is called like its layer; a vector says how long it is") {
  static constexpr nn::parameters<plain> none;
  nn::engine<plain> run{none};
  const std::vector<float> x{-1, 0, 2};
  run.run(nn::in<"x">(std::span<const float, 3>(x)));
  CHECK(run.output<"y">()[2] == 2);
  CHECK(run.output<"y">()[0] == 0);
}

TEST_CASE("elements of other types") {
  static constexpr nn::parameters<rows> none;
  nn::engine<rows> run{none};
  const float table[6] = {1, 2, 3, 4, 5, 6};
  const std::int64_t ids[2] = {2, 0};
  float out[4] = {};
  run.run(nn::in<"ids">(ids), nn::in<"table">(table), nn::into<"rows">(out));
  CHECK(std::vector<float>(out, out + 4) == std::vector<float>{5, 6, 1, 2});
}
