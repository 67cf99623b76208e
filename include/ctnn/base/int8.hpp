// SPDX-License-Identifier: BSL-1.0
// Rounding to bytes as ncnn does.
#pragma once

#include <cstdint>

namespace ctnn::ir {

/// To the nearest, halves away from zero, within -127 to 127.
constexpr std::int8_t quantize_int8(float x) {
  if (!(x > -127)) return -127;
  if (x >= 127) return 127;
  const int whole = static_cast<int>(x);
  const float rest = x - static_cast<float>(whole);  // exact; std::round is a call
  return static_cast<std::int8_t>(whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0));
}

}  // namespace ctnn::ir
