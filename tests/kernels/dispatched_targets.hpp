// SPDX-License-Identifier: BSL-1.0
// Runs a check once for every target that this file was compiled for and that this CPU has: HWY_DYNAMIC_DISPATCH then
// calls the target's code. (targets_of_this_cpu.hpp has those of the compiled library.)
#pragma once

#include <doctest/doctest.h>
#include <hwy/highway.h>

#include <string>

namespace ctnn::ir {

template <class Check>
void for_each_dispatched_target(const Check& check) {
  const auto all = hwy::SupportedTargets() & HWY_TARGETS;
  for (auto left = all; left != 0; left &= left - 1) {
    const auto one = left & -left;
    hwy::SetSupportedTargetsForTest(one);
    hwy::GetChosenTarget().Update(one);
    const std::string name = hwy::TargetName(one);
    CAPTURE(name);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace ctnn::ir
