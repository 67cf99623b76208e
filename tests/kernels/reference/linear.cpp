// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr bool linears() {
  const float x[6] = {1, 2, 3, -1, 0, 1}, w[6] = {1, 1, 1, 0, 2, -1}, b[2] = {10, 0.5f}, r[4] = {1, -2, 0, 7};
  return gives(op::linear{2}, {{{2, 3}, x}}, {w, b}, {16, 1.5f, 10, -0.5f}) &&
         gives(op::linear{2, false}, {{{2, 3}, x}}, {w}, {6, 1, 0, -1}) &&
         gives(op::linear{2, false, {function::relu}}, {{{2, 1, 3}, x}}, {w}, {6, 1, 0, 0}) &&
         gives(op::linear{1, true, {}, 2}, {{{2, 3}, x}}, {w, b}, {15}) &&  // both axes are one row
         gives(op::linear{2, true, {function::relu}}, {{{2, 3}, x}, {{2, 2}, r}}, {w, b}, {17, 0, 10, 6.5f}) &&
         gives(op::linear{2, false, {}, 2, 2}, {{{2, 1, 3}, x}}, {w}, {6, 1, 0, -1});
}
static_assert(linears());

}  // namespace

TEST_CASE("linear by hand") { CHECK(linears()); }
