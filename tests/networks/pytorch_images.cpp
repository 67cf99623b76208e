// SPDX-License-Identifier: BSL-1.0
// Networks that make images, features or boxes of images, beside PyTorch.
#include <doctest/doctest.h>

#include "../../examples/networks/unet.hpp"
#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

// clang-format off

/// As denoising networks have it: group norm and silu before the convolution, bilinear on the way up.
struct group_norm_unet : nn::network<
    nn::input<"image", nn::shape<3, 16, 24>>,
    nn::conv2d<"first", nn::out<8>, nn::kernel<3>, nn::pad<1>>,
    nn::group_norm<"norm1", 4, 8>, nn::silu<"silu1">,
    nn::conv2d<"conv1", nn::out<16>, nn::kernel<3>, nn::stride<2>, nn::pad<1>>,
    nn::residual<"add",
        nn::group_norm<"norm2", 4, 16>, nn::silu<"silu2">,
        nn::conv2d<"conv2", nn::out<16>, nn::kernel<3>, nn::pad<1>>>,
    nn::interpolate_bilinear<"up", nn::size<16, 24>>,
    nn::concat<"both", nn::from<"first", "up">>,
    nn::group_norm<"norm3", 6, 24>, nn::silu<"silu3">,
    nn::conv2d<"conv3", nn::out<8>, nn::kernel<3>, nn::pad<1>>,
    nn::conv2d<"last", nn::out<3>, nn::kernel<1>>> {};

template <nn::fixed_string Name>
using dense_layer = nn::block<Name,
    nn::input<"x">,
    nn::batch_norm2d<"norm1">, nn::relu<"relu1">, nn::conv2d<"conv1", nn::out<24>, nn::kernel<1>, nn::no_bias>,
    nn::batch_norm<"norm2">, nn::relu<"relu2">, nn::conv2d<"conv2", nn::out<6>, nn::kernel<3>, nn::pad<1>, nn::no_bias>,
    nn::concat<"grown", nn::from<"x", "conv2">>>;
struct dense_block : nn::network<
    nn::input<"image", nn::shape<12, 9, 9>>, dense_layer<"0">, dense_layer<"1">, dense_layer<"2">> {};

struct super_resolution : nn::network<
    nn::input<"image", nn::shape<1, 10, 14>>,
    nn::conv2d<"conv1", nn::out<16>, nn::kernel<5>, nn::pad<2>>, nn::tanh_activation<"tanh1">,
    nn::conv2d<"conv2", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::tanh_activation<"tanh2">,
    nn::conv2d<"conv3", nn::out<9>, nn::kernel<3>, nn::pad<1>>,
    nn::pixel_shuffle<"image3", nn::upscale_factor<3>>> {};

/// YOLOv5's: for 3 anchors and every cell a box in pixels, objectness and 4 classes.
struct yolo_head : nn::network<
    nn::input<"image", nn::shape<8, 10, 14>>,
    nn::conv2d<"conv", nn::out<16>, nn::kernel<3>, nn::stride<2>, nn::pad<1>>, nn::silu<"silu">,
    nn::conv2d<"head", nn::out<27>, nn::kernel<1>>,
    nn::reshape<"anchored", nn::shape<3, 9, 5, 7>>, nn::permute<"numbers_last", nn::order<0, 2, 3, 1>>,
    nn::sigmoid<"sigmoid">, nn::split<"part", nn::axis<3>, nn::sizes<2, 2, 5>>,
    nn::constant<"grid", nn::shape<5, 7, 2>>, nn::constant<"anchors", nn::shape<3, 1, 1, 2>>,
    nn::mul<"twice", nn::from<"part.0">, nn::scalar<2>>, nn::sub<"around", nn::scalar<0.5>>,
    nn::add<"in_cells", nn::from<"around", "grid">>, nn::mul<"centres", nn::scalar<8>>,
    nn::mul<"wide", nn::from<"part.1">, nn::scalar<2>>, nn::mul<"squared", nn::from<"wide", "wide">>,
    nn::mul<"sizes", nn::from<"squared", "anchors">>,
    nn::concat<"boxes", nn::from<"centres", "sizes", "part.2">, nn::axis<3>>> {};

// clang-format on

}  // namespace

TEST_CASE("U-Net") { CHECK(beside_pytorch<networks::unet<32, 48, 1, 4>>("unet") == ""); }
TEST_CASE("a U-Net with group norm") { CHECK(beside_pytorch<group_norm_unet>("group_norm_unet") == ""); }
TEST_CASE("a block of DenseNet") { CHECK(beside_pytorch<dense_block>("dense_block") == ""); }
TEST_CASE("super-resolution") { CHECK(beside_pytorch<super_resolution>("super_resolution") == ""); }
TEST_CASE("a head of YOLO with its boxes") { CHECK(beside_pytorch<yolo_head>("yolo_head") == ""); }
