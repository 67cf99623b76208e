// SPDX-License-Identifier: BSL-1.0
// A pass that makes nodes, and names for them, as a constant: expansions, streams, batches.
#pragma once

#include <array>

#include "../base/problem.hpp"
#include "../rewrite/expansion.hpp"
#include "frozen_graph.hpp"

namespace ctnn::ir::detail {

/// A pass's result in a constant of a guessed size, so that the pass runs once: `fits` tells whether the guess was
/// enough, `needed` what would have been. Made in place: compilers spend more on copying a constant than on the pass.
template <graph_capacity Guess>
struct attempt {
  graph_capacity needed;
  bool fits;
  problem_report error;
  std::size_t settled;  ///< nodes that no rule applies to
  std::string_view broken_rule;
  frozen_graph<Guess> g;

  constexpr explicit attempt(const graph_view& v, const problem_report& found = {}, std::size_t done = 0,
                             std::string_view broken = {})
      : needed(capacity_of(v)),
        fits(needed.fits_in(Guess)),
        error(found),
        settled(done),
        broken_rule(broken),
        g(fits ? v : graph_view{}) {}
  constexpr graph_view view() const { return g.view(); }
};

/// What a pass makes, and the letters of the names that it makes up: its graph points to them, so both are one constant
/// that one run writes.
template <class Pass, graph_capacity Size, std::size_t Letters>
struct named_graph {
  std::size_t letters;  ///< as `needed`
  graph_capacity needed;
  bool fits;
  std::array<char, Letters + 1> text{};
  frozen_graph<Size> g;

  /// Writes names one behind another while there is room; from then on they are as long as they would be, and nobody
  /// reads them.
  struct new_names : name_maker {
    char* text;
    std::size_t room = Letters, used = 0;
    constexpr explicit new_names(char* to) : text(to) {}
    constexpr std::string_view operator()(std::string_view of, std::string_view with) override {
      const std::size_t n = of.size() + with.size(), from = used;
      used += n;
      if (used > room) return {of.data(), n};
      char* at = text + from;
      for (char c : of) *at++ = c;
      for (char c : with) *at++ = c;
      return {text + from, n};
    }
  };
  constexpr named_graph() : letters(0), fits(false) {
    new_names names(text.data());
    pool<rewrite_step> history;
    const graph made = Pass::apply(thaw(Pass::source()), names, history);
    letters = names.used;
    needed = capacity_of(made.view());
    fits = letters <= Letters && needed.fits_in(Size);
    if (fits) g.hold(made.view());
  }
  constexpr graph_view view() const { return g.view(); }
};

template <class Pass>
struct naming_pass_exactly;

/// The graph that Pass::apply(graph, names, history) makes of Pass::source(), in room for as much as is likely.
template <class Pass>
struct naming_pass {
  static constexpr graph_capacity guess() {
    const graph_capacity c = capacity_of(Pass::source());
    return {3 * c.nodes, 3 * c.values, 3 * c.operands, 3 * c.fields, 2 * c.expressions, c.outputs + c.nodes};
  }
  static constexpr std::size_t guess_letters() {
    std::size_t n = 0;
    for (const node& x : Pass::source().nodes) n += 4 * x.name.size() + 32;
    return n;
  }
  static constexpr named_graph<Pass, guess(), guess_letters()> first{};

  static constexpr const auto& result() {
    if constexpr (first.fits) return first;
    else return naming_pass_exactly<Pass>::result;
  }

  /// Once more, with the names that there are.
  static constexpr void write_history(pool<rewrite_step>& to) {
    struct kept_names : name_maker {
      const char* at = result().text.data();
      constexpr std::string_view operator()(std::string_view of, std::string_view with) override {
        const std::string_view name(at, of.size() + with.size());
        at += name.size();
        return name;
      }
    } names;
    (void)Pass::apply(thaw(Pass::source()), names, to);
  }
};
template <class Pass>
struct naming_pass_exactly {
  static constexpr named_graph<Pass, naming_pass<Pass>::first.needed, naming_pass<Pass>::first.letters> result{};
};
template <class Pass>
constexpr const auto& made_by() {
  return naming_pass<Pass>::result();
}

}  // namespace ctnn::ir::detail
