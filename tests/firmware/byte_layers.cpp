// SPDX-License-Identifier: BSL-1.0
// The core's kernels of bytes at shapes that no network here has: rows and channels that fill no register, windows over
// every edge, groups, factors above 1/2, weights of -128. Against sums that are added one by one.
#include <ctnn/ctnn.hpp>

#include "board/board.hpp"

namespace {

using namespace ctnn::ir;
using ctnn::ir::plain::byte_layer, ctnn::ir::plain::byte_operands, ctnn::ir::plain::byte_results;

constexpr int most_channels = 40, most_side = 7, most_taps = 9;

alignas(8) std::int8_t x[most_side * most_side * most_channels], z[sizeof x], y[sizeof x];
std::int8_t weight[most_channels * most_channels * most_taps];
alignas(8) std::int8_t packed[sizeof weight + 16 * most_channels * most_taps], scratch[16 * most_channels * most_taps];
plain::detail::row_constants rows[most_channels];

// Factors of sums; at run time they would take doubles.
constexpr std::uint32_t small = fixed_factor(0.001).word(), above_half = fixed_factor(0.75).word(),
                        far_above = fixed_factor(30).word();
constexpr std::int64_t flat = fixed_factor(0.4).times, above_one = fixed_factor(1.3).times,
                       steep = fixed_factor(1e5).times;

unsigned seed = 1;
int below(int n) {
  seed = seed * 1664525u + 1013904223u;
  return static_cast<int>((seed >> 8) % static_cast<unsigned>(n));
}
bool one_in(int n) { return below(n) == 0; }
std::int8_t any_byte() { return static_cast<std::int8_t>(one_in(4) ? -128 : below(256) - 128); }
byte_results any_results() {
  if (one_in(2)) return {static_cast<std::int8_t>(below(256) - 128), -128, 127};
  return {static_cast<std::int8_t>(below(100) - 50), static_cast<std::int8_t>(below(50) - 100),
          static_cast<std::int8_t>(below(100))};
}

const float* floats(const void* p) { return static_cast<const float*>(p); }

/// Number of channel c of the image at (iy, ix).
int input(const byte_layer& k, int iy, int ix, int c) {
  return iy >= 0 && iy < k.height && ix >= 0 && ix < k.width ? x[(iy * k.width + ix) * k.pitch + c] : k.outside;
}

/// How many results of a random layer are wrong.
int wrong_in_layer() {
  byte_layer k{};
  k.results = any_results();
  k.images = 1;
  k.outside = any_byte();
  const bool vectors = one_in(4), depthwise = !vectors && one_in(2), nine = depthwise && !one_in(3);
  k.groups = !vectors && !depthwise && one_in(4) ? 2 : 1;
  k.channels = 1 + below(k.groups == 2 ? 16 : most_channels);
  if (nine) k.channels = 8 << below(3);
  else if (k.groups == 1 && one_in(2)) k.channels = 8 * (1 + below(most_channels / 8));
  k.outs = depthwise ? k.channels : k.groups == 2 ? 2 + 2 * below(8) : 1 + below(most_channels);
  if (!depthwise && one_in(2)) k.outs = 4 * (1 + below(most_channels / 4 / k.groups / 2));
  k.pitch = k.channels * k.groups;
  k.out_pitch = k.outs * k.groups;
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.height = k.out_height = 1;
  const int least_side = nine ? 4 : 1;  // that some windows lie on the image
  k.width = k.out_width = least_side + below(most_side + 1 - least_side);
  if (!vectors) {
    k.height = least_side + below(most_side + 1 - least_side);
    const bool pixels = !depthwise && one_in(4);
    k.kernel_h = pixels ? 1 : nine ? 3 : 1 + below(3);
    k.kernel_w = pixels ? 1 : nine ? 3 : 1 + below(3);
    k.stride_h = pixels ? 1 : 1 + below(2);
    k.stride_w = pixels ? 1 : 1 + below(2);
    k.dilation_h = nine ? 1 : 1 + below(2);
    k.dilation_w = nine ? 1 : 1 + below(2);
    k.top = below(k.kernel_h);
    k.left = below(k.kernel_w);
    k.out_height = (k.height + k.stride_h - 1) / k.stride_h;
    k.out_width = (k.width + k.stride_w - 1) / k.stride_w;
  }
  k.backwards = one_in(2);
  const int taps = k.kernel_h * k.kernel_w, depth = depthwise ? taps : k.channels * taps;
  k.fours = (depth + 7) / 8 * 2;
  k.kernel = vectors     ? &plain::detail::multiply_rows
             : depthwise ? &plain::detail::convolve_channels
             : one_in(3) ? &plain::detail::convolve_rows
                         : plain::detail::rows_kernel(k);
  if (depthwise) k.channels = 1;

  for (std::int8_t& b : x) b = any_byte();
  const bool tflite = nine || one_in(2);  // whose weights are no -128
  for (std::int8_t& b : weight) {
    b = any_byte();
    if (tflite && b == -128) b = 127;
  }
  const bool large = one_in(4);
  for (plain::detail::row_constants& r : rows) {
    r.start = below(4000) - 2000;
    r.factor = (large && one_in(4) ? above_half : small) + static_cast<unsigned>(below(5000));
  }
  const byte_rows layout{k.out_pitch, depth, k.channels, taps, depthwise};
  for (int i = 0; i < 4 * static_cast<int>(layout.words()); ++i) {
    const auto from = static_cast<int>(layout.source(i));
    packed[i] = from < 0 ? std::int8_t{0} : weight[from];
  }
  byte_operands o{};
  o.at[o.in] = floats(x);
  o.at[o.weights] = floats(packed);
  o.at[o.rows] = floats(rows);
  o.at[o.out] = floats(y);
  o.at[o.scratch] = floats(scratch);
  plain::run(k, o);

  int wrong = 0;
  for (int oy = 0; oy < k.out_height; ++oy)
    for (int ox = 0; ox < k.out_width; ++ox)
      for (int out = 0; out < k.out_pitch; ++out) {
        std::int32_t sum = rows[out].start;
        for (int t = 0; t < taps; ++t)
          for (int c = 0; c < k.channels; ++c)
            sum += weight[(out * k.channels + c) * taps + t] *
                   input(k, oy * k.stride_h - k.top + t / k.kernel_w * k.dilation_h,
                         ox * k.stride_w - k.left + t % k.kernel_w * k.dilation_w,
                         depthwise ? out : out / k.outs * k.channels + c);
        const auto expected = k.results.of(fixed_factor::product(rows[out].factor, sum));
        wrong += y[(oy * k.out_width + ox) * k.out_pitch + out] != expected ? 1 : 0;
      }
  return wrong;
}

int wrong_in_sums() {
  const int count = 1 + below(70);
  plain::detail::byte_sum k{any_results(), (one_in(8) ? steep : flat) + below(1 << 30), above_one + below(1 << 30),
                            std::int64_t{1} << 31};
  if (one_in(4)) k.b = -k.b;
  k.start -= k.a * below(100) + k.b * below(100);
  for (std::int8_t& b : x) b = any_byte();
  for (std::int8_t& b : z) b = any_byte();
  plain::detail::add_bytes(k, x, z, y, count);
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += y[i] != k.results.of(static_cast<std::int32_t>((x[i] * k.a + z[i] * k.b + k.start) >> 32)) ? 1 : 0;
  return wrong;
}

int wrong_in_products() {
  plain::byte_binary k{};
  k.sum.results = any_results();
  k.multiplies = true;
  k.x_zero = below(256) - 128;
  k.z_zero = below(256) - 128;
  k.count = 1 + below(70);
  k.factor = one_in(2) ? small : one_in(2) ? above_half : far_above;
  for (std::int8_t& b : x) b = any_byte();
  for (std::int8_t& b : z) b = any_byte();
  byte_operands o{};
  o.at[o.in] = floats(x);
  o.at[o.second] = floats(z);
  o.at[o.out] = floats(y);
  plain::run(k, o);
  int wrong = 0;
  for (int i = 0; i < k.count; ++i)
    wrong +=
        y[i] != k.sum.results.of(fixed_factor::of_word(k.factor).of((x[i] - k.x_zero) * (z[i] - k.z_zero))) ? 1 : 0;
  return wrong;
}

int wrong_in_pools() {
  const int channels = 1 + below(most_channels), width = most_side;
  const plain::detail::pooled_cells cells{1 + below(3), 1 + below(3), std::ptrdiff_t{width} * channels, channels};
  for (std::int8_t& b : x) b = any_byte();
  plain::detail::pool_window<ctnn::op::pooling::max>(cells, x, channels, y);
  plain::detail::pool_window<ctnn::op::pooling::average>(cells, x, channels, z);
  int wrong = 0;
  for (int c = 0; c < channels; ++c) {
    int most = -128, total = 0;
    for (int i = 0; i < cells.rows * cells.columns; ++i) {
      const int b = x[(i / cells.columns * width + i % cells.columns) * channels + c];
      most = b > most ? b : most;
      total += b;
    }
    const int count = cells.rows * cells.columns, average = (total < 0 ? total - count / 2 : total + count / 2) / count;
    wrong += (y[c] != most ? 1 : 0) + (z[c] != average ? 1 : 0);
  }
  return wrong;
}

int report(const char* what, int (*wrong_in)()) {
  int wrong = 0;
  for (int i = 0; i < 500; ++i) wrong += wrong_in();
  board::print(what);
  board::print(", wrong bytes: ");
  board::print(static_cast<std::int32_t>(wrong));
  board::print("\n");
  return wrong;
}

}  // namespace

int main() {
  const int wrong = report("layers", &wrong_in_layer) + report("sums", &wrong_in_sums) +
                    report("products", &wrong_in_products) + report("pools", &wrong_in_pools);
  return wrong == 0 ? 0 : 1;
}
