// SPDX-License-Identifier: BSL-1.0
// A function that gives no value.
// expect: ctnn: forward(nn::graph&) does not compile (see the error before), or it is missing
// expect: mistake::no_values
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("x", {8});
#ifdef CTNN_CORRECTED
    return m.linear("fc", x, {.out_features = 4});
#else
    m.linear("fc", x, {.out_features = 4});
#endif
  }
};

static_assert(nn::optimized<net>::size > 0);
