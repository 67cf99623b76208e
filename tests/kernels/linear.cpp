// SPDX-License-Identifier: BSL-1.0
// linear on every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/linear-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_linear(const op::linear& p, const arguments& a) { run(p, a); }

CTNN_END_TARGET

#if HWY_ONCE

#include "linear_cases.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_linear);

namespace {
void dispatched(const op::linear& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_linear)(p, a); }
}  // namespace

TEST_CASE("linear: one row and many, odd widths, activations") {
  for_each_target([] { sweep_linear(dispatched); });
}

}  // namespace ctnn
#endif
