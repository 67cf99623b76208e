// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's keyword spotting (DS-CNN, 2.66 million multiply-adds) in bytes, with random weights: size, speed, and
// the bytes that the kernels of other machines give.
#include <algorithm>

#include <ctnn/ctnn.hpp>

#include "board/board.hpp"
#include "board/random_bytes.hpp"

namespace {

namespace nn = ctnn;

template <nn::fixed_string Name>
using depthwise = nn::conv2d<Name, nn::out<64>, nn::kernel<3>, nn::pad<1>, nn::groups<64>, nn::per_channel,
                             nn::as_i8<0.05, -128>, nn::fused<nn::function::relu>>;
template <nn::fixed_string Name>
using pointwise =
    nn::conv2d<Name, nn::out<64>, nn::kernel<1>, nn::per_channel, nn::as_i8<0.05, -128>, nn::fused<nn::function::relu>>;

struct network : nn::network<nn::input<"mfcc", nn::shape<1, 49, 10>, nn::as_i8<0.5, 83>>,
                             nn::conv2d<"conv", nn::out<64>, nn::kernel<10, 4>, nn::stride<2>, nn::same_upper,
                                        nn::per_channel, nn::as_i8<0.05, -128>, nn::fused<nn::function::relu>>,
                             depthwise<"dw1">, pointwise<"pw1">, depthwise<"dw2">, pointwise<"pw2">, depthwise<"dw3">,
                             pointwise<"pw3">, depthwise<"dw4">, pointwise<"pw4">, nn::adaptive_avg_pool2d<"pool">,
                             nn::flatten<"flat">, nn::linear<"fc", nn::out<12>, nn::as_i8<0.125, 14>>,
                             nn::softmax<"prob", nn::as_i8<0.00390625, -128>>, nn::output<"fc", "prob">> {};
using optimized = nn::optimized<network>;
static_assert(nn::macs<optimized> == 2656768);

constexpr auto conv = board::random_bytes<64 * 40>(1);
constexpr auto fc = board::random_bytes<12 * 64>(2);
constexpr auto dw1 = board::random_bytes<64 * 9>(3), dw2 = board::random_bytes<64 * 9>(4),
               dw3 = board::random_bytes<64 * 9>(5), dw4 = board::random_bytes<64 * 9>(6);
constexpr auto pw1 = board::random_bytes<64 * 64>(7), pw2 = board::random_bytes<64 * 64>(8),
               pw3 = board::random_bytes<64 * 64>(9), pw4 = board::random_bytes<64 * 64>(10);
constexpr auto bias = board::random_biases<64>(11);
constexpr auto fc_bias = board::random_biases<12>(12);
constexpr auto of_conv = board::random_scales<64>(13, 0.000125f), of_dw = board::random_scales<64>(14, 0.0075f),
               of_pw = board::random_scales<64>(15, 0.0025f);
constexpr float of_fc[] = {0.0025f};
constexpr nn::named_weight given[] = {
    {"conv", "weight", conv}, {"conv", "bias", bias},  {"conv", "weight_scale", of_conv},
    {"dw1", "weight", dw1},   {"dw1", "bias", bias},   {"dw1", "weight_scale", of_dw},
    {"pw1", "weight", pw1},   {"pw1", "bias", bias},   {"pw1", "weight_scale", of_pw},
    {"dw2", "weight", dw2},   {"dw2", "bias", bias},   {"dw2", "weight_scale", of_dw},
    {"pw2", "weight", pw2},   {"pw2", "bias", bias},   {"pw2", "weight_scale", of_pw},
    {"dw3", "weight", dw3},   {"dw3", "bias", bias},   {"dw3", "weight_scale", of_dw},
    {"pw3", "weight", pw3},   {"pw3", "bias", bias},   {"pw3", "weight_scale", of_pw},
    {"dw4", "weight", dw4},   {"dw4", "bias", bias},   {"dw4", "weight_scale", of_dw},
    {"pw4", "weight", pw4},   {"pw4", "bias", bias},   {"pw4", "weight_scale", of_pw},
    {"fc", "weight", fc},     {"fc", "bias", fc_bias}, {"fc", "weight_scale", of_fc}};
constexpr auto weights = nn::fold<network, given>();
nn::arena<optimized> memory;
constinit nn::engine<optimized, nn::shared_arena> spot{weights, memory};
std::int8_t mfcc[490];

// As the kernels of kernels/typed/ have them on other machines.
constexpr std::int8_t sums[] = {-3, -67, -31, 51, 34, -31, -38, -48, -7, -39, 13, 34};
constexpr std::int8_t probabilities[] = {-128, -128, -128, 77, -104, -128, -128, -128, -128, -128, -126, -104};

}  // namespace

int main() {
  for (int i = 0; i < 490; ++i) mfcc[i] = static_cast<std::int8_t>(i * 37 % 251 - 125);
  board::measure("a second of sound", [] { spot(mfcc); });
  const bool right = std::ranges::equal(spot.output<0>(), sums) && std::ranges::equal(spot.output<1>(), probabilities);
  board::print(right ? "the bytes are right\n" : "the bytes are wrong\n");
  return right ? 0 : 1;
}
