// SPDX-License-Identifier: BSL-1.0
// Attention as firmware compiles it, without Highway, against double loops.
#define CTNN_PLAIN
#include <ctnn/kernels/vectors/attention-inl.hpp>

#include <doctest/doctest.h>

#include "kernels/sweeps/attention.hpp"

namespace ctnn::ir {

TEST_CASE("plain attention") {
  test::sweep_attention([](const auto& p, const arguments& a, scratch_memory m) { plain::run(p, a, m); });
}

}  // namespace ctnn::ir
