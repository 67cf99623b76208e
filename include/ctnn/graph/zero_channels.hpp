// SPDX-License-Identifier: BSL-1.0
// Channels of a weight that hold zeros and nothing else, and integers of a bias that are not above 0. Whoever has the
// numbers, a file or a table of constants, writes them down here; rules ask rewrite/zero_channels.hpp, which follows
// them through expressions.
#pragma once

#include "graph.hpp"

namespace ctnn::ir {

/// Are there numbers of this type whose zeros somebody looks for?
template <class T>
inline constexpr bool may_be_zero_channels = std::is_same_v<T, float> || std::is_same_v<T, std::int8_t> ||
                                             std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t>;

/// Looks through a leaf's numbers, and makes its fields of what it finds: how many places of the first axis hold zeros
/// only, which they are, and which of the second axis do; of a vector of i32, which places hold less than 0 instead. A
/// leaf without such places has no fields. Numbers from -below to below count as zeros.
template <class T>
requires may_be_zero_channels<T>
constexpr void note_zero_channels(graph& g, expression& leaf, const T* numbers, T below = 0) {
  const extents& shape = leaf.shape;
  leaf.fields = {};
  if (shape.rank < 1 || shape.count() == 0) return;
  const std::int64_t rows = shape[0], row = shape.count(1, shape.rank), columns = shape.rank > 1 ? shape[1] : 0;
  const std::int64_t each = shape.rank > 1 ? shape.count(2, shape.rank) : 1;
  const auto zeros = [below](const T* from, std::int64_t n) {
    while (n > 0 && (*from == 0 || (below != 0 && *from <= below && *from + below >= 0))) ++from, --n;
    return n == 0;
  };
  pool<double> found(1, 0.0);
  pool<std::int64_t> left(static_cast<std::size_t>(columns), 0);
  for (std::int64_t c = 0; c < columns; ++c) left.items[c] = c;
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* const from = numbers + i * row;
    if (zeros(from, row)) {
      found.push_back(static_cast<double>(i));
      continue;
    }
    std::size_t kept = 0;  // most weights have no such column, which is seen in their first row
    for (const std::int64_t c : left)
      if (zeros(from + c * each, each)) left[kept++] = c;
    left.shrink(kept);
  }
  found[0] = static_cast<double>(found.size() - 1);
  for (const std::int64_t c : left) found.push_back(static_cast<double>(c));
  if constexpr (std::is_same_v<T, std::int32_t>)
    for (std::int64_t i = 0; i < rows && shape.rank == 1; ++i)
      if (numbers[i] < 0) found.push_back(static_cast<double>(i));
  if (found.size() > 1) leaf.fields = g.store_fields(found);
}

/// Those of a leaf along its first or second axis: true at each place of zeros.
constexpr pool<bool> zero_channels(const graph_view& g, const expression& leaf, int axis) {
  pool<bool> zeros(static_cast<std::size_t>(leaf.shape[axis]), false);
  const span<const double> found = g.fields_of(leaf.fields);
  if (found.empty() || axis > 1) return zeros;
  const auto rows = static_cast<std::size_t>(found[0]);
  const std::size_t first = axis == 0 ? 1 : 1 + rows, end = axis == 0 ? 1 + rows : found.size();
  for (std::size_t i = first; i < end; ++i) zeros[static_cast<std::size_t>(found[i])] = true;
  return zeros;
}

/// Makes true what is known of a leaf's channels: calls write(i) for each number that is 0.
constexpr void write_zero_channels(const graph_view& g, const expression& e, auto&& write) {
  if (e.type || e.fields.count == 0) return;
  for (int axis = 0; axis < (e.shape.rank < 2 ? e.shape.rank : 2); ++axis) {
    const pool<bool> zeros = zero_channels(g, e, axis);
    const std::int64_t each = e.shape.count(axis + 1, e.shape.rank), all = e.shape.count();
    for (std::int64_t i = 0; i < all; ++i)
      if (zeros[static_cast<std::size_t>(i / each) % zeros.size()]) write(static_cast<std::size_t>(i));
  }
}

/// Those of a leaf that is a vector, and with them those that are known to hold less.
constexpr pool<bool> places_not_above_zero(const graph_view& g, const expression& leaf) {
  pool<bool> places(static_cast<std::size_t>(leaf.shape[0]), false);
  const span<const double> found = g.fields_of(leaf.fields);
  for (std::size_t i = 1; i < found.size(); ++i) places[static_cast<std::size_t>(found[i])] = true;
  return places;
}

/// Is it said of any weight that it has some? Rules ask before they look.
constexpr bool has_zero_channels(const graph_view& g) {
  for (const expression& e : g.expressions)
    if (e.type == nullptr && e.fields.count != 0 && (e.shape.rank > 1 || g.fields_of(e.fields)[0] > 0)) return true;
  return false;
}

}  // namespace ctnn::ir
