// SPDX-License-Identifier: BSL-1.0
// The last phase of optimising a declared network: convolutions by Winograd's filtering take no more memory than the
// declared network needs layer by layer (plan/arena_budget.hpp), unless its rules are speed_first<...>.
#pragma once

#include "../plan/arena_budget.hpp"
#include "compiled.hpp"

namespace ctnn::ir {

namespace detail {

template <class Net, class Rules>
struct fitted {
  static constexpr graph_view source = rewritten<Net, Rules>().view();
  static constexpr std::int64_t budget = arena_by_layer(compiled<Net>::view());
  static constexpr graph_capacity size = [] {
    graph_capacity c = capacity_of(source);
    for (const node& n : source.nodes)
      if (winograd_size(source, n) > 0) c.fields += static_cast<std::size_t>(n.fields.count);
    return c;
  }();
  static constexpr frozen_graph<size> make() {
    graph g = thaw(source);
    fit_winograd(g, budget);
    return frozen_graph<size>(g.view());
  }
  static constexpr frozen_graph<size> result = make();
};

template <class Net, class Rules>
inline constexpr bool needs_fitting = [] {
  if constexpr (comes_speed_first<Rules>) return false;
  else return goes_by_winograd(rewritten<Net, Rules>().view());
}();
/// What the last rule made, fitted.
template <class Net, class Rules>
constexpr const auto& optimized_constant() {
  if constexpr (needs_fitting<Net, Rules>) return fitted<Net, Rules>::result;
  else return rewritten<Net, Rules>();
}

}  // namespace detail

/// The graph of a network after rewriting; its weights are expressions over the declared network's weights.
template <class Net, class Rules = default_rules>
inline constexpr graph_view optimized_graph = (void(sizeof(detail::rule_fault<Net, Rules>)),
                                               detail::optimized_constant<Net, Rules>().view());

}  // namespace ctnn::ir
