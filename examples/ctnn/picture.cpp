// SPDX-License-Identifier: BSL-1.0
#include "picture.hpp"

#include <ctnn/formats/file.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>
#include <variant>

#include "source.hpp"

#if __has_include(<stb/stb_image.h>) || __has_include(<stb_image.h>)
#define CTNN_TOOL_READS_PICTURES 1
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#if __has_include(<stb/stb_image.h>)
#include <stb/stb_image.h>
#else
#include <stb_image.h>
#endif
#endif

namespace tool {

namespace {

/// Rows of pixels of interleaved channels.
struct picture {
  int width = 0, height = 0, channels = 0;
  std::vector<std::uint8_t> pixels;

  picture(int w, int h, int c, std::uint8_t fill = 0)
      : width(w), height(h), channels(c), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h * c), fill) {}
  std::uint8_t& at(int x, int y, int c) {
    return pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
                      static_cast<std::size_t>(channels) +
                  static_cast<std::size_t>(c)];
  }
};

#if defined(CTNN_TOOL_READS_PICTURES)
/// Or why there is none.
std::variant<picture, std::string> decode(std::span<const std::byte> file, int channels) {
  constexpr int longest = 1 << 15, most = 1 << 27;
  const auto* const data = reinterpret_cast<const stbi_uc*>(file.data());
  const int size = static_cast<int>(std::min(file.size(), std::size_t{1} << 30));
  int width = 0, height = 0, had = 0;
  const auto broken = [] { return std::string("no picture that can be read: ") + stbi_failure_reason(); };
  if (!stbi_info_from_memory(data, size, &width, &height, &had)) return broken();
  if (width < 1 || height < 1 || width > longest || height > longest || width > most / height)
    return std::to_string(width) + " x " + std::to_string(height) + " pixels, expected at most " +
           std::to_string(longest) + " a side and " + std::to_string(most) + " in all";
  stbi_uc* const pixels = stbi_load_from_memory(data, size, &width, &height, &had, channels);
  if (!pixels) return broken();
  picture out(width, height, channels);
  std::copy(pixels, pixels + out.pixels.size(), out.pixels.begin());
  stbi_image_free(pixels);
  return out;
}
picture decode(const std::string& file, int channels) {
  auto made = decode(ctnn::ir::read_file(file, {.file_bytes = std::uint64_t{1} << 30}), channels);
  if (const auto* why = std::get_if<std::string>(&made)) throw ctnn::error(file + ": " + *why);
  return std::get<picture>(std::move(made));
}
#else
picture decode(const std::string& file, int) {
  throw ctnn::error(file + ": this ctnn was built without stb_image, which pictures need (Debian: libstb-dev)");
}
#endif

/// Weights of the pixels that one pixel of the other size is made of.
struct taps {
  int first = 0;
  std::vector<double> weights;
};
/// A triangle, as wide as the step between pixels where `antialias` shrinks; cut off at the edges.
std::vector<taps> taps_of(int from, int to, bool antialias) {
  const double step = static_cast<double>(from) / to, width = antialias ? std::max(step, 1.0) : 1.0;
  std::vector<taps> all(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    const double middle = (i + 0.5) * step;
    const int first = std::max(0, static_cast<int>(middle - width + 0.5));
    const int last = std::min(from, static_cast<int>(middle + width + 0.5));
    taps& t = all[static_cast<std::size_t>(i)];
    t.first = first;
    double sum = 0;
    for (int x = first; x < last; ++x) {
      const double w = std::max(0.0, 1 - std::abs((x - middle + 0.5) / width));
      t.weights.push_back(w);
      sum += w;
    }
    for (double& w : t.weights) w /= sum;
  }
  return all;
}

/// Rows first, then columns, rounded to whole numbers each time: what PIL does, and with it torchvision.
picture resized(picture from, int width, int height, bool antialias) {
  const auto rounded = [](double v) { return static_cast<std::uint8_t>(std::clamp(v + 0.5, 0.0, 255.0)); };
  if (width != from.width) {
    picture out(width, from.height, from.channels);
    const std::vector<taps> all = taps_of(from.width, width, antialias);
    for (int y = 0; y < from.height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < from.channels; ++c) {
          const taps& t = all[static_cast<std::size_t>(x)];
          double sum = 0;
          for (std::size_t k = 0; k < t.weights.size(); ++k)
            sum += t.weights[k] * from.at(t.first + static_cast<int>(k), y, c);
          out.at(x, y, c) = rounded(sum);
        }
    from = std::move(out);
  }
  if (height != from.height) {
    picture out(width, height, from.channels);
    const std::vector<taps> all = taps_of(from.height, height, antialias);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < from.channels; ++c) {
          const taps& t = all[static_cast<std::size_t>(y)];
          double sum = 0;
          for (std::size_t k = 0; k < t.weights.size(); ++k)
            sum += t.weights[k] * from.at(x, t.first + static_cast<int>(k), c);
          out.at(x, y, c) = rounded(sum);
        }
    from = std::move(out);
  }
  return from;
}

/// The middle of a picture, or a picture in the middle of grey.
picture framed(picture& from, int width, int height) {
  picture out(width, height, from.channels, 114);
  const int left = static_cast<int>(std::nearbyint((from.width - width) / 2.0));
  const int above = static_cast<int>(std::nearbyint((from.height - height) / 2.0));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (x + left >= 0 && x + left < from.width && y + above >= 0 && y + above < from.height)
        for (int c = 0; c < from.channels; ++c) out.at(x, y, c) = from.at(x + left, y + above, c);
  return out;
}

picture fitted(picture from, int width, int height, const picture_options& o) {
  const auto scaled = [&](double by) {
    const auto side = [&](int n) { return std::max(1, static_cast<int>(std::nearbyint(n * by))); };
    return resized(from, side(from.width), side(from.height), o.antialias);
  };
  const double across = static_cast<double>(width) / from.width, down = static_cast<double>(height) / from.height;
  if (o.resize > 0) {
    // As torchvision's Resize has it: the longer side is cut off to a whole number.
    const int shorter = std::min(from.width, from.height);
    const auto side = [&](int n) { return static_cast<int>(static_cast<std::int64_t>(o.resize) * n / shorter); };
    const int w = side(from.width), h = side(from.height);
    if (w < width || h < height)
      throw usage_error("--resize " + std::to_string(o.resize) + ": makes the picture " + std::to_string(w) + " x " +
                        std::to_string(h) + ", smaller than the input, " + std::to_string(width) + " x " +
                        std::to_string(height));
    picture large = resized(std::move(from), w, h, o.antialias);
    return framed(large, width, height);
  }
  if (o.fit == "stretch") return resized(std::move(from), width, height, o.antialias);
  picture whole = scaled(o.fit == "crop" ? std::max(across, down) : std::min(across, down));
  return framed(whole, width, height);
}

/// Where an input has what; extents that are open are -1.
struct image_input {
  int channels = 3, height = -1, width = -1;
  bool samples = false, channels_last = false, flat = false;
};
image_input layout_of(const ctnn::declared_value& input, const std::vector<int>& axes, bool ranked) {
  const auto few = [](int n) { return n == 1 || n == 3 || n == 4; };
  const auto refuse = [&] {
    throw usage_error("input '" + input.name + "' is " + ctnn::ir::describe(input) +
                      ", which a picture cannot be: expected 1, 3 or 4 channels before or after height and width");
  };
  image_input to;
  if (!ranked) return to;
  std::vector<int> rest = axes;
  if (rest.size() == 4) {
    if (rest[0] > 1) refuse();
    to.samples = true;
    rest.erase(rest.begin());
  }
  if (rest.size() == 2) {
    to.flat = true;
    rest.insert(rest.begin(), 1);
  }
  if (rest.size() != 3) refuse();
  to.channels_last = !few(rest[0]) && few(rest[2]);
  if (!to.channels_last && !few(rest[0])) refuse();
  to.channels = to.channels_last ? rest[2] : rest[0];
  to.height = rest[to.channels_last ? 0 : 1];
  to.width = rest[to.channels_last ? 1 : 2];
  return to;
}

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == 'x') {
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec == std::errc() && second.ptr == end && std::min(width, height) > 0 && std::max(width, height) < 32768)
      return {width, height};
  }
  throw usage_error("--size " + text + ": expected WIDTHxHEIGHT, such as 224x224");
}

/// The number of a channel.
double one_of(const std::vector<double>& all, int channel, double otherwise) {
  return all.empty() ? otherwise : all[all.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

void check(const picture_options& o, int channels) {
  for (const auto& [name, numbers] : {std::pair{"--mean", &o.mean}, {"--std", &o.deviation}}) {
    if (numbers->size() > 1 && static_cast<int>(numbers->size()) != channels)
      throw usage_error(name + (": " + std::to_string(numbers->size()) + " numbers, the input has ") +
                        std::to_string(channels) + " channels");
    for (double n : *numbers)
      if (!(n >= 0 && n <= o.full) && name == std::string("--mean"))
        throw usage_error("--mean: " + std::to_string(n) + ", pixels go from 0 to " +
                          (o.full == 1 ? "1; --pixels 255 says 0 to 255" : "255"));
      else if (!(n > 0) && name == std::string("--std"))
        throw usage_error("--std: " + std::to_string(n) + ", expected more than 0");
  }
}

}  // namespace

#if defined(CTNN_TOOL_READS_PICTURES)
const ctnn::picture_decoder decode_picture = [](std::span<const std::byte> file) -> ctnn::decoded_picture {
  auto made = decode(file, 3);
  if (auto* why = std::get_if<std::string>(&made)) return {.error = std::move(*why)};
  auto& p = std::get<picture>(made);
  return {{}, p.width, p.height, std::move(p.pixels)};
};
#else
const ctnn::picture_decoder decode_picture = nullptr;
#endif

bool is_picture(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const char* known : {".jpg", ".jpeg", ".png", ".bmp", ".gif", ".ppm", ".pgm", ".tga"})
    if (extension == known) return true;
  return false;
}

ctnn::array read_picture(const std::string& file, const ctnn::declared_value& input,
                         const std::vector<std::string>& shapes, const picture_options& options) {
  std::vector<int> axes;
  for (const ctnn::declared_axis& a : input.axes) axes.push_back(a.extent);
  bool ranked = input.ranked;
  const shapes_by_name given = parse_shapes(shapes);
  if (const auto at = given.find(input.name); at != given.end()) {
    ranked = true;
    axes.clear();
    for (int k = 0; k < at->second.rank; ++k) axes.push_back(at->second[k]);
  }
  const image_input to = layout_of(input, axes, ranked);
  check(options, to.channels);
  picture pixels = decode(file, to.channels);
  int width = to.width > 0 ? to.width : pixels.width, height = to.height > 0 ? to.height : pixels.height;
  if (!options.size.empty()) {
    const auto [w, h] = parse_size(options.size);
    if ((to.width > 0 && to.width != w) || (to.height > 0 && to.height != h))
      throw usage_error("--size " + options.size + ": input '" + input.name + "' is " + ctnn::ir::describe(input));
    width = w;
    height = h;
  }
  pixels = fitted(std::move(pixels), width, height, options);
  if (options.bgr && to.channels >= 3)
    for (std::size_t i = 0; i < pixels.pixels.size(); i += static_cast<std::size_t>(to.channels))
      std::swap(pixels.pixels[i], pixels.pixels[i + 2]);

  ctnn::extents shape;
  if (to.samples) shape.push_back(1);
  if (!to.channels_last && !to.flat) shape.push_back(to.channels);
  shape.push_back(height);
  shape.push_back(width);
  if (to.channels_last) shape.push_back(to.channels);
  ctnn::array out(shape, input.type);
  const bool bytes = input.type == ctnn::dtype::u8;
  if (bytes && !(options.mean.empty() && options.deviation.empty()))
    throw usage_error("input '" + input.name + "' takes bytes: --mean and --std are for floats");
  if (!bytes && input.type != ctnn::dtype::f32 && input.type != ctnn::dtype::f16)
    throw usage_error("input '" + input.name + "' is " + std::string(name_of(input.type)) +
                      ", pictures become f32, f16 or u8");
  std::size_t i = 0;
  const auto put = [&](int x, int y, int c) {
    const std::uint8_t p = pixels.at(x, y, c);
    if (bytes) {
      out.elements<std::uint8_t>()[i++] = p;
      return;
    }
    const double v = (p * options.full / 255 - one_of(options.mean, c, 0)) / one_of(options.deviation, c, 1);
    if (input.type == ctnn::dtype::f32) out.elements<float>()[i++] = static_cast<float>(v);
    else out.elements<std::uint16_t>()[i++] = ctnn::float_to_half(static_cast<float>(v));
  };
  if (to.channels_last) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < to.channels; ++c) put(x, y, c);
  } else {
    for (int c = 0; c < to.channels; ++c)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) put(x, y, c);
  }
  return out;
}

}  // namespace tool
