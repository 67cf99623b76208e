// SPDX-License-Identifier: BSL-1.0
// Numbers a channel, as PyTorch's modules have them, where the batch is as large as there are channels: taking the one
// axis for the other loads and runs without a word.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

namespace nn = ctnn;

namespace {

// BatchNorm1d(2) on (N, C) and (N, C, L), BatchNorm2d(2) on (C, H, W) and (N, C, H, W), eps 0, by hand:
// (x - 1) / 2 * 2 + 0.5 in the first channel, (x - 2) / 0.5 * -1 + 1 in the second.
constexpr float gamma[] = {2, -1}, beta[] = {0.5f, 1}, mean[] = {1, 2}, variance[] = {4, 0.25f};
constexpr nn::named_weight norm[] = {
    {"bn", "weight", gamma}, {"bn", "bias", beta}, {"bn", "running_mean", mean}, {"bn", "running_var", variance}};
constexpr float four[] = {1, 2, 3, 4}, eight[] = {1, 2, 3, 4, 5, 6, 7, 8};
using by_column = std::array<float, 4>;
using by_middle = std::array<float, 8>;
constexpr by_column columns{0.5f, 1, 2.5f, -3};
constexpr by_middle middles{0.5f, 1.5f, -1, -3, 4.5f, 5.5f, -9, -11}, firsts{0.5f, 1.5f, 2.5f, 3.5f, -5, -7, -9, -11};

template <class Layer, nn::number... D>
using on = nn::network<nn::input<"x", nn::shape<D...>>, Layer>;
using norm_1d = nn::batch_norm1d<"bn", nn::eps<0>>;
using norm_2d = nn::batch_norm2d<"bn", nn::eps<0>>;

static_assert(nn::constant_run<on<norm_1d, 2, 2>, norm>(four) == columns);
static_assert(nn::constant_run<on<norm_1d, 2, 2, 2>, norm>(eight) == middles);
static_assert(nn::constant_run<on<norm_2d, 2, 2, 2>, norm>(eight) == firsts);
static_assert(nn::constant_run<on<norm_2d, 2, 2, 1, 2>, norm>(eight) == middles);
static_assert(nn::constant_run<on<nn::batch_norm<"bn", nn::eps<0>, nn::axis<0>>, 2, 2, 2>, norm>(eight) == firsts);
static_assert(nn::constant_run<on<nn::batch_norm<"bn", nn::eps<0>>, 2, 2, 1, 2>, norm>(eight) == middles);

// x * gamma + beta; x + gamma; prelu of slope gamma on negatives
constexpr nn::named_weight scaled[] = {{"s", "scale", gamma}, {"s", "bias", beta}}, shifted[] = {{"s", "bias", gamma}},
                           bent[] = {{"s", "weight", gamma}};
constexpr float negative[] = {-1, -2, -3, -4};
static_assert(nn::constant_run<on<nn::scale<"s", nn::axis<1>>, 2, 2>, scaled>(four) == by_column{2.5f, -1, 6.5f, -3});
static_assert(nn::constant_run<on<nn::bias<"s", nn::axis<1>>, 2, 2>, shifted>(four) == by_column{3, 1, 5, 3});
static_assert(nn::constant_run<on<nn::prelu<"s", nn::axis<-1>>, 2, 2>, bent>(negative) == by_column{-2, 2, -6, 4});
static_assert(nn::constant_run<on<nn::prelu<"s", nn::axis<0>>, 2, 2>, bent>(negative) == by_column{-2, -4, 3, 4});

/// The multilayer perceptron of PyTorch's tutorials: the normalisation of (N, C) becomes part of the linear layer.
using perceptron =
    nn::network<nn::input<"x", nn::shape<3, 2>>, nn::linear<"fc", nn::out<3>>, nn::batch_norm1d<"bn">, nn::relu<"r">>;
static_assert(nn::optimized<perceptron>::size == 2);
/// Along the batch it does not.
using other_way =
    nn::network<nn::input<"x", nn::shape<3, 2>>, nn::linear<"fc", nn::out<3>>, nn::batch_norm<"bn", nn::axis<0>>>;
static_assert(nn::optimized<other_way>::has<"bn">);
/// Nor do a convolution's rows.
using rows =
    nn::network<nn::input<"x", nn::shape<2, 3, 3>>, nn::conv2d<"c", nn::out<3>, nn::kernel<1>>, nn::batch_norm1d<"bn">>;
static_assert(nn::optimized<rows>::has<"bn">);
/// Scales of different axes stay two, those of one become one; the optimised network says the axis again.
using crossed = nn::network<nn::input<"x", nn::shape<2, 2>>, nn::scale<"a", nn::axis<0>>, nn::scale<"b", nn::axis<1>>>;
static_assert(std::is_same_v<nn::optimized<crossed>, nn::canonical<crossed>>);
using merged = nn::network<nn::input<"x", nn::shape<2, 2>>, nn::batch_norm1d<"a">, nn::scale<"b", nn::axis<-1>>>;
static_assert(
    std::is_same_v<nn::optimized<merged>, nn::network<nn::input<"x", nn::shape<2, 2>>, nn::scale<"a", nn::axis<1>>>>);
/// A product with a number a channel becomes a scale that a declaration may not leave without its axis.
using product =
    nn::network<nn::input<"x", nn::shape<2, 2>>, nn::constant<"k", nn::shape<2, 1>>, nn::mul<"m", nn::from<"x", "k">>>;
static_assert(std::is_same_v<nn::optimized<product>,
                             nn::network<nn::input<"x", nn::shape<2, 2>>, nn::scale<"m", nn::no_bias, nn::axis<0>>>>);

/// Images need no axis, through whatever keeps them.
using images =
    nn::network<nn::input<"x", nn::shape<2, 8, 8>>, nn::conv2d<"c", nn::out<4>, nn::kernel<3>>, nn::relu<"r">,
                nn::batch_norm<"a">, nn::max_pool2d<"p", nn::kernel<2>>, nn::concat<"both", nn::from<"p", "p">>,
                nn::batch_norm<"b">, nn::prelu<"s">, nn::interpolate_nearest<"up", nn::from<"x">, nn::size<3>>,
                nn::mul<"m", nn::scalar<2>>, nn::bias<"d">, nn::output<"s", "d">>;
static_assert(nn::optimized<images>::size > 0);

}  // namespace

TEST_CASE("channels of (N, C), (N, C, L) and images on every target") {
  const auto gives = [&]<class Net>(std::type_identity<Net>, const auto& given, const auto& in, const auto& wanted) {
    static nn::parameters<Net> plain{nn::zeros};
    static nn::parameters<nn::optimized<Net>> folded{nn::zeros};
    REQUIRE(!nn::load(plain, given).found);
    REQUIRE(!nn::load_folded<Net>(folded, given).found);
    static nn::engine<Net> slow{plain};
    static nn::engine<nn::optimized<Net>> fast{folded};
    for (const nn::target_id t : nn::supported_targets()) {
      slow.use(t);
      fast.use(t);
      const auto a = slow(in), b = fast(in);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(a[i] == doctest::Approx(wanted[i]));
        CHECK(b[i] == doctest::Approx(wanted[i]));
      }
    }
  };
  gives(std::type_identity<on<norm_1d, 2, 2>>{}, norm, four, columns);
  gives(std::type_identity<on<norm_1d, 2, 2, 2>>{}, norm, eight, middles);
  gives(std::type_identity<on<norm_2d, 2, 2, 2>>{}, norm, eight, firsts);
  gives(std::type_identity<on<norm_2d, 2, 2, 1, 2>>{}, norm, eight, middles);
  gives(std::type_identity<on<nn::scale<"s", nn::axis<1>>, 2, 2>>{}, scaled, four, by_column{2.5f, -1, 6.5f, -3});
  gives(std::type_identity<on<nn::prelu<"s", nn::axis<1>>, 2, 2>>{}, bent, negative, by_column{-2, 2, -6, 4});
}
