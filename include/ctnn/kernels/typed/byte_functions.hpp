// SPDX-License-Identifier: BSL-1.0
// Functions of one and two bytes that stand for real numbers, and of integers that become others.
#pragma once

#include <cmath>

#include "../byte_table.hpp"
#include "../table_curves.hpp"
#include "maps.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// f(tag<T>) for bytes.
template <class F>
void visit_byte(dtype t, F f) {
  if (t == dtype::u8) f(tag<std::uint8_t>{});
  else f(tag<std::int8_t>{});
}

/// Bytes by what each of the 256 becomes.
template <class T>
void look_up(const arguments& a, const T (&table)[256]) {
  integers_of(a).look_up(static_cast<const std::uint8_t*>(static_cast<const void*>(table)),
                         elements<std::uint8_t>(a.in[0]), a.out[0].shape.count(), elements<std::uint8_t>(a.out[0]));
}

/// Sums of 32 bits by the target's kernel, if it takes them: whole vectors are read.
inline bool requantize_sums(const arguments& a, const op::requantization& how) {
  const element of = a.of(0), to = a.made();
  const std::int64_t count = a.out[0].shape.count();
  const fixed_factor* factor = how.factor();
  if (of != dtype::i32 || !is_byte(to) || count < quad_lanes || !factor || factor->times >= std::int64_t{1} << 31)
    return false;
  const auto less_zero = wrapped<std::int32_t>(-static_cast<std::uint64_t>(static_cast<std::int64_t>(of.real.zero)));
  sum_results r{};
  r.sums = elements<std::int32_t>(a.in[0]);
  r.to = a.out[0].data;
  r.to_pitch = static_cast<std::ptrdiff_t>(count);
  r.lines = r.rows = 1;
  r.width = count;
  r.type = to == dtype::u8 ? sum_results::u8 : sum_results::i8;
  r.how = sum_results::fixed;
  r.fixed_factor = &factor->times;
  r.integer_bias = &less_zero;
  r.zero = to.real.zero;
  r.least = how.bounds().low;
  r.most = how.bounds().high;
  return integers_of(a).finish(r);
}

/// Integers that stand for real numbers as others; `op` is the operator's name.
inline void requantize(std::string_view op, const arguments& a) {
  const element to = a.made();
  const op::requantization how({}, a.of(0), to);
  if (requantize_sums(a, how)) return;
  visit_integer(op, a.in[0].type, [&]<class X>(tag<X>) {
    visit_integer(op, to, [&]<class T>(tag<T>) {
      const std::int64_t count = a.out[0].shape.count();
      if constexpr (sizeof(X) == 1 && sizeof(T) == 1)
        if (count >= 256) {
          T table[256];
          for (int i = 0; i < 256; ++i) table[i] = static_cast<T>(how.of(static_cast<X>(i)));
          return look_up(a, table);
        }
      const X* x = elements<X>(a.in[0]);
      T* y = elements<T>(a.out[0]);
      for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(how.of(static_cast<std::int32_t>(x[i])));
    });
  });
}

/// A function of one number over numbers of 16 bits that stand for real ones.
inline void map_wide(const activation_function& f, const arguments& a) {
  const auto each = [&](const auto& y) {
    map_elements<std::int16_t>(a, [&](int x) { return static_cast<std::int16_t>(y(x)); });
  };
  const element of = a.of(0), to = a.made();
  if (f.kind == function::sigmoid || f.kind == function::tanh) {
    const sigmoid_table table(a.out[0].shape.count());
    const curve_input in(of.real.scale, f.kind == function::tanh);
    return f.kind == function::tanh ? each([&](int x) { return table.tanh(in.of(x)); })
                                    : each([&](int x) { return table.sigmoid(in.of(x)); });
  }
  if (f.kind == function::leaky_relu) {
    const float slope = static_cast<float>(of.real.scale) * f.a / static_cast<float>(to.real.scale);
    const twice_rounded_factor above(
        static_cast<double>(static_cast<float>(of.real.scale) / static_cast<float>(to.real.scale))),
        below(static_cast<double>(std::abs(slope)));
    return each([&](int x) {
      const std::int32_t y = x >= 0 ? above.of(x) : slope < 0 ? -below.of(x) : below.of(x);
      return std::clamp(y, std::int32_t{-32768}, std::int32_t{32767});
    });
  }
  const op::requantization bounds(f, of, to);
  each([&](int x) { return bounds.of(x); });
}

/// A function of one number over bytes that stand for real ones.
inline void map_bytes(const activation_function& f, const arguments& a) {
  const element of = a.of(0), to = a.made();
  if (of == dtype::i16) return map_wide(f, a);
  const byte_function function(f, of, to);
  visit_byte(of, [&]<class X>(tag<X>) {
    visit_byte(to, [&]<class T>(tag<T>) {
      T table[256];
      for (int i = 0; i < 256; ++i) table[i] = static_cast<T>(function.of(static_cast<X>(i)));
      look_up(a, table);
    });
  });
}

/// Rows of pairs by the target's kernel, if it takes them.
inline bool combine_rows(byte_pairs p, const arguments& a) {
  const integer_kernels& with = integers_of(a);
  if (!with.combine(p)) return false;
  loop_nest<3> nest = broadcast_loops(a.out[0], a.in[0], a.in[1]);
  if (a.out[0].shape.count() == 0) return true;
  nest.require(1);
  const auto& row = nest.levels[nest.depth - 1];
  if (row.stride[0] != 1 || row.stride[1] > 1 || row.stride[2] > 1) return false;
  p.n = row.extent;
  p.x_step = static_cast<int>(row.stride[1]);
  p.z_step = static_cast<int>(row.stride[2]);
  loop_cursor<3> at(nest, 1);
  do {
    p.to = elements<std::uint8_t>(a.out[0]) + at.offset[0];
    p.x = elements<std::uint8_t>(a.in[0]) + at.offset[1];
    p.z = elements<std::uint8_t>(a.in[1]) + at.offset[2];
    with.combine(p);
  } while (at.next());
  return true;
}

/// f(T, X, Z) for the bytes of the result and of both operands.
template <class F>
void visit_pair(const arguments& a, F f) {
  visit_byte(a.in[0].type, [&](auto x) {
    visit_byte(a.in[1].type, [&](auto z) { visit_byte(a.out[0].type, [&](auto y) { f(y, x, z); }); });
  });
}

/// The order of operations in which ONNX Runtime's QLinearAdd and QLinearMul compute (mlas, AVX2 and SSE2).
/// Differences, which it has in real numbers alone, are sums with the second scale below 0.
inline void combine_reals(byte_pairs pairs, const quantization& of, const quantization& with, const quantization& as,
                          const arguments& a) {
  const auto scale = static_cast<float>(of.scale), made = static_cast<float>(as.scale);
  const float other = pairs.subtracts ? -static_cast<float>(with.scale) : static_cast<float>(with.scale);
  pairs.reals = true;
  pairs.a = pairs.multiplies ? scale * other / made : scale / made;
  pairs.b = other / made;
  const float zeros = pairs.a * static_cast<float>(of.zero) + pairs.b * static_cast<float>(with.zero);
  pairs.c = pairs.multiplies ? static_cast<float>(as.zero) : static_cast<float>(as.zero) - zeros;
  if (combine_rows(pairs, a)) return;
  // Rounded by itself: doubles have the whole product.
  const auto product = [](int x, float by) {
    return static_cast<float>(static_cast<double>(x) * static_cast<double>(by));
  };
  const bool first_stays = a.in[0].shape.count() == 1, second_stays = a.in[1].shape.count() == 1;
  visit_pair(a, [&]<class T, class X, class Z>(tag<T>, tag<X>, tag<Z>) {
    map_pairs<T, X, Z>(a, [&](X x, Z z) {
      float y = 0;
      if (pairs.multiplies) {
        y = product((x - of.zero) * (z - with.zero), pairs.a) + pairs.c;
      } else {
        const auto p = static_cast<float>(x), q = static_cast<float>(z);
        if (first_stays) y = std::fma(q, pairs.b, pairs.c + product(x, pairs.a));
        else if (second_stays) y = std::fma(p, pairs.a, pairs.c + product(z, pairs.b));
        else y = std::fma(p, pairs.a, std::fma(q, pairs.b, pairs.c));
      }
      const auto low = static_cast<float>(pairs.least), high = static_cast<float>(pairs.most);
      return static_cast<T>(nearest_even(y < low ? low : y > high ? high : y));
    });
  });
}

/// Of numbers of 16 bits.
inline void combine_wide(const op::binary& p, const arguments& a) {
  const element to = a.made();
  const op::byte_bounds bounds(p.activation, to);
  const bool multiplies = p.function == op::binary_function::mul;
  const int sign = p.function == op::binary_function::sub ? -1 : 1;
  const twice_rounded_sum twice(a.of(0).real.scale, a.of(1).real.scale, to.real.scale, multiplies, 15);
  using T = std::int16_t;
  map_pairs<T, T, T>(a, [&](T x, T z) { return static_cast<T>(bounds.of(twice.of(x, z, sign))); });
}

/// Sums, differences and products of bytes that stand for real numbers.
inline void combine_bytes(const op::binary& p, const arguments& a) {
  const element to = a.made();
  if (to == dtype::i16) return combine_wide(p, a);
  const quantization of = a.of(0).real, with = a.of(1).real, as = to.real;
  const op::byte_bounds bounds(p.activation, to);
  const bool multiplies = p.function == op::binary_function::mul;
  const fixed_factor factor(of.scale * with.scale / as.scale);
  const factors_of_sum factors(of.scale, with.scale, as.scale);
  const bool subtracts = p.function == op::binary_function::sub;
  const auto flip_of = [](dtype t) { return static_cast<std::uint8_t>(t == dtype::i8 ? 128 : 0); };
  byte_pairs pairs{};
  pairs.x_flip = flip_of(a.in[0].type);
  pairs.z_flip = flip_of(a.in[1].type);
  pairs.x_zero = of.zero;
  pairs.z_zero = with.zero;
  pairs.multiplies = multiplies;
  pairs.subtracts = subtracts;
  pairs.first = multiplies ? factor.times : factors.first;
  pairs.second = multiplies ? 0 : factors.second;
  pairs.zero = as.zero;
  pairs.least = bounds.low;
  pairs.most = bounds.high;
  if (to.rounded == rounding::real) return combine_reals(pairs, of, with, as, a);
  const twice_rounded_sum twice(of.scale, with.scale, as.scale, multiplies);
  if (to.rounded == rounding::twice) pairs.twice = &twice;
  if ((to.rounded == rounding::once || pairs.twice) && combine_rows(pairs, a)) return;
  const int sign = subtracts ? -1 : 1;
  visit_pair(a, [&]<class T, class X, class Z>(tag<T>, tag<X>, tag<Z>) {
    map_pairs<T, X, Z>(a, [&](X x, Z z) {
      const std::int32_t left = x - of.zero, right = z - with.zero;
      const std::int32_t y = to.rounded == rounding::twice ? twice.of(left, right, sign)
                             : multiplies                  ? factor.of(left * right)
                                                           : factors.of(left, right * sign);
      return static_cast<T>(bounds.of(y + as.zero));
    });
  });
}

/// Of numbers of 16 bits, whose results have 15 bits behind the point.
inline void softmax_of_wide(const op::softmax& p, const arguments& a) {
  const around s(a.in[0].shape, p.axis);
  const softmax_curves curves(a.of(0).real.scale, a.out[0].shape.count());
  for (std::int64_t line = 0; line < s.outer * s.inner; ++line) {
    const std::int64_t first = line / s.inner * s.size * s.inner + line % s.inner;
    const std::int16_t* x = elements<std::int16_t>(a.in[0]) + first;
    std::int16_t* y = elements<std::int16_t>(a.out[0]) + first;
    int most = x[0];
    for (std::int64_t i = 1; i < s.size; ++i) most = std::max(most, int{x[i * s.inner]});
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < s.size; ++i) sum += y[i * s.inner] = curves.power(x[i * s.inner] - most);
    const auto scaled = curves.divided_by(sum);
    for (std::int64_t i = 0; i < s.size; ++i) y[i * s.inner] = scaled.of(y[i * s.inner]);
  }
}

inline void softmax_of_bytes(const op::softmax& p, const arguments& a) {
  if (a.in[0].type == dtype::i16) return softmax_of_wide(p, a);
  const around s(a.in[0].shape, p.axis);
  const auto step = static_cast<float>(a.of(0).real.scale);
  float table[256];
  for (int i = 0; i < 256; ++i) table[i] = math::exp(-step * static_cast<float>(255 - i));
  const element to = a.made();
  const op::byte_bounds bounds({}, to);
  visit_byte(a.in[0].type, [&]<class X>(tag<X>) {
    visit_byte(to, [&]<class T>(tag<T>) {
      for (std::int64_t line = 0; line < s.outer * s.inner; ++line) {
        const std::int64_t first = line / s.inner * s.size * s.inner + line % s.inner;
        const X* x = elements<X>(a.in[0]) + first;
        T* y = elements<T>(a.out[0]) + first;
        int most = x[0];
        for (std::int64_t i = 1; i < s.size; ++i) most = std::max(most, int{x[i * s.inner]});
        const auto power = [&](std::int64_t i) { return table[static_cast<std::size_t>(255 - most + x[i * s.inner])]; };
        float sum = 0;
        for (std::int64_t i = 0; i < s.size; ++i) sum += power(i);
        const float unit = 1 / (sum * static_cast<float>(to.real.scale));
        for (std::int64_t i = 0; i < s.size; ++i)
          y[i * s.inner] = static_cast<T>(bounds.of(saturated<std::int32_t>(power(i) * unit + 0.5f) + to.real.zero));
      }
    });
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
