// SPDX-License-Identifier: BSL-1.0
// Convolutions and products of matrices of bytes. Rows are signed and columns unsigned, so zero points become those of
// the bytes as they are multiplied: with rows L, columns R and their zero points l and r, the sum of (L - l)(R - r) is
// that of L R, less r times the row's sum, less l times the column's, and depth times l r.
#pragma once

#include "../../graph/operators/convolution.hpp"
#include "../../graph/operators/linear.hpp"
#include "../../graph/operators/matrix.hpp"
#include "../walks/matmul_walk.hpp"
#include "quad_tiles.hpp"

namespace ctnn::ir::typed {

/// A convolution by a weight of bytes.
template <int Axes>
void convolve_bytes(const op::conv<Axes>& p, const arguments& a, scratch_memory memory) {
  using namespace byte_detail;
  const integer_kernels& with = integers_of(a);
  const extents& in = a.in[0].shape;
  const byte_image all = p.image(in, a.out[0].shape);
  const work_share part = part_in(memory, a.share, all);
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
  const work_share part = part_in(memory, share, s);
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
  const work_share part = byte_detail::part_in(memory, a.share, s);
  if (part.index >= part.count) return;
  const index_range own = share_of(part, static_cast<std::ptrdiff_t>(w.matrices));
  memory = byte_detail::memory_of_part(memory, part, s.scratch_of_part(part.count));
  float* const right = memory.take<float>(quad_column_words(s.each.columns, s.each.quads())).data();
  const byte_layer layer(a);
  std::int64_t packed = -1;
  for (std::ptrdiff_t m = own.begin; m < own.end; ++m) {
    const auto from = w.offsets(m);
    if (std::exchange(packed, from.b) != from.b) {
      const std::int8_t* const bytes = elements<std::int8_t>(a.in[1]) + from.b;
      pack_quad_columns(
          s.each, p.transpose_b, a.in[1].type == dtype::i8, [&](std::int64_t i) { return bytes[i]; }, right);
    }
    multiply_rows(layer, s.each, m, from.a, right, {}, a, memory);
  }
}

}  // namespace ctnn::ir::typed
