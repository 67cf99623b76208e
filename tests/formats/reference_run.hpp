// SPDX-License-Identifier: BSL-1.0
// Runs a loaded model with the reference kernels, node by node, keeping every value.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <ctnn/loaded/loaded_model.hpp>
#include <ctnn/kernels/reference/reference.hpp>

#include "../support/deviation.hpp"

namespace ctnn::ir::test {

template <class Op>
bool run_if(const graph_view& g, node_id id, const arguments& a) {
  if constexpr (requires(const Op& op) { reference::run(op, a); }) {
    if (!g.is<Op>(id)) return false;
    reference::run(g.get<Op>(id), a);
    return true;
  } else {
    return false;
  }
}

template <class... Ops>
bool run_any(operator_list<Ops...>, const graph_view& g, node_id id, const arguments& a) {
  return (run_if<Ops>(g, id, a) || ...);
}

/// The network outputs by name; `inputs` are by value name.
inline std::map<std::string, std::vector<float>> run_reference(
    const loaded_model& m, const std::map<std::string, std::vector<float>>& inputs) {
  const graph_view g = m.network.view();
  std::vector<std::vector<float>> numbers(g.values.size());
  for (std::size_t i = 0; i < g.values.size(); ++i)
    numbers[i].resize(static_cast<std::size_t>(g.values[i].shape.count()));
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const auto id = static_cast<node_id>(i);
    const node& n = g.nodes[i];
    std::vector<const_tensor> in;
    std::vector<tensor> out;
    std::vector<const float*> weights;
    const auto all = g.inputs(n);
    const std::size_t own = all.size() - static_cast<std::size_t>(count_slots(g.given(n)));
    for (value_id v : all.first(own)) in.push_back({numbers[static_cast<std::size_t>(v)].data(), g.shape(v)});
    for (int k = 0; k < n.outputs.count; ++k) {
      const value_id v = n.outputs.first + k;
      out.push_back({numbers[static_cast<std::size_t>(v)].data(), g.shape(v)});
    }
    merge_slots(
        g.given(n),
        [&](std::size_t k) {
          return static_cast<const float*>(numbers[static_cast<std::size_t>(all[own + k])].data());
        },
        [&](std::size_t k) {
          const expression& leaf = g.at_expression(g.weights(n)[k]);
          return m.weights.at({leaf.layer, leaf.name})->data();
        },
        g.weights(n).size(), weights);
    std::vector<float>& first = numbers[static_cast<std::size_t>(n.outputs.first)];
    if (g.is<op::input>(id)) {
      const auto& given = inputs.at(std::string(g.at_value(n.outputs.first).name));
      REQUIRE(given.size() == first.size());
      first = given;
    } else if (g.is<op::constant>(id)) {
      std::copy_n(weights[0], first.size(), first.begin());
    } else if (g.is<op::full>(id)) {
      std::fill(first.begin(), first.end(), g.get<op::full>(id).value);
    } else {
      REQUIRE(run_any(all_operators{}, g, id, arguments{in, out, weights}));
    }
  }
  std::map<std::string, std::vector<float>> results;
  for (const network_output& o : g.outputs) results[std::string(o.name)] = numbers[static_cast<std::size_t>(o.value)];
  return results;
}

}  // namespace ctnn::ir::test
