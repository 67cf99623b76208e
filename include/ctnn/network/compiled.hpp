// SPDX-License-Identifier: BSL-1.0
// The graphs of a declared network as constants: as written, and rewritten. Each phase is a constant of its own, so
// each has the compiler's whole step limit.
#pragma once

#include "../rewrite/expansions.hpp"
#include "../rewrite/rules.hpp"
#include "check.hpp"
#include "naming_pass.hpp"
#include "unfinished_lowering.hpp"

namespace ctnn::ir {

namespace detail {

/// Entries of a network that one constant lowers.
inline constexpr std::size_t entries_at_once = 128;

constexpr graph_capacity guess_of(span<const layer_record> records) {
  std::size_t n = records.size(), extra = 0;
  for (const layer_record& l : records) {
    extra += l.from.size();
    for (const option_record& o : l.options) extra += o.values.size();
  }
  return {n, n + extra, 4 * n + extra, 12 * n + 2 * extra, 3 * n, n + extra};
}

template <class Net, std::size_t Part>
constexpr const auto& unfinished();

/// Entries of part `Part`, behind what the part before made.
template <class Net, std::size_t Part>
constexpr void lower_part(lowering& l, lowering_position& position) {
  constexpr span<const layer_record> records = Net::network_type::flat();
  if constexpr (Part == 0) position.names = make_name_table(records);
  else unfinished<Net, Part - 1>().resume(l, position);
  constexpr std::size_t behind = (Part + 1) * entries_at_once;
  constexpr std::size_t end = behind < records.size() ? behind : records.size();
  // What layers usually need: compilers make a pool that grows anew, item by item.
  l.g.nodes.reserve(end);
  l.g.values.reserve(end);
  l.g.expressions.reserve(2 * end);
  l.g.operands.reserve(3 * end);
  l.g.fields.reserve(12 * end);
  lowerer(records, l, position).run(end);
}

/// A part that is not the last.
template <class Net, std::size_t Part>
struct lowering_part {
  static constexpr lowering_sizes guess() {
    constexpr span<const layer_record> records = Net::network_type::flat();
    const std::size_t n = (Part + 1) * entries_at_once;
    return {guess_of(records.first(n)), 2 * n, make_name_table(records).numbers().size(), 16, 4};
  }
  template <lowering_sizes Sizes>
  static constexpr unfinished_lowering<Sizes> run() {
    lowering l;
    lowering_position position;
    lower_part<Net, Part>(l, position);
    return unfinished_lowering<Sizes>(l, position);
  }
  static constexpr auto first = run<guess()>();
};
template <class Net, std::size_t Part>
struct lowering_part_exactly {
  static constexpr auto result = lowering_part<Net, Part>::template run<lowering_part<Net, Part>::first.needed>();
};
template <class Net, std::size_t Part>
constexpr const auto& unfinished() {
  if constexpr (lowering_part<Net, Part>::first.fits) return lowering_part<Net, Part>::first;
  else return lowering_part_exactly<Net, Part>::result;
}

template <class Net>
struct lowered {
  static constexpr std::size_t entries = Net::network_type::flat().size();
  static constexpr graph_capacity guess() { return guess_of(Net::network_type::flat()); }
  template <graph_capacity Size>
  static constexpr attempt<Size> run() {
    lowering l;
    lowering_position position;
    lower_part<Net, entries == 0 ? 0 : (entries - 1) / entries_at_once>(l, position);
    problem_report found{l.error, l.layer};
    if constexpr (requires { Net::network_type::located(found); }) found = Net::network_type::located(found);
    // Empty if the network is wrong: the message below is enough.
    return attempt<Size>(found.found ? graph_view{} : l.g.view(), found);
  }
  static constexpr auto first = run<guess()>();
};
/// Of what has no layers, as in engine<int>.
template <class Net>
  requires(!requires { typename Net::network_type; })
struct lowered<Net> {
  static constexpr attempt<guess_of({})> first{graph_view{}, problem_report{{mistake::no_network}, "the whole"}};
};
template <class Net>
struct lowered_exactly {
  static constexpr auto result = lowered<Net>::template run<lowered<Net>::first.needed>();
};

/// The network<...> that a class inherits: it is lowered and planned once, whatever names it has.
template <class Net>
struct network_behind {
  using type = Net;
};
template <class Net>
  requires requires { typename Net::network_type; }
struct network_behind<Net> {
  using type = typename Net::network_type;
};

template <class Net>
struct found_in {
  static_assert(sizeof(Net) > 0);  // what the list itself says (network.hpp)
  static constexpr problem_report error = lowered<typename network_behind<Net>::type>::first.error;
};
template <class Net>
struct compiled {
  using network_type = typename network_behind<Net>::type;
  static constexpr bool valid = size_said<error_in<found_in<Net>::error>> > 0 && !found_in<Net>::error.found;
  static constexpr graph_view view() {
    if constexpr (!valid || lowered<network_type>::first.fits)
      return lowered<network_type>::first.view();  // asks for `valid`: mistakes are said here
    else return lowered_exactly<network_type>::result.view();
  }
};

template <class Net>
inline constexpr bool needs_expansion = default_expansions::concern(compiled<Net>::view());

/// A declared network's graph expanded (rewrite/expansion.hpp).
template <class Net>
struct expanded {
  static constexpr graph_view source() { return compiled<Net>::view(); }
  static constexpr graph apply(graph&& g, name_maker& names, pool<rewrite_step>& history) {
    return default_expansions::apply(static_cast<graph&&>(g), names, history);
  }
};
/// What the first rule sees.
template <class Net>
constexpr graph_view expanded_view() {
  if constexpr (!needs_expansion<Net>) return compiled<Net>::view();
  else return made_by<expanded<Net>>().view();
}

/// The same with what is known of its weights' numbers (with_weights.hpp).
template <class Net>
constexpr graph first_graph() {
  graph g = thaw(expanded_view<Net>());
  if constexpr (requires { Net::note_numbers(g); }) Net::note_numbers(g);
  return g;
}

/// Networks with their numbers find equal weights.
template <class Net>
inline constexpr bool may_share_weights = requires(graph& g) {
  Net::note_numbers(g);
}
|| shares_weights(expanded_view<Net>());

template <class Net, class Rules, std::size_t Part>
constexpr const auto& rewritten_part();

/// Part P of the rewriting, which goes on with what the part before made (optimize_part()).
template <class Net, class Rules, std::size_t Part>
struct rewriting {
  static constexpr graph_view source() {
    if constexpr (Part == 0) return expanded_view<Net>();
    else return rewritten_part<Net, Rules, Part - 1>().view();
  }
  static constexpr void optimize_into(optimization& o) {
    if constexpr (Part == 0) o = optimize_part(first_graph<Net>(), Rules::records, 0, may_share_weights<Net>);
    else
      o = optimize_part(thaw(source()), Rules::records, rewritten_part<Net, Rules, Part - 1>().settled,
                        may_share_weights<Net>);
  }
  /// Folding a batch normalisation leaves about nine expressions behind, and what it replaces.
  static constexpr graph_capacity guess() {
    const graph_capacity c = capacity_of(source());
    return {c.nodes, c.values, 9 * c.operands / 2 + 64, 4 * c.fields + 64, 3 * c.expressions + 64, c.outputs};
  }
  template <graph_capacity Size>
  static constexpr attempt<Size> run() {
    optimization o;
    optimize_into(o);
    return attempt<Size>(o.g.view(), {}, o.settled, o.broken_rule);
  }
  static constexpr auto first = run<guess()>();

  static constexpr void write_history(pool<rewrite_step>& to) {
    optimization o;
    optimize_into(o);
    to = static_cast<pool<rewrite_step>&&>(o.history);
  }
};
template <class Net, class Rules, std::size_t Part>
struct rewritten_exactly {
  static constexpr auto result = rewriting<Net, Rules, Part>::template run<rewriting<Net, Rules, Part>::first.needed>();
};

template <class Net, class Rules, std::size_t Part>
constexpr const auto& rewritten_part() {
  if constexpr (rewriting<Net, Rules, Part>::first.fits) return rewriting<Net, Rules, Part>::first;
  else return rewritten_exactly<Net, Rules, Part>::result;
}
template <class Net, class Rules, std::size_t Part = 0>
constexpr std::size_t count_parts() {
  if constexpr (rewritten_part<Net, Rules, Part>().settled < rewritten_part<Net, Rules, Part>().view().nodes.size())
    return count_parts<Net, Rules, Part + 1>();
  else return Part + 1;
}
template <class Net, class Rules>
struct rule_at_fault {
  static constexpr std::string_view name = rewritten_part<Net, Rules, count_parts<Net, Rules>() - 1>().broken_rule;
  template <std::size_t... I>
  static auto error(std::index_sequence<I...>) -> rule_error<rule_called<name[I]...>>;
};
template <class Net, class Rules>
auto rule_fault_of() {
  if constexpr (!compiled<Net>::valid) return std::type_identity<no_error>{};
  else if constexpr (constexpr std::string_view name = rule_at_fault<Net, Rules>::name; name.empty())
    return std::type_identity<no_error>{};
  else
    return std::type_identity<decltype(rule_at_fault<Net, Rules>::error(std::make_index_sequence<name.size()>{}))>{};
}
/// Compiles only if every rule that fired lowered what it declares.
template <class Net, class Rules>
using rule_fault = typename decltype(rule_fault_of<Net, Rules>())::type;
/// The last part's result.
template <class Net, class Rules>
constexpr const auto& rewritten() {
  return rewritten_part<Net, Rules, count_parts<Net, Rules>() - 1>();
}

/// The history of a phase, apart from its graph: only those who ask what happened pay for it.
template <class Phase>
struct history_of {
  static constexpr std::size_t count = [] {
    pool<rewrite_step> history;
    Phase::write_history(history);
    return history.size();
  }();
  static constexpr auto steps = [] {
    pool<rewrite_step> history;
    Phase::write_history(history);
    static_vector<rewrite_step, count + 1> out;
    for (const rewrite_step& s : history) out.push_back(s);
    return out;
  }();
};
/// Of what needs no expansion.
struct no_phase {
  static constexpr void write_history(pool<rewrite_step>&) {}
};
template <class Net, class Rules>
struct rewriting_history {
  using expansion = history_of<std::conditional_t<needs_expansion<Net>, naming_pass<expanded<Net>>, no_phase>>;
  template <std::size_t... Part>
  static constexpr auto join(std::index_sequence<Part...>) {
    static_vector<rewrite_step, (history_of<rewriting<Net, Rules, Part>>::count + ... + (expansion::count + 1))> all;
    for (span<const rewrite_step> steps :
         {span<const rewrite_step>(expansion::steps),
          span<const rewrite_step>(history_of<rewriting<Net, Rules, Part>>::steps)...})
      for (const rewrite_step& s : steps) all.push_back(s);
    return all;
  }
  static constexpr auto steps = join(std::make_index_sequence<count_parts<Net, Rules>()>{});
};

}  // namespace detail

/// The graph of a network as declared.
template <class Net>
inline constexpr graph_view declared_graph = detail::compiled<Net>::view();
}  // namespace ctnn::ir
