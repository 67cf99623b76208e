// SPDX-License-Identifier: BSL-1.0
// Which sizes of tiles code can meet. A network's shapes are known when it is compiled: tiles of other sizes, dozens of
// unrolled loops, are neither compiled nor linked.
#pragma once

#include <cstdint>

namespace ctnn::ir {

/// Sets of sizes; bit V or P stands for V vectors or P rows.
struct tile_set {
  static constexpr int widest = 4, most_planes = 8, depthwise_kinds = 5;
  /// Of a depthwise kernel of K columns at stride S: those that have tiles of their own, and 0, pixel by pixel.
  static constexpr int depthwise_kind(int k, int s) { return k == 0 ? 0 : (k == 3 ? 1 : 3) + (s == 2 ? 1 : 0); }

  std::uint16_t heights[widest + 1]{};  ///< of the tiles in panels of so many vectors
  std::uint16_t any_rows = 0;           ///< vectors of tiles whose rows lie anywhere
  std::uint16_t single_rows = 0;        ///< vectors of tiles of one row
  std::uint16_t planes[most_planes + 1]{};     ///< vectors of pixels in tiles of so many channels
  std::uint16_t pixels[depthwise_kinds][2]{};  ///< of depthwise tiles; [1]: channels are part of a vector
  bool depthwise_apart = false;                ///< depthwise convolutions of channels that lie apart
  bool looks_up = false;                       ///< convolutions whose pixels are addresses, tap by tap

  constexpr bool has_panel(int vectors) const { return heights[vectors] != 0; }
  constexpr bool has_panel(int vectors, int height) const { return (heights[vectors] >> height & 1) != 0; }
  constexpr bool has_tile(int vectors) const { return (any_rows >> vectors & 1) != 0; }
  constexpr bool has_row(int vectors) const { return (single_rows >> vectors & 1) != 0; }
  constexpr bool has_planes(int channels) const { return planes[channels] != 0; }
  constexpr bool has_planes() const {
    for (const std::uint16_t vectors : planes)
      if (vectors != 0) return true;
    return false;
  }
  constexpr bool has_planes(int channels, int vectors) const { return (planes[channels] >> vectors & 1) != 0; }
  constexpr bool has_depthwise(int kind) const { return (pixels[kind][0] | pixels[kind][1]) != 0; }
  constexpr bool has_depthwise(int kind, bool part, int count) const { return (pixels[kind][part] >> count & 1) != 0; }
  constexpr bool has_depthwise() const {
    for (int kind = 0; kind < depthwise_kinds; ++kind)
      if (has_depthwise(kind)) return true;
    return depthwise_apart;
  }

  constexpr void add_panel(int vectors, int height) { add(heights[vectors], height); }
  constexpr void add_tile(int vectors) { add(any_rows, vectors); }
  constexpr void add_row(int vectors) { add(single_rows, vectors); }
  constexpr void add_planes(int channels, int vectors) { add(planes[channels], vectors); }
  constexpr void add_depthwise(int kind, bool part, int count) { add(pixels[kind][part], count); }

  friend constexpr tile_set operator|(tile_set a, const tile_set& b) {
    for (int v = 0; v <= widest; ++v) a.heights[v] = static_cast<std::uint16_t>(a.heights[v] | b.heights[v]);
    a.any_rows = static_cast<std::uint16_t>(a.any_rows | b.any_rows);
    a.single_rows = static_cast<std::uint16_t>(a.single_rows | b.single_rows);
    for (int c = 0; c <= most_planes; ++c) a.planes[c] = static_cast<std::uint16_t>(a.planes[c] | b.planes[c]);
    for (int kind = 0; kind < depthwise_kinds; ++kind)
      for (int part = 0; part < 2; ++part)
        a.pixels[kind][part] = static_cast<std::uint16_t>(a.pixels[kind][part] | b.pixels[kind][part]);
    a.depthwise_apart |= b.depthwise_apart;
    a.looks_up |= b.looks_up;
    return a;
  }
  friend constexpr bool operator==(const tile_set&, const tile_set&) = default;

 private:
  static constexpr void add(std::uint16_t& to, int bit) { to = static_cast<std::uint16_t>(to | 1u << bit); }
};

/// For shapes that are known at run time only.
inline constexpr tile_set all_tiles = [] {
  tile_set all;
  for (std::uint16_t& heights : all.heights) heights = 0xffff;
  all.any_rows = all.single_rows = 0xffff;
  for (std::uint16_t& vectors : all.planes) vectors = 0xffff;
  for (auto& kind : all.pixels) kind[0] = kind[1] = 0xffff;
  all.depthwise_apart = all.looks_up = true;
  return all;
}();

/// What layers of such tiles take in parts: products are cut anywhere, depthwise convolutions between rows, those of
/// few output channels between pixels.
constexpr tile_set tiles_of_parts(const tile_set& whole) {
  tile_set all = all_tiles;
  for (int kind = 0; kind < tile_set::depthwise_kinds; ++kind)
    for (int part = 0; part < 2; ++part) all.pixels[kind][part] = whole.pixels[kind][part];
  all.depthwise_apart = whole.depthwise_apart;
  all.looks_up = whole.looks_up;
  for (int c = 0; c <= tile_set::most_planes; ++c) all.planes[c] = whole.has_planes(c) ? 0xffff : 0;
  return all;
}

}  // namespace ctnn::ir
