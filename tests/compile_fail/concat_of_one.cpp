// SPDX-License-Identifier: BSL-1.0
// A concat of one value: another was meant.
// expect: ctnn: the layer needs another number of inputs
// expect: mistake::wrong_number_of_inputs
// expect: layer_called<'c', 'a', 't'>
// expect: got<1>
// expect: needed<2
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("x", {8});
#ifdef CTNN_CORRECTED
    return m.cat({x, x});
#else
    return m.cat({x});
#endif
  }
};

static_assert(nn::optimized<net>::size > 0);
