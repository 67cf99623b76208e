// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <limits>

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

using enum op::reduction;

constexpr float x[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, signs[4] = {3, -4, -1, 2}, thousands[2] = {1000, 1000};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float low[2] = {-infinity, -infinity};

constexpr bool every_function() {
  return gives(op::reduce{sum, {1}, true}, {{{2, 3, 2}, x}}, {}, {6, 9, 24, 27}) &&
         gives(op::reduce{mean, {0, -1}, false}, {{{2, 3, 2}, x}}, {}, {3.5f, 5.5f, 7.5f}) &&
         gives(op::reduce{max, {}, false}, {{{2, 3, 2}, x}}, {}, {11}) &&
         gives(op::reduce{min, {0}}, {{{2, 2}, signs}}, {}, {-1, -4}) &&
         gives(op::reduce{prod, {1}}, {{{2, 2}, signs}}, {}, {-12, -2}) &&
         gives(op::reduce{l1, {1}}, {{{2, 2}, signs}}, {}, {7, 3}) &&
         gives(op::reduce{l2, {1}}, {{{2, 2}, signs}}, {}, {5, math::sqrt(5)}) &&
         gives(op::reduce{sum_square, {0}}, {{{2, 2}, signs}}, {}, {10, 20}) &&
         gives(op::reduce{log_sum, {}}, {{{2, 2}, {x, 4}}}, {}, {math::log(6)}) &&
         gives(op::reduce{log_sum_exp, {0}}, {{{2}, thousands}}, {}, {1000.6931f}) &&
         gives(op::reduce{log_sum_exp, {0}}, {{{2}, low}}, {}, {-infinity});
}
static_assert(every_function());

constexpr bool of_nothing() {
  return gives(op::reduce{sum, {1}}, {{{2, 0}, {}}}, {}, {0, 0}) &&
         gives(op::reduce{prod, {1}}, {{{2, 0}, {}}}, {}, {1, 1}) &&
         gives(op::reduce{max, {1}}, {{{1, 0, 2}, {}}}, {}, {-infinity, -infinity});
}
static_assert(of_nothing());

}  // namespace

TEST_CASE("reductions are what they say") {
  CHECK(every_function());
  CHECK(of_nothing());
}
