// SPDX-License-Identifier: BSL-1.0
// A network as a type.
#pragma once

#include "short_list.hpp"

namespace ctnn {

namespace detail {

// Of a flat list. Loops: Clang limits folds to 256 operands.
constexpr std::size_t count_layers(std::span<const layer_record> list) {
  std::size_t n = 0;
  for (const layer_record& l : list) n += l.is_layer() ? 1u : 0u;
  return n;
}
constexpr bool has_layer(std::span<const layer_record> list, std::string_view name) {
  for (const layer_record& l : list)
    if (l.is_layer() && l.name == name) return true;
  return false;
}

}  // namespace detail

/// What network<...> is: the class, under a name that is short however long the list (short_list.hpp).
template <class List>
struct network_of {
  using list = typename detail::list_behind<List>::type;
  using network_type = network_of;
  using operator_struct = void;
  using parts = typename list::parts;
  static constexpr std::span<const layer_record> records = parts::all;
  static constexpr layer_record record = parts::group(grouping::block, {});

  static constexpr bool has_groups = [] {
    for (const layer_record& l : records)
      if (l.group != grouping::none) return true;
    return false;
  }();
  /// All entries, those of blocks under their full names.
  static constexpr std::span<const layer_record> flat() {
    if constexpr (has_groups) return detail::flattened<network_of>::records;
    else return records;
  }

  /// Layers, not counting output<...>.
  static constexpr std::size_t size = detail::count_layers(flat());
  /// Is there a layer of this name? Any name may be asked for: static_assert(!fused::has<"bn1">).
  template <fixed_string Name>
  static constexpr bool has = detail::has_layer(flat(), Name);

  static_assert(list::count > 0, "ctnn: a network has layers, the first of which is an input<...>");
  static_assert(list::are_parts, "ctnn: a network is a list of layers, blocks and networks");
};

namespace detail {

template <class List, fixed_string... Names>
struct with_kept;
template <class... Layers, fixed_string... Names>
struct with_kept<layer_list<Layers...>, Names...> {
  using type = network<Layers..., keep<Names...>>;
};

/// The list that a network is, or stands for.
template <class Network>
struct list_of {
  using type = typename Network::list;
};

}  // namespace detail

/// A network with keep<Names...> besides: optimized<kept<net, "relu1">>.
template <class Net, fixed_string... Names>
using kept = typename detail::with_kept<typename detail::list_of<typename Net::network_type>::type, Names...>::type;

namespace detail {

/// What is no conv2d and has none in it stays as it is.
template <class Part>
struct exact_part {
  using type = Part;
  static constexpr bool may_have_conv2d() {
    if constexpr (group_part<Part>) return Part::record.parts || Part::record.type == &ir::type_of<op::conv2d>;
    else return false;
  }
  static_assert(!may_have_conv2d(), "ctnn: exact_convolutions takes layers and blocks as they are or as aliases, "
                                    "not classes that inherit one");
};
template <class Option>
inline constexpr bool is_about_winograd = false;
template <number... N>
inline constexpr bool is_about_winograd<option<"winograd", N...>> = true;
template <number... N>
inline constexpr bool is_about_winograd<option<"winograd_bytes", N...>> = true;
/// With the options of `Taken` and those of Left that are not about Winograd.
template <class Taken, class... Left>
struct exact_layer;
template <fixed_string Name, class... Taken>
struct exact_layer<layer<op::conv2d, Name, Taken...>> {
  using type = layer<op::conv2d, Name, Taken..., no_winograd>;
};
template <fixed_string Name, class... Taken, class Option, class... Left>
struct exact_layer<layer<op::conv2d, Name, Taken...>, Option, Left...>
    : exact_layer<std::conditional_t<is_about_winograd<Option>, layer<op::conv2d, Name, Taken...>,
                                     layer<op::conv2d, Name, Taken..., Option>>,
                  Left...> {};
template <fixed_string Name, class... Options>
struct exact_part<layer<op::conv2d, Name, Options...>> {
  using type = typename std::conditional_t<(std::is_same_v<Options, no_winograd> || ...),
                                           std::type_identity<layer<op::conv2d, Name, Options...>>,
                                           exact_layer<layer<op::conv2d, Name>, Options...>>::type;
};
template <fixed_string Name, class... Parts>
struct exact_part<block<Name, Parts...>> {
  using type = block<Name, typename exact_part<Parts>::type...>;
};
template <fixed_string Name, class... Parts>
struct exact_part<residual<Name, Parts...>> {
  using type = residual<Name, typename exact_part<Parts>::type...>;
};
template <fixed_string Name, class... Parts>
struct exact_part<shortcut<Name, Parts...>> {
  using type = shortcut<Name, typename exact_part<Parts>::type...>;
};
template <fixed_string Name, int Times, class... Parts>
struct exact_part<repeat<Name, Times, Parts...>> {
  using type = repeat<Name, Times, typename exact_part<Parts>::type...>;
};
template <class... Parts>
struct exact_part<layer_list<Parts...>> {
  using type = network<typename exact_part<Parts>::type...>;
};
template <class List>
struct exact_part<network_of<List>> : exact_part<typename network_of<List>::list> {};
/// A network that is a class is one of its own.
template <class Part>
  requires(!std::is_same_v<Part, typename Part::network_type>)
struct exact_part<Part> {
  using type = typename exact_part<typename Part::network_type>::type;
};

}  // namespace detail

/// A network whose every conv2d adds product by product, no_winograd: slower, and as exact as sums of floats are.
/// engine<exact_convolutions<optimized<net>>> takes weights of that type, too.
template <class Net>
using exact_convolutions = typename detail::exact_part<typename Net::network_type>::type;

}  // namespace ctnn
