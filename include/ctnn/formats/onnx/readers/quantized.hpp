// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers.
#pragma once

#include "../../../base/saturated.hpp"
#include "attention.hpp"

namespace ctnn::onnx::readers {

inline op::granularity granularity_of(node_reader& n) {
  op::granularity g;
  g.axis = n.small("axis", 1);
  g.block = n.small("block_size", 0);
  return g;
}
/// A scale or zero point of shape (1) counts as one number.
inline term as_scale(node_reader& n, term t) {
  if (n.shape(t).count() != 1 || n.rank(t) != 1) return t;
  n.only_helping(true);
  const term one = n.reshaped(t, {});
  n.only_helping(false);
  return one;
}

/// Adds the zero point, input 2, to `in`; one that is known to be 0 is left out, so that rules see it.
inline void add_zero_point(node_reader& n, std::vector<term>& in) {
  if (!n.has(2)) return;
  const shared_array k = n.known(n.input(2));
  bool none = k != nullptr;
  for (std::size_t i = 0; none && i < k->size(); ++i) none = number_at(*k, i) == 0;
  if (!none) in.push_back(as_scale(n, n.input(2)));
}

/// Scale and zero point of all of a value's numbers, where the file holds them: these are its element's.
inline quantization said_numbers(node_reader& n, std::size_t scale, std::size_t zero, dtype type) {
  quantization q;
  const auto one = [&](std::size_t i) {
    const shared_array k = n.known(n.input(i));
    return k && k->size() == 1 ? k : nullptr;
  };
  const shared_array s = one(scale), z = n.has(zero) ? one(zero) : nullptr;
  if (!s || s->type() != dtype::f32 || (n.has(zero) && (!z || z->type() != type))) return {};
  q = {number_at(*s, 0), z ? saturated<int>(number_at(*z, 0)) : 0};
  return check_quantization("scale", q, type) ? quantization{} : q;
}

inline void quantize(node_reader& n) {
  n.expect(2, 3);
  n.ignore("saturate");
  n.ignore("precision");
  op::quantize op;
  static_cast<op::granularity&>(op) = granularity_of(n);
  ir::element made = n.has(2) ? n.type(n.input(2)) : dtype::u8;
  if (!n.has(2) && n.integer("output_dtype", 0) != 0) made = n.element("output_dtype", 2);
  n.ignore("output_dtype");
  if (op.block == 0) made.real = said_numbers(n, 1, 2, made);
  made.rounded = ir::rounding::real;
  if (made.real) return n.result(n.add_as(made, op::quantize{}, {n.as_integers(n.input(0))}));
  std::vector<term> in{n.as_integers(n.input(0)), as_scale(n, n.input(1))};
  add_zero_point(n, in);
  n.result(n.add_as(made, op, in));
}
/// Floats of few bits times their scale: one number, one for every index of an axis, or one for a block of them.
inline term scaled(node_reader& n, term x, term scale, const op::granularity& by) {
  const extents s = n.shape(x);
  const auto times = [&](term a, term b) { return n.add(op::binary{op::binary_function::mul}, {a, b}); };
  if (n.shape(scale).count() == 1) return times(x, n.reshaped(scale, {1}));
  const int axis = n.axis(by.axis, s.rank);
  const extents along = n.shape(scale);
  extents blocks, one;
  if (by.block == 0) {
    if (along != extents{s[axis]})
      n.fail("scale is " + describe(along) + " for axis " + std::to_string(axis) + " of " + describe(s));
    for (int k = 0; k < s.rank; ++k) one.push_back(k == axis ? s[k] : 1);
    return times(x, n.reshaped(scale, one));
  }
  if (s.rank == max_rank) node_reader::refuse("blocks of values of " + std::to_string(max_rank) + " dimensions");
  bool fits = along.rank == s.rank && by.block > 0 && s[axis] % by.block == 0;
  for (int k = 0; fits && k < s.rank; ++k) fits = along[k] == (k == axis ? s[k] / by.block : s[k]);
  if (!fits)
    n.fail("scale is " + describe(along) + " for blocks of " + std::to_string(by.block) + " in " + describe(s));
  for (int k = 0; k < s.rank; ++k) {
    blocks.push_back(along[k]);
    one.push_back(along[k]);
    if (k != axis) continue;
    blocks.push_back(by.block);
    one.push_back(1);
  }
  return n.reshaped(times(n.reshaped(x, blocks), n.reshaped(scale, one)), s);
}

inline void dequantize(node_reader& n) {
  n.expect(2, 3);
  op::dequantize op;
  static_cast<op::granularity&>(op) = granularity_of(n);
  if (n.builder().at(n.input(0)).form == form::narrow_floats) {
    if (n.has(2))
      for (const float zero : n.floats(2))
        if (!(zero == 0)) n.fail("has a zero point of " + std::to_string(zero) + " for floats");
    const term x = n.cast(n.constant(n.known(n.input(0))), n.type(n.input(1)));
    const int to = n.small("output_dtype", 0);
    const term y = scaled(n, x, n.input(1), op);
    return n.result(to == 0 ? y : n.cast(y, n.element("output_dtype", 1)));
  }
  n.ignore("output_dtype");
  const quantization of = said_numbers(n, 1, 2, n.type(n.input(0)));
  if (of && op.block == 0 && !n.known(n.input(0))) {
    n.only_helping(true);
    const term x = n.stands_for(n.input(0), of);
    n.only_helping(false);
    return n.result(n.add(op::dequantize{}, {x}));
  }
  std::vector<term> in{n.input(0), as_scale(n, n.input(1))};
  // Weights stay integers in the graph: rules multiply them, or fold what they stand for.
  const bool known = n.known(in[0]) && n.known(in[1]) && (!n.has(2) || n.known(n.input(2)));
  if (known && n.type(in[1]) == dtype::f32 && n.shape(in[0]).count() > 0) in[0] = n.unfolded(in[0]);
  add_zero_point(n, in);
  n.result(n.add(op, in));
}
inline void dynamic_quantize(node_reader& n) {
  n.expect(1, 1);
  const std::vector<term> out = n.nodes(op::dynamic_quantize{}, {n.input()});
  for (std::size_t i = 0; i < 3; ++i) n.result(i, out[i]);
}

/// Where a node has what the slots of a layer of bytes want; the input itself is the first.
struct slot_input {
  std::string_view slot;
  std::size_t at;
};
inline constexpr slot_input of_integers[] = {{"weight", 1}, {"input_zero", 2}, {"weight_zero", 3}};
inline constexpr slot_input of_quantized[] = {
    {"input_scale", 1}, {"input_zero", 2},   {"weight", 3},      {"weight_scale", 4},
    {"weight_zero", 5}, {"output_scale", 6}, {"output_zero", 7}, {"bias", 8}};

class byte_inputs {
 public:
  byte_inputs(node_reader& n, std::span<const slot_input> places) : n_(n), places_(places) {}

  /// 0, where the input itself is, if the node has none.
  std::size_t place(std::string_view slot) const {
    for (const slot_input& p : places_)
      if (p.slot == slot && n_.has(p.at)) return p.at;
    return 0;
  }
  bool has(std::string_view slot) const { return place(slot) != 0; }
  term input(std::string_view slot) const { return n_.input(place(slot)); }
  bool many(std::string_view slot) const { return has(slot) && n_.shape(input(slot)).count() != 1; }

  /// Adds the layer, all its slots given; what no zero point tells is of type `to`.
  template <class Op>
  void add(Op op, dtype to = dtype::i32) const {
    op.weight_type = n_.type(input("weight"));
    ir::element made(has("output_zero") ? n_.type(input("output_zero")) : to, {}, ir::rounding::real);
    if (has("output_scale")) made.real = said_numbers(n_, place("output_scale"), place("output_zero"), made);
    op.by_output = many("weight_scale") || many("weight_zero");
    op.bias = has("bias");
    op.given = 0;
    std::vector<term> in{n_.input(0)};
    const weight_slots slots = op.weights({&n_.shape(in[0]), 1}, {}, {&made, 1});
    n_.only_helping(true);
    for (const weight_slot& s : slots) in.push_back(filling(s));
    n_.only_helping(false);
    op.given = (slot_set{1} << slots.size()) - 1;
    n_.result(n_.add_as(made, op, in));
  }

 private:
  /// What the node has for a slot: one number for all is repeated, no zero point is 0.
  term filling(const weight_slot& s) const {
    if (!has(s.name)) return n_.constant(filled(s.shape, s.as_input ? n_.type(n_.input(0)) : s.type.type, 0));
    term t = input(s.name);
    const std::int64_t count = n_.shape(t).count();
    if (s.type == dtype::f32 && is_floating(n_.type(t))) t = n_.cast(t, dtype::f32);
    if (count == s.shape.count()) return n_.reshaped(t, s.shape);
    return count == 1 ? n_.add(op::expand{as_list(s.shape)}, {n_.reshaped(t, {1})}) : t;
  }

  node_reader& n_;
  std::span<const slot_input> places_;
};

inline void byte_convolution(node_reader& n, std::span<const slot_input> places) {
  const byte_inputs in(n, places);
  for_axes<op::quantized_conv>(n, in.place("weight"), [&]<int Axes>(op::quantized_conv<Axes> op) {
    set_convolution(n, op, n.shape(in.input("weight")));
    in.add(op);
  });
}
inline void byte_product(node_reader& n, std::span<const slot_input> places, dtype to = dtype::i32) {
  const byte_inputs in(n, places);
  op::quantized_matmul op;
  op.right = as_list(n.shape(in.input("weight")));
  op.by_row = in.many("input_scale") || in.many("input_zero");
  in.add(op, to);
}

inline void quantized_convolution(node_reader& n) {
  n.expect(8, 9);
  byte_convolution(n, of_quantized);
}
inline void quantized_matmul(node_reader& n) {
  n.expect(8, 8);
  byte_product(n, of_quantized);
}
inline void integer_convolution(node_reader& n) {
  n.expect(2, 4);
  byte_convolution(n, of_integers);
}
inline void integer_matmul(node_reader& n) {
  n.expect(2, 4);
  byte_product(n, of_integers);
}

}  // namespace ctnn::onnx::readers
