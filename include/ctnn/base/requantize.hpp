// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers, (integer - zero) * scale, and how they become others: in integers alone,
// rounded once, the same bits on every machine.
#pragma once

#include <cstdint>

#include "element.hpp"

namespace ctnn::ir {

/// A factor for sums of 32 bits: floor(sum * factor + 1/2). Below 1/2 it is taken to 32 bits behind the point, above to
/// 26 digits: sums that do not saturate are small there. It is a word of 32 bits where weights are packed.
struct fixed_factor {
  std::int64_t times = 0;  ///< the factor times 2^32

  constexpr fixed_factor() = default;
  /// Of 2^25 and more: every sum but 0 saturates whatever bytes it becomes.
  constexpr explicit fixed_factor(double factor) {
    double digits = factor * 4294967296.0;
    if (!(digits > 0)) digits = 0;  // of scales that are no scales
    int shift = 0;
    if (digits >= 2147483647.5)
      for (; digits >= 67108863.5 && shift < 31; ++shift) digits /= 2;
    if (digits > 2147483647.0) digits = 67108863.0;
    times = static_cast<std::int64_t>(digits + 0.5) << shift;
  }
  /// In 32 bits: the highest says whether digits and a shift follow.
  constexpr std::uint32_t word() const {
    if (times < std::int64_t{1} << 31) return static_cast<std::uint32_t>(times);
    std::uint32_t shift = 0;
    while (times >> shift >= std::int64_t{1} << 26) ++shift;
    return std::uint32_t{1} << 31 | shift << 26 | static_cast<std::uint32_t>(times >> shift);
  }
  static constexpr fixed_factor of_word(std::uint32_t w) {
    fixed_factor f;
    f.times = w >> 31 == 0 ? std::int64_t{w} : std::int64_t{w & 0x3ffffff} << (w >> 26 & 31u);
    return f;
  }
  /// The same as of_word(w).of(sum), without a division: 32-bit processors call a function for one.
  static constexpr std::int32_t product(std::uint32_t w, std::int32_t sum) {
    const int down = w >> 31 == 0 ? 32 : 32 - static_cast<int>(w >> 26 & 31u);
    const std::int64_t digits = w >> 31 == 0 ? w : w & 0x3ffffffu, most = std::int64_t{1} << 29;
    const std::int64_t y = (sum * digits + (std::int64_t{1} << (down - 1))) >> down;
    return static_cast<std::int32_t>(y < -most ? -most : y > most ? most : y);
  }

  /// Within 2^31; sums that would be more than 2^29 stop there, beyond what bytes and 16 bits can hold.
  constexpr std::int32_t of(std::int32_t sum) const {
    std::int64_t s = sum;
    if (times >= std::int64_t{1} << 31) {
      const std::int64_t end = (std::int64_t{1} << 61) / times;  // so that the product stays below 2^61
      s = s < -end ? -end : s > end ? end : s;
    }
    return static_cast<std::int32_t>((s * times + (std::int64_t{1} << 31)) >> 32);
  }
};

/// A factor as gemmlowp has it, and with it TensorFlow Lite's kernels of its own, those that are not XNNPACK's: 31
/// digits and a power of two. Sums are rounded when they are multiplied by the digits, and again, halves away from 0,
/// when they are divided by the power.
struct twice_rounded_factor {
  std::int32_t digits = 0;
  int exponent = 0;

  constexpr twice_rounded_factor() = default;
  constexpr explicit twice_rounded_factor(double factor) {
    if (!(factor > 0) || factor > 1073741824.0) return;  // of scales that are no scales
    for (; factor >= 1; ++exponent) factor /= 2;
    for (; factor < 0.5 && exponent > -32; --exponent) factor *= 2;
    const auto whole = static_cast<std::int64_t>(factor * 2147483648.0 + 0.5);
    exponent += whole >> 31 != 0 ? 1 : 0;
    digits = exponent < -31 ? 0 : static_cast<std::int32_t>(whole >> 31 != 0 ? whole / 2 : whole);
  }
  /// x times the power of two, if there is one, wraps around.
  constexpr std::int32_t of(std::int32_t x) const {
    if (exponent > 0) x = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << exponent);
    const std::int64_t once = (std::int64_t{x} * digits + (std::int64_t{1} << 30)) >> 31;
    if (exponent >= 0) return static_cast<std::int32_t>(once);
    const std::int64_t half = std::int64_t{1} << (-exponent - 1);
    return static_cast<std::int32_t>((once < 0 ? once + half - 1 : once + half) >> -exponent);
  }
  /// Of sums of 48 bits: by 15 of the digits, rounded once, halves up; within 2^30.
  constexpr std::int32_t of_wide(std::int64_t x) const {
    const std::int64_t short_digits = digits < 0x7fff0000 ? (digits + (1 << 15)) >> 16 : 0x7fff;
    const std::int64_t product = x * short_digits, most = std::int64_t{1} << 30;
    const int down = 15 - exponent;
    if (down <= 0) return static_cast<std::int32_t>(product < 0 ? -most : product > 0 ? most : 0);
    const std::int64_t y = (product + (std::int64_t{1} << (down - 1))) >> down;
    return static_cast<std::int32_t>(y < -most ? -most : y > most ? most : y);
  }
};

/// Sums and products of bytes less zero points in gemmlowp's arithmetic: operands of sums are brought to the larger
/// scale with 20 digits more, numbers of 16 bits with 15, each rounded twice, and so is their sum.
class twice_rounded_sum {
 public:
  constexpr twice_rounded_sum(double of, double with, double as, bool multiplies, int more_digits = 20)
      : multiplies_(multiplies),
        more_(1 << more_digits),
        first_(of / (of > with ? 2 * of : 2 * with)),
        second_(with / (of > with ? 2 * of : 2 * with)),
        result_(multiplies ? of * with / as : (of > with ? 2 * of : 2 * with) / (more_ * as)) {}
  constexpr std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t sign) const {
    if (multiplies_) return result_.of(a * b);
    return result_.of(first_.of(a * more_) + sign * second_.of(b * more_));
  }
  constexpr const twice_rounded_factor& first() const { return first_; }
  constexpr const twice_rounded_factor& second() const { return second_; }
  constexpr const twice_rounded_factor& result() const { return result_; }

 private:
  bool multiplies_;
  std::int32_t more_;
  twice_rounded_factor first_, second_, result_;
};

/// To the nearest, halves away from 0.
constexpr std::int32_t rounded_away(double x) { return static_cast<std::int32_t>(x < 0 ? x - 0.5 : x + 0.5); }

/// To the nearest, halves to the even one; within 2^31.
constexpr std::int32_t nearest_even(float x) {
  const auto cut = static_cast<std::int32_t>(x), below = cut - (x < static_cast<float>(cut) ? 1 : 0);
  const float rest = x - static_cast<float>(below);
  return below + (rest > 0.5f || (rest == 0.5f && below % 2 != 0) ? 1 : 0);
}

/// What the operands of a sum of bytes less zero points are multiplied by, where it is rounded once: floats whose
/// larger one has 21 digits, as in XNNPACK's kernels of sums (qs8-vadd), which TensorFlow Lite's interpreter takes.
struct factors_of_sum {
  std::int64_t first = 0, second = 0;  ///< times 2^32; within 2^20 each

  constexpr factors_of_sum(double of, double with, double as)
      : factors_of_sum(static_cast<float>(of) / static_cast<float>(as),
                       static_cast<float>(with) / static_cast<float>(as)) {}
  /// floor(a f + b g + 1/2)
  constexpr std::int32_t of(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>((a * first + b * second + (std::int64_t{1} << 31)) >> 32);
  }

 private:
  constexpr factors_of_sum(float f, float g) {
    int digits = 0;  // behind the point
    for (float most = f > g ? f : g; most < 1048576 && digits < 32; ++digits) most *= 2;
    const auto times = [digits](float x) {
      return static_cast<std::int64_t>(nearest_even(x * static_cast<float>(std::int64_t{1} << digits)))
             << (32 - digits);
    };
    first = times(f);
    second = times(g);
  }
};

/// An average of integers: to the nearest, halves away from 0; 0 of none.
constexpr std::int64_t average_of_integers(std::int64_t sum, std::int64_t count) {
  return count == 0 ? 0 : (sum < 0 ? sum - count / 2 : sum + count / 2) / count;
}

}  // namespace ctnn::ir
