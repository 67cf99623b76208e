// SPDX-License-Identifier: BSL-1.0
// network/with_weights.hpp: what weights say of themselves is in the type.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/verify.hpp>

namespace nn = ctnn;

namespace {

template <int Out>
using of = nn::network<nn::input<"x", nn::shape<2, 4, 4>>, nn::conv2d<"a", nn::out<Out>, nn::kernel<3>, nn::pad<1>>,
                       nn::batch_norm<"norm">, nn::relu<"relu">, nn::avg_pool2d<"pool", nn::kernel<2>>,
                       nn::flatten<"f">, nn::linear<"fc", nn::out<2>>, nn::linear<"last", nn::out<2>, nn::no_bias>>;
using net = of<3>;

template <std::size_t N>
constexpr std::array<float, N> numbers(int seed) {
  std::array<float, N> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = 0.125f * static_cast<float>((static_cast<int>(i) * 7 + seed) % 11 - 5);
  return all;
}
constexpr auto a = numbers<3 * 18>(0);
constexpr float a_bias[] = {1, 2, 3}, gamma[] = {1, 0, 2}, beta[] = {1, 0, -1}, mean[] = {1, 3, 2},
                variance[] = {1, 2, 4};
constexpr auto fc = numbers<2 * 12>(1);
constexpr float fc_bias[] = {0, 0}, last[] = {1, 0.5f, 0, 2};
constexpr nn::named_weight weights[] = {
    {"a", "weight", a},     {"a", "bias", a_bias},          {"norm", "weight", gamma},
    {"norm", "bias", beta}, {"norm", "running_mean", mean}, {"norm", "running_var", variance},
    {"fc", "weight", fc},   {"fc", "bias", fc_bias},        {"last", "weight", last}};
using known = nn::with_weights<net, weights>;
using small = nn::optimized<known>;

}  // namespace

// The batch normalisation takes the second channel to 0; fc's bias is zeros.
static_assert(nn::output_shape<small, "a"> == nn::extents{2, 4, 4});
static_assert(nn::output_shape<nn::optimized<net>, "a"> == nn::extents{3, 4, 4});
static_assert(nn::weight_count<small> == nn::weight_count<nn::optimized<net>> - 1);
static_assert(nn::macs<small> < nn::macs<nn::optimized<net>>);
static_assert(std::is_same_v<nn::optimized<known, nn::exact_rules>, nn::optimized<net, nn::exact_rules>>);

TEST_CASE("a network with its weights is the same network with fewer channels") {
  std::vector<float> x(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 9) - 4;
  const std::span<const float> inputs[] = {x};
  const nn::verification v = nn::verify<known>(weights, inputs, 1e-5);
  CHECK(v.same);
}
TEST_CASE("fold() has its weights, and no channel of zeros") {
  constexpr auto folded = nn::fold<known>();
  constexpr auto again = nn::fold<known, weights>();
  CHECK(std::ranges::equal(folded.packed, again.packed));
  CHECK(sizeof(folded) < sizeof(nn::parameters<nn::optimized<net>>));
}

// Of another network it takes the second channel to a half, which the linear layer adds to its bias.
namespace {

constexpr float half[] = {1, 0.5f, -1};
constexpr nn::named_weight other_weights[] = {
    {"a", "weight", a},     {"a", "bias", a_bias},          {"norm", "weight", gamma},
    {"norm", "bias", half}, {"norm", "running_mean", mean}, {"norm", "running_var", variance},
    {"fc", "weight", fc},   {"fc", "bias", fc_bias},        {"last", "weight", last}};
using other = nn::with_weights<net, other_weights>;

}  // namespace
static_assert(nn::output_shape<nn::optimized<other>, "a"> == nn::extents{2, 4, 4});

TEST_CASE("a network without its channel of one number is the same network") {
  std::vector<float> x(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 9) - 4;
  const std::span<const float> inputs[] = {x};
  CHECK(nn::verify<other>(other_weights, inputs, 1e-5).same);
  constexpr auto folded = nn::fold<other>();
  CHECK(sizeof(folded) < sizeof(nn::parameters<nn::optimized<net>>));
}

// Weights and constants whose bits are the same are one, and what differs by nothing else.
namespace {

using twins = nn::network<nn::input<"x", nn::shape<2, 4, 4>>, nn::conv2d<"a", nn::out<3>, nn::kernel<3>, nn::pad<1>>,
                          nn::conv2d<"b", nn::out<3>, nn::kernel<3>, nn::pad<1>, nn::from<"x">>,
                          nn::concat<"both", nn::from<"a", "b">>, nn::constant<"k", nn::shape<6, 1, 4>>,
                          nn::constant<"l", nn::shape<6, 1, 4>>, nn::maximum<"above", nn::from<"both", "k">>,
                          nn::maximum<"below", nn::from<"both", "l">>, nn::mul<"product", nn::from<"above", "below">>>;
constexpr auto k = numbers<24>(2);
constexpr auto l = numbers<24>(2);
constexpr auto same_a = numbers<3 * 18>(0);
template <const auto& B, const auto& BBias>
inline constexpr nn::named_weight of_twins[] = {{"a", "weight", a},   {"a", "bias", a_bias}, {"b", "weight", B},
                                                {"b", "bias", BBias}, {"k", "value", k},     {"l", "value", l}};
constexpr float other_bias[] = {1, 2, -3};
constexpr float same_bias[] = {1, 2, 3};
using one = nn::optimized<nn::with_weights<twins, of_twins<same_a, same_bias>>>;
using two = nn::optimized<nn::with_weights<twins, of_twins<same_a, other_bias>>>;

}  // namespace
static_assert(2 * nn::macs<one> == nn::macs<two> && nn::macs<two> == nn::macs<nn::optimized<twins>>);
static_assert(nn::weight_count<one> == 3 && nn::weight_count<two> == 4);  // the filters are one in any case
static_assert(nn::weight_count<nn::optimized<twins>> == 4);               // of two filters that differ one is made

TEST_CASE("a network whose equal layers are one is the same network") {
  std::vector<float> x(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 9) - 4;
  const std::span<const float> inputs[] = {x};
  const auto &of_one = of_twins<same_a, same_bias>, &of_two = of_twins<same_a, other_bias>;
  CHECK(nn::verify<nn::with_weights<twins, of_twins<same_a, same_bias>>>(of_one, inputs, 1e-5).same);
  CHECK(nn::verify<nn::with_weights<twins, of_twins<same_a, other_bias>>>(of_two, inputs, 1e-5).same);
  constexpr auto folded = nn::fold<nn::with_weights<twins, of_twins<same_a, same_bias>>>();
  CHECK(sizeof(folded) < sizeof(nn::parameters<two>));
}
