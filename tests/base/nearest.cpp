// SPDX-License-Identifier: BSL-1.0
// base/nearest.hpp: which name was meant.
#include <ctnn/base/nearest.hpp>
#include <doctest/doctest.h>

#include <initializer_list>

using namespace ctnn::ir;

namespace {

static_assert(edits_between("kitten", "sitting") == 3);
static_assert(edits_between("", "abc") == 3 && edits_between("abc", "") == 3);
static_assert(edits_between("conv1", "conv1") == 0 && edits_between("con1", "conv1") == 1);

constexpr std::string_view nearest_to(std::string_view asked, std::initializer_list<std::string_view> names) {
  nearest_name n(asked);
  for (std::string_view name : names) n.consider(name);
  return n.name();
}
static_assert(nearest_to("con1", {"image", "conv2", "conv1", "relu1"}) == "conv1");
static_assert(nearest_to("conv3", {"conv1", "conv2"}) == "conv1");  // the first of several
static_assert(nearest_to("xyz", {"abc", "de"}).empty() && nearest_to("a", {}).empty());

}  // namespace

TEST_CASE("the nearest name (asserted by the compiler)") { CHECK(nearest_to("rellu", {"conv", "relu"}) == "relu"); }
