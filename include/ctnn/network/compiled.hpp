// SPDX-License-Identifier: BSL-1.0
// The graphs of a declared network as constants: as written, and optimised. Each phase is a constant of its own, so
// each has the compiler's whole step limit.
#pragma once

#include "../rewrite/rules.hpp"
#include "check.hpp"
#include "lower.hpp"

namespace ctnn {

namespace detail {

/// A pass's result in a constant of a guessed size, so that the pass runs once: `fits` tells whether the guess was enough,
/// `needed` what would have been.
template <graph_capacity Guess>
struct attempt {
  frozen_graph<Guess> g{};
  graph_capacity needed{};
  bool fits = false;
  problem_report error{};

  constexpr void take(const graph_view& v) {
    needed = capacity_of(v);
    fits = needed.fits_in(Guess);
    if (fits) g = frozen_graph<Guess>(v);
  }
};

template <class Net>
struct compiled {
  static constexpr std::span<const layer_record> records{Net::network_type::records};

  static constexpr graph_capacity guess() {
    std::size_t n = records.size(), extra = 0;
    for (const layer_record& l : records) {
      extra += l.from.size();
      for (const option_record& o : l.options) extra += o.values.size();
    }
    return {n, n + extra, 4 * n + extra, 12 * n + 2 * extra, 3 * n, n + extra};
  }
  template <graph_capacity Size>
  static constexpr attempt<Size> run() {
    attempt<Size> a;
    lowering l;
    lower(records, l);
    a.error = {l.error, l.layer};
    // Empty if the network is wrong: the message below is enough.
    a.take(l.error ? graph_view{} : l.g.view());
    return a;
  }
  static constexpr auto first = run<guess()>();
  static constexpr problem_report error = first.error;
  static constexpr bool valid = require_no_problem<error>();
  static constexpr auto finish() {
    if constexpr (!valid || first.fits) return first.g;  // asks for `valid`: what is wrong is said here
    else return run<first.needed>().g;
  }
  static constexpr auto declared = finish();
};

/// Not constexpr on purpose: the compiler's message names it and the rule.
inline void rule_does_not_lower_the_measure(std::string_view) {}

template <class Net, class Rules>
struct rewritten {
  static constexpr void optimize_into(optimization& o) {
    o = optimize(thaw(compiled<Net>::declared.view()), Rules::records);
    if (!o.broken_rule.empty()) rule_does_not_lower_the_measure(o.broken_rule);
  }
  /// Folding a batch normalisation leaves about ten expressions behind.
  static constexpr graph_capacity guess() {
    const graph_capacity c = capacity_of(compiled<Net>::declared.view());
    return {c.nodes, c.values, 4 * c.operands + 64, 3 * c.fields + 64, 3 * c.expressions + 64, c.outputs};
  }
  template <graph_capacity Size>
  static constexpr attempt<Size> run() {
    attempt<Size> a;
    optimization o;
    optimize_into(o);
    a.take(o.g.view());
    return a;
  }
  static constexpr auto first = run<guess()>();
  static constexpr auto finish() {
    if constexpr (first.fits) return first.g;
    else return run<first.needed>().g;
  }
  static constexpr auto result = finish();

  static constexpr std::size_t count_steps() {
    optimization o;
    optimize_into(o);
    return o.history.size();
  }
  template <std::size_t Steps>
  static constexpr auto freeze_history() {
    optimization o;
    optimize_into(o);
    static_vector<rewrite_step, Steps + 1> out;
    for (const rewrite_step& s : o.history) out.push_back(s);
    return out;
  }
};

/// Apart from the graph: only those who ask what happened pay for it.
template <class Net, class Rules>
struct rewriting_history {
  static constexpr auto steps = rewritten<Net, Rules>::template freeze_history<rewritten<Net, Rules>::count_steps()>();
};

}  // namespace detail

/// The graph of a network as declared.
template <class Net>
inline constexpr graph_view declared_graph = detail::compiled<Net>::declared.view();

/// The graph of a network after rewriting; its weights are expressions over the declared network's weights.
template <class Net, class Rules = default_rules>
inline constexpr graph_view optimized_graph = detail::rewritten<Net, Rules>::result.view();

}  // namespace ctnn
