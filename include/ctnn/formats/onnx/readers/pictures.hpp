// SPDX-License-Identifier: BSL-1.0
// Pictures' files as numbers.
#pragma once

#include "../node_reader.hpp"

namespace ctnn::onnx::readers {

/// How large a picture is follows from its file, so its bytes must be known. What cannot be decoded is an error, where
/// ONNX would have no pixels. Grey is as of ITU-R BT.601, rounded, which is Pillow's.
inline void image_decoder(node_reader& n) {
  n.expect(1, 1);
  const std::string format = n.text("pixel_format", "RGB");
  if (format != "RGB" && format != "BGR" && format != "Grayscale")
    n.fail("attribute 'pixel_format' is '" + format + "'");
  if (!n.builder().options.decode_picture)
    node_reader::refuse("reading pictures needs load_options::decode_picture; the tool has it where stb_image is");
  if (n.type(n.input()) != dtype::u8) n.fail("reads " + std::string(name_of(n.type(n.input()))) + ", expected u8");
  const array& file = n.numbers(n.input());
  const decoded_picture p = n.builder().options.decode_picture(file.bytes());
  if (!p.error.empty()) n.fail(p.error);
  const std::int64_t pixels = std::int64_t{p.width} * p.height;
  if (p.width < 1 || p.height < 1 || static_cast<std::uint64_t>(pixels) * 3 != p.pixels.size())
    n.fail("decode_picture gives " + std::to_string(p.pixels.size()) + " bytes for " + std::to_string(p.width) + " x " +
           std::to_string(p.height) + " pixels of red, green and blue");
  const bool grey = format == "Grayscale", reversed = format == "BGR";
  const auto out = n.allocate({p.height, p.width, grey ? 1 : 3}, dtype::u8);
  const std::uint8_t* from = p.pixels.data();
  std::uint8_t* to = out->elements<std::uint8_t>().data();
  for (std::int64_t i = 0; i < pixels; ++i, from += 3)
    if (grey) *to++ = static_cast<std::uint8_t>((19595 * from[0] + 38470 * from[1] + 7471 * from[2] + 32768) >> 16);
    else
      for (int c = 0; c < 3; ++c) *to++ = from[reversed ? 2 - c : c];
  n.result(n.constant(out));
}

}  // namespace ctnn::onnx::readers
