// SPDX-License-Identifier: BSL-1.0
// The matmul kernels against double loops, for every target this CPU has.
#include <doctest/doctest.h>

#include <ctnn/kernels/reference/reference.hpp>

#include "sweeps/matmul.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("matmul on every target") {
  for_each_target([] { test::sweep_matmul(dispatched); });
}
