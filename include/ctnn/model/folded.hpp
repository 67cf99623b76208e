// SPDX-License-Identifier: BSL-1.0
// A rewritten network with weights of its own, folded: what a quantizer begins with.
#pragma once

#include <set>

#include "../loaded/folded_weights.hpp"
#include "model.hpp"

namespace ctnn {

namespace detail {

template <class Op>
Op decoded(const ir::field_values& fields) {
  return ir::decode<Op>({fields.data(), fields.size()});
}
/// The activation of a node of one of these operators that is no bounds; the fields are then those without it.
template <class... Ops>
activation_function take_activation(const ir::node& n, ir::field_values& fields, ir::operator_list<Ops...>) {
  activation_function f;
  const auto take = [&]<class Op>(const Op*) {
    if (n.type != &ir::type_of<Op>) return;
    Op op = decoded<Op>(fields);
    if (op::is_bounds(op.activation)) return;
    f = std::exchange(op.activation, {});
    fields = ir::encode(op);
  };
  (take(static_cast<const Ops*>(nullptr)), ...);
  return f;
}

}  // namespace detail

/// The network `g`, rewritten from `m`, as one with weights of its own, for a quantizer. Nodes and values have names
/// that differ; a linear layer that flattens its input is two. With `only_bounds` layers of sums apply no activation
/// but those that bound: others are layers of their own, LAYER_FUNCTION.
inline loaded_model folded(const loaded_model& m, const ir::graph_view& g, bool only_bounds = true) {
  if (ir::carries(g)) throw error("a network that carries values from run to run cannot be quantized");
  loaded_model made;
  ir::folded_weights numbers(m, g);
  std::set<std::string, std::less<>> nodes, values;
  const auto fresh = [&](std::set<std::string, std::less<>>& taken, std::string_view wanted,
                         std::string_view otherwise) {
    const std::string base(wanted.empty() ? otherwise : wanted);
    std::string name = base;
    for (int k = 2; !taken.insert(name).second; ++k) name = base + '_' + std::to_string(k);
    return made.keep(std::move(name));
  };
  for (const model_input& i : m.all_inputs()) {
    model_input copy = i;
    values.insert(std::string(i.name));
    copy.name = made.keep(std::string(i.name));
    made.inputs.push_back(std::move(copy));
  }
  for (const ir::network_output& o : g.outputs)  // whoever asks for a value by its name gets no other one
    if (g.at_value(o.value).name != o.name) values.insert(std::string(o.name));
  std::vector<ir::value_id> moved(g.values.size(), ir::none);
  const auto require = [](const problem& p, std::string_view layer) {
    if (p) throw error("layer '" + std::string(layer) + "': " + ir::describe(p));
  };
  const auto reshape = [&](std::string_view name, ir::value_id x, const extents& to, std::string_view value) {
    require(ir::add_node(made.network, op::reshape{ir::as_list(to)}, name, {&x, 1}, {&value, 1}), name);
    return made.network.nodes.back().outputs.first;
  };
  using layers_of_sums = ir::operator_list<op::conv1d, op::conv2d, op::conv3d, op::linear, op::binary>;
  for (const ir::node& n : g.nodes) {
    if (n.dead) continue;
    std::vector<ir::value_id> in;
    for (const ir::value_id v : g.inputs(n)) in.push_back(moved[static_cast<std::size_t>(v)]);
    const std::string_view name = fresh(nodes, n.name, n.type->name);
    std::vector<std::string_view> names;
    for (int k = 0; k < n.outputs.count; ++k) {
      const ir::value& v = g.at_value(n.outputs.first + k);
      names.push_back(n.type == &ir::type_of<op::input> ? made.keep(std::string(v.name)) : fresh(values, v.name, name));
    }
    ir::field_values fields;
    for (const double f : g.fields_of(n.fields)) fields.push_back(f);
    const activation_function apart =
        only_bounds ? detail::take_activation(n, fields, layers_of_sums{}) : activation_function{};
    const std::string_view value = names.empty() ? std::string_view() : names[0];
    const std::string called = std::string(name) + '_' + std::string(name_of(apart.kind));
    if (apart) names[0] = fresh(values, std::string(name) + "_sum", {});
    auto linear = n.type == &ir::type_of<op::linear> ? detail::decoded<op::linear>(fields) : op::linear{};
    if (linear.axes > 1) {
      const extents x = g.shape(g.inputs(n)[0]);
      extents rows;
      rows.append(x, 0, x.rank - linear.axes);
      rows.push_back(static_cast<int>(linear.depth(x)));
      const std::string own(name);
      in[0] = reshape(fresh(nodes, own + "_rows", {}), in[0], rows, fresh(values, own + "_rows", {}));
      linear.axes = 1;
      fields = ir::encode(linear);
    }
    const ir::pool<ir::element> elements = ir::output_elements(g, n);
    require(ir::add_node(made.network, *n.type, name, in, {fields.data(), fields.size()}, names,
                         {elements.data(), elements.size()}),
            n.name);
    const ir::node own = made.network.nodes.back();
    for (int k = 0; k < n.outputs.count; ++k)
      moved[static_cast<std::size_t>(n.outputs.first + k)] = own.outputs.first + k;
    const auto weights = g.weights(n);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const ir::expression& leaf = made.network.expressions[static_cast<std::size_t>(
          made.network.operands[static_cast<std::size_t>(own.weights.first) + k])];
      const typed_span from = numbers.elements(weights[k]);
      if (static_cast<std::size_t>(leaf.shape.count()) != from.size())
        throw error("layer '" + std::string(n.name) + "': weight '" + std::string(leaf.name) + "' has another size");
      made.set_weight(leaf, std::make_shared<const array>(ir::copy_of(from, leaf.shape)));
    }
    if (!apart) continue;
    require(ir::add_node(made.network, op::activation{apart}, fresh(nodes, called, {}), {&own.outputs.first, 1},
                         {&value, 1}),
            called);
    moved[static_cast<std::size_t>(n.outputs.first)] = made.network.nodes.back().outputs.first;
  }
  for (const ir::network_output& o : g.outputs)
    ir::add_output(made.network, made.keep(std::string(o.name)), moved[static_cast<std::size_t>(o.value)]);
  return made;
}

}  // namespace ctnn
