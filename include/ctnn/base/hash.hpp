// SPDX-License-Identifier: BSL-1.0
// A number that stands for what it was made of.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace ctnn::ir {

/// FNV-1a of 64 bits.
struct hash_of_text {
  std::uint64_t value = 0xcbf29ce484222325;

  constexpr void add(std::string_view text) {
    for (char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  constexpr void add(std::integral auto number) {
    for (int i = 0; i < 8; ++i) value = (value ^ (static_cast<std::uint64_t>(number) >> 8 * i & 255)) * 0x100000001b3;
  }
};

}  // namespace ctnn::ir
