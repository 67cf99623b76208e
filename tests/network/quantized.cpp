// SPDX-License-Identifier: BSL-1.0
// Declared networks of bytes by the kernels for any element type.
#include <algorithm>

#include <ctnn/typed.hpp>

#include "quantized_cases.hpp"

TEST_CASE("bytes in, bytes out") {
  check_tiny<tiny>(as_declared);
  check_tiny<nn::optimized<tiny>>(folded);
}

namespace {

/// ONNX's ConvInteger asks nothing of what the bytes before it stand for.
struct sums : nn::network<nn::input<"x", nn::shape<1, 8, 8>>, nn::quantize<"bytes", nn::as_i8<0.05, 3>>,
                          nn::storage_cast<"integers">, nn::conv2d<"sums", nn::out<2>, nn::kernel<3>, nn::no_bias>,
                          nn::cast<"real", nn::to<nn::dtype::f32>>> {};
static_assert(nn::output_shape<sums, "sums">[0] == 2);

/// A convolution in ncnn's arithmetic.
template <nn::fixed_string Name, class From, int Kernel>
using ncnn_layer = nn::conv2d<Name, From, nn::out<2>, nn::kernel<Kernel>, nn::pad<Kernel / 2>, nn::per_channel,
                              nn::real_bias, nn::fused<nn::function::relu>>;
struct fire
    : nn::network<nn::input<"x", nn::shape<2, 4, 5>>, nn::quantize<"bytes", nn::as_i8<1.0 / 40>, nn::rounded_away>,
                  ncnn_layer<"a", nn::from<"bytes">, 1>, ncnn_layer<"b", nn::from<"bytes">, 3>,
                  nn::concat<"both", nn::from<"a", "b">, nn::axis<0>>,
                  nn::quantize<"bytes_of_both", nn::as_i8<1.0 / 25>, nn::rounded_away>,
                  ncnn_layer<"last", nn::from<"bytes_of_both">, 1>> {};

constexpr auto weight_1x1 = bytes<2 * 2>(21);
constexpr auto weight_3x3 = bytes<2 * 2 * 9>(22);
constexpr auto last_weight = bytes<2 * 4>(23);
constexpr float biases[] = {0.25f, -0.5f}, weight_scales[] = {37, 50};
constexpr nn::named_weight fire_weights[] = {
    {"a", "weight", weight_1x1},     {"a", "bias", biases},    {"a", "weight_scale", weight_scales},
    {"b", "weight", weight_3x3},     {"b", "bias", biases},    {"b", "weight_scale", weight_scales},
    {"last", "weight", last_weight}, {"last", "bias", biases}, {"last", "weight_scale", weight_scales}};
constexpr auto fire_as_declared = nn::pack<fire, fire_weights>();
constexpr auto fire_folded = nn::fold<fire, fire_weights>();
static_assert(nn::arena_bytes<nn::optimized<fire>> < nn::arena_bytes<fire>);

}  // namespace

TEST_CASE("declared layers of ncnn's make the bytes that the next one would") {
  static nn::engine<fire> as_declared_run(fire_as_declared);
  static nn::engine<nn::optimized<fire>> optimized_run(fire_folded);
  float x[40];
  for (int i = 0; i < 40; ++i) x[i] = static_cast<float>(i * 7 % 23 - 11) / 5;
  const auto want = as_declared_run(x), got = optimized_run(x);
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == want[i]);
}

TEST_CASE("bytes of several samples") {
  constexpr int samples = 3;
  using batch = nn::batched<tiny, samples>;
  static_assert(nn::output_shape<batch, "prob"> == nn::extents{samples, 5});
  static constexpr auto weights = nn::pack<batch, given>();
  static nn::engine<tiny> one(as_declared);
  static nn::engine<batch> all(weights);
  constexpr auto images = bytes<samples * 40>(31);
  all.run(nn::in<"x">(std::span(images)));
  for (std::size_t n = 0; n < samples; ++n) {
    one.run(nn::in<"x">(std::span(images).subspan(40 * n).first<40>()));
    CHECK(std::ranges::equal(all.output<1>().subspan(5 * n, 5), one.output<1>()));
    CHECK(std::ranges::equal(all.output<4>().subspan(80 * n, 80), one.output<4>()));
  }
}
