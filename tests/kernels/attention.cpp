// SPDX-License-Identifier: BSL-1.0
// The attention kernel against double loops, for every target this CPU has.
#include <doctest/doctest.h>

#include "sweeps/attention.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("attention on every target") {
  for_each_target([] {
    test::sweep_attention([](const op::attention& p, const arguments& a, scratch_memory memory) {
      for (const loaded_kernel& k : kernels_at_hand.table)
        if (k.type == &type_of<op::attention> && k.run) return k.run(&p, a, memory);
      FAIL("no kernel");
    });
  });
}
