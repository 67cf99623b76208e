// SPDX-License-Identifier: BSL-1.0
// The interpolate kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/pooling.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("interpolate on every target") {
  for_each_target([] { test::sweep_interpolate(dispatched); });
}
