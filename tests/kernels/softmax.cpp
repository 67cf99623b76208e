// SPDX-License-Identifier: BSL-1.0
// The softmax kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/normalization.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn::ir {

TEST_CASE("softmax on every target") {
  for_each_target([] { test::sweep_softmax(dispatched); });
}

}  // namespace ctnn::ir
