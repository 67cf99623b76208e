// SPDX-License-Identifier: BSL-1.0
// Extents: counting, access from both ends, equality.
#include <ctnn/base/shape.hpp>

#include <doctest/doctest.h>

namespace {

constexpr ctnn::extents image{3, 32, 40};

static_assert(image.count() == 3 * 32 * 40);
static_assert(ctnn::extents{}.count() == 1);
static_assert(image.back(0) == 40 && image.back(2) == 3);
static_assert(image.count(1, 3) == 32 * 40 && image.count(1, 1) == 1);
static_assert(image.from(1) == ctnn::extents{32, 40} && image.from(3) == ctnn::extents{});
static_assert(image.with_axis(0, 2) == ctnn::extents{2, 3, 32, 40} &&
              image.with_axis(3, 1) == ctnn::extents{3, 32, 40, 1});
static_assert(image.without_axis(1) == ctnn::extents{3, 40});
static_assert(ctnn::normal_axis(-1, 3) == 2 && ctnn::normal_axis(1, 3) == 1);

}  // namespace

TEST_CASE("extents compare by rank and dimensions") {
  CHECK(image == ctnn::extents{3, 32, 40});
  CHECK_FALSE(image == ctnn::extents{3, 40, 32});
  CHECK_FALSE(image == ctnn::extents{3, 32});
}

TEST_CASE("the count of large extents does not overflow an int") {
  CHECK(ctnn::extents{65536, 65536}.count() == 4294967296);
}

TEST_CASE("extents grow and can be written") {
  ctnn::extents e;
  for (int i = 1; i <= ctnn::max_rank; ++i) e.push_back(i);
  e[0] = 9;
  e.back(0) = 7;
  CHECK(e == ctnn::extents{9, 2, 3, 4, 5, 6, 7, 8, 9, 7});
  ctnn::extents two{1};
  two.append(image);
  two.append(e, 8, 10);
  CHECK(two == ctnn::extents{1, 3, 32, 40, 9, 7});
}
