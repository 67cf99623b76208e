// SPDX-License-Identifier: BSL-1.0
// Products of 16-bit rows on every target of this CPU: exactly the plain loops' sums.
#include <doctest/doctest.h>

#include <vector>

#include <ctnn/kernels/integer_products.hpp>

#include "check.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn::ir {

TEST_CASE("sums of 16-bit products on every target") {
  for_each_target([] {
    test::random_numbers random(7);
    for (int rows : {1, 2, 3, 4, 5, 9})
      for (int columns : {1, 3, 4, 6, 17})
        for (int blocks : {1, 2, 5}) {
          const std::ptrdiff_t depth = std::ptrdiff_t{integer_block} * blocks;
          std::vector<std::int16_t> a(static_cast<std::size_t>(rows * depth)),
              b(static_cast<std::size_t>(columns * depth));
          for (auto* v : {&a, &b})
            for (std::int16_t& x : *v) x = static_cast<std::int16_t>(random.below(65536) - 32768);
          std::vector<std::int32_t> want(static_cast<std::size_t>(rows * columns)), got(want.size() + 1, -1);
          multiply_integers_plainly(a.data(), rows, b.data(), columns, depth, want.data());
          kernels_at_hand.products(a.data(), rows, b.data(), columns, depth, got.data());
          CHECK(got.back() == -1);
          got.pop_back();
          CHECK(got == want);
        }
  });
}

}  // namespace ctnn::ir
