// SPDX-License-Identifier: BSL-1.0
// All kernels as firmware compiles them, without Highway, against their references.
#define CTNN_PLAIN
#include <ctnn/kernels/vectors/eltwise-inl.hpp>
#include <ctnn/kernels/vectors/elementwise-inl.hpp>
#include <ctnn/kernels/vectors/interpolate-inl.hpp>
#include <ctnn/kernels/vectors/layer_norm-inl.hpp>
#include <ctnn/kernels/vectors/local_response-inl.hpp>
#include <ctnn/kernels/vectors/movement-inl.hpp>
#include <ctnn/kernels/vectors/normalization-inl.hpp>
#include <ctnn/kernels/vectors/pooling-inl.hpp>
#include <ctnn/kernels/vectors/recurrent-inl.hpp>
#include <ctnn/kernels/vectors/reduce-inl.hpp>
#include <ctnn/kernels/vectors/softmax-inl.hpp>
#include <ctnn/kernels/vectors/statistics-inl.hpp>

#include <doctest/doctest.h>

#include "sweeps/binary.hpp"
#include "sweeps/elementwise.hpp"
#include "sweeps/movement.hpp"
#include "sweeps/normalization.hpp"
#include "sweeps/pooling.hpp"
#include "sweeps/recurrent.hpp"
#include "sweeps/reduce.hpp"

namespace ctnn::ir {

TEST_CASE("plain kernels") {
  const auto run = [](const auto& p, const arguments& a) { plain::run(p, a); };
  test::sweep_elementwise(run);
  test::sweep_binary(run);
  test::sweep_normalization(run);
  test::sweep_local_response_norm(run);
  test::sweep_layer_norm(run);
  test::sweep_group_norm(run);
  test::sweep_statistics(run);
  test::sweep_softmax<op::softmax>(run);
  test::sweep_softmax<op::log_softmax>(run);
  test::sweep_pooling(run);
  test::sweep_interpolate(run, 1e-5f);  // positions are floats
  test::sweep_movement(run);
  test::sweep_recurrent(run);
  test::sweep_reduce(run);
}

}  // namespace ctnn::ir
