// SPDX-License-Identifier: BSL-1.0
// Sequences of tensors, and optionals. How many parts a sequence has is known while reading, so nothing of them is left
// in the graph: a sequence is a list of terms. (SequenceMap, which has a graph of its own, is in graph_reader.hpp.)
#pragma once

#include <algorithm>

#include "../slices.hpp"

namespace ctnn::onnx::readers {

/// A position that input i gives, from the end if it is negative; `most` itself is one if parts are put there.
inline std::ptrdiff_t position(node_reader& n, std::size_t i, std::size_t count, bool behind_last) {
  const auto size = static_cast<std::int64_t>(count);
  const std::int64_t at = n.whole_scalar(i);
  if (at < -size || at >= size + (behind_last ? 1 : 0))
    n.fail("position " + std::to_string(at) + " is out of range for a sequence of " + std::to_string(count));
  return static_cast<std::ptrdiff_t>(at < 0 ? at + size : at);
}

inline void sequence_empty(node_reader& n) {
  n.expect(0, 0);
  n.element("dtype", 1);
  n.result(n.builder().add_sequence({}));
}
inline void sequence_construct(node_reader& n) {
  n.expect(1, n.input_count());
  n.result(n.builder().add_sequence(n.all_inputs()));
}
inline void sequence_at(node_reader& n) {
  n.expect(2, 2);
  const auto parts = n.sequence();
  n.result((*parts)[static_cast<std::size_t>(position(n, 1, parts->size(), false))]);
}
inline void sequence_insert(node_reader& n) {
  n.expect(2, 3);
  std::vector<term> parts = *n.sequence();
  const auto at = n.has(2) ? position(n, 2, parts.size(), true) : static_cast<std::ptrdiff_t>(parts.size());
  parts.insert(parts.begin() + at, n.input(1));
  n.result(n.builder().add_sequence(std::move(parts)));
}
inline void sequence_erase(node_reader& n) {
  n.expect(1, 2);
  std::vector<term> parts = *n.sequence();
  if (parts.empty()) n.fail("the sequence has no part to erase");
  parts.erase(parts.begin() + (n.has(1) ? position(n, 1, parts.size(), false) : std::ssize(parts) - 1));
  n.result(n.builder().add_sequence(std::move(parts)));
}
inline void sequence_length(node_reader& n) {
  n.expect(1, 1);
  n.result(n.number(static_cast<double>(n.sequence()->size()), dtype::i64));
}

/// In pieces of one (keepdims says whether they keep the axis), of one size but for the last, or of sizes.
inline void split_to_sequence(node_reader& n) {
  n.expect(1, 2);
  const term x = n.input();
  const extents s = n.shape(x);
  const int axis = n.axis(n.integer("axis", 0), s.rank);
  const bool keep = n.flag("keepdims", true);
  integers sizes;
  if (n.has(1) && n.rank(n.input(1)) > 0) sizes = n.whole(1);
  else {
    const std::int64_t each = n.has(1) ? n.whole_scalar(1) : 1;
    if (each < 1) n.fail("split is " + std::to_string(each) + ", expected at least 1");
    n.builder().take_parts(static_cast<std::size_t>((s[axis] + each - 1) / each));
    for (std::int64_t from = 0; from < s[axis]; from += each) sizes.push_back(std::min(each, s[axis] - from));
  }
  std::vector<term> parts;
  std::int64_t from = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > s[axis] - from)
      n.fail("split takes " + std::to_string(size) + " of the " + std::to_string(s[axis] - from) + " elements left");
    const int begin = static_cast<int>(from), end = static_cast<int>(from + size);
    parts.push_back(!n.has(1) && !keep ? slice_of(n, x, axis, begin) : n.add(op::slice{{axis}, {begin}, {end}}, {x}));
    from += size;
  }
  if (from != s[axis])
    n.fail("split adds up to " + std::to_string(from) + ", the axis has " + std::to_string(s[axis]));
  n.result(n.builder().add_sequence(std::move(parts)));
}
inline void concat_from_sequence(node_reader& n) {
  n.expect(1, 1);
  const auto sequence = n.sequence();
  const std::vector<term>& parts = *sequence;
  if (parts.empty()) n.fail("the sequence has no parts");
  n.builder().take_parts(parts.size());
  const bool stacks = n.flag("new_axis", false);
  const int axis = n.axis(n.integer("axis"), n.rank(parts[0]) + (stacks ? 1 : 0));
  n.result(stacks ? stacked(n, parts, axis) : parts.size() == 1 ? parts[0] : n.add(op::concat{axis}, parts));
}

inline void optional(node_reader& n) {
  n.expect(0, 1);
  n.ignore("type");
  n.result(n.has(0) ? n.any_input() : n.builder().add_nothing());
}
inline void optional_has_element(node_reader& n) {
  n.expect(0, 1);
  const bool has = n.has(0) && n.builder().at(n.any_input()).form != form::nothing;
  n.result(n.number(has, dtype::boolean));
}
inline void optional_get_element(node_reader& n) {
  n.expect(1, 1);
  if (n.builder().at(n.any_input()).form == form::nothing) n.fail("the optional has no value");
  n.result(n.any_input());
}

}  // namespace ctnn::onnx::readers
