// SPDX-License-Identifier: BSL-1.0
// conv2d, conv_transpose2d and linear as firmware has them: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/conv_transpose2d-inl.hpp>
#include <ctnn/kernels/linear-inl.hpp>

#include "conv_transpose2d_cases.hpp"
#include "linear_cases.hpp"

namespace ctnn {
namespace {

/// Firmware has no threads: its kernels take all of the work, and the first part is all.
template <class Op>
void plainly_run(const Op& p, const arguments& a) {
  if (a.share.index > 0) return;
  arguments all = a;
  all.share = {};
  plain::run(p, all);
}
void plainly(const op::conv2d& p, const arguments& a) { plainly_run(p, a); }
void plainly_transposed(const op::conv_transpose2d& p, const arguments& a) { plainly_run(p, a); }
void plainly_linear(const op::linear& p, const arguments& a) { plainly_run(p, a); }

}  // namespace

TEST_CASE("plain conv2d") {
  sweep_dense(plainly);
  sweep_options(plainly);
  sweep_depthwise(plainly);
  sweep_activations(plainly);
}
TEST_CASE("plain conv_transpose2d") {
  sweep_transposed_sizes(plainly_transposed);
  sweep_transposed_options(plainly_transposed);
  sweep_transposed_depthwise(plainly_transposed);
  sweep_transposed_activations(plainly_transposed);
}
TEST_CASE("plain linear") { sweep_linear(plainly_linear); }

}  // namespace ctnn
