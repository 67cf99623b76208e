// SPDX-License-Identifier: BSL-1.0
// Which element types ONNX's operators take, by operator set: what writers may say, and in what type to say the rest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "../../graph/operators/typing.hpp"

namespace ctnn::onnx {

/// Some of the element types.
class element_set {
 public:
  template <class... Types>
  constexpr element_set(Types... types) : bits_((0u | ... | bit(types))) {}
  constexpr bool has(dtype t) const { return (bits_ & bit(t)) != 0; }
  friend constexpr element_set operator|(element_set a, element_set b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  static constexpr std::uint32_t bit(dtype t) { return 1u << static_cast<unsigned>(t); }
  std::uint32_t bits_;
};

namespace detail {

/// Of an operator's inputs, a bit each, those of one element type.
using places = std::uint32_t;
inline constexpr places everywhere = ~places{0};
/// The attribute `value`, which says an element type as inputs do.
inline constexpr places in_value = 1u << 31;
template <class... Numbers>
constexpr places at(Numbers... numbers) {
  return (0u | ... | (1u << numbers));
}

/// Operators whose inputs at some places are of one type, and which these are since an operator set. An operator's
/// first places are those that its results have the type of.
struct taken_types {
  std::int64_t since;
  element_set types;
  places where;
  std::string_view operators;  ///< with spaces around each
};

inline constexpr element_set bf16{dtype::bf16}, bytes{dtype::i8, dtype::u8}, words{dtype::i16, dtype::u16},
    boolean{dtype::boolean}, without_sign{dtype::u8, dtype::u16, dtype::u32, dtype::u64},
    large{dtype::i32, dtype::i64, dtype::u32, dtype::u64},
    whole = bytes | words | large, old_reals{dtype::f16, dtype::f32, dtype::f64}, reals = old_reals | bf16,
    old_numbers = old_reals | whole, numbers = old_numbers | bf16;

/// As of the first operator set that is written. An operator that is missing takes every type that ctnn has.
inline constexpr taken_types taken[] = {
    // Functions of real numbers
    {13, old_reals, everywhere,
     " Acos Acosh Asin Asinh Atan Atanh Cos Cosh Sin Sinh Tan Elu Selu Softplus Softsign ThresholdedRelu HardSigmoid "
     "HardSwish Mish Round LeakyRelu "},
    {16, reals, everywhere, " LeakyRelu "},
    {22, reals, everywhere,
     " Acos Acosh Asin Asinh Atan Atanh Cos Cosh Sin Sinh Tan Elu Selu Softplus Softsign ThresholdedRelu HardSigmoid "
     "HardSwish Mish Round "},
    {13, reals, everywhere, " Ceil Floor Exp Log Sqrt Reciprocal Sigmoid Tanh Erf Gelu IsNaN "},
    {13, dtype::f32, everywhere, " Celu "},
    {13, {dtype::f32, dtype::f64}, everywhere, " IsInf "},
    {20, reals, everywhere, " IsInf "},
    // Arithmetic and comparisons
    {13, reals | large, everywhere, " Add Sub Mul Div MatMul Gemm "},
    {14, numbers, everywhere, " Add Sub Mul Div "},
    {13, numbers, everywhere, " Abs Sign Max Min Clip Mod Less Greater "},
    {13, old_numbers, everywhere, " LessOrEqual GreaterOrEqual "},
    {16, numbers, everywhere, " LessOrEqual GreaterOrEqual "},
    {13, numbers | boolean, everywhere, " Equal "},
    {13, reals | element_set{dtype::i8, dtype::i16, dtype::i32, dtype::i64}, everywhere, " Neg "},
    {13, reals, everywhere, " Relu "},
    {14, reals | element_set{dtype::i8, dtype::i16, dtype::i32, dtype::i64}, everywhere, " Relu "},
    {13, old_reals | large, everywhere, " PRelu "},
    {16, reals | large, everywhere, " PRelu "},
    {13, reals | element_set{dtype::i32, dtype::i64}, at(0), " Pow "},
    {13, old_numbers, at(1), " Pow "},
    {15, numbers, at(1), " Pow "},
    {13, old_numbers, everywhere, " Einsum Shrink "},
    {13, without_sign, everywhere, " BitShift "},
    {13, whole, everywhere, " BitwiseAnd BitwiseOr BitwiseXor BitwiseNot "},
    {13, boolean, everywhere, " And Or Xor Not "},
    {13, old_numbers | boolean, at(1, 2), " Where "},
    {16, numbers | boolean, at(1, 2), " Where "},
    // Along axes
    {13, reals | large, at(0),
     " ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare "},
    {13, reals | large | bytes, at(0), " ReduceMax ReduceMin "},
    {20, reals | large | bytes | boolean, at(0), " ReduceMax ReduceMin "},
    {13, numbers, at(0), " ArgMax ArgMin "},
    {13, element_set{dtype::f32, dtype::f64} | large, at(0), " CumSum "},
    {14, reals | large, at(0), " CumSum CumProd "},
    {13, old_numbers, at(0), " TopK "},
    {24, numbers, at(0), " TopK "},
    {13, reals, everywhere, " Softmax LogSoftmax Hardmax "},
    // Windows, and normalisation
    {13, old_reals, everywhere,
     " Conv ConvTranspose DeformConv AveragePool LpPool GlobalAveragePool GlobalMaxPool MaxRoiPool LpNormalization "
     "InstanceNormalization Det "},
    {22, reals, everywhere,
     " Conv ConvTranspose DeformConv AveragePool LpPool GlobalAveragePool GlobalMaxPool MaxRoiPool LpNormalization "
     "InstanceNormalization Det "},
    {13, old_reals | bytes, everywhere, " MaxPool "},
    {22, reals | bytes, everywhere, " MaxPool "},
    {13, old_reals, at(0), " MaxUnpool "},
    {22, reals, at(0), " MaxUnpool "},
    {13, old_reals, everywhere, " BatchNormalization "},
    {14, reals, everywhere, " BatchNormalization "},
    {13, reals, everywhere, " LRN MeanVarianceNormalization LayerNormalization RMSNormalization GroupNormalization "},
    // Sampling, signals, sequences, attention
    {13, old_numbers | boolean, at(0), " GridSample "},
    {22, numbers | boolean, at(0), " GridSample "},
    {13, old_reals, at(1), " GridSample "},
    {22, reals, at(1), " GridSample "},
    {13, old_reals, at(0, 1), " RoiAlign "},
    {22, reals, at(0, 1), " RoiAlign "},
    {13, dtype::f32, at(0, 1), " NonMaxSuppression "},
    {13, reals, at(0), " AffineGrid DFT "},
    {13, reals, at(0, 2), " STFT "},
    {13, old_reals, at(0, 1, 2, 3, 5, 6, 7), " RNN GRU LSTM "},
    {22, reals, at(0, 1, 2, 3, 5, 6, 7), " RNN GRU LSTM "},
    {13, reals, at(0, 1, 2, 4, 5), " Attention "},
    {13, {dtype::f16, dtype::bf16, dtype::f32}, at(0, 1, 2), " RotaryEmbedding "},
    // By index, and of their own
    {13, old_numbers | boolean, at(0), " Compress Unique ReverseSequence "},
    {13, old_numbers | boolean, at(2), " OneHot "},
    {13, old_numbers | boolean, in_value, " ConstantOfShape "},
    {20, numbers | boolean, in_value, " ConstantOfShape "},
    // Integers that stand for real numbers
    {13, {dtype::f32, dtype::i32}, at(0), " QuantizeLinear "},
    {19, {dtype::f32, dtype::f16, dtype::bf16, dtype::i32}, at(0), " QuantizeLinear "},
    {13, bytes, at(2), " QuantizeLinear "},
    {21, bytes | words, at(2), " QuantizeLinear "},
    {13, bytes | element_set{dtype::i32}, at(0, 2), " DequantizeLinear "},
    {21, bytes | words | element_set{dtype::i32}, at(0, 2), " DequantizeLinear "},
    {13, dtype::f32, at(1), " DequantizeLinear "},
    {19, {dtype::f32, dtype::f16, dtype::bf16}, at(1), " DequantizeLinear "},
    {13, dtype::f32, everywhere, " DynamicQuantizeLinear "},
    {13, bytes, at(0, 2), " ConvInteger MatMulInteger QLinearConv "},
    {13, bytes, at(0, 2), " QLinearMatMul "},
};

/// Operators whose results are not of their first input's type: of one that is always the same, or of another input's.
struct made_types {
  std::string_view operators;
  std::optional<dtype> type{};
  std::size_t input = 0;  ///< if there is no such type
  int from = 0;           ///< of the results, the first that is
};
inline constexpr made_types made[] = {
    {" Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not IsNaN IsInf ", dtype::boolean},
    {" ArgMax ArgMin NonZero NonMaxSuppression Shape Size ", dtype::i64},
    {" MaxPool TopK Unique ", dtype::i64, 0, 1},
    {" LayerNormalization ", dtype::f32, 0, 1},
    {" ConvInteger MatMulInteger ", dtype::i32},
    {" Where ", {}, 1},
    {" OneHot QuantizeLinear ", {}, 2},
    {" DequantizeLinear ", {}, 1},
    {" QLinearConv QLinearMatMul ", {}, 7},
    {" DynamicQuantizeLinear ", dtype::u8},
    {" DynamicQuantizeLinear ", dtype::f32, 0, 1},
    {" DynamicQuantizeLinear ", dtype::u8, 0, 2},
};

constexpr bool names(std::string_view operators, std::string_view type) {
  for (std::size_t at = operators.find(type); at != std::string_view::npos; at = operators.find(type, at + 1))
    if (operators[at - 1] == ' ' && operators[at + type.size()] == ' ') return true;
  return false;
}

constexpr bool has(places where, std::size_t input) {
  return where == everywhere || (input < 31 && (where >> input & 1u) != 0);
}

/// The places of an operator that are of one type each.
inline std::vector<places> groups_of(std::string_view type) {
  std::vector<places> out;
  for (const taken_types& row : taken)
    if (names(row.operators, type) && std::ranges::find(out, row.where) == out.end()) out.push_back(row.where);
  return out;
}
/// Whether an operator takes a type at these places in an operator set.
constexpr bool takes(std::string_view type, places where, dtype element, std::int64_t version) {
  bool it_does = false;
  for (const taken_types& row : taken)
    if (row.where == where && row.since <= version && names(row.operators, type)) it_does = row.types.has(element);
  return it_does;
}
/// The operator set in which it does, this one or the first that comes later.
constexpr std::optional<std::int64_t> first_taken(std::string_view type, places where, dtype element,
                                                  std::int64_t version) {
  if (takes(type, where, element, version)) return version;
  for (const taken_types& row : taken)
    if (row.where == where && row.since > version && row.types.has(element) && names(row.operators, type))
      return row.since;
  return {};
}

/// Whether every number of a type is one of another.
constexpr bool holds(dtype wide, dtype of) {
  if (of == dtype::boolean || is_floating(wide) < is_floating(of)) return false;
  if (is_floating(of)) return size_of(wide) > size_of(of);
  if (is_floating(wide)) return size_of(wide) > size_of(of) && size_of(of) < 8 && !is_narrow(wide);
  return size_of(wide) > size_of(of) && without_sign.has(wide) <= without_sign.has(of);
}
/// The type in which an operator is written whose inputs are of one that it does not take.
constexpr std::optional<dtype> instead_of(std::string_view type, places where, dtype element, std::int64_t version) {
  for (const dtype wide : {dtype::i32, dtype::i64, dtype::f32, dtype::f64})
    if (holds(wide, element) && takes(type, where, wide, version)) return wide;
  return {};
}

/// The row for result i of an operator; none if it is of the type of the operator's first places.
constexpr const made_types* made_by(std::string_view type, int i) {
  const made_types* found = nullptr;
  for (const made_types& row : made)
    if (row.from <= i && names(row.operators, type)) found = &row;
  return found;
}

}  // namespace detail
}  // namespace ctnn::onnx
