// SPDX-License-Identifier: BSL-1.0
// A network run by the compiler: its answer stands in a static_assert.
#include <doctest/doctest.h>

#include <ctnn/network/constant_run.hpp>
#include <ctnn/network/lift.hpp>

namespace nn = ctnn;

namespace {

/// Horizontal edge or vertical edge? Two filters by hand, a pooling and a linear layer that compares.
struct edges : nn::network<
    nn::input<"image", nn::shape<1, 4, 4>>,
    nn::conv2d<"conv", nn::out<2>, nn::kernel<2>>,
    nn::batch_norm<"bn">,
    nn::relu<"relu">,
    nn::adaptive_avg_pool2d<"gap">,
    nn::flatten<"flat">,
    nn::linear<"fc", nn::out<2>, nn::no_bias>,
    nn::softmax<"prob">> {};

constexpr float filters[] = {1, 1, -1, -1, /**/ 1, -1, 1, -1}, zeros[] = {0, 0}, ones[] = {1, 1},
                comparison[] = {4, -4, -4, 4};
constexpr nn::named_weight weights[] = {
    {"conv", "weight", filters},   {"conv", "bias", zeros},     {"bn", "weight", ones},      {"bn", "bias", zeros},
    {"bn", "running_mean", zeros}, {"bn", "running_var", ones}, {"fc", "weight", comparison}};
constexpr float horizontal[] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
constexpr float vertical[] = {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0};

constexpr auto first = nn::constant_run<edges, weights>(horizontal);
static_assert(nn::argmax(first) == 0);
static_assert(nn::argmax(nn::constant_run<edges, weights>(vertical)) == 1);
static_assert(first[0] > 0.99f && first[0] + first[1] > 0.9999f && first[0] + first[1] < 1.0001f);

/// Two inputs, two outputs.
using pair = nn::network<nn::input<"a", nn::shape<3>>, nn::input<"b", nn::shape<3>>, nn::add<"sum", nn::from<"a", "b">>,
                         nn::maximum<"larger", nn::from<"a", "b">>, nn::output<"larger", "sum">>;
constexpr std::array<nn::named_weight, 0> no_weights{};
constexpr float a[] = {1, 2, 3}, b[] = {3, 2, 0};
static_assert(nn::constant_run<pair, no_weights, 0>(a, b) == std::array<float, 3>{3, 2, 3});
static_assert(nn::constant_run<pair, no_weights, 1>(a, b) == std::array<float, 3>{4, 4, 3});

}  // namespace

TEST_CASE("the compiler's answer is the program's answer") {
  const auto now = nn::constant_run<edges, weights>(horizontal);
  CHECK(now[0] == doctest::Approx(first[0]));
  CHECK(nn::argmax(nn::constant_run<edges, weights>(vertical)) == 1);
}
