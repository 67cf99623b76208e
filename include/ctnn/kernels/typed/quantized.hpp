// SPDX-License-Identifier: BSL-1.0
// From real numbers to integers that stand for them, and back.
#pragma once

#include <cmath>

#include "../../base/int8.hpp"
#include "../../graph/operators/quantized.hpp"
#include "byte_functions.hpp"
#include "elementwise.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// Which scale an element has.
class scale_index {
 public:
  scale_index(const op::granularity& p, const extents& x, const extents& scale) : block_(p.block) {
    if (scale.count() == 1) return;
    const around s(x, p.axis);
    size_ = s.size;
    inner_ = s.inner;
    one_ = false;
  }
  bool one() const { return one_; }
  /// The indices of the scales of n elements from `first` on: a line along the inner axes at a time.
  void read(std::int64_t first, std::int64_t n, std::int64_t* to) const {
    const std::int64_t blocks = block_ ? (size_ + block_ - 1) / block_ : 0;
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t line = (first + i) / inner_, along = line % size_, rest = first + i - line * inner_;
      const std::int64_t end = std::min(n, i + inner_ - rest);
      std::int64_t k = block_ ? (line / size_ * blocks + along / block_) * inner_ + rest : along;
      for (; i < end; ++i, k += block_ ? 1 : 0) to[i] = k;
    }
  }

 private:
  int block_;
  std::int64_t size_ = 1, inner_ = 1;
  bool one_ = true;
};

/// n numbers of any type in another arithmetic type; `place` says where in t the i-th of them is.
template <class To, class Place>
void numbers_as(std::string_view op, const const_tensor& t, std::int64_t n, Place place, To* to) {
  visit_number(op, t.type, [&]<class T>(tag<T>) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = saturated<To>(elements<T>(t)[place(i)]);
  });
}

/// f(first, n, x, scale, zero) for n elements at a time, with their inputs in the types of the arithmetic.
template <class Number, class Scale, class Zero, class Op, class F>
void for_scaled(const Op& p, const arguments& a, scratch_memory memory, F f) {
  const std::int64_t count = a.in[0].shape.count(), most = p.at_once(count);
  Number* const x = memory.take<Number>(most).data();
  Scale* const scale = memory.take<Scale>(most).data();
  Zero* const zero = memory.take<Zero>(most).data();
  std::int64_t* const places = memory.take<std::int64_t>(most).data();
  std::fill_n(zero, most, Zero{});
  std::fill_n(places, most, 0);
  const auto read_scales = [&](std::int64_t n) {
    const auto of_scale = [&](std::int64_t i) { return places[i]; };
    numbers_as(p.name, a.in[1], n, of_scale, scale);
    if (a.in.size() == 3) numbers_as(p.name, a.in[2], n, of_scale, zero);
  };
  const scale_index index(p, a.in[0].shape, a.in[1].shape);
  if (index.one()) read_scales(most);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t n = std::min(most, count - first);
    const auto in_order = [first](std::int64_t i) { return first + i; };
    numbers_as(p.name, a.in[0], n, in_order, x);
    if (!index.one()) {
      index.read(first, n, places);
      read_scales(n);
    }
    f(first, n, x, scale, zero);
  }
}

/// round(x) + zero, saturated; ties to even.
template <class T>
T rounded_to(float x, int zero) {
  const double r = std::nearbyint(static_cast<double>(x)) + zero;
  if (!(r > static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  return r >= static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : static_cast<T>(r);
}

/// Byte i of a slot.
inline int byte_at(const float* slot, dtype type, std::int64_t i) {
  const const_tensor t{slot, {}, layout::nchw, 0, type};
  return type == dtype::u8 ? int{elements<std::uint8_t>(t)[i]} : int{elements<std::int8_t>(t)[i]};
}

/// ncnn's scale of bytes that are rounded away from 0, by which numbers are multiplied: what files have, to the bit.
inline float factor_away(const quantization& q) { return static_cast<float>(1 / q.scale); }

/// Floats as bytes of one scale and zero point.
inline void quantize_bytes(const arguments& a, dtype to, float scale, int zero) {
  const bool is_signed = to == dtype::i8;
  integers_of(a).quantize({a.in[0].data, a.in[0].shape.count(), elements<std::uint8_t>(a.out[0]), 0, true, false, scale,
                           zero, is_signed ? -128 : 0, is_signed ? 127 : 255});
}

inline void run(const op::quantize& p, const arguments& a, scratch_memory memory) {
  const element to = a.made();
  if (a.of(0).real) return requantize(p.name, a);
  if (to.rounded == rounding::away)
    return integers_of(a).quantize({a.in[0].data, a.in[0].shape.count(), elements<std::uint8_t>(a.out[0]), 0, false,
                                    true, factor_away(to.real), 0, -127, 127});
  if (is_byte(to) && a.in[0].type == dtype::f32) {
    if (a.in.size() == 1) return quantize_bytes(a, to, static_cast<float>(to.real.scale), to.real.zero);
    if (a.in[1].type == dtype::f32 && scale_index(p, a.in[0].shape, a.in[1].shape).one())
      return quantize_bytes(a, to, *a.in[1].data, a.in.size() == 3 ? byte_at(a.in[2].data, to, 0) : 0);
  }
  if (a.in.size() == 1)
    return visit_number(p.name, a.in[0].type, [&]<class X>(tag<X>) {
      visit_integer(p.name, to, [&]<class T>(tag<T>) {
        const auto scale = static_cast<float>(to.real.scale);
        const X* x = elements<X>(a.in[0]);
        T* y = elements<T>(a.out[0]);
        const bool halves_away = to.rounded == rounding::twice;  // as TensorFlow Lite's kernel of its own
        for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i) {
          const float steps = static_cast<float>(x[i]) / scale;
          y[i] = rounded_to<T>(halves_away ? std::round(steps) : steps, to.real.zero);
        }
      });
    });
  for_scaled<float, float, int>(
      p, a, memory, [&](std::int64_t first, std::int64_t n, const auto* x, const auto* scale, const auto* zero) {
        visit_integer(p.name, to, [&]<class T>(tag<T>) {
          T* y = elements<T>(a.out[0]) + first;
          for (std::int64_t i = 0; i < n; ++i) y[i] = rounded_to<T>(x[i] / scale[i], zero[i]);
        });
      });
}

/// Bytes of one scale and zero point as floats.
inline void dequantize_bytes(const arguments& a, float scale, int zero) {
  const dtype of = a.in[0].type;
  integers_of(a).dequantize({elements<std::uint8_t>(a.in[0]), a.in[0].shape.count(), a.out[0].data,
                             static_cast<std::uint8_t>(of == dtype::i8 ? 128 : 0), zero, scale});
}

inline void run(const op::dequantize& p, const arguments& a, scratch_memory memory) {
  if (is_byte(a.in[0].type)) {
    if (a.in.size() == 1) return dequantize_bytes(a, static_cast<float>(a.of(0).real.scale), a.of(0).real.zero);
    if (a.in[1].type == dtype::f32 && scale_index(p, a.in[0].shape, a.in[1].shape).one())
      return dequantize_bytes(a, *a.in[1].data, a.in.size() == 3 ? byte_at(a.in[2].data, a.in[0].type, 0) : 0);
  }
  if (a.in.size() == 1)
    return visit_integer(p.name, a.in[0].type, [&]<class X>(tag<X>) {
      const auto scale = static_cast<float>(a.of(0).real.scale);
      const X* x = elements<X>(a.in[0]);
      for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i)
        a.out[0].data[i] = static_cast<float>(static_cast<std::int64_t>(x[i]) - a.of(0).real.zero) * scale;
    });
  for_floating(p.name, {a.in.subspan(1, 1), a.out, {}}, [&]<class T>(const arguments&, tag<T>) {
    for_scaled<std::int64_t, T, std::int64_t>(
        p, a, memory, [&](std::int64_t first, std::int64_t n, const auto* x, const auto* scale, const auto* zero) {
          T* y = elements<T>(a.out[0]) + first;
          for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i] - zero[i]) * scale[i];
        });
  });
}

inline void run(const op::storage_cast&, const arguments& a) { copy_bytes(a); }

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
  quantize_bytes(a, dtype::u8, scale, zero);
  *a.out[1].data = scale;
  *elements<std::uint8_t>(a.out[2]) = zero;
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
