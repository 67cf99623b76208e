// SPDX-License-Identifier: BSL-1.0
#include <ctnn/kernels/walks/loop_nest.hpp>

#include <ctnn/kernels/reference/elementwise.hpp>
#include <ctnn/kernels/reference/movement.hpp>

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
namespace {

constexpr tensor nchw(extents e) { return {nullptr, e, layout::nchw, 0}; }
constexpr tensor nhwc(extents e, int pitch) { return {nullptr, e, layout::nhwc, pitch}; }

// Loops merge wherever every operand allows.
static_assert(broadcast_loops(nchw({2, 3, 4}), nchw({2, 3, 4}), nchw({2, 3, 4})).depth == 1);
static_assert(broadcast_loops(nchw({2, 3, 4}), nchw({2, 3, 4}), nchw({3, 4})).depth == 2);
static_assert(broadcast_loops(nchw({2, 3, 4}), nchw({2, 3, 4}), nchw({2, 1, 1})).levels[1].extent == 12);
static_assert(broadcast_loops(nhwc({5, 3, 4}, 5), nhwc({5, 3, 4}, 5), nhwc({5, 3, 4}, 5)).depth == 1);
static_assert(broadcast_loops(nhwc({5, 3, 4}, 5), nhwc({5, 3, 4}, 5), nhwc({5, 3, 4}, 6)).depth == 2);

// A (C, 1, 1) operand is contiguous beside an nhwc output, whatever its own layout.
constexpr auto per_channel = broadcast_loops(nhwc({5, 3, 4}, 8), nhwc({5, 3, 4}, 5), nchw({5, 1, 1}));
static_assert(per_channel.depth == 2 && per_channel.levels[0].extent == 12 && per_channel.levels[0].stride[2] == 0);
static_assert(per_channel.levels[1].extent == 5 && per_channel.levels[1].stride[2] == 1);

// A change of layout is a transposition of C rows of H W.
constexpr auto change = copy_loops({5, 3, 4}, nhwc({5, 3, 4}, 5), nchw({5, 3, 4}));
static_assert(change.depth == 2 && change.levels[0].extent == 12 && change.levels[0].stride[1] == 1);
static_assert(change.levels[1].extent == 5 && change.levels[1].stride[0] == 1 && change.levels[1].stride[1] == 12);

constexpr bool cursor_visits_every_step() {
  loop_nest<2> nest;
  nest.push_back({3, {100, 1}});
  nest.push_back({1, {7, 7}});                    // one step is no loop
  nest.push_back({2, {1, 50}});
  const std::ptrdiff_t want[6][2] = {{0, 0}, {1, 50}, {100, 1}, {101, 51}, {200, 2}, {201, 52}};
  loop_cursor<2> at(nest, 0);
  int n = 0;
  do {
    if (at.offset[0] != want[n][0] || at.offset[1] != want[n][1]) return false;
    ++n;
  } while (at.next());
  nest.require(4);
  loop_cursor<2> outer(nest, 3);
  return n == 6 && nest.depth == 4 && nest.levels[1].extent == 1 && !outer.next();
}
static_assert(cursor_visits_every_step());

}  // namespace

TEST_CASE("loop nests") { CHECK(cursor_visits_every_step()); }
