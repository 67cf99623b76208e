// SPDX-License-Identifier: BSL-1.0
// IEEE 754 binary16 and bfloat16 to float and back, in integer arithmetic: files store it, kernels do not.
#pragma once

#include <bit>
#include <cstdint>

namespace ctnn {

/// Exact for every bit pattern; NaN payloads are kept.
constexpr float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1fu;
  const std::uint32_t fraction = h & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  // Subnormal: fraction * 2^-24.
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even; too large becomes infinity.
constexpr std::uint16_t float_to_half(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x33000000u) return static_cast<std::uint16_t>(sign);  // at most half the smallest subnormal
  const std::uint32_t exponent = magnitude >> 23;
  // The significand with its hidden bit, cut at the last bit that survives.
  const std::uint32_t significand = exponent < 113 ? (magnitude & 0x7fffffu) | 0x800000u : magnitude - 0x38000000u;
  const std::uint32_t drop = exponent < 113 ? 126 - exponent : 13;
  const std::uint32_t rest = significand & ((1u << drop) - 1), tie = 1u << (drop - 1);
  std::uint32_t kept = significand >> drop;
  if (rest > tie || (rest == tie && (kept & 1u))) ++kept;
  return static_cast<std::uint16_t>(sign | kept);
}

/// bfloat16 is the upper half of a float.
constexpr float bfloat_to_float(std::uint16_t b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16); }

/// Rounds to nearest, ties to even.
constexpr std::uint16_t float_to_bfloat(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace ctnn
