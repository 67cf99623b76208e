// SPDX-License-Identifier: BSL-1.0
// linear on every target this CPU has.
#include "linear_cases.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("linear: one row and many, odd widths, activations") {
  for_each_target([] { sweep_linear(dispatched); });
}
