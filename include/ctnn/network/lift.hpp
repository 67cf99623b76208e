// SPDX-License-Identifier: BSL-1.0
// From a graph back to a type: the network one would write by hand for it. Options that have their default are left
// out, numbers are spelled as briefly as the vocabulary allows, `from` only where a layer does not read the one before.
#pragma once

#include "fitted.hpp"

namespace ctnn::ir {

/// Does node n read nothing but the last value before it, so that nothing need be said?
constexpr bool reads_previous(const graph_view& g, node_id n) {
  const auto in = g.inputs(g.at(n));
  if (in.empty()) return true;
  return in.size() == 1 && n > 0 && in[0] == g.at(n - 1).outputs.first + g.at(n - 1).outputs.count - 1;
}

namespace detail {

/// What node N is called by those that read its value V: "name", or "name.2" where it has several outputs.
constexpr std::string_view layer_name(const graph_view& g, value_id v) { return g.at(g.at_value(v).producer).name; }
constexpr int digits(int n) { return n < 10 ? 1 : 1 + digits(n / 10); }
constexpr std::size_t reference_length(const graph_view& g, value_id v) {
  const node& n = g.at(g.at_value(v).producer);
  return n.name.size() + (n.outputs.count == 1 ? 0u : 1u + static_cast<std::size_t>(digits(v - n.outputs.first)));
}

template <const auto& G, value_id V>
constexpr auto reference() {
  constexpr graph_view g = G.view();
  constexpr std::size_t length = reference_length(g, V);
  const std::string_view name = layer_name(g, V);
  fixed_string<length> s;
  for (std::size_t i = 0; i < name.size(); ++i) s.text[i] = name[i];
  if (length > name.size()) {
    s.text[name.size()] = '.';
    int index = V - g.at(g.at_value(V).producer).outputs.first;
    for (std::size_t i = length; --i > name.size(); index /= 10) s.text[i] = static_cast<char>('0' + index % 10);
  }
  return s;
}

template <const auto& G, node_id N, class Op>
struct lifted {
  static constexpr spelled_options options = ir::spell(G.view(), G.view().at(N));
  static constexpr std::string_view name_view = G.view().at(N).name;
  static constexpr fixed_string<name_view.size()> name{name_view};

  template <std::size_t K, std::size_t... I>
  static auto one_option(std::index_sequence<I...>)
      -> option<fixed_string<options[K].key.size()>(options[K].key), number(exact{options[K].values[I]})...>;
  template <std::size_t K>
  using option_type = decltype(one_option<K>(std::make_index_sequence<options[K].values.size()>{}));

  template <std::size_t... K>
  static auto without_from(std::index_sequence<K...>) -> layer<Op, name, option_type<K>...>;
  template <std::size_t... K, std::size_t... I>
  static auto with_from(std::index_sequence<K...>, std::index_sequence<I...>) {
    using reads = from<reference<G, G.view().inputs(G.view().at(N))[I]>()...>;
    if constexpr (is_kind_of_layer())
      return std::type_identity<layer<Op, name, option_type<0>, reads, option_type<K + 1>...>>{};
    else return std::type_identity<layer<Op, name, reads, option_type<K>...>>{};
  }
  /// Names such as relu<...> and mul<...> put what makes them so before the options one writes.
  static constexpr bool is_kind_of_layer() {
    if (options.empty()) return false;
    const std::string_view key = options[0].key;
    return key == "function" || key == "mode" || (std::is_same_v<Op, op::activation> && key == "activation");
  }

  static auto make() {
    constexpr auto each_option = std::make_index_sequence<options.size()>{};
    if constexpr (reads_previous(G.view(), N)) return std::type_identity<decltype(without_from(each_option))>{};
    else
      return with_from(std::make_index_sequence<options.size() - (is_kind_of_layer() ? 1 : 0)>{},
                       std::make_index_sequence<static_cast<std::size_t>(G.view().at(N).inputs.count)>{});
  }
  using type = typename decltype(make())::type;
};

/// A type and its place in a list: which type is at a place is for overload resolution to find.
template <std::size_t Place, class T>
struct placed {};
template <class Places, class... Ts>
struct type_row;
template <std::size_t... Places, class... Ts>
struct type_row<std::index_sequence<Places...>, Ts...> : placed<Places, Ts>... {};
template <std::size_t Place, class T>
std::type_identity<T> type_at(const placed<Place, T>*);

/// Is the last value the only output, under no name of its own? Then nothing need be said.
constexpr bool has_plain_output(const graph_view& g) {
  return g.outputs.size() == 1 && g.outputs[0].name.empty() &&
         g.outputs[0].value + 1 == static_cast<int>(g.values.size());
}

template <const auto& G, std::size_t O>
constexpr auto public_name() {
  constexpr std::string_view name = G.view().outputs[O].name;
  if constexpr (name.empty()) return reference<G, G.view().outputs[O].value>();
  else return fixed_string<name.size()>(name);
}

constexpr std::size_t count_ties(const graph_view& g) {
  const tied_places tied = tied_places_of(g);
  return tied.counts.size();
}

/// tied<...> of weights that are one.
template <const auto& G, std::size_t Tie>
struct lifted_tie {
  static constexpr std::size_t count = [] {
    const tied_places tied = tied_places_of(G.view());
    return tied.counts[Tie];
  }();
  static constexpr weight_place place(std::size_t i) {
    const tied_places tied = tied_places_of(G.view());
    for (std::size_t t = 0; t < Tie; ++t) i += tied.counts[t];
    return tied.all[i];
  }
  static constexpr std::string_view slot_name(const weight_place& at) {
    const weight_slots slots = slots_of(G.view(), G.view().at(at.of));
    return slots[static_cast<std::size_t>(at.number)].name;
  }
  template <std::size_t I>
  static constexpr auto name() {
    constexpr weight_place at = place(I);
    constexpr std::string_view layer = G.view().at(at.of).name, slot = slot_name(at);
    fixed_string<layer.size() + 1 + slot.size()> s;
    for (std::size_t i = 0; i < layer.size(); ++i) s.text[i] = layer[i];
    s.text[layer.size()] = '.';
    for (std::size_t i = 0; i < slot.size(); ++i) s.text[layer.size() + 1 + i] = slot[i];
    return s;
  }
  template <std::size_t... I>
  static auto names(std::index_sequence<I...>) -> tied<name<I>()...>;
  using type = decltype(names(std::make_index_sequence<count>{}));
};

template <const auto& G, std::size_t... N, std::size_t... O, std::size_t... T>
auto lift(std::index_sequence<N...>, std::index_sequence<O...>, std::index_sequence<T...>) {
  if constexpr (has_plain_output(G.view())) {
    return std::type_identity<
        network<typename lifted<G, static_cast<int>(N), struct_of<G.view().nodes[N].type>>::type...,
                typename lifted_tie<G, T>::type...>>{};
  } else if constexpr (((public_name<G, O>().view() == reference<G, G.view().outputs[O].value>().view()) && ...)) {
    return std::type_identity<
        network<typename lifted<G, static_cast<int>(N), struct_of<G.view().nodes[N].type>>::type...,
                typename lifted_tie<G, T>::type..., output<reference<G, G.view().outputs[O].value>()...>>>{};
  } else {
    return std::type_identity<
        network<typename lifted<G, static_cast<int>(N), struct_of<G.view().nodes[N].type>>::type...,
                typename lifted_tie<G, T>::type...,
                named_output<from<public_name<G, O>()...>, from<reference<G, G.view().outputs[O].value>()...>>>>{};
  }
}

template <const auto& G>
auto lift_all() {
  return lift<G>(std::make_index_sequence<G.view().nodes.size()>{}, std::make_index_sequence<G.view().outputs.size()>{},
                 std::make_index_sequence<count_ties(G.view())>{});
}
/// For a wrong network, so that one mistake is said once.
struct stand_in : network<input<"wrong", shape<1>>> {};
template <class Net>
auto lift_declared() {
  if constexpr (!compiled<Net>::valid) return std::type_identity<stand_in>{};
  else if constexpr (lowered<typename network_behind<Net>::type>::first.fits)
    return lift_all<lowered<typename network_behind<Net>::type>::first>();
  else return lift_all<lowered_exactly<typename network_behind<Net>::type>::result>();
}
template <class Net, class Rules>
auto lift_optimized() {
  if constexpr (!compiled<Net>::valid) return std::type_identity<stand_in>{};
  else return lift_all<optimized_constant<Net, Rules>()>();
}

// What is wrong is said by the sizes that the words below ask for: before a function needs the network, and at once.
template <class Net, std::size_t>
struct canonical_of {
  using type = typename decltype(lift_declared<Net>())::type;
};
template <class Net, class Rules, std::size_t>
struct optimized_of {
  using type = typename decltype(lift_optimized<Net, Rules>())::type;
};

}  // namespace detail

template <>
inline constexpr bool stands_in<detail::stand_in> = true;

}  // namespace ctnn::ir

namespace ctnn {

/// The network as the vocabulary spells it: options in order, defaults left out.
template <class Net>
using canonical = typename ir::detail::canonical_of<
    Net, sizeof(Net) + ir::size_said<ir::error_in<ir::detail::found_in<Net>::error>>>::type;

/// The network after rewriting, again a network<...>: compare it with std::same_as, ask it questions, run it. Its arena
/// is no larger than the declared network's layer by layer, convolutions product by product: Winograd's filtering takes
/// what is free there (winograd_bytes), unless Rules are speed_first<>.
template <class Net, class Rules = default_rules>
using optimized = typename ir::detail::optimized_of<
    Net, Rules, sizeof(Net) + ir::size_said<ir::error_in<ir::detail::found_in<Net>::error>> + sizeof(Rules) +
                    ir::size_said<ir::detail::rule_fault<Net, Rules>>>::type;

/// The network without the layers that no output needs, as it is spelled: rewriting by no rules. What nobody reads is
/// not in the rewritten graph, and only the graph's nodes are lifted, so dead types end here, as they do in
/// optimized<Net>.
template <class Net>
using prune_dead = optimized<Net, speed_first<rule_list<>>>;

}  // namespace ctnn
