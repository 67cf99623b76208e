// SPDX-License-Identifier: BSL-1.0
// How convolutions of bytes lay out what they read and what they multiply with: four bytes of the depth, a quad, lie
// together. An image is filled up with its padding, and where windows step over places, their phases are apart: so a
// tap is one distance for all windows, which lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ctnn::ir {

constexpr std::int64_t quads_of(std::int64_t n) { return (n + 3) / 4; }
constexpr std::int64_t multiple_of(std::int64_t n, std::int64_t of) { return (n + of - 1) / of * of; }

/// Columns that a kernel may write behind the last, or read.
inline constexpr std::int64_t quad_lanes = 16;

/// Rows of quads are multiplied four at a time, one by one where there is one alone.
constexpr int rows_of_quads(std::int64_t rows) { return rows == 1 ? 1 : 4; }
/// Words of four bytes that `rows` rows of `quads` quads take: tiles of rows_of_quads(rows), of each first the sum of
/// its rows' bytes, then the least of sums_in_16_bits, then quad by quad its rows, then sums_in_16_bits of every two
/// quads, a byte each.
constexpr std::int64_t quad_tile_words(std::int64_t rows, std::int64_t quads) {
  return rows_of_quads(rows) * (quads + 1) + 1 + (quads + 7) / 8;
}
constexpr std::int64_t quad_row_words(std::int64_t rows, std::int64_t quads) {
  return (rows + rows_of_quads(rows) - 1) / rows_of_quads(rows) * quad_tile_words(rows, quads);
}
/// Columns: for each the sum of its bytes, then quad by quad the columns, up to a multiple of quad_lanes.
constexpr std::int64_t quad_column_words(std::int64_t columns, std::int64_t quads) {
  return multiple_of(columns, quad_lanes) * (quads + 1);
}

/// Parts that a layer of bytes has memory for.
inline constexpr int most_byte_parts = 16;
/// Columns at a time, so that what is multiplied stays near.
constexpr std::int64_t columns_of_quads_at_once(std::int64_t quads) {
  const std::int64_t n = 8192 / (quads < 1 ? 1 : quads);
  return n < 64 ? 64 : n > 512 ? 512 : n;
}
/// Do 16 bits hold the sums of the products of each pair of two quads' bytes (byte i of quad q of row r is
/// quads[4 (q rows + r) + i]), of one quad's (1), or of both (2), whatever they are multiplied with? Bits 0 to 3: by
/// any bytes; bits 4 to 7: by bytes below 128. Of the last quad alone, 2 is as good as 1.
constexpr std::uint8_t sums_in_16_bits(const std::int8_t* quads, int rows, int count) {
  int most_of_one = 0, most_of_both = 0;
  for (int pair = 0; pair < 2 * rows; ++pair)
    for (int sign = 1; sign >= -1; sign -= 2) {
      int both = 0;
      for (int q = 0; q < count; ++q) {
        const std::int8_t* const x = quads + 4 * q * rows + 2 * pair;
        const int a = sign * x[0], b = sign * x[1], one = (a > 0 ? a : 0) + (b > 0 ? b : 0);
        most_of_one = one > most_of_one ? one : most_of_one;
        both += one;
      }
      most_of_both = both > most_of_both ? both : most_of_both;
    }
  const auto held = [&](int most) { return most_of_both <= most ? 2 : most_of_one <= most; };
  return static_cast<std::uint8_t>(held(32767 / 255) | held(32767 / 127) << 4);
}
/// The less of each.
constexpr std::uint8_t least_sums(std::uint8_t a, std::uint8_t b) {
  const int low = (a & 15) < (b & 15) ? a & 15 : b & 15, high = a >> 4 < b >> 4 ? a >> 4 : b >> 4;
  return static_cast<std::uint8_t>(low | high << 4);
}

/// Windows along one axis.
struct byte_axis {
  int size = 1, count = 1, kernel = 1, stride = 1, dilation = 1, before = 0;

  /// Places that windows reach.
  constexpr std::int64_t reach() const {
    return std::int64_t{count - 1} * stride + std::int64_t{kernel - 1} * dilation + 1;
  }
  constexpr int phases() const { return kernel == 1 ? 1 : stride; }
  /// Places of each phase.
  constexpr std::int64_t places() const { return kernel == 1 ? count : (reach() + stride - 1) / stride; }
  constexpr int phase_of(int tap) const { return tap * dilation % stride; }
  constexpr std::int64_t place_of(int tap) const { return std::int64_t{tap} * dilation / stride; }
  /// The windows [first, first + n) alone.
  constexpr byte_axis part(int first, int n) const {
    byte_axis a = *this;
    a.count = n;
    a.before -= first * stride;
    return a;
  }
};

/// Memory of all parts of such work, for any number of parts.
constexpr std::int64_t most_scratch(const auto& work) {
  std::int64_t most = 0;
  for (int parts = 1; parts <= work.most_parts(); ++parts) {
    const std::int64_t all = parts * work.scratch_of_part(parts);
    if (all > most) most = all;
  }
  return most;
}

/// The windows of a group over (depth, rows, columns).
struct byte_image {
  byte_axis axis[3];
  int channels = 1;
  int outputs = 0;  ///< of all groups
  int groups = 1;

  /// A quad is four channels, or, of one channel, four taps beside each other.
  constexpr bool along_taps() const { return channels == 1; }
  constexpr std::int64_t channel_quads() const { return along_taps() ? 1 : quads_of(channels); }
  constexpr std::int64_t quads_across() const { return along_taps() ? quads_of(axis[2].kernel) : axis[2].kernel; }
  /// Of a filter: the taps of the outer axes, then those across, then channels.
  constexpr std::int64_t quads() const {
    return std::int64_t{axis[0].kernel} * axis[1].kernel * quads_across() * channel_quads();
  }
  constexpr std::int64_t depth() const {
    return std::int64_t{axis[0].kernel} * axis[1].kernel * axis[2].kernel * channels;
  }
  constexpr std::int64_t phases() const {
    return std::int64_t{axis[0].phases()} * axis[1].phases() * axis[2].phases();
  }
  /// Can its memory be counted? Sizes that a file claims may multiply to anything.
  constexpr bool countable() const {
    double places = 1, taps = 1;
    for (const byte_axis& a : axis) {
      places *= static_cast<double>(a.reach()) + a.stride + 3.0 * a.dilation + 64;
      taps *= a.kernel + 3.0;
    }
    return places * (channels + 4.0) < 0x1p48 && taps * (channels + 4.0) < 0x1p48;
  }
  /// Bytes of a phase of four channels: an odd number of cache lines, as quads of one place would share sets of the
  /// cache else.
  constexpr std::int64_t pitch() const {
    const std::int64_t lines = (4 * (axis[0].places() * axis[1].places() * axis[2].places() + quad_lanes) + 63) / 64;
    return 64 * (lines | 1);
  }
  constexpr std::int64_t bytes() const { return channel_quads() * phases() * pitch() + 4 * quad_lanes; }
  /// Bytes of one channel's rows of a phase with their padding, and what kernels may read behind them.
  constexpr std::int64_t sheet() const {
    return multiple_of((axis[1].places() * axis[2].places() + 2 + quad_lanes) * axis[2].stride + 3 * axis[2].dilation,
                       64);
  }
  /// The same of every stride-th column.
  constexpr std::int64_t phase_sheet() const { return multiple_of(sheet() / axis[2].stride + 1, 64); }
  constexpr std::int64_t sheets() const {
    return 4 * (sheet() + (axis[2].stride > 1 ? axis[2].stride * phase_sheet() : 0));
  }
  /// From window (0, 0, 0) to what its quad at these taps reads, in bytes.
  constexpr std::ptrdiff_t offset(int z, int y, int x, int quad) const {
    const int column = along_taps() ? 4 * x : x;
    const std::int64_t phase =
        (std::int64_t{axis[0].phase_of(z)} * axis[1].phases() + axis[1].phase_of(y)) * axis[2].phases() +
        axis[2].phase_of(column);
    const std::int64_t place =
        (axis[0].place_of(z) * axis[1].places() + axis[1].place_of(y)) * axis[2].places() + axis[2].place_of(column);
    return static_cast<std::ptrdiff_t>((quad * phases() + phase) * pitch() + 4 * place);
  }
  /// Lines of windows that are summed at a time: what they read and what they make stays near.
  constexpr int lines_at_once() const {
    const std::int64_t n = columns_of_quads_at_once(quads()) / axis[2].places();
    return n < 1 ? 1 : n > axis[1].count ? axis[1].count : static_cast<int>(n);
  }
  /// Where nothing lies between lines, a plane of windows is a line of them, of which so many are summed at a time.
  constexpr bool is_flat() const { return axis[2].places() == axis[2].count; }
  constexpr std::int64_t windows_at_once() const {
    constexpr std::int64_t tile = 3 * quad_lanes;
    return columns_of_quads_at_once(quads()) / tile * tile;
  }
  /// Sums of a row of such lines, with what lies between them.
  constexpr std::int64_t sums_at_once() const {
    return multiple_of((is_flat() ? windows_at_once() : lines_at_once() * axis[2].places()) + quad_lanes, quad_lanes);
  }
  /// Memory for it all: offsets of the quads, lines, the image, a row of ones and its sums, sums of two tiles, factors
  /// and biases.
  constexpr std::int64_t scratch() const {
    return multiple_of(quads() * std::int64_t{sizeof(std::ptrdiff_t)}, 16) + multiple_of(sheets(), 16) +
           multiple_of(bytes(), 16) + multiple_of(4 * quads(), 16) + 9 * sums_at_once() * 4 +
           3 * multiple_of(8 * std::int64_t{outputs}, 16);
  }
  /// Several threads share many groups, whose images are small, or the windows of an axis; so many of them may.
  constexpr bool shares_groups() const { return groups >= most_byte_parts; }
  constexpr int shared_axis() const { return axis[0].count > 1 ? 0 : 1; }
  constexpr int shared_count() const { return shares_groups() ? groups : axis[shared_axis()].count; }
  constexpr int most_parts() const {
    const std::int64_t affordable = (std::int64_t{1} << 18) / scratch();
    const int n = shared_count() < most_byte_parts ? shared_count() : most_byte_parts;
    return !shares_groups() || affordable >= n ? n : affordable < 2 ? 2 : static_cast<int>(affordable);
  }
  constexpr byte_image part(int first, int n) const {
    byte_image p = *this;
    p.axis[shared_axis()] = axis[shared_axis()].part(first, n);
    return p;
  }
  /// Memory of each of `parts`.
  constexpr std::int64_t scratch_of_part(int parts) const {
    if (shares_groups()) return scratch();
    return part(0, (axis[shared_axis()].count + parts - 1) / parts).scratch();
  }
  constexpr std::int64_t scratch_of_parts() const { return most_scratch(*this); }
};

/// Rows by columns of `depth` bytes.
struct byte_product {
  std::int64_t rows = 1, depth = 0, columns = 1;

  constexpr std::int64_t quads() const { return quads_of(depth); }
  constexpr std::int64_t columns_at_once() const {
    const std::int64_t n = columns_of_quads_at_once(quads()) / quad_lanes * quad_lanes;
    return n < columns ? n : multiple_of(columns, quad_lanes);
  }
  /// Few rows are read whole by all, who share the columns.
  constexpr bool shares_rows() const { return rows > most_byte_parts; }
  constexpr std::int64_t granules() const { return shares_rows() ? (rows + 3) / 4 : (columns + 63) / 64; }
  constexpr int most_parts() const {
    const std::int64_t n = granules();
    return n < 1 ? 1 : n < most_byte_parts ? static_cast<int>(n) : most_byte_parts;
  }
  /// Memory of each of `parts`: its rows as tiles, offsets of the quads, a row of bytes; sums, factors and biases.
  constexpr std::int64_t scratch_of_part(int parts) const {
    const std::int64_t own = shares_rows() ? 4 * ((granules() + parts - 1) / parts) : rows;
    return multiple_of(4 * quad_row_words(own, quads()), 16) +
           multiple_of(quads() * std::int64_t{sizeof(std::ptrdiff_t)}, 16) + multiple_of(depth, 16) +
           (4 * 4 + 4 + 4 + 8) * (columns_at_once() + quad_lanes);
  }
  constexpr std::int64_t scratch_of_parts() const { return most_scratch(*this); }
};

}  // namespace ctnn::ir
