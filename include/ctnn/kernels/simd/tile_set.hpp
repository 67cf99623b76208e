// SPDX-License-Identifier: BSL-1.0
// Which sizes of tiles code can meet. A network's shapes are known when it is compiled: tiles of other sizes, dozens of
// unrolled loops, are neither compiled nor linked.
#pragma once

#include <cstdint>

namespace ctnn::ir {

/// Sets of sizes; bit V or P stands for V vectors or P rows.
struct tile_set {
  static constexpr int widest = 4, most_planes = 8;

  std::uint16_t heights[widest + 1]{};  ///< of the tiles in panels of so many vectors
  std::uint16_t any_rows = 0;           ///< vectors of tiles whose rows lie anywhere
  std::uint16_t single_rows = 0;        ///< vectors of tiles of one row
  std::uint16_t planes[most_planes + 1]{};  ///< vectors of pixels in tiles of so many channels

  constexpr bool has_panel(int vectors) const { return heights[vectors] != 0; }
  constexpr bool has_panel(int vectors, int height) const { return (heights[vectors] >> height & 1) != 0; }
  constexpr bool has_tile(int vectors) const { return (any_rows >> vectors & 1) != 0; }
  constexpr bool has_row(int vectors) const { return (single_rows >> vectors & 1) != 0; }
  constexpr bool has_planes(int channels) const { return planes[channels] != 0; }
  constexpr bool has_planes(int channels, int vectors) const { return (planes[channels] >> vectors & 1) != 0; }

  constexpr void add_panel(int vectors, int height) { add(heights[vectors], height); }
  constexpr void add_tile(int vectors) { add(any_rows, vectors); }
  constexpr void add_row(int vectors) { add(single_rows, vectors); }
  constexpr void add_planes(int channels, int vectors) { add(planes[channels], vectors); }

  friend constexpr tile_set operator|(tile_set a, const tile_set& b) {
    for (int v = 0; v <= widest; ++v) a.heights[v] = static_cast<std::uint16_t>(a.heights[v] | b.heights[v]);
    a.any_rows = static_cast<std::uint16_t>(a.any_rows | b.any_rows);
    a.single_rows = static_cast<std::uint16_t>(a.single_rows | b.single_rows);
    for (int c = 0; c <= most_planes; ++c) a.planes[c] = static_cast<std::uint16_t>(a.planes[c] | b.planes[c]);
    return a;
  }
  friend constexpr bool operator==(const tile_set&, const tile_set&) = default;

 private:
  static constexpr void add(std::uint16_t& to, int bit) { to = static_cast<std::uint16_t>(to | 1u << bit); }
};

/// For shapes that are known at run time only, and for layers in parts.
inline constexpr tile_set all_tiles{
    {0xffff, 0xffff, 0xffff, 0xffff, 0xffff},
    0xffff,
    0xffff,
    {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff}};

}  // namespace ctnn::ir
