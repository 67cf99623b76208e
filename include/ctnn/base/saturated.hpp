// SPDX-License-Identifier: BSL-1.0
// Conversions between element types that are defined for every number; static_cast from floating point to integers is
// not.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ctnn::ir {

/// Floating point to integer saturates, NaN becomes 0; integers keep their low bits.
template <class To, class From>
constexpr To saturated(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (x != x) return 0;
    // The bounds are powers of two (or 0), exact in every floating type.
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From high = static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
    if (x <= low) return std::numeric_limits<To>::min();
    return x >= high ? std::numeric_limits<To>::max() : static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}
/// What a cast does: like saturated, but integers of 8 and 16 bits keep the low bits of 32, as numpy and ONNX Runtime
/// do.
template <class To, class From>
constexpr To converted(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) <= 2)
    return static_cast<To>(saturated<std::int32_t>(x));
  else return saturated<To>(x);
}

}  // namespace ctnn::ir
