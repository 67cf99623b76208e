// SPDX-License-Identifier: BSL-1.0
// Packed weights that reach a device after its program: a file of the tool's, and what is looked at before an engine
// takes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parameters.hpp"

namespace ctnn {

/// What is wrong with an image of weights.
enum class image_error { none, too_short, no_image, another_version, another_network, damaged, misaligned };

namespace ir {

/// The first 64 bytes of an image, little endian; the packed numbers follow, of which `check` is the CRC-32 (IEEE).
struct image_header {
  static constexpr std::uint32_t word = 0x6e6e7463;  ///< "ctnn"

  std::uint32_t magic = word, version = 1;
  std::uint64_t architecture = 0;  ///< of the network (`ctnn header` writes it): layers, shapes and packing
  std::uint32_t count = 0, check = 0;
  std::uint32_t rest[10] = {};
};
static_assert(sizeof(image_header) == 64);

/// CRC-32 as Ethernet and zlib have it, four bits at a time: 64 bytes of table.
constexpr std::uint32_t crc32(const auto* bytes, std::size_t n) {
  constexpr std::uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  std::uint32_t crc = ~std::uint32_t{0};
  for (std::size_t i = 0; i < n; ++i) {
    crc ^= static_cast<unsigned char>(bytes[i]);
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

}  // namespace ir

/// An image in memory (`ctnn header --image`), at an address that is a multiple of 64, for Net, a header's network.
template <class Net>
struct weights_image {
  const void* data;
  std::size_t bytes;

  /// Looks at everything, the check of all numbers included.
  image_error check() const {
    using ir::image_header;
    constexpr std::size_t count = ir::executable<Net>::weights_size;
    if (bytes < sizeof(image_header)) return image_error::too_short;
    if (reinterpret_cast<std::uintptr_t>(data) % 64 != 0) return image_error::misaligned;
    const auto& h = *static_cast<const image_header*>(data);
    if (h.magic != image_header::word) return image_error::no_image;
    if (h.version != 1) return image_error::another_version;
    if (h.architecture != Net::architecture || h.count != count) return image_error::another_network;
    if ((bytes - sizeof(image_header)) / sizeof(float) < count) return image_error::too_short;
    const auto* numbers = static_cast<const unsigned char*>(data) + sizeof(image_header);
    return ir::crc32(numbers, count * sizeof(float)) == h.check ? image_error::none : image_error::damaged;
  }
  const float* numbers() const {
    return reinterpret_cast<const float*>(static_cast<const unsigned char*>(data) + sizeof(ir::image_header));
  }
};

}  // namespace ctnn
