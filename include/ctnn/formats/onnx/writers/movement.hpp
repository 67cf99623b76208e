// SPDX-License-Identifier: BSL-1.0
// Elements brought into another order or shape, picked by index, repeated or padded; reductions.
#pragma once

#include "nn.hpp"

namespace ctnn::onnx::writers {

inline void reshape(node_writer& w) { w.result(w.reshaped(w.in(), w.result_shape())); }

inline void flatten(node_writer& w) {
  const extents &x = w.shape(), &y = w.result_shape();
  // A matrix of what stands before an axis and what stands behind it.
  for (int axis = 0; y.rank == 2 && axis <= x.rank; ++axis)
    if (x.count(0, axis) == y[0] && x.count(axis, x.rank) == y[1])
      return w.is("Flatten", {w.in()}, {with("axis", axis)});
  reshape(w);
}

inline void permute(node_writer& w) {
  const int lead = w.lead();
  integers order;
  if (lead) order.push_back(0);
  for (const int axis : w.get<op::permute>().order) order.push_back(axis + lead);
  w.is("Transpose", {w.in(0, lead)}, {with("perm", order)}, lead);
}

/// x as a table of blocks, its axes in another order, and back to a shape.
inline void by_blocks(node_writer& w, const extents& blocks, const integers& order) {
  w.result(w.reshaped(w.permuted(w.reshaped(w.in(), blocks), order), w.result_shape()));
}

inline void channel_shuffle(node_writer& w) {
  const int groups = w.get<op::channel_shuffle>().groups;
  const extents x = w.shape();
  const int n = x.rank == 4 ? x[0] : 1;
  by_blocks(w, {n, groups, x.back(2) / groups, x.back(1), x.back(0)}, {0, 2, 1, 3, 4});
}
inline void pixel_shuffle(node_writer& w) {
  const auto [fy, fx] = w.get<op::pixel_shuffle>().factor;
  const extents x = w.shape();
  const int lead = x.rank == 3 ? 1 : 0;
  if (fy == fx) return w.is("DepthToSpace", {w.in(0, lead)}, {with("blocksize", fy), with("mode", "CRD")}, lead);
  const int n = lead ? 1 : x[0];
  by_blocks(w, {n, x.back(2) / (fy * fx), fy, fx, x.back(1), x.back(0)}, {0, 1, 4, 2, 5, 3});
}

inline void concat(node_writer& w) {
  const int lead = lead_of_operands(w);
  const int axis = normal_axis(w.get<op::concat>().axis, w.shape().rank);
  w.is("Concat", w.all_inputs(lead), {with("axis", axis + lead)}, lead);
}
inline void split(node_writer& w) {
  const op::split op = w.get<op::split>();
  const int lead = w.lead(), axis = normal_axis(op.axis, w.shape().rank);
  const std::vector<std::string> parts =
      w.add_many("Split", {w.in(0, lead), w.whole(as_integers(op.sizes_in(w.shape())))}, {with("axis", axis + lead)},
                 op.output_count());
  for (std::size_t i = 0; i < parts.size(); ++i) w.result(static_cast<int>(i), parts[i], lead);
}

inline void slice(node_writer& w) {
  const extents x = w.shape();
  const int lead = w.lead();
  const op::slice op = op::slice::of(x, w.get<op::slice>().over(x));
  integers start = as_integers(op.start), end = as_integers(op.end), axes, step = as_integers(op.step);
  for (std::size_t i = 0; i < op.axis.size(); ++i) {
    axes.push_back(op.axis[i] + lead);
    const int by = op.step.empty() ? 1 : op.step[i], size = x[op.axis[i]];
    // To the end, and back to the beginning, whatever there is.
    if (by > 0 && op.end[i] >= size) end[i] = std::numeric_limits<std::int64_t>::max();
    if (by < 0 && op.end[i] < -size) end[i] = std::numeric_limits<std::int64_t>::min();
  }
  if (axes.empty()) return w.result(w.in(0, lead), lead);
  std::vector<std::string> in{w.in(0, lead), w.whole(start), w.whole(end), w.whole(axes)};
  if (!step.empty()) in.push_back(w.whole(step));
  w.is("Slice", in, {}, lead);
}

inline void pad(node_writer& w) {
  const op::pad op = w.get<op::pad>();
  const bool constant = op.mode == op::pad_mode::constant;
  if (op.mode == op::pad_mode::wrap) w.need(19);
  const int lead = w.lead();
  integers pads;
  for (const auto* side : {&op.before, &op.after}) {
    if (lead) pads.push_back(0);
    for (int n : *side) pads.push_back(n);
  }
  std::vector<std::string> in{w.in(0, lead), w.whole(pads)};
  if (w.input_count() == 2) in.push_back(scalar(w, 1));
  else if (constant && op.value != 0) in.push_back(w.number(op.value, w.type()));
  constexpr const char* modes[] = {"constant", "reflect", "edge", "wrap"};
  w.is("Pad", in, {with("mode", modes[static_cast<int>(op.mode)])}, lead);
}

inline void expand(node_writer& w) { w.is("Expand", {w.in(), w.whole(as_integers(w.get<op::expand>().shape))}); }
inline void tile(node_writer& w) { w.is("Tile", {w.in(), w.whole(as_integers(w.get<op::tile>().repeats))}); }
inline void trilu(node_writer& w) {
  const op::trilu op = w.get<op::trilu>();
  w.need(14);
  w.is("Trilu", {w.in(), w.whole_scalar(op.diagonal)}, {with("upper", op.upper)});
}
inline void reverse_sequence(node_writer& w) {
  const op::reverse_sequence op = w.get<op::reverse_sequence>();
  std::string lengths = w.in(1);
  if (w.type(1) != dtype::i64) lengths = w.add("Cast", {lengths}, {with("to", element_number(dtype::i64))});
  w.is("ReverseSequence", {w.in(0), lengths}, {with("batch_axis", op.batch), with("time_axis", op.time)});
}

inline void gather(node_writer& w) { w.is("Gather", w.all_inputs(), {with("axis", w.get<op::gather>().axis)}); }
inline void gather_elements(node_writer& w) {
  w.is("GatherElements", w.all_inputs(), {with("axis", w.get<op::gather_elements>().axis)});
}
/// Indices that ONNX takes as i64 only.
inline std::string long_indices(node_writer& w, std::size_t i) {
  return w.type(i) == dtype::i64 ? w.in(i) : w.add("Cast", {w.in(i)}, {with("to", element_number(dtype::i64))});
}
inline void gather_nd(node_writer& w) {
  w.is("GatherND", {w.in(0), long_indices(w, 1)}, {with("batch_dims", w.get<op::gather_nd>().batch)});
}
inline std::vector<attribute> reduction_of(node_writer& w, op::scatter_reduction r) {
  if (r == op::scatter_reduction::none) return {};
  w.need(r == op::scatter_reduction::max || r == op::scatter_reduction::min ? 18 : 16);
  constexpr const char* names[] = {"none", "add", "mul", "max", "min"};
  return {with("reduction", names[static_cast<int>(r)])};
}
inline void scatter_elements(node_writer& w) {
  const op::scatter_elements op = w.get<op::scatter_elements>();
  std::vector<attribute> a = reduction_of(w, op.reduction);
  a.push_back(with("axis", op.axis));
  w.is("ScatterElements", w.all_inputs(), a);
}
inline void scatter_nd(node_writer& w) {
  w.is("ScatterND", {w.in(0), long_indices(w, 1), w.in(2)}, reduction_of(w, w.get<op::scatter_nd>().reduction));
}
inline void one_hot(node_writer& w) {
  const op::one_hot op = w.get<op::one_hot>();
  // Runtimes have few mixtures of types: the depth is of the indices' where that is one of them.
  const bool same = w.type(0) == dtype::i32 || (w.type(0) == dtype::f32 && w.type(1) == dtype::f32);
  w.is("OneHot", {w.in(0), w.number(static_cast<double>(op.depth), same ? w.type(0).type : dtype::i64), w.in(1)},
       {with("axis", op.axis)});
}
inline void nonzero(node_writer& w) { w.is("NonZero", {w.in()}); }
inline void compress(node_writer& w) {
  const op::compress op = w.get<op::compress>();
  w.is("Compress", w.all_inputs(),
       op.flatten ? std::vector<attribute>{} : std::vector<attribute>{with("axis", op.axis)});
}
inline void unique(node_writer& w) {
  const op::unique op = w.get<op::unique>();
  std::vector<attribute> a{with("sorted", op.sorted)};
  if (!op.flatten) a.push_back(with("axis", op.axis));
  const std::vector<std::string> out = w.add_many("Unique", {w.in()}, a, 4);
  for (int i = 0; i < 4; ++i) w.result(i, out[static_cast<std::size_t>(i)]);
}

inline void reduce(node_writer& w) {
  const op::reduce op = w.get<op::reduce>();
  // One element, or axes of 1 that go: nothing to add up, for any element type.
  const bool same = op.function == op::reduction::sum || op.function == op::reduction::mean ||
                    op.function == op::reduction::max || op.function == op::reduction::min ||
                    op.function == op::reduction::prod;
  if (same && w.shape().count() == w.result_shape().count() && w.shape().count() > 0)
    return w.result(w.reshaped(w.in(), w.result_shape()));
  constexpr const char* types[] = {"ReduceSum", "ReduceMean", "ReduceMax",    "ReduceMin",       "ReduceProd",
                                   "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};
  const int lead = op.axes.empty() ? 0 : w.lead();
  integers axes;
  for (const int a : op.axes) axes.push_back(normal_axis(a, w.shape().rank) + lead);
  w.result(reduced(w, types[static_cast<int>(op.function)], w.in(0, lead), axes, op.keep,
                   op.function == op::reduction::sum ? 13 : 18),
           lead);
}
inline void arg_reduce(node_writer& w) {
  const op::arg_reduce op = w.get<op::arg_reduce>();
  w.is(op.largest ? "ArgMax" : "ArgMin", {w.in()},
       {with("axis", op.axis), with("keepdims", op.keep), with("select_last_index", op.last)});
}
inline void cumsum(node_writer& w) {
  const op::cumsum op = w.get<op::cumsum>();
  if (op.product) w.need(26);
  w.is(op.product ? "CumProd" : "CumSum", {w.in(), w.whole_scalar(op.axis)},
       {with("exclusive", op.exclusive), with("reverse", op.reverse)});
}
inline void topk(node_writer& w) {
  const op::topk op = w.get<op::topk>();
  const std::vector<std::string> out =
      w.add_many("TopK", {w.in(), w.whole({op.k})}, {with("axis", op.axis), with("largest", op.largest)}, 2);
  for (int i = 0; i < 2; ++i) w.result(i, out[static_cast<std::size_t>(i)]);
}

}  // namespace ctnn::onnx::writers
