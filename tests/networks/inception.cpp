// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/inception.hpp: GoogLeNet's modules 3a and 3b.
#include <doctest/doctest.h>

#include "../../examples/networks/lists/inception.hpp"
#include "support/run_both.hpp"

namespace nn = ctnn;
using net = lists::inceptions<>;
using fused = nn::optimized<net>;

// The paper's table 1: 159 K and 380 K parameters, 128 M and 304 M multiply-adds.
static_assert(nn::parameter_count<net> == 163'328 + 388'096 + 4 * (368 + 640));
static_assert(163'328 / 1024 == 159 && 388'096 / 1024 == 379);
static_assert(nn::macs<net> == 128'049'152 + 304'267'264 && nn::macs<fused> == nn::macs<net>);
static_assert(nn::output_shape<net, "inception3a.cat"> == nn::extents{256, 28, 28});
static_assert(nn::output_shape<net, "inception3b.cat"> == nn::extents{480, 28, 28});

// 6 convolutions, a pool and a concatenation each, and the input.
static_assert(net::size == 1 + 2 * 20 && fused::size == 1 + 2 * 8);
static_assert(nn::fused_into<net, "inception3b.branch3.1.relu"> == "inception3b.branch3.1.conv");

TEST_CASE("optimised it computes what is declared") {
  CHECK(nn::ir::test::optimized_differs<lists::inceptions<10>>() == "");
}
