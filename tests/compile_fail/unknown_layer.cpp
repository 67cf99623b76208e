// SPDX-License-Identifier: BSL-1.0
// Questions about layers that there are not: the nearest name is said. Whether there is one may be asked.
// mistakes: 4
// expect: ctnn: no layer has this name; did_you_mean<...> is the nearest
// expect: unknown_layer<ctnn::ir::layer_called<'c', 'o', 'n', '1'>, ctnn::ir::did_you_mean<'c', 'o', 'n', 'v', '1'>
// expect: unknown_layer<ctnn::ir::layer_called<'c', 'o', 'v', '1'>, ctnn::ir::did_you_mean<'c', 'o', 'n', 'v', '1'>
// expect: unknown_layer<ctnn::ir::layer_called<'r', 'e', 'l', 'l', 'u'>, ctnn::ir::did_you_mean<'r', 'e', 'l', 'u'>
// expect: unknown_layer<ctnn::ir::layer_called<'r', 'e', 'l'>, ctnn::ir::did_you_mean<'r', 'e', 'l', 'u'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"image", nn::shape<3, 8, 8>>, nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>,
                        nn::relu<"relu">>;

static_assert(!net::has<"con1">);
#ifdef CTNN_CORRECTED
static_assert(nn::fused_into<net, "relu"> == "conv1" && nn::output_shape<net, "conv1"> == nn::extents{4, 6, 6});
static_assert(!nn::explain<net, "relu">.empty() && !nn::survives<net, "relu"> && nn::survives<net, "conv1">);
#else
const auto into = nn::fused_into<net, "con1">;
const auto shape = nn::output_shape<net, "cov1">;
const auto why = nn::explain<net, "rellu">;
const auto there = nn::survives<net, "rel">;
#endif
