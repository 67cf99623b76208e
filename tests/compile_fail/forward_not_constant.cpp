// SPDX-License-Identifier: BSL-1.0
// A function that the compiler cannot run: it divides by zero.
// expect: ctnn: the compiler cannot run forward()
// expect: mistake::not_constant
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("x", {8});
#ifdef CTNN_CORRECTED
    return m.linear("fc", x, {.out_features = 4});
#else
    return m.linear("fc", x, {.out_features = 4 / (m.size(x, 0) - 8)});
#endif
  }
};

static_assert(nn::optimized<net>::size > 0);
