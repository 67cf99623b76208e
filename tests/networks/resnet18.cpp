// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/resnet18.hpp: torchvision's ResNet-18.
#include <doctest/doctest.h>

#include "../../examples/networks/lists/resnet18.hpp"
#include "support/run_both.hpp"

namespace nn = ctnn;
using net = lists::resnet18<>;
using fused = nn::optimized<net>;

// torchvision's counts: 11,689,512 parameters (besides mean and variance of 4,800 channels), 1.814 G multiply-adds.
static_assert(nn::parameter_count<net> - 2 * 4800 == 11'689'512);
static_assert(nn::macs<net> == 1'814'073'344 && nn::macs<fused> == nn::macs<net>);
static_assert(nn::output_shape<net, "maxpool"> == nn::extents{64, 56, 56});
static_assert(nn::output_shape<net, "layer4.1.add"> == nn::extents{512, 7, 7});

// 20 convolutions, two pools, the classifier and the image are left: norms, activations and sums are in them.
static_assert(net::size == 70 && fused::size == 24);
static_assert(net::has<"layer2.0.downsample.1"> && !fused::has<"layer2.0.downsample.1">);
static_assert(nn::fused_into<net, "layer2.0.downsample.1"> == "layer2.0.downsample.0");
static_assert(nn::fused_into<net, "layer2.0.add"> == "layer2.0.conv2");
static_assert(nn::fused_into<net, "layer2.0.relu2"> == "layer2.0.conv2");
static_assert(nn::parameter_count<fused> == 11'689'512 - 4800);  // a norm's weight and bias become a bias

TEST_CASE("optimised it computes what is declared") {
  CHECK(nn::ir::test::optimized_differs<lists::resnet18<64>>() == "");
}
