// SPDX-License-Identifier: BSL-1.0
// Strings as template arguments: equal texts are the same type.
#include <ctnn/base/fixed_string.hpp>

#include <doctest/doctest.h>
#include <type_traits>

namespace {

template <ctnn::fixed_string Name>
struct named {
  static constexpr auto name = Name;
};

static_assert(std::is_same_v<named<"conv1">, named<"conv1">>);
static_assert(!std::is_same_v<named<"conv1">, named<"conv2">>);
static_assert(!std::is_same_v<named<"conv1">, named<"conv">>);
static_assert(named<"">::name.view().empty());

}  // namespace

TEST_CASE("a fixed string gives its text back") {
  CHECK(named<"conv1">::name.view() == "conv1");
  CHECK(std::string_view(named<"conv1">::name) == "conv1");
  CHECK(ctnn::fixed_string<3>(std::string_view("abcdef")).view() == "abc");
}
