// SPDX-License-Identifier: BSL-1.0
// Rounding to bytes as ncnn does.
#pragma once

#include <cmath>
#include <cstdint>

namespace ctnn {

/// To the nearest, halves away from zero, within -127 to 127.
inline std::int8_t quantize_int8(float x) {
  const float whole = std::round(x);
  if (!(whole > -127)) return -127;
  return whole < 127 ? static_cast<std::int8_t>(whole) : std::int8_t{127};
}

}  // namespace ctnn
