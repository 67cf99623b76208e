// SPDX-License-Identifier: BSL-1.0
// conv2d, conv_transpose2d, linear and matmul as firmware has them: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/vectors/conv_transpose2d-inl.hpp>
#include <ctnn/kernels/vectors/linear-inl.hpp>
#include <ctnn/kernels/vectors/matmul-inl.hpp>

#include "conv_transpose2d_cases.hpp"
#include "linear_cases.hpp"
#include "sweeps/matmul.hpp"

namespace ctnn::ir {
namespace {

/// Firmware has no threads: its kernels take all of the work, and the first part is all.
template <class Op>
void by_plain_kernels(const Op& p, const arguments& a) {
  if (a.share.index > 0) return;
  arguments all = a;
  all.share = {};
  plain::run(p, all);
}

}  // namespace

TEST_CASE("plain conv2d") {
  sweep_dense(by_plain_kernels<op::conv2d>);
  sweep_rows(by_plain_kernels<op::conv2d>);
  sweep_stems(by_plain_kernels<op::conv2d>);
  sweep_few_outputs(by_plain_kernels<op::conv2d>);
  sweep_options(by_plain_kernels<op::conv2d>);
  sweep_depthwise(by_plain_kernels<op::conv2d>);
  sweep_activations(by_plain_kernels<op::conv2d>);
  sweep_slopes(by_plain_kernels<op::conv2d>);
}
TEST_CASE("plain conv_transpose2d") {
  sweep_transposed_sizes(by_plain_kernels<op::conv_transpose2d>);
  sweep_transposed_options(by_plain_kernels<op::conv_transpose2d>);
  sweep_transposed_depthwise(by_plain_kernels<op::conv_transpose2d>);
  sweep_transposed_activations(by_plain_kernels<op::conv_transpose2d>);
}
TEST_CASE("plain linear") { sweep_linear(by_plain_kernels<op::linear>); }
TEST_CASE("plain matmul") { test::sweep_matmul(by_plain_kernels<op::matmul>); }
TEST_CASE("plain relu, max and min keep NaN of either sign") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto same = [](float a, float b) { return a == b || (a != a && b != b); };
  for (const float a : {-infinity, -2.0f, -0.0f, 0.0f, 3.0f, infinity, nan, -nan}) {
    CHECK(same(plain::relu(a), math::relu(a)));
    for (const float b : {-infinity, -2.0f, -0.0f, 0.0f, 3.0f, infinity, nan, -nan}) {
      CHECK(same(plain::max(a, b), math::max(a, b)));
      CHECK(same(plain::min(a, b), math::min(a, b)));
    }
  }
}

}  // namespace ctnn::ir
