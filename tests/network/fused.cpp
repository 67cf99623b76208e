// SPDX-License-Identifier: BSL-1.0
// Networks as types: what they are, what optimising makes of them, what one can ask.
#include <doctest/doctest.h>

#include <concepts>

#include <ctnn/network/questions.hpp>

namespace nn = ctnn;

namespace {

// Options in any order, canonically spelled.
using spelled_one_way =
    nn::network<nn::input<"x", nn::shape<3, 8, 8>>,
                nn::conv2d<"c", nn::pad<1, 1, 1, 1>, nn::kernel<3, 3>, nn::stride<1>, nn::out<4>, nn::groups<1>>,
                nn::relu<"r", nn::from<"c">>>;
using spelled_another = nn::network<nn::input<"x", nn::shape<3, 8, 8>>,
                                    nn::conv2d<"c", nn::out<4>, nn::kernel<3>, nn::pad<1>>, nn::relu<"r">>;
static_assert(std::same_as<nn::canonical<spelled_one_way>, nn::canonical<spelled_another>>);
static_assert(std::same_as<nn::canonical<spelled_another>, spelled_another>);

// conv2d + batch_norm + relu, dropout and flatten gone.
struct classifier : nn::network<
    nn::input<"image", nn::shape<3, 16, 16>>,
    nn::conv2d<"conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::no_bias>,
    nn::batch_norm<"bn1">,
    nn::relu<"relu1">,
    nn::max_pool2d<"pool1", nn::kernel<2>>,
    nn::dropout<"drop">,
    nn::adaptive_avg_pool2d<"gap">,
    nn::flatten<"flat">,
    nn::linear<"fc", nn::out<10>>,
    nn::softmax<"prob">> {};
using fast_classifier = nn::optimized<classifier>;
static_assert(std::same_as<fast_classifier, nn::network<
    nn::input<"image", nn::shape<3, 16, 16>>,
    nn::conv2d<"conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::fused<nn::function::relu>>,
    nn::max_pool2d<"pool1", nn::kernel<2>>,
    nn::adaptive_avg_pool2d<"gap", nn::option<"flatten", 1>>,
    nn::linear<"fc", nn::out<10>>,
    nn::softmax<"prob">>>);
static_assert(std::same_as<nn::optimized<fast_classifier>, fast_classifier>);
static_assert(classifier::size == 10 && fast_classifier::size == 6);
static_assert(fast_classifier::has<"conv1"> && !fast_classifier::has<"bn1"> && !fast_classifier::has<"drop">);
static_assert(nn::survives<classifier, "conv1"> && !nn::survives<classifier, "bn1">);
static_assert(nn::survives<classifier, "bn1", nn::exact_rules>);
static_assert(nn::fused_into<classifier, "bn1"> == "conv1" && nn::fused_into<classifier, "relu1"> == "conv1");
static_assert(nn::fused_into<classifier, "flat"> == "gap" && nn::fused_into<classifier, "fc"> == "fc");
static_assert(nn::fused_into<classifier, "drop"> == "pool1");
static_assert(nn::output_shape<classifier, "conv1"> == nn::extents{8, 16, 16});
static_assert(nn::output_shape<classifier, "pool1"> == nn::extents{8, 8, 8});
static_assert(nn::output_shape<classifier, "gap"> == nn::extents{8, 1, 1});
static_assert(nn::output_shape<fast_classifier, "gap"> == nn::extents{8});
static_assert(nn::parameter_count<classifier> == 8 * 27 + 4 * 8 + 10 * 8 + 10);
static_assert(nn::parameter_count<fast_classifier> == 8 * 27 + 8 + 10 * 8 + 10);
static_assert(nn::macs<classifier> == 8 * 16 * 16 * 27 + 80 && nn::macs<fast_classifier> == nn::macs<classifier>);
static_assert(nn::arena_bytes<fast_classifier> <= nn::arena_bytes<classifier>);
static_assert(nn::arena_bytes<fast_classifier> >= 8 * 16 * 16 * sizeof(float));
static_assert(nn::arena_bytes<fast_classifier> <= (8 * 16 * 16 + 8 * 8 * 8 + 64) * sizeof(float));

// A residual block: one convolution takes sum and activation.
using residual = nn::network<
    nn::input<"x", nn::shape<4, 8, 8>>,
    nn::conv2d<"a", nn::out<4>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"a_bn">, nn::relu<"a_relu">,
    nn::conv2d<"b", nn::out<4>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"b_bn">,
    nn::add<"sum", nn::from<"b_bn", "x">>, nn::relu<"out">>;
static_assert(std::same_as<nn::optimized<residual>, nn::network<
    nn::input<"x", nn::shape<4, 8, 8>>,
    nn::conv2d<"a", nn::out<4>, nn::kernel<3>, nn::pad<1>, nn::fused<nn::function::relu>>,
    nn::conv2d<"b", nn::from<"a", "x">, nn::out<4>, nn::kernel<3>, nn::pad<1>, nn::fused<nn::function::relu>>>>);
static_assert(nn::fused_into<residual, "sum"> == "b" && nn::fused_into<residual, "out"> == "b");

// What is added behind the activation is added by the convolution, too; a sum that is activated again is not.
template <class... Behind>
using active_residual =
    nn::network<nn::input<"x", nn::shape<4, 8, 8>>, nn::conv2d<"a", nn::out<4>, nn::kernel<3>, nn::pad<1>>,
                nn::silu<"act">, nn::add<"sum", nn::from<"act", "x">>, Behind...>;
static_assert(std::same_as<nn::optimized<active_residual<>>,
                           nn::network<nn::input<"x", nn::shape<4, 8, 8>>,
                                       nn::conv2d<"a", nn::from<"x", "x">, nn::out<4>, nn::kernel<3>, nn::pad<1>,
                                                  nn::fused<nn::function::silu>, nn::residual_last>>>);
static_assert(nn::fused_into<active_residual<>, "sum"> == "a");
static_assert(nn::optimized<active_residual<nn::relu<"r">>>::size == 3);

// Depthwise, relu6, a scale by hand.
using separable =
    nn::network<nn::input<"x", nn::shape<6, 8, 8>>,
                nn::conv2d<"depth", nn::out<6>, nn::kernel<3>, nn::groups<6>, nn::stride<2>, nn::same_upper>,
                nn::scale<"s">, nn::relu6<"r6">, nn::conv2d<"point", nn::out<9>, nn::kernel<1>>,
                nn::mul<"half", nn::scalar<0.5>>>;
static_assert(std::same_as<nn::optimized<separable>,
                           nn::network<nn::input<"x", nn::shape<6, 8, 8>>,
                                       nn::conv2d<"depth", nn::out<6>, nn::kernel<3>, nn::stride<2>, nn::same_upper,
                                                  nn::groups<6>, nn::fused<nn::function::clip, 0, 6>>,
                                       nn::conv2d<"point", nn::out<9>, nn::kernel<1>>>>);

// Squeeze and excitation: convolutions of one pixel are linear, the product broadcasts and stays. (canonical<> puts the
// options of what is written by hand in order.)
using excitation = nn::network<
    nn::input<"x", nn::shape<8, 4, 4>>,
    nn::conv2d<"main", nn::out<8>, nn::kernel<1>>,
    nn::adaptive_avg_pool2d<"gap">, nn::conv2d<"down", nn::out<2>, nn::kernel<1>>, nn::relu<"r">,
    nn::conv2d<"up", nn::out<8>, nn::kernel<1>>, nn::hardsigmoid<"gate">,
    nn::mul<"out", nn::from<"main", "gate">>>;
static_assert(std::same_as<nn::optimized<excitation>, nn::canonical<nn::network<
    nn::input<"x", nn::shape<8, 4, 4>>,
    nn::conv2d<"main", nn::out<8>, nn::kernel<1>>,
    nn::adaptive_avg_pool2d<"gap">,
    nn::linear<"down", nn::out<2>, nn::fused<nn::function::relu>, nn::option<"axes", 3>, nn::option<"ones", 2>>,
    nn::linear<"up", nn::out<8>, nn::fused<nn::function::hardsigmoid, 0.16666667163372040, 0.5>,
               nn::option<"axes", 3>, nn::option<"ones", 2>>,
    nn::mul<"out", nn::from<"main", "up">>>>>);
static_assert(std::same_as<nn::optimized<nn::network<
    nn::input<"x", nn::shape<3, 1>>, nn::conv1d<"c", nn::out<4>, nn::kernel<3>, nn::pad<1>>, nn::relu<"r">,
    nn::flatten<"f">, nn::linear<"fc", nn::out<2>>>>, nn::canonical<nn::network<
    nn::input<"x", nn::shape<3, 1>>,
    nn::linear<"c", nn::out<4>, nn::fused<nn::function::relu>, nn::option<"axes", 2>>,
    nn::linear<"fc", nn::out<2>>>>>);

// Outputs keep their public names, whatever computes them; what only dead layers read is gone.
using heads =
    nn::network<nn::input<"x", nn::shape<4, 4, 4>>, nn::split<"parts", nn::sizes<1, 3>>,
                nn::relu<"left", nn::from<"parts.0">>, nn::dropout<"left_drop">,
                nn::conv2d<"right", nn::from<"parts.1">, nn::out<2>, nn::kernel<1>>, nn::tanh_activation<"right_tanh">,
                nn::conv2d<"dead", nn::out<64>, nn::kernel<1>>, nn::output<"right_tanh", "left_drop">>;
static_assert(std::same_as<nn::optimized<heads>, nn::canonical<nn::network<
    nn::input<"x", nn::shape<4, 4, 4>>,
    nn::split<"parts", nn::sizes<1, 3>>,
    nn::relu<"left", nn::from<"parts.0">>,
    nn::conv2d<"right", nn::from<"parts.1">, nn::out<2>, nn::kernel<1>, nn::fused<nn::function::tanh>>,
    nn::named_output<nn::from<"right_tanh", "left_drop">, nn::from<"right", "left">>>>>);
static_assert(nn::output_shape<heads, "parts"> == nn::extents{1, 4, 4});
static_assert(nn::output_shape<heads, "parts.1"> == nn::extents{3, 4, 4});

// Lists of layers and rules of one's own.
using nothing = nn::network<nn::input<"x", nn::shape<4>>, nn::identity<"i">, nn::dropout<"d">>;
static_assert(std::same_as<nn::optimized<nothing>, nn::network<nn::input<"x", nn::shape<4>>>>);
static_assert(std::same_as<nn::optimized<nothing, nn::rule_list<nn::rules::dropout>>,
                           nn::network<nn::input<"x", nn::shape<4>>, nn::identity<"i">>>);

}  // namespace

TEST_CASE("networks are types (everything here is asserted by the compiler)") {
  CHECK(fast_classifier::size == 6);
  CHECK(nn::report<classifier>.size() > 0);
  MESSAGE("classifier: arena " << nn::arena_bytes<classifier> << " bytes, optimised "
                               << nn::arena_bytes<fast_classifier>);
}

namespace {

using kinds =
    nn::network<nn::input<"x", nn::shape<4, 8, 8>>, nn::conv2d<"a", nn::out<4>, nn::kernel<1>>, nn::relu<"r">,
                nn::conv2d<"b", nn::from<"x">, nn::out<4>, nn::kernel<1>>, nn::mul<"m", nn::from<"r", "b">>,
                nn::leaky_relu<"l", 0.1, nn::from<"b">>, nn::output<"m", "l">>;
using kinds_by_hand =
    nn::network<nn::input<"x", nn::shape<4, 8, 8>>,
                nn::conv2d<"a", nn::out<4>, nn::kernel<1>, nn::fused<nn::function::relu>>,
                nn::conv2d<"b", nn::from<"x">, nn::out<4>, nn::kernel<1>>, nn::mul<"m", nn::from<"a", "b">>,
                nn::leaky_relu<"l", 0.1, nn::from<"b">>, nn::output<"m", "l">>;
static_assert(std::same_as<nn::optimized<kinds>, kinds_by_hand>);

}  // namespace

TEST_CASE("layers of a kind are spelled with what makes them so first, then what they read") {
  CHECK(std::same_as<nn::optimized<kinds>, kinds_by_hand>);
}
