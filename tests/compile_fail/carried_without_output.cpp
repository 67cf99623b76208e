// SPDX-License-Identifier: BSL-1.0
// A carried input, and no output to be carried.
// expect: ctnn: a carried input needs an output of its name
// expect: mistake::carried_without_output
// expect: layer_called<'s', 'u', 'm'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<4>>, nn::input<"sum", nn::shape<4>, nn::carried>,
                        nn::add<"add", nn::from<"x", "sum">>,
                        nn::named_output<nn::from<"y", "sum">, nn::from<"add", "add">>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) { return m.input("x", {4}) + m.input("sum", {4}, {.carried = true}); }
};
#else
using net = nn::network<nn::input<"x", nn::shape<4>>, nn::input<"sum", nn::shape<4>, nn::carried>,
                        nn::add<"add", nn::from<"x", "sum">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
