// SPDX-License-Identifier: BSL-1.0
// Runs a check once for every Highway target that was compiled and that this CPU has.
#pragma once

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <string>

namespace ctnn {

template <class Check>
void for_each_target(const Check& check) {
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

}  // namespace ctnn
