// SPDX-License-Identifier: BSL-1.0
// Whether a node computes the samples of a batch one by one, so that a batch may be added to it (batching.hpp) or taken
// apart (one_sample.hpp).
#pragma once

#include "../kernels/operator_code.hpp"  // before operators that compare their records

#include "../graph/graph.hpp"

namespace ctnn::ir::detail {

/// Axes that the windows of an operator have which itself knows a batch before (C, ...); 0 of all others.
constexpr int axes_of_windows(const operator_type* type, span<const double> fields) {
  const auto is_any = [&]<class... Ops>(operator_list<Ops...>) { return ((type == &type_of<Ops>) || ...); };
  using lines = operator_list<op::conv1d, op::conv_transpose1d>;
  using images =
      operator_list<op::conv2d, op::conv_transpose2d, op::channel_shuffle, op::pixel_shuffle, op::local_response_norm>;
  using volumes = operator_list<op::conv3d, op::conv_transpose3d>;
  if (is_any(lines{})) return 1;
  if (is_any(images{})) return 2;
  if (is_any(volumes{})) return 3;
  if (type == &type_of<op::pool>) return decode<op::pool>(fields).indices ? 0 : decode<op::pool>(fields).axes;
  if (type == &type_of<op::adaptive_pool>) return decode<op::adaptive_pool>(fields).axes;
  return type == &type_of<op::interpolate> ? decode<op::interpolate>(fields).axes : 0;
}

/// Of a node some of whose inputs (`many`, by input) have an axis of samples before all others: whether its results
/// have it there as well, and each sample's follow from that sample's inputs alone.
constexpr bool keeps_samples_apart(const graph_view& g, const node& n, const pool<bool>& many) {
  const pool<extents> in = input_shapes(g, n);
  const span<const double> fields = g.fields_of(n.fields);
  const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(g.given(n)));
  for (std::size_t i = own; i < in.size(); ++i)
    if (many[i]) return false;  // a weight of each sample's own
  bool all = own > 0;
  for (std::size_t i = 0; i < own; ++i) all = all && many[i];
  if (n.type->is.view) return all;
  if (const int axes = axes_of_windows(n.type, fields)) return all && in[0].rank == axes + 2;
  if (n.type == &type_of<op::attention>) return all && own == 3 && n.outputs.count == 1;
  if (n.type == &type_of<op::gather>)
    return !many[0] && many[1] && normal_axis(decode<op::gather>(fields).axis, in[0].rank) == 0;
  const int rank = g.shape(n.outputs.first).rank;
  const bool multiplies = n.type == &type_of<op::matmul>;
  if (multiplies || (n.type->is.each && own > 1)) {  // axes meet from the last on; a matrix has two of its own
    if (multiplies && rank < 3) return false;
    for (std::size_t i = 0; i < own; ++i)
      if (many[i] ? in[i].rank != rank : in[i].rank == rank && in[i][0] != 1) return false;
    return true;
  }
  // What is the same for all samples stands first nowhere but in operators that take numbers beside their input.
  if (!all && !many[0]) return false;
  const bool takes_several = n.type == &type_of<op::concat> || n.type == &type_of<op::linear>;
  for (std::size_t i = 1; i < own; ++i)
    if (many[i] != takes_several) return false;
  return n.type->passes(fields, in[0].rank - 1, in) == rank - 1;
}

}  // namespace ctnn::ir::detail
