// SPDX-License-Identifier: BSL-1.0
// A declared lstm of bytes gives what TensorFlow Lite's interpreter answers to the file of the same numbers
// (UNIDIRECTIONAL_SEQUENCE_LSTM_i8 in support/tflite_samples.hpp).
#include <ctnn/ctnn.hpp>
#include <ctnn/typed.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

namespace nn = ctnn;

namespace {

using input = nn::input<"x", nn::shape<2, 3, 4>, nn::as_i8<double{0.03f}, -7>>;
/// Bytes of h are made as those of y are, and stand for other numbers when the next step reads them.
template <int Zero>
using h = nn::input<"h", nn::shape<1, 2, 5>, nn::as_i8<0.0078125, Zero>, nn::carried>;
using c = nn::input<"c", nn::shape<1, 2, 5>, nn::i16, nn::as_i8<0.00048828125>, nn::carried>;
template <class... Options>
using cell = nn::lstm<"y", nn::hidden<5>, nn::batch_first, nn::as_i8<0.0078125>, nn::rounded_twice, Options...>;
using states_after = nn::named_output<nn::from<"y", "h", "c">, nn::from<"y.0", "y.1", "y.2">>;

struct net : nn::network<input, h<3>, c, cell<nn::from<"x", "h", "c">>, states_after> {};
struct same_scales : nn::network<input, h<0>, c, cell<nn::from<"x", "h", "c">>, states_after> {};
struct stateless : nn::network<input, cell<>, states_after> {};
using shape_of_states = nn::shape<1, 2, 5>;
static_assert(
    std::same_as<nn::stateful<stateless, 3>,
                 nn::network<input, nn::input<"y.h", shape_of_states, nn::i8, nn::carried, nn::as_i8<0.0078125>>,
                             nn::input<"y.c", shape_of_states, nn::i16, nn::carried, nn::as_i8<0.00048828125>>,
                             nn::lstm<"y", nn::from<"x", "y.h", "y.c">, nn::hidden<5>, nn::batch_first,
                                      nn::as_i8<0.0078125>, nn::rounded_twice>,
                             nn::named_output<nn::from<"y", "h", "c", "y.h", "y.c">,
                                              nn::from<"y.0", "y.1", "y.2", "y.1", "y.2">>>>);

constexpr unsigned next(unsigned seed) { return seed * 1664525u + 1013904223u; }
/// One gate after the other, each of a seed of its own.
template <std::size_t Each>
constexpr auto weights(unsigned seed) {
  std::array<std::int8_t, 4 * Each> all{};
  for (std::size_t g = 0; g < 4; ++g) {
    unsigned s = seed + static_cast<unsigned>(g);
    for (std::size_t i = 0; i < Each; ++i)
      all[g * Each + i] = static_cast<std::int8_t>(static_cast<int>(((s = next(s)) >> 12 & 0xffffu) % 255) - 127);
  }
  return all;
}
constexpr auto biases() {
  std::array<std::int32_t, 20> all{};
  for (std::size_t g = 0; g < 4; ++g) {
    unsigned s = 12 + static_cast<unsigned>(g);
    for (std::size_t i = 0; i < 5; ++i) {
      s = next(s);
      all[g * 5 + i] = static_cast<std::int32_t>(s >> 4) % 3001 * (s >> 3 & 1u ? 1 : -1);
    }
  }
  return all;
}
constexpr auto input_weight = weights<20>(1);
constexpr auto state_weight = weights<25>(5);
constexpr auto bias = biases();
constexpr float of_input[] = {0.004f * 1, 0.004f * 2, 0.004f * 3, 0.004f * 4},
                of_state[] = {0.002f * 5, 0.002f * 6, 0.002f * 7, 0.002f * 8};
constexpr nn::named_weight given[] = {{"y", "weight_ih_l0", input_weight},
                                      {"y", "weight_hh_l0", state_weight},
                                      {"y", "bias_ih_l0", bias},
                                      {"y", "scale_ih_l0", of_input},
                                      {"y", "scale_hh_l0", of_state}};
template <class Net>
constexpr auto packed = nn::pack<Net, given>();

std::array<std::int8_t, 24> sample() {
  std::array<std::int8_t, 24> x{};
  unsigned seed = 7;
  for (std::int8_t& b : x)
    b = static_cast<std::int8_t>(static_cast<int>(((seed = next(seed)) >> 12 & 0xffffu) % 256) - 128);
  return x;
}

}  // namespace

TEST_CASE("a declared lstm of bytes gives the interpreter's bytes") {
  static nn::engine<net> run(packed<net>);
  constexpr int wanted[] = {0,  -12, -3, -10, -18, 52, -55, 25, -5, 22, -13, 2,  0, 1,  0,
                            -7, 6,   -2, 0,   -24, -7, -1,  0,  -1, 1,  -1,  12, 4, 36, 3};
  CHECK(std::ranges::equal(run(sample()), wanted));
}

TEST_CASE("without states h stands for what y does, and c has four digits before the point") {
  static nn::engine<same_scales> begins(packed<same_scales>);
  static nn::engine<stateless> run(packed<stateless>);
  (void)run(sample());
  const auto y = run.output<0>();
  CHECK(std::ranges::equal(y, begins(sample())));
  constexpr auto g = nn::ir::executable<stateless>::g;
  const auto made = nn::ir::output_elements(g, g.at(1));
  CHECK(made[0] == nn::ir::element(nn::dtype::i8, {0.0078125, 0}, nn::ir::rounding::twice));
  CHECK(made[1] == made[0]);
  CHECK(made[2] == nn::ir::element(nn::dtype::i16, {0.00048828125, 0}, nn::ir::rounding::twice));
  const auto last = run.output<1>();
  for (std::size_t n = 0; n < 2; ++n) CHECK(std::ranges::equal(last.subspan(5 * n, 5), y.subspan(15 * n + 10, 5)));
}
