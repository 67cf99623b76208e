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

template <char... Name>
struct value_called;
template <class Input, class Nearest>
struct no_such_input {
  static_assert(sizeof(Input*) == 0, "ctnn: the network has no input of this name; did_you_mean<...> is the nearest");
};
template <class Output, class Nearest>
struct no_such_output {
  static_assert(sizeof(Output*) == 0, "ctnn: the network has no output of this name; did_you_mean<...> is the nearest");
};
template <std::size_t Times>
struct given_once {
  static_assert(Times == 1, "ctnn: run(in<...>(...), ...) takes each input of the network once");
};
template <std::size_t Got, std::size_t Needed>
struct as_long {
  static_assert(Got == Needed,
                "ctnn: in<...> and into<...> take arrays or std::spans of as many numbers as the input or "
                "output has; of a vector std::span<T, numbers>(vector)");
};
template <class Got, class Needed>
struct of_type {
  static_assert(std::is_same_v<Got, Needed>,
                "ctnn: in<...> and into<...> take elements of the input's or output's type");
};

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

/// Compiles only if there is an input, or output, of this name.
template <class Net, bool Into, fixed_string Name>
constexpr void require_value() {
  using names = value_names<Net, Into>;
  if constexpr (!names::has(Name.view())) {
    constexpr std::string_view nearest = names::nearest(Name.view());
    constexpr fixed_string<nearest.size()> near(nearest);
    if constexpr (Into) (void)say_unknown_name<no_such_output, value_called, Name, near>();
    else (void)say_unknown_name<no_such_input, value_called, Name, near>();
  }
}

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
