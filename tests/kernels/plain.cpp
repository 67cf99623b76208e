// SPDX-License-Identifier: BSL-1.0
// conv2d, conv_transpose2d and linear as firmware has them: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/vectors/conv_transpose2d-inl.hpp>
#include <ctnn/kernels/vectors/linear-inl.hpp>

#include "conv_transpose2d_cases.hpp"
#include "linear_cases.hpp"

namespace ctnn::ir {
namespace {

/// Firmware has no threads: its kernels take all of the work, and the first part is all.
template <class Op>
void plainly(const Op& p, const arguments& a) {
  if (a.share.index > 0) return;
  arguments all = a;
  all.share = {};
  plain::run(p, all);
}

}  // namespace

TEST_CASE("plain conv2d") {
  sweep_dense(plainly<op::conv2d>);
  sweep_rows(plainly<op::conv2d>);
  sweep_stems(plainly<op::conv2d>);
  sweep_options(plainly<op::conv2d>);
  sweep_depthwise(plainly<op::conv2d>);
  sweep_activations(plainly<op::conv2d>);
}
TEST_CASE("plain conv_transpose2d") {
  sweep_transposed_sizes(plainly<op::conv_transpose2d>);
  sweep_transposed_options(plainly<op::conv_transpose2d>);
  sweep_transposed_depthwise(plainly<op::conv_transpose2d>);
  sweep_transposed_activations(plainly<op::conv_transpose2d>);
}
TEST_CASE("plain linear") { sweep_linear(plainly<op::linear>); }
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
