// SPDX-License-Identifier: BSL-1.0
// The normalization kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/normalization.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("normalization on every target") {
  for_each_target([] {
    test::sweep_normalization(dispatched);
    test::sweep_local_response_norm(dispatched);
    test::sweep_layer_norm(dispatched);
    test::sweep_group_norm(dispatched);
    test::sweep_statistics(dispatched);
  });
}
