// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr op::pool pool(op::pooling function, pair kernel, pair stride, margins pad = {}) {
  op::pool p;
  p.function = function;
  p.kernel = {kernel[0], kernel[1]};
  p.stride = {stride[0], stride[1]};
  p.pad = {pad[0], pad[1], pad[2], pad[3]};
  return p;
}

constexpr bool windows() {
  const operand x{{1, 3, 3}, one_to_nine};
  const float negative[4] = {-1, -2, -3, -4};
  if (!gives(pool(op::pooling::max, {2, 2}, {1, 1}), {x}, {}, {5, 6, 8, 9})) return false;
  if (!gives(pool(op::pooling::average, {2, 2}, {1, 1}), {x}, {}, {3, 4, 6, 7})) return false;
  if (!gives(pool(op::pooling::max, {3, 3}, {1, 1}, {1, 1, 1, 1}), {{{1, 2, 2}, negative}}, {}, {-1, -1, -1, -1}))
    return false;
  op::pool p = pool(op::pooling::average, {2, 2}, {0, 0}, {1, 1, 0, 0});
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

constexpr bool other_axes() {
  const operand signal{{1, 9}, one_to_nine}, batch{{1, 1, 9}, one_to_nine};
  const float cube[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const op::pool pairs{op::pooling::max, 1, {2}};
  const op::pool apart{op::pooling::max, 1, {2}, {1}, {4}};
  const op::pool mean{op::pooling::average, 3, {2}};
  op::pool norm{op::pooling::lp, 1, {2}, {7}};
  if (!gives(pairs, {signal}, {}, {2, 4, 6, 8}) || !gives(pairs, {batch}, {}, {2, 4, 6, 8})) return false;
  if (!gives(apart, {signal}, {}, {5, 6, 7, 8, 9})) return false;
  if (!gives(mean, {{{1, 2, 2, 2}, cube}}, {}, {4.5f}) || !gives(mean, {{{1, 1, 2, 2, 2}, cube}}, {}, {4.5f}))
    return false;
  norm.p = 1;
  return gives(norm, {signal}, {}, {3, 17});
}
static_assert(other_axes());

constexpr bool one_spelling() {
  const auto same = [](by_axis a, by_axis b) {
    field_values x, y;
    encode_field(a, x);
    encode_field(b, y);
    return x == y;
  };
  return same({2, 2}, {2}) && same({1, 0, 1, 0}, {1, 0}) && same({3, 3, 3}, {3}) && !same({1, 2}, {2, 1}) &&
         !same({1, 1, 2, 2}, {1, 2}) && by_axis{1, 2}.at(2) == 1 && by_axis{1, 2}.at(3) == 2;
}
static_assert(one_spelling());

constexpr bool adaptive() {
  const operand x{{1, 3, 3}, one_to_nine};
  return gives(op::adaptive_pool{}, {x}, {}, {5}) &&
         gives(op::adaptive_pool{op::pooling::average, {1}, true}, {x}, {}, {5}) &&
         gives(op::adaptive_pool{op::pooling::max}, {x}, {}, {9}) &&
         gives(op::adaptive_pool{op::pooling::average, {2, 2}}, {x}, {}, {3, 4, 6, 7}) &&
         gives(op::adaptive_pool{op::pooling::max, {2, 0}}, {x}, {}, {4, 5, 6, 7, 8, 9}) &&
         gives(op::adaptive_pool{op::pooling::average, {1, 6}}, {x}, {}, {4, 4, 5, 5, 6, 6}) &&
         gives(op::adaptive_pool{op::pooling::average, {2}, false, 1}, {x}, {}, {1.5f, 2.5f, 4.5f, 5.5f, 7.5f, 8.5f}) &&
         gives(op::adaptive_pool{op::pooling::max, {1}, true, 1}, {x}, {}, {3, 6, 9});
}
static_assert(adaptive());

}  // namespace

TEST_CASE("pooling by hand") {
  CHECK(windows());
  CHECK(other_axes());
  CHECK(one_spelling());
  CHECK(adaptive());
}
