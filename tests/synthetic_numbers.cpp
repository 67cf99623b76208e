// SPDX-License-Identifier: BSL-1.0
#include "synthetic_numbers.hpp"

#include <bit>

namespace ctnn::ir::test {

namespace {

/// The k-th number, in [-0.5, 0.5).
double synthetic_number(std::uint32_t k) {
  std::uint32_t h = k * 0x9E3779B1u;
  h ^= h >> 15;
  h *= 0x85EBCA77u;
  h ^= h >> 13;
  return static_cast<double>(h >> 8) / 16777216.0 - 0.5;
}

}  // namespace

std::vector<float> synthetic_input(std::size_t n) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<float>(synthetic_number(0x10000000u + static_cast<std::uint32_t>(i)) * 2);
  return out;
}

void write_synthetic(std::uint32_t first, double scale, double offset, std::span<std::byte> to) {
  for (std::size_t i = 0; i + 4 <= to.size(); i += 4) {
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(synthetic_number(first++) * 2 * scale + offset));
    for (unsigned b = 0; b < 4; ++b) to[i + b] = static_cast<std::byte>(word >> 8 * b & 0xFFu);
  }
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t table[256];
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int k = 0; k < 8; ++k) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xEDB88320u : 0u);
  }
  std::uint32_t c = 0xFFFFFFFFu;
  for (const std::byte b : bytes) c = table[(c ^ static_cast<std::uint32_t>(b)) & 0xFFu] ^ (c >> 8);
  return ~c;
}

}  // namespace ctnn::ir::test
