// SPDX-License-Identifier: BSL-1.0
// Convolutions and products of matrices of bytes. Rows are signed and columns unsigned, so zero points become those of
// the bytes as they are multiplied: with rows L, columns R and their zero points l and r, the sum of (L - l)(R - r) is
// that of L R, less r times the row's sum, less l times the column's, and depth times l r.
#pragma once

#include <bit>

#include "../../graph/operators/convolution.hpp"
#include "../../graph/operators/linear.hpp"
#include "../../graph/operators/matrix.hpp"
#include "../quad_packing.hpp"
#include "../share.hpp"
#include "../walks/matmul_walk.hpp"
#include "byte_layer.hpp"

namespace ctnn::ir::typed {

namespace byte_detail {

/// The part's memory, of `each` bytes.
inline scratch_memory memory_of_part(scratch_memory all, const work_share& part, std::int64_t each) {
  all.take<std::byte>(part.index * each);
  return scratch_memory(all.take<std::byte>(each));
}

inline std::int32_t wrapped_sum(std::int64_t x) { return wrapped<std::int32_t>(static_cast<std::uint64_t>(x)); }

/// What a convolution reads of one image's group, as quads.
class quad_image {
 public:
  quad_image(const byte_image& g, const integer_kernels& with, scratch_memory& memory)
      : g_(g),
        with_(with),
        places_{g.axis[0].places(), g.axis[1].places(), g.axis[2].places()},
        pitch_(g.pitch()),
        sheet_(g.sheet()),
        phase_sheet_(g.phase_sheet()),
        offsets_(memory.take<std::ptrdiff_t>(g.quads()).data()),
        sheets_(memory.take<std::uint8_t>(g.sheets()).data()),
        bytes_(memory.take<std::uint8_t>(g.bytes()).data()) {
    std::ptrdiff_t* to = offsets_;
    for (int z = 0; z < g.axis[0].kernel; ++z)
      for (int y = 0; y < g.axis[1].kernel; ++y)
        for (int x = 0; x < g.quads_across(); ++x)
          for (int q = 0; q < g.channel_quads(); ++q) *to++ = g.offset(z, y, x, q);
  }
  const std::ptrdiff_t* offsets() const { return offsets_; }
  /// Where windows of line (z, y) begin.
  const std::uint8_t* line(int z, int y) const { return bytes_ + 4 * (z * places_[1] + y) * places_[2]; }

  /// From planes that begin at element `first` of the layer's input.
  void fill(const byte_layer& layer, std::int64_t first, std::uint8_t flip) {
    const byte_axis &rows = g_.axis[1], &columns = g_.axis[2];
    const std::int64_t plane = std::int64_t{g_.axis[0].size} * rows.size * columns.size;
    const auto pad = static_cast<std::uint8_t>(layer.input_zero());
    const bool whole = g_.axis[0].size == 1 && g_.axis[0].reach() == 1 && g_.axis[0].before == 0 &&
                       columns.before == 0 && columns.stride == 1 && columns.reach() == columns.size &&
                       rows.stride == 1 && rows.before <= 0 && rows.reach() - rows.before <= rows.size &&
                       !g_.along_taps();
    for (std::int64_t quad = 0; quad < g_.channel_quads(); ++quad) {
      const auto plane_of = [&](std::int64_t k) {
        const std::int64_t channel = g_.along_taps() ? 0 : 4 * quad + k;
        return first + (channel < g_.channels ? channel : 4 * quad) * plane;
      };
      std::uint8_t* const to = bytes_ + quad * g_.phases() * pitch_;
      const std::int64_t windows = places_[1] * places_[2];
      if (whole) {
        const std::uint8_t* from[4];
        for (int k = 0; k < 4; ++k) from[k] = layer.bytes(plane_of(k)) - std::ptrdiff_t{rows.before} * columns.size;
        with_.interleave(from, windows, flip, to);
        continue;
      }
      for (int phase_z = 0; phase_z < g_.axis[0].phases(); ++phase_z)
        for (int phase_y = 0; phase_y < rows.phases(); ++phase_y)
          for (std::int64_t z = 0; z < places_[0]; ++z) {
            const std::int64_t at_z = z * g_.axis[0].stride + phase_z - g_.axis[0].before;
            const std::int64_t phase = (std::int64_t{phase_z} * rows.phases() + phase_y) * columns.phases();
            std::uint8_t* const sheet_to = to + phase * pitch_ + 4 * z * windows;
            for (int k = 0; k < (g_.along_taps() ? 1 : 4); ++k) {
              if (k > 0 && plane_of(k) == plane_of(0)) continue;  // multiplied by 0
              std::memset(sheet(k), pad, static_cast<std::size_t>(sheet_));
              if (at_z >= 0 && at_z < g_.axis[0].size)
                fill_sheet(layer, plane_of(k) + at_z * rows.size * columns.size, phase_y, sheet(k));
              for (int i = 0; i < columns.stride && columns.stride > 1 && !g_.along_taps(); ++i)
                with_.take_every(sheet(k) + i, columns.stride, sheet_ / columns.stride - 1, phase_of(k, i));
            }
            if (g_.along_taps()) {
              for (int x = 0; x < g_.quads_across(); ++x) {
                const int first = columns.phase_of(4 * x);
                with_.take_windows(sheet(0) + first, columns.stride, columns.dilation, windows, flip,
                                   sheet_to + first * pitch_);
              }
              continue;
            }
            for (int x = 0; x < columns.phases(); ++x) {
              const std::uint8_t* from[4];
              for (int k = 0; k < 4; ++k) from[k] = columns.stride == 1 ? sheet(k) + x : phase_of(k, x);
              with_.interleave(from, windows, flip, sheet_to + x * pitch_);
            }
          }
    }
  }

 private:
  /// The rows of one phase, within padding that is there.
  void fill_sheet(const byte_layer& layer, std::int64_t first, int phase, std::uint8_t* to) const {
    const byte_axis &rows = g_.axis[1], &columns = g_.axis[2];
    const std::int64_t pitch = places_[2] * columns.stride;
    const std::int64_t before = std::max(columns.before, 0), skip = std::max(-columns.before, 0);
    const std::int64_t n = std::min<std::int64_t>(columns.size - skip, pitch - before);
    for (std::int64_t y = 0; y < places_[1] && n > 0; ++y) {
      const std::int64_t at = y * rows.stride + phase - rows.before;
      if (at >= 0 && at < rows.size)
        std::copy_n(layer.bytes(first + at * columns.size + skip), n, to + y * pitch + before);
    }
  }
  std::uint8_t* sheet(int k) const { return sheets_ + k * sheet_; }
  /// Every stride-th column of channel k, from column `phase` on.
  std::uint8_t* phase_of(int k, int phase) const {
    return sheets_ + 4 * sheet_ + (k * g_.axis[2].stride + phase) * phase_sheet_;
  }

  const byte_image& g_;
  const integer_kernels& with_;
  std::int64_t places_[3], pitch_, sheet_, phase_sheet_;  // of the image; they take divisions
  std::ptrdiff_t* offsets_;
  std::uint8_t* sheets_;
  std::uint8_t* bytes_;
};

/// A packed tile of rows (quad_packing.hpp).
struct quad_tile {
  int rows;
  const float* words;

  const std::int32_t* sums() const { return static_cast<const std::int32_t*>(static_cast<const void*>(words)); }
  /// sums_in_16_bits, of all quads.
  int held(bool below_128) const { return below_128 ? sums()[rows] >> 4 : sums()[rows] & 15; }
  const std::int8_t* quads() const {
    return static_cast<const std::int8_t*>(static_cast<const void*>(words + rows + 1));
  }
  const std::uint8_t* held_of_two(std::int64_t quads) const {
    return static_cast<const std::uint8_t*>(static_cast<const void*>(words + rows * (quads + 1) + 1));
  }
};

/// A row of ones where a convolution's weights are.
inline void fill_ones(const byte_image& g, std::int8_t* to) {
  std::fill_n(to, 4 * g.quads(), std::int8_t{0});
  for (std::int64_t q = 0; q < g.quads(); ++q, to += 4)
    ir::byte_detail::for_each_in_quad(g, static_cast<int>(q / g.channel_quads() % g.quads_across()),
                                      q % g.channel_quads(), [&](std::size_t k, std::int64_t, int) { to[k] = 1; });
}

/// Rows of an input as a tile.
inline void fill_tile(const byte_layer& layer, const integer_kernels& with, std::int64_t first, std::int64_t begin,
                      std::int64_t end, std::int64_t depth, std::uint8_t flip, int rows, std::uint8_t* line,
                      float* to) {
  auto* const sums = static_cast<std::int32_t*>(static_cast<void*>(to));
  auto* const quads = static_cast<std::uint8_t*>(static_cast<void*>(to + rows + 1));
  const std::int64_t whole = depth / 4, all = quads_of(depth);
  for (int r = 0; r < rows; ++r) {
    sums[r] = 0;
    if (begin + r >= end) {
      for (std::int64_t q = 0; q < all; ++q) std::memset(quads + 4 * (q * rows + r), 0, 4);
      continue;
    }
    std::copy_n(layer.bytes(first + (begin + r) * depth), depth, line);
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      line[k] ^= flip;
      sum += static_cast<std::int8_t>(line[k]);
    }
    for (std::int64_t q = 0; q < whole; ++q) std::memcpy(quads + 4 * (q * rows + r), line + 4 * q, 4);
    if (whole < all) {
      std::uint8_t last[4]{};
      std::memcpy(last, line + 4 * whole, static_cast<std::size_t>(depth - 4 * whole));
      std::memcpy(quads + 4 * (whole * rows + r), last, 4);
    }
    sums[r] = sum;
  }
  sums[rows] = 0;
  if (!with.minds_16_bits) return;
  auto* held = static_cast<std::uint8_t*>(static_cast<void*>(to + rows * (all + 1) + 1));
  std::uint8_t least = 0x22;
  for (std::int64_t q = 0; q < all; q += 2, ++held) {
    *held = sums_in_16_bits(static_cast<const std::int8_t*>(static_cast<const void*>(quads + 4 * q * rows)), rows,
                            all - q < 2 ? 1 : 2);
    least = least_sums(least, *held);
  }
  sums[rows] = least;
}

/// What sums of outputs are multiplied by, and their biases.
class result_factors {
 public:
  result_factors(scratch_memory& memory, std::int64_t most)
      : real_(memory.take<float>(most).data()),
        biases_(memory.take<float>(most).data()),
        fixed_(memory.take<std::int64_t>(most).data()) {}
  /// Those of n outputs from `first` on.
  void find(const byte_layer& layer, std::int64_t first, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) {
      const sum_unit unit = layer.unit(first + k);
      real_[k] = unit.real;
      fixed_[k] = unit.fixed.times;
      if (layer.real_bias()) biases_[k] = unit.bias;
      else if (const std::int32_t* whole = layer.integer_bias()) std::memcpy(biases_ + k, whole + first + k, 4);
    }
  }
  /// From the k-th on.
  void give(const byte_layer& layer, std::int64_t k, sum_results& r) const {
    r.factor = real_ + k;
    r.fixed_factor = fixed_ + k;
    if (layer.real_bias()) r.real_bias = biases_ + k;
    if (layer.integer_bias()) r.integer_bias = static_cast<const std::int32_t*>(static_cast<const void*>(biases_ + k));
  }

 private:
  float *real_, *biases_;
  std::int64_t* fixed_;
};

/// Do the factors of results fit the targets' kernels?
inline bool have_kernel(const sum_results& r) {
  if (r.how != sum_results::fixed) return true;
  for (std::int64_t i = 0; i < (r.step ? r.width : r.rows); ++i)
    if (r.fixed_factor[i] >= std::int64_t{1} << 31) return false;
  return true;
}

/// Results of sums, the first of output o. `described` says that layer.describe() could.
template <class T>
void store_sums(const byte_layer& layer, const integer_kernels& with, const sum_results& r, bool described,
                std::int64_t o) {
  if (described && have_kernel(r) && with.finish(r)) return;
  for (int k = 0; k < r.rows; ++k) {
    T* line = static_cast<T*>(r.to) + k * r.to_row;
    const std::int32_t* sums = r.sums + k * r.sums_row;
    for (int l = 0; l < r.lines; ++l, line += r.to_pitch, sums += r.sums_pitch)
      for (std::int64_t i = 0; i < r.width; ++i) {
        const std::int64_t right =
            r.right_sums ? std::int64_t{r.right_sums[l * r.sums_pitch + i]} * r.right_times[k] : 0;
        const std::int64_t output = o + (r.step ? i : k);
        line[i] = layer.result<T>(wrapped_sum(sums[i] + right), layer.unit(output), output);
      }
  }
}

}  // namespace byte_detail

/// A convolution by a weight of bytes.
template <int Axes>
void convolve_bytes(const op::conv<Axes>& p, const arguments& a, scratch_memory memory) {
  using namespace byte_detail;
  const integer_kernels& with = integers_of(a);
  const extents& in = a.in[0].shape;
  const byte_image all = p.image(in, a.out[0].shape);
  const work_share part{a.share.index, std::min(a.share.count, std::max(all.most_parts(), 1))};
  if (part.index >= part.count) return;
  const index_range own = share_of(part, all.shared_count());
  if (own.size() <= 0) return;
  const bool by_group = all.shares_groups();
  const byte_image g = by_group ? all : all.part(static_cast<int>(own.begin), static_cast<int>(own.size()));
  memory = memory_of_part(memory, part, all.scratch_of_part(part.count));

  const element of = a.of(0), made = a.made();
  const byte_layer layer(p.weight, p.activation, p.weights({&in, 1}, {&of, 1}, {&made, 1}), a);
  const std::int64_t batch = p.has_batch(in) ? in[0] : 1,
                     plane = std::int64_t{all.axis[0].size} * all.axis[1].size * all.axis[2].size;
  const int rows = p.out / p.groups, tile_rows = rows_of_quads(rows);
  const std::int64_t quads = g.quads(), depth = g.depth(), pitch = g.sums_at_once();
  quad_image image(g, with, memory);
  std::int8_t* const ones = memory.take<std::int8_t>(4 * quads).data();
  const bool minds_columns = layer.has_weight_zeros(p.out);
  if (minds_columns) fill_ones(g, ones);
  std::int32_t* const sums = memory.take<std::int32_t>(9 * pitch).data();
  std::int32_t* const column_sums = sums + 8 * pitch;
  result_factors factors(memory, p.out);
  factors.find(layer, 0, p.out);
  const std::int64_t all_lines = all.axis[1].count, width = all.axis[2].count, wide = g.axis[2].places(),
                     result_plane = all.axis[0].count * all_lines * width;
  const std::int64_t first_line = by_group ? 0 : own.begin * (all.shared_axis() == 0 ? all_lines : 1);
  const std::int64_t group_words = quad_row_words(rows, quads), tile_words = quad_tile_words(rows, quads);
  // Windows of a plane are a line where nothing lies between its lines.
  const std::int64_t line = g.is_flat() ? g.axis[1].count * width : width, lines = g.is_flat() ? 1 : g.axis[1].count;
  const std::int64_t lines_at_once = g.is_flat() ? 1 : g.lines_at_once(),
                     windows_at_once = g.is_flat() ? g.windows_at_once() : line;

  sum_results results{};
  results.sums = sums;
  results.sums_row = static_cast<std::ptrdiff_t>(pitch);
  results.sums_pitch = static_cast<std::ptrdiff_t>(wide);
  results.to_pitch = static_cast<std::ptrdiff_t>(line);
  results.to_row = static_cast<std::ptrdiff_t>(result_plane);
  const bool described = layer.describe(results);
  quad_products product{};
  product.offsets = image.offsets();
  product.quads = quads;
  product.pitch = static_cast<std::ptrdiff_t>(pitch);
  product.next = 4 * static_cast<std::ptrdiff_t>(tile_words);

  for (std::int64_t i = 0; i < batch * p.groups; ++i) {
    const int group = static_cast<int>(i % p.groups);
    if (by_group && (group < own.begin || group >= own.end)) continue;
    const std::int64_t first = i * g.channels * plane, batch_outputs = i / p.groups * p.out;
    const bool below_128 = with.minds_16_bits && layer.is_below_128(first, g.channels * plane);
    const std::uint8_t flip = layer.is_signed() && !below_128 ? 128 : 0;
    image.fill(layer, first, flip);
    const int right_zero = layer.input_zero() + flip;
    // The tile or two from row o on, of windows from (z, y, x) on that product.right and .columns say.
    const auto sum_and_store = [&](int o, std::int64_t at) {
      const int output = group * rows + o, own_rows = std::min(rows - o, 8), tiles = own_rows > 4 ? 2 : 1;
      const float* const words = a.weights[0] + group * group_words + o / tile_rows * tile_words;
      std::int32_t start[8]{}, column_times[8]{};
      product.held = 2;
      for (int t = 0; t < tiles; ++t) {
        const quad_tile tile{tile_rows, words + t * tile_words};
        product.held = std::min(product.held, tile.held(below_128));
        for (int r = 0; r < tile_rows && o + 4 * t + r < rows; ++r) {
          const int zero = minds_columns ? layer.weight_zero(output + 4 * t + r) : 0;
          column_times[4 * t + r] = -zero;
          start[4 * t + r] = wrapped_sum(depth * right_zero * zero - std::int64_t{tile.sums()[r]} * right_zero);
        }
      }
      const quad_tile tile{tile_rows, words};
      product.rows = tile_rows * tiles;
      product.left = tile.quads();
      product.left_sums = tile.sums();
      product.held_of_two = tile.held_of_two(quads);
      product.start = start;
      product.sums = sums;
      with.multiply(product);
      results.rows = own_rows;
      results.right_sums = minds_columns ? column_sums : nullptr;
      results.right_times = column_times;
      factors.give(layer, output, results);
      layer.visit_result([&]<class T>(tag<T>) {
        results.to = elements<T>(a.out[0]) + (batch_outputs + output) * result_plane + at;
        store_sums<T>(layer, with, results, described, output);
      });
    };
    for (int z = 0; z < g.axis[0].count; ++z)
      for (std::int64_t y = 0; y < lines; y += lines_at_once)
        for (std::int64_t x = 0; x < line; x += windows_at_once) {
          results.lines = static_cast<int>(std::min(lines_at_once, lines - y));
          results.width = std::min(windows_at_once, line - x);
          product.right = image.line(z, static_cast<int>(y)) + 4 * x;
          product.columns = (results.lines - 1) * wide + results.width;
          if (minds_columns) {
            const std::int32_t none = 0, all_ones = static_cast<std::int32_t>(depth);
            product.rows = 1;
            product.left = ones;
            product.left_sums = &all_ones;
            product.start = &none;
            product.sums = column_sums;
            product.held = 2;
            with.multiply(product);
          }
          for (int o = 0; o < rows; o += 8) sum_and_store(o, (first_line + z * all_lines + y) * width + x);
        }
  }
}

/// Matrix `m` of a product: rows of bytes from element `first` of the input on by packed columns.
inline void multiply_rows(const byte_layer& layer, const byte_product& s, std::int64_t m, std::int64_t first,
                          const float* right, const work_share& share, const arguments& a, scratch_memory memory) {
  using namespace byte_detail;
  const integer_kernels& with = integers_of(a);
  if (s.columns == 0 || s.rows == 0) return;
  const work_share part{share.index, std::min(share.count, s.most_parts())};
  if (part.index >= part.count) return;
  index_range rows{0, static_cast<std::ptrdiff_t>(s.rows)}, columns{0, static_cast<std::ptrdiff_t>(s.columns)};
  if (s.shares_rows()) rows = share_of(part, static_cast<std::ptrdiff_t>((s.rows + 3) / 4));
  else columns = share_of(part, static_cast<std::ptrdiff_t>((s.columns + 63) / 64));
  if (s.shares_rows())
    rows = {4 * rows.begin, std::min<std::ptrdiff_t>(4 * rows.end, static_cast<std::ptrdiff_t>(s.rows))};
  else
    columns = {64 * columns.begin, std::min<std::ptrdiff_t>(64 * columns.end, static_cast<std::ptrdiff_t>(s.columns))};
  if (rows.size() <= 0 || columns.size() <= 0) return;
  memory = memory_of_part(memory, part, s.scratch_of_part(part.count));

  const std::int64_t quads = s.quads(), wide = multiple_of(s.columns, quad_lanes), most = s.columns_at_once(),
                     pitch = most + quad_lanes;
  const int tile_rows = rows_of_quads(s.rows);
  const std::int64_t tile_words = quad_tile_words(s.rows, quads), tiles = (rows.size() + tile_rows - 1) / tile_rows;
  float* const left = memory.take<float>(tiles * tile_words).data();
  std::ptrdiff_t* const offsets = memory.take<std::ptrdiff_t>(quads).data();
  std::uint8_t* const line = memory.take<std::uint8_t>(s.depth).data();
  std::int32_t* const sums = memory.take<std::int32_t>(4 * pitch).data();
  result_factors factors(memory, pitch);
  for (std::int64_t q = 0; q < quads; ++q) offsets[q] = static_cast<std::ptrdiff_t>(4 * q * wide);
  const std::uint8_t flip = layer.is_signed() ? 0 : 128;
  const std::int64_t left_zero = layer.input_zero() - flip;
  constexpr std::int64_t right_flip = 128;  // signed bytes and 128; of unsigned ones weight_zero() takes 128
  const auto* const column_sums = static_cast<const std::int32_t*>(static_cast<const void*>(right));
  for (std::int64_t t = 0; t < tiles; ++t)
    fill_tile(layer, with, first, rows.begin + t * tile_rows,
              std::min<std::int64_t>(rows.end, rows.begin + (t + 1) * tile_rows), s.depth, flip, tile_rows, line,
              left + t * tile_words);
  for (std::int64_t c = columns.begin; c < columns.end; c += most) {
    const std::int64_t n = std::min<std::int64_t>(most, columns.end - c);
    factors.find(layer, c, n);
    for (std::int64_t t = 0; t < tiles; ++t) {
      const quad_tile tile{tile_rows, left + t * tile_words};
      const std::int64_t row = rows.begin + t * tile_rows;
      std::int32_t start[4]{};
      for (int r = 0; r < tile_rows && row + r < rows.end && !layer.has_many_weight_zeros(); ++r)
        start[r] = wrapped_sum((layer.weight_zero(0) + right_flip) * (s.depth * left_zero - tile.sums()[r]));
      const quad_products product{tile.quads(),
                                  static_cast<const std::uint8_t*>(static_cast<const void*>(right + wide + c)),
                                  offsets,
                                  quads,
                                  tile_rows,
                                  n,
                                  start,
                                  tile.sums(),
                                  sums,
                                  static_cast<std::ptrdiff_t>(pitch),
                                  tile.held(false),
                                  tile.held_of_two(quads)};
      with.multiply(product);
      for (int r = 0; r < tile_rows && row + r < rows.end; ++r) {
        std::int32_t* const y = sums + r * pitch;
        for (std::int64_t k = 0; k < n && layer.has_many_weight_zeros(); ++k)
          y[k] = wrapped_sum(y[k] + (layer.weight_zero(c + k) + right_flip) * (s.depth * left_zero - tile.sums()[r]));
        const auto right_times = static_cast<std::int32_t>(-left_zero);
        sum_results results{};
        results.sums = y;
        results.lines = results.rows = 1;
        results.width = n;
        results.right_sums = left_zero != 0 ? column_sums + c : nullptr;
        results.right_times = &right_times;
        results.step = 1;
        factors.give(layer, 0, results);
        const bool described = layer.describe(results);
        layer.visit_result([&]<class T>(tag<T>) {
          results.to = elements<T>(a.out[0]) + (m * s.rows + row + r) * s.columns + c;
          store_sums<T>(layer, with, results, described, c);
        });
      }
    }
  }
}

/// A linear layer by a weight of bytes.
inline void multiply_bytes(const op::linear& p, const arguments& a, scratch_memory memory) {
  const extents& in = a.in[0].shape;
  const element of = a.of(0), made = a.made();
  const byte_layer layer(p.weight, p.activation, p.weights({&in, 1}, {&of, 1}, {&made, 1}), a);
  multiply_rows(layer, p.product(in), 0, 0, a.weights[0], a.share, a, memory);
}

/// Products of matrices of bytes that are both values: the right one's columns are packed first. Threads share the
/// matrices.
inline void multiply_bytes(const op::matmul& p, const arguments& a, scratch_memory memory) {
  const matmul_walk w(p, a.in[0].shape, a.in[1].shape);
  const op::byte_matrices s = p.byte_products(a.in[0].shape, a.in[1].shape, w.matrices);
  const work_share part{a.share.index, std::min(a.share.count, s.most_parts())};
  if (part.index >= part.count) return;
  const index_range own = share_of(part, static_cast<std::ptrdiff_t>(w.matrices));
  memory = byte_detail::memory_of_part(memory, part, s.scratch_of_part());
  float* const right = memory.take<float>(quad_column_words(s.each.columns, s.each.quads())).data();
  const byte_layer layer(a);
  std::int64_t packed = -1;
  for (std::ptrdiff_t m = own.begin; m < own.end; ++m) {
    const auto from = w.offsets(m);
    if (std::exchange(packed, from.b) != from.b) {
      const std::int8_t* const bytes = elements<std::int8_t>(a.in[1]) + from.b;
      pack_quad_columns(s.each, p.transpose_b, a.in[1].type == dtype::i8, [&](std::int64_t i) { return bytes[i]; },
                        right);
    }
    multiply_rows(layer, s.each, m, from.a, right, {}, a, memory);
  }
}

}  // namespace ctnn::ir::typed
