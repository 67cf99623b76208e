// SPDX-License-Identifier: BSL-1.0
// conv_transpose2d on every target this CPU has.
#include "conv_transpose2d_cases.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("conv_transpose2d: few and many outputs, odd channels, pitches, long sums") {
  for_each_target([] { sweep_transposed_sizes(dispatched); });
}
TEST_CASE("conv_transpose2d: kernel sizes, strides, dilation, uneven padding, output padding, groups, batches") {
  for_each_target([] { sweep_transposed_options(dispatched); });
}
TEST_CASE("depthwise conv_transpose2d") {
  for_each_target([] { sweep_transposed_depthwise(dispatched); });
}
TEST_CASE("conv_transpose2d with activations") {
  for_each_target([] { sweep_transposed_activations(dispatched); });
}
