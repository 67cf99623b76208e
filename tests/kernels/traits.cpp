// SPDX-License-Identifier: BSL-1.0
// What records say of kernels.
#include <doctest/doctest.h>

#include <ctnn/network/dispatch.hpp>

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("an operator says whether it has a kernel of vectors") {
  int without = 0;
  for (const loaded_kernel& k : kernels_for<all_operators>(best_target()).table) {
    CAPTURE(k.type->name);
    if (k.type == &type_of<op::input>) continue;
    CHECK((k.run != nullptr) == (k.type->is.vectors != vectors_of::none));
    without += k.run == nullptr;
  }
  CHECK(without > 40);
}
