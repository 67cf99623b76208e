// SPDX-License-Identifier: BSL-1.0
// The digit classifier in bytes, which quantize.py made of the trained one: its weights folded by the compiler.
#pragma once

#include "bytes.hpp"
#include "samples.hpp"

namespace digits {

using fused_in_bytes = ctnn::optimized<digits_in_bytes>;

inline constexpr auto folded_in_bytes = ctnn::fold<digits_in_bytes, digits_in_bytes::weights>();

/// A pixel as the network takes it: the byte + 128 is 255 times the brightness, to the nearest.
constexpr std::int8_t brightness_byte(char pixel) {
  return static_cast<std::int8_t>(static_cast<int>(brightness(pixel) * 255 + 0.5f) - 128);
}

}  // namespace digits
