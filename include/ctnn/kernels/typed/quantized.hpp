// SPDX-License-Identifier: BSL-1.0
// Quantised operators: bytes are widened to 32 bits, sums are exact.
#pragma once

#include "../../graph/operators/quantized.hpp"
#include "matrix.hpp"
#include "windows.hpp"

namespace ctnn::typed {

/// The index of element i's scale.
class scale_index {
 public:
  scale_index(const op::granularity& p, const extents& x, const extents& scale) : around_(1, 1, 1), block_(p.block) {
    if (scale.count() == 1) return;
    const around s(x, p.axis);
    around_ = {s.outer, s.size, s.inner};
    blocks_ = p.block ? (s.size + p.block - 1) / p.block : 0;
    one_ = false;
  }
  std::size_t operator()(std::int64_t i) const {
    if (one_) return 0;
    const std::int64_t along = i / around_.inner % around_.size;
    if (block_ == 0) return static_cast<std::size_t>(along);
    return static_cast<std::size_t>((i / around_.inner / around_.size * blocks_ + along / block_) * around_.inner + i % around_.inner);
  }

 private:
  struct sizes {
    std::int64_t outer, size, inner;
    sizes(std::int64_t o, std::int64_t s, std::int64_t i) : outer(o), size(s), inner(i) {}
  } around_;
  int block_;
  std::int64_t blocks_ = 0;
  bool one_ = true;
};

/// Any numbers in another arithmetic type.
template <class To>
std::vector<To> numbers_as(std::string_view op, const const_tensor& t) {
  std::vector<To> out(static_cast<std::size_t>(t.shape.count()));
  in_floats({{&t, 1}, {}, {}}, [&](const arguments& b) {
    visit_number(op, b.in[0].type, [&]<class T>(tag<T>) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = saturated<To>(elements<T>(b.in[0])[i]);
    });
  });
  return out;
}

/// round(x) + zero, saturated; ties to even.
template <class T>
T rounded_to(float x, int zero) {
  const double r = std::nearbyint(static_cast<double>(x)) + zero;
  if (!(r > static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  return r >= static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : static_cast<T>(r);
}

inline void run(const op::quantize& p, const arguments& a) {
  const std::vector<float> x = numbers_as<float>(p.name, a.in[0]), scale = numbers_as<float>(p.name, a.in[1]);
  const std::vector<int> zero = a.in.size() == 3 ? numbers_as<int>(p.name, a.in[2]) : std::vector<int>(scale.size());
  const scale_index at(p, a.in[0].shape, a.in[1].shape);
  visit_integer(p.name, p.to, [&]<class T>(tag<T>) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = at(static_cast<std::int64_t>(i));
      elements<T>(a.out[0])[i] = rounded_to<T>(x[i] / scale[k], zero[k]);
    }
  });
}

inline void run(const op::dequantize& p, const arguments& a) {
  const std::vector<std::int64_t> x = numbers_as<std::int64_t>(p.name, a.in[0]);
  const scale_index at(p, a.in[0].shape, a.in[1].shape);
  const arguments floats{a.in.subspan(1, 1), a.out, {}};
  const std::vector<std::int64_t> zero =
      a.in.size() == 3 ? numbers_as<std::int64_t>(p.name, a.in[2]) : std::vector<std::int64_t>(static_cast<std::size_t>(a.in[1].shape.count()));
  for_floating(p.name, floats, [&]<class T>(const arguments& b, tag<T>) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = at(static_cast<std::int64_t>(i));
      elements<T>(b.out[0])[i] = static_cast<T>(x[i] - zero[k]) * elements<T>(b.in[0])[k];
    }
  });
}

inline void run(const op::dynamic_quantize&, const arguments& a) {
  const float* x = a.in[0].data;
  const std::int64_t n = a.in[0].shape.count();
  float low = 0, high = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
  float scale = (high - low) / 255;
  if (!(scale > 0)) scale = 1;
  const auto zero = rounded_to<std::uint8_t>(-low / scale, 0);
  auto* y = elements<std::uint8_t>(a.out[0]);
  for (std::int64_t i = 0; i < n; ++i) y[i] = rounded_to<std::uint8_t>(x[i] / scale, zero);
  *a.out[1].data = scale;
  *elements<std::uint8_t>(a.out[2]) = zero;
}

/// Sums of (x - zero x) (w - zero w) in i32, given to store(position, output channel, sum).
template <class Store>
void convolve_integers(const op::convolution& p, const const_tensor& x, const std::vector<int>& zero_x, const const_tensor& w,
                       const std::vector<int>& zero_w, const extents& y, Store store) {
  const std::vector<int> xs = numbers_as<int>(p.name, x), ws = numbers_as<int>(p.name, w);
  const int zx = zero_x.empty() ? 0 : zero_x[0];
  convolve<std::int32_t>(p, x.shape, w.shape, y, xs.data(), ws.data(), [&](int v) { return v - zx; },
                         [&](std::int64_t o, int v) { return v - (zero_w.empty() ? 0 : zero_w[zero_w.size() == 1 ? 0 : static_cast<std::size_t>(o)]); },
                         store);
}

inline void run(const op::integer_convolution& p, const arguments& a) {
  const std::vector<int> zx = p.zero_x ? numbers_as<int>(p.name, a.in[2]) : std::vector<int>{};
  const std::vector<int> zw = p.zero_w ? numbers_as<int>(p.name, a.in.back()) : std::vector<int>{};
  auto* y = elements<std::int32_t>(a.out[0]);
  convolve_integers(p, a.in[0], zx, a.in[1], zw, a.out[0].shape, [&](std::int64_t i, std::int64_t, std::int32_t sum) { y[i] = sum; });
}

inline void run(const op::quantized_convolution& p, const arguments& a) {
  const std::vector<float> sx = numbers_as<float>(p.name, a.in[1]), sw = numbers_as<float>(p.name, a.in[4]), sy = numbers_as<float>(p.name, a.in[6]);
  const int zy = numbers_as<int>(p.name, a.in[7])[0];
  const std::int32_t* bias = a.in.size() == 9 ? elements<std::int32_t>(a.in[8]) : nullptr;
  visit_integer(p.name, a.out[0].type, [&]<class T>(tag<T>) {
    convolve_integers(p, a.in[0], numbers_as<int>(p.name, a.in[2]), a.in[3], numbers_as<int>(p.name, a.in[5]), a.out[0].shape,
                      [&](std::int64_t i, std::int64_t o, std::int32_t sum) {
                        const float scale = sx[0] * sw[sw.size() == 1 ? 0 : static_cast<std::size_t>(o)] / sy[0];
                        const std::int64_t all = std::int64_t{sum} + (bias ? bias[o] : 0);
                        elements<T>(a.out[0])[i] = rounded_to<T>(static_cast<float>(all) * scale, zy);
                      });
  });
}

/// Sums of (a - zero a) (b - zero b), given to store(position, row, column, sum); a zero point may be one for each row or column.
template <class Store>
void multiply_integers(std::string_view op, const const_tensor& a, const std::vector<int>& za, const const_tensor& b, const std::vector<int>& zb, Store store) {
  const std::vector<int> left = numbers_as<int>(op, a), right = numbers_as<int>(op, b);
  const matmul_walk w(op::matmul{}, a.shape, b.shape);
  const auto zero = [](const std::vector<int>& z, std::int64_t i) { return z.empty() ? 0 : z[z.size() == 1 ? 0 : static_cast<std::size_t>(i)]; };
  std::vector<std::int32_t> sums(static_cast<std::size_t>(w.columns));
  for (std::int64_t m = 0, i = 0; m < w.matrices; ++m) {
    const auto at = w.offsets(m);
    for (std::int64_t r = 0; r < w.rows; ++r) {
      std::fill(sums.begin(), sums.end(), 0);
      for (std::int64_t k = 0; k < w.depth; ++k) {
        const int x = left[static_cast<std::size_t>(at.a + r * w.depth + k)] - zero(za, r);
        const int* row = right.data() + at.b + k * w.columns;
        for (std::int64_t c = 0; c < w.columns; ++c) sums[static_cast<std::size_t>(c)] += x * (row[c] - zero(zb, c));
      }
      for (std::int64_t c = 0; c < w.columns; ++c) store(i++, r, c, sums[static_cast<std::size_t>(c)]);
    }
  }
}

inline void run(const op::integer_matmul& p, const arguments& a) {
  const std::vector<int> za = p.zero_a ? numbers_as<int>(p.name, a.in[2]) : std::vector<int>{};
  const std::vector<int> zb = p.zero_b ? numbers_as<int>(p.name, a.in.back()) : std::vector<int>{};
  auto* y = elements<std::int32_t>(a.out[0]);
  multiply_integers(p.name, a.in[0], za, a.in[1], zb, [&](std::int64_t i, std::int64_t, std::int64_t, std::int32_t sum) { y[i] = sum; });
}

inline void run(const op::quantized_matmul& p, const arguments& a) {
  const std::vector<float> sa = numbers_as<float>(p.name, a.in[1]), sb = numbers_as<float>(p.name, a.in[4]), sy = numbers_as<float>(p.name, a.in[6]);
  const int zy = numbers_as<int>(p.name, a.in[7])[0];
  const auto one_of = [](const std::vector<float>& s, std::int64_t i) { return s[s.size() == 1 ? 0 : static_cast<std::size_t>(i)]; };
  visit_integer(p.name, a.out[0].type, [&]<class T>(tag<T>) {
    multiply_integers(p.name, a.in[0], numbers_as<int>(p.name, a.in[2]), a.in[3], numbers_as<int>(p.name, a.in[5]),
                      [&](std::int64_t i, std::int64_t r, std::int64_t c, std::int32_t sum) {
                        elements<T>(a.out[0])[i] = rounded_to<T>(static_cast<float>(sum) * (one_of(sa, r) * one_of(sb, c) / sy[0]), zy);
                      });
  });
}

}  // namespace ctnn::typed
