// SPDX-License-Identifier: BSL-1.0
// Convolutions and linear layers of numbers of 16 bits by weights of bytes, which are packed as for bytes: sums of 64
// bits, multiplied as TensorFlow Lite's 16x8 kernels do.
#pragma once

#include <array>

#include "../../graph/operators/convolution.hpp"
#include "../../graph/operators/linear.hpp"
#include "../quad_packing.hpp"
#include "byte_functions.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// What becomes of a layer's sums.
class wide_results {
 public:
  /// `in_floats`: TensorFlow Lite multiplies the scales so, of linear layers with one for all outputs.
  wide_results(const op::weight_element& weight, bool bias, bool in_floats, const activation_function& f,
               const arguments& a)
      : in_floats_(in_floats),
        by_output_(weight.by_output),
        bias_(bias ? static_cast<const std::int64_t*>(static_cast<const void*>(a.weights[1])) : nullptr),
        scales_(a.weights[bias ? 2 : 1]),
        of_(a.of(0).real.scale),
        as_(a.made().real.scale),
        bounds_(f, a.made()) {}
  std::int16_t of(std::int64_t sum, std::int64_t o) const {
    const float scale = scales_[by_output_ ? o : 0];
    const double both =
        in_floats_ ? static_cast<double>(static_cast<float>(of_) * scale) : of_ * static_cast<double>(scale);
    const twice_rounded_factor factor(both / as_);
    return static_cast<std::int16_t>(bounds_.of(factor.of_wide(sum + (bias_ ? bias_[o] : 0))));
  }

 private:
  bool in_floats_, by_output_;
  const std::int64_t* bias_;
  const float* scales_;
  double of_, as_;
  op::byte_bounds bounds_;
};

/// The first place of a window along an axis.
inline std::int64_t window_start(const byte_axis& a, std::int64_t window) { return window * a.stride - a.before; }

/// Window by window: each quad's inputs are read once for a tile of rows.
template <int Axes>
void convolve_wide(const op::conv<Axes>& p, const arguments& a) {
  if (a.share.index > 0) return;
  const extents& in = a.in[0].shape;
  const byte_image g = p.image(in, a.out[0].shape);
  const wide_results results(p.weight, p.bias, false, p.activation, a);
  const byte_axis &deep = g.axis[0], &high = g.axis[1], &wide = g.axis[2];
  const std::int64_t batch = p.has_batch(in) ? in[0] : 1, line = wide.size, sheet = line * high.size,
                     plane = sheet * deep.size, quads = g.quads(), across = g.quads_across(),
                     channel_quads = g.channel_quads(), windows = std::int64_t{deep.count} * high.count * wide.count;
  const int rows = p.out / p.groups, tile_rows = rows_of_quads(rows);
  for (std::int64_t image = 0; image < batch * p.groups; ++image) {
    const std::int64_t group = image % p.groups;
    const std::int16_t* const x = elements<std::int16_t>(a.in[0]) + image * g.channels * plane;
    const float* words = a.weights[0] + group * quad_row_words(rows, quads);
    for (int first = 0; first < rows; first += tile_rows, words += quad_tile_words(rows, quads))
      for (std::int64_t w = 0; w < windows; ++w) {
        const std::int64_t from[3]{window_start(deep, w / (std::int64_t{high.count} * wide.count)),
                                   window_start(high, w / wide.count % high.count), window_start(wide, w % wide.count)};
        std::int64_t sums[4]{};
        for (std::int64_t q = 0; q < quads; ++q) {
          const std::int64_t taps = q / (across * channel_quads);  // of the outer axes
          const std::int64_t z = from[0] + taps / high.kernel * deep.dilation,
                             y = from[1] + taps % high.kernel * high.dilation;
          if (z < 0 || z >= deep.size || y < 0 || y >= high.size) continue;
          std::array<std::int32_t, 4> inputs{};
          ir::byte_detail::for_each_in_quad(g, static_cast<int>(q / channel_quads % across), q % channel_quads,
                                            [&](std::size_t k, std::int64_t channel, int tap) {
                                              const std::int64_t at = from[2] + std::int64_t{tap} * wide.dilation;
                                              if (at >= 0 && at < wide.size)
                                                inputs[k] = x[channel * plane + z * sheet + y * line + at];
                                            });
          const auto* bytes =
              static_cast<const std::int8_t*>(static_cast<const void*>(words + tile_rows + 1)) + 4 * q * tile_rows;
          for (int r = 0; r < tile_rows; ++r)
            for (const std::int32_t input : inputs) sums[r] += input * *bytes++;
        }
        for (int r = 0; r < tile_rows && first + r < rows; ++r) {
          const std::int64_t o = group * rows + first + r;
          elements<std::int16_t>(a.out[0])[(image / p.groups * p.out + o) * windows + w] = results.of(sums[r], o);
        }
      }
  }
}

/// Row by row, sixteen columns at a time.
inline void multiply_wide(const op::linear& p, const arguments& a) {
  if (a.share.index > 0) return;
  const byte_product s = p.product(a.in[0].shape);
  const wide_results results(p.weight, p.bias, !p.weight.by_output, p.activation, a);
  const std::int64_t wide = multiple_of(s.columns, quad_lanes);
  const auto* const columns = static_cast<const std::uint8_t*>(static_cast<const void*>(a.weights[0] + wide));
  const std::int16_t* x = elements<std::int16_t>(a.in[0]);
  std::int16_t* y = elements<std::int16_t>(a.out[0]);
  for (std::int64_t row = 0; row < s.rows; ++row, x += s.depth, y += s.columns)
    for (std::int64_t c = 0; c < s.columns; c += quad_lanes) {
      std::int64_t sums[quad_lanes]{};
      for (std::int64_t k = 0; k < s.depth; ++k) {
        const std::uint8_t* bytes = columns + 4 * (k / 4 * wide + c) + k % 4;
        for (std::int64_t i = 0; i < quad_lanes; ++i) sums[i] += x[k] * (bytes[4 * i] - 128);
      }
      for (std::int64_t i = 0; i < quad_lanes && c + i < s.columns; ++i) y[c + i] = results.of(sums[i], c + i);
    }
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
