// SPDX-License-Identifier: BSL-1.0
// conv2d on every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv2d.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/conv2d-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_conv2d(const op::conv2d& p, const arguments& a) { run(p, a); }

CTNN_END_TARGET

#if HWY_ONCE

#include "convolution_cases.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_conv2d);

namespace {
void dispatched(const op::conv2d& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_conv2d)(p, a); }
}  // namespace

TEST_CASE("dense conv2d: odd channels, pitches, long sums") {
  for_each_target([] { sweep_dense(dispatched); });
}
TEST_CASE("conv2d: kernel sizes, strides, dilation, uneven padding, groups, batches, residuals") {
  for_each_target([] { sweep_options(dispatched); });
}
TEST_CASE("depthwise conv2d") {
  for_each_target([] { sweep_depthwise(dispatched); });
}
TEST_CASE("conv2d with each activation, and accumulating in place") {
  for_each_target([] { sweep_activations(dispatched); });
}

}  // namespace ctnn
#endif
