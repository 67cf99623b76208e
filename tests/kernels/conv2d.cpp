// SPDX-License-Identifier: BSL-1.0
// conv2d on every target this CPU has.
#include "convolution_cases.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("dense conv2d: odd channels, pitches, long sums") {
  for_each_target([] { sweep_dense(dispatched); });
}
TEST_CASE("conv2d: kernel sizes, strides, dilation, uneven padding, groups, batches, residuals") {
  for_each_target([] { sweep_options(dispatched); });
}
TEST_CASE("conv2d of pixels that stand as rows of a matrix") {
  for_each_target([] { sweep_rows(dispatched); });
}
TEST_CASE("conv2d of few input channels") {
  for_each_target([] { sweep_stems(dispatched); });
}
TEST_CASE("conv2d of few output channels") {
  for_each_target([] { sweep_few_outputs(dispatched); });
}
TEST_CASE("depthwise conv2d") {
  for_each_target([] { sweep_depthwise(dispatched); });
}
TEST_CASE("conv2d with each activation, and accumulating in place") {
  for_each_target([] { sweep_activations(dispatched); });
}
TEST_CASE("conv2d with prelu") {
  for_each_target([] { sweep_slopes(dispatched); });
}
