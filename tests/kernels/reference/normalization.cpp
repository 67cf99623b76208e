// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr float x[8] = {1, -2, 3, -4, 5, -6, 7, -8};
constexpr float a[2] = {2, -1}, b[2] = {0.5f, 1};

constexpr bool affine_operators() {
  const float mean[2] = {1, 2}, variance[2] = {4, 0.25f}, none[2] = {0, 0};
  return gives(op::batch_norm{0}, {{{2, 2, 2}, x}}, {a, b, mean, variance},
               {0.5f, -2.5f, 2.5f, -4.5f, -5, 17, -9, 21}) &&
         gives(op::batch_norm{0, automatic_axis, 1e-4f}, {{{2}, {x, 2}}}, {a, b, none, none}, {20000.5f, 20001}) &&
         gives(op::batch_norm{0, 1}, {{{2, 2}, {x, 4}}}, {a, b, mean, variance}, {0.5f, 9, 2.5f, 13}) &&
         gives(op::scale{false, 1}, {{{2, 2, 2}, x}}, {a}, {2, -4, -3, 4, 10, -12, -7, 8}) &&
         gives(op::bias{-1}, {{{2, 2}, {x, 4}}}, {a}, {3, -3, 5, -5}) &&
         gives(op::scale{}, {{{2, 4}, x}}, {a, b}, {2.5f, -3.5f, 6.5f, -7.5f, -4, 7, -6, 9}) &&
         gives(op::scale{false}, {{{2, 2, 1, 2}, x}}, {a}, {2, -4, -3, 4, 10, -12, -7, 8}) &&
         gives(op::bias{}, {{{2, 4}, x}}, {a}, {3, 0, 5, -2, 4, -7, 6, -9}) &&
         gives(op::prelu{}, {{{2, 4}, x}}, {a}, {1, -4, 3, -8, 5, 6, 7, 8});
}
static_assert(affine_operators());

constexpr bool local_responses() {
  constexpr float n[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  return gives(op::local_response_norm{3, 3, 1, 2}, {{{4, 1, 1}, {n, 4}}}, {},
               {1.0f / 7, 2.0f / 16, 3.0f / 31, 4.0f / 27}) &&
         gives(op::local_response_norm{2, 2, 0.5f, 0}, {{{2, 2, 1, 1}, {n, 4}}}, {},
               {1 / math::sqrt(5), 1, 3.0f / 5, 1}) &&  // reaches ahead
         gives(op::local_response_norm{3, 9, 1, 1, true}, {{{2, 2, 2}, n}}, {},
               {1.0f / 31, 2.0f / 31, 3.0f / 31, 4.0f / 31, 5.0f / 175, 6.0f / 175, 7.0f / 175, 8.0f / 175});
}
static_assert(local_responses());

constexpr bool rows_by_their_statistics() {
  constexpr float n[4] = {1, 3, -2, 6}, scale[2] = {2, 1}, bias[2] = {0, 10};
  return gives(op::layer_norm{-1, 0}, {{{2, 2}, n}}, {}, {-1, 1, -1, 1}) &&
         gives(op::layer_norm{-1, 0}, {{{2, 2}, n}, {{2}, scale}, {{2}, bias}}, {}, {-2, 11, -2, 11}) &&
         gives(op::layer_norm{-1, 0}, {{{2, 2}, n}, {{2, 1}, scale}}, {}, {-2, 2, -1, 1});
}
static_assert(rows_by_their_statistics());

}  // namespace

TEST_CASE("batch_norm, scale, bias and prelu by hand") { CHECK(affine_operators()); }
TEST_CASE("layer_norm by hand") { CHECK(rows_by_their_statistics()); }
TEST_CASE("local_response_norm by hand") { CHECK(local_responses()); }
