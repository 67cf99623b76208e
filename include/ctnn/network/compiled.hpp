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
/// `needed` what would have been. Made in place: compilers spend more on copying a constant than on the pass.
template <graph_capacity Guess>
struct attempt {
  graph_capacity needed;
  bool fits;
  problem_report error;
  frozen_graph<Guess> g;

  constexpr explicit attempt(const graph_view& v, const problem_report& found = {})
      : needed(capacity_of(v)), fits(needed.fits_in(Guess)), error(found), g(fits ? v : graph_view{}) {}
  constexpr graph_view view() const { return g.view(); }
};

template <class Net>
struct lowered {
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
    lowering l;
    lower(records, l);
    // Empty if the network is wrong: the message below is enough.
    return attempt<Size>(l.error ? graph_view{} : l.g.view(), {l.error, l.layer});
  }
  static constexpr auto first = run<guess()>();
};
template <class Net>
struct lowered_exactly {
  static constexpr auto result = lowered<Net>::template run<lowered<Net>::first.needed>();
};

template <class Net>
struct compiled {
  static constexpr problem_report error = lowered<Net>::first.error;
  static constexpr bool valid = require_no_problem<error>();
  static constexpr graph_view view() {
    if constexpr (!valid || lowered<Net>::first.fits) return lowered<Net>::first.view();  // asks for `valid`: mistakes are said here
    else return lowered_exactly<Net>::result.view();
  }
};

/// Not constexpr on purpose: the compiler's message names it and the rule.
inline void rule_does_not_lower_the_measure(std::string_view) {}

template <class Net, class Rules>
struct rewritten {
  static constexpr void optimize_into(optimization& o) {
    o = optimize(thaw(compiled<Net>::view()), Rules::records);
    if (!o.broken_rule.empty()) rule_does_not_lower_the_measure(o.broken_rule);
  }
  /// Folding a batch normalisation leaves about nine expressions behind, and what it replaces.
  static constexpr graph_capacity guess() {
    const graph_capacity c = capacity_of(compiled<Net>::view());
    return {c.nodes, c.values, 9 * c.operands / 2 + 64, 4 * c.fields + 64, 3 * c.expressions + 64, c.outputs};
  }
  template <graph_capacity Size>
  static constexpr attempt<Size> run() {
    optimization o;
    optimize_into(o);
    return attempt<Size>(o.g.view());
  }
  static constexpr auto first = run<guess()>();

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
template <class Net, class Rules>
struct rewritten_exactly {
  static constexpr auto result = rewritten<Net, Rules>::template run<rewritten<Net, Rules>::first.needed>();
};

/// Apart from the graph: only those who ask what happened pay for it.
template <class Net, class Rules>
struct rewriting_history {
  static constexpr auto steps = rewritten<Net, Rules>::template freeze_history<rewritten<Net, Rules>::count_steps()>();
};

}  // namespace detail

/// The graph of a network as declared.
template <class Net>
inline constexpr graph_view declared_graph = detail::compiled<Net>::view();

namespace detail {

template <class Net, class Rules>
constexpr graph_view view_of_optimized() {
  if constexpr (rewritten<Net, Rules>::first.fits) return rewritten<Net, Rules>::first.view();
  else return rewritten_exactly<Net, Rules>::result.view();
}

}  // namespace detail

/// The graph of a network after rewriting; its weights are expressions over the declared network's weights.
template <class Net, class Rules = default_rules>
inline constexpr graph_view optimized_graph = detail::view_of_optimized<Net, Rules>();

}  // namespace ctnn
