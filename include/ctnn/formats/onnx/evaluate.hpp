// SPDX-License-Identifier: BSL-1.0
// Runs one operator on arrays by the kernels that define it, for what is known while a model is read.
#pragma once

#include <cmath>

#include "../../base/half.hpp"
#include "../../base/saturated.hpp"
#include "../../weights/evaluate.hpp"
#include "../../loaded/typed_kernels.hpp"
#include "messages.hpp"

namespace ctnn::onnx {

inline const float* address(const array& a) {
  return static_cast<const float*>(static_cast<const void*>(a.bytes().data()));
}
inline float* address(array& a) { return static_cast<float*>(static_cast<void*>(a.bytes().data())); }

namespace detail {

constexpr bool all_f32(types list) {
  for (dtype t : list)
    if (t != dtype::f32) return false;
  return true;
}

}  // namespace detail

/// Whether there is a kernel for these types at all.
inline bool can_evaluate(const operator_type& type, types in, types out) {
  return (detail::all_f32(in) && detail::all_f32(out) && type.reference()) || find_typed_kernel(&type) != nullptr;
}

/// Runs the operator on inputs whose elements are `of`; results are of elements `made`. Weights are in logical order.
inline void evaluate(const operator_type& type, std::span<const double> fields, const std::vector<shared_array>& in,
                     types of, const std::vector<shared_array>& weights, const std::vector<std::shared_ptr<array>>& out,
                     types made) {
  std::vector<const_tensor> from;
  std::vector<ir::tensor> to;
  std::vector<const float*> numbers;
  std::vector<std::vector<float>> packed;
  bool plain = true;
  for (std::size_t i = 0; i < in.size(); ++i) {
    from.push_back({address(*in[i]), in[i]->shape(), layout::nchw, 0, in[i]->type()});
    plain = plain && of[i] == dtype::f32;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    to.push_back({address(*out[k]), out[k]->shape(), layout::nchw, 0, out[k]->type()});
    plain = plain && made[k] == dtype::f32;
  }
  const slot_set given = given_of(type, fields);
  const std::size_t own = from.size() - static_cast<std::size_t>(count_slots(given));
  merge_slots(
      given, [&](std::size_t i) { return from[own + i].data; }, [&](std::size_t i) { return address(*weights[i]); },
      weights.size(), numbers);
  // Kernels take weights of bytes packed (weights/packed.hpp).
  const auto pack = [&](int slot, const extents& shape, dtype element) {
    if (!is_byte(element) || !type.packs(slot, element)) return;
    const float*& weight = numbers[static_cast<std::size_t>(slot)];
    const std::int64_t count = type.packed_count(fields, slot, shape, channel_block);
    std::vector<float>& bytes = packed.emplace_back(static_cast<std::size_t>(count));
    type.pack(fields, slot, shape, weight, bytes.data(), channel_block);
    weight = bytes.data();
  };
  for (std::size_t i = own, slot = 0; i < from.size(); ++slot)
    if ((given >> slot & 1u) != 0) {
      pack(static_cast<int>(slot), from[i].shape, from[i].type);
      ++i;
    }
  for (std::size_t i = 0; i < weights.size(); ++i)
    pack(slot_of(given, static_cast<int>(i)), weights[i]->shape(), weights[i]->type());
  from.resize(own);
  std::vector<extents> in_shapes, out_shapes;
  for (const const_tensor& t : from) in_shapes.push_back(t.shape);
  for (const ir::tensor& t : to) out_shapes.push_back(t.shape);
  if (plain && type.reference()) return type.reference()(fields, {from, to, numbers});
  const auto run = find_typed_kernel(&type);
  if (!run) throw error("operator '" + std::string(type.name) + "' has no kernel for these types");
  const integer_arguments integers{nullptr, of.data(), made.data()};
  run(make_operator(type, fields).get(), {from, to, numbers, {}, &integers},
      heap_scratch(type, fields, in_shapes, {of.data(), in_shapes.size()}, out_shapes).memory());
}

using ctnn::number_at;

namespace detail {

template <class T>
void fill(array& a, T value) {
  for (T& x : a.elements<T>()) x = value;
}
}  // namespace detail

/// An array whose elements all are `value`, or what of the type is nearest to it.
inline shared_array filled(const extents& shape, dtype type, double value) {
  auto a = std::make_shared<array>(shape, type);
  switch (type) {
    case dtype::f32: detail::fill(*a, static_cast<float>(value)); break;
    case dtype::f64: detail::fill(*a, value); break;
    case dtype::f16: detail::fill(*a, float_to_half(static_cast<float>(value))); break;
    case dtype::bf16: detail::fill(*a, float_to_bfloat(static_cast<float>(value))); break;
    case dtype::i64: detail::fill(*a, saturated<std::int64_t>(value)); break;
    case dtype::i32: detail::fill(*a, saturated<std::int32_t>(value)); break;
    case dtype::i16: detail::fill(*a, saturated<std::int16_t>(value)); break;
    case dtype::i8: detail::fill(*a, saturated<std::int8_t>(value)); break;
    case dtype::u64: detail::fill(*a, saturated<std::uint64_t>(value)); break;
    case dtype::u32: detail::fill(*a, saturated<std::uint32_t>(value)); break;
    case dtype::u16: detail::fill(*a, saturated<std::uint16_t>(value)); break;
    case dtype::u8: detail::fill(*a, saturated<std::uint8_t>(value)); break;
    case dtype::boolean: detail::fill(*a, static_cast<std::uint8_t>(value != 0)); break;
  }
  return a;
}

}  // namespace ctnn::onnx
