// SPDX-License-Identifier: BSL-1.0
// Convolutions and products of matrices of bytes. Rows are signed and columns unsigned, so zero points become those of
// the bytes as they are multiplied: with rows L, columns R and their zero points l and r, the sum of (L - l)(R - r) is
// that of L R, less r times the row's sum, less l times the column's, and depth times l r.
#pragma once

#include <bit>

#include "../quad_packing.hpp"
#include "../share.hpp"
#include "../walks/matmul_walk.hpp"
#include "quantized.hpp"

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
    const auto pad = static_cast<std::uint8_t>(layer.input_zero(0));
    const bool whole = layer.has_bytes() && g_.axis[0].size == 1 && g_.axis[0].reach() == 1 && g_.axis[0].before == 0 &&
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
      if (at >= 0 && at < rows.size) layer.read(with_, 0, first + at * columns.size + skip, n, to + y * pitch + before);
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
  bool fits_16_bits() const { return sums()[rows] != 0; }
  const std::int8_t* quads() const {
    return static_cast<const std::int8_t*>(static_cast<const void*>(words + rows + 1));
  }
};

/// A row of ones where a convolution's weights are.
inline void fill_ones(const byte_image& g, std::int8_t* to) {
  std::fill_n(to, 4 * g.quads(), std::int8_t{0});
  for (std::int64_t q = 0; q < g.quads(); ++q, to += 4)
    ir::byte_detail::for_each_in_quad(g, static_cast<int>(q / g.channel_quads() % g.quads_across()),
                                      q % g.channel_quads(), [&](std::size_t k, std::int64_t, int) { to[k] = 1; });
}

/// Results of lines of sums, `pitch` apart, of output o of a row.
template <class T>
void store_sums(const byte_layer& layer, const integer_kernels& with, sum_results& r, std::int64_t row,
                std::int64_t o) {
  const sum_unit unit = layer.unit(row, o);
  r.factor = &unit.real;
  r.fixed_factor = &unit.fixed.times;
  if (const std::int32_t* bias = layer.integer_bias()) r.integer_bias = bias + o;
  if (layer.real_bias()) r.real_bias = &unit.bias;
  if (layer.describe(r) && with.finish(r)) return;
  T* line = static_cast<T*>(r.to);
  for (int l = 0; l < r.lines; ++l, line += r.to_pitch)
    for (std::int64_t i = 0; i < r.width; ++i) {
      const std::int64_t right = r.right_sums ? std::int64_t{r.right_sums[l * r.sums_pitch + i]} * r.right_times : 0;
      line[i] = layer.result<T>(wrapped_sum(r.sums[l * r.sums_pitch + i] + right), unit, o);
    }
}

/// Rows of an input as a tile.
inline void fill_tile(const byte_layer& layer, const integer_kernels& with, std::int64_t first, std::int64_t begin,
                      std::int64_t end, std::int64_t depth, std::uint8_t flip, int rows, std::uint8_t* line,
                      float* to) {
  auto* const sums = static_cast<std::int32_t*>(static_cast<void*>(to));
  auto* const quads = static_cast<std::uint8_t*>(static_cast<void*>(to + rows + 1));
  const std::int64_t whole = depth / 4, all = quads_of(depth);
  bool fits = true;
  for (int r = 0; r < rows; ++r) {
    sums[r] = 0;
    if (begin + r >= end) {
      for (std::int64_t q = 0; q < all; ++q) std::memset(quads + 4 * (q * rows + r), 0, 4);
      continue;
    }
    layer.read(with, begin + r, first + (begin + r) * depth, depth, line);
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      line[k] ^= flip;
      sum += static_cast<std::int8_t>(line[k]);
    }
    for (std::int64_t k = 0; k + 1 < depth && with.minds_16_bits && fits; k += 2)
      fits = pair_fits_16_bits(static_cast<std::int8_t>(line[k]), static_cast<std::int8_t>(line[k + 1]));
    for (std::int64_t q = 0; q < whole; ++q) std::memcpy(quads + 4 * (q * rows + r), line + 4 * q, 4);
    if (whole < all) {
      std::uint8_t last[4]{};
      std::memcpy(last, line + 4 * whole, static_cast<std::size_t>(depth - 4 * whole));
      std::memcpy(quads + 4 * (whole * rows + r), last, 4);
    }
    sums[r] = sum;
  }
  sums[rows] = fits;
}

/// What sums of n outputs from `first` on are multiplied by, and their biases.
inline void find_factors(const byte_layer& layer, std::int64_t row, std::int64_t first, std::int64_t n, float* real,
                         std::int64_t* fixed, float* biases) {
  for (std::int64_t k = 0; k < n; ++k) {
    const sum_unit unit = layer.unit(row, first + k);
    real[k] = unit.real;
    fixed[k] = unit.fixed.times;
    if (layer.real_bias()) biases[k] = unit.bias;
    else if (const std::int32_t* whole = layer.integer_bias()) std::memcpy(biases + k, whole + first + k, 4);
  }
}

/// Results of a line of sums, one for each output from `first` on.
template <class T>
void store_row(const byte_layer& layer, const integer_kernels& with, sum_results& r, std::int64_t row,
               std::int64_t first, const float* real, const std::int64_t* fixed, const float* biases) {
  r.step = 1;
  r.factor = real;
  r.fixed_factor = fixed;
  if (layer.real_bias()) r.real_bias = biases;
  if (layer.integer_bias()) r.integer_bias = static_cast<const std::int32_t*>(static_cast<const void*>(biases));
  if (layer.describe(r) && with.finish(r)) return;
  T* const y = static_cast<T*>(r.to);
  for (std::int64_t k = 0; k < r.width; ++k) {
    const std::int64_t right = r.right_sums ? std::int64_t{r.right_sums[k]} * r.right_times : 0;
    y[k] = layer.result<T>(wrapped_sum(r.sums[k] + right), layer.unit(row, first + k), first + k);
  }
}

}  // namespace byte_detail

template <int Axes>
void run(const op::quantized_conv<Axes>& p, const arguments& a, scratch_memory memory) {
  using namespace byte_detail;
  const integer_kernels& with = integers_of(a);
  const extents& in = a.in[0].shape;
  const byte_image all = p.image(in, a.out[0].shape);
  const byte_axis& shared = all.axis[all.shared_axis()];
  const work_share part{a.share.index, std::min(a.share.count, std::max(all.most_parts(), 1))};
  if (part.index >= part.count) return;
  const index_range own = share_of(part, shared.count);
  if (own.size() <= 0) return;
  const byte_image g = all.part(static_cast<int>(own.begin), static_cast<int>(own.size()));
  memory = memory_of_part(memory, part, all.scratch_of_part(part.count));

  const byte_layer layer(p, a);
  const std::int64_t batch = p.has_batch(in) ? in[0] : 1,
                     plane = std::int64_t{all.axis[0].size} * all.axis[1].size * all.axis[2].size;
  const int rows = p.out / p.groups, tile_rows = rows_of_quads(rows);
  const std::int64_t quads = g.quads(), depth = g.depth(), pitch = g.sums_at_once();
  quad_image image(g, with, memory);
  std::int8_t* const ones = memory.take<std::int8_t>(4 * quads).data();
  const bool minds_columns = layer.has_weight_zeros(p.out);
  if (minds_columns) fill_ones(g, ones);
  std::int32_t* const sums = memory.take<std::int32_t>(5 * pitch).data();
  std::int32_t* const column_sums = sums + 4 * pitch;
  const std::int64_t line = all.axis[2].count, lines = all.axis[1].count,
                     result_plane = all.axis[0].count * lines * line;
  const std::int64_t first_line = own.begin * (all.shared_axis() == 0 ? lines : 1);
  const std::int64_t wide = g.axis[2].places(), group_words = quad_row_words(rows, quads),
                     tile_words = quad_tile_words(rows, quads);
  const int at_once = g.lines_at_once();
  for (std::int64_t i = 0; i < batch * p.groups; ++i) {
    const int group = static_cast<int>(i % p.groups);
    const std::int64_t first = i * g.channels * plane;
    const bool below_128 = with.minds_16_bits && layer.is_below_128(first, g.channels * plane);
    const std::uint8_t flip = layer.is_signed() && !below_128 ? 128 : 0;
    image.fill(layer, first, flip);
    const int right_zero = layer.input_zero(0) + flip;
    for (int z = 0; z < g.axis[0].count; ++z)
      for (int y = 0; y < g.axis[1].count; y += at_once) {
        const int high = std::min(at_once, g.axis[1].count - y);
        const std::int64_t columns = (high - 1) * wide + line;
        quad_products product{
            ones,    image.line(z, y), image.offsets(), quads,       1,
            columns, nullptr,          nullptr,         column_sums, static_cast<std::ptrdiff_t>(pitch),
            true};
        if (minds_columns) {
          const std::int32_t none = 0, all_ones = static_cast<std::int32_t>(depth);
          product.start = &none;
          product.left_sums = &all_ones;
          with.multiply(product);
        }
        product.rows = tile_rows;
        product.sums = sums;
        for (int o = 0; o < rows; o += tile_rows) {
          const quad_tile tile{tile_rows, a.weights[0] + group * group_words + o / tile_rows * tile_words};
          std::int32_t start[4]{};
          for (int r = 0; r < tile_rows && o + r < rows; ++r)
            start[r] = wrapped_sum(depth * right_zero * layer.weight_zero(group * rows + o + r) -
                                   std::int64_t{tile.sums()[r]} * right_zero);
          product.left = tile.quads();
          product.start = start;
          product.left_sums = tile.sums();
          product.fits_16_bits = below_128 || tile.fits_16_bits();
          with.multiply(product);
          for (int r = 0; r < tile_rows && o + r < rows; ++r) {
            const std::int64_t output = group * rows + o + r;
            const int zero = minds_columns ? layer.weight_zero(output) : 0;
            sum_results results{};
            results.sums = sums + r * pitch;
            results.sums_pitch = static_cast<std::ptrdiff_t>(wide);
            results.right_sums = zero != 0 ? column_sums : nullptr;
            results.right_times = -zero;
            results.lines = high;
            results.width = line;
            results.to_pitch = static_cast<std::ptrdiff_t>(line);
            if (wide == line) {  // one line after the other
              results.width = high * line;
              results.lines = 1;
            }
            const std::int64_t at =
                (i / p.groups * p.out + output) * result_plane + (first_line + z * lines + y) * line;
            layer.visit_result([&]<class T>(tag<T>) {
              results.to = elements<T>(a.out[0]) + at;
              store_sums<T>(layer, with, results, 0, output);
            });
          }
        }
      }
  }
}

inline void run(const op::quantized_matmul& p, const arguments& a, scratch_memory memory) {
  using namespace byte_detail;
  const integer_kernels& with = integers_of(a);
  const extents weight = p.weight_shape(a.in[0].shape);
  const matmul_walk w(p.product(), a.in[0].shape, weight);
  const byte_product s = p.sizes(a.in[0].shape, weight);
  if (s.columns == 0 || s.rows == 0) return;
  const work_share part{a.share.index, std::min(a.share.count, s.most_parts())};
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

  const byte_layer layer(p, a);
  const std::int64_t quads = s.quads(), wide = multiple_of(s.columns, quad_lanes), most = s.columns_at_once(),
                     pitch = most + quad_lanes;
  const int tile_rows = rows_of_quads(s.rows);
  const std::int64_t tile_words = quad_tile_words(s.rows, quads), tiles = (rows.size() + tile_rows - 1) / tile_rows;
  float* const left = memory.take<float>(tiles * tile_words).data();
  std::ptrdiff_t* const offsets = memory.take<std::ptrdiff_t>(quads).data();
  std::uint8_t* const line = memory.take<std::uint8_t>(s.depth).data();
  std::int32_t* const sums = memory.take<std::int32_t>(4 * pitch).data();
  float* const factors = memory.take<float>(pitch).data();
  float* const biases = memory.take<float>(pitch).data();
  std::int64_t* const fixed = memory.take<std::int64_t>(pitch).data();
  for (std::int64_t q = 0; q < quads; ++q) offsets[q] = static_cast<std::ptrdiff_t>(4 * q * wide);
  const std::uint8_t flip = layer.is_signed() ? 0 : 128;
  constexpr std::int64_t right_flip = 128;  // signed bytes and 128; of unsigned ones weight_zero() takes 128
  const bool of_rows = layer.has_row_scales();
  for (std::int64_t m = 0; m < w.matrices; ++m) {
    const auto at = w.offsets(m);
    const float* const right =
        a.weights[0] + at.b / std::max<std::int64_t>(s.depth * s.columns, 1) * quad_column_words(s.columns, quads);
    const auto* const column_sums = static_cast<const std::int32_t*>(static_cast<const void*>(right));
    for (std::int64_t t = 0; t < tiles; ++t)
      fill_tile(layer, with, at.a, rows.begin + t * tile_rows,
                std::min<std::int64_t>(rows.end, rows.begin + (t + 1) * tile_rows), s.depth, flip, tile_rows, line,
                left + t * tile_words);
    for (std::int64_t c = columns.begin; c < columns.end; c += most) {
      const std::int64_t n = std::min<std::int64_t>(most, columns.end - c);
      for (std::int64_t t = 0; t < tiles; ++t) {
        const quad_tile tile{tile_rows, left + t * tile_words};
        const std::int64_t row = rows.begin + t * tile_rows;
        std::int32_t start[4]{};
        for (int r = 0; r < tile_rows && row + r < rows.end && !layer.has_many_weight_zeros(); ++r)
          start[r] = wrapped_sum((layer.weight_zero(0) + right_flip) *
                                 (s.depth * (layer.input_zero(row + r) - flip) - tile.sums()[r]));
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
                                    tile.fits_16_bits()};
        with.multiply(product);
        for (int r = 0; r < tile_rows && row + r < rows.end; ++r) {
          const std::int64_t left_zero = layer.input_zero(row + r) - flip;
          std::int32_t* const y = sums + r * pitch;
          for (std::int64_t k = 0; k < n && layer.has_many_weight_zeros(); ++k)
            y[k] = wrapped_sum(y[k] + (layer.weight_zero(c + k) + right_flip) * (s.depth * left_zero - tile.sums()[r]));
          if (of_rows || (t == 0 && r == 0)) find_factors(layer, row + r, c, n, factors, fixed, biases);
          sum_results results{};
          results.sums = y;
          results.lines = 1;
          results.width = n;
          results.right_sums = left_zero != 0 ? column_sums + c : nullptr;
          results.right_times = static_cast<std::int32_t>(-left_zero);
          layer.visit_result([&]<class T>(tag<T>) {
            T* const to = elements<T>(a.out[0]) + (m * s.rows + row + r) * s.columns + c;
            results.to = to;
            store_row<T>(layer, with, results, row + r, c, factors, fixed, biases);
          });
        }
      }
    }
  }
}

}  // namespace ctnn::ir::typed
