// SPDX-License-Identifier: BSL-1.0
// What the numbers of a layer's weight are, and what comes of it: layers that multiply bytes.
#pragma once

#include "byte_functions.hpp"

namespace ctnn::op {

/// The element of a layer's weight. With f32 the weight is of the input's floating-point type. With i8 or u8 the input
/// is of bytes too, and sums of products are i32, which wrap around. The result's element says what becomes of a sum:
/// i32: nothing; f32: the real number that it stands for; i8, u8: that number, rounded as the element says.
/// Bytes stand for (byte - zero point) * scale. The scales of weights are a weight of their own. Those of the input and
/// the result are of their elements; an input whose element says nothing has its numbers in weights, too.
/// The activation is applied to the real number. Where sums with an integer bias become bytes it only bounds them.
/// With a real bias numbers are rounded as real ones are.
/// An input of i16 that stands for real numbers has a weight of i8, an i16 result rounded twice, no zero points, and
/// sums and a bias of i64, which TensorFlow Lite's 16x8 arithmetic multiplies by factors of 16 bits.
/// In ncnn's arithmetic (an input that is rounded to bytes away from zero) the bias is real, and weights stand for
/// byte / scale.
/// A linear layer with `bits` multiplies real numbers, f32, by a weight that stays packed: words of 8 bits hold 8 /
/// bits numbers each, those of the lowest bits first, and in every row each `block` numbers (0: all) share a scale.
/// They stand for (number - zero point) * scale. Scales are weights of shape (out, blocks), and so are zero points, of
/// f32, where there are some; else these are 2^(bits - 1), of i8 0. The last block is whole: what it holds beyond the
/// row counts for nothing.
struct weight_element {
  dtype type = dtype::f32;   ///< i8, u8: the layer multiplies bytes; f32: numbers of the input's own type
  bool by_output = false;    ///< each output has a scale and a zero point, not one for all
  bool zero_points = false;  ///< weights have zero points; without them these are 0
  bool real_bias = false;    ///< the bias is f32 and added to the real number; else it is i32 and part of the sum
  int bits = 0;              ///< 2, 4, 8: real numbers are multiplied by packed ones of so many bits, u8, or of 8 i8
  int block = 0;             ///< of packed numbers: those of a row that share a scale; 0: all

  /// Does the layer multiply bytes?
  constexpr explicit operator bool() const { return type != dtype::f32 && bits == 0; }
  constexpr bool is_packed() const { return bits != 0; }

  static constexpr void fields(auto& self, auto&& field) {
    field("weight_type", self.type);
    field("by_output", self.by_output);
    field("zero_points", self.zero_points);
    field("real_bias", self.real_bias);
  }
  /// Of layers that may have a packed weight.
  static constexpr void packed_fields(auto& self, auto&& field) {
    field("bits", self.bits);
    field("block", self.block);
  }
  /// The element of a layer of bytes with one input.
  constexpr problem infer(types in, types wanted, span<element> result, const activation_function& f) const {
    if (!is_byte(type)) return wrong_type("weight", type);
    if (in.size() > 1) return {mistake::option_out_of_range, "a residual of bytes"};
    const element x = element_at(in, 0);
    if (x == dtype::i16) return infer_wide(x, wanted, result[0], f);
    if (!is_byte(x)) return wrong_type("input", x);
    result[0] = wanted.empty() ? element(real_bias ? dtype::f32 : dtype::i32) : wanted[0];
    element& y = result[0];
    if (!is_byte(y)) y.real = {};
    if (y != dtype::f32 && y != dtype::i32 && !is_byte(y)) return wrong_type("result", y);
    if (x.real || is_byte(y) || real_bias)
      if (const problem p = check_quantization("of", x.real, x)) return p;
    if (x.rounded == ir::rounding::away && (!real_bias || zero_points || type != dtype::i8 || y == dtype::i32))
      return {mistake::option_out_of_range, "real_bias"};
    if (y == dtype::i32 && real_bias) return wrong_type("result", y);
    if (y == dtype::f32) return {};
    const bool whole = y == dtype::i32 || (!real_bias && y.rounded != ir::rounding::real);
    if (f && (y == dtype::i32 || (whole && !is_bounds(f)))) return {mistake::option_out_of_range, "activation"};
    if (y == dtype::i32) return {};
    const bool away = y.rounded == ir::rounding::away;
    if (y.rounded == ir::rounding::coarse || away != (x.rounded == ir::rounding::away) || (away && y != dtype::i8))
      return {mistake::option_out_of_range, "rounded"};
    return check_quantization("as", y.real, y);
  }
  /// Blocks of a packed row of so many numbers, and its words.
  constexpr std::int64_t blocks(std::int64_t depth) const { return block == 0 ? 1 : (depth + block - 1) / block; }
  constexpr std::int64_t words(std::int64_t depth) const {
    return block == 0 ? (depth * bits + 7) / 8 : blocks(depth) * block * bits / 8;
  }
  constexpr problem check_packed(std::int64_t depth) const {
    if (bits != 2 && bits != 4 && bits != 8) return {mistake::option_out_of_range, "bits", {bits}, {8}};
    if (type != dtype::u8 && (type != dtype::i8 || bits != 8)) return wrong_type("weight", type);
    if (by_output) return {mistake::option_out_of_range, "by_output"};
    if (real_bias) return {mistake::option_out_of_range, "real_bias"};
    if (block < 0 || block > 1 << 20 || block * bits % 8 != 0)
      return {mistake::option_out_of_range, "block", {block}, {8 / bits}};
    return words(depth) > 2147483647 ? problem{mistake::too_large, "axes"} : problem{};
  }
  /// The weights of a layer by a packed one, `transposed` or not.
  constexpr void add_packed_slots(weight_slots& slots, bool transposed, bool bias, int outs, std::int64_t depth) const {
    const int of_row = static_cast<int>(words(depth)), scales = static_cast<int>(blocks(depth));
    slots.push_back({"weight"sv, transposed ? extents{of_row, outs} : extents{outs, of_row}, type});
    if (bias) slots.push_back({"bias"sv, {outs}});
    slots.push_back({"weight_scale"sv, {outs, scales}});
    if (zero_points) slots.push_back({"weight_zero"sv, {outs, scales}});
  }
  /// The weights behind the products' own, of a layer that reads x and makes y.
  constexpr void add_slots(weight_slots& slots, const element& x, const element& y, bool bias, int outs) const {
    const extents each{by_output ? outs : 1};
    if (bias) slots.push_back({"bias"sv, {outs}, real_bias ? dtype::f32 : x == dtype::i16 ? dtype::i64 : dtype::i32});
    if (y != dtype::i32) slots.push_back({"weight_scale"sv, each});
    if (zero_points) slots.push_back({"weight_zero"sv, each, type});
    if (x.real) return;
    if (y != dtype::i32) slots.push_back({"input_scale"sv, {1}});
    slots.push_back({"input_zero"sv, {1}, dtype::f32, true});
  }

 private:
  constexpr problem infer_wide(const element& x, types wanted, element& y, const activation_function& f) const {
    if (type != dtype::i8) return wrong_type("weight", type);
    if (zero_points) return {mistake::option_out_of_range, "zero_points"};
    if (real_bias) return {mistake::option_out_of_range, "real_bias"};
    if (const problem p = check_quantization("of", x.real, x)) return p;
    if (x.real.zero != 0) return {mistake::option_out_of_range, "of"};
    y = wanted.empty() ? element(dtype::i16) : wanted[0];
    if (y != dtype::i16) return wrong_type("result", y);
    if (!is_bounds(f)) return {mistake::option_out_of_range, "activation"};
    if (y.rounded != ir::rounding::twice) return {mistake::option_out_of_range, "rounded"};
    if (y.real.zero != 0) return {mistake::option_out_of_range, "as"};
    return check_quantization("as", y.real, y);
  }
};

}  // namespace ctnn::op
