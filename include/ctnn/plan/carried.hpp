// SPDX-License-Identifier: BSL-1.0
// Pairs of inputs and outputs that an engine, or an extractor of a loaded model, keeps for itself: what the output was,
// the input is in the next run.
#pragma once

#include "../graph/graph.hpp"
#include "../kernels/operator_code.hpp"

namespace ctnn::ir {

/// Is node n an input that is carried from run to run?
constexpr bool is_carried(const graph_view& g, const node& n) {
  return n.type == &type_of<op::input> && decode<op::input>(g.fields_of(n.fields)).carried;
}
/// Is anything carried from run to run?
constexpr bool carries(const graph_view& g) {
  for (const node& n : g.nodes)
    if (is_carried(g, n)) return true;
  return false;
}
/// What every element of a carried input is in the first run.
constexpr int begins_with(const graph_view& g, value_id v) {
  return decode<op::input>(g.fields_of(g.at(g.at_value(v).producer).fields)).as.zero;
}
/// Is node n an input whose memory is the arena's?
constexpr bool is_in_arena(const graph_view& g, const node& n) {
  return n.type == &type_of<op::input> && decode<op::input>(g.fields_of(n.fields)).in_arena;
}
/// The carried input that output o is in the next run; none if it is an output like any other.
constexpr value_id carried_into(const graph_view& g, const network_output& o) {
  for (const node& n : g.nodes)
    if (n.name == o.name && is_carried(g, n)) return n.outputs.first;
  return none;
}

}  // namespace ctnn::ir
