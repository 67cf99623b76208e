// SPDX-License-Identifier: BSL-1.0
// A layer that nobody reads: a skip was meant, and forgotten.
// expect: ctnn: no layer reads what this one gives
// expect: mistake::unread_layer
// expect: layer_called<'r', 'e', 'l', 'u'>
// expect: in_line<17, 'u', 'n', 'r', 'e', 'a', 'd', '_', 'l', 'a', 'y', 'e', 'r', '.', 'c', 'p', 'p'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("x", {8});
#ifdef CTNN_CORRECTED
    return m.linear("fc", m.relu(x) + x, {.out_features = 4});
#else
    m.relu(x);
    return m.linear("fc", x, {.out_features = 4});
#endif
  }
};

static_assert(nn::optimized<net>::size > 0);
