// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/mobilenet_v2.hpp: torchvision's MobileNetV2.
#include <doctest/doctest.h>

#include "../../examples/networks/lists/mobilenet_v2.hpp"
#include "support/run_both.hpp"

namespace nn = ctnn;
using net = lists::mobilenet_v2<>;
using fused = nn::optimized<net>;

// torchvision's counts: 3,504,872 parameters (besides mean and variance of 17,056 channels), 0.301 G multiply-adds.
static_assert(nn::parameter_count<net> - 2 * 17056 == 3'504'872);
static_assert(nn::macs<net> == 300'774'272 && nn::macs<fused> == nn::macs<net>);
static_assert(nn::output_shape<net, "features.10.add"> == nn::extents{64, 14, 14});
static_assert(nn::output_shape<net, "features.18.2"> == nn::extents{1280, 7, 7});

// 52 convolutions, the pool, the classifier and the image are left.
static_assert(net::size == 154 && fused::size == 55);
static_assert(nn::fused_into<net, "features.3.conv.0.2"> == "features.3.conv.0.0");
static_assert(nn::fused_into<net, "features.3.add"> == "features.3.conv.2");
static_assert(net::has<"features.1.conv.0.0"> && net::has<"classifier.1">);

TEST_CASE("optimised it computes what is declared") {
  CHECK(nn::ir::test::optimized_differs<lists::mobilenet_v2<64>>() == "");
}
