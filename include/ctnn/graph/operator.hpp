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
// and optionally: min_inputs, max_inputs (1, 1), output_count() (1), weights(in) (none), macs(in, out) (0), tier (0;
// rewrite/measure.hpp) and own_tier() (what a node adds to it), by_channel (channel_axis.hpp), infer_types(types in,
// span<element> out): elements of the outputs (without it all inputs and outputs have one type; with an argument `types
// wanted` between the two those of integers may be what a graph asks for: conv2d's result in bytes of a scale),
// weights(in, types of, types made) where slots depend on the elements of inputs and outputs, and scratch(in, out), or
// scratch(in, types of, out): bytes of memory its kernel takes while it runs (kernels/scratch.hpp), and least_scratch()
// of the same, if it can do with less on fewer threads; move_axes(m): its fields where axes are others (axis_map.hpp);
// `static constexpr bool f32_takes_scratch = false` if its f32 kernel takes none; passes(), refuses(): see
// operator_type. `constexpr layout_rule layouts(inputs in) const` answers for one node, by its fields and shapes, where
// not all kernels of an operator take the same. `static constexpr traits is{...}` says what planner, rules and
// executors may rely on. Everything generic (options of a declared layer, printing, comparing, lifting back to a type)
// follows from fields(). Graphs hold operators as an `operator_type`, which carries all that is known of it, and a row
// of numbers: a user's operator is as good as ours.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "../base/compiled.hpp"
#include "../base/compiler.hpp"
#include "../base/element.hpp"
#include "../base/pool.hpp"
#include "../base/problem.hpp"
#include "../base/requantize.hpp"
#include "../base/static_vector.hpp"
#include "activation.hpp"
#include "axis_map.hpp"
#include "channel_axis.hpp"

namespace ctnn::ir {

using namespace std::string_view_literals;  // "weight"sv knows its length: a step saved for each character

using inputs = span<const extents>;
using outputs = span<extents>;
using types = span<const element>;

/// Which layouts an operator's kernel takes (kernels/tensor.hpp says what they are); the planner chooses by this.
enum class layout_rule : std::uint8_t {
  nchw,          ///< every value plain row-major
  nhwc,          ///< every value nhwc with any pitch; values of rank below 3 (a flattened global pooling) plain
  nwc,           ///< the same of signals
  nchw_or_nhwc,  ///< all values in one layout, as the first input lies
  nchw_or_nwc,   ///< the same of signals
  same,          ///< all values in one layout, whichever, any pitch
  any,           ///< each value in a layout of its own
};

/// What is known of a result of three dimensions: it is an image (C, H, W), or its axes mean what the input's do.
enum class image_flow : std::uint8_t { nothing, makes, keeps };

/// Element types that an operator's vector kernel takes; all others have plain ones (kernels/typed/).
enum class vectors_of : std::uint8_t {
  f32,          ///< of every value
  conversions,  ///< from f16 or bf16 to f32, or from f32 to these, integers of 8 bits, i32, i64 or booleans
  none,         ///< it has none: declared networks with it include <ctnn/typed.hpp>
};

/// What may be relied on without knowing the operator.
struct traits {
  /// Do the kernels of values that vectors are not for (`typed`) honour arguments::share?
  constexpr bool divides(bool typed) const {
    return divisible && (!typed || vectors == vectors_of::none || divides_typed);
  }

  layout_rule layouts = layout_rule::nchw;
  bool reads_nchw = false;  ///< of nhwc ones: the first input may be nchw (a first layer reads the user's plain image)
  bool each = false;        ///< a result's number needs those at its place alone, and numbers of its channel
  bool in_place = false;    ///< may write its result over an input of its shape; overwrites(inputs, i) can say which,
                            ///< and overwrites(inputs, i, k) which of several results
  bool divisible = false;   ///< its vector kernel honours arguments::share
  bool divides_typed = false;    ///< and so do its plain loops over any elements, which others than f32 take
  bool divides_scratch = false;  ///< and each part takes memory of its own from what the kernel gets
  bool rearranges = false;  ///< moves elements, computes nothing: what can goes before it
  bool copies = false;      ///< its results are elements of its inputs, bit by bit, so any element type will do
  bool lifts = false;       ///< may go before what only rearranges
  bool counts_rows = false; ///< output 1 (i32) says how many rows of output 0 there are: the others do not count
  bool takes_indices = false;  ///< its vector kernel reads indices or booleans beside floats, if not first
  bool view = false;        ///< the input's elements in their order, under another shape
  image_flow images = image_flow::nothing;
  vectors_of vectors = vectors_of::f32;
};
/// A function of each element by itself.
inline constexpr traits traits_of_each_number{
    .layouts = layout_rule::same, .each = true, .in_place = true, .divisible = true, .images = image_flow::keeps};
/// The same with numbers of its channel, or with none: goes before what leaves the channels where they are.
inline constexpr traits traits_of_channels{.layouts = layout_rule::same,
                                           .each = true,
                                           .in_place = true,
                                           .divisible = true,
                                           .lifts = true,
                                           .images = image_flow::keeps};

/// Longest list parameter (sizes of a split, coefficients of a sum) and most inputs with one.
inline constexpr std::size_t max_list = 64;
template <class T>
using list = static_vector<T, max_list>;
/// A shape as an operator's field holds it.
constexpr list<int> as_list(const extents& shape) {
  list<int> out;
  for (int i = 0; i < shape.rank; ++i) out.push_back(shape[i]);
  return out;
}

constexpr problem wrong_type(std::string_view what, dtype got) {
  return {mistake::element_type, what, {static_cast<int>(got)}};
}

/// Can integers of type t stand for numbers so? The scale is that of a float and above 0, the zero point one of them.
constexpr problem check_quantization(std::string_view what, const quantization& q, dtype t) {
  int low = 0, high = 0;
  switch (t) {
    case dtype::i8: low = -128, high = 127; break;
    case dtype::u8: high = 255; break;
    case dtype::i16: low = -32768, high = 32767; break;
    case dtype::u16: high = 65535; break;
    case dtype::i32: break;
    default: return wrong_type(what, t);
  }
  if (!(q.scale > 1e-38 && q.scale < 3.5e38)) return {mistake::option_out_of_range, what};
  if (q.zero < low || q.zero > high) return {mistake::option_out_of_range, what, {q.zero}, {low, high}};
  return {};
}

/// A named array of numbers that belongs to a layer, such as the weight and the bias of a convolution.
struct weight_slot {
  std::string_view name;
  extents shape;
  element type{};
  bool as_input = false;  ///< of the first input's type, whatever that is
};
inline constexpr std::size_t max_weights = 10;
/// No array of max_weights: the compiler copies items that nobody uses, too.
using weight_slots = pool<weight_slot>;

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

// Fields to numbers and back: what Op::fields() is handed. Overloads rather than one function with a chain of
// `if constexpr`: each link of such a chain costs the compiler an evaluation step, and a lambda around these a call a
// field, and this is the innermost loop of every pass.

/// Appends each field's numbers at `to`, which moves on.
struct field_writer {
  double* to;

  template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  constexpr void operator()(const char*, Number f) {
    *to++ = static_cast<double>(f);
  }
  template <class T, std::size_t N>
  constexpr void operator()(const char*, const std::array<T, N>& f) {
    const T* items = f.data();
    for (std::size_t i = 0; i < N; ++i) *to++ = static_cast<double>(items[i]);
  }
  template <class T, std::size_t N>
  constexpr void operator()(const char*, const static_vector<T, N>& f) {
    write(f.items, f.count);
  }
  /// A list that says how many of its numbers count (window.hpp).
  template <class List>
    requires requires(const List& f) { f.period(); }
  constexpr void operator()(const char*, const List& f) {
    write(f.items, f.period());
  }
  constexpr void operator()(const char*, const activation_function& f) {
    *to++ = static_cast<double>(f.kind);
    *to++ = static_cast<double>(f.a);
    *to++ = static_cast<double>(f.b);
  }
  constexpr void operator()(const char*, const optional_number& f) {
    *to++ = f.present ? 1.0 : 0.0;
    *to++ = static_cast<double>(f.value);
  }
  constexpr void operator()(const char*, const quantization& f) {
    *to++ = f.scale;
    *to++ = f.zero;
  }

 private:
  template <class T>
  constexpr void write(const T* items, std::size_t n) {
    *to++ = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) *to++ = static_cast<double>(items[i]);
  }
};

/// Reads each field from `from`, which moves on.
struct field_reader {
  const double* from;

  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr void operator()(const char*, Number& f) {
    f = static_cast<Number>(*from++);
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  constexpr void operator()(const char*, Enum& f) {
    f = static_cast<Enum>(static_cast<int>(*from++));
  }
  template <class T, std::size_t N>
  constexpr void operator()(const char*, std::array<T, N>& f) {
    T* items = f.data();
    for (std::size_t i = 0; i < N; ++i) items[i] = static_cast<T>(*from++);
  }
  template <class T, std::size_t N>
  constexpr void operator()(const char*, static_vector<T, N>& f) {
    f.count = static_cast<std::size_t>(*from++);
    for (std::size_t i = 0; i < f.count; ++i) f.items[i] = static_cast<T>(*from++);
  }
  constexpr void operator()(const char*, activation_function& f) {
    f.kind = static_cast<function>(static_cast<int>(*from++));
    f.a = static_cast<float>(*from++);
    f.b = static_cast<float>(*from++);
  }
  constexpr void operator()(const char*, optional_number& f) {
    f.present = *from++ != 0;
    f.value = static_cast<float>(*from++);
  }
  constexpr void operator()(const char*, quantization& f) {
    f.scale = *from++;
    f.zero = static_cast<int>(*from++);
  }
};

template <class Field>
constexpr void encode_field(const Field& f, field_values& to) {
  field_writer write{to.items + to.count};
  write("", f);
  to.count = static_cast<std::size_t>(write.to - to.items);
}

template <class Op>
constexpr field_values encode(const Op& op) {
  field_values out;
  field_writer write{out.items};
  Op::fields(op, write);
  out.count = static_cast<std::size_t>(write.to - out.items);
  return out;
}

template <class Op>
constexpr Op decode(span<const double> numbers) {
  Op op;
  field_reader read{numbers.data()};
  Op::fields(op, read);
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

/// May its activation be prelu?
template <class Op>
constexpr bool takes_slopes() {
  if constexpr (requires { Op::takes_slopes; }) return Op::takes_slopes;
  else return false;
}

template <class Op>
constexpr bool f32_takes_scratch() {
  if constexpr (requires { Op::f32_takes_scratch; }) return Op::f32_takes_scratch;
  else return true;
}

template <class Op>
constexpr int tier_of() {
  if constexpr (requires { Op::tier; }) return Op::tier;
  else return 0;
}

template <class Op>
inline constexpr traits traits_of = [] {
  if constexpr (requires { Op::is; }) return Op::is;
  else return traits{};
}();

/// The weights of an operator that are inputs of its nodes instead of numbers of their own: bit k for slot k. An
/// operator with weights has such a field, `given`, its last one; these inputs come after the others, in the order of
/// the slots.
using slot_set = unsigned;
constexpr int count_slots(slot_set s) {
  int n = 0;
  for (; s != 0; s &= s - 1) ++n;
  return n;
}
template <class Op>
inline constexpr bool can_be_given_weights = requires(Op op) { op.given; };
template <class Op>
constexpr slot_set given_slots(const Op& op) {
  if constexpr (can_be_given_weights<Op>) return op.given;
  else return 0;
}

/// `of` and `made` are the elements of inputs and outputs: of floats if they are not said.
template <class Op>
constexpr weight_slots weights_of(const Op& op, inputs in, types of = {}, types made = {}) {
  if constexpr (requires { op.weights(in, of, made); }) return op.weights(in, of, made);
  else if constexpr (requires { op.weights(in); }) return op.weights(in);
  else return {};
}

/// Bytes that a kernel gets when it takes n items of `size` bytes from its scratch memory.
inline constexpr std::size_t scratch_alignment = 16;
constexpr std::int64_t scratch_for(std::int64_t n, std::size_t size) {
  constexpr auto each = static_cast<std::int64_t>(scratch_alignment);
  return (n * static_cast<std::int64_t>(size) + each - 1) / each * each;
}
/// The same where items are as long as the longest element.
constexpr std::int64_t scratch_for(std::int64_t n) { return scratch_for(n, 8); }

/// For all that an operator reads and writes, as floats.
constexpr std::int64_t scratch_for_floats(inputs in, span<const extents> out) {
  std::int64_t sum = 0;
  for (const extents& x : in) sum += scratch_for(x.count(), sizeof(float));
  for (const extents& y : out) sum += scratch_for(y.count(), sizeof(float));
  return sum;
}

/// An option of a declared layer: the numbers for one field, such as kernel<3, 5>.
struct option_record {
  std::string_view key;
  span<const double> values;
};

/// Writes an option's numbers into a field. One number fills both sides of a pair or all margins; two margins are
/// (vertical, horizontal); an activation may leave out its parameters. False: the field cannot take that many.
template <class Field>
constexpr bool set_field(Field& f, span<const double> values) {
  double numbers[2 * max_list]{};
  std::size_t n = values.size();
  if (n >= max_list) return false;
  for (std::size_t i = 0; i < n; ++i) numbers[i] = values[i];
  if constexpr (detail::is_list<Field>::value) {
    if (n > Field::capacity()) return false;
    for (std::size_t i = n; i > 0; --i) numbers[i] = numbers[i - 1];
    numbers[0] = static_cast<double>(n);
  } else if constexpr (detail::is_array<Field>::value) {
    const std::size_t needed = f.size();
    if (n != needed && n != 1 && 2 * n != needed) return false;
    for (std::size_t i = n; i < needed; ++i) numbers[i] = numbers[i - n];
  } else if constexpr (std::is_same_v<Field, activation_function>) {
    if (n < 1 || n > 3) return false;
  } else if constexpr (std::is_same_v<Field, quantization>) {
    if (n < 1 || n > 2) return false;
  } else if constexpr (std::is_same_v<Field, optional_number>) {
    if (n != 1) return false;
    numbers[1] = numbers[0];
    numbers[0] = 1;
  } else {
    if (n != 1) return false;
  }
  field_reader read{numbers};
  read("", f);
  return true;
}

namespace detail {

template <class Field>
struct number_of {
  using type = Field;
};
template <class T, std::size_t N>
struct number_of<std::array<T, N>> {
  using type = T;
};
template <class T, std::size_t N>
struct number_of<static_vector<T, N>> {
  using type = T;
};
template <>
struct number_of<activation_function> {
  using type = float;
};
template <>
struct number_of<optional_number> {
  using type = float;
};
template <>
struct number_of<quantization> {
  using type = double;
};

}  // namespace detail

/// Can the field hold these numbers as they are, or would it cut off fractions?
template <class Field>
constexpr bool holds(span<const double> values) {
  if constexpr (std::is_same_v<Field, quantization>) return values.size() < 2 || holds<int>(values.subspan(1, 1));
  if constexpr (!std::is_floating_point_v<typename detail::number_of<Field>::type>) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double v = values[i];
      if (v < -2147483648.0 || v > 2147483647.0 || v != static_cast<double>(static_cast<int>(v))) return false;
    }
  }
  return true;
}

/// An option of a layer as one would write it.
struct spelled_option {
  std::string_view key{};
  field_values values{};
};
inline constexpr std::size_t max_options = 20;
using spelled_options = static_vector<spelled_option, max_options>;

namespace detail {

/// As few numbers as set_field() turns into the same field.
template <class Field>
constexpr field_values spell(const Field& f) {
  field_values all;
  encode_field(f, all);
  if constexpr (is_list<Field>::value || std::is_same_v<Field, optional_number>) {
    for (std::size_t i = 1; i < all.size(); ++i) all[i - 1] = all[i];
    --all.count;
    if constexpr (std::is_same_v<Field, optional_number>)
      if (!f.present) all.count = 0;  // not the same as 0
  } else if constexpr (is_array<Field>::value) {
    for (std::size_t n : {std::size_t{1}, all.size() / 2}) {
      bool repeats = true;
      for (std::size_t i = n; i < all.size(); ++i) repeats = repeats && all[i] == all[i % n];
      if (repeats) {
        all.count = n;
        break;
      }
    }
  } else if constexpr (std::is_same_v<Field, activation_function> || std::is_same_v<Field, quantization>) {
    while (all.size() > 1 && all[all.size() - 1] == 0) --all.count;
  }
  return all;
}

// What visits fields is a struct where it can be, and no lambda of each operator: compilers make one function of it for
// each type of field.

/// How many numbers, from `row` on, are one field's.
template <class Field>
constexpr std::size_t numbers_in(const double* row) {
  if constexpr (is_list<Field>::value) return 1 + static_cast<std::size_t>(*row);
  else if constexpr (is_array<Field>::value) return std::tuple_size_v<Field>;
  else if constexpr (std::is_same_v<Field, activation_function>) return 3;
  else if constexpr (std::is_same_v<Field, optional_number> || std::is_same_v<Field, quantization>) return 2;
  else return 1;
}

/// Spells the fields of a row of numbers that differ from those of another. Most do not: they are neither read nor
/// spelled.
struct field_speller {
  const double *row, *plain;  ///< the field that is visited next
  spelled_options different{};

  template <class Field>
  constexpr void operator()(const char* key, const Field&) {
    const std::size_t n = numbers_in<Field>(row), before = numbers_in<Field>(plain);
    bool same = n == before;
    for (std::size_t i = 0; same && i < n; ++i) same = row[i] == plain[i];
    if (!same) {
      const field_values values = spell(field_at<Field>(row));
      if (!(values == spell(field_at<Field>(plain)))) different.push_back({key, values});
    }
    row += n;
    plain += before;
  }

 private:
  template <class Field>
  static constexpr Field field_at(const double* row) {
    Field f{};
    field_reader read{row};
    read("", f);
    return f;
  }
};

/// Writes an option into the field that it names.
struct option_taker {
  const option_record& option;
  unsigned given;      ///< fields, a bit each
  unsigned field = 1;  ///< the one that is visited
  mistake wrong = mistake::unknown_option;

  template <class Field>
  constexpr void operator()(const char* key, Field& f) {
    if (wrong == mistake::unknown_option && same_word(key, option.key)) {
      const bool fits = set_field(f, option.values);
      wrong = (given & field) != 0            ? mistake::option_given_twice
              : !holds<Field>(option.values) ? mistake::not_a_whole_number
              : !fits                        ? mistake::option_count
                                             : mistake::none;
      given |= field;
    }
    field <<= 1;
  }
};

/// The name of the last field.
struct last_field {
  std::string_view name{};
  constexpr void operator()(const char* key, const auto&) { name = key; }
};

}  // namespace detail

/// What a layer without options has.
template <class Op>
constexpr field_values default_fields() {
  return encode(Op{});
}

/// Options that differ from their defaults, in the order of the operator's fields.
template <class Op>
constexpr spelled_options spell_options(span<const double> fields) {
  const field_values plain = default_fields<Op>();
  detail::field_speller spell{fields.items, plain.items};
  const Op any;
  Op::fields(any, spell);
  return spell.different;
}

/// What a node of an operator looks like, given its inputs and what is wanted of it.
struct description {
  span<const element> wanted{};  ///< of the outputs, where the operator leaves a choice; none: it chooses
  pool<extents> outputs{};
  pool<element> types{};   ///< of the outputs; empty means all f32
  weight_slots weights{};  ///< without those that are inputs
};

template <class T>
struct basic_arguments;  // kernels/tensor.hpp
using arguments = basic_arguments<float>;
using erased_kernel = void (*)(std::span<const double> fields, const arguments&);

/// The operator with its type erased: what a graph's node points to. One object an operator, so addresses compare.
struct operator_type {
  const char* key;  ///< that of the struct (struct_of)
  std::string_view name;
  int min_inputs;
  int max_inputs;
  int tier;  ///< operators may be replaced, one for one, by lower ones of the same meaning
  /// What the node itself adds to it; null: nothing.
  int (*own_tier)(span<const double> fields);
  traits is;
  /// The node's own layouts, if they depend on it; else null, and those of `is` hold.
  layout_rule (*layouts)(span<const double> fields, inputs);
  /// Shapes of the outputs and the weights, or what is wrong.
  problem (*describe)(span<const double> fields, inputs, types, description&);
  std::int64_t (*macs)(span<const double>, inputs, span<const extents>);
  /// Bytes of memory that the kernel takes while it runs; null: none.
  std::int64_t (*scratch)(span<const double>, inputs, types, span<const extents>);
  /// Of which it can do with so many; then it divides its work among fewer threads.
  std::int64_t (*least_scratch)(span<const double>, inputs, types, span<const extents>);
  bool f32_takes_scratch;
  /// Fields from a declared layer's options.
  problem (*configure)(span<const option_record>, field_values&);
  bool takes_given;  ///< the last field is `given`
  /// May a node with `inputs` inputs write its result k over input i?
  bool (*overwrites)(span<const double> fields, int inputs, int i, int k);
  /// Must a node's kernel see to numbers that it refuses? Then it runs whole, on the thread of who called.
  bool (*refuses)(span<const double> fields);
  spelled_options (*spell)(span<const double> fields);
  /// Makes the operator's struct, of `size` bytes, which needs no destructor.
  std::size_t size;
  void (*construct)(span<const double> fields, void* to);
  /// The constexpr kernel that defines the operator: f32, nchw, weights in logical order. Null if it has none.
  erased_kernel (*reference)();
  /// Does the kernel want slot `slot`, numbers of this type, packed?
  bool (*packs)(int slot, dtype of);
  /// Numbers that weight slot `slot` takes when packed for kernels with blocks of `block` channels, and the packing.
  std::int64_t (*packed_count)(span<const double> fields, int slot, const extents& shape, int block);
  void (*pack)(span<const double> fields, int slot, const extents& shape, const float* from, float* to, int block);
  /// The axis of the result, counted back from the last, that parts of input `i` along its axis `back` are computed
  /// into part by part, as if each were all there is; -1 if what lies in another part matters. The struct's
  /// passes(back, in) is of the first input and of all that are divided with it, passes(i, back, in) of each.
  int (*passes)(span<const double> fields, int i, int back, inputs);
  /// The field `axis` of an operator that is by_channel (channel_axis.hpp); null for others.
  int (*channel_axis)(span<const double> fields);
  /// The fields for an input whose axes have moved (axis_map.hpp); null: they are the same.
  bool (*move_axes)(span<const double> fields, const axis_map&, field_values& moved);
  /// The struct's name in C++, "ctnn::op::gather".
  std::string_view (*spelling)();
};

/// What a struct must have to be an operator.
struct any_field {
  void operator()(const char*, auto&) const;
};
template <class Op>
concept has_name = requires { std::string_view(Op::name); };
template <class Op>
concept has_fields = requires(Op& op) { Op::fields(op, any_field{}); };
template <class Op>
concept has_infer = requires(const Op& op, inputs in, outputs result) {
  { op.infer(in, result) } -> std::same_as<problem>;
};
template <class Op>
concept operation = has_name<Op> && has_fields<Op> && has_infer<Op>;

/// The code of an operator, for its record; kernels/operator_code.hpp has it. (Declared only, so that no unit makes a
/// record without its kernels.)
template <class Op>
struct operator_code;

namespace detail {

template <class Op>
struct erased;

/// As compilers name a template argument in spelling_of's own name: "... Op = ctnn::op::gather; ...", or "]" behind
/// it; MSVC "...spelling_of<struct ctnn::op::gather>(void)".
constexpr std::string_view spelling_in(std::string_view all) {
  if (const auto at = all.find("Op = "); at != all.npos) {
    all.remove_prefix(at + 5);
    return all.substr(0, all.find_first_of(";]"));
  }
  all.remove_prefix(all.find("spelling_of<") + 12);
  all = all.substr(0, all.rfind(">("));
  return all.substr(all.starts_with("struct ") ? 7 : all.starts_with("class ") ? 6 : 0);
}
/// The struct's name in C++.
template <class Op>
constexpr std::string_view spelling_of() {
  return spelling_in(CTNN_FUNCTION);
}

template <class Op>
constexpr auto channel_axis_of() -> int (*)(span<const double>) {
  if constexpr (requires { Op::by_channel; }) return [](span<const double> f) { return decode<Op>(f).axis; };
  else return nullptr;
}

template <class Op>
constexpr auto move_axes_of() -> bool (*)(span<const double>, const axis_map&, field_values&) {
  if constexpr (requires(Op& op, const axis_map& m) { op.move_axes(m); })
    return [](span<const double> f, const axis_map& m, field_values& moved) {
      Op op = decode<Op>(f);
      const bool fits = op.move_axes(m);
      moved = encode(op);
      return fits;
    };
  else return nullptr;
}

template <class Op>
constexpr bool takes_given() {
  if constexpr (can_be_given_weights<Op>) {
    last_field last;
    const Op op;
    Op::fields(op, last);
    return last.name == "given";
  }
  return false;
}

}  // namespace detail

template <class Op>
inline constexpr char key_of{};

#if CTNN_UNIT && !CTNN_DEFINES(CTNN_PART_RECORDS)
template <class Op>
extern const operator_type type_of;
#else
template <class Op>
inline constexpr operator_type type_of{&key_of<Op>,
                                       Op::name,
                                       min_inputs<Op>(),
                                       max_inputs<Op>(),
                                       tier_of<Op>(),
                                       detail::erased<Op>::tier_by_node(),
                                       traits_of<Op>,
                                       detail::erased<Op>::layouts_by_node(),
                                       &detail::erased<Op>::describe,
                                       &detail::erased<Op>::macs,
                                       detail::erased<Op>::scratch_if_any(),
                                       detail::erased<Op>::least_scratch_if_any(),
                                       f32_takes_scratch<Op>(),
                                       &detail::erased<Op>::configure,
                                       detail::takes_given<Op>(),
                                       &detail::erased<Op>::overwrites,
                                       &detail::erased<Op>::refuses,
                                       &spell_options<Op>,
                                       sizeof(Op),
                                       &detail::erased<Op>::construct,
                                       &operator_code<Op>::reference,
                                       &operator_code<Op>::packs,
                                       &operator_code<Op>::packed_count,
                                       &operator_code<Op>::pack,
                                       &detail::erased<Op>::passes,
                                       detail::channel_axis_of<Op>(),
                                       detail::move_axes_of<Op>(),
                                       &detail::spelling_of<Op>};
#endif

namespace detail {

// From an operator_type back to its struct, by overload and not by a list that somebody must keep: erased<Op> defines
// the function that named_struct<&key_of<Op>> declares. (Not the record's own address: its value is made of
// erased<Op>.)
template <const char* Key>
struct named_struct {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
  friend constexpr auto struct_behind(named_struct<Key>);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
};

template <class Op>
struct erased {
  friend constexpr auto struct_behind(named_struct<&key_of<Op>>) { return std::type_identity<Op>{}; }

  static constexpr problem describe(span<const double> f, inputs in, types in_types, description& result) {
    const Op op = decode<Op>(f);
    const int given = count_slots(given_slots(op)), n = static_cast<int>(in.size()) - given;
    if (n < min_inputs<Op>() || n > max_inputs<Op>())
      return {
          mistake::wrong_number_of_inputs, Op::name, {n + given}, {min_inputs<Op>() + given, max_inputs<Op>() + given}};
    if constexpr (requires { op.activation.kind == function::none; })
      if (op.activation.kind == function::prelu && !takes_slopes<Op>())
        return {mistake::option_out_of_range, "activation"};
    const auto own = static_cast<std::size_t>(n);
    const int results = ir::output_count(op);
    result.outputs = pool<extents>(static_cast<std::size_t>(results > 0 ? results : 1), {});
    if (const problem p = op.infer(in.first(own), result.outputs)) return p;
    const types of = in_types.first(in_types.size() < own ? in_types.size() : own);
    if (const problem p = describe_types(op, of, result)) return p;
    result.weights = weights_of(op, in.first(own), of, {result.types.data(), result.types.size()});
    const dtype first = in_types.empty() ? dtype::f32 : in_types[0].type;
    for (weight_slot& s : result.weights)  // weights are of the input's type unless they say otherwise
      if (s.as_input || (s.type == dtype::f32 && (first == dtype::f64 || first == dtype::f16 || first == dtype::bf16)))
        s.type = first;
    return given == 0
               ? problem{}
               : take_given(op, in.subspan(own), in_types.size() > own ? in_types.subspan(own) : types{}, result);
  }
  /// Inputs that are weights must be what the slots need; what is left are the slots with numbers of their own.
  static constexpr problem take_given(const Op& op, inputs in, types in_types, description& result) {
    weight_slots rest;
    std::size_t next = 0;
    for (std::size_t k = 0; k < result.weights.size(); ++k) {
      const weight_slot& s = result.weights[k];
      if ((given_slots(op) >> k & 1u) == 0) {
        rest.push_back(s);
        continue;
      }
      if (!(in[next] == s.shape)) return {mistake::shape_mismatch, s.name, in[next], s.shape};
      const dtype type = next < in_types.size() ? in_types[next].type : dtype::f32;
      if (s.type != type) return {mistake::element_type, s.name, {static_cast<int>(type)}};
      ++next;
    }
    if (next != in.size())
      return {mistake::option_out_of_range,
              "given",
              {static_cast<int>(given_slots(op))},
              {static_cast<int>(result.weights.size())}};
    result.weights = rest;
    return {};
  }
  /// No types given, or all f32 where the operator has nothing to say: nothing to write down.
  static constexpr problem describe_types(const Op& op, types in, description& result) {
    static_assert(
        !requires(span<dtype> out) { op.infer_types(in, out); },
        "ctnn: infer_types(types in, span<element> out): outputs have elements, which dtypes convert to");
    if constexpr (requires(span<element> out) { op.infer_types(in, result.wanted, out); }) {
      result.types = pool<element>(result.outputs.size(), dtype::f32);
      if (const problem p = op.infer_types(in, result.wanted, result.types)) return p;
    } else if constexpr (requires(span<element> out) { op.infer_types(in, out); }) {
      result.types = pool<element>(result.outputs.size(), dtype::f32);
      if (const problem p = op.infer_types(in, result.types)) return p;
    } else {
      for (const element& t : in)
        if (t.type != in[0].type) return {mistake::element_type, Op::name, {static_cast<int>(t.type)}};
      if (!in.empty() && in[0] != dtype::f32) result.types = pool<element>(result.outputs.size(), in[0].type);
    }
    if (traits_of<Op>.copies) hand_on(in, result.types);
    return take_wanted(result);
  }
  /// Integers that stand for themselves may as well be asked to stand for other numbers; those that stand for some
  /// already may not.
  static constexpr problem take_wanted(description& result) {
    for (std::size_t k = 0; k < result.wanted.size() && k < result.outputs.size(); ++k) {
      const element& asked = result.wanted[k];
      if (!asked.real) continue;
      const element made = result.types.empty() ? element{} : result.types[k];
      const bool fits = made.type == asked.type && (!made.real || made.real == asked.real);
      if (!fits || check_quantization("as", asked.real, asked.type))
        return {mistake::no_such_element, Op::name, {static_cast<int>(made.type)}, {static_cast<int>(asked.type)}};
      result.types[k] = asked;
    }
    return {};
  }
  /// Integers that are copied stand for what they stood for, if that is the same in all inputs of their type.
  static constexpr void hand_on(types in, pool<element>& out) {
    for (element& made : out) {
      bool first = true;
      for (const element& e : in) {
        if (e.type != made.type) continue;
        if (!first && !same_numbers(e, made)) {
          made = made.type;
          break;
        }
        made = e;
        first = false;
      }
    }
  }
  static constexpr std::int64_t macs(span<const double> f, inputs in, span<const extents> out) {
    if constexpr (requires(const Op& op) { op.macs(in, out); }) return decode<Op>(f).macs(in, out);
    else return 0;
  }
  static constexpr bool scratch_by_types = requires(const Op& op, inputs in, types of, span<const extents> out) {
    op.scratch(in, of, out);
  };
  static constexpr std::int64_t scratch(span<const double> f, inputs in, [[maybe_unused]] types of,
                                        span<const extents> out) {
    if constexpr (scratch_by_types) return decode<Op>(f).scratch(in, of, out);
    else return decode<Op>(f).scratch(in, out);
  }
  using scratch_function = std::int64_t (*)(span<const double>, inputs, types, span<const extents>);
  static constexpr scratch_function scratch_if_any() {
    if constexpr (scratch_by_types ||
                  requires(const Op& op, inputs in, span<const extents> out) { op.scratch(in, out); })
      return &erased::scratch;
    else return nullptr;
  }
  static constexpr std::int64_t least_scratch(span<const double> f, inputs in, [[maybe_unused]] types of,
                                              span<const extents> out) {
    if constexpr (scratch_by_types) return decode<Op>(f).least_scratch(in, of, out);
    else return decode<Op>(f).least_scratch(in, out);
  }
  static constexpr scratch_function least_scratch_if_any() {
    if constexpr (requires { &Op::least_scratch; }) return &erased::least_scratch;
    else return scratch_if_any();
  }
  static constexpr problem configure(span<const option_record> options, field_values& result) {
    Op op;
    unsigned given = 0;  // fields, a bit each
    for (const option_record& o : options) {
      option_taker take{o, given};
      Op::fields(op, take);
      if (take.wrong == mistake::option_count)
        return {take.wrong, o.key, {static_cast<int>(o.values.size())}};
      if (take.wrong != mistake::none) return {take.wrong, o.key};
      given = take.given;
    }
    result = encode(op);
    return {};
  }
  static constexpr bool overwrites([[maybe_unused]] span<const double> f, int inputs, int i, int k) {
    if constexpr (requires(const Op& op) { op.overwrites(inputs, i, k); })
      return decode<Op>(f).overwrites(inputs, i, k);
    else if (k > 0) return false;
    else if constexpr (requires { Op::overwrites(inputs, i); }) return Op::overwrites(inputs, i);
    else if constexpr (requires(const Op& op) { op.overwrites(inputs, i); }) return decode<Op>(f).overwrites(inputs, i);
    else return i < inputs && traits_of<Op>.in_place;
  }
  static constexpr bool refuses([[maybe_unused]] span<const double> f) {
    if constexpr (requires(const Op& op) { op.refuses(); }) return decode<Op>(f).refuses();
    else return false;
  }
  static constexpr int passes(span<const double> f, [[maybe_unused]] int i, int back, inputs in) {
    if constexpr (requires(const Op& op) { op.passes(i, back, in); }) return decode<Op>(f).passes(i, back, in);
    else if constexpr (requires(const Op& op) { op.passes(back, in); }) return decode<Op>(f).passes(back, in);
    else if constexpr (requires { Op::by_channel; })
      return in[0].rank - 1 - back == channel_axis(in[0], decode<Op>(f).axis) ? -1 : back;
    else return traits_of<Op>.each ? back : -1;
  }
  static constexpr layout_rule layouts(span<const double> f, inputs in) { return decode<Op>(f).layouts(in); }
  static constexpr auto tier_by_node() -> int (*)(span<const double>) {
    if constexpr (requires(const Op& op) { op.own_tier(); })
      return [](span<const double> f) { return decode<Op>(f).own_tier(); };
    else return nullptr;
  }
  static constexpr auto layouts_by_node() -> layout_rule (*)(span<const double>, inputs) {
    if constexpr (requires(const Op& op, inputs in) { op.layouts(in); }) return &erased::layouts;
    else return nullptr;
  }
  static void construct(span<const double> f, void* to) {
    static_assert(std::is_trivially_copyable_v<Op>);
    ::new (to) Op(decode<Op>(f));
  }
};

}  // namespace detail

/// The field `given` of an operator that has one.
constexpr slot_set given_of(const operator_type& type, span<const double> fields) {
  return type.takes_given ? static_cast<slot_set>(fields[fields.size() - 1]) : 0;
}

/// The struct whose type_of this is.
template <const operator_type* Type>
using struct_of = typename decltype(struct_behind(detail::named_struct<Type->key>{}))::type;

}  // namespace ctnn::ir
