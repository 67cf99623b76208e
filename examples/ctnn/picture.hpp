// SPDX-License-Identifier: BSL-1.0
// Pictures as inputs.
#pragma once

#include <ctnn/loaded/array.hpp>
#include <ctnn/loaded/declared_value.hpp>
#include <ctnn/loaded/decoded_picture.hpp>

#include "commands.hpp"

namespace tool {

/// By its name: .jpg .jpeg .png .bmp .gif .ppm .pgm .tga.
bool is_picture(const std::string& file);

/// For models that read pictures' files: by stb_image, or null where the tool is built without.
extern const ctnn::picture_decoder decode_picture;

/// Reads a picture, and makes of it what `input` takes: floats or bytes, channels first or last, with or without an
/// axis for samples, gray, RGB or RGBA, of the size that the input, --shape or --size says. Throws ctnn::error if the
/// file is broken, usage_error if the options do not fit the input.
ctnn::array read_picture(const std::string& file, const ctnn::declared_value& input,
                         const std::vector<std::string>& shapes, const picture_options& options);

}  // namespace tool
