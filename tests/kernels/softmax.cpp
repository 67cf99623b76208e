// SPDX-License-Identifier: BSL-1.0
// The kernels of softmax and its logarithm against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/normalization.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("softmax on every target") {
  for_each_target([] { test::sweep_softmax<op::softmax>(dispatched); });
}

TEST_CASE("log_softmax on every target") {
  for_each_target([] { test::sweep_softmax<op::log_softmax>(dispatched); });
}
