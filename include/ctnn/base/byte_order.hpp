// SPDX-License-Identifier: BSL-1.0
// Files have the lowest byte of a number first; this machine may not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

namespace ctnn::ir {

/// Numbers of `size` bytes each from the order of files to that of a machine, and back.
inline void swap_from_file(std::span<std::byte> numbers, std::size_t size, std::endian machine = std::endian::native) {
  if (machine == std::endian::little || size < 2) return;
  const auto step = static_cast<std::ptrdiff_t>(size);
  for (auto at = numbers.begin(); at != numbers.end(); at += step) std::reverse(at, at + step);
}

}  // namespace ctnn::ir
