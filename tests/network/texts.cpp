// SPDX-License-Identifier: BSL-1.0
// network/texts.hpp: networks, what became of them and why, as constants. README's words on them.
#include <ctnn/ctnn.hpp>
#include <ctnn/typed.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <span>

namespace nn = ctnn;

namespace {

struct net : nn::network<
    nn::input<"image", nn::shape<3, 32, 32>>,
    nn::conv2d<"conv1", nn::out<16>, nn::kernel<3>, nn::pad<1>>,
    nn::batch_norm<"bn1">,
    nn::relu<"relu1">,
    nn::adaptive_avg_pool2d<"gap">,
    nn::flatten<"flat">,
    nn::linear<"fc", nn::out<10>>,
    nn::softmax<"prob">> {};
using fused = nn::optimized<net>;

static_assert(nn::to_string<net> ==
              "input<\"image\", shape<3, 32, 32>>,             // 3 x 32 x 32\n"
              "conv2d<\"conv1\", out<16>, kernel<3>, pad<1>>,  // 16 x 32 x 32\n"
              "batch_norm<\"bn1\">,                            // 16 x 32 x 32\n"
              "relu<\"relu1\">,                                // 16 x 32 x 32\n"
              "adaptive_avg_pool2d<\"gap\">,                   // 16 x 1 x 1\n"
              "flatten<\"flat\">,                              // 16\n"
              "linear<\"fc\", out<10>>,                        // 10\n"
              "softmax<\"prob\">                               // 10");
static_assert(nn::diff<net, fused> ==
              "  input<\"image\", shape<3, 32, 32>>                                    // 3 x 32 x 32\n"
              "! conv2d<\"conv1\", out<16>, kernel<3>, pad<1>, fused<function::relu>>  // 16 x 32 x 32\n"
              "- bn1  into conv1\n"
              "- relu1  into conv1\n"
              "! adaptive_avg_pool2d<\"gap\", option<\"flatten\", 1>>                    // 16\n"
              "- flat  into gap\n"
              "  linear<\"fc\", out<10>>                                               // 10\n"
              "  softmax<\"prob\">                                                     // 10");
// Nobody knows how a network by hand came about.
using by_hand = nn::network<nn::input<"image", nn::shape<3, 32, 32>>, nn::flatten<"flat">, nn::linear<"y", nn::out<2>>>;
static_assert(nn::diff<net, by_hand> ==
              "  input<\"image\", shape<3, 32, 32>>  // 3 x 32 x 32\n- conv1\n- bn1\n- relu1\n- gap\n"
              "  flatten<\"flat\">                   // 3072\n"
              "+ linear<\"y\", out<2>>               // 2\n- fc\n- prob");
static_assert(nn::explain<net, "relu1"> == "relu1: part of conv1 (fuse_activation)");
static_assert(nn::explain<net, "prob"> == "prob: no rule's pattern ends here or at its readers");

// Two readers, words with arguments, several outputs, layers that nothing needs.
using branches = nn::network<
    nn::input<"x", nn::shape<4, 8, 8>>,
    nn::split<"parts", nn::sizes<1, 3>>,
    nn::conv2d<"c", nn::from<"parts.1">, nn::out<4>, nn::kernel<1>>,
    nn::leaky_relu<"leaky", 0.1>,
    nn::clip<"clipped", -1, 0.5, nn::from<"c">>,
    nn::reduce<"mean", nn::op::reduction::mean, nn::axes<1, 2>>,
    nn::conv2d<"dead", nn::out<2>, nn::kernel<1>>,
    nn::named_output<nn::from<"out", "m">, nn::from<"leaky", "mean">>>;
static_assert(nn::to_string<branches> ==
              "input<\"x\", shape<4, 8, 8>>,                       // 4 x 8 x 8\n"
              "split<\"parts\", sizes<1, 3>>,                      // 1 x 8 x 8, 3 x 8 x 8\n"
              "conv2d<\"c\", out<4>, kernel<1>>,                   // 4 x 8 x 8\n"
              "leaky_relu<\"leaky\", 0.1>,                         // 4 x 8 x 8\n"
              "clip<\"clipped\", -1, 0.5, from<\"c\">>,              // 4 x 8 x 8\n"
              "reduce<\"mean\", op::reduction::mean, axes<1, 2>>,  // 4 x 1 x 1\n"
              "conv2d<\"dead\", out<2>, kernel<1>>,                // 2 x 1 x 1\n"
              "named_output<from<\"out\", \"m\">, from<\"leaky\", \"mean\">>");
static_assert(nn::diff<branches, nn::optimized<branches>>.find("- dead  gone") != std::string_view::npos);
static_assert(nn::explain<branches, "dead"> == "dead: gone, nothing does its work");
static_assert(nn::explain<branches, "leaky"> ==
              "leaky: not fused into c, whose output is also read by clipped (fuse_activation)");

// Other elements, operators without a word.
using gathered = nn::network<nn::input<"table", nn::shape<6, 4>>, nn::input<"ids", nn::shape<2>, nn::i64>,
                             nn::gather<"rows", nn::from<"table", "ids">>, nn::layer<nn::op::is_nan, "wrong">>;
static_assert(nn::to_string<gathered> ==
              "input<\"table\", shape<6, 4>>,           // 6 x 4\n"
              "input<\"ids\", shape<2>, i64>,           // 2\n"
              "gather<\"rows\", from<\"table\", \"ids\">>,  // 2 x 4\n"
              "layer<op::is_nan, \"wrong\">             // 2 x 4");

// Rules by name.
using without = nn::optimized<net, nn::rules_without<nn::default_rules, "fuse_activation">>;
static_assert(without::has<"relu1"> && !without::has<"bn1">);
using only_fold = nn::only_rules<nn::default_rules, "batch_norm_to_scale", "fold_affine">;
using only = nn::optimized<net, only_fold>;
static_assert(only_fold::records.size() == 2 && only::has<"relu1"> && only::has<"flat"> && !only::has<"bn1">);
static_assert(nn::diff<net, only, only_fold>.find("- bn1  into conv1\n  relu<\"relu1\">") != std::string_view::npos);
static_assert(nn::diff<net, only>.find("- bn1\n") != std::string_view::npos);  // not what default_rules make
static_assert(nn::explain<net, "relu1", only_fold> == "relu1: no rule's pattern ends here or at its readers");

// README's words.
[[maybe_unused]] void read_and_steer() {
  std::puts(nn::to_string<net>.data());
  std::puts(nn::diff<net, fused>.data());
  std::puts(nn::explain<net, "relu1">.data());
  using watched = nn::optimized<nn::kept<net, "bn1">>;
  using plain = nn::optimized<net, nn::rules_without<nn::default_rules, "fuse_activation">>;
  static_assert(watched::size == 6 && plain::has<"relu1">);
}
static_assert(nn::diff<net, fused>.find("\n- bn1  into conv1\n") != std::string_view::npos);

// Layers that stay.
using watched = nn::optimized<nn::kept<net, "bn1", "prob">>;
static_assert(std::same_as<watched, nn::network<
    nn::input<"image", nn::shape<3, 32, 32>>,
    nn::conv2d<"conv1", nn::out<16>, nn::kernel<3>, nn::pad<1>>,
    nn::relu<"relu1">,
    nn::adaptive_avg_pool2d<"gap", nn::option<"flatten", 1>>,
    nn::linear<"fc", nn::out<10>>,
    nn::softmax<"prob">,
    nn::named_output<nn::from<"prob", "bn1">, nn::from<"prob", "conv1">>>>);
static_assert(nn::explain<nn::kept<net, "bn1">, "relu1"> ==
              "relu1: not fused into conv1, whose output is a network output too (fuse_activation)");
// In a declaration, anywhere; what is an output already is not another.
using declared = nn::network<nn::input<"x", nn::shape<4>>, nn::keep<"a">, nn::relu<"a">, nn::sigmoid<"b">,
                             nn::keep<"b", "a">, nn::output<"b">>;
static_assert(std::same_as<nn::canonical<declared>,
                           nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"a">, nn::sigmoid<"b">,
                                       nn::output<"b", "a">>>);
static_assert(declared::size == 3);

// Twenty layers and more, within the compilers' limits.
using deep = nn::network<
    nn::input<"image", nn::shape<3, 32, 32>>,
    nn::conv2d<"c1", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b1">, nn::relu<"r1">,
    nn::conv2d<"c2", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b2">, nn::relu<"r2">,
    nn::conv2d<"c3", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b3">, nn::add<"s3", nn::from<"b3", "r1">>,
    nn::relu<"r3">,
    nn::conv2d<"c4", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b4">, nn::relu<"r4">,
    nn::conv2d<"c5", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b5">, nn::add<"s5", nn::from<"b5", "r3">>,
    nn::relu<"r5">,
    nn::conv2d<"c6", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b6">, nn::relu6<"r6">,
    nn::conv2d<"c7", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b7">, nn::hardswish<"r7">,
    nn::adaptive_avg_pool2d<"gap">, nn::flatten<"flat">, nn::dropout<"drop">, nn::linear<"fc", nn::out<10>>,
    nn::softmax<"prob">>;
static_assert(!nn::to_string<deep>.empty() && !nn::diff<deep, nn::optimized<deep>>.empty());
static_assert(nn::explain<deep, "s5"> == "s5: part of c5 (fuse_residual)" && !nn::explain<deep, "c1">.empty());

constexpr float conv_weight[16 * 27] = {0.5f, -0.25f}, ones[16] = {1, 2, 3}, fc_weight[160] = {1};

}  // namespace

TEST_CASE("texts are constants (asserted by the compiler)") {
  CHECK(nn::to_string<net>.ends_with("// 10"));
  MESSAGE(nn::diff<deep, nn::optimized<deep>>);
  MESSAGE(nn::explain<deep, "c7">);
}

TEST_CASE("what is kept is what the network as declared gives there") {
  static constexpr float variance[16] = {1, 2, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, bias10[10] = {};
  static constexpr nn::named_weight weights[] = {{"conv1", "weight", std::span(conv_weight)},
                                                 {"conv1", "bias", ones},
                                                 {"bn1", "weight", ones},
                                                 {"bn1", "bias", ones},
                                                 {"bn1", "running_mean", ones},
                                                 {"bn1", "running_var", variance},
                                                 {"fc", "weight", fc_weight},
                                                 {"fc", "bias", bias10}};
  using seen = nn::kept<net, "bn1">;
  static nn::parameters<seen> plain{nn::zeros};
  REQUIRE(nn::load(plain, weights).found.kind == nn::mistake::none);
  static constexpr auto folded = nn::fold<seen, weights>();
  nn::engine<seen> as_declared{plain};
  nn::engine<nn::optimized<seen>> fast{folded};
  static_assert(decltype(fast)::outputs == 2 && decltype(fast)::output_size<1> == 16 * 32 * 32);
  float image[3 * 32 * 32];
  for (int i = 0; i < 3 * 32 * 32; ++i) image[i] = static_cast<float>(i % 17) / 8 - 1;
  as_declared(image);
  fast(image);
  float furthest = 0;
  for (std::size_t i = 0; i < 16 * 32 * 32; ++i)
    furthest = std::max(furthest, std::abs(as_declared.output<1>()[i] - fast.output<1>()[i]));
  CHECK(furthest < 1e-5f);
}
