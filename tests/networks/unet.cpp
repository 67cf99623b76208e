// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/unet.hpp: a U-Net with batch norm.
#include <doctest/doctest.h>

#include "../../examples/networks/lists/unet.hpp"
#include "support/run_both.hpp"

namespace nn = ctnn;
using net = lists::unet<256, 256>;
using fused = nn::optimized<net>;

// Pytorch-UNet's count for one class: 31,037,633 parameters (besides mean and variance of 5,888 channels).
static_assert(nn::parameter_count<net> - 2 * 5888 == 31'037'633);
static_assert(nn::output_shape<net, "down4.maxpool_conv.1.double_conv.5"> == nn::extents{1024, 16, 16});
static_assert(nn::output_shape<net, "up4.cat"> == nn::extents{128, 256, 256});
static_assert(nn::output_shape<net, "outc.conv"> == nn::extents{1, 256, 256});

// 19 convolutions, 4 pools, 4 transposed convolutions, 4 concatenations and the image.
static_assert(net::size == 68 && fused::size == 32);
static_assert(nn::fused_into<net, "up1.conv.double_conv.5"> == "up1.conv.double_conv.3");

TEST_CASE("optimised it computes what is declared") {
  CHECK(nn::ir::test::optimized_differs<lists::unet<32, 48, 2, 8>>() == "");
}
