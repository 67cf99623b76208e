// SPDX-License-Identifier: BSL-1.0
// Products of bytes with one scale an output, on the target's products of 16-bit numbers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../../base/int8.hpp"
#include "../../graph/operators/int8.hpp"
#include "elementwise.hpp"
#include "products.hpp"

namespace ctnn::typed {

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
  /// What a sum of output o stands for: sum * scale(o), and then the bias.
  float scale(std::size_t o) const { return weight_scale[o] == 0 ? 0 : 1 / (input_scale * weight_scale[o]); }
  float operator()(std::int32_t sum, float scale_of_output, std::size_t o) const {
    // Rounded once, as the fused multiply-add of ncnn's kernels is.
    const double exact = static_cast<double>(static_cast<float>(sum)) * static_cast<double>(scale_of_output) + (bias ? static_cast<double>(bias[o]) : 0);
    const auto y = static_cast<float>(exact);
    return activation ? activated(activation, y) : y;
  }
};

inline void run(const op::int8_linear& p, const arguments& a) {
  const std::int64_t depth = a.in[0].shape.back(0), rows = a.in[0].shape.count() / depth;
  const int8_results result(a, p.bias, false, p.activation);
  const std::vector<std::int8_t> x = input_bytes(a.in[0], result.input_scale);
  std::vector<float> scales;
  for (std::size_t o = 0; o < static_cast<std::size_t>(p.out); ++o) scales.push_back(result.scale(o));
  multiply_parts(a, rows, p.out, depth, [&](std::int64_t r, std::int16_t* to) { std::copy_n(x.begin() + r * depth, depth, to); },
                 [&](std::int64_t o, std::int16_t* to) { std::copy_n(bytes_of(a.weights[0]) + o * depth, depth, to); },
                 [&](std::int64_t r, std::int64_t o, std::int32_t sum) {
                   const auto k = static_cast<std::size_t>(o);
                   a.out[0].data[r * p.out + o] = result(sum, scales[k], k);
                 });
}

/// Sums of row r of one plane under one filter, tap by tap.
inline void convolve_plane(const op::conv2d& p, const margins& pad, const std::int16_t* plane, std::int64_t height, std::int64_t width, const std::int16_t* filter,
                           std::int64_t r, std::int64_t columns, std::int32_t* sums) {
  std::fill_n(sums, columns, 0);
  for (std::int64_t ky = 0; ky < p.kernel[0]; ++ky) {
    const std::int64_t y = r * p.stride[0] + ky * p.dilation[0] - pad[0];
    if (y < 0 || y >= height) continue;
    for (std::int64_t kx = 0; kx < p.kernel[1]; ++kx) {
      const std::int64_t shift = kx * p.dilation[1] - pad[1], stride = p.stride[1];
      const std::int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
      const std::int64_t last = shift >= width ? 0 : std::min(columns, (width - 1 - shift) / stride + 1);
      const std::int32_t w = filter[ky * p.kernel[1] + kx];
      const std::int16_t* x = plane + y * width;
      for (std::int64_t q = first; q < last; ++q)  // wraps around, as products_of does
        sums[q] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[q]) + static_cast<std::uint32_t>(w * x[shift + q * stride]));
    }
  }
}

/// What the windows of row r read of an image (height, width, channels), one after the other, `padded` numbers each.
inline void gather_windows(const op::conv2d& p, const margins& pad, const std::int16_t* image, std::int64_t height, std::int64_t width, std::int64_t channels,
                           std::int64_t r, std::int64_t columns, std::ptrdiff_t padded, std::int16_t* windows) {
  for (std::int64_t q = 0; q < columns; ++q) {
    std::int16_t* to = windows + q * padded;
    for (std::int64_t ky = 0; ky < p.kernel[0]; ++ky)
      for (std::int64_t kx = 0; kx < p.kernel[1]; ++kx) {
        const std::int64_t y = r * p.stride[0] + ky * p.dilation[0] - pad[0], x = q * p.stride[1] + kx * p.dilation[1] - pad[1];
        if (y < 0 || y >= height || x < 0 || x >= width) to = std::fill_n(to, channels, std::int16_t{0});
        else to = std::copy_n(image + (y * width + x) * channels, channels, to);
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
  const std::ptrdiff_t padded = integer_blocks(group_in * area);
  std::vector<std::int16_t> weights(static_cast<std::size_t>(group_out * padded)), windows(static_cast<std::size_t>(columns * padded));
  std::vector<std::int32_t> sums(static_cast<std::size_t>(group_out * columns));
  std::vector<std::int16_t> image(static_cast<std::size_t>(group_in * height * width));
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t g = 0; g < p.groups; ++g) {
      const std::int8_t* planes = x.data() + (n * p.groups + g) * group_in * height * width;
      for (std::int64_t c0 = 0; c0 < group_in; c0 += 16)  // few planes at a time
        for (std::int64_t i = 0; i < height * width; ++i)
          for (std::int64_t c = c0; c < std::min<std::int64_t>(c0 + 16, group_in); ++c)
            image[static_cast<std::size_t>(i * group_in + c)] = planes[c * height * width + i];
      const std::int8_t* bytes = bytes_of(a.weights[0]) + g * group_out * group_in * area;
      for (std::int64_t o = 0; o < group_out; ++o)
        for (std::int64_t c = 0; c < group_in; ++c)
          for (std::int64_t k = 0; k < area; ++k) weights[static_cast<std::size_t>(o * padded + k * group_in + c)] = *bytes++;
      for (std::int64_t r = 0; r < rows; ++r) {
        if (group_in == 1) {
          for (std::int64_t o = 0; o < group_out; ++o)
            convolve_plane(p, pad, image.data(), height, width, weights.data() + o * padded, r, columns, sums.data() + o * columns);
        } else {
          gather_windows(p, pad, image.data(), height, width, group_in, r, columns, padded, windows.data());
          products_of(a)(weights.data(), static_cast<int>(group_out), windows.data(), static_cast<int>(columns), padded, sums.data());
        }
        const std::int32_t* sum = sums.data();
        for (std::int64_t o = g * group_out; o < (g + 1) * group_out; ++o) {
          const std::int64_t at = ((n * p.out + o) * rows + r) * columns;
          const auto k = static_cast<std::size_t>(o);
          const float scale = result.scale(k);
          for (std::int64_t q = 0; q < columns; ++q) {
            const float y = result(*sum++, scale, k);
            if (p.requantize) elements<std::int8_t>(a.out[0])[at + q] = quantize_int8(y * result.output_scale);
            else a.out[0].data[at + q] = y;
          }
        }
      }
    }
}

}  // namespace ctnn::typed
