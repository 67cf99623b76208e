// SPDX-License-Identifier: BSL-1.0
// Results against what is expected of them.
#pragma once

#include <span>

#include "board.hpp"

namespace board {

/// How many numbers differ by more than `tolerance`; prints each.
inline int differences(const char* what, std::span<const float> got, const float* expected, float tolerance) {
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float error = got[i] - expected[i];
    if (error <= tolerance && error >= -tolerance) continue;
    ++wrong;
    print(what);
    print("[");
    print(static_cast<std::uint32_t>(i));
    print("] is ");
    print(got[i]);
    print(", expected ");
    print(expected[i]);
    print("\n");
  }
  return wrong;
}

}  // namespace board
