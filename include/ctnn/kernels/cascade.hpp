// SPDX-License-Identifier: BSL-1.0
// A cascade: layers one behind the other (expand, depthwise, project; a stem and its pooling) that run some rows at a
// time, so that what lies between them is a few rows in a cache and never whole. Here is which layers may, when it
// pays, and the memory of the rows; vectors/cascade-inl.hpp computes. Results are the same bits as layer by layer.
#pragma once

#include "../graph/graph.hpp"
#include "../graph/operators/convolution.hpp"
#include "../graph/operators/pooling.hpp"
#include "operator_code.hpp"
#include "tensor.hpp"
#include "walks/phases.hpp"

namespace ctnn::ir {

/// Layers of a cascade at most.
inline constexpr int longest_cascade = 3;

/// Rows of an image.
struct row_range {
  int first, end;
};

/// The rows of one layer of a cascade.
struct cascade_rows {
  int height, kernel, stride, dilation, pad;  ///< of the input
  int out_height, out_width;
  std::int64_t out_row;  ///< numbers of a row of results

  /// Rows of the input that rows [first, end) of the results are made of.
  constexpr row_range read(int first, int end) const {
    const int from = first * stride - pad, to = (end - 1) * stride - pad + (kernel - 1) * dilation + 1;
    return {from < 0 ? 0 : from < height ? from : height, to < 0 ? 0 : to < height ? to : height};
  }
  /// How many those are of `count` rows, wherever.
  constexpr int most_read(int count) const {
    const std::int64_t rows = std::int64_t{count - 1} * stride + std::int64_t{kernel - 1} * dilation + 1;
    return rows < height ? static_cast<int>(rows) : height;
  }
};

/// A layer's operator, which is known at run time: a conv2d, or a pool.
struct cascade_operator {
  const operator_type* type;
  const void* op;
};

/// For loaded models: the layers, and what each takes. Of the values between them only shapes are looked at.
struct cascade_call {
  cascade_operator stages[longest_cascade]{};
  arguments all[longest_cascade]{};
  int count = 0;
};

/// The rows of all its layers.
struct cascade_geometry {
  cascade_rows stages[longest_cascade]{};
  int count = 0;

  constexpr const cascade_rows& last() const { return stages[count - 1]; }
  /// Numbers that lie between the layers while `rows` rows of the last one's results are made.
  constexpr std::int64_t memory(int rows) const {
    std::int64_t sum = 0;
    for (int i = count - 1; i > 0; --i) {
      rows = stages[i].most_read(rows);
      sum += rows * stages[i - 1].out_row;
    }
    return sum;
  }
  /// The most rows that so much memory is enough for; 0 if it is for none.
  constexpr int rows_in(std::int64_t numbers) const {
    constexpr int enough_pixels = 512;  // more do not make products faster
    int rows = 0;
    while (rows < last().out_height && memory(rows + 1) <= numbers && rows * last().out_width < enough_pixels) ++rows;
    return rows;
  }
  /// Numbers that would lie between the layers of an image one after the other.
  constexpr std::int64_t whole() const {
    std::int64_t sum = 0;
    for (int i = 0; i + 1 < count; ++i) sum += stages[i].out_height * stages[i].out_row;
    return sum;
  }
  /// Numbers of memory for two parts of the work, or more with fewer rows; 0 if it is no cascade worth while.
  constexpr std::int64_t room() const {
    // A quarter of a megabyte for a part: half of a second cache of 512 KB.
    constexpr std::int64_t cache = 65536;
    const std::int64_t quarter = whole() / 4, most = quarter < cache ? quarter : cache;
    const int rows = rows_in(most);
    return rows == 0 ? 0 : 2 * memory(rows);
  }
};

inline namespace CTNN_PACKING {

/// What node n can be in a cascade: a stem reads an image of few channels, pixel by pixel or in planes.
enum class cascade_part { none, stem, pointwise, depthwise, pool };
constexpr cascade_part cascade_part_of(const graph_view& g, node_id n) {
  const node& now = g.at(n);
  // Plain kernels write results over inputs instead (kernels/overlap.hpp).
  if (channel_block != 16 || !computes_f32(g, now)) return cascade_part::none;
  if (now.type != &type_of<op::conv2d> && now.type != &type_of<op::pool>) return cascade_part::none;
  const extents& in = g.shape(g.inputs(now)[0]);
  const extents& out = g.shape(now.outputs.first);
  if (out.count() == 0 || out.back(0) < 2) return cascade_part::none;
  if (now.type == &type_of<op::pool>) {
    const op::pool p = decode<op::pool>(g.fields_of(now.fields));
    if (!p.of_images()) return cascade_part::none;
    const window_axis down = p.along(0, in.back(1));
    return down.span() <= down.size && down.before <= down.size ? cascade_part::pool : cascade_part::none;
  }
  const op::conv2d p = decode<op::conv2d>(g.fields_of(now.fields));
  if (p.given != 0) return cascade_part::none;
  if (is_depthwise(p, in.back(2))) return cascade_part::depthwise;
  if (p.groups != 1) return cascade_part::none;
  const bool one_tap = p.kernel == op::conv2d::ones && p.stride == op::conv2d::ones && p.pad == decltype(p.pad){};
  if (in.back(2) <= few_channels && p.out >= channel_block) return cascade_part::stem;
  return one_tap ? cascade_part::pointwise : cascade_part::none;
}

constexpr cascade_rows cascade_rows_of(const op::conv2d& p, const extents& in, const extents& out) {
  const int stride = out.back(1) == 1 ? 1 : p.stride[0];
  return {in.back(1),       p.kernel[0], stride,      p.dilation[0],
          p.padding(in)[0], out.back(1), out.back(0), std::int64_t{out.back(0)} * out.back(2)};
}
constexpr cascade_rows cascade_rows_of(const op::pool& p, const extents& in, const extents& out) {
  const window_axis down = p.along(0, in.back(1));
  return {down.size,   down.taps,   out.back(1) == 1 ? 1 : down.stride,     down.dilation, down.before,
          out.back(1), out.back(0), std::int64_t{out.back(0)} * out.back(2)};
}
constexpr cascade_rows cascade_rows_of(const graph_view& g, node_id n) {
  const node& now = g.at(n);
  const extents& in = g.shape(g.inputs(now)[0]);
  const extents& out = g.shape(now.outputs.first);
  const std::span<const double> fields = g.fields_of(now.fields);
  return now.type == &type_of<op::pool> ? cascade_rows_of(decode<op::pool>(fields), in, out)
                                        : cascade_rows_of(decode<op::conv2d>(fields), in, out);
}

/// Numbers of memory for the nodes as a cascade; 0 where they run better one after the other: what lies between them
/// fits into a cache anyway, or it is not much more than the weights, which are read again for some rows each.
constexpr std::int64_t cascade_room(const graph_view& g, std::span<const int> nodes) {
  cascade_geometry all;
  std::int64_t weights = 0;
  for (const node_id n : nodes) {
    all.stages[all.count++] = cascade_rows_of(g, n);
    for (const expression_id w : g.weights(g.at(n))) weights += g.at_expression(w).shape.count();
  }
  constexpr std::int64_t near = 65536;
  return all.whole() < near || all.whole() < 3 * weights ? 0 : all.room();
}

}  // namespace CTNN_PACKING

}  // namespace ctnn::ir
