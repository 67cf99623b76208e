// SPDX-License-Identifier: BSL-1.0
// Weights of bytes for networks whose size and speed matter, the same on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace board {

/// Noise over all bytes.
template <std::size_t N>
consteval std::array<std::int8_t, N> random_bytes(unsigned seed) {
  std::array<std::int8_t, N> out{};
  for (std::size_t first = 0; first < N; first += 4096)  // compilers limit the length of a loop
    for (std::size_t i = first; i < N && i < first + 4096; ++i)
      out[i] = static_cast<std::int8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
  return out;
}
template <std::size_t N>
consteval std::array<std::int32_t, N> random_biases(unsigned seed) {
  std::array<std::int32_t, N> out{};
  for (std::int32_t& b : out) b = static_cast<std::int32_t>((seed = seed * 1664525u + 1013904223u) >> 20) - 2048;
  return out;
}
/// Scales around `scale`.
template <std::size_t N>
consteval std::array<float, N> random_scales(unsigned seed, float scale) {
  std::array<float, N> out{};
  for (float& s : out)
    s = scale * (0.5f + static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0f);
  return out;
}

}  // namespace board
