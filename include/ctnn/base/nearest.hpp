// SPDX-License-Identifier: BSL-1.0
// "Did you mean": the name nearest to one that nothing has, in messages of compilers and programs.
#pragma once

#include <string_view>
#include <utility>

#include "fixed_string.hpp"
#include "mistakes.hpp"
#include "pool.hpp"

namespace ctnn::ir {

/// Letters to insert, delete or replace to get from one name to the other.
constexpr std::size_t edits_between(std::string_view a, std::string_view b) {
  pool<std::size_t> row(b.size() + 1, 0);  // from a's first letters to each of b's beginnings
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t least = diagonal + (a[i] == b[j] ? 0u : 1u);
      diagonal = row[j + 1];
      if (row[j] + 1 < least) least = row[j] + 1;
      if (row[j + 1] + 1 < least) least = row[j + 1] + 1;
      row[j + 1] = least;
    }
  }
  return row[b.size()];
}

/// Looks at names one by one and keeps the first of the nearest; one that shares no letter in its place is not near.
class nearest_name {
 public:
  constexpr explicit nearest_name(std::string_view asked) : asked_(asked) {}
  constexpr void consider(std::string_view name) {
    const std::size_t longer = name.size() > asked_.size() ? name.size() : asked_.size();
    const std::size_t at_least = 2 * longer - name.size() - asked_.size(), limit = name_.empty() ? longer : edits_;
    if (at_least >= limit) return;
    const std::size_t edits = edits_between(asked_, name);
    if (edits >= limit) return;
    name_ = name;
    edits_ = edits;
  }
  constexpr std::string_view name() const { return name_; }

 private:
  std::string_view asked_, name_{};
  std::size_t edits_ = 0;
};

namespace detail {

template <template <class, class> class Error, template <char...> class Called, fixed_string Asked,
          fixed_string Nearest, std::size_t... A, std::size_t... N>
auto unknown_name_of(std::index_sequence<A...>, std::index_sequence<N...>)
    -> Error<Called<Asked.text[A]...>, did_you_mean<Nearest.text[N]...>>;

}  // namespace detail

/// A class that does not compile: which name is unknown, and which is nearest to it.
template <template <class, class> class Error, template <char...> class Called, fixed_string Asked,
          fixed_string Nearest>
using unknown_name = decltype(detail::unknown_name_of<Error, Called, Asked, Nearest>(
    std::make_index_sequence<Asked.view().size()>{}, std::make_index_sequence<Nearest.view().size()>{}));

}  // namespace ctnn::ir
