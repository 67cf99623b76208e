// SPDX-License-Identifier: BSL-1.0
// Which range of real numbers bytes are to stand for, from the numbers that a network computed of samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "../base/requantize.hpp"

namespace ctnn {

/// minmax: all that was seen. percentile: without the rarest numbers at both ends. kl: numbers beyond a threshold are
/// given up, by which what bytes can say is nearest to what was seen (S. Migacz, "8-bit Inference with TensorRT",
/// GTC 2017; ncnn2table's kl).
enum class range_method { minmax, percentile, kl };

struct value_range {
  double low = 0, high = 0;

  /// Both, and 0: padding is exact.
  constexpr value_range with(const value_range& other) const {
    return {std::min({low, other.low, 0.0}), std::max({high, other.high, 0.0})};
  }
  constexpr double largest() const { return std::max(-low, high); }
};

/// How i8 stand for the numbers of a range that has 0; no scale if floats cannot say it.
inline ir::quantization quantization_of(const value_range& r) {
  const auto scale = static_cast<double>(static_cast<float>((r.high - r.low) / 255));
  if (!(scale > 1e-37 && scale < 1e37)) return {};
  const double zero = std::nearbyint(-128 - r.low / scale);
  return {scale, static_cast<int>(std::clamp(zero, -128.0, 127.0))};
}

namespace ir {

/// A histogram of numbers, and the ranges that follow. All numbers are seen twice: their range comes first.
class observed_numbers {
 public:
  static constexpr std::size_t bins = 2048;  ///< on either side of 0

  /// False at a NaN or an infinite number.
  bool widen(std::span<const float> numbers) {
    for (const float x : numbers) {
      if (!std::isfinite(x)) return false;
      seen_ = seen_.with({static_cast<double>(x), static_cast<double>(x)});
    }
    return true;
  }
  void count(std::span<const float> numbers) {
    if (seen_.largest() == 0) return;
    counts_.resize(2 * bins);
    const double each = static_cast<double>(bins) / seen_.largest();
    for (const float x : numbers) {
      const auto at = static_cast<std::int64_t>(std::floor(static_cast<double>(x) * each)) + std::int64_t{bins};
      ++counts_[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, 2 * bins - 1))];
      zeros_ += x == 0;
    }
  }

  /// `kept` is in percent, for the percentile.
  value_range range(range_method how, double kept) const {
    if (counts_.empty() || how == range_method::minmax) return seen_;
    const value_range r = how == range_method::kl ? by_divergence() : by_percentile(kept);
    return value_range{std::max(r.low, seen_.low), std::min(r.high, seen_.high)}.with({});
  }

 private:
  double edge(std::size_t bin) const {
    return (static_cast<double>(bin) - static_cast<double>(bins)) * seen_.largest() / static_cast<double>(bins);
  }
  /// As much is cut at either end, as ONNX Runtime's PercentileCalibrater does.
  value_range by_percentile(double kept) const {
    std::int64_t all = 0;
    for (const std::int64_t n : counts_) all += n;
    const double cut = (100 - kept) / 200 * static_cast<double>(all);
    std::size_t first = 0, last = counts_.size();
    for (std::int64_t n = counts_[first]; static_cast<double>(n) <= cut && first + 1 < last; n += counts_[first])
      ++first;
    for (std::int64_t n = counts_[last - 1]; static_cast<double>(n) <= cut && last > first + 1; n += counts_[last - 1])
      --last;
    return {edge(first), edge(last)};
  }
  /// Of the sizes of numbers that are not 0, which all bytes say.
  value_range by_divergence() const {
    std::vector<double> sizes(bins);
    for (std::size_t i = 0; i < bins; ++i) sizes[i] = static_cast<double>(counts_[bins + i] + counts_[bins - 1 - i]);
    sizes[0] -= static_cast<double>(zeros_);
    const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    for (double& s : sizes) s /= all;
    // Bytes have as many sizes: numbers of one sign take all 256, of both half of them.
    const std::size_t levels = seen_.low < 0 && seen_.high > 0 ? 128 : 256;
    std::size_t best = bins;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t threshold = levels; threshold <= bins; ++threshold)
      if (const double d = divergence(sizes, threshold, levels); d < least) least = d, best = threshold;
    const double end = static_cast<double>(best) * seen_.largest() / static_cast<double>(bins);
    return {-end, end};
  }
  /// Of what was seen, all beyond the threshold in its last bin, from the same in `levels` steps. Every bin has a
  /// little more than was seen, so that rare numbers do not decide and logarithms are finite.
  static double divergence(const std::vector<double>& sizes, std::size_t threshold, std::size_t levels) {
    constexpr double little = 1e-4;
    double beyond = 0, result = 0;
    for (std::size_t i = threshold; i < sizes.size(); ++i) beyond += sizes[i];
    for (std::size_t level = 0; level < levels; ++level) {
      const std::size_t first = level * threshold / levels, last = (level + 1) * threshold / levels;
      double sum = 0;
      for (std::size_t i = first; i < last; ++i) sum += sizes[i];
      const double got = sum / static_cast<double>(last - first) + little;
      for (std::size_t i = first; i < last; ++i) {
        const double wanted = sizes[i] + (i + 1 == threshold ? beyond : 0) + little;
        result += wanted * std::log(wanted / got);
      }
    }
    return result;
  }

  value_range seen_;
  std::vector<std::int64_t> counts_;
  std::int64_t zeros_ = 0;
};

/// What is left of numbers beside what should be: sums over any number of arrays.
struct signal_and_noise {
  double signal = 0, noise = 0, dot = 0, other = 0;

  void add(double wanted, double got) {
    signal += wanted * wanted;
    noise += (wanted - got) * (wanted - got);
    dot += wanted * got;
    other += got * got;
  }
  /// Signal to quantization noise ratio; infinite where nothing differs.
  double decibels() const {
    return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  }
  double cosine() const { return noise == 0 ? 1 : dot / std::sqrt(signal * other); }
};

}  // namespace ir
}  // namespace ctnn
