// SPDX-License-Identifier: BSL-1.0
// Products of bytes with one scale an output. Rows of products are padded to whole blocks of 16 bits numbers, in loops of
// constant length that a compiler turns into vector code.
#pragma once

#include <cmath>
#include <cstdint>

#include "../../base/int8.hpp"
#include "../../graph/operators/int8.hpp"
#include "elementwise.hpp"

namespace ctnn::typed {

inline constexpr std::size_t byte_block = 16;
inline std::size_t blocks_of_bytes(std::int64_t n) { return (static_cast<std::size_t>(n) + byte_block - 1) / byte_block * byte_block; }

/// Sums wrap around.
inline std::int32_t dot(const std::int16_t* a, const std::int16_t* b, std::size_t n) {
  std::uint32_t sums[byte_block]{};
  for (; n != 0; n -= byte_block, a += byte_block, b += byte_block)
    for (std::size_t j = 0; j < byte_block; ++j) sums[j] += static_cast<std::uint32_t>(std::int32_t{a[j]} * std::int32_t{b[j]});
  std::uint32_t sum = 0;
  for (std::uint32_t s : sums) sum += s;
  return static_cast<std::int32_t>(sum);
}

/// The input as bytes, whatever it is given as.
inline std::vector<std::int8_t> input_bytes(const const_tensor& x, float scale) {
  const auto n = static_cast<std::size_t>(x.shape.count());
  if (x.type == dtype::i8) return {elements<std::int8_t>(x), elements<std::int8_t>(x) + n};
  std::vector<std::int8_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = quantize_int8(x.data[i] * scale);
  return out;
}
inline const std::int8_t* bytes_of(const float* packed) { return static_cast<const std::int8_t*>(static_cast<const void*>(packed)); }

/// From sums of products to results: the slots after the weight.
struct int8_results {
  const float *bias, *weight_scale;
  float input_scale, output_scale = 0;
  activation_function activation;

  int8_results(const arguments& a, bool has_bias, bool requantize, const activation_function& f)
      : bias(has_bias ? a.weights[1] : nullptr), weight_scale(a.weights[has_bias ? 2 : 1]), input_scale(*a.weights[has_bias ? 3 : 2]), activation(f) {
    if (requantize) output_scale = *a.weights[has_bias ? 4 : 3];
  }
  float operator()(std::int32_t sum, std::size_t output) const {
    const float scale = weight_scale[output] == 0 ? 0 : 1 / (input_scale * weight_scale[output]);
    // Rounded once, as the fused multiply-add of ncnn's kernels is.
    const double exact = static_cast<double>(static_cast<float>(sum)) * static_cast<double>(scale) + (bias ? static_cast<double>(bias[output]) : 0);
    const auto y = static_cast<float>(exact);
    return activation ? activated(activation, y) : y;
  }
};

inline void run(const op::int8_linear& p, const arguments& a) {
  const std::int64_t depth = a.in[0].shape.back(0), rows = a.in[0].shape.count() / depth;
  const int8_results result(a, p.bias, false, p.activation);
  const std::vector<std::int8_t> x = input_bytes(a.in[0], result.input_scale);
  const std::size_t padded = blocks_of_bytes(depth);
  std::vector<std::int16_t> row(padded), weight(padded);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::copy_n(x.begin() + r * depth, depth, row.begin());
    for (int o = 0; o < p.out; ++o) {
      std::copy_n(bytes_of(a.weights[0]) + o * depth, depth, weight.begin());
      a.out[0].data[r * p.out + o] = result(dot(row.data(), weight.data(), padded), static_cast<std::size_t>(o));
    }
  }
}

inline void run(const op::int8_conv2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const std::int64_t batch = in.rank == 4 ? in[0] : 1, height = in.back(1), width = in.back(0), rows = out.back(1), columns = out.back(0);
  const std::int64_t group_in = in.back(2) / p.groups, group_out = p.out / p.groups, area = std::int64_t{p.kernel[0]} * p.kernel[1];
  const margins pad = p.padding(in);
  const int8_results result(a, p.bias, p.requantize, p.activation);
  const std::vector<std::int8_t> x = input_bytes(a.in[0], result.input_scale);
  // Weights and windows in the order (tap, channel): what a window reads of one pixel is together.
  const std::size_t padded = blocks_of_bytes(group_in * area);
  std::vector<std::int16_t> weights(static_cast<std::size_t>(p.out) * padded), windows(static_cast<std::size_t>(columns) * padded);
  for (std::int64_t o = 0; o < p.out; ++o)
    for (std::int64_t c = 0; c < group_in; ++c)
      for (std::int64_t k = 0; k < area; ++k)
        weights[static_cast<std::size_t>(o) * padded + static_cast<std::size_t>(k * group_in + c)] = bytes_of(a.weights[0])[(o * group_in + c) * area + k];
  std::vector<std::int16_t> image(static_cast<std::size_t>(group_in * height * width));
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t g = 0; g < p.groups; ++g) {
      const std::int8_t* planes = x.data() + (n * p.groups + g) * group_in * height * width;
      for (std::int64_t c = 0; c < group_in; ++c)
        for (std::int64_t i = 0; i < height * width; ++i) image[static_cast<std::size_t>(i * group_in + c)] = *planes++;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t q = 0; q < columns; ++q) {
          auto to = windows.begin() + q * static_cast<std::int64_t>(padded);
          for (std::int64_t ky = 0; ky < p.kernel[0]; ++ky)
            for (std::int64_t kx = 0; kx < p.kernel[1]; ++kx) {
              const std::int64_t iy = r * p.stride[0] + ky * p.dilation[0] - pad[0], ix = q * p.stride[1] + kx * p.dilation[1] - pad[1];
              if (iy < 0 || iy >= height || ix < 0 || ix >= width) to = std::fill_n(to, group_in, std::int16_t{0});
              else to = std::copy_n(image.begin() + (iy * width + ix) * group_in, group_in, to);
            }
        }
        for (std::int64_t o = g * group_out; o < (g + 1) * group_out; ++o) {
          const std::int64_t at = ((n * p.out + o) * rows + r) * columns;
          for (std::int64_t q = 0; q < columns; ++q) {
            const float y = result(dot(windows.data() + static_cast<std::size_t>(q) * padded, weights.data() + static_cast<std::size_t>(o) * padded, padded),
                                   static_cast<std::size_t>(o));
            if (p.requantize) elements<std::int8_t>(a.out[0])[at + q] = quantize_int8(y * result.output_scale);
            else a.out[0].data[at + q] = y;
          }
        }
      }
    }
}

}  // namespace ctnn::typed
