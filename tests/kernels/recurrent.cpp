// SPDX-License-Identifier: BSL-1.0
// The recurrent kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/recurrent.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("recurrent layers on every target") {
  for_each_target([] { test::sweep_recurrent(dispatched); });
}
