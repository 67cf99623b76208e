// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/tcn.hpp: sample by sample, the numbers of the whole sequence.
#include <doctest/doctest.h>

#include "../../examples/networks/lists/tcn.hpp"
#include "support/streams.hpp"

namespace nn = ctnn;
using nn::ir::test::stream_differs;

using whole = lists::tcn<48>;
using stream = nn::stateful<lists::tcn<1>>;
using fused = nn::optimized<stream>;

// The paper's receptive field, 1 + 2 (k - 1) (2^n - 1), less the present sample: of one channel, then of 16.
static_assert(nn::state_bytes<stream> == 4 * (2 * 1 + 16 * (2 + 2 * 4 + 2 * 8)));
static_assert(nn::state_bytes<fused> == nn::state_bytes<stream> && nn::state_bytes<whole> == 0);
static_assert(nn::state_bytes<fused> <= 2'000 && nn::arena_bytes<fused> <= 4'000);  // README.md says so
static_assert(nn::stream_delay<whole> == 0);
// Of every block only the convolutions, which add the residual or apply the relu, are left, and what they read.
static_assert(nn::fused_into<stream, "network.2.relu1"> == "network.2.conv1");
static_assert(!fused::has<"network.2.chomp1"> && !fused::has<"network.0.dropout2">);
static_assert(std::same_as<stream, nn::stateful<whole, 1>>);

TEST_CASE("sample by sample it gives the numbers of the whole sequence, and again after a reset") {
  CHECK(stream_differs<whole, 1>() == "");
}
