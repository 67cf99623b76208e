// SPDX-License-Identifier: BSL-1.0
// Rewriting does not enlarge the arena: Winograd's filtering takes what the declared network leaves free, kernels that
// divide their work take more memory only where there is some, cascades are none where they would need more.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/plan/arena_budget.hpp>

#include "support/check_plan.hpp"
#include "support/random_graph.hpp"
#include "support/seeds.hpp"

namespace nn = ctnn;
using namespace ctnn::ir;

namespace {

template <class Net>
constexpr std::int64_t bytes_by_layer = 4 * arena_by_layer(declared_graph<Net>);
/// By how much the arena of what is optimized is smaller than that of the declared network layer by layer.
template <class Net, class Rules = nn::default_rules>
constexpr std::int64_t bytes_left = bytes_by_layer<Net> -
                                    static_cast<std::int64_t>(nn::arena_bytes<nn::optimized<Net, Rules>>);

using nn::kernel, nn::out, nn::pad;
template <nn::fixed_string Name, int Channels>
using conv3x3 = nn::conv2d<Name, out<Channels>, kernel<3>, pad<1>>;
template <nn::fixed_string Name, int Channels>
using conv_norm_relu = nn::block<Name, nn::conv2d<"conv", out<Channels>, kernel<3>, pad<1>, nn::no_bias>,
                                 nn::batch_norm<"norm">, nn::relu<"relu">>;

template <nn::fixed_string Name>
using edsr_block = nn::block<Name, nn::residual<"sum", conv3x3<"conv1", 64>, nn::relu<"relu">, conv3x3<"conv2", 64>>>;
struct edsr : nn::network<nn::input<"image", nn::shape<3, 32, 32>>, conv3x3<"head", 64>, edsr_block<"a">,
                          edsr_block<"b">, conv3x3<"body", 64>, nn::add<"long_skip", nn::from<"body", "head">>,
                          conv3x3<"up", 256>, nn::pixel_shuffle<"shuffle", nn::upscale_factor<2>>, conv3x3<"tail", 3>> {
};
static_assert(bytes_left<edsr> == 0 && bytes_left<edsr, nn::speed_first<>> < -400'000);
static_assert(nn::winograd<nn::optimized<edsr>, "a.conv1"> == 4 && nn::winograd<nn::optimized<edsr>, "up"> == 4);

using pool2 = nn::max_pool2d<"pool", kernel<2>, nn::stride<2>>;
struct vgg : nn::network<nn::input<"image", nn::shape<3, 32, 32>>, conv_norm_relu<"1", 64>, conv_norm_relu<"2", 64>,
                         nn::block<"to16", pool2>, conv_norm_relu<"3", 128>, conv_norm_relu<"4", 128>,
                         nn::block<"to8", pool2>, conv_norm_relu<"5", 256>, conv_norm_relu<"6", 256>,
                         nn::adaptive_avg_pool2d<"gap">, nn::flatten<"flat">, nn::linear<"fc", out<10>>> {};
using small_vgg = nn::optimized<vgg>;
static_assert(bytes_left<vgg> == 0 && bytes_left<vgg, nn::speed_first<>> < -800'000);
// What it reads and makes is all that the declared network takes.
static_assert(nn::winograd<small_vgg, "2.conv"> == 0 && nn::winograd<small_vgg, "4.conv"> == 4);
static_assert(nn::winograd<nn::optimized<vgg, nn::speed_first<>>, "2.conv"> != 0);
// The types say so.
template <class... Option>
using twice = nn::network<nn::input<"x", nn::shape<64, 32, 32>>, nn::conv2d<"a", out<64>, kernel<3>, pad<1>, Option...>,
                          nn::conv2d<"b", out<64>, kernel<3>, pad<1>, Option...>>;
static_assert(std::same_as<nn::optimized<twice<>>, twice<nn::no_winograd>>);
static_assert(std::same_as<nn::optimized<twice<>, nn::speed_first<>>, twice<>>);
static_assert(nn::winograd<twice<nn::winograd_bytes<253440>>, "a"> == 4 &&
              nn::winograd<twice<nn::winograd_bytes<1000>>, "a"> == 0);
static_assert(nn::arena_bytes<twice<nn::winograd_bytes<253440>>> <= bytes_by_layer<twice<>> + 253440);

template <nn::fixed_string Name, int Channels>
using resnet_stage =
    nn::block<Name, conv_norm_relu<"down", Channels>, nn::block<"half", pool2>,
              nn::residual<"sum", conv_norm_relu<"1", Channels>, nn::conv2d<"2", out<Channels>, kernel<3>, pad<1>>>>;
struct resnet : nn::network<nn::input<"image", nn::shape<3, 64, 64>>, resnet_stage<"a", 32>, resnet_stage<"b", 64>,
                            resnet_stage<"c", 128>> {};
static_assert(bytes_left<resnet> >= 0);

/// Values wait for the way up.
struct unet : nn::network<nn::input<"image", nn::shape<3, 32, 32>>, conv_norm_relu<"down0", 32>,
                          nn::block<"half0", pool2>, conv_norm_relu<"down1", 64>, nn::block<"half1", pool2>,
                          conv_norm_relu<"deep", 128>, nn::conv_transpose2d<"up1", out<64>, kernel<2>, nn::stride<2>>,
                          nn::concat<"join1", nn::from<"up1", "down1.relu">>, conv_norm_relu<"up_conv1", 64>,
                          nn::conv_transpose2d<"up0", out<32>, kernel<2>, nn::stride<2>>,
                          nn::concat<"join0", nn::from<"up0", "down0.relu">>, conv_norm_relu<"up_conv0", 32>> {};
static_assert(bytes_left<unet> >= 0);

/// Permutes that rewriting leaves lie between the layers of a block.
template <nn::fixed_string Name, int Width>
using convnext_block =
    nn::block<Name, nn::residual<"sum", nn::conv2d<"depthwise", out<Width>, kernel<7>, pad<3>, nn::groups<Width>>,
                                 nn::permute<"last", nn::order<0, 2, 3, 1>>, nn::layer_norm<"norm">,
                                 nn::linear<"wide", out<4 * Width>>, nn::gelu<"gelu">, nn::linear<"narrow", out<Width>>,
                                 nn::permute<"first", nn::order<0, 3, 1, 2>>, nn::scale<"gamma", nn::no_bias>>>;
struct convnext
    : nn::network<nn::input<"image", nn::shape<1, 3, 64, 64>>, nn::conv2d<"stem", out<32>, kernel<4>, nn::stride<4>>,
                  convnext_block<"a", 32>, convnext_block<"b", 32>, nn::permute<"last", nn::order<0, 2, 3, 1>>,
                  nn::layer_norm<"norm">, nn::permute<"first", nn::order<0, 3, 1, 2>>,
                  nn::conv2d<"down", out<64>, kernel<2>, nn::stride<2>>, convnext_block<"c", 64>> {};
static_assert(bytes_left<convnext> >= 0);

/// Attention has memory for several threads where it is free, and for one elsewhere.
struct encoder : nn::network<nn::input<"x", nn::shape<64, 64>>,
                             nn::residual<"attended", nn::layer_norm<"norm1">, nn::multihead_attention<"heads", 64, 4>>,
                             nn::residual<"fed", nn::layer_norm<"norm2">, nn::linear<"wide", out<128>>,
                                          nn::gelu<"gelu">, nn::linear<"narrow", out<64>>>> {};
static_assert(bytes_left<encoder> >= 0);

/// Depthwise layers whose rows would be in memory beside all that they read and make.
struct separable : nn::network<nn::input<"image", nn::shape<16, 96, 96>>, nn::conv2d<"in", out<32>, kernel<1>>,
                               nn::conv2d<"depthwise1", out<32>, kernel<3>, pad<1>, nn::groups<32>>, nn::relu<"relu1">,
                               nn::conv2d<"point1", out<32>, kernel<1>>, nn::relu<"relu2">,
                               nn::conv2d<"depthwise2", out<32>, kernel<3>, pad<1>, nn::groups<32>>, nn::relu<"relu3">,
                               nn::conv2d<"point2", out<32>, kernel<1>>> {};
static_assert(bytes_left<separable> >= 0);

}  // namespace

TEST_CASE("few random graphs need more memory after rewriting, and none by more than a fifth and some lines") {
  int grown = 0, all = 0;
  for (const std::uint64_t seed : test::seeds(0, 2000)) {
    CAPTURE(seed);
    const test::random_graph made(seed, 4 + static_cast<int>(seed % 24));
    const optimization o = optimize(thaw(made.g.view()), default_rule_records());
    const std::int64_t declared = arena_by_layer(made.g.view()), now = make_plan(o.g.view()).arena_size;
    ++all;
    grown += now > declared ? 1 : 0;
    CHECK(now <= declared + declared / 5 + 10 * arena_alignment);
  }
  MESSAGE(grown << " of " << all << " graphs need more memory after rewriting");
  CHECK(grown * 40 <= all + 39);
}

namespace {

/// Convolutions of 3 x 3 behind each other, sums and joints of values that have waited, halves and doubles.
graph random_convolutions(test::dice throws) {
  graph g;
  std::vector<value_id> all;
  const auto add = [&](const auto& op, std::vector<value_id> in) {
    const field_values f = encode(op);
    static constexpr std::string_view names[] = {"n0",  "n1",  "n2",  "n3",  "n4",  "n5",  "n6",  "n7",  "n8",  "n9",
                                                 "n10", "n11", "n12", "n13", "n14", "n15", "n16", "n17", "n18", "n19"};
    if (g.nodes.size() >= std::size(names)) return;
    if (!add_node(g, type_of<std::decay_t<decltype(op)>>, names[g.nodes.size()], in, {f.data(), f.size()}))
      all.push_back(g.nodes.back().outputs.first);
  };
  const auto shape = [&](value_id v) { return g.view().shape(v); };
  const auto any = [&] {
    return throws.one_in(3) ? all[static_cast<std::size_t>(throws.below(static_cast<int>(all.size())))] : all.back();
  };
  add(nn::op::input{{16 * (1 + throws.below(3)), 8 * (1 + throws.below(6)), 8 * (1 + throws.below(6))}}, {});
  for (int i = 0; i < 14; ++i) {
    const value_id x = any();
    nn::op::conv2d c;
    c.out = throws.one_in(2) ? shape(x)[0] : 16 * (1 + throws.below(8));
    c.kernel = {3, 3};
    c.pad = {1, 1, 1, 1};
    switch (throws.below(6)) {
      case 0: {
        value_id other = any();
        if (shape(other) == shape(x)) add(nn::op::binary{nn::op::binary_function::add}, {x, other});
        break;
      }
      case 1: {
        value_id other = any();
        if (shape(other)[1] == shape(x)[1] && shape(other)[2] == shape(x)[2]) add(nn::op::concat{}, {x, other});
        break;
      }
      case 2: c.stride = {2, 2}; [[fallthrough]];
      default: add(c, {x});
    }
  }
  add_output(g, "y", all.back());
  return g;
}

}  // namespace

TEST_CASE("convolutions by Winograd's filtering stay within what a network takes without") {
  int fitted = 0, whole = 0, direct = 0;
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    CAPTURE(seed);
    const graph made = random_convolutions(test::dice(seed));
    optimization o = optimize(thaw(made.view()), default_rule_records());
    const std::int64_t declared = arena_by_layer(made.view());
    std::vector<int> sizes;
    for (const node& n : o.g.nodes) sizes.push_back(winograd_size(o.g.view(), n));
    fit_winograd(o.g, declared);
    const memory_plan plan = make_plan(o.g.view());
    CHECK(plan.arena_size <= declared);
    CHECK(test::plan_judge(o.g.view(), plan.view()).judge() == "");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0) continue;
      const node& n = o.g.nodes[i];
      if (winograd_size(o.g.view(), n) == 0) ++direct;
      else if (decode<nn::op::conv2d>(o.g.view().fields_of(n.fields)).winograd_bytes == 0) ++whole;
      else ++fitted;
    }
  }
  CHECK(fitted > 100);
  CHECK(whole > 100);
  CHECK(direct > 20);
}
