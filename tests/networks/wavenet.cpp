// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/wavenet.hpp: the stream in parts, late by what its windows reach over.
#include <doctest/doctest.h>

#include "../../examples/networks/lists/wavenet.hpp"
#include "support/streams.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

using whole = lists::wavenet<96>;
static_assert(nn::output_shape<whole, "last"> == nn::extents{1, 96 - 15});
static_assert(nn::stream_delay<whole> == 15);

using stream = nn::stateful<whole, 24>;
using fused = nn::optimized<stream>;
// filter and gate share what they read; skips need no memory of their own: they come as late as what they meet.
static_assert(nn::state_bytes<fused> == 4 * 16 * 15);

TEST_CASE("in parts it gives the numbers of the whole sequence, later by what the windows reach over") {
  nn::ir::test::made_up_weights numbers;
  const auto packed = std::make_unique<nn::parameters<fused>>(nn::zeros);
  REQUIRE(!nn::load_folded<stream>(*packed, nn::ir::test::weights_of_network<whole>(numbers)).found);
  const std::vector<floats> in = nn::ir::test::random_inputs(nn::ir::declared_graph<whole>);
  const auto pointers = nn::ir::test::pointers_to(in);
  nn::ir::graph_values values;
  nn::ir::run_graph(nn::ir::declared_graph<whole>, numbers, pointers, values);
  const auto want = values.of(nn::ir::declared_graph<whole>.outputs[0].value);
  const floats got = nn::ir::test::stream_output<whole, fused>(*packed, in[0], 2);
  CHECK(nn::ir::test::difference({{got.begin() + 15, got.end()}}, {{want.begin(), want.end()}}, 2e-5) == "");
}
