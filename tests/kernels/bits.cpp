// SPDX-License-Identifier: BSL-1.0
// linear by packed weights on every target this CPU has.
#include "bits_cases.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("linear by packed weights: bits, blocks, zero points, one row and many") {
  for_each_target([] { sweep_packed(dispatched); });
}
