// SPDX-License-Identifier: BSL-1.0
// More ways to move elements of any type. Bounds, axes and counts are options: a reader takes them
// from constant inputs.
#pragma once

#include "pad.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// torch.broadcast_to both ways (ONNX Expand): an extent 1 in `shape` keeps the input's.
struct expand {
  static constexpr std::string_view name = "expand";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};

  list<int> shape{};

  static constexpr void fields(auto& self, auto&& field) { field("shape", self.shape); }
  constexpr problem infer(inputs in, outputs result) const {
    extents wanted;
    if (const problem p = shape_from(shape, wanted)) return p;
    const extents both[] = {in[0], wanted};
    return broadcast_shapes(both, result[0]);
  }
};

/// torch.tile: the input repeated `repeats[i]` times along axis i.
struct tile {
  static constexpr std::string_view name = "tile";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};

  list<int> repeats{};

  static constexpr void fields(auto& self, auto&& field) { field("repeats", self.repeats); }
  constexpr problem infer(inputs in, outputs result) const {
    if (static_cast<int>(repeats.size()) != in[0].rank)
      return {mistake::rank_mismatch, "repeats", in[0], {static_cast<int>(repeats.size())}};
    result[0] = in[0];
    for (int i = 0; i < in[0].rank; ++i) {
      const int r = repeats[static_cast<std::size_t>(i)];
      if (r < 0) return {mistake::option_out_of_range, "repeats", {r}, {0}};
      if (r > 0 && in[0][i] > 2147483647 / r) return {mistake::too_large, "repeats"};
      result[0][i] *= r;
    }
    return countable(result[0]);
  }
};

/// torch.triu (`upper`) or torch.tril of the last two axes: elements below or above diagonal k become 0.
struct trilu {
  static constexpr std::string_view name = "trilu";
  static constexpr traits is{.vectors = vectors_of::none};

  bool upper = true;
  int diagonal = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("upper", self.upper);
    field("diagonal", self.diagonal);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 2) return {mistake::rank_mismatch, name, in[0], {2}};
    result[0] = in[0];
    return {};
  }
};

/// Ones on diagonal k of a matrix of the given shape and type, zeros elsewhere.
struct eye {
  static constexpr std::string_view name = "eye";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 0;

  std::array<int, 2> shape{};
  int diagonal = 0;
  dtype type = dtype::f32;

  static constexpr void fields(auto& self, auto&& field) {
    field("shape", self.shape);
    field("diagonal", self.diagonal);
    field("type", self.type);
  }
  constexpr problem infer(inputs, outputs result) const {
    return shape_from({shape[0], shape[1]}, result[0]);
  }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = type;
    return {};
  }
};

/// start, start + step, ... of the given type: `count` numbers (ONNX Range with known bounds).
struct arange {
  static constexpr std::string_view name = "arange";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 0;

  double start = 0;
  double step = 1;
  int count = 0;
  dtype type = dtype::f32;

  static constexpr void fields(auto& self, auto&& field) {
    field("start", self.start);
    field("step", self.step);
    field("count", self.count);
    field("type", self.type);
  }
  constexpr problem infer(inputs, outputs result) const { return shape_from({count}, result[0]); }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = type;
    return {};
  }
};

/// The first lengths[b] elements along `time` in reverse order for each index b of axis `batch`: inputs x and lengths.
struct reverse_sequence {
  static constexpr std::string_view name = "reverse_sequence";
  static constexpr traits is{.copies = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  int batch = 1;
  int time = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("batch", self.batch);
    field("time", self.time);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 2) return {mistake::rank_mismatch, name, in[0], {2}};
    if (batch < 0 || batch > 1 || time != 1 - batch) return {mistake::axis_out_of_range, "batch", {batch}, {2}};
    if (!(in[1] == extents{in[0][batch]})) return {mistake::shape_mismatch, "lengths", in[1], {in[0][batch]}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return require_type(in, 1, is_index, "lengths");
  }
};

}  // namespace ctnn::op
