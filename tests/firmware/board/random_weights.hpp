// SPDX-License-Identifier: BSL-1.0
// Weights for networks whose trained ones are not there.
#pragma once

#include <ctnn/ctnn.hpp>

namespace board {

/// Packed weights of Net, noise of about 1 / sqrt(64): constants in flash like real ones.
template <class Net>
consteval ctnn::parameters<Net> random_weights() {
  ctnn::parameters<Net> out{ctnn::zeros};
  constexpr std::size_t count = sizeof out.packed / sizeof(float), row = 4096;  // compilers limit the length of a loop
  unsigned seed = 1;
  for (std::size_t first = 0; first < count; first += row)
    for (std::size_t i = first; i < count && i < first + row; ++i) {
      seed = seed * 1664525u + 1013904223u;
      out.packed[i] = static_cast<float>(seed >> 8) / 67108864.0f - 0.125f;
    }
  return out;
}

}  // namespace board
