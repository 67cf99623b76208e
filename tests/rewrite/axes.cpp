// SPDX-License-Identifier: BSL-1.0
// rewrite/axes.hpp: where a constant's numbers lie in a value, and where they lie once it is moved.
#include <doctest/doctest.h>

#include <ctnn/rewrite/axes.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

constexpr extents nhwc{2, 4, 5, 3};
constexpr constant_axes in(const extents& value, const extents& constant) {
  return constant_axes::broadcast(constant, value);
}

// From the right, as numpy broadcasts.
static_assert(in(nhwc, {3}).axis() == 3);
static_assert(in(nhwc, {1, 1, 1, 3}).axis() == 3);
static_assert(in(nhwc, {5, 1}).axis() == 2);
static_assert(in(nhwc, {2, 1, 1, 1}).axis() == 0);
static_assert(in({8, 16}, {8, 1}).axis() == 0);
static_assert(in({8, 16}, {16}).axis() == 1);
static_assert(in({3, 4, 5, 6, 7}, {4, 1, 1, 1}).axis() == 1);
static_assert(in(nhwc, {}).is_one_number() && in(nhwc, {1, 1}).is_one_number() && in(nhwc, {1}).axis() == none);
static_assert(in({}, {}).is_one_number() && in({}, {}).fits());
static_assert(!in(nhwc, {4}).fits() && !in(nhwc, {1, 1, 1, 1, 1}).fits() && !in({1, 4}, {3, 4}).fits());

// Along several axes there is no one axis.
static_assert(in(nhwc, {5, 3}).fits() && in(nhwc, {5, 3}).axis() == none && !in(nhwc, {5, 3}).is_one_number());
static_assert(in(nhwc, {5, 3}).first() == 2 && in(nhwc, {5, 3}).end() == 4 && in(nhwc, {5, 3}).count() == 15);
static_assert(in(nhwc, {5, 3}).in_one_piece() && !in(nhwc, {4, 1, 3}).in_one_piece());
static_assert(in({2, 4, 1, 3}, {4, 1, 3}).in_one_piece());  // but for ones
static_assert(in(nhwc, {1}).in_one_piece() && in(nhwc, {1}).count() == 1 && in(nhwc, {1}).end() == 0);

// One number for each index of an axis of 1 is one number for all.
static_assert(constant_axes({4, 1}, 1).is_one_number() && constant_axes({4, 1}, 1).some_axis() == 1);
static_assert(constant_axes({4, 5}).some_axis() == none && constant_axes({1, 1, 4}).some_axis() == 0);
static_assert(constant_axes(nhwc, 3).some_axis() == 3);

static_assert(in(nhwc, {3}).is_along(3) && !in(nhwc, {3}).is_along(2) && in(nhwc, {1}).is_along(2));
static_assert(in(nhwc, {3}).meets(in(nhwc, {3})) && in(nhwc, {3}).meets(in(nhwc, {1})));
static_assert(!in(nhwc, {3}).meets(in(nhwc, {5, 1})) && !in(nhwc, {5, 3}).meets(in(nhwc, {5, 3})));
static_assert(!in(nhwc, {5, 3}).meets(in(nhwc, {1})));

// Through a permute, and back.
constexpr op::permute to_nchw{{0, 3, 1, 2}};
static_assert(in(nhwc, {3}).behind(to_nchw).axis() == 1);
static_assert(in({2, 3, 4, 5}, {3, 1, 1}).before(to_nchw).axis() == 3);
static_assert(in(nhwc, {5, 1}).behind(to_nchw).axis() == 3);
static_assert(in(nhwc, {1}).behind(to_nchw).is_one_number());

// Through reshapes that keep the numbers together; ones come and go.
static_assert(in({6, 20}, {6, 1}).reshaped({1, 6, 4, 5}).axis() == 1);
static_assert(in({1, 6, 4, 5}, {6, 1, 1}).reshaped({6, 20}).axis() == 0);
static_assert(in(nhwc, {3}).reshaped({40, 3}).axis() == 1 && in(nhwc, {3}).reshaped({8, 5, 3, 1}).axis() == 2);
static_assert(in(nhwc, {5, 3}).reshaped({8, 15}).axis() == 1);
static_assert(in({8, 15}, {15}).reshaped(nhwc).first() == 2 && in({8, 15}, {15}).reshaped(nhwc).axis() == none);
static_assert(!in(nhwc, {3}).reshaped({8, 15}).fits() && !in(nhwc, {4, 1, 3}).reshaped({8, 15}).fits());
static_assert(!in({4, 6}, {6}).reshaped({6, 4}).fits());
static_assert(in(nhwc, {1}).reshaped({120}).is_one_number() && in(nhwc, {1}).reshaped({120}).fits());

}  // namespace

TEST_CASE("where numbers lie is a constant (asserted by the compiler)") {}
