// SPDX-License-Identifier: BSL-1.0
// Quantised operators: bytes less their zero points are 16-bit numbers, sums are exact.
#pragma once

#include "../../graph/operators/quantized.hpp"
#include "matrix.hpp"
#include "products.hpp"
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

/// Number i of a list that may have one for all, or none: 0.
template <class T>
T one_of(const std::vector<T>& list, std::int64_t i) {
  return list.empty() ? T{} : list[list.size() == 1 ? 0 : static_cast<std::size_t>(i)];
}

/// Bytes less their zero point, with `stride` from one to the next.
inline void widen(const const_tensor& x, std::int64_t first, std::int64_t stride, std::int64_t n, int zero, std::int16_t* to) {
  const auto copy = [&](const auto* from) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::int16_t>(from[first + i * stride] - zero);
  };
  if (x.type == dtype::u8) copy(elements<std::uint8_t>(x));
  else copy(elements<std::int8_t>(x));
}

/// Sums of (x - zero x) (w - zero w) in i32, given to store(position, output channel, sum). What is outside of x is its zero.
template <class Store>
void convolve_integers(const op::convolution& p, const arguments& a, const const_tensor& x, const std::vector<int>& zero_x, const const_tensor& w,
                       const std::vector<int>& zero_w, const extents& y, Store store) {
  plane_windows windows(p, x.shape, [&](int i) { return w.shape[i + 2]; }, y);
  const std::int64_t plane = x.shape.count(2, x.shape.rank), taps = windows.taps(), outs = w.shape[0], per_group = w.shape[1], group_outs = outs / p.groups;
  const std::ptrdiff_t depth = integer_blocks(per_group * taps);
  std::vector<std::int16_t> weights(static_cast<std::size_t>(group_outs * depth)), image(static_cast<std::size_t>(x.shape.count()));
  widen(x, 0, 1, x.shape.count(), one_of(zero_x, 0), image.data());

  const std::int64_t at_once = rows_at_once(per_group * taps);
  std::vector<std::decay_t<decltype(windows.inside(0))>> inside(static_cast<std::size_t>(at_once));
  std::vector<std::int16_t> rows(static_cast<std::size_t>(at_once * depth));
  std::vector<std::int32_t> sums(static_cast<std::size_t>(at_once * group_outs));
  for (std::int64_t n = 0; n < x.shape[0]; ++n)
    for (std::int64_t first = 0; first < windows.windows(); first += at_once) {
      const std::int64_t count = std::min(at_once, windows.windows() - first);
      for (std::int64_t i = 0; i < count; ++i) inside[static_cast<std::size_t>(i)] = windows.inside(first + i);
      for (std::int64_t g = 0; g < p.groups; ++g) {
        for (std::int64_t o = 0; o < group_outs; ++o)
          widen(w, (g * group_outs + o) * per_group * taps, 1, per_group * taps, one_of(zero_w, g * group_outs + o), weights.data() + o * depth);
        std::fill_n(rows.begin(), count * depth, std::int16_t{0});
        for (std::int64_t i = 0; i < count; ++i)
          for (std::int64_t c = 0; c < per_group; ++c)
            for (const auto& t : inside[static_cast<std::size_t>(i)])
              rows[static_cast<std::size_t>(i * depth + c * taps + t.number)] = image[static_cast<std::size_t>((n * x.shape[1] + g * per_group + c) * plane + t.offset)];
        products_of(a)(weights.data(), static_cast<int>(group_outs), rows.data(), static_cast<int>(count), depth, sums.data());
        for (std::int64_t o = 0; o < group_outs; ++o)
          for (std::int64_t i = 0; i < count; ++i)
            store((n * outs + g * group_outs + o) * windows.windows() + first + i, g * group_outs + o, sums[static_cast<std::size_t>(o * count + i)]);
      }
    }
}

inline void run(const op::integer_convolution& p, const arguments& a) {
  const std::vector<int> zx = p.zero_x ? numbers_as<int>(p.name, a.in[2]) : std::vector<int>{};
  const std::vector<int> zw = p.zero_w ? numbers_as<int>(p.name, a.in.back()) : std::vector<int>{};
  auto* y = elements<std::int32_t>(a.out[0]);
  convolve_integers(p, a, a.in[0], zx, a.in[1], zw, a.out[0].shape, [&](std::int64_t i, std::int64_t, std::int32_t sum) { y[i] = sum; });
}

inline void run(const op::quantized_convolution& p, const arguments& a) {
  const std::vector<float> sx = numbers_as<float>(p.name, a.in[1]), sw = numbers_as<float>(p.name, a.in[4]), sy = numbers_as<float>(p.name, a.in[6]);
  const int zy = numbers_as<int>(p.name, a.in[7])[0];
  const std::int32_t* bias = a.in.size() == 9 ? elements<std::int32_t>(a.in[8]) : nullptr;
  visit_integer(p.name, a.out[0].type, [&]<class T>(tag<T>) {
    convolve_integers(p, a, a.in[0], numbers_as<int>(p.name, a.in[2]), a.in[3], numbers_as<int>(p.name, a.in[5]), a.out[0].shape,
                      [&](std::int64_t i, std::int64_t o, std::int32_t sum) {
                        const float scale = sx[0] * one_of(sw, o) / sy[0];
                        const std::int64_t all = std::int64_t{sum} + (bias ? bias[o] : 0);
                        elements<T>(a.out[0])[i] = rounded_to<T>(static_cast<float>(all) * scale, zy);
                      });
  });
}

/// Sums of (a - zero a) (b - zero b), given to store(position, row, column, sum); a zero point may be one for each row or column.
template <class Store>
void multiply_matrices(const arguments& args, const const_tensor& a, const std::vector<int>& za, const const_tensor& b, const std::vector<int>& zb, Store store) {
  const matmul_walk w(op::matmul{}, a.shape, b.shape);
  for (std::int64_t m = 0; m < w.matrices; ++m) {
    const auto at = w.offsets(m);
    multiply_parts(args, w.rows, w.columns, w.depth,
                   [&](std::int64_t r, std::int16_t* to) { widen(a, at.a + r * w.depth, 1, w.depth, one_of(za, r), to); },
                   [&](std::int64_t c, std::int16_t* to) { widen(b, at.b + c, w.columns, w.depth, one_of(zb, c), to); },
                   [&](std::int64_t r, std::int64_t c, std::int32_t sum) { store((m * w.rows + r) * w.columns + c, r, c, sum); });
  }
}

inline void run(const op::integer_matmul& p, const arguments& a) {
  const std::vector<int> za = p.zero_a ? numbers_as<int>(p.name, a.in[2]) : std::vector<int>{};
  const std::vector<int> zb = p.zero_b ? numbers_as<int>(p.name, a.in.back()) : std::vector<int>{};
  auto* y = elements<std::int32_t>(a.out[0]);
  multiply_matrices(a, a.in[0], za, a.in[1], zb, [&](std::int64_t i, std::int64_t, std::int64_t, std::int32_t sum) { y[i] = sum; });
}

inline void run(const op::quantized_matmul& p, const arguments& a) {
  const std::vector<float> sa = numbers_as<float>(p.name, a.in[1]), sb = numbers_as<float>(p.name, a.in[4]), sy = numbers_as<float>(p.name, a.in[6]);
  const int zy = numbers_as<int>(p.name, a.in[7])[0];
  visit_integer(p.name, a.out[0].type, [&]<class T>(tag<T>) {
    multiply_matrices(a, a.in[0], numbers_as<int>(p.name, a.in[2]), a.in[3], numbers_as<int>(p.name, a.in[5]),
                      [&](std::int64_t i, std::int64_t r, std::int64_t c, std::int32_t sum) {
                        elements<T>(a.out[0])[i] = rounded_to<T>(static_cast<float>(sum) * (one_of(sa, r) * one_of(sb, c) / sy[0]), zy);
                      });
  });
}

}  // namespace ctnn::typed
