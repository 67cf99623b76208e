// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

namespace ctnn::test {
namespace {

constexpr op::pool2d pool(op::pooling function, pair kernel, pair stride, margins pad = {}) {
  op::pool2d p;
  p.function = function;
  p.kernel = kernel;
  p.stride = stride;
  p.pad = pad;
  return p;
}

constexpr bool windows() {
  const operand x{{1, 3, 3}, one_to_nine};
  const float negative[4] = {-1, -2, -3, -4};
  if (!gives(pool(op::pooling::max, {2, 2}, {1, 1}), {x}, {}, {5, 6, 8, 9})) return false;
  if (!gives(pool(op::pooling::average, {2, 2}, {1, 1}), {x}, {}, {3, 4, 6, 7})) return false;
  if (!gives(pool(op::pooling::max, {3, 3}, {1, 1}, {1, 1, 1, 1}), {{{1, 2, 2}, negative}}, {}, {-1, -1, -1, -1}))
    return false;
  op::pool2d p = pool(op::pooling::average, {2, 2}, {0, 0}, {1, 1, 0, 0});
  if (!gives(p, {x}, {}, {1, 2.5f, 5.5f, 7})) return false;
  p.count_include_pad = true;
  if (!gives(p, {x}, {}, {0.25f, 1.25f, 2.75f, 7})) return false;
  // ceil: the last windows hang over the end; torch divides by what is inside, ncnn can divide by the whole window.
  p = pool(op::pooling::average, {2, 2}, {2, 2});
  if (!gives(p, {x}, {}, {3})) return false;
  p.ceil = true;
  if (!gives(p, {x}, {}, {3, 4.5f, 7.5f, 9})) return false;
  p.count_include_pad = true;
  if (!gives(p, {x}, {}, {3, 4.5f, 7.5f, 9})) return false;
  p.divisor_whole = true;
  if (!gives(p, {x}, {}, {3, 2.25f, 3.75f, 2.25f})) return false;
  p = pool(op::pooling::max, {2, 2}, {2, 2});
  p.same = same_padding::upper;
  if (!gives(p, {x}, {}, {5, 6, 8, 9})) return false;
  p.same = same_padding::lower;
  return gives(p, {x}, {}, {1, 3, 7, 9});
}
static_assert(windows());

constexpr bool adaptive() {
  const operand x{{1, 3, 3}, one_to_nine};
  return gives(op::adaptive_pool2d{}, {x}, {}, {5}) &&
         gives(op::adaptive_pool2d{op::pooling::average, {1, 1}, true}, {x}, {}, {5}) &&
         gives(op::adaptive_pool2d{op::pooling::max}, {x}, {}, {9}) &&
         gives(op::adaptive_pool2d{op::pooling::average, {2, 2}}, {x}, {}, {3, 4, 6, 7}) &&
         gives(op::adaptive_pool2d{op::pooling::max, {2, 0}}, {x}, {}, {4, 5, 6, 7, 8, 9}) &&
         gives(op::adaptive_pool2d{op::pooling::average, {1, 6}}, {x}, {}, {4, 4, 5, 5, 6, 6});
}
static_assert(adaptive());

}  // namespace

TEST_CASE("pooling by hand") {
  CHECK(windows());
  CHECK(adaptive());
}

}  // namespace ctnn::test
