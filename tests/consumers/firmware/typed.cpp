// SPDX-License-Identifier: BSL-1.0
// Operators that <ctnn/typed.hpp> has alone, of integers that are `long` or `long long`, by a header that `ctnn header`
// wrote.
#include <ctnn/typed.hpp>

#include "board/compare.hpp"
#include "rows.hpp"

namespace {

ctnn::arena<rows> memory;
constexpr auto packed = ctnn::pack<rows, rows::weights>();
constinit ctnn::engine<rows, ctnn::shared_arena> run{packed, memory};

}  // namespace

int main() {
  const std::int64_t ids[]{3, 0, -2};
  const float expected[]{7, 8, 8, 10, 13, 16};
  return board::differences("sums", run(ids), expected, 0);
}
