// SPDX-License-Identifier: BSL-1.0
// "Did you mean": the name nearest to one that nothing has, in messages of compilers and programs.
#pragma once

#include <string_view>
#include <utility>

#include "fixed_string.hpp"
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

template <char... Name>
struct layer_called;
template <char... Name>
struct rule_called;
template <char... Name>
struct did_you_mean;

/// The compile error of a question about a layer that there is not.
template <class Layer, class Nearest>
struct unknown_layer {
  static_assert(sizeof(Layer*) == 0, "ctnn: no layer has this name; did_you_mean<...> is the nearest");
};
/// And of a rule's name.
template <class Rule, class Nearest>
struct unknown_rule {
  static_assert(sizeof(Rule*) == 0, "ctnn: no rule of the list has this name; did_you_mean<...> is the nearest");
};

namespace detail {

template <template <class, class> class Error, template <char...> class Called, fixed_string Asked,
          fixed_string Nearest, std::size_t... A, std::size_t... N>
constexpr bool unknown_name(std::index_sequence<A...>, std::index_sequence<N...>) {
  return sizeof(Error<Called<Asked.text[A]...>, did_you_mean<Nearest.text[N]...>>) > 0;
}

}  // namespace detail

/// Does not compile, and says which name is unknown and which is nearest to it.
template <template <class, class> class Error, template <char...> class Called, fixed_string Asked,
          fixed_string Nearest>
constexpr bool say_unknown_name() {
  return detail::unknown_name<Error, Called, Asked, Nearest>(std::make_index_sequence<Asked.view().size()>{},
                                                              std::make_index_sequence<Nearest.view().size()>{});
}

}  // namespace ctnn::ir
