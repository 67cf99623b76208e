// SPDX-License-Identifier: BSL-1.0
// The vector with inline storage, in constants and at run time.
#include <ctnn/base/static_vector.hpp>

#include <doctest/doctest.h>
#include <numeric>

namespace {

using four = ctnn::ir::static_vector<int, 4>;

constexpr four odd() {
  four v;
  for (int i = 1; !v.full(); i += 2) v.push_back(i);
  return v;
}
static_assert(odd() == four{1, 3, 5, 7});
static_assert(odd().size() == four::capacity());

}  // namespace

TEST_CASE("only the used part counts") {
  four v{1, 2, 3};
  CHECK_FALSE(v.full());
  CHECK(std::accumulate(v.begin(), v.end(), 0) == 6);
  v.clear();
  CHECK(v.empty());
  v.push_back(1);
  CHECK(v == four{1});
  CHECK_FALSE(v == four{2});
  CHECK_FALSE(v == four{1, 2});
}
