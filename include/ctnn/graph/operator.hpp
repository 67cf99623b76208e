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
// and optionally: min_inputs, max_inputs (1, 1), output_count() (1), weights(in) (none), macs(in, out) (0).
// Everything generic (options of a declared layer, printing, comparing, lifting back to a type) follows from fields().
// Graphs hold operators as an `operator_type` and a row of numbers, so a user's operator is as good as ours.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "../base/problem.hpp"
#include "../base/static_vector.hpp"
#include "activation.hpp"

namespace ctnn {

using inputs = std::span<const extents>;
using outputs = std::span<extents>;

/// Longest list parameter (sizes of a split, coefficients of a sum) and most inputs with one.
inline constexpr std::size_t max_list = 64;
template <class T>
using list = static_vector<T, max_list>;

/// A named array of numbers that belongs to a layer, such as the weight and the bias of a convolution.
struct weight_slot {
  std::string_view name;
  extents shape;
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

/// Calls `number(double)` for each number in a field, in order.
template <class Field>
constexpr void encode_field(const Field& f, auto&& number) {
  if constexpr (detail::is_list<Field>::value) {
    number(static_cast<double>(f.size()));
    for (const auto& item : f) number(static_cast<double>(item));
  } else if constexpr (detail::is_array<Field>::value) {
    for (const auto& item : f) number(static_cast<double>(item));
  } else if constexpr (std::is_same_v<Field, activation_function>) {
    number(static_cast<double>(f.kind));
    number(static_cast<double>(f.a));
    number(static_cast<double>(f.b));
  } else if constexpr (std::is_same_v<Field, optional_number>) {
    number(f.present ? 1.0 : 0.0);
    number(static_cast<double>(f.value));
  } else {
    number(static_cast<double>(f));
  }
}

/// The inverse: `next()` gives the numbers.
template <class Field>
constexpr void decode_field(Field& f, auto&& next) {
  if constexpr (detail::is_list<Field>::value) {
    f.clear();
    for (auto n = static_cast<std::size_t>(next()); n > 0; --n)
      f.push_back(static_cast<std::remove_cvref_t<decltype(f[0])>>(next()));
  } else if constexpr (detail::is_array<Field>::value) {
    for (auto& item : f) item = static_cast<std::remove_cvref_t<decltype(item)>>(next());
  } else if constexpr (std::is_same_v<Field, activation_function>) {
    f.kind = static_cast<function>(static_cast<int>(next()));
    f.a = static_cast<float>(next());
    f.b = static_cast<float>(next());
  } else if constexpr (std::is_same_v<Field, optional_number>) {
    f.present = next() != 0;
    f.value = static_cast<float>(next());
  } else if constexpr (std::is_enum_v<Field>) {
    f = static_cast<Field>(static_cast<int>(next()));
  } else if constexpr (std::is_same_v<Field, bool>) {
    f = next() != 0;
  } else {
    f = static_cast<Field>(next());
  }
}

template <class Op>
constexpr field_values encode(const Op& op) {
  field_values out;
  Op::fields(op, [&](std::string_view, const auto& f) { encode_field(f, [&](double d) { out.push_back(d); }); });
  return out;
}

template <class Op>
constexpr Op decode(std::span<const double> numbers) {
  Op op;
  std::size_t at = 0;
  Op::fields(op, [&](std::string_view, auto& f) { decode_field(f, [&] { return numbers[at++]; }); });
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
  const auto item = [&](std::size_t i) { return values[i]; };
  std::size_t at = 0;
  if constexpr (detail::is_list<Field>::value) {
    if (values.size() > f.capacity()) return false;
    f.clear();
    for (double v : values) f.push_back(static_cast<std::remove_cvref_t<decltype(f[0])>>(v));
    return true;
  } else if constexpr (detail::is_array<Field>::value) {
    const std::size_t n = f.size();
    if (values.size() != n && values.size() != 1 && !(n == 4 && values.size() == 2)) return false;
    decode_field(f, [&] { return item(at++ % values.size()); });
    return true;
  } else if constexpr (std::is_same_v<Field, activation_function>) {
    if (values.empty() || values.size() > 3) return false;
    decode_field(f, [&] { return at < values.size() ? item(at++) : 0.0; });
    return true;
  } else if constexpr (std::is_same_v<Field, optional_number>) {
    if (values.size() != 1) return false;
    f = static_cast<float>(values[0]);
    return true;
  } else {
    if (values.size() != 1) return false;
    decode_field(f, [&] { return item(0); });
    return true;
  }
}

/// The operator with its type erased: what a graph's node points to. One object an operator, so addresses compare.
struct operator_type {
  std::string_view name;
  int min_inputs;
  int max_inputs;
  problem (*infer)(std::span<const double>, inputs, outputs);
  int (*output_count)(std::span<const double>);
  weight_slots (*weights)(std::span<const double>, inputs);
  std::int64_t (*macs)(std::span<const double>, inputs, std::span<const extents>);
  /// Fields from a declared layer's options.
  problem (*configure)(std::span<const option_record>, field_values&);
};

namespace detail {

template <class Op>
struct erased {
  static constexpr problem infer(std::span<const double> f, inputs in, outputs out) {
    const int n = static_cast<int>(in.size());
    if (n < min_inputs<Op>() || n > max_inputs<Op>())
      return {mistake::wrong_number_of_inputs, Op::name, {n}, {min_inputs<Op>(), max_inputs<Op>()}};
    return decode<Op>(f).infer(in, out);
  }
  static constexpr int output_count(std::span<const double> f) { return ctnn::output_count(decode<Op>(f)); }
  static constexpr weight_slots weights(std::span<const double> f, inputs in) {
    return weights_of(decode<Op>(f), in);
  }
  static constexpr std::int64_t macs(std::span<const double> f, inputs in, std::span<const extents> out) {
    if constexpr (requires(const Op& op) { op.macs(in, out); }) return decode<Op>(f).macs(in, out);
    else return 0;
  }
  static constexpr problem configure(std::span<const option_record> options, field_values& result) {
    Op op;
    for (const option_record& o : options) {
      bool known = false, fits = true;
      Op::fields(op, [&](std::string_view key, auto& f) {
        if (known || key != o.key) return;
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
                                       &detail::erased<Op>::infer,
                                       &detail::erased<Op>::output_count,
                                       &detail::erased<Op>::weights,
                                       &detail::erased<Op>::macs,
                                       &detail::erased<Op>::configure};

}  // namespace ctnn
