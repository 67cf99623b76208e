// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr bool softmaxes() {
  const float x[6] = {1, 2, 3, 1001, 1002, 1003};
  constexpr float p = 0.0900305732f, q = 0.244728471f, r = 0.665240956f;
  const float same[4] = {0, 7, 0, 7};
  return gives(op::softmax{}, {{{2, 3}, x}}, {}, {p, q, r, p, q, r}) &&
         gives(op::softmax{1}, {{{2, 3, 1}, x}}, {}, {p, q, r, p, q, r}) &&
         gives(op::softmax{0}, {{{2, 2}, same}}, {}, {0.5f, 0.5f, 0.5f, 0.5f}) &&
         gives(op::softmax{0}, {{{2, 3}, x}}, {}, {0, 0, 0, 1, 1, 1});
}
static_assert(softmaxes());

}  // namespace

TEST_CASE("softmax by hand") { CHECK(softmaxes()); }
