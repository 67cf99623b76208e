// SPDX-License-Identifier: BSL-1.0
// Convolutions of volumes as firmware has them: plain floats, no Highway.
#define CTNN_PLAIN
#include <ctnn/kernels/vectors/conv3d-inl.hpp>

#include "kernels/sweeps/volumes.hpp"

namespace ctnn::ir {

TEST_CASE("plain conv3d") {
  test::sweep_volumes(
      [](const op::conv3d& p, const arguments& a, scratch_memory memory) { plain::run(p, a, memory); });
}

}  // namespace ctnn::ir
