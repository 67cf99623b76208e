// SPDX-License-Identifier: BSL-1.0
// Elements picked or written by index. Indices are i64 or i32; negative ones count from the end; one that is out of
// range is refused when the kernel runs (base/refuse.hpp).
#pragma once

#include "typing.hpp"

namespace ctnn::op {

/// ONNX Gather, torch.index_select with an index of any shape: inputs x and indices.
struct gather {
  static constexpr std::string_view name = "gather";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  int axis = 0;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
  constexpr problem infer(inputs in, outputs result) const {
    const extents &x = in[0], &index = in[1];
    const int a = normal_axis(axis, x.rank);
    if (a < 0 || a >= x.rank) return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
    if (x.rank + index.rank - 1 > max_rank) return {mistake::rank_mismatch, "indices", index, {max_rank + 1 - x.rank}};
    extents y;
    y.append(x, 0, a);
    y.append(index);
    y.append(x, a + 1, x.rank);
    result[0] = y;
    return countable(y);
  }
  /// The indices' axes stand in place of x's axis.
  constexpr int passes(int i, int back, inputs in) const {
    const int behind = in[0].rank - 1 - normal_axis(axis, in[0].rank);
    if (i == 1) return back + behind;
    return back == behind ? -1 : back < behind ? back : back - 1 + in[1].rank;
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_for(in[1].count()); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return require_type(in, 1, is_index, "indices");
  }
};

/// torch.gather (ONNX GatherElements): inputs x and indices of the same rank.
struct gather_elements {
  static constexpr std::string_view name = "gather_elements";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  int axis = 0;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (in[1].rank != in[0].rank) return {mistake::rank_mismatch, "indices", in[1], {in[0].rank}};
    for (int i = 0; i < in[0].rank; ++i)
      if (i != a && in[1][i] > in[0][i]) return {mistake::shape_mismatch, "indices", in[1], in[0]};
    result[0] = in[1];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return require_type(in, 1, is_index, "indices");
  }
};

/// ONNX GatherND: the last axis of the indices (i64) walks through x, after `batch` leading axes both have.
struct gather_nd {
  static constexpr std::string_view name = "gather_nd";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  int batch = 0;

  static constexpr void fields(auto& self, auto&& field) { field("batch", self.batch); }
  constexpr problem infer(inputs in, outputs result) const {
    const extents &x = in[0], &index = in[1];
    if (index.rank < 1) return {mistake::rank_mismatch, "indices", index, {1}};
    if (batch < 0 || batch >= index.rank || batch >= x.rank)
      return {mistake::axis_out_of_range, "batch", {batch}, {x.rank}};
    const int depth = index.back(0);
    if (depth < 1 || depth > x.rank - batch) return {mistake::shape_mismatch, "indices", index, x};
    for (int i = 0; i < batch; ++i)
      if (x[i] != index[i]) return {mistake::shape_mismatch, "indices", index, x};
    if (index.rank - 1 + x.rank - batch - depth > max_rank)
      return {mistake::rank_mismatch, "indices", index, {max_rank}};
    extents y;
    y.append(index, 0, index.rank - 1);
    y.append(x, batch + depth, x.rank);
    result[0] = y;
    return countable(y);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return require_type(in, 1, is_index, "indices");
  }
};

/// What scattering does where an element already is; `none` replaces it.
enum class scatter_reduction { none, add, mul, max, min };

/// torch.scatter (ONNX ScatterElements): inputs x, indices and updates of the indices' shape.
struct scatter_elements {
  static constexpr std::string_view name = "scatter_elements";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 3, max_inputs = 3;

  int axis = 0;
  scatter_reduction reduction = scatter_reduction::none;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("reduction", self.reduction);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (in[1].rank != in[0].rank) return {mistake::rank_mismatch, "indices", in[1], {in[0].rank}};
    if (!(in[1] == in[2])) return {mistake::shape_mismatch, "updates", in[2], in[1]};
    for (int i = 0; i < in[0].rank; ++i)
      if (i != a && in[1][i] > in[0][i]) return {mistake::shape_mismatch, "indices", in[1], in[0]};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (type_at(in, 2) != out[0]) return wrong_type("updates", type_at(in, 2));
    return require_type(in, 1, is_index, "indices");
  }
};

/// ONNX ScatterND: inputs x, indices (..., depth) and updates (..., rest of x's shape).
struct scatter_nd {
  static constexpr std::string_view name = "scatter_nd";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 3, max_inputs = 3;

  scatter_reduction reduction = scatter_reduction::none;

  static constexpr void fields(auto& self, auto&& field) { field("reduction", self.reduction); }
  constexpr problem infer(inputs in, outputs result) const {
    const extents &x = in[0], &index = in[1];
    if (index.rank < 1) return {mistake::rank_mismatch, "indices", index, {1}};
    const int depth = index.back(0);
    if (depth < 1 || depth > x.rank) return {mistake::shape_mismatch, "indices", index, x};
    if (index.rank - 1 + x.rank - depth > max_rank) return {mistake::rank_mismatch, "indices", index, {max_rank}};
    extents u;
    u.append(index, 0, index.rank - 1);
    u.append(x, depth, x.rank);
    if (!(in[2] == u)) return {mistake::shape_mismatch, "updates", in[2], u};
    result[0] = x;
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (type_at(in, 2) != out[0]) return wrong_type("updates", type_at(in, 2));
    return require_type(in, 1, is_index, "indices");
  }
};

/// Inputs indices (any numeric type) and values (off, on): a new axis of extent `depth` at `axis` of the output.
struct one_hot {
  static constexpr std::string_view name = "one_hot";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  int depth = 0;
  int axis = -1;

  static constexpr void fields(auto& self, auto&& field) {
    field("depth", self.depth);
    field("axis", self.axis);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int rank = in[0].rank + 1, a = normal_axis(axis, rank);
    if (a < 0 || a >= rank || rank > max_rank) return {mistake::axis_out_of_range, "axis", {axis}, {rank}};
    if (depth < 0) return {mistake::option_out_of_range, "depth", {depth}, {0}};
    if (!(in[1] == extents{2})) return {mistake::shape_mismatch, "values", in[1], {2}};
    result[0] = in[0].with_axis(a, depth);
    return countable(result[0]);
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_for(in[0].count()); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 1);
    return type_at(in, 0) == dtype::boolean ? wrong_type("indices", dtype::boolean) : problem{};
  }
};

/// Positions of the elements that are not 0, as (rank, count) i64 (ONNX NonZero). `count` is known before: a reader
/// finds it with count_nonzero() (kernels/typed/counting.hpp); the kernel refuses if the numbers have another count.
struct nonzero {
  static constexpr std::string_view name = "nonzero";
  static constexpr traits is{.vectors = vectors_of::none};

  int count = 0;

  static constexpr void fields(auto& self, auto&& field) { field("count", self.count); }
  constexpr problem infer(inputs in, outputs result) const {
    return shape_from({in[0].rank > 0 ? in[0].rank : 1, count}, result[0]);
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_for(in[0].count()); }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = dtype::i64;
    return {};
  }
};

/// Slices of x along `axis` (or, `flatten`, elements) where the second input, booleans, is true; `count` as for
/// nonzero.
struct compress {
  static constexpr std::string_view name = "compress";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  bool flatten = true;
  int axis = 0;
  int count = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("flatten", self.flatten);
    field("axis", self.axis);
    field("count", self.count);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[1].rank != 1) return {mistake::rank_mismatch, "condition", in[1], {1}};
    if (count < 0) return {mistake::option_out_of_range, "count", {count}, {0}};
    if (flatten) {
      result[0] = {count};
      return {};
    }
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    result[0] = in[0];
    result[0][a] = count;
    return {};
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_for(in[1].count()); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return type_at(in, 1) == dtype::boolean ? problem{} : wrong_type("condition", type_at(in, 1));
  }
};

/// ONNX Unique: outputs the distinct elements (slices along `axis`), the first position of each, where each element of
/// x went, and how often each occurs. `count` distinct ones, as for nonzero.
struct unique {
  static constexpr std::string_view name = "unique";
  static constexpr traits is{.vectors = vectors_of::none};

  bool sorted = true;
  bool flatten = true;
  int axis = 0;
  int count = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("sorted", self.sorted);
    field("flatten", self.flatten);
    field("axis", self.axis);
    field("count", self.count);
  }
  constexpr int output_count() const { return 4; }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = flatten ? 0 : normal_axis(axis, in[0].rank);
    if (!flatten && (a < 0 || a >= in[0].rank)) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (count < 0) return {mistake::option_out_of_range, "count", {count}, {0}};
    result[0] = in[0];
    if (flatten) result[0] = {count};
    else result[0][a] = count;
    result[1] = result[3] = {count};
    result[2] = {flatten ? static_cast<int>(in[0].count()) : in[0][a]};
    return {};
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return 7 * scratch_for(flatten ? in[0].count() : in[0][normal_axis(axis, in[0].rank)]);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    out[1] = out[2] = out[3] = dtype::i64;
    return {};
  }
};

/// ONNX NonMaxSuppression: inputs boxes (N, M, 4) and scores (N, classes, M); the output is (count, 3) i64: batch,
/// class, box. `count` as for nonzero (count_boxes()); rows the numbers do not fill are -1.
struct non_max_suppression {
  static constexpr std::string_view name = "non_max_suppression";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  bool center = false;  ///< boxes are (x, y, width, height) of the centre instead of two corners (y, x, y, x)
  int most = 0;         ///< boxes of a class, at most
  float iou = 0;        ///< overlapping more than this suppresses
  bool has_score = false;
  float score = 0;      ///< lower ones are left out
  int count = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("center", self.center);
    field("most", self.most);
    field("iou", self.iou);
    field("has_score", self.has_score);
    field("score", self.score);
    field("count", self.count);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 3 || in[0].back(0) != 4) return {mistake::shape_mismatch, "boxes", in[0], {1, 1, 4}};
    if (in[1].rank != 3 || in[1][0] != in[0][0] || in[1][2] != in[0][1])
      return {mistake::shape_mismatch, "scores", in[1], in[0]};
    return shape_from({count, 3}, result[0]);
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return 2 * scratch_for(in[0][1], sizeof(int));
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::i64;
    if (const problem p = require_type(in, 0, is_floating, "boxes")) return p;
    return require_one_type(in, "scores");
  }
};

}  // namespace ctnn::op
