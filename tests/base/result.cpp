// SPDX-License-Identifier: BSL-1.0
// Errors as values.
#include <doctest/doctest.h>

#include <memory>

#include <ctnn/base/error.hpp>
#include <ctnn/base/problem.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

constexpr result<int, problem> half_of(int n) {
  if (n % 2 != 0) return problem{mistake::element_count_mismatch, {}, {n}, {n + 1}};
  return n / 2;
}
// Constants are enough for it: no heap, no exceptions.
constexpr auto even = half_of(8), odd = half_of(7);
static_assert(even && *even == 4);
static_assert(!odd && odd.error().needed == extents{8});

}  // namespace

TEST_CASE("a result has a value, also one that can only be moved, or an error") {
  result<std::unique_ptr<int>> r = std::make_unique<int>(3);
  REQUIRE(r);
  CHECK(**r == 3);
  const std::unique_ptr<int> taken = *std::move(r);
  CHECK(*taken == 3);
  const result<std::string> text = error("net.param:1: no");
  CHECK(!text);
  CHECK(std::string(text.error().what()) == "net.param:1: no");
  CHECK(result<std::string>(std::string("abc"))->size() == 3);
}

TEST_CASE("attempts: what would be thrown, always as the one type") {
  CHECK(*attempt([] { return 5; }) == 5);
  CHECK(attempt([] {}));
  const auto said = [](auto f) { return std::string(attempt(f).error().what()); };
  CHECK(said([] { throw error("x: wrong"); }) == "x: wrong");
  CHECK(said([]() -> int { throw std::bad_alloc(); }) == "out of memory");
  CHECK(said([]() -> int { throw std::length_error("too long"); }) == "too long");
  CHECK_THROWS_WITH_AS(or_error([]() -> int { throw std::length_error("too long"); }), "too long", error);
}
