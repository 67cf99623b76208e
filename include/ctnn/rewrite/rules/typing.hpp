// SPDX-License-Identifier: BSL-1.0
// Conversions between element types that need not be there, quantised ones among them.
#pragma once

#include "../../graph/operators/pointwise.hpp"
#include "../../graph/operators/quantized.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

/// cast to the type it has  ->  x
struct cast_same {
  static constexpr rule_info info{"cast_same",     "cast(x) -> x",     lowers::nodes,
                                  numerics::exact, proved_by::running, "conversions are no algebra"};
  static constexpr bool any_type = true;
  using pattern = single<op::cast>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.type(r.input(m.last)).type != r.type(r.output(m.last)).type) return {"it changes the type"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// Has `wide` every number that `narrow` has?
constexpr bool holds(dtype wide, dtype narrow) {
  if (wide == narrow || narrow == dtype::boolean) return true;
  const auto digits = [](dtype t) {  // of exact integers; an unsigned type's go into one digit more of a signed one
    switch (t) {
      case dtype::i8: return 7;
      case dtype::u8: case dtype::bf16: return 8;
      case dtype::f16: return 11;
      case dtype::i16: return 15;
      case dtype::u16: return 16;
      case dtype::f32: return 24;
      case dtype::i32: return 31;
      case dtype::u32: return 32;
      case dtype::f64: return 53;
      case dtype::i64: return 63;
      case dtype::u64: return 64;
      default: return 0;
    }
  };
  const bool is_signed = narrow == dtype::i8 || narrow == dtype::i16 || narrow == dtype::i32 || narrow == dtype::i64;
  if (is_floating(narrow)) return (wide == dtype::f32 && narrow != dtype::f64) || wide == dtype::f64;
  if (is_floating(wide)) return digits(wide) >= digits(narrow);
  const bool wide_signed = wide == dtype::i8 || wide == dtype::i16 || wide == dtype::i32 || wide == dtype::i64;
  return digits(wide) >= digits(narrow) && (wide_signed || !is_signed);
}

/// cast to a wider type > cast  ->  one cast
struct cast_chain {
  static constexpr rule_info info{"cast_chain",    "cast > cast -> cast", lowers::nodes,
                                  numerics::exact, proved_by::running,    "conversions are no algebra"};
  static constexpr bool any_type = true;
  using pattern = chain<op::cast, op::cast>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!holds(r.type(r.output(m.first)), r.type(r.input(m.first))))
      return {"the first one loses something", r.name(m.first)};
    // Floating point saturates where integers wrap around.
    const dtype from = r.type(r.input(m.first)), to = r.type(r.output(m.last));
    if (!is_floating(from) && is_floating(r.type(r.output(m.first))) && !is_floating(to) && to != dtype::boolean &&
        !holds(to, from))
      return {"it saturates, one cast would not", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, r.get<op::cast>(m.last), r.name(m.last), {&x, 1}, {});
  }
};

/// result rounded to half precision > cast back  ->  x: between operators that compute in f32, as in ONNX Runtime.
/// Casts of a file round.
struct rounding_between {
  static constexpr rule_info info{"rounding_between", "result in f16 or bf16 > cast to f32 -> x",
                                  lowers::nodes,      numerics::unrounded,
                                  proved_by::running, "halves are rounded"};
  static constexpr bool any_type = true;
  using pattern = edge<op::cast, op::cast>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!is_narrow(r.type(r.output(m.first)))) return {"what is between is no half precision", r.name(m.first)};
    if (r.type(r.input(m.first)) != dtype::f32) return {"it comes from another type than f32", r.name(m.first)};
    if (r.type(r.output(m.last)) != dtype::f32) return {"it goes to another type than f32"};
    if (!r.get<op::cast>(m.first).of_result) return {"the file asks for the rounding", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.first)); }
};

/// dequantize > quantize with the same scale and zero point  ->  x; the other way round would change numbers
struct requantize_same {
  static constexpr rule_info info{"requantize_same", "dequantize > quantize -> x", lowers::nodes,
                                  numerics::exact,   proved_by::running,           "bytes are rounded"};
  static constexpr bool any_type = true;
  using pattern = edge<op::dequantize, op::quantize>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (m.input != 0) return {"what it makes is a scale", r.name(m.first)};
    const auto d = r.get<op::dequantize>(m.first);
    const auto q = r.get<op::quantize>(m.last);
    const element &x = r.type(r.input(m.first)), &y = r.type(r.output(m.last));
    if (x.type != y.type) return {"the types differ", r.name(m.first)};
    if (r.type(r.output(m.first)) != dtype::f32) return {"its real numbers have few digits", r.name(m.first)};
    if (r.inputs_count(m.first) == 1 || r.inputs_count(m.last) == 1)
      return r.inputs_count(m.first) == r.inputs_count(m.last) && same_numbers(x, y)
                 ? reason{}
                 : reason{"scale and zero point are other values", r.name(m.first)};
    const bool zero = r.inputs_count(m.first) == 3;
    if (r.input(m.first, 1) != r.input(m.last, 1) || zero != (r.inputs_count(m.last) == 3) ||
        (zero && r.input(m.first, 2) != r.input(m.last, 2)))
      return {"scale and zero point are other values", r.name(m.first)};
    if (r.shape(r.input(m.last, 1)).count() != 1 && (d.axis != q.axis || d.block != q.block))
      return {"the axes differ", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.first)); }
};

/// relu > quantize to unsigned integers without a zero point, with scales above 0  ->  quantize, which saturates at 0
struct relu_before_quantize {
  static constexpr rule_info info{"relu_before_quantize", "relu > quantize -> quantize",
                                  lowers::nodes,          numerics::exact,
                                  proved_by::running,     "bytes are rounded"};
  static constexpr bool any_type = true;
  using pattern = chain<op::activation, op::quantize>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (m.input != 0) return {"what it makes is a scale", r.name(m.first)};
    if (r.get<op::activation>(m.first).activation.kind != function::relu)
      return {"its input is not a relu", r.name(m.first)};
    if (is_integer(r.type(r.input(m.last)))) return {"it reads integers"};
    const element& to = r.type(r.output(m.last));
    if (to != dtype::u8 && to != dtype::u16) return {"its integers may be negative"};
    if (r.inputs_count(m.last) == 3 || to.real.zero != 0) return {"it has a zero point, so 0 is not the lowest number"};
    if (r.inputs_count(m.last) == 1) return {};
    if (!are_positive(r.known_numbers(r.input(m.last, 1)))) return {"its scale may be negative"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, r.get<op::quantize>(m.last), r.name(m.last), r.inputs_with(m.last, 0, r.input(m.first)), {});
  }
};

}  // namespace ctnn::rules
