// SPDX-License-Identifier: BSL-1.0
// Slices of a value without the axis they are cut along, and values stacked along a new one.
#pragma once

#include "node_reader.hpp"

namespace ctnn::onnx {

inline term slice_of(node_reader& r, term x, int axis, int i) {
  return r.reshaped(r.add(op::slice{{axis}, {i}, {i + 1}}, {x}), r.shape(x).without_axis(axis));
}
inline term stacked(node_reader& r, const std::vector<term>& slices, int axis) {
  std::vector<term> parts;
  for (term t : slices) {
    const extents s = r.shape(t);
    if (s.rank == max_rank) node_reader::refuse("stacking values of " + std::to_string(max_rank) + " dimensions");
    parts.push_back(r.reshaped(t, s.with_axis(axis, 1)));
  }
  return parts.size() == 1 ? parts[0] : r.add(op::concat{axis}, parts);
}

}  // namespace ctnn::onnx
