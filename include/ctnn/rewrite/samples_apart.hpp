// SPDX-License-Identifier: BSL-1.0
// Whether a node computes the samples of a batch one by one, so that a batch may be added to it (batching.hpp) or taken
// apart (one_sample.hpp).
#pragma once

#include "../kernels/operator_code.hpp"  // before operators that compare their records

#include "../graph/graph.hpp"

namespace ctnn::ir::detail {

/// Of a node some of whose inputs (`many`, by input) have an axis of samples before all others: whether its results
/// have it there as well, and each sample's follow from that sample's inputs alone.
constexpr bool keeps_samples_apart(const graph_view& g, const node& n, const pool<bool>& many) {
  const pool<extents> in = input_shapes(g, n);
  const span<const double> fields = g.fields_of(n.fields);
  const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(g.given(n)));
  for (std::size_t i = own; i < in.size(); ++i)
    if (many[i]) return false;  // a weight of each sample's own
  if (own == 0) return false;
  if (n.type->is.view) return many[0];
  const int rank = g.shape(n.outputs.first).rank;
  if (n.type == &type_of<op::gather>)
    return !many[0] && many[1] && n.type->passes(fields, 1, in[1].rank - 1, in) == rank - 1;
  const bool multiplies = n.type == &type_of<op::matmul>;
  if (multiplies || (n.type->is.each && own > 1)) {  // axes meet from the last on; a matrix has two of its own
    if (multiplies && rank < 3) return false;
    for (std::size_t i = 0; i < own; ++i)
      if (many[i] ? in[i].rank != rank : in[i].rank == rank && in[i][0] != 1) return false;
    return true;
  }
  // Values beside the first have their samples where it or the result has them; what is alike for all is broadcast.
  if (!many[0]) return false;
  for (std::size_t i = 1; i < own; ++i) {
    const bool beside = in[i].rank == in[0].rank || in[i] == g.shape(n.outputs.first);
    const bool alike = in[i].rank < in[0].rank || in[i][0] == 1;
    if (!(many[i] ? beside : alike)) return false;
  }
  return n.type->passes(fields, 0, in[0].rank - 1, in) == rank - 1;
}

}  // namespace ctnn::ir::detail
