// SPDX-License-Identifier: BSL-1.0
// Rules to leave out or to keep that the list has not: the nearest name is said.
// mistakes: 2
// expect: ctnn: no rule of the list has this name; did_you_mean<...> is the nearest
// expect: unknown_rule<ctnn::ir::rule_called<'d', 'r', 'o', 'p'>, ctnn::ir::did_you_mean<'d', 'r', 'o', 'p', 'o', 'u', 't'>
// expect: unknown_rule<ctnn::ir::rule_called<'i', 'd', 'e', 'n', 't', 't', 'y'>, ctnn::ir::did_you_mean<'i', 'd', 'e', 'n', 't', 'i', 't', 'y'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"x", nn::shape<4>>, nn::identity<"i">, nn::dropout<"d">>;

#ifdef CTNN_CORRECTED
static_assert(nn::optimized<net, nn::rules_without<nn::default_rules, "dropout">>::size == 2);
static_assert(nn::optimized<net, nn::only_rules<nn::default_rules, "identity">>::size == 2);
#else
using without = nn::optimized<net, nn::rules_without<nn::default_rules, "drop">>;
using only = nn::optimized<net, nn::only_rules<nn::default_rules, "identty">>;
#endif
