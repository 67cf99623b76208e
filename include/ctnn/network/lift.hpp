// SPDX-License-Identifier: BSL-1.0
// From a graph back to a type: the network one would write by hand for it. Options that have their default are left
// out, numbers are spelled as briefly as the vocabulary allows, `from` only where a layer does not read the one before.
#pragma once

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include "compiled.hpp"

namespace ctnn {

/// Options of a node that differ from their defaults, in the order of the operator's fields.
struct spelled_option {
  std::string_view key{};
  field_values values{};
};
inline constexpr std::size_t max_options = 12;
using spelled_options = static_vector<spelled_option, max_options>;

namespace detail {

/// As few numbers as set_field() turns into the same field.
template <class Field>
constexpr field_values spell(const Field& f) {
  field_values all;
  encode_field(f, all);
  if constexpr (is_list<Field>::value || std::is_same_v<Field, optional_number>) {
    for (std::size_t i = 1; i < all.size(); ++i) all[i - 1] = all[i];
    --all.count;
  } else if constexpr (is_array<Field>::value) {
    for (std::size_t n = 1; n < all.size(); n *= 2) {
      bool repeats = true;
      for (std::size_t i = n; i < all.size(); ++i) repeats = repeats && all[i] == all[i % n];
      if (repeats) {
        all.count = n;
        break;
      }
    }
  } else if constexpr (std::is_same_v<Field, activation_function>) {
    while (all.size() > 1 && all[all.size() - 1] == 0) --all.count;
  }
  return all;
}

template <class Op>
constexpr spelled_options spell_options(std::span<const double> fields) {
  const Op op = decode<Op>(fields), plain{};
  static_vector<field_values, max_options> defaults;
  Op::fields(plain, [&](const char*, const auto& f) { defaults.push_back(spell(f)); });
  spelled_options out;
  std::size_t i = 0;
  Op::fields(op, [&](const char* key, const auto& f) {
    const auto values = spell(f);
    if (!(values == defaults[i++])) out.push_back({key, values});
  });
  return out;
}

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
  std::copy_n(name.data(), name.size(), s.text);
  if (length > name.size()) {
    s.text[name.size()] = '.';
    int index = V - g.at(g.at_value(V).producer).outputs.first;
    for (std::size_t i = length; --i > name.size(); index /= 10) s.text[i] = static_cast<char>('0' + index % 10);
  }
  return s;
}

template <const auto& G, node_id N, class Op>
struct lifted {
  static constexpr spelled_options options = spell_options<Op>(G.view().fields_of(G.view().at(N).fields));
  static constexpr std::string_view name_view = G.view().at(N).name;
  static constexpr fixed_string<name_view.size()> name{name_view};

  template <std::size_t K, std::size_t... I>
  static auto one_option(std::index_sequence<I...>)
      -> option<fixed_string<options[K].key.size()>(options[K].key), number(options[K].values[I])...>;
  template <std::size_t K>
  using option_type = decltype(one_option<K>(std::make_index_sequence<options[K].values.size()>{}));

  template <std::size_t... K>
  static auto without_from(std::index_sequence<K...>) -> layer<Op, name, option_type<K>...>;
  template <std::size_t... K, std::size_t... I>
  static auto with_from(std::index_sequence<K...>, std::index_sequence<I...>) {
    using reads = from<reference<G, G.view().inputs(G.view().at(N))[I]>()...>;
    if constexpr (is_kind_of_layer()) return std::type_identity<layer<Op, name, option_type<0>, reads, option_type<K + 1>...>>{};
    else return std::type_identity<layer<Op, name, reads, option_type<K>...>>{};
  }
  /// Names such as relu<...> and mul<...> put what makes them so before the options one writes.
  static constexpr bool is_kind_of_layer() {
    if (options.empty()) return false;
    const std::string_view key = options[0].key;
    return key == "function" || key == "mode" || (std::is_same_v<Op, op::activation> && key == "activation");
  }

  static constexpr bool reads_previous() {
    const graph_view g = G.view();
    const auto in = g.inputs(g.at(N));
    if (in.empty()) return true;
    return in.size() == 1 && N > 0 && in[0] == g.at(N - 1).outputs.first + g.at(N - 1).outputs.count - 1;
  }
  static auto make() {
    constexpr auto each_option = std::make_index_sequence<options.size()>{};
    if constexpr (reads_previous()) return std::type_identity<decltype(without_from(each_option))>{};
    else
      return with_from(std::make_index_sequence<options.size() - (is_kind_of_layer() ? 1 : 0)>{},
                       std::make_index_sequence<static_cast<std::size_t>(G.view().at(N).inputs.count)>{});
  }
  using type = typename decltype(make())::type;
};

/// Finds the struct behind an operator_type: ctnn's operators first, then those that the rules make, then those of the
/// declared layers.
template <class List>
struct operator_lookup;
template <class... Ops>
struct operator_lookup<operator_list<Ops...>> {
  static constexpr const operator_type* types[sizeof...(Ops) + 1] = {&type_of<Ops>..., nullptr};
  static constexpr boost::hana::basic_tuple<boost::hana::type<Ops>...> structs{};
  static constexpr std::size_t count = sizeof...(Ops);
  static constexpr std::size_t find(const operator_type* type) {
    std::size_t i = 0;
    while (types[i] != nullptr && types[i] != type) ++i;
    return i;
  }
  template <std::size_t I>
  using at = typename decltype(+boost::hana::at_c<I>(structs))::type;
};

template <class Rules>
struct operators_of_rules {
  using type = operator_list<>;
};
template <class Rules>
  requires requires { typename Rules::operators; }
struct operators_of_rules<Rules> {
  using type = typename Rules::operators;
};

template <class Network>
struct operators_of_layers;
template <class... Layers>
struct operators_of_layers<network<Layers...>> {
  using type = operator_list<std::conditional_t<std::is_void_v<typename Layers::operator_struct>, op::identity,
                                                typename Layers::operator_struct>...>;
};

/// Only networks with operators of the user's own pay for looking at their layers.
template <const operator_type* Type, class Network, class Rules>
auto find_operator() {
  using builtin = operator_lookup<all_operators>;
  if constexpr (builtin::find(Type) < builtin::count) {
    return std::type_identity<typename builtin::template at<builtin::find(Type)>>{};
  } else {
    using made = operator_lookup<typename operators_of_rules<Rules>::type>;
    if constexpr (made::find(Type) < made::count) {
      return std::type_identity<typename made::template at<made::find(Type)>>{};
    } else {
      using declared = operator_lookup<typename operators_of_layers<Network>::type>;
      return std::type_identity<typename declared::template at<declared::find(Type)>>{};
    }
  }
}
template <const operator_type* Type, class Network, class Rules>
using operator_of = typename decltype(find_operator<Type, Network, Rules>())::type;

template <const auto& G>
constexpr bool has_plain_output() {
  const graph_view g = G.view();
  return g.outputs.size() == 1 && g.outputs[0].name.empty() && g.outputs[0].value + 1 == static_cast<int>(g.values.size());
}

template <const auto& G, std::size_t O>
constexpr auto public_name() {
  constexpr std::string_view name = G.view().outputs[O].name;
  if constexpr (name.empty()) return reference<G, G.view().outputs[O].value>();
  else return fixed_string<name.size()>(name);
}

template <const auto& G, class Network, class Rules, std::size_t... N, std::size_t... O>
auto lift(std::index_sequence<N...>, std::index_sequence<O...>) {
  if constexpr (has_plain_output<G>()) {
    return std::type_identity<network<typename lifted<G, static_cast<int>(N), operator_of<G.view().nodes[N].type, Network, Rules>>::type...>>{};
  } else if constexpr (((public_name<G, O>().view() == reference<G, G.view().outputs[O].value>().view()) && ...)) {
    return std::type_identity<network<typename lifted<G, static_cast<int>(N), operator_of<G.view().nodes[N].type, Network, Rules>>::type...,
                                      output<reference<G, G.view().outputs[O].value>()...>>>{};
  } else {
    return std::type_identity<network<typename lifted<G, static_cast<int>(N), operator_of<G.view().nodes[N].type, Network, Rules>>::type...,
                                      named_output<from<public_name<G, O>()...>, from<reference<G, G.view().outputs[O].value>()...>>>>{};
  }
}

template <const auto& G, class Net, class Rules>
auto lift_all() {
  return lift<G, typename Net::network_type, Rules>(std::make_index_sequence<G.view().nodes.size()>{},
                                                    std::make_index_sequence<G.view().outputs.size()>{});
}
template <class Net>
auto lift_declared() {
  if constexpr (!compiled<Net>::valid || lowered<Net>::first.fits) return lift_all<lowered<Net>::first, Net, rule_list<>>();
  else return lift_all<lowered_exactly<Net>::result, Net, rule_list<>>();
}
template <class Net, class Rules>
auto lift_optimized() {
  if constexpr (rewritten<Net, Rules>::first.fits) return lift_all<rewritten<Net, Rules>::first, Net, Rules>();
  else return lift_all<rewritten_exactly<Net, Rules>::result, Net, Rules>();
}

}  // namespace detail

/// The network as the vocabulary spells it: options in order, defaults left out.
template <class Net>
using canonical = typename decltype(detail::lift_declared<Net>())::type;

/// The network after rewriting, again a network<...>: compare it with std::same_as, ask it questions, run it.
template <class Net, class Rules = default_rules>
using optimized = typename decltype(detail::lift_optimized<Net, Rules>())::type;

}  // namespace ctnn
