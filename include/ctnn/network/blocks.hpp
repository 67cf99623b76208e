// SPDX-License-Identifier: BSL-1.0
// Networks of blocks. A block is a list of layers with names, inputs and outputs of its own, and a type like a layer: a
// template with parameters where people write a class with arguments.
//
//   template <fixed_string Name, int Channels>
//   using basic_block = block<Name,
//       residual<"add",
//           conv2d<"conv1", out<Channels>, kernel<3>, pad<1>, no_bias>, batch_norm<"bn1">, relu<"relu1">,
//           conv2d<"conv2", out<Channels>, kernel<3>, pad<1>, no_bias>, batch_norm<"bn2">>,
//       relu<"relu2">>;
//   network<input<"image", shape<64, 56, 56>>, basic_block<"layer1.0", 64>, basic_block<"layer1.1", 64>>
//
// The network knows its layers by their full names, "layer1.0.conv1": so weights are given, so they are asked for. In a
// block names are the block's own: layers read each other by their short names, and nothing outside.
//
// Its inputs: by default one, which the first layer reads. input<"x"> gives it a name, so that other layers can read it
// as well; several input<...>, in order, are the values of from<...>. With a shape (or element type) that is checked.
// Its output: the last layer, or what output<...> names, and it is called like the block. With several outputs those
// who read them say which, by full names.
#pragma once

#include "flatten.hpp"

namespace ctnn {

namespace detail {

/// A layer, a group or output<...>.
template <class Part>
concept group_part = requires {
  Part::record.parts;
};

/// Every part by itself: what is wrong with one is said before it is a part of something.
constexpr bool are_complete(std::initializer_list<std::size_t> sizes) { return sizes.size() + 1 > 0; }

/// Loops over tables, here and below: Clang limits folds to 256 operands.
template <class... Parts>
inline constexpr bool are_parts = [] {
  for (bool part : {sizeof...(Parts) != 0, (is_from<Parts>::value || group_part<Parts>)...})
    if (!part) return false;
  return true;
}();

/// The layers of a group in order, without its from<...>.
template <class... Parts>
struct group_parts {
  template <class Part>
  static constexpr const layer_record* pointer() {
    if constexpr (group_part<Part>) return &Part::record;
    else return nullptr;
  }
  static constexpr const layer_record* each[sizeof...(Parts) + 1] = {pointer<Parts>()..., nullptr};
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    for (const layer_record* r : each) n += r ? 1u : 0u;
    return n;
  }();
  static constexpr auto records = [] {
    std::array<layer_record, count + 1> all{};
    std::size_t n = 0;
    for (const layer_record* r : each)
      if (r) all[n++] = *r;
    return all;
  }();
  static constexpr std::span<const layer_record> all{records.data(), count};

  static constexpr layer_record group(grouping kind, std::string_view name, const ir::operator_type* type = nullptr,
                                      int times = 1) {
    using in = reads<Parts...>;
    return {type, name, in::list(), {}, {}, in::previous, in::twice, false, kind, times, records.data(), count};
  }
};

/// Of what is no list of layers something that is: one mistake is said once.
template <class Instead, class... Parts>
using parts_or = std::conditional_t<are_parts<Parts...>, group_parts<Parts...>, group_parts<Instead>>;

}  // namespace detail

/// Layers with names, inputs and outputs of their own. An empty name: they have the names of the block around them.
template <fixed_string Name, class... Parts>
struct block {
  static_assert(detail::are_complete({sizeof(Parts)...}));
  using operator_struct = void;
  static constexpr layer_record record = detail::parts_or<identity<"wrong">, Parts...>::group(grouping::block, Name);
  static_assert(detail::are_parts<Parts...>, "ctnn: a block takes a name, layers, blocks, networks, and from<...>");
};

/// Layers whose input is added to their result; the sum is a layer of this name. They have the names of the block
/// around them: PyTorch's `x = x + f(x)` names nothing. Where f changes the shape, a shortcut<...> brings x there.
template <fixed_string Name, class... Parts>
struct residual {
  static_assert(detail::are_complete({sizeof(Parts)...}));
  using operator_struct = op::binary;
  static constexpr layer_record record =
      detail::parts_or<identity<"wrong">, Parts...>::group(grouping::residual, Name, &ir::type_of<op::binary>);
  static_assert(!Name.view().empty(), "ctnn: a residual<...> has a name: that of the sum");
  static_assert(detail::are_parts<Parts...>, "ctnn: a block takes a name, layers, blocks, networks, and from<...>");
};

/// In a residual: a block that reads the residual's input; its result is added instead.
///   residual<"add", conv2d<"conv", out<8>, kernel<3>, pad<1>>, shortcut<"down", conv2d<"0", out<8>, kernel<1>>>>
template <fixed_string Name, class... Parts>
struct shortcut {
  static_assert(detail::are_complete({sizeof(Parts)...}));
  using operator_struct = void;
  static constexpr layer_record record = detail::parts_or<identity<"wrong">, Parts...>::group(grouping::shortcut, Name);
  static_assert((!detail::is_from<Parts>::value && ...), "ctnn: a shortcut reads what its residual reads");
  static_assert(detail::are_parts<Parts...>, "ctnn: a block takes a name, layers, blocks, networks, and from<...>");
};

/// The same layers several times, each time as a block of its own: "layers.0", "layers.1", ... Each reads what the one
/// before gives; of several inputs that is the first, and the others are the same for all.
template <fixed_string Name, int Times, class... Parts>
struct repeat {
  static_assert(detail::are_complete({sizeof(Parts)...}));
  using operator_struct = void;
  static constexpr layer_record record =
      detail::parts_or<identity<"wrong">, Parts...>::group(grouping::repeat, Name, nullptr, Times);
  static_assert(Times > 0, "ctnn: a repeat<...> takes a name and how many times, at least once");
  static_assert(detail::are_parts<Parts...>, "ctnn: a block takes a name, layers, blocks, networks, and from<...>");
};


}  // namespace ctnn
