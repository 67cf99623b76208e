// SPDX-License-Identifier: BSL-1.0
// The movement kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/movement.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("movement on every target") {
  for_each_target([] { test::sweep_movement(dispatched); });
}
