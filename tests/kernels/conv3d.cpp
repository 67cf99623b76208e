// SPDX-License-Identifier: BSL-1.0
// Convolutions of volumes on every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/volumes.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("conv3d on every target") {
  for_each_target([] {
    test::sweep_volumes([](const op::conv3d& p, const arguments& a, scratch_memory memory) {
      for (const loaded_kernel& k : kernels_at_hand.table)
        if (k.type == &type_of<op::conv3d> && k.run) return k.run(&p, a, memory);
      FAIL("no kernel");
    });
  });
}
