// SPDX-License-Identifier: BSL-1.0
// What an operator is. An operator is one struct in graph/operators/:
//
//   struct softmax {
//     static constexpr std::string_view name = "softmax";      // what files, messages and pictures call it
//     int axis = -1;                                           // parameters with their defaults
//     static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
//     constexpr problem infer(inputs in, outputs out) const;   // shapes, or what is wrong
//   };
//
// and optionally: min_inputs, max_inputs (1, 1), output_count() (1), weights(in) (none), macs(in, out) (0), kind_rank (0;
// rewrite/measure.hpp), and infer_types(types in, std::span<dtype> out): element types of the outputs (all that of the
// first input, or f32).
// Everything generic (options of a declared layer, printing, comparing, lifting back to a type) follows from fields().
// Graphs hold operators as an `operator_type` and a row of numbers, so a user's operator is as good as ours.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "../base/dtype.hpp"
#include "../base/pool.hpp"
#include "../base/problem.hpp"
#include "../base/static_vector.hpp"
#include "activation.hpp"

namespace ctnn {

using namespace std::string_view_literals;  // "weight"sv knows its length: a step saved for each character

using inputs = std::span<const extents>;
using outputs = std::span<extents>;
using types = std::span<const dtype>;

/// Longest list parameter (sizes of a split, coefficients of a sum) and most inputs with one.
inline constexpr std::size_t max_list = 64;
template <class T>
using list = static_vector<T, max_list>;

/// A named array of numbers that belongs to a layer, such as the weight and the bias of a convolution.
struct weight_slot {
  std::string_view name;
  extents shape;
  dtype type = dtype::f32;
};
inline constexpr std::size_t max_weights = 8;
using weight_slots = static_vector<weight_slot, max_weights>;

/// A number that may be absent, such as a binary function's scalar operand.
struct optional_number {
  bool present = false;
  float value = 0;

  constexpr optional_number() = default;
  constexpr optional_number(float v) : present(true), value(v) {}
  constexpr explicit operator bool() const { return present; }
  constexpr float operator*() const { return value; }
};

/// The numbers of an operator's fields, one after the other; a list is preceded by its length.
using field_values = static_vector<double, 2 * max_list>;

namespace detail {

template <class T>
struct is_list : std::false_type {};
template <class T, std::size_t N>
struct is_list<static_vector<T, N>> : std::true_type {};
template <class T>
struct is_array : std::false_type {};
template <class T, std::size_t N>
struct is_array<std::array<T, N>> : std::true_type {};

}  // namespace detail

/// Is `word` the zero-terminated `key`? (A string_view would count the key's length first, step by step.)
constexpr bool same_word(const char* key, std::string_view word) {
  for (char c : word)
    if (*key++ != c) return false;
  return *key == 0;
}

// Fields to numbers and back. Overloads rather than one function with a chain of `if constexpr`: each link of such a chain
// costs the compiler an evaluation step, and this is the innermost loop of every pass.

template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
constexpr void encode_field(Number f, field_values& to) {
  to.items[to.count++] = static_cast<double>(f);
}
template <class T, std::size_t N>
constexpr void encode_field(const std::array<T, N>& f, field_values& to) {
  for (std::size_t i = 0; i < N; ++i) to.items[to.count++] = static_cast<double>(f[i]);
}
template <class T, std::size_t N>
constexpr void encode_field(const static_vector<T, N>& f, field_values& to) {
  to.items[to.count++] = static_cast<double>(f.count);
  for (std::size_t i = 0; i < f.count; ++i) to.items[to.count++] = static_cast<double>(f.items[i]);
}
constexpr void encode_field(const activation_function& f, field_values& to) {
  to.items[to.count++] = static_cast<double>(f.kind);
  to.items[to.count++] = static_cast<double>(f.a);
  to.items[to.count++] = static_cast<double>(f.b);
}
constexpr void encode_field(const optional_number& f, field_values& to) {
  to.items[to.count++] = f.present ? 1.0 : 0.0;
  to.items[to.count++] = static_cast<double>(f.value);
}

/// Reads a field from `from`, which moves on.
template <class Number>
  requires std::is_arithmetic_v<Number>
constexpr void decode_field(Number& f, const double*& from) {
  f = static_cast<Number>(*from++);
}
template <class Enum>
  requires std::is_enum_v<Enum>
constexpr void decode_field(Enum& f, const double*& from) {
  f = static_cast<Enum>(static_cast<int>(*from++));
}
template <class T, std::size_t N>
constexpr void decode_field(std::array<T, N>& f, const double*& from) {
  for (std::size_t i = 0; i < N; ++i) f[i] = static_cast<T>(*from++);
}
template <class T, std::size_t N>
constexpr void decode_field(static_vector<T, N>& f, const double*& from) {
  f.count = static_cast<std::size_t>(*from++);
  for (std::size_t i = 0; i < f.count; ++i) f.items[i] = static_cast<T>(*from++);
}
constexpr void decode_field(activation_function& f, const double*& from) {
  f.kind = static_cast<function>(static_cast<int>(*from++));
  f.a = static_cast<float>(*from++);
  f.b = static_cast<float>(*from++);
}
constexpr void decode_field(optional_number& f, const double*& from) {
  f.present = *from++ != 0;
  f.value = static_cast<float>(*from++);
}

template <class Op>
constexpr field_values encode(const Op& op) {
  field_values out;
  Op::fields(op, [&](const char*, const auto& f) { encode_field(f, out); });
  return out;
}

template <class Op>
constexpr Op decode(std::span<const double> numbers) {
  Op op;
  const double* from = numbers.data();
  Op::fields(op, [&](const char*, auto& f) { decode_field(f, from); });
  return op;
}

template <class Op>
constexpr int output_count(const Op& op) {
  if constexpr (requires { op.output_count(); }) return op.output_count();
  else return 1;
}

template <class Op>
constexpr int min_inputs() {
  if constexpr (requires { Op::min_inputs; }) return Op::min_inputs;
  else return 1;
}

template <class Op>
constexpr int max_inputs() {
  if constexpr (requires { Op::max_inputs; }) return Op::max_inputs;
  else return min_inputs<Op>();
}

template <class Op>
constexpr int kind_rank() {
  if constexpr (requires { Op::kind_rank; }) return Op::kind_rank;
  else return 0;
}

template <class Op>
constexpr weight_slots weights_of(const Op& op, inputs in) {
  if constexpr (requires { op.weights(in); }) return op.weights(in);
  else return {};
}

/// An option of a declared layer: the numbers for one field, such as kernel<3, 5>.
struct option_record {
  std::string_view key;
  std::span<const double> values;
};

/// Writes an option's numbers into a field. One number fills both sides of a pair or all margins; two margins are
/// (vertical, horizontal); an activation may leave out its parameters. False: the field cannot take that many.
template <class Field>
constexpr bool set_field(Field& f, std::span<const double> values) {
  double numbers[2 * max_list]{};
  std::size_t n = values.size();
  if (n >= max_list) return false;
  const double* from = numbers;
  for (std::size_t i = 0; i < n; ++i) numbers[i] = values[i];
  if constexpr (detail::is_list<Field>::value) {
    for (std::size_t i = n; i > 0; --i) numbers[i] = numbers[i - 1];
    numbers[0] = static_cast<double>(n);
  } else if constexpr (detail::is_array<Field>::value) {
    const std::size_t needed = f.size();
    if (n != needed && n != 1 && !(needed == 4 && n == 2)) return false;
    for (std::size_t i = n; i < needed; ++i) numbers[i] = numbers[i - n];
  } else if constexpr (std::is_same_v<Field, activation_function>) {
    if (n < 1 || n > 3) return false;
  } else if constexpr (std::is_same_v<Field, optional_number>) {
    if (n != 1) return false;
    numbers[1] = numbers[0];
    numbers[0] = 1;
  } else {
    if (n != 1) return false;
  }
  decode_field(f, from);
  return true;
}

/// What a node of an operator looks like, given its inputs.
struct description {
  pool<extents> outputs;
  pool<dtype> types;  ///< of the outputs; empty means all f32
  weight_slots weights;
};

/// The operator with its type erased: what a graph's node points to. One object an operator, so addresses compare.
struct operator_type {
  std::string_view name;
  int min_inputs;
  int max_inputs;
  int rank;  ///< kinds may be replaced, one for one, by lower ones of the same meaning
  /// Shapes of the outputs and the weights, or what is wrong.
  problem (*describe)(std::span<const double> fields, inputs, types, description&);
  std::int64_t (*macs)(std::span<const double>, inputs, std::span<const extents>);
  /// Fields from a declared layer's options.
  problem (*configure)(std::span<const option_record>, field_values&);
};

namespace detail {

template <class Op>
struct erased {
  static constexpr problem describe(std::span<const double> f, inputs in, types in_types, description& result) {
    const int n = static_cast<int>(in.size());
    if (n < min_inputs<Op>() || n > max_inputs<Op>())
      return {mistake::wrong_number_of_inputs, Op::name, {n}, {min_inputs<Op>(), max_inputs<Op>()}};
    const Op op = decode<Op>(f);
    const int results = ctnn::output_count(op);
    result.outputs = pool<extents>(static_cast<std::size_t>(results > 0 ? results : 1), {});
    if (const problem p = op.infer(in, result.outputs)) return p;
    result.weights = weights_of(op, in);
    return describe_types(op, in_types, result);
  }
  /// No types given, or all f32 where the operator has nothing to say: nothing to write down.
  static constexpr problem describe_types(const Op& op, types in, description& result) {
    if constexpr (requires(std::span<dtype> out) { op.infer_types(in, out); }) {
      result.types = pool<dtype>(result.outputs.size(), dtype::f32);
      return op.infer_types(in, result.types);
    } else {
      if (!in.empty() && in[0] != dtype::f32) result.types = pool<dtype>(result.outputs.size(), in[0]);
      return {};
    }
  }
  static constexpr std::int64_t macs(std::span<const double> f, inputs in, std::span<const extents> out) {
    if constexpr (requires(const Op& op) { op.macs(in, out); }) return decode<Op>(f).macs(in, out);
    else return 0;
  }
  static constexpr problem configure(std::span<const option_record> options, field_values& result) {
    Op op;
    for (const option_record& o : options) {
      bool known = false, fits = true;
      Op::fields(op, [&](const char* key, auto& f) {
        if (known || !same_word(key, o.key)) return;
        known = true;
        fits = set_field(f, o.values);
      });
      if (!known) return {mistake::unknown_option, o.key};
      if (!fits) return {mistake::option_out_of_range, o.key, {static_cast<int>(o.values.size())}};
    }
    result = encode(op);
    return {};
  }
};

}  // namespace detail

template <class Op>
inline constexpr operator_type type_of{Op::name,
                                       min_inputs<Op>(),
                                       max_inputs<Op>(),
                                       kind_rank<Op>(),
                                       &detail::erased<Op>::describe,
                                       &detail::erased<Op>::macs,
                                       &detail::erased<Op>::configure};

}  // namespace ctnn
