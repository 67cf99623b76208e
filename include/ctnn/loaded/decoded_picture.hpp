// SPDX-License-Identifier: BSL-1.0
// What models that read pictures' files (ONNX ImageDecoder) need of a program: ctnn has no decoder of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ctnn {

/// Pixels of red, green and blue, row by row from above; or why there are none.
struct decoded_picture {
  std::string error{};
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels{};
};
/// Decodes the bytes of a picture's file, and bounds what it takes for that.
using picture_decoder = decoded_picture (*)(std::span<const std::byte> file);

}  // namespace ctnn
