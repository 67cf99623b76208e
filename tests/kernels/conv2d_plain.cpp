// SPDX-License-Identifier: BSL-1.0
// conv2d as firmware has it: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/conv2d-inl.hpp>

#include "convolution_cases.hpp"

namespace ctnn {
namespace {

void plainly(const op::conv2d& p, const arguments& a) { plain::run(p, a); }

}  // namespace

TEST_CASE("plain conv2d") {
  sweep_dense(plainly);
  sweep_options(plainly);
  sweep_depthwise(plainly);
  sweep_activations(plainly);
}

}  // namespace ctnn
