// SPDX-License-Identifier: BSL-1.0
// Memory for a smaller network.
// expect: ctnn: the memory has fewer bytes than the network's arena_bytes
// expect: arena_of<
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct small : nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"r">> {};
struct large : nn::network<nn::input<"x", nn::shape<400>>, nn::relu<"r">> {};

#ifdef CTNN_CORRECTED
nn::arena<small, large> memory;
#else
nn::arena<small> memory;
#endif
constexpr nn::parameters<large> none;
nn::engine<large, nn::shared_arena> run{none, memory};
