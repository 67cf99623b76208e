// SPDX-License-Identifier: BSL-1.0
// A type that is no network.
// expect: ctnn: this type is no network<...>
#include <ctnn/ctnn.hpp>

#ifdef CTNN_CORRECTED
using net = ctnn::network<ctnn::input<"x", ctnn::shape<4>>, ctnn::relu<"y">>;
#else
using net = int;
#endif
ctnn::engine<net> e;
