// SPDX-License-Identifier: BSL-1.0
// The graphs of a declared network as constants: as written, and optimised. Each phase is a constant of its own, so
// each has the compiler's whole step limit.
#pragma once

#include "../rewrite/rules.hpp"
#include "check.hpp"
#include "lower.hpp"

namespace ctnn {

namespace detail {

template <class Net>
struct compiled {
  static constexpr std::span<const layer_record> records{Net::network_type::records};

  static constexpr problem_report check() {
    lowering l;
    lower(records, l);
    return {l.error, l.layer};
  }
  static constexpr problem_report error = check();
  static constexpr bool valid = require_no_problem<error>();

  /// Empty if the network is wrong: the message above is enough.
  static constexpr graph_capacity measure_declared() {
    lowering l;
    if (valid) lower(records, l);
    return capacity_of(l.g.view());
  }
  static constexpr graph_capacity capacity = measure_declared();
  static constexpr frozen_graph<capacity> freeze_declared() {
    lowering l;
    if (valid) lower(records, l);
    return frozen_graph<capacity>(l.g.view());
  }
  static constexpr frozen_graph<capacity> declared = freeze_declared();
};

/// Not constexpr on purpose: the compiler's message names it and the rule.
inline void rule_does_not_lower_the_measure(std::string_view) {}

template <class Net, class Rules>
struct rewritten {
  struct size {
    graph_capacity capacity;
    std::size_t steps;
  };
  static constexpr void run(optimization& o) {
    o = optimize(thaw(compiled<Net>::declared.view()), Rules::records);
    if (!o.broken_rule.empty()) rule_does_not_lower_the_measure(o.broken_rule);
  }
  static constexpr size measure_result() {
    optimization o;
    run(o);
    return {capacity_of(o.g.view()), o.history.size()};
  }
  static constexpr size needed = measure_result();
  static constexpr auto freeze_graph() {
    optimization o;
    run(o);
    return frozen_graph<needed.capacity>(o.g.view());
  }
  static constexpr auto freeze_history() {
    optimization o;
    run(o);
    static_vector<rewrite_step, needed.steps + 1> out;
    for (const rewrite_step& s : o.history) out.push_back(s);
    return out;
  }
  static constexpr auto result = freeze_graph();
};

/// Apart from the graph: only those who ask what happened pay for it.
template <class Net, class Rules>
struct rewriting_history {
  static constexpr auto steps = rewritten<Net, Rules>::freeze_history();
};

}  // namespace detail

/// The graph of a network as declared.
template <class Net>
inline constexpr graph_view declared_graph = detail::compiled<Net>::declared.view();

/// The graph of a network after rewriting; its weights are expressions over the declared network's weights.
template <class Net, class Rules = default_rules>
inline constexpr graph_view optimized_graph = detail::rewritten<Net, Rules>::result.view();

}  // namespace ctnn
