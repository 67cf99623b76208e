// SPDX-License-Identifier: BSL-1.0
// A network's layers as records, asked by the algorithms of the standard library; and a layer type's operator.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include <ctnn/typed.hpp>

namespace nn = ctnn;

namespace {

struct net
    : nn::network<nn::input<"x", nn::shape<2, 8, 8>>, nn::conv2d<"wide", nn::out<4>, nn::kernel<3, 5>, nn::pad<1, 2>>,
                  nn::batch_norm<"norm">, nn::relu<"act">, nn::conv2d<"deep", nn::out<4>, nn::kernel<3>, nn::groups<4>>,
                  nn::split<"parts", nn::axis<0>, nn::sizes<1, 3>>, nn::mul<"twice", nn::scalar<2>>,
                  nn::leaky_relu<"leaky", 0.25>, nn::max_pool2d<"pool", nn::kernel<2>>, nn::dropout<"off">,
                  nn::block<"head", nn::flatten<"flat">, nn::linear<"fc", nn::out<5>, nn::no_bias>>,
                  nn::output<"head", "parts.0">> {};
using fused = nn::optimized<net>;

constexpr std::span<const nn::layer_info> layers = nn::layers<net>;
constexpr const nn::layer_info& layer(std::string_view name) {
  return *std::ranges::find(layers, name, &nn::layer_info::name);
}
constexpr std::int64_t sum_of_macs(std::span<const nn::layer_info> all) {
  return std::accumulate(all.begin(), all.end(), std::int64_t{0},
                         [](std::int64_t sum, const nn::layer_info& l) { return sum + l.macs; });
}

static_assert(layers.size() == net::size && nn::layers<fused>.size() == fused::size);
static_assert(layers[0].name == "x" && layers[11].name == "head.fc" && layers[11].line == 0);
static_assert(std::ranges::count_if(layers, [](const auto& l) { return l.template is<nn::op::conv2d>(); }) == 2);
static_assert(std::ranges::count_if(layers, [](const nn::layer_info& l) {
                const auto c = l.as<nn::op::conv2d>();
                return c && c->groups > 1;
              }) == 1);
static_assert(sum_of_macs(layers) == nn::macs<net> && sum_of_macs(nn::layers<fused>) == nn::macs<fused>);
static_assert(std::ranges::max(layers, {}, &nn::layer_info::macs).name == "wide");

// Parameters by name: as many numbers as there are, a list without its length, one number for all axes.
static_assert(std::ranges::equal(layer("wide").get("kernel"), std::array{3.0, 5.0}));
static_assert(std::ranges::equal(layer("parts").get("sizes"), std::array{1.0, 3.0}));
static_assert(layer("deep").get("groups")[0] == 4 && layer("wide").get("groups")[0] == 1);
static_assert(layer("twice").get("scalar")[0] == 2 && layer("leaky").get("activation")[1] == 0.25);
static_assert(layer("wide").get("pudding").empty() && layer("off").get("groups").empty());
static_assert(!layer("norm").as<nn::op::conv2d>() && layer("norm").as<nn::op::batch_norm>()->eps == 1e-5f);

// Words that one declares with, and what messages say.
static_assert(layer("act").word() == "relu" && layer("act").operator_name() == "activation");
static_assert(layer("leaky").word() == "leaky_relu" && layer("pool").word() == "max_pool2d");
static_assert(layer("twice").word() == "mul" && layer("off").word() == "dropout");

// Values and weights.
static_assert(layer("x").inputs.empty() && layer("wide").inputs[0].layer == "x");
static_assert(layer("wide").outputs[0].shape == nn::extents{4, 8, 8} &&
              layer("wide").outputs[0].type == nn::dtype::f32);
static_assert(layer("parts").outputs.size() == 2 && layer("twice").inputs[0].layer == "parts" &&
              layer("twice").inputs[0].number == 1 && layer("twice").inputs[0].shape == nn::extents{3, 6, 6});
static_assert(layer("wide").weights[0].name == "weight" && layer("wide").weights[0].shape == nn::extents{4, 2, 3, 5});
static_assert(layer("norm").weights.size() == 4 && layer("norm").weights[2].name == "running_mean");
static_assert(layer("head.fc").weights.size() == 1 && layer("head.fc").weights[0].layer == "head.fc");

// What became of them.
constexpr std::string_view into(std::string_view name) {
  return std::ranges::find(nn::layers_after<net>, name, &nn::layer_info::name)->into;
}
static_assert(into("wide") == "wide" && into("norm") == "wide" && into("act") == "wide" && into("twice") == "deep");
static_assert(std::ranges::find(nn::layers_after<net>, "norm", &nn::layer_info::name)->rule == "fold_affine");
static_assert(std::ranges::count_if(nn::layers_after<net>, [](const auto& l) { return l.into == l.name; }) == 7);
static_assert(std::ranges::all_of(nn::layers_after<net, nn::rule_list<>>,
                                  [](const auto& l) { return l.into == l.name && l.rule.empty(); }));

// Weights that are one have one name.
using alike = nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"a", nn::out<4>>, nn::linear<"b", nn::out<4>>,
                          nn::tied<"a.weight", "b.weight">>;
static_assert(nn::layers<alike>[2].weights[0].layer == "a" && nn::layers<alike>[2].weights[1].layer == "b");

// Integers say what they stand for.
using bytes = nn::network<nn::input<"x", nn::shape<4>, nn::as_i8<0.5, 3>>,
                          nn::linear<"fc", nn::out<2>, nn::per_channel, nn::as_i8<0.25, -1>>>;
static_assert(nn::layers<bytes>[1].outputs[0].type == nn::dtype::i8 &&
              nn::layers<bytes>[1].outputs[0].type.real == nn::ir::quantization{0.25, -1});
static_assert(nn::layers<bytes>[1].weights[0].type == nn::dtype::i8);

// Those who go over types have operators and names, too.
using convolution = nn::conv2d<"c", nn::out<4>, nn::from<"x">, nn::kernel<3>, nn::as_i8<0.5, 3>>;
static_assert(nn::operator_of<convolution>.out == 4 && nn::operator_of<convolution>.groups == 1);
static_assert(nn::operator_of<nn::relu<"r">>.activation.kind == nn::function::relu);
static_assert(convolution::name.view() == "c" &&
              std::is_same_v<std::remove_const_t<decltype(convolution::name)>, nn::fixed_string<1>>);

}  // namespace

TEST_CASE("records of layers are there at run time, too") {
  std::string words;
  for (const nn::layer_info& l : nn::layers<fused>) (words += l.word()) += ' ';
  CHECK(words == "input conv2d conv2d split leaky_relu max_pool2d linear ");
  CHECK(layer("wide").as<nn::op::conv2d>()->out == 4);
}
