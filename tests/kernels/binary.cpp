// SPDX-License-Identifier: BSL-1.0
// The binary kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/binary.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("binary on every target") {
  for_each_target([] { test::sweep_binary(dispatched); });
}
