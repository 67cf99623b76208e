// SPDX-License-Identifier: BSL-1.0
// conv2d, conv_transpose2d and linear as firmware has them: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/conv_transpose2d-inl.hpp>
#include <ctnn/kernels/linear-inl.hpp>

#include "conv_transpose2d_cases.hpp"
#include "linear_cases.hpp"

namespace ctnn {
namespace {

void plainly(const op::conv2d& p, const arguments& a) { plain::run(p, a); }

void plainly_transposed(const op::conv_transpose2d& p, const arguments& a) { plain::run(p, a); }

void plainly_linear(const op::linear& p, const arguments& a) { plain::run(p, a); }

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
