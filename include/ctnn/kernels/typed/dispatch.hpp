// SPDX-License-Identifier: BSL-1.0
// From an element type that is known at run time to a C++ type. The kernels in this folder are plain loops over
// row-major values: the same for 13 types, without a copy for each instruction set, which vector kernels would multiply
// with those types. Of f16 and bf16 a kernel knows nothing: widened.hpp gives it floats.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../base/half.hpp"
#include "../../base/refuse.hpp"
#include "../../base/saturated.hpp"
#include "../integer_products.hpp"
#include "../scratch.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::typed {

template <class T>
struct tag {
  using type = T;
};

[[noreturn]] inline void refuse(std::string_view op, dtype t) {
  char reason[48];
  std::size_t n = 0;
  for (const std::string_view part : {std::string_view("has no kernel for elements of type "), name_of(t)})
    for (char c : part) reason[n++] = c;
  refuse_at_run_time(op, {reason, n});
}

/// f(tag<T>) for integers.
template <class F>
void visit_integer(std::string_view op, dtype t, F f) {
  switch (t) {
    case dtype::i64: return f(tag<std::int64_t>{});
    case dtype::i32: return f(tag<std::int32_t>{});
    case dtype::i16: return f(tag<std::int16_t>{});
    case dtype::i8: return f(tag<std::int8_t>{});
    case dtype::u64: return f(tag<std::uint64_t>{});
    case dtype::u32: return f(tag<std::uint32_t>{});
    case dtype::u16: return f(tag<std::uint16_t>{});
    case dtype::u8: return f(tag<std::uint8_t>{});
    default: refuse(op, t);
  }
}
/// f(tag<T>) for integers, f32 and f64.
template <class F>
void visit_number(std::string_view op, dtype t, F f) {
  if (t == dtype::f32) return f(tag<float>{});
  if (t == dtype::f64) return f(tag<double>{});
  visit_integer(op, t, f);
}
/// The same with booleans as bytes.
template <class F>
void visit_element(std::string_view op, dtype t, F f) {
  visit_number(op, t == dtype::boolean ? dtype::u8 : t, f);
}
/// f(tag<T>) for an unsigned integer of the element's size: for kernels that only move.
template <class F>
void visit_size(dtype t, F f) {
  switch (size_of(t)) {
    case 8: return f(tag<std::uint64_t>{});
    case 4: return f(tag<std::uint32_t>{});
    case 2: return f(tag<std::uint16_t>{});
    default: return f(tag<std::uint8_t>{});
  }
}

/// The target's kernels for bytes.
inline const integer_kernels& integers_of(const arguments& a) {
  return a.integers && a.integers->kernels ? *a.integers->kernels : plainly::kernels;
}

/// Arguments whose f16 and bf16 tensors and weights are floats in memory of its own; finish() rounds the outputs back.
class widened {
 public:
  /// `slots` are the weights'.
  widened(const arguments& a, std::span<const const_tensor> slots)
      : given_(a), in_(a.in.begin(), a.in.end()), out_(a.out.begin(), a.out.end()) {
    for (const_tensor& t : in_) widen(t);
    for (const_tensor t : slots) {
      widen(t);
      weights_.push_back(t.data);
    }
    for (tensor& t : out_) {
      if (!is_narrow(t.type)) continue;
      t.data = memory_.emplace_back(static_cast<std::size_t>(t.shape.count())).data();
      t.type = dtype::f32;
    }
  }
  arguments args() const {
    arguments a = given_;
    a.in = in_;
    a.out = out_;
    a.weights = weights_;
    return a;
  }
  void finish() const {
    for (std::size_t k = 0; k < out_.size(); ++k) {
      const tensor& t = given_.out[k];
      if (!is_narrow(t.type)) continue;
      auto* to = elements<std::uint16_t>(t);
      for (std::int64_t i = 0; i < t.shape.count(); ++i)
        to[i] = t.type == dtype::f16 ? float_to_half(out_[k].data[i]) : float_to_bfloat(out_[k].data[i]);
    }
  }

 private:
  void widen(const_tensor& t) {
    if (!is_narrow(t.type)) return;
    const std::size_t n = static_cast<std::size_t>(t.shape.count());
    std::vector<float>& f = memory_.emplace_back(n);
    const auto* from = elements<std::uint16_t>(t);
    for (std::size_t i = 0; i < n; ++i) f[i] = t.type == dtype::f16 ? half_to_float(from[i]) : bfloat_to_float(from[i]);
    t.data = f.data();
    t.type = dtype::f32;
  }

  arguments given_;
  std::vector<std::vector<float>> memory_;
  std::vector<const_tensor> in_;
  std::vector<tensor> out_;
  std::vector<const float*> weights_;
};

inline bool has_halves(const arguments& a) {
  for (const const_tensor& t : a.in)
    if (is_narrow(t.type)) return true;
  for (const tensor& t : a.out)
    if (is_narrow(t.type)) return true;
  return false;
}

/// f(arguments) with f16 and bf16 as floats: for all kernels that compute (table.hpp), and for who calls one directly.
template <class F>
void in_floats(const arguments& a, F f, std::span<const const_tensor> slots = {}) {
  if (!has_halves(a)) return f(a);
  const widened w(a, slots);
  f(w.args());
  w.finish();
}

/// f(arguments, tag<float or double>) by the type of the first input (or output), for floating-point operators.
template <class F>
void for_floating(std::string_view op, const arguments& a, F f) {
  const dtype t = a.in.empty() ? a.out[0].type : a.in[0].type;
  if (t == dtype::f64) return f(a, tag<double>{});
  if (t != dtype::f32) refuse(op, t);
  f(a, tag<float>{});
}
/// The same with the weights, which are of the first input's type.
template <class Op, class F>
void for_floating_weights(const Op& p, const arguments& a, F f) {
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T> t) {
    static_vector<const T*, max_weights> weights;
    for (const float* w : b.weights) weights.push_back(static_cast<const T*>(static_cast<const void*>(w)));
    f(b, weights, t);
  });
}

/// f(arguments, tag<T>) by the type of the first input: f32, f64 and integers.
template <class F>
void for_numbers(std::string_view op, const arguments& a, F f) {
  visit_number(op, a.in[0].type, [&](auto t) { f(a, t); });
}

/// Elements around an axis: an element is at (outer * size + i) * inner + rest.
struct around {
  std::int64_t outer, size, inner;
  around(const extents& x, int axis) {
    const int a = normal_axis(axis, x.rank);
    outer = x.count(0, a);
    size = x[a];
    inner = x.count(a + 1, x.rank);
  }
};

/// An index as a number of its tensor's type, i64 or i32, negative ones from the end; refused if it is not below
/// `size`.
inline std::int64_t index_at(std::string_view op, const const_tensor& t, std::int64_t i, std::int64_t size) {
  const std::int64_t given = t.type == dtype::i32 ? elements<std::int32_t>(t)[i] : elements<std::int64_t>(t)[i];
  const std::int64_t n = given < 0 ? given + size : given;
  if (n < 0 || n >= size) refuse_at_run_time(op, "index % is out of range for % elements", given, size);
  return n;
}

}  // namespace ctnn::ir::typed
