// SPDX-License-Identifier: BSL-1.0
// Conversions of numbers that the other type cannot hold.
#include <doctest/doctest.h>

#include <cmath>

#include <ctnn/base/saturated.hpp>

using ctnn::ir::converted;
using ctnn::ir::saturated;

TEST_CASE("numbers out of range become the nearest, no number becomes 0") {
  static_assert(saturated<std::int8_t>(-3.4e38f) == -128 && saturated<std::int8_t>(127.9) == 127 &&
                saturated<std::int8_t>(128.0) == 127);
  static_assert(saturated<std::uint8_t>(-0.5) == 0 && saturated<std::uint8_t>(1e300) == 255);
  static_assert(saturated<std::int64_t>(9.3e18) == 9223372036854775807 &&
                saturated<std::int64_t>(-INFINITY) == -9223372036854775807 - 1);
  static_assert(saturated<std::uint64_t>(1.9e19) == 18446744073709551615u && saturated<int>(NAN) == 0);
  static_assert(saturated<float>(std::int64_t{3}) == 3 && saturated<std::int8_t>(300) == 44);
  CHECK(saturated<std::int16_t>(-40000.0f) == -32768);
}

TEST_CASE("a cast keeps the low bits of bytes") {
  static_assert(converted<std::uint8_t>(300.0f) == 44 && converted<std::int8_t>(-1e30) == 0 &&
                converted<std::int32_t>(1e30) == 2147483647);
  CHECK(converted<std::uint8_t>(-1.0f) == 255);
}
