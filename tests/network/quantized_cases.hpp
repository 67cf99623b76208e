// SPDX-License-Identifier: BSL-1.0
// Declared networks of bytes, in TFLite's arithmetic, against the real numbers that they stand for. Whoever includes it
// has included the kernels.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace nn = ctnn;

namespace {

struct tiny
    : nn::network<nn::input<"x", nn::shape<2, 4, 5>, nn::as_i8<0.5, 3>>,
                  nn::conv2d<"conv", nn::out<4>, nn::kernel<3>, nn::pad<1>, nn::per_channel, nn::as_i8<0.25, -20>,
                             nn::fused<nn::function::relu>>,
                  nn::conv2d<"depthwise", nn::out<4>, nn::kernel<3>, nn::groups<4>, nn::pad<1>, nn::per_channel,
                             nn::as_i8<0.5, 5>>,
                  nn::conv2d<"grouped", nn::from<"conv">, nn::out<4>, nn::kernel<3>, nn::groups<2>, nn::pad<1>,
                             nn::as_i8<0.5, 7>, nn::fused<nn::function::clip, 0, 6>>,
                  nn::add<"sum", nn::from<"depthwise", "conv">, nn::as_i8<0.75, -1>>,
                  nn::max_pool2d<"pooled", nn::kernel<2>, nn::stride<1>>,
                  nn::mul<"product", nn::from<"pooled", "pooled">, nn::as_i8<8, -100>>,
                  nn::sigmoid<"gate", nn::from<"pooled">, nn::as_i8<0.00390625, -128>>,
                  nn::quantize<"coarse", nn::from<"pooled">, nn::as_i8<8, -100>>,
                  nn::concat<"both", nn::from<"product", "coarse">, nn::axis<0>>,
                  nn::avg_pool2d<"mean", nn::kernel<3, 4>>, nn::flatten<"flat">,
                  nn::linear<"fc", nn::out<5>, nn::as_i8<2, 10>>, nn::softmax<"prob", nn::as_i8<0.00390625, -128>>,
                  nn::dequantize<"real">, nn::output<"fc", "prob", "real", "gate", "grouped">> {};

// Written here as sums that a reader can follow, real number by real number; scales of weights are powers of two, so
// that doubles have every product exactly.
using reals = std::vector<double>;

template <std::size_t N>
constexpr std::array<std::int8_t, N> bytes(unsigned seed) {
  std::array<std::int8_t, N> all{};
  for (std::int8_t& b : all) b = static_cast<std::int8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
  return all;
}
constexpr auto conv_weight = bytes<4 * 2 * 9>(11);
constexpr auto depthwise_weight = bytes<4 * 9>(12);
constexpr auto grouped_weight = bytes<4 * 2 * 9>(14);
constexpr auto fc_weight = bytes<5 * 8>(13);
constexpr std::int32_t conv_bias[] = {100, -2000, 0, 3000}, depthwise_bias[] = {-500, 0, 400, 1},
                       fc_bias[] = {9, -8, 7, -6, 5};
constexpr float conv_scale[] = {0.0078125f, 0.03125f, 0.015625f, 0.0625f},
                depthwise_scale[] = {0.03125f, 0.0625f, 0.015625f, 0.25f}, fc_scale[] = {0.5f};

constexpr float grouped_scale[] = {0.03125f}, each_scale[] = {0.03125f, 0.03125f, 0.03125f, 0.03125f};
constexpr nn::named_weight given[] = {{"grouped", "weight", grouped_weight},
                                      {"grouped", "bias", conv_bias},
                                      {"grouped", "weight_scale", grouped_scale},
                                      {"conv", "weight", conv_weight},
                                      {"conv", "bias", conv_bias},
                                      {"conv", "weight_scale", conv_scale},
                                      {"depthwise", "weight", depthwise_weight},
                                      {"depthwise", "bias", depthwise_bias},
                                      {"depthwise", "weight_scale", depthwise_scale},
                                      {"fc", "weight", fc_weight},
                                      {"fc", "bias", fc_bias},
                                      {"fc", "weight_scale", fc_scale}};
constexpr auto as_declared = nn::pack<tiny, given>();
constexpr auto folded = nn::fold<tiny, given>();

double quantized(double real, double scale, int zero, double low = -128) {
  return std::clamp(std::floor(real / scale + 0.5) + zero, low, 127.0);
}
reals to_real(const reals& bytes, double scale, int zero) {
  reals y;
  for (double b : bytes) y.push_back((b - zero) * scale);
  return y;
}
/// 3 x 3 windows over planes of 4 x 5 with zeros around.
reals convolved(const reals& x, int ins, int outs, int groups, const std::int8_t* w, const std::int32_t* bias,
                const float* scale, double x_scale) {
  reals y;
  const int each = ins / groups;
  for (int o = 0; o < outs; ++o)
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 5; ++c) {
        double sum = bias[o] * x_scale * static_cast<double>(scale[o]);
        for (int i = 0; i < each; ++i)
          for (int k = 0; k < 9; ++k) {
            const int ry = r + k / 3 - 1, cx = c + k % 3 - 1, plane = o / (outs / groups) * each + i;
            if (ry >= 0 && ry < 4 && cx >= 0 && cx < 5)
              sum += x[static_cast<std::size_t>((plane * 4 + ry) * 5 + cx)] * w[(o * each + i) * 9 + k] *
                     static_cast<double>(scale[o]);
          }
        y.push_back(sum);
      }
  return y;
}
template <class F>
reals each(const reals& x, F f) {
  reals y;
  for (double v : x) y.push_back(f(v));
  return y;
}

template <class Net>
void check_tiny(const nn::parameters<Net>& weights) {
  static nn::engine<Net> run(weights);
  static_assert(std::is_same_v<typename nn::engine<Net>::template input_span<0>, std::span<const std::int8_t, 40>>);
  static_assert(std::is_same_v<typename nn::engine<Net>::template output_span<0>, std::span<const std::int8_t, 5>>);
  for (unsigned seed = 1; seed < 9; ++seed) {
    const auto image = bytes<40>(seed);
    const reals x = to_real(reals(image.begin(), image.end()), 0.5, 3);
    const reals conv = to_real(each(convolved(x, 2, 4, 1, conv_weight.data(), conv_bias, conv_scale, 0.5),
                                    [](double v) { return quantized(v, 0.25, -20, -20); }),
                               0.25, -20);
    const reals deep =
        to_real(each(convolved(conv, 4, 4, 4, depthwise_weight.data(), depthwise_bias, depthwise_scale, 0.25),
                     [](double v) { return quantized(v, 0.5, 5); }),
                0.5, 5);
    const reals grouped = each(convolved(conv, 4, 4, 2, grouped_weight.data(), conv_bias, each_scale, 0.25),
                               [](double v) { return std::min(quantized(v, 0.5, 7, 7), 19.0); });
    reals pooled, gate;
    for (int p = 0; p < 4; ++p)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) {
          double most = -1e9;
          for (int k = 0; k < 4; ++k) {
            const auto at = static_cast<std::size_t>((p * 4 + r + k / 2) * 5 + c + k % 2);
            most = std::max(most, (quantized(conv[at] + deep[at], 0.75, -1) + 1) * 0.75);
          }
          pooled.push_back(most);
          gate.push_back(quantized(1 / (1 + std::exp(-most)), 1 / 256.0, -128));
        }
    reals mean;
    for (int half = 0; half < 2; ++half)
      for (std::size_t p = 0; p < 4; ++p) {
        double sum = 0;
        for (std::size_t i = p * 12; i < p * 12 + 12; ++i)
          sum += quantized(half == 0 ? pooled[i] * pooled[i] : pooled[i], 8, -100);
        mean.push_back((std::round(sum / 12) + 100) * 8);
      }
    reals fc, prob;
    double all = 0;
    for (std::size_t o = 0; o < 5; ++o) {
      double sum = fc_bias[o] * 8 * 0.5;
      for (std::size_t i = 0; i < 8; ++i) sum += mean[i] * fc_weight[o * 8 + i] * 0.5;
      fc.push_back(quantized(sum, 2, 10));
      all += std::exp(2 * fc[o]);
    }
    for (double v : fc) prob.push_back(quantized(std::exp(2 * v) / all, 1 / 256.0, -128));
    run(image);
    CHECK(std::ranges::equal(run.template output<0>(), fc));
    CHECK(std::ranges::equal(run.template output<1>(), prob));
    CHECK(std::ranges::equal(run.template output<2>(), to_real(prob, 1 / 256.0, -128)));
    CHECK(std::ranges::equal(run.template output<3>(), gate));
    CHECK(std::ranges::equal(run.template output<4>(), grouped));
  }
}

}  // namespace
