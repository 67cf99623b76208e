// SPDX-License-Identifier: BSL-1.0
<<<<<<< HEAD
// conv2d and linear as firmware has them: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/conv2d-inl.hpp>
#include <ctnn/kernels/linear-inl.hpp>

#include "linear_cases.hpp"

namespace ctnn {
namespace {

void plainly(const op::conv2d& p, const arguments& a) { plain::run(p, a); }

void plainly_linear(const op::linear& p, const arguments& a) { plain::run(p, a); }

}  // namespace

TEST_CASE("plain conv2d") {
  sweep_dense(plainly);
  sweep_options(plainly);
  sweep_depthwise(plainly);
  sweep_activations(plainly);
}
TEST_CASE("plain linear") { sweep_linear(plainly_linear); }
=======
// All kernels as firmware compiles them, without Highway, against their references.
#define CTNN_PLAIN
#include <ctnn/kernels/eltwise-inl.hpp>
#include <ctnn/kernels/elementwise-inl.hpp>
#include <ctnn/kernels/interpolate-inl.hpp>
#include <ctnn/kernels/movement-inl.hpp>
#include <ctnn/kernels/normalization-inl.hpp>
#include <ctnn/kernels/pooling-inl.hpp>
#include <ctnn/kernels/softmax-inl.hpp>

#include <doctest/doctest.h>

#include "sweeps/binary.hpp"
#include "sweeps/elementwise.hpp"
#include "sweeps/movement.hpp"
#include "sweeps/normalization.hpp"
#include "sweeps/pooling.hpp"

namespace ctnn {

TEST_CASE("plain kernels") {
  const auto run = [](const auto& p, const arguments& a) { plain::run(p, a); };
  test::sweep_elementwise(run);
  test::sweep_binary(run);
  test::sweep_normalization(run);
  test::sweep_softmax(run);
  test::sweep_pooling(run);
  test::sweep_interpolate(run);
  test::sweep_movement(run);
}
>>>>>>> kernels-rest

}  // namespace ctnn
