// SPDX-License-Identifier: BSL-1.0
// A network's layers, a layer's options and the rules of a list as Boost.Hana sequences, for questions of one's own:
// how many, which, of what. The answers are constants; the algorithms are Hana's (<boost/hana.hpp>, or a header each).
// Rewriting never comes here.
#pragma once

#include <boost/hana/bool.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>

#include "lift.hpp"

namespace ctnn {

namespace detail {

/// output<...> is no layer: it stands among them, but computes nothing.
template <class List>
struct layer_sequence;
template <class... Layers>
struct layer_sequence<layer_list<Layers...>> {
  using row = ir::detail::type_row<std::index_sequence_for<Layers...>, Layers...>;
  using net = network<Layers...>;
  static constexpr auto places = [] {
    std::array<std::size_t, net::size + 1> at{};
    std::size_t n = 0, i = 0;
    for (const layer_record& l : net::records) {
      if (l.type) at[n++] = i;
      ++i;
    }
    return at;
  }();
  template <std::size_t... I>
  static constexpr auto make(std::index_sequence<I...>) {
    return boost::hana::tuple_t<typename decltype(ir::detail::type_at<places[I]>(static_cast<row*>(nullptr)))::type...>;
  }
  static constexpr auto layers = make(std::make_index_sequence<net::size>{});
};

template <class Net>
constexpr auto without_groups() {
  if constexpr (Net::network_type::has_groups) return std::type_identity<canonical<Net>>{};
  else return std::type_identity<typename Net::network_type>{};
}

template <class Layer>
struct layer_arguments;
template <class Op, fixed_string Name, class... Arguments>
struct layer_arguments<layer<Op, Name, Arguments...>> {
  static constexpr auto all = boost::hana::tuple_t<Arguments...>;
};

template <class... Rules>
constexpr auto rule_sequence(const ir::known_rules<Rules...>*) {
  return boost::hana::tuple_t<Rules...>;
}

}  // namespace detail

/// hana::type of each layer of a network, in order:
///   static_assert(hana::count_if(ctnn::layers_of<fused>, ctnn::is<ctnn::op::linear>) == hana::size_c<1>);
///   std::string_view longest;
///   void count(std::string_view name) { longest = name.size() > longest.size() ? name : longest; }
///   void all() { hana::for_each(ctnn::layers_of<fused>, [](auto l) { count(decltype(l)::type::record.name); }); }
/// Of a network with blocks those are the layers of canonical<Net>, under their full names.
template <class Net>
inline constexpr auto layers_of =
    detail::layer_sequence<typename decltype(detail::without_groups<Net>())::type::list>::layers;

/// What a layer was given after its name, hana::types again: options and from<...>.
template <class Layer>
inline constexpr auto arguments_of = detail::layer_arguments<Layer>::all;

/// Predicates of layers: is it an Op?
template <class Op>
inline constexpr auto is =
    [](auto layer) { return boost::hana::bool_c<std::is_same_v<typename decltype(layer)::type::operator_struct, Op>>; };

/// hana::type of each rule of a rule_list, in order of priority. A sequence is a list again so:
///   decltype(hana::unpack(hana::filter(ctnn::rules_of<ctnn::default_rules>, ctnn::is_about<ctnn::op::conv2d>),
///                         hana::template_<ctnn::rule_list>))::type
template <class List>
inline constexpr auto rules_of = detail::rule_sequence(static_cast<const List*>(nullptr));

/// Predicate of rules: does its pattern begin at an Op? A rule about any operator is about each.
template <class Op>
inline constexpr auto is_about = [](auto rule) {
  using pattern = typename decltype(rule)::type::pattern;
  return boost::hana::bool_c<pattern::roots.count == 0 || pattern::roots.has(&ir::type_of<Op>)>;
};

/// Predicate of arguments: an option, or else from<...>. hana::partition(arguments_of<layer>, is_option) parts them.
inline constexpr auto is_option = [](auto argument) {
  return boost::hana::bool_c<detail::is_option<typename decltype(argument)::type>::value>;
};

}  // namespace ctnn
