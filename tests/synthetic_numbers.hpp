// SPDX-License-Identifier: BSL-1.0
// The numbers that shared/models/tools makes, made here: hundreds of megabytes, so this is compiled once and optimised
// where tests are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ctnn::ir::test {

/// Inputs, in [-1, 1).
std::vector<float> synthetic_input(std::size_t n);

/// Floats, little endian, as many as fit `to`: number first + i is 2 * scale * x + offset, x in [-0.5, 0.5).
void write_synthetic(std::uint32_t first, double scale, double offset, std::span<std::byte> to);

/// As zlib and PNG have it.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace ctnn::ir::test
