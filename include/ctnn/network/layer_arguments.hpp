// SPDX-License-Identifier: BSL-1.0
// What stands behind a layer's name: options, and from<...>.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "options.hpp"

namespace ctnn::detail {

template <class T>
struct is_option : std::false_type {};
template <fixed_string Key, number... Values>
struct is_option<option<Key, Values...>> : std::true_type {};
template <class T>
struct is_from : std::false_type {};
template <fixed_string... Names>
struct is_from<from<Names...>> : std::true_type {};

/// What stands behind a layer's name: an option, from<...>, or what is neither. One constant for each, and loops over
/// them below: compilers take longer for a template of a layer than for its shape.
struct layer_argument {
  const ir::option_record* option = nullptr;
  const std::span<const std::string_view>* from = nullptr;
};
template <class T>
inline constexpr layer_argument argument_of{};
template <fixed_string Key, number... Values>
inline constexpr layer_argument argument_of<option<Key, Values...>>{&option<Key, Values...>::record};
template <fixed_string... Names>
inline constexpr layer_argument argument_of<from<Names...>>{nullptr, &from<Names...>::list};

/// What is read: the names of from<...>, or else what stands before.
struct reading {
  std::span<const std::string_view> list{};
  int lists = 0;
};
constexpr reading reading_of(std::initializer_list<layer_argument> arguments) {
  reading r;
  for (const layer_argument& a : arguments) {
    if (a.from == nullptr) continue;
    ++r.lists;
    if (!a.from->empty()) r.list = *a.from;
  }
  return r;
}
template <class... Options>
struct reads {
  static constexpr reading found = reading_of({layer_argument{}, argument_of<Options>...});
  static constexpr std::span<const std::string_view> list() { return found.list; }
  static constexpr bool previous = found.lists == 0, twice = found.lists > 1;
};

constexpr std::size_t count_options(std::initializer_list<layer_argument> arguments) {
  std::size_t n = 0;
  for (const layer_argument& a : arguments) n += a.option ? 1u : 0u;
  return n;
}
template <std::size_t Count>
constexpr auto options_among(std::initializer_list<layer_argument> arguments) {
  std::array<ir::option_record, Count + 1> records{};
  std::size_t n = 0;
  for (const layer_argument& a : arguments)
    if (a.option) records[n++] = *a.option;
  return records;
}
/// Each is an option or from<...>.
constexpr bool are_known(std::initializer_list<layer_argument> arguments) {
  for (const layer_argument& a : arguments)
    if (!a.option && !a.from) return false;
  return true;
}
template <class... Options>
struct option_records {
  static constexpr std::size_t count = count_options({layer_argument{}, argument_of<Options>...});
  static constexpr auto records = options_among<count>({layer_argument{}, argument_of<Options>...});
  static constexpr std::span<const ir::option_record> all{records.data(), count};

  static_assert(are_known({argument_of<from<>>, argument_of<Options>...}),
                "ctnn: a layer takes a name, then options such as ctnn::kernel<3> or ctnn::from<\"other\">");
};

}  // namespace ctnn::detail
