// SPDX-License-Identifier: BSL-1.0
// Reductions, positions of extremes, running sums, the largest elements.
#pragma once

#include "movement.hpp"

namespace ctnn::onnx::readers {

/// Axes are an input since opset 18 (ReduceSum: 13). None: all of them, or none at all on request.
template <op::reduction f, int since = 18>
void reduce(node_reader& n) {
  n.expect(1, n.version < since ? 1 : 2);
  const term x = n.input();
  const bool keep = n.flag("keepdims", true), noop = n.version >= since && n.flag("noop_with_empty_axes", false);
  const integers axes = axes_of(n, since);
  if (axes.empty() && noop) {
    // No axes, so every element is reduced by itself.
    op::reduce each{f};
    const extents s = n.shape(x);
    if (f == op::reduction::sum || f == op::reduction::mean || f == op::reduction::max || f == op::reduction::min ||
        f == op::reduction::prod)
      return n.result(x);
    if (s.rank == max_rank) node_reader::refuse("noop_with_empty_axes for " + std::to_string(max_rank) + " dimensions");
    extents longer = s;
    longer.push_back(1);
    each.axes.push_back(s.rank);
    each.keep = false;
    return n.result(n.add(each, {n.reshaped(x, longer)}));
  }
  op::reduce op{f, n.axes(axes, n.rank(x)), keep};
  if (op.axes.empty())
    for (int i = 0; i < n.rank(x); ++i) op.axes.push_back(i);
  if (n.rank(x) == 0) {
    op.axes.clear();
    op.axes.push_back(0);
    return n.result(n.add(op::reduce{f, op.axes, false}, {n.reshaped(x, {1})}));
  }
  n.result(n.add(op, {x}));
}

template <bool largest>
void arg_reduce(node_reader& n) {
  n.expect(1, 1);
  const op::arg_reduce op{largest, n.small("axis", 0), n.flag("keepdims", true), n.flag("select_last_index", false)};
  n.result(n.add(op, {n.input()}));
}

inline void top_k(node_reader& n) {
  const term x = n.input(0);
  std::int64_t k = 0;
  if (n.version < 10) {
    n.expect(1, 1);
    k = n.integer("k");
  } else {
    n.expect(2, 2);
    k = n.whole_scalar(1);
  }
  n.ignore("sorted");
  op::topk op{n.to_int(k, "k"), n.axis(n.integer("axis", -1), n.rank(x)), n.flag("largest", true)};
  const std::vector<term> out = n.nodes(op, {x});
  n.result(0, out[0]);
  n.result(1, out[1]);
}

template <bool product>
void running(node_reader& n) {
  n.expect(2, 2);
  const int axis = n.axis(n.whole_scalar(1), n.rank(n.input(0)));
  n.result(n.add(op::cumsum{axis, n.flag("exclusive", false), n.flag("reverse", false), product}, {n.input(0)}));
}

}  // namespace ctnn::onnx::readers
