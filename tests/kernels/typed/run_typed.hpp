// SPDX-License-Identifier: BSL-1.0
// Runs an operator's typed kernel on arrays, with its own shape and type rules.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ctnn/base/half.hpp>
#include <ctnn/base/describe.hpp>
#include <ctnn/graph/graph.hpp>
#include <ctnn/loaded/array.hpp>
#include <ctnn/loaded/typed_kernels.hpp>

namespace ctnn::ir::test {

template <class T>
constexpr dtype type_for = std::is_same_v<T, float>          ? dtype::f32
                           : std::is_same_v<T, double>       ? dtype::f64
                           : std::is_same_v<T, std::int64_t> ? dtype::i64
                           : std::is_same_v<T, std::int32_t> ? dtype::i32
                           : std::is_same_v<T, std::int16_t> ? dtype::i16
                           : std::is_same_v<T, std::int8_t>  ? dtype::i8
                           : std::is_same_v<T, bool>         ? dtype::boolean
                                                             : dtype::u8;

template <class T>
using stored_as = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// An array of Ts (bool: booleans, unsigned char: u8).
template <class T>
array make(const extents& shape, const std::vector<stored_as<T>>& values) {
  array a(shape, type_for<T>);
  REQUIRE(static_cast<std::int64_t>(values.size()) == shape.count());
  std::copy(values.begin(), values.end(), a.elements<stored_as<T>>().begin());
  return a;
}
/// f16 or bf16 from floats.
inline array make_half(const extents& shape, const std::vector<float>& values, dtype type = dtype::f16) {
  array a(shape, type);
  for (std::size_t i = 0; i < values.size(); ++i)
    a.elements<std::uint16_t>()[i] = type == dtype::f16 ? float_to_half(values[i]) : float_to_bfloat(values[i]);
  return a;
}
/// 0, 1, 2, ... times `step`.
template <class T>
array counting(const extents& shape, T step = 1) {
  array a(shape, type_for<T>);
  T v = 0;
  for (T& x : a.elements<T>()) {
    x = v;
    v = static_cast<T>(v + step);
  }
  return a;
}

/// What the integers of inputs stand for, in order, and the elements that outputs are asked for.
struct said_input {
  quantization real{};
  rounding rounded = rounding::once;
  said_input(const quantization& q = {}, rounding how = rounding::once) : real(q), rounded(how) {}
  said_input(double scale, int zero) : real{scale, zero} {}
};
struct said {
  std::vector<said_input> of{};
  std::vector<element> made{};
};

inline std::vector<element> elements_of(const std::vector<array>& in, const said& s) {
  std::vector<element> of;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const said_input input = i < s.of.size() ? s.of[i] : said_input{};
    of.emplace_back(in[i].type(), input.real, input.rounded);
  }
  return of;
}
template <class Op>
problem problem_of(const Op& op, const std::vector<array>& in, description& d, const said& s = {}) {
  std::vector<extents> shapes;
  for (const array& a : in) shapes.push_back(a.shape());
  const field_values f = encode(op);
  d.wanted = {s.made.data(), s.made.size()};
  return type_of<Op>.describe({f.data(), f.size()}, shapes, elements_of(in, s), d);
}

/// How the layers of bytes run: with the target's kernels, and in how many parts; null: by plain loops.
inline const integer_kernels* integers_of_tests = nullptr;
inline int parts_of_tests = 1;

template <class Op>
std::vector<array> run_typed(const Op& op, std::vector<array> in, const said& s = {}) {
  description d;
  const problem p = problem_of(op, in, d, s);
  INFO(std::string(Op::name) << ": " << describe(p));
  REQUIRE(!p);
  std::vector<array> out;
  std::vector<const_tensor> from;
  std::vector<tensor> to;
  const auto numbers = [](array& a) { return static_cast<float*>(static_cast<void*>(a.bytes().data())); };
  for (std::size_t i = 0; i < d.outputs.size(); ++i)
    out.emplace_back(d.outputs[i], d.types.empty() ? dtype::f32 : d.types[i].type);
  for (array& a : in) from.push_back({numbers(a), a.shape(), layout::nchw, 0, a.type()});
  for (array& a : out) to.push_back({numbers(a), a.shape(), layout::nchw, 0, a.type()});
  const std::vector<element> of = elements_of(in, s);
  const integer_arguments integers{integers_of_tests, of.data(), d.types.empty() ? nullptr : d.types.data()};
  for (const loaded_kernel& k : typed_kernels()) {
    if (k.type != &type_of<Op>) continue;
    const bool has_kernel = k.run != nullptr;
    REQUIRE(has_kernel);
    const Op decoded = decode<Op>(std::span<const double>(encode(op).data(), encode(op).size()));
    const slot_set given = given_slots(op);
    const std::size_t own = from.size() - static_cast<std::size_t>(count_slots(given));
    std::vector<const float*> weights;
    merge_slots(
        given, [&](std::size_t i) { return from[own + i].data; }, [](std::size_t) -> const float* { return nullptr; },
        0, weights);
    // Weights that the kernel wants packed.
    std::vector<std::vector<float>> packed;
    for (std::size_t i = own, slot = 0; i < from.size(); ++slot) {
      if ((given >> slot & 1u) == 0) continue;
      const const_tensor& w = from[i++];
      if (!is_byte(w.type) || !k.type->packs(static_cast<int>(slot), w.type)) continue;
      const field_values f = encode(op);
      const std::span<const double> fields(f.data(), f.size());
      const int number = static_cast<int>(slot);
      std::vector<float>& to = packed.emplace_back(k.type->packed_count(fields, number, w.shape, channel_block));
      k.type->pack(fields, number, w.shape, w.data, to.data(), channel_block);
      weights[slot] = to.data();
    }
    from.resize(own);
    std::vector<extents> shapes;
    for (const const_tensor& t : from) shapes.push_back(t.shape);
    const field_values fields = encode(op);
    heap_scratch scratch(*k.type, {fields.data(), fields.size()}, shapes, {of.data(), shapes.size()},
                         {d.outputs.data(), d.outputs.size()});
    const int parts = k.type->is.divides(true) ? parts_of_tests : 1;
    for (int i = parts - 1; i >= 0; --i) k.run(&decoded, {from, to, weights, {i, parts}, &integers}, scratch.memory());
    return out;
  }
  FAIL("no entry");
  return out;
}

/// Exactly these, in this shape.
template <class T>
void require_equal(const array& got, const extents& shape, const std::vector<stored_as<T>>& want) {
  REQUIRE(name_of(got.type()) == name_of(type_for<T>));
  REQUIRE(describe(got.shape()) == describe(shape));
  for (std::size_t i = 0; i < want.size(); ++i) {
    INFO("element " << i);
    REQUIRE(+got.elements<stored_as<T>>()[i] == +want[i]);
  }
}
inline void require_near(const array& got, const extents& shape, const std::vector<float>& want,
                         float tolerance = 1e-6f) {
  REQUIRE(describe(got.shape()) == describe(shape));
  for (std::size_t i = 0; i < want.size(); ++i) {
    INFO("element " << i);
    float v = 0;
    if (got.type() == dtype::f32) v = got.elements<float>()[i];
    else if (got.type() == dtype::f64) v = static_cast<float>(got.elements<double>()[i]);
    else if (got.type() == dtype::f16) v = half_to_float(got.elements<std::uint16_t>()[i]);
    else v = bfloat_to_float(got.elements<std::uint16_t>()[i]);
    if (std::isnan(want[i])) REQUIRE(std::isnan(v));
    else if (v != want[i]) REQUIRE(std::fabs(v - want[i]) <= tolerance * (1 + std::fabs(want[i])));
  }
}

}  // namespace ctnn::ir::test
