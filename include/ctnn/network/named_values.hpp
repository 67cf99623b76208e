// SPDX-License-Identifier: BSL-1.0
// Inputs and outputs of an engine by name: run(in<"x">(numbers), into<"y">(memory)). Which is which, and whether the
// lengths are right, the compiler knows.
#pragma once

#include <span>

#include "executable.hpp"

namespace ctnn {

namespace ir {

/// Numbers that input Name reads, or memory for those of output Name.
template <fixed_string Name, class T, std::size_t N, bool Into>
struct named_span {
  static constexpr auto name = Name;
  static constexpr bool into = Into;
  static constexpr std::size_t extent = N;
  using type = T;
  std::span<T, N> numbers;
};
template <class T>
inline constexpr bool is_named_span = false;
template <fixed_string Name, class T, std::size_t N, bool Into>
inline constexpr bool is_named_span<named_span<Name, T, N, Into>> = true;

namespace detail {

/// The names of inputs, or outputs, in their order.
template <class Net, bool Into>
struct value_names {
  using x = executable<Net>;
  static constexpr std::size_t count = Into ? x::output_count : x::input_count;
  static constexpr std::string_view at(std::size_t i) {
    if (!Into) return layer_name(x::g, x::input_values[i]);
    const network_output& o = x::output_at(i);
    return o.name.empty() ? layer_name(x::g, o.value) : o.name;
  }
  /// The place of a name; `count` if there is none.
  static constexpr std::size_t of(std::string_view name) {
    std::size_t i = 0;
    while (i < count && at(i) != name) ++i;
    return i;
  }
  static constexpr bool has(std::string_view name) { return of(name) != count; }
  static constexpr std::string_view nearest(std::string_view asked) {
    nearest_name near(asked);
    for (std::size_t i = 0; i < count; ++i) near.consider(at(i));
    return near.name();
  }
};

template <class Net, bool Into, fixed_string Name>
auto value_error_of() {
  using names = value_names<Net, Into>;
  if constexpr (!names::has(Name.view())) {
    constexpr std::string_view nearest = names::nearest(Name.view());
    constexpr fixed_string<nearest.size()> near(nearest);
    if constexpr (Into) return std::type_identity<unknown_name<no_such_output, value_called, Name, near>>{};
    else return std::type_identity<unknown_name<no_such_input, value_called, Name, near>>{};
  } else {
    return std::type_identity<no_error>{};
  }
}
/// Compiles only if there is an input, or output, of this name.
template <class Net, bool Into, fixed_string Name>
using value_error = typename decltype(value_error_of<Net, Into, Name>())::type;

template <class Net, class Named>
auto span_error_of() {
  using x = executable<Net>;
  constexpr std::size_t i = value_names<Net, Named::into>::of(Named::name.view());
  if constexpr (i == value_names<Net, Named::into>::count) {
    return std::type_identity<value_error<Net, Named::into, Named::name>>{};
  } else {
    using needed = cpp_type<Named::into ? x::output_type(i) : x::input_type(i)>;
    constexpr std::size_t size = Named::into ? x::output_size(i) : x::input_size(i);
    using got = std::remove_const_t<typename Named::type>;
    if constexpr (Named::extent != size) return std::type_identity<as_long<Named::extent, size>>{};
    else if constexpr (!std::is_same_v<got, needed>) return std::type_identity<of_type<got, needed>>{};
    else return std::type_identity<no_error>{};
  }
}
/// Compiles only if there is such a value, with as many numbers, of its type.
template <class Net, class Named>
using span_error = typename decltype(span_error_of<Net, Named>())::type;

template <class Net, class... Named>
auto times_error_of() {
  constexpr std::size_t wrong = [] {
    std::size_t times[executable<Net>::input_count + 1]{};
    for (std::size_t i : {executable<Net>::input_count,
                          Named::into ? executable<Net>::input_count
                                      : value_names<Net, false>::of(Named::name.view())...})
      ++times[i];
    for (std::size_t i = 0; i < executable<Net>::input_count; ++i)
      if (times[i] != 1) return times[i];
    return std::size_t{1};
  }();
  constexpr bool known = (value_names<Net, Named::into>::has(Named::name.view()) && ...);
  if constexpr (known && wrong != 1) return std::type_identity<given_once<wrong>>{};
  else return std::type_identity<no_error>{};
}
/// Compiles only if each input is given once.
template <class Net, class... Named>
using times_error = typename decltype(times_error_of<Net, Named...>())::type;

}  // namespace detail
}  // namespace ir

/// Numbers for the input of this name: an array, std::array or std::span of fixed length.
template <fixed_string Name, class Numbers>
constexpr auto in(const Numbers& numbers) {
  const std::span all(numbers);
  using span = std::remove_const_t<decltype(all)>;
  return ir::named_span<Name, const typename span::element_type, span::extent, false>{all};
}
/// Where the output of this name goes: memory of the caller's, of the same kind.
template <fixed_string Name, class Numbers>
constexpr auto into(Numbers&& numbers) {
  const std::span all(numbers);
  using span = std::remove_const_t<decltype(all)>;
  return ir::named_span<Name, typename span::element_type, span::extent, true>{all};
}

}  // namespace ctnn
