// SPDX-License-Identifier: BSL-1.0
// Fourier transforms in double: a radix-2 transform for powers of two, Bluestein's chirps for other lengths. Windows.
#pragma once

#include <numbers>

#include "../../graph/operators/signal.hpp"
#include "movement.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

struct complex_number {
  double re = 0, im = 0;
  friend complex_number operator*(complex_number a, complex_number b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend complex_number operator+(complex_number a, complex_number b) { return {a.re + b.re, a.im + b.im}; }
  friend complex_number operator-(complex_number a, complex_number b) { return {a.re - b.re, a.im - b.im}; }
};
/// e^(2 pi i k / n).
inline complex_number root_of_one(std::int64_t k, std::int64_t n) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

/// In place; `sign` is that of the exponent. The size is a power of two.
inline void transform_power_of_two(std::span<complex_number> x, int sign, scratch_memory memory) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  const std::span<complex_number> roots = memory.take<complex_number>(static_cast<std::int64_t>(n / 2));
  for (std::size_t k = 0; k < roots.size(); ++k) {
    roots[k] = root_of_one(static_cast<std::int64_t>(k), static_cast<std::int64_t>(n));
    if (sign < 0) roots[k].im = -roots[k].im;
  }
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t i = 0; i < n; i += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const complex_number u = x[i + k], v = x[i + half + k] * roots[k * (n / (2 * half))];
        x[i + k] = u + v;
        x[i + half + k] = u - v;
      }
}

/// Any length, in place, not scaled.
inline void transform(std::span<complex_number> x, int sign, scratch_memory memory) {
  const std::size_t n = x.size();
  if ((n & (n - 1)) == 0) return transform_power_of_two(x, sign, memory);
  const auto size = static_cast<std::size_t>(op::chirp_length(static_cast<std::int64_t>(n)));
  // x[k] e^(-i pi k^2 / n) convolved with e^(i pi k^2 / n); k^2 is taken modulo 2 n.
  const std::span<complex_number> chirp = memory.take<complex_number>(static_cast<std::int64_t>(n)),
                                  a = memory.take<complex_number>(static_cast<std::int64_t>(size)),
                                  b = memory.take<complex_number>(static_cast<std::int64_t>(size));
  std::fill(a.begin(), a.end(), complex_number{});
  std::fill(b.begin(), b.end(), complex_number{});
  for (std::size_t k = 0; k < n; ++k) {
    chirp[k] = root_of_one(static_cast<std::int64_t>(k * k % (2 * n)), static_cast<std::int64_t>(2 * n));
    if (sign < 0) chirp[k].im = -chirp[k].im;
    a[k] = x[k] * chirp[k];
    b[k] = {chirp[k].re, -chirp[k].im};
    if (k != 0) b[size - k] = b[k];
  }
  transform_power_of_two(a, -1, memory);
  transform_power_of_two(b, -1, memory);
  for (std::size_t k = 0; k < size; ++k) a[k] = a[k] * b[k];
  transform_power_of_two(a, 1, memory);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = a[k] * chirp[k];
    x[k].re /= static_cast<double>(size);
    x[k].im /= static_cast<double>(size);
  }
}

inline void run(const op::dft& p, const arguments& a, scratch_memory memory) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  const around in(x, p.axis), out(y, p.axis);
  const int parts = x.back(0), out_parts = y.back(0);
  const std::int64_t inner = in.inner / parts;
  const bool real_result = p.inverse && p.onesided;
  const std::int64_t n = p.points(x, y);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const std::span<complex_number> line = memory.take<complex_number>(n);
    for (std::int64_t o = 0; o < in.outer; ++o)
      for (std::int64_t r = 0; r < inner; ++r) {
        const T* from = elements<T>(b.in[0]) + (o * in.size * inner + r) * parts;
        const auto at = [&](std::int64_t i) {
          const T* v = from + i * inner * parts;
          return complex_number{static_cast<double>(v[0]), parts == 2 ? static_cast<double>(v[1]) : 0};
        };
        for (std::int64_t i = 0; i < n; ++i) line[static_cast<std::size_t>(i)] = i < in.size ? at(i) : complex_number{};
        if (real_result)
          for (std::int64_t i = n / 2 + 1; i < n; ++i) {
            const complex_number v = n - i < in.size ? at(n - i) : complex_number{};
            line[static_cast<std::size_t>(i)] = {v.re, -v.im};
          }
        transform(line, p.inverse ? 1 : -1, memory);
        T* to = elements<T>(b.out[0]) + (o * out.size * inner + r) * out_parts;
        const double scale = p.inverse ? 1 / static_cast<double>(n) : 1;
        for (std::int64_t i = 0; i < out.size; ++i, to += inner * out_parts) {
          to[0] = static_cast<T>(line[static_cast<std::size_t>(i)].re * scale);
          if (out_parts == 2) to[1] = static_cast<T>(line[static_cast<std::size_t>(i)].im * scale);
        }
      }
  });
}

inline void run(const op::stft& p, const arguments& a, scratch_memory memory) {
  const extents& x = a.in[0].shape;
  const std::int64_t length = x[1], parts = x.rank == 3 ? x[2] : 1, frames = a.out[0].shape[1],
                     bins = a.out[0].shape[2];
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const std::span<complex_number> line = memory.take<complex_number>(p.frame);
    T* y = elements<T>(b.out[0]);
    for (std::int64_t n = 0; n < x[0]; ++n)
      for (std::int64_t f = 0; f < frames; ++f) {
        const T* from = elements<T>(b.in[0]) + (n * length + f * p.step) * parts;
        for (std::int64_t i = 0; i < p.frame; ++i) {
          const double w = b.in.size() == 2 ? static_cast<double>(elements<T>(b.in[1])[i]) : 1;
          line[static_cast<std::size_t>(i)] = {w * static_cast<double>(from[i * parts]),
                                               parts == 2 ? w * static_cast<double>(from[i * parts + 1]) : 0};
        }
        transform(line, -1, memory);
        for (std::int64_t i = 0; i < bins; ++i) {
          *y++ = static_cast<T>(line[static_cast<std::size_t>(i)].re);
          *y++ = static_cast<T>(line[static_cast<std::size_t>(i)].im);
        }
      }
  });
}

inline void run(const op::signal_window& p, const arguments& a) {
  const double n = p.periodic ? p.size : p.size - 1;
  generate(p.name, a, [&](std::int64_t i) {
    const double t = n > 0 ? 2 * std::numbers::pi * static_cast<double>(i) / n : std::numbers::pi;
    switch (p.kind) {
      case op::window_kind::hann: return 0.5 - 0.5 * std::cos(t);
      case op::window_kind::hamming: return 25.0 / 46 - 21.0 / 46 * std::cos(t);
      case op::window_kind::blackman: return 0.42 - 0.5 * std::cos(t) + 0.08 * std::cos(2 * t);
    }
    return 0.0;
  });
}

inline void run(const op::mel_weights& p, const arguments& a) {
  const auto mel = [](double hz) { return 2595 * std::log10(1 + hz / 700); };
  const double low = mel(p.low), step = (mel(p.high) - low) / (p.bins + 2);  // as ONNX's own reference has it
  const auto bin = [&](int i) {
    const double hz = 700 * (std::pow(10.0, (low + i * step) / 2595) - 1);
    return std::floor((p.dft_length + 1) * hz / p.sample_rate);
  };
  generate(p.name, a, [&](std::int64_t i) {
    const int m = static_cast<int>(i % p.bins);
    const double k = static_cast<double>(i / p.bins), left = bin(m), centre = bin(m + 1), right = bin(m + 2);
    if (k == centre) return 1.0;
    if (k >= left && k < centre) return (k - left) / (centre - left);
    return k > centre && k < right ? (right - k) / (right - centre) : 0.0;
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
