// SPDX-License-Identifier: BSL-1.0
// Other weights than those for which the network was rewritten: its type has no place for a channel that was zero.
// lines: 17
// expect: ctnn: with_weights<...> was rewritten for its own weights: fold<> and pack<> take no others
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"x", nn::shape<2>>, nn::linear<"a", nn::out<2>, nn::no_bias>,
                        nn::linear<"b", nn::out<1>, nn::no_bias>>;
constexpr float zeros[] = {0, 0, 1, 2}, numbers[] = {3, 4, 1, 2}, last[] = {1, 1};
constexpr nn::named_weight known[] = {{"a", "weight", zeros}, {"b", "weight", last}};
constexpr nn::named_weight others[] = {{"a", "weight", numbers}, {"b", "weight", last}};

#ifdef CTNN_CORRECTED
constexpr auto folded = nn::fold<nn::with_weights<net, known>, known>();
#else
constexpr auto folded = nn::fold<nn::with_weights<net, known>, others>();
#endif
