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

struct net
    : nn::network<
          nn::input<"x", nn::shape<2, 3, 4>, nn::as_i8<double{0.03f}, -7>>,
          nn::quantized_lstm<"y", nn::hidden<5>, nn::batch_first, nn::with_i8<0.0078125, 3>, nn::as_i8<0.0078125, 0>>,
          nn::output<"y.0">> {};

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
constexpr auto packed = nn::pack<net, given>();

}  // namespace

TEST_CASE("a declared lstm of bytes gives the interpreter's bytes") {
  static nn::engine<net> run(packed);
  std::array<std::int8_t, 24> x{};
  unsigned seed = 7;
  for (std::int8_t& b : x)
    b = static_cast<std::int8_t>(static_cast<int>(((seed = next(seed)) >> 12 & 0xffffu) % 256) - 128);
  constexpr int wanted[] = {0,  -12, -3, -10, -18, 52, -55, 25, -5, 22, -13, 2,  0, 1,  0,
                            -7, 6,   -2, 0,   -24, -7, -1,  0,  -1, 1,  -1,  12, 4, 36, 3};
  CHECK(std::ranges::equal(run(x), wanted));
}
