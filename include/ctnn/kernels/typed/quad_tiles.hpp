// SPDX-License-Identifier: BSL-1.0
// What products of bytes are made of: images and rows as quads (base/byte_image.hpp), and what becomes of sums.
#pragma once

#include <bit>

#include "../quad_packing.hpp"
#include "../share.hpp"
#include "byte_layer.hpp"

namespace ctnn::ir::typed {

namespace byte_detail {

/// The share, among as many as such work and the memory have room for.
inline work_share part_in(const scratch_memory& memory, const work_share& share, const auto& work) {
  const int most = work.most_parts() < share.count ? work.most_parts() : share.count;
  return {share.index, memory.parts(most < 1 ? 1 : most, [&](int n) { return work.scratch_of_part(n); })};
}
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

}  // namespace ctnn::ir::typed
