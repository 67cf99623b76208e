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

/// Letters of names in a constant of a guessed size: `needed` tells how many there are.
template <std::size_t Room>
struct name_letters {
  std::size_t needed = 0;
  std::array<char, Room + 1> text{};

  constexpr bool fits() const { return needed <= Room; }
};

template <class Pass>
struct names_exactly;

/// The graph that Pass::apply(graph, names, history) makes of Pass::source(). The names of new nodes are in a constant
/// that one run writes; another makes the graph.
template <class Pass>
struct naming_pass {
  struct new_names : name_maker {
    char* text;
    std::size_t room, used = 0;
    constexpr new_names(char* to, std::size_t n) : text(to), room(n) {}
    /// One behind another while there is room; from then on names are as long as they would be, and nobody reads them.
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
  struct kept_names : name_maker {
    const char* at;
    constexpr explicit kept_names(const char* first) : at(first) {}
    constexpr std::string_view operator()(std::string_view of, std::string_view with) override {
      const std::string_view name(at, of.size() + with.size());
      at += name.size();
      return name;
    }
  };
  static constexpr std::size_t guess_letters() {
    std::size_t n = 0;
    for (const node& x : Pass::source().nodes) n += 4 * x.name.size() + 32;
    return n;
  }
  template <std::size_t Room>
  static constexpr name_letters<Room> write_names() {
    name_letters<Room> out;
    new_names names(out.text.data(), Room);
    pool<rewrite_step> history;
    (void)Pass::apply(thaw(Pass::source()), names, history);
    out.needed = names.used;
    return out;
  }
  static constexpr auto first_names = write_names<guess_letters()>();
  static constexpr const char* letters() {
    if constexpr (first_names.fits()) return first_names.text.data();
    else return names_exactly<Pass>::names.text.data();
  }

  static constexpr graph make(pool<rewrite_step>& history) {
    kept_names names(letters());
    return Pass::apply(thaw(Pass::source()), names, history);
  }
  static constexpr graph_capacity guess() {
    const graph_capacity c = capacity_of(Pass::source());
    return {3 * c.nodes, 3 * c.values, 3 * c.operands, 3 * c.fields, 2 * c.expressions, c.outputs + c.nodes};
  }
  template <graph_capacity Size>
  static constexpr attempt<Size> run() {
    pool<rewrite_step> history;
    return attempt<Size>(make(history).view());
  }
  static constexpr auto first = run<guess()>();

  static constexpr void write_history(pool<rewrite_step>& to) { (void)make(to); }
};
template <class Pass>
struct names_exactly {
  static constexpr auto names = naming_pass<Pass>::template write_names<(naming_pass<Pass>::first_names.needed)>();
};
template <class Pass>
struct naming_pass_exactly {
  static constexpr auto result = naming_pass<Pass>::template run<naming_pass<Pass>::first.needed>();
};
template <class Pass>
constexpr const auto& made_by() {
  if constexpr (naming_pass<Pass>::first.fits) return naming_pass<Pass>::first;
  else return naming_pass_exactly<Pass>::result;
}

}  // namespace ctnn::ir::detail
