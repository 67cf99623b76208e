// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers, (integer - zero) * scale, and how they become others: in integers alone,
// rounded once, the same bits on every machine.
#pragma once

#include <cstdint>

namespace ctnn::ir {

/// How the integers of a value stand for real numbers: (integer - zero) * scale. A scale of 0 says that nobody said.
struct quantization {
  double scale = 0;
  int zero = 0;

  friend constexpr bool operator==(const quantization&, const quantization&) = default;
  constexpr explicit operator bool() const { return scale != 0; }
};

/// A factor for sums of 32 bits: floor(sum * factor + 1/2), the factor taken to 32 bits behind the point. Factors of
/// 1/2 and more are as good as small ones.
struct fixed_factor {
  std::int64_t times = 0;  ///< the factor times 2^32

  constexpr fixed_factor() = default;
  /// Of 2^29 and more: every sum but 0 saturates whatever it becomes.
  constexpr explicit fixed_factor(double factor)
      : times(factor < 536870912.0 ? static_cast<std::int64_t>(factor * 4294967296.0 + 0.5) : most) {}

  /// Within 2^31 at most; sums that would be more than 2^29 stop there, beyond what bytes and 16 bits can hold.
  constexpr std::int32_t of(std::int32_t sum) const {
    std::int64_t s = sum;
    if (times > std::int64_t{1} << 31) {
      const std::int64_t end = most / times;  // so that the product stays below 2^61
      s = s < -end ? -end : s > end ? end : s;
    }
    return static_cast<std::int32_t>((s * times + (std::int64_t{1} << 31)) >> 32);
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 61;
};

/// floor(a f + b g + 1/2) of bytes less zero points, by factors below 2^20.
constexpr std::int32_t weighted_sum(fixed_factor f, std::int32_t a, fixed_factor g, std::int32_t b) {
  return static_cast<std::int32_t>((a * f.times + b * g.times + (std::int64_t{1} << 31)) >> 32);
}

/// To the nearest, halves away from 0.
constexpr std::int32_t rounded_away(double x) { return static_cast<std::int32_t>(x < 0 ? x - 0.5 : x + 0.5); }

/// An average of integers: to the nearest, halves away from 0; 0 of none.
constexpr std::int64_t average_of_integers(std::int64_t sum, std::int64_t count) {
  return count == 0 ? 0 : (sum < 0 ? sum - count / 2 : sum + count / 2) / count;
}

}  // namespace ctnn::ir
