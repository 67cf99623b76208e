// SPDX-License-Identifier: BSL-1.0
// The layers of a network as records of one type, for questions by the algorithms of the standard library: how many,
// which, how large. Constants, like the answers. (layers_of.hpp has the layers as types.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "questions.hpp"
#include "words.hpp"

namespace ctnn {

/// A value between layers.
struct value_info {
  std::string_view layer;  ///< that makes it
  int number = 0;          ///< among the values that this layer makes
  extents shape{};
  ir::element type{};  ///< a dtype and, of integers, what they stand for
};

/// A weight of a layer.
struct weight_info {
  std::string_view layer;  ///< under whose name it is given: of tied weights the first
  std::string_view name;
  extents shape{};
  ir::element type{};
};

/// A layer of a network. Its operator is asked for by as<op::conv2d>(), or field by field by name.
struct layer_info {
  std::string_view name;
  std::span<const value_info> inputs{}, outputs{};
  std::span<const weight_info> weights{};
  std::int64_t macs = 0;    ///< multiply-adds
  int line = 0;             ///< of the function that declares it; 0 where a list does
  std::string_view into{};  ///< the layer that does its work after rewriting (layers_after), "" if none does; or itself
  std::string_view rule{};  ///< the rule that took it there; "" where it is still a layer, or nobody needed it

  // What the questions below look at.
  const ir::operator_type* type = nullptr;
  std::span<const double> fields{};
  std::span<const double> (*find)(std::span<const double> fields, std::string_view name) = nullptr;

  template <class Op>
  constexpr bool is() const {
    return type == &ir::type_of<Op>;
  }
  /// The operator with all its parameters, if it is an Op.
  template <class Op>
  constexpr std::optional<Op> as() const {
    if (!is<Op>()) return std::nullopt;
    return ir::decode<Op>(fields);
  }
  /// The numbers of the parameter called `field`: get("groups")[0]. There are none where the operator has no such
  /// parameter, or its list is empty; where all axes have one number, it is there once.
  constexpr std::span<const double> get(std::string_view field) const { return find(fields, field); }
  /// What the operator is called in messages: "conv2d", "activation", "pool".
  constexpr std::string_view operator_name() const { return type->name; }
  /// The word one declares it with, PyTorch's: "conv2d", "relu", "max_pool2d".
  template <class Asked = void>
  constexpr std::string_view word() const {
    if (const ir::layer_word* w = ir::detail::word_for<Asked>(type, type->spell(fields))) return w->word;
    if (const auto f = as<op::activation>()) return name_of(f->activation.kind);
    return type->name;
  }
};

}  // namespace ctnn

namespace ctnn::ir::detail {

/// Finds a field's numbers in a row of all fields'.
struct field_finder {
  const double* row;
  std::string_view name;
  std::span<const double> found{};

  template <class Field>
  constexpr void operator()(const char* key, const Field&) {
    const std::size_t n = numbers_in<Field>(row);
    if (same_word(key, name)) {
      // A list says first how long it is, and a number that may be absent whether it is there.
      constexpr bool has_head = is_list<Field>::value || std::is_same_v<Field, optional_number>;
      if constexpr (!has_head) found = {row, n};
      else if (*row != 0) found = {row + 1, n - 1};
    }
    row += n;
  }
};
template <class Op>
constexpr std::span<const double> field_called(std::span<const double> fields, std::string_view name) {
  field_finder find{fields.data(), name};
  const Op any;
  Op::fields(any, find);
  return find.found;
}

/// Of all layers, and behind them one of no name.
template <class Net>
struct layer_table {
  static constexpr graph_view g = declared_graph<Net>;

  struct counts {
    std::size_t values = 0, weights = 0;
  };
  static constexpr counts count = [] {
    counts all;
    for (const node& n : g.nodes) {
      all.values += static_cast<std::size_t>(n.inputs.count + n.outputs.count);
      all.weights += static_cast<std::size_t>(n.weights.count);
    }
    return all;
  }();
  static constexpr value_info info_of(value_id v) {
    const value& x = g.at_value(v);
    const node& maker = g.at(x.producer);
    return {maker.name, v - maker.outputs.first, x.shape, x.type};
  }
  /// What each layer reads and makes, layer by layer; then the same of weights.
  static constexpr auto values = [] {
    std::array<value_info, count.values + 1> all{};
    value_info* to = all.data();
    for (const node& n : g.nodes) {
      for (const value_id v : g.inputs(n)) *to++ = info_of(v);
      for (int k = 0; k < n.outputs.count; ++k) *to++ = info_of(n.outputs.first + k);
    }
    return all;
  }();
  static constexpr auto weights = [] {
    std::array<weight_info, count.weights + 1> all{};
    weight_info* to = all.data();
    for (const node& n : g.nodes)
      for (const expression_id e : g.weights(n)) {
        const expression& w = g.at_expression(e);
        *to++ = {w.layer, w.name, w.shape, w.element};
      }
    return all;
  }();

  template <std::size_t... N>
  static constexpr auto make(std::index_sequence<N...>) {
    std::array<layer_info, g.nodes.size() + 1> all{};
    // No fold: Clang limits them to 256 operands.
    constexpr decltype(layer_info::find) finders[] = {&field_called<struct_of<g.nodes[N].type>>..., nullptr};
    const value_info* next = values.data();
    const weight_info* next_weight = weights.data();
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const node& n = g.nodes[i];
      const auto take = [](const auto*& from, int n_items) {
        const auto items = static_cast<std::size_t>(n_items);
        from += items;
        return std::span(from - items, items);
      };
      layer_info& l = all[i];
      l.name = l.into = n.name;
      l.inputs = take(next, n.inputs.count);
      l.outputs = take(next, n.outputs.count);
      l.weights = take(next_weight, n.weights.count);
      l.macs = macs_of(g, static_cast<node_id>(i));
      l.type = n.type;
      l.fields = g.fields_of(n.fields);
      l.find = finders[i];
      if constexpr (requires { network_behind<Net>::type::line_of(n.name); })
        l.line = network_behind<Net>::type::line_of(n.name).line;
    }
    return all;
  }
  static constexpr auto all = make(std::make_index_sequence<g.nodes.size()>{});
};

template <class Net, class Rules>
struct layer_table_after {
  static constexpr auto all = [] {
    auto layers = layer_table<Net>::all;
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
      const provenance p =
          provenance_of(layers[i].name, optimized_graph<Net, Rules>, rewriting_history<Net, Rules>::steps);
      layers[i].into = p.into;
      layers[i].rule = p.rule;
    }
    return layers;
  }();
};

/// A layer's options as its operator's fields. Those that speak of elements, such as as_i8<...>, are no fields.
template <class Layer>
struct configured {
  struct finding {
    field_values fields{};
    problem_report error{};
  };
  static constexpr finding found = [] {
    finding out;
    pool<option_record> own;
    for (const option_record& o : Layer::record.options)
      if (Layer::record.type->configure({&o, 1}, out.fields).kind != mistake::unknown_option) own.push_back(o);
    out.error = {Layer::record.type->configure({own.data(), own.size()}, out.fields), Layer::record.name};
    return out;
  }();
  static constexpr problem_report error = found.error;
};

}  // namespace ctnn::ir::detail

namespace ctnn {

/// The operator of a layer type with the parameters that the layer says, for those who go over types (layers_of):
/// operator_of<conv2d<"c", out<8>, kernel<3>>>.out == 8. Layer::name is what it is called.
template <class Layer>
inline constexpr typename Layer::operator_struct operator_of =
    (void(ir::size_said<ir::error_in<ir::detail::configured<Layer>::error>>),
     ir::decode<typename Layer::operator_struct>({ir::detail::configured<Layer>::found.fields.data(),
                                                  ir::detail::configured<Layer>::found.fields.size()}));

/// The layers of a network in order, records for <algorithm>: name, operator, shapes and element types of what each
/// reads and makes, weights, multiply-adds (network/layer_info.hpp).
///   constexpr auto is_depthwise = [](const ctnn::layer_info& l) {
///     return l.is<ctnn::op::conv2d>() && l.get("groups")[0] > 1;
///   };
///   static_assert(!std::ranges::any_of(ctnn::layers<net>, is_depthwise));
/// Where blocks declare layers, these are all of them, under their full names.
template <class Net>
inline constexpr std::span<const layer_info> layers =
    (void(ir::size_said<ir::error_in<ir::detail::found_in<Net>::error>>),
     std::span<const layer_info>(ir::detail::layer_table<Net>::all).first(ir::declared_graph<Net>.nodes.size()));

/// The same layers, each with what became of it: layer_info::into and rule.
///   static_assert(std::ranges::all_of(ctnn::layers_after<net>, [](const auto& l) { return l.into == l.name; }));
template <class Net, class Rules = default_rules>
inline constexpr std::span<const layer_info> layers_after =
    (void(ir::size_said<ir::error_in<ir::detail::found_in<Net>::error>>),
     std::span<const layer_info>(ir::detail::layer_table_after<Net, Rules>::all)
         .first(ir::declared_graph<Net>.nodes.size()));

}  // namespace ctnn
