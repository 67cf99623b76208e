// SPDX-License-Identifier: BSL-1.0
// Turns a problem with a declared network into a compile error that reads
//   error: static assertion failed: ctnn: the window is larger than the padded input
//   possible<layer_called<'c','o','n','v','2'>, what<'k','e','r','n','e','l'>, got<8, 8>, needed<11, 11>>
#pragma once

#include <utility>

#include "../base/mistakes.hpp"
#include "lower.hpp"

namespace ctnn::ir {

namespace detail {

struct no_error {};
template <const problem_report& Report, std::size_t... L, std::size_t... W, std::size_t... G, std::size_t... N,
          class... At>
auto error_of(std::index_sequence<L...>, std::index_sequence<W...>, std::index_sequence<G...>,
              std::index_sequence<N...>, std::type_identity<At>...)
    -> network_error<Report.found.kind, layer_called<Report.layer[L]...>, what<Report.found.what[W]...>,
                     got<Report.found.got[static_cast<int>(G)]...>, needed<Report.found.needed[static_cast<int>(N)]...>,
                     At...>;
/// Of a file without its folders.
template <const problem_report& Report>
inline constexpr std::string_view file_name = Report.file.substr(Report.file.find_last_of("/\\") + 1);
template <const problem_report& Report, std::size_t... F>
auto line_of(std::index_sequence<F...>) -> std::type_identity<in_line<Report.line, file_name<Report>[F]...>>;
template <const problem_report& Report>
auto error_in_of() {
  if constexpr (Report.found.kind == mistake::none) return std::type_identity<no_error>{};
  else if constexpr (Report.line == 0)
    return std::type_identity<decltype(error_of<Report>(
        std::make_index_sequence<Report.layer.size()>{}, std::make_index_sequence<Report.found.what.size()>{},
        std::make_index_sequence<static_cast<std::size_t>(Report.found.got.rank)>{},
        std::make_index_sequence<static_cast<std::size_t>(Report.found.needed.rank)>{}))>{};
  else
    return std::type_identity<decltype(error_of<Report>(
        std::make_index_sequence<Report.layer.size()>{}, std::make_index_sequence<Report.found.what.size()>{},
        std::make_index_sequence<static_cast<std::size_t>(Report.found.got.rank)>{},
        std::make_index_sequence<static_cast<std::size_t>(Report.found.needed.rank)>{},
        line_of<Report>(std::make_index_sequence<file_name<Report>.size()>{})))>{};
}

char look_into(const volatile void*);

}  // namespace detail

/// 1, having looked into a class. Its sizeof says as much, but Clang does not know what follows from the size of a
/// class with an error, and complains once more wherever that is used. A call by an argument that points to it looks
/// for functions in it, and can do without.
template <class Error>
inline constexpr std::size_t size_said = [] {
  using detail::look_into;
  return sizeof(look_into(static_cast<Error*>(nullptr)));
}();

/// A class that does not compile if there is a problem. Classes ask for its size: Clang holds every function invalid in
/// which something is wrong, and all that calls it. Words that others are built of ask for size_said<error_in<...>>.
template <const problem_report& Report>
using error_in = typename decltype(detail::error_in_of<Report>())::type;

/// Of the network that takes the place of one with a mistake.
template <class Net>
inline constexpr bool stands_in = false;

}  // namespace ctnn::ir
