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

/// Scale and zero point of all of a value's numbers, where the file holds them: these are its element's. The scale is
/// f32 unless half precision will do.
inline quantization said_numbers(node_reader& n, std::size_t scale, std::size_t zero, dtype type, bool halves = false) {
  quantization q;
  const auto one = [&](std::size_t i) {
    const shared_array k = n.known(n.input(i));
    return k && k->size() == 1 ? k : nullptr;
  };
  const shared_array s = one(scale), z = n.has(zero) ? one(zero) : nullptr;
  if (!s || (s->type() != dtype::f32 && !(halves && is_narrow(s->type()))) ||
      (n.has(zero) && (!z || z->type() != type)))
    return {};
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

/// A node that multiplies bytes. Scales and zero points that the file holds are those of values' elements. With others
/// it is a sum of integers, and what becomes of this: ONNX Runtime's real number is sum * (scale of the input * of the
/// weight / of the result).
class byte_inputs {
 public:
  byte_inputs(node_reader& n, std::span<const slot_input> places) : n_(n), places_(places) {
    if (has("input_scale")) of_ = said_numbers(n, place("input_scale"), place("input_zero"), n.type(n.input(0)), true);
    if (has("output_scale")) {
      made_ = n.type(input("output_zero"));
      made_.real = said_numbers(n, place("output_scale"), place("output_zero"), made_, true);
      made_.rounded = ir::rounding::real;
    } else {
      made_ = has("input_scale") ? dtype::f32 : dtype::i32;
    }
  }

  /// 0, where the input itself is, if the node has none.
  std::size_t place(std::string_view slot) const {
    for (const slot_input& p : places_)
      if (p.slot == slot && n_.has(p.at)) return p.at;
    return 0;
  }
  bool has(std::string_view slot) const { return place(slot) != 0; }
  term input(std::string_view slot) const { return n_.input(place(slot)); }
  bool many(std::string_view slot) const { return has(slot) && n_.shape(input(slot)).count() != 1; }
  bool many_of_weight() const { return many("weight_scale") || many("weight_zero"); }
  /// Has every row of the input numbers of its own?
  bool by_row() const { return many("input_scale") || many("input_zero"); }
  /// Are the input's scale and zero point, and the result's, where they are asked for, numbers of the file?
  bool are_said() const { return of_ && (made_.real || made_ == dtype::f32); }
  const ir::quantization& of() const { return of_; }
  const ir::element& made() const { return made_; }
  /// Do weights have a zero point that may not be 0?
  bool has_weight_zeros() const {
    if (!has("weight_zero")) return false;
    const shared_array k = n_.known(input("weight_zero"));
    bool none = k != nullptr;
    for (std::size_t i = 0; none && i < k->size(); ++i) none = number_at(*k, i) == 0;
    return !none;
  }

  /// A layer by the node's weight, or `weight` in its stead; all its slots are given.
  template <class Op>
  term layer(Op op, const ir::element& made, bool by_output, term weight) const {
    op.weight = {n_.type(weight), by_output, has_weight_zeros(), false};
    op.bias = has("bias");
    op.given = 0;
    n_.only_helping(true);
    const term x = made == dtype::i32 || !of_ ? n_.as_integers(n_.input(0)) : n_.stands_for(n_.input(0), of_);
    std::vector<term> in{x};
    const weight_slots slots = op.weights({&n_.shape(x), 1}, {&n_.element_of(x), 1}, {&made, 1});
    for (const weight_slot& s : slots) in.push_back(s.name == "weight" ? weight : filling(s));
    n_.only_helping(false);
    op.given = (slot_set{1} << slots.size()) - 1;
    return n_.add_as(made, op, in);
  }
  /// What becomes of i32 sums by scales that are values: those of rows and outputs have these shapes.
  void finish(term sums, const extents& rows, const extents& each) const {
    if (made_ == dtype::i32) return n_.result(sums);
    const auto times = [&](op::binary_function f, term a, term b) { return n_.add(op::binary{f}, {a, b}); };
    const auto spread = [&](std::string_view slot, const extents& many_of) {
      const term t = n_.cast(input(slot), dtype::f32);
      return n_.reshaped(t, many(slot) ? many_of : extents{1});
    };
    n_.only_helping(true);
    term factor = times(op::binary_function::mul, spread("input_scale", rows), spread("weight_scale", each));
    if (made_ != dtype::f32) factor = times(op::binary_function::div, factor, spread("output_scale", {1}));
    term y = n_.cast(sums, dtype::f32);
    if (made_ == dtype::f32) n_.only_helping(false);
    y = times(op::binary_function::mul, y, factor);
    if (made_ == dtype::f32) return n_.result(y);
    const term zero = n_.reshaped(input("output_zero"), {}), one = n_.number(1.0, dtype::f32);
    n_.only_helping(false);
    n_.result(n_.add_as(made_.type, op::quantize{}, {y, one, zero}));
  }
  /// Bytes whose steps are counted from the zero point, one number of the file.
  bool has_one_zero(std::string_view slot) const {
    return !has(slot) || (n_.known(input(slot)) && n_.shape(input(slot)).count() == 1);
  }
  term from_zero(term x, std::string_view slot) const {
    const int zero = has(slot) ? saturated<int>(number_at(*n_.known(input(slot)), 0)) : 0;
    return zero == 0 ? n_.as_integers(x) : n_.stands_for(x, {1, zero});
  }
  /// Bytes less their zero points as i32, which lie along the axis of rows (`back` 1) or outputs (0).
  term less_zero(term x, std::string_view slot, int back) const {
    const term wide = n_.cast(n_.as_integers(x), dtype::i32);
    if (!has(slot)) return wide;
    term zero = n_.cast(input(slot), dtype::i32);
    const int count = static_cast<int>(n_.shape(zero).count());
    zero = n_.reshaped(zero, back == 1 && count != 1 ? extents{count, 1} : extents{count});
    return n_.add(op::binary{op::binary_function::sub}, {wide, zero});
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
  ir::quantization of_{};
  ir::element made_{};
};

inline void byte_convolution(node_reader& n, std::span<const slot_input> places) {
  const byte_inputs in(n, places);
  for_axes<op::conv>(n, in.place("weight"), [&]<int Axes>(op::conv<Axes> op) {
    set_convolution(n, op, n.shape(in.input("weight")));
    const bool whole = in.are_said();
    const term y = in.layer(op, whole ? in.made() : ir::element(dtype::i32), in.many_of_weight(), in.input("weight"));
    if (whole) return n.result(y);
    extents each{op.out};
    for (int i = 0; i < Axes; ++i) each.push_back(1);
    in.finish(y, {}, each);
  });
}
/// By a matrix that the file holds it is a linear layer; between bytes that are values it is a product of these where
/// their numbers are known, else one of integers.
inline void byte_product(node_reader& n, std::span<const slot_input> places) {
  const byte_inputs in(n, places);
  const term a = n.input(0), b = in.input("weight");
  const extents w = n.shape(b);
  const int outputs = w.rank > 1 ? w.back(0) : 1;
  if (w.rank == 2 && n.known(b) && !in.by_row()) {
    op::linear op;
    op.out = outputs;
    op.transposed = true;
    // A scale of the input that is a value is a slot of a layer that makes real numbers.
    const bool whole = in.are_said() || in.made() == dtype::f32;
    const term y = in.layer(op, whole ? in.made() : ir::element(dtype::i32), in.many_of_weight(), b);
    return whole ? n.result(y) : in.finish(y, {}, {outputs});
  }
  const ir::quantization by = in.has("weight_scale")
                                  ? said_numbers(n, in.place("weight_scale"), in.place("weight_zero"), n.type(b), true)
                                  : ir::quantization{};
  if (in.are_said() && by)
    return n.result(n.add_as(in.made(), op::matmul{}, {n.stands_for(a, in.of()), n.stands_for(b, by)}));
  const int rows = n.rank(a) > 1 ? n.shape(a).back(1) : 1;
  n.only_helping(true);
  const std::vector<term> both =
      in.has_one_zero("input_zero") && in.has_one_zero("weight_zero")
          ? std::vector<term>{in.from_zero(a, "input_zero"), in.from_zero(b, "weight_zero")}
          : std::vector<term>{in.less_zero(a, "input_zero", 1), in.less_zero(b, "weight_zero", 0)};
  n.only_helping(in.made() != dtype::i32);
  const term sums = n.add_as(dtype::i32, op::matmul{}, both);
  n.only_helping(false);
  in.finish(sums, {rows, 1}, {outputs});
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
