// SPDX-License-Identifier: BSL-1.0
// Words of torch.nn: each beside PyTorch's formula in double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ctnn/typed.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

constexpr float numbers[] = {-3.5f, -1.25f, -0.75f, -0.25f, 0, 0.125f, 0.5f, 0.75f, 1.5f, 2, 3.25f, 6};

/// What a layer makes of the numbers, as 3 x 4; optimised.
template <class... Layers>
floats made_by() {
  using net = nn::optimized<nn::network<nn::input<"x", nn::shape<3, 4>>, Layers...>>;
  static const nn::parameters<net> weights{nn::zeros};
  static nn::engine<net> run(weights);
  const auto y = run(numbers);
  return floats(y.begin(), y.end());
}
template <class F>
floats each(F f) {
  floats y;
  for (float x : numbers) y.push_back(static_cast<float>(f(static_cast<double>(x))));
  return y;
}
std::string off(const floats& got, const floats& want) { return nn::ir::test::difference({got}, {want}, 2e-6); }

}  // namespace

TEST_CASE("activations") {
  const auto tanh_of = [](double x) { return std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x); };
  CHECK(off(made_by<nn::gelu_tanh<"y">>(), each([&](double x) { return x / 2 * (1 + std::tanh(tanh_of(x))); })) == "");
  CHECK(off(made_by<nn::softplus<"y">>(), each([](double x) { return std::log(1 + std::exp(x)); })) == "");
  CHECK(off(made_by<nn::softsign<"y">>(), each([](double x) { return x / (1 + std::fabs(x)); })) == "");
  CHECK(off(made_by<nn::selu<"y">>(), each([](double x) {
              return 1.0507009873554804934193349852946 *
                     (std::max(0.0, x) + std::min(0.0, 1.6732632423543772848170429916717 * (std::exp(x) - 1)));
            })) == "");
  CHECK(off(made_by<nn::celu<"y", 0.5>>(),
            each([](double x) { return std::max(0.0, x) + std::min(0.0, 0.5 * (std::exp(x / 0.5) - 1)); })) == "");
  CHECK(off(made_by<nn::hardshrink<"y", 0.5>>(), each([](double x) { return std::fabs(x) > 0.5 ? x : 0; })) == "");
  CHECK(off(made_by<nn::softshrink<"y", 0.5>>(), each([](double x) {
              return x > 0.5 ? x - 0.5 : x < -0.5 ? x + 0.5 : 0;
            })) == "");
  CHECK(off(made_by<nn::thresholded_relu<"y", 1>>(), each([](double x) { return x > 1 ? x : 0; })) == "");
}

TEST_CASE("log_softmax, cumsum, tile, expand, topk") {
  floats want;
  for (int row = 0; row < 3; ++row) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += std::exp(static_cast<double>(numbers[4 * row + i]));
    for (int i = 0; i < 4; ++i)
      want.push_back(static_cast<float>(static_cast<double>(numbers[4 * row + i]) - std::log(sum)));
  }
  CHECK(off(made_by<nn::log_softmax<"y">>(), want) == "");

  want.assign(numbers, numbers + 12);
  for (std::size_t i = 4; i < 12; ++i) want[i] += want[i - 4];
  CHECK(off(made_by<nn::cumsum<"y">>(), want) == "");

  want.assign(numbers, numbers + 12);
  want.insert(want.end(), numbers, numbers + 12);
  CHECK(off(made_by<nn::tile<"y", nn::repeats<2, 1>>>(), want) == "");
  CHECK(off(made_by<nn::reshape<"r", nn::shape<1, 12>>, nn::expand<"y", nn::shape<2, 12>>>(), want) == "");
  CHECK(made_by<nn::topk<"y", nn::option<"k", 2>>, nn::output<"y.0">>() ==
        floats{-0.25f, -0.75f, 0.75f, 0.5f, 6, 3.25f});
}

TEST_CASE("pixel_shuffle's factor, padding's fill_value") {
  // Channel 2 r + c becomes row r, column c of each pixel.
  CHECK(made_by<nn::reshape<"r", nn::shape<4, 1, 3>>, nn::pixel_shuffle<"y", nn::upscale_factor<2>>>() ==
        floats{-3.5f, -0.25f, -1.25f, 0, -0.75f, 0.125f, 0.5f, 2, 0.75f, 3.25f, 1.5f, 6});
  CHECK(made_by<nn::slice<"s", nn::axis<0>, nn::start<0>, nn::end<1>>,
                nn::constant_pad<"y", nn::before<0, 1>, nn::after<0, 0>, nn::fill_value<7>>>() ==
        floats{7, -3.5f, -1.25f, -0.75f, -0.25f});
}

TEST_CASE("positions: embedding, where, cast") {
  using net = nn::network<
      nn::input<"x", nn::shape<3, 4>>, nn::input<"ids", nn::shape<2>, nn::i64>,
      nn::arg_max<"most", nn::from<"x">, nn::axis<1>>, nn::arg_min<"least", nn::from<"x">, nn::axis<0>>,
      nn::cast<"number", nn::from<"most">, nn::to<nn::dtype::f32>>, nn::embedding<"emb", 3, 2, nn::from<"ids">>,
      nn::full<"limit", nn::shape<1>, nn::fill_value<0.25>>,
      nn::gt<"large", nn::from<"x", "limit">>,
      nn::where<"chosen", nn::from<"large", "x", "limit">>, nn::output<"number", "least", "emb", "chosen">>;
  const float table[] = {1, 2, 3, 4, 5, 6};
  static nn::parameters<nn::optimized<net>> weights{nn::zeros};
  const nn::problem_report report = nn::load_folded<net>(weights, {{nn::state("emb.weight", table)}});
  CHECK(report.found.kind == nn::mistake::none);
  static nn::engine<nn::optimized<net>> run(weights);
  const std::int64_t ids[] = {2, 0};
  run.run(numbers, ids);
  CHECK(floats(run.output<0>().begin(), run.output<0>().end()) == floats{3, 3, 3});
  CHECK(std::accumulate(run.output<1>().begin(), run.output<1>().end(), std::int64_t{0}) == 0);
  CHECK(floats(run.output<2>().begin(), run.output<2>().end()) == floats{5, 6, 1, 2});
  CHECK(run.output<3>()[0] == 0.25f);
  CHECK(run.output<3>()[11] == 6);
}

TEST_CASE("triangles, comparisons, regions") {
  CHECK(made_by<nn::triu<"y", nn::diagonal<1>>>() == floats{0, -1.25f, -0.75f, -0.25f, 0, 0, 0.5f, 0.75f, 0, 0, 0, 6});
  CHECK(made_by<nn::tril<"y">>() == floats{-3.5f, 0, 0, 0, 0, 0.125f, 0, 0, 1.5f, 2, 3.25f, 0});
  CHECK(made_by<nn::relu<"r">, nn::ge<"same", nn::from<"x", "r">>, nn::cast<"y", nn::to<nn::dtype::f32>>>() ==
        floats{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(made_by<nn::relu<"r">, nn::ne<"other", nn::from<"x", "r">>, nn::cast<"y", nn::to<nn::dtype::f32>>>() ==
        floats{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});

  // A region in an image of which x has every second or fourth pixel.
  using net = nn::network<nn::input<"x", nn::shape<1, 1, 3, 4>>, nn::constant<"regions", nn::shape<1, 5>>,
                          nn::roi_pool<"half", nn::from<"x", "regions">, nn::size<1>, nn::spatial_scale<0.5>>,
                          nn::roi_pool<"quarter", nn::from<"x", "regions">, nn::size<1>, nn::spatial_scale<0.25>>,
                          nn::output<"half", "quarter">>;
  const float region[] = {0, 0, 0, 6, 4};
  static nn::parameters<net> weights{nn::zeros};
  CHECK(nn::load(weights, {{nn::state("regions", region)}}).found.kind == nn::mistake::none);
  static nn::engine<net> run(weights);
  run(numbers);
  CHECK(run.output<0>()[0] == 6);
  CHECK(run.output<1>()[0] == 0.5f);
}

TEST_CASE("attention by heads, causal") {
  // One head of two numbers, three positions: the first sees itself only, so it gives its own value.
  using net = nn::optimized<
      nn::network<nn::input<"x", nn::shape<1, 3, 4>>,
                  nn::attention<"y", nn::from<"x", "x", "x">, nn::heads<2>, nn::kv_heads<2>, nn::causal>>>;
  static const nn::parameters<net> weights{nn::zeros};
  static nn::engine<net> run(weights);
  const auto y = run(numbers);
  floats want(12);
  for (int h = 0; h < 2; ++h)
    for (int q = 0; q < 3; ++q) {
      double sum = 0, out[2] = {};
      for (int k = 0; k <= q; ++k) {
        double product = 0;
        for (int i = 0; i < 2; ++i)
          product += static_cast<double>(numbers[4 * q + 2 * h + i]) * static_cast<double>(numbers[4 * k + 2 * h + i]);
        const double share = std::exp(product / std::sqrt(2.0));
        sum += share;
        for (int i = 0; i < 2; ++i) out[i] += share * static_cast<double>(numbers[4 * k + 2 * h + i]);
      }
      for (int i = 0; i < 2; ++i) want[static_cast<std::size_t>(4 * q + 2 * h + i)] = static_cast<float>(out[i] / sum);
    }
  CHECK(off(floats(y.begin(), y.end()), want) == "");
}

TEST_CASE("instance_norm, group_norm, glu, chunk, unflatten, pixel_unshuffle") {
  const auto normed = [](int from, int count) {
    double mean = 0, variance = 0;
    for (int i = from; i < from + count; ++i) mean += static_cast<double>(numbers[i]) / count;
    for (int i = from; i < from + count; ++i) variance += std::pow(static_cast<double>(numbers[i]) - mean, 2) / count;
    floats y;
    for (int i = from; i < from + count; ++i)
      y.push_back(static_cast<float>((static_cast<double>(numbers[i]) - mean) / std::sqrt(variance + 1e-5)));
    return y;
  };
  floats want;
  for (int channel = 0; channel < 3; ++channel)
    for (float f : normed(4 * channel, 4)) want.push_back(f);
  CHECK(off(made_by<nn::reshape<"r", nn::shape<3, 2, 2>>, nn::instance_norm2d<"y">>(), want) == "");
  CHECK(off(made_by<nn::instance_norm1d<"y">>(), want) == "");
  CHECK(off(made_by<nn::reshape<"r", nn::shape<3, 1, 2, 2>>, nn::instance_norm3d<"y">>(), want) == "");

  using net = nn::network<nn::input<"x", nn::shape<4, 1, 3>>, nn::group_norm<"norm", 2, 4, nn::axis<0>>>;
  const float weight[] = {2, 1, -1, 0.5f}, bias[] = {0, 1, 0, 0.25f};
  static nn::parameters<nn::optimized<net>> weights{nn::zeros};
  const nn::named_weight given[] = {nn::state("norm.weight", weight), nn::state("norm.bias", bias)};
  CHECK(nn::load_folded<net>(weights, given).found.kind == nn::mistake::none);
  static nn::engine<nn::optimized<net>> run(weights);
  const auto y = run(numbers);
  want = normed(0, 6);
  for (float f : normed(6, 6)) want.push_back(f);
  for (std::size_t i = 0; i < 12; ++i) want[i] = want[i] * weight[i / 3] + bias[i / 3];
  CHECK(off(floats(y.begin(), y.end()), want) == "");

  // Of four dimensions the first is the batch, without a word: here one image of four channels.
  using batch = nn::network<nn::input<"x", nn::shape<1, 4, 1, 3>>, nn::group_norm<"norm", 2, 4>>;
  static nn::parameters<nn::optimized<batch>> same{nn::zeros};
  CHECK(nn::load_folded<batch>(same, given).found.kind == nn::mistake::none);
  static nn::engine<nn::optimized<batch>> run_batch(same);
  const auto z = run_batch(numbers);
  CHECK(off(floats(z.begin(), z.end()), want) == "");

  want.clear();
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < 2; ++i) want.push_back(numbers[4 * row + i] / (1 + std::exp(-numbers[4 * row + 2 + i])));
  CHECK(off(made_by<nn::glu<"y">>(), want) == "");
  // All parts but the last are as large as the first.
  CHECK(made_by<nn::chunk<"parts", 3, nn::dim<0>>, nn::identity<"y", nn::from<"parts.1">>>() ==
        floats(numbers + 4, numbers + 8));
  CHECK(made_by<nn::reshape<"r", nn::shape<12>>, nn::slice<"s", nn::end<11>>, nn::chunk<"parts", 3>,
                nn::concat<"y", nn::from<"parts.2", "parts.0">>>() ==
        floats{1.5f, 2, 3.25f, -3.5f, -1.25f, -0.75f, -0.25f});
  CHECK(made_by<nn::unflatten<"u", nn::dim<1>, nn::unflattened_size<2, -1>>, nn::permute<"y", nn::order<2, 0, 1>>>() ==
        floats{-3.5f, -0.75f, 0, 0.5f, 1.5f, 3.25f, -1.25f, -0.25f, 0.125f, 0.75f, 2, 6});

  CHECK(made_by<nn::reshape<"r", nn::shape<1, 2, 6>>, nn::pixel_unshuffle<"y", 2>>() ==
        floats{-3.5f, -0.75f, 0, -1.25f, -0.25f, 0.125f, 0.5f, 1.5f, 3.25f, 0.75f, 2, 6});
}

TEST_CASE("PyTorch's longer names of options") {
  using namespace nn;
  using longer =
      network<input<"x", shape<4, 8, 8>>, constant<"w", shape<8>>,
              conv2d<"conv", from<"x">, out_channels<8>, kernel_size<3>, padding<1>>, group_norm<"norm", 2, 8>,
              layer<op::group_norm, "plain", from<"norm", "w", "w">, num_groups<4>>, reshape<"steps", shape<8, 64>>,
              gru<"gru", hidden_size<4>>, linear<"fc", out_features<2>>>;
  using shorter =
      network<input<"x", shape<4, 8, 8>>, constant<"w", shape<8>>, conv2d<"conv", from<"x">, out<8>, kernel<3>, pad<1>>,
              group_norm<"norm", 2, 8>, layer<op::group_norm, "plain", from<"norm", "w", "w">, groups<4>>,
              reshape<"steps", shape<8, 64>>, gru<"gru", hidden<4>>, linear<"fc", out<2>>>;
  CHECK(to_string<longer> == to_string<shorter>);
}
