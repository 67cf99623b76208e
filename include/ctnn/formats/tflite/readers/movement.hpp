// SPDX-License-Identifier: BSL-1.0
// Elements brought into another order or shape, picked, repeated, padded, reduced.
#pragma once

#include <algorithm>

#include "nn.hpp"

namespace ctnn::tflite::readers {

/// The shape is an input, or an option of old files.
inline void reshape(node_reader& n) {
  n.expect(1, 2);
  const extents from = n.shape(n.input());
  integers wanted = n.list_of("new_shape");
  if (n.has(1)) wanted = n.whole(1);
  if (!n.has(1) && wanted.size() == 1 && wanted[0] == 0) wanted.clear();  // a scalar, in old files
  n.result(n.reshaped(n.input(), onnx::readers::target_shape(n, from, wanted, true)));
}
inline void squeeze(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  const list<int> axes = n.axes(n.list_of("squeeze_dims"), s.rank);
  extents to;
  for (int i = 0; i < s.rank; ++i) {
    const bool named = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (named && s[i] != 1) n.fail("axis " + std::to_string(i) + " of " + describe(s) + " is not 1");
    if (!(named || (axes.empty() && s[i] == 1))) to.push_back(s[i]);
  }
  n.result(n.reshaped(n.input(), to));
}
inline extents with_axis(const extents& s, int axis, int size) {
  if (s.rank == max_rank) node_reader::refuse("more than " + std::to_string(max_rank) + " axes");
  return s.with_axis(axis, size);
}
inline void expand_dims(node_reader& n) {
  n.expect(2, 2);
  const extents s = n.shape(n.input(0));
  n.result(n.reshaped(n.input(0), with_axis(s, n.axis(n.whole_scalar(1), s.rank + 1), 1)));
}

inline void transpose(node_reader& n) {
  n.expect(2, 2);
  const int rank = n.rank(n.input(0));
  const list<int> order = n.axes(n.whole(1), rank);
  if (static_cast<int>(order.size()) != rank)
    n.fail("perm has " + std::to_string(order.size()) + " axes, the input " + std::to_string(rank));
  n.result(rank == 0 ? n.input(0) : n.add(op::permute{order}, {n.input(0)}));
}

inline void concatenation(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  const std::vector<term> in = n.all_inputs();
  onnx::readers::same_types(n, in);
  const int axis = n.axis(n.integer("axis", 0), n.rank(in[0]));
  finish(n, in.size() == 1 ? in[0] : n.add(op::concat{axis}, in));
}
inline void pack(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  const std::vector<term> all = n.all_inputs();
  onnx::readers::same_types(n, all);
  const extents s = n.shape(all[0]);
  const int axis = n.axis(n.integer("axis", 0), s.rank + 1);
  std::vector<term> in;
  for (const term t : all) {
    if (!(n.shape(t) == s)) n.fail("inputs are " + describe(s) + " and " + describe(n.shape(t)));
    in.push_back(helping(n, [&] { return n.reshaped(t, with_axis(s, axis, 1)); }));
  }
  n.result(in.size() == 1 ? in[0] : n.add(op::concat{axis}, in));
}

/// Parts of an axis, one after the other, each as an output; `dropped` takes the axis away.
inline void split_into(node_reader& n, term x, int axis, const integers& sizes, bool dropped = false) {
  const extents s = n.shape(x);
  if (sizes.size() != n.node.outputs.size())
    n.fail("makes " + std::to_string(sizes.size()) + " parts for " + std::to_string(n.node.outputs.size()) +
           " outputs");
  std::int64_t sum = 0;
  for (const std::int64_t v : sizes) {
    if (v < 0 || v > s[axis]) n.fail("a part has " + std::to_string(v) + " of " + std::to_string(s[axis]));
    sum += v;
  }
  if (sum != s[axis]) n.fail("parts add up to " + std::to_string(sum) + ", the axis has " + std::to_string(s[axis]));
  const auto give = [&](std::size_t i, term t) { n.result(i, dropped ? n.reshaped(t, s.without_axis(axis)) : t); };
  const bool empty = s.count() == 0 || std::ranges::any_of(sizes, [](std::int64_t v) { return v == 0; });
  if (!empty && sizes.size() <= ir::max_list) {
    const std::vector<term> out = n.nodes(op::split{onnx::readers::as_list(sizes), axis}, {x});
    for (std::size_t i = 0; i < out.size(); ++i) give(i, out[i]);
    return;
  }
  int from = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int end = from + static_cast<int>(sizes[i]);
    give(i, n.add(op::slice{{axis}, {from}, {end}}, {x}));
    from = end;
  }
}
/// As many equal parts as there are outputs; the axis is the first input.
inline void split(node_reader& n) {
  n.expect(2, 2);
  const extents s = n.shape(n.input(1));
  const int axis = n.axis(n.whole_scalar(0), s.rank);
  const std::size_t parts = n.node.outputs.size();
  if (parts < 1 || static_cast<std::size_t>(s[axis]) % parts != 0)
    n.fail(std::to_string(s[axis]) + " elements cannot be split into " + std::to_string(parts) + " equal parts");
  split_into(n, n.input(1), axis,
             integers(parts, static_cast<std::int64_t>(static_cast<std::size_t>(s[axis]) / parts)));
}
/// One size may be -1, what is left over.
inline void split_v(node_reader& n) {
  n.expect(3, 3);
  const extents s = n.shape(n.input(0));
  const int axis = n.axis(n.whole_scalar(2), s.rank);
  integers sizes = n.whole(1);
  std::int64_t rest = s[axis];
  for (const std::int64_t v : sizes) rest -= v > 0 && v <= s[axis] ? v : 0;
  if (std::ranges::count(sizes, -1) == 1) *std::ranges::find(sizes, -1) = rest;
  split_into(n, n.input(0), axis, sizes);
}
inline void unpack(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  const int axis = n.axis(n.integer("axis", 0), s.rank);
  split_into(n, n.input(), axis, integers(static_cast<std::size_t>(s[axis]), 1), true);
}

inline op::slice all_axes(int rank) {
  op::slice op;
  for (int i = 0; i < rank; ++i) op.axis.push_back(i);
  return op;
}
inline void slice(node_reader& n) {
  n.expect(3, 3);
  const extents s = n.shape(n.input(0));
  const integers begin = n.whole(1), size = n.whole(2);
  if (static_cast<int>(begin.size()) != s.rank || static_cast<int>(size.size()) != s.rank)
    n.fail("has " + std::to_string(begin.size()) + " begins and " + std::to_string(size.size()) + " sizes for " +
           describe(s));
  op::slice op = all_axes(s.rank);
  for (int i = 0; i < s.rank; ++i) {
    const std::int64_t b = begin[static_cast<std::size_t>(i)], asked = size[static_cast<std::size_t>(i)],
                       e = asked == -1                 ? s[i]
                           : asked < 0 || asked > s[i] ? -1
                                                       : b + asked;
    if (b < 0 || e < b || e > s[i])
      n.fail("takes " + std::to_string(asked) + " elements from " + std::to_string(b) + " on of " +
             std::to_string(s[i]));
    op.start.push_back(static_cast<int>(b));
    op.end.push_back(static_cast<int>(e));
  }
  n.result(n.add(op::slice::of(s, op.over(s)), {n.input(0)}));
}
/// Entries may be new axes, one index that takes its axis away, or an ellipsis, by bits of the masks.
inline void strided_slice(node_reader& n) {
  n.expect(4, 4);
  const extents s = n.shape(n.input(0));
  const integers begin = n.whole(1), end = n.whole(2), step = n.whole(3);
  if (begin.size() != end.size() || begin.size() != step.size() || begin.size() > 2 * max_rank)
    n.fail("has " + std::to_string(begin.size()) + " begins, " + std::to_string(end.size()) + " ends and " +
           std::to_string(step.size()) + " strides");
  const auto mask = [&](const char* key) {
    const std::int64_t bits = n.integer(key, 0);
    return [bits](std::size_t i) { return (bits >> i & 1) != 0; };
  };
  const auto from_begin = mask("begin_mask"), to_end = mask("end_mask"), ellipsis = mask("ellipsis_mask"),
             new_axis = mask("new_axis_mask"), shrinks = mask("shrink_axis_mask");
  const bool offset = n.flag("offset", false);
  int named = 0, ellipses = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    ellipses += ellipsis(i);
    named += !ellipsis(i) && !new_axis(i);
  }
  if (ellipses > 1) n.fail("has more than one ellipsis");
  if (named > s.rank) n.fail("has " + std::to_string(named) + " entries for an input of " + describe(s));
  op::slice op;
  extents to;
  int axis = 0;
  const auto keep = [&](int size) {
    if (to.rank == max_rank) node_reader::refuse("more than " + std::to_string(max_rank) + " axes");
    to.push_back(size);
  };
  const auto bounded = [](std::int64_t v) {
    return static_cast<int>(std::clamp<std::int64_t>(v, -2147483647 - 1, 2147483647));
  };
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (ellipsis(i)) {
      for (const int stop = axis + s.rank - named; axis < stop; ++axis) keep(s[axis]);
      continue;
    }
    if (new_axis(i)) {
      keep(1);
      continue;
    }
    const int size = s[axis];
    if (step[i] == 0) n.fail("a stride is 0");
    if (shrinks(i)) {
      const std::int64_t at = begin[i] < 0 ? begin[i] + size : begin[i];
      if (at < 0 || at >= size) n.fail("index " + std::to_string(begin[i]) + " of " + std::to_string(size));
      if (step[i] < 0) n.fail("a stride is " + std::to_string(step[i]) + " where an index takes the axis away");
      op.axis.push_back(axis++);
      op.start.push_back(static_cast<int>(at));
      op.end.push_back(static_cast<int>(at) + 1);
      op.step.push_back(1);
      continue;
    }
    const bool back = step[i] < 0;
    std::int64_t b = begin[i], e = offset ? begin[i] + end[i] : end[i];
    // Out of range is the last element there is, whichever way it goes.
    b = from_begin(i) ? (back ? size - 1 : 0)
                      : std::clamp<std::int64_t>(b < 0 ? b + size : b, back ? -1 : 0, back ? size - 1 : size);
    e = to_end(i) ? (back ? -1 : size)
                  : std::clamp<std::int64_t>(e < 0 ? e + size : e, back ? -1 : 0, back ? size - 1 : size);
    const std::int64_t room = back ? b - e : e - b, pace = back ? -step[i] : step[i];
    const std::int64_t count = room <= 0 ? 0 : (room - 1) / pace + 1;
    keep(static_cast<int>(count));
    op.axis.push_back(axis++);
    op.start.push_back(count == 0 ? 0 : static_cast<int>(b));
    op.end.push_back(count == 0 ? 0 : e < 0 ? -size - 1 : static_cast<int>(e));
    op.step.push_back(bounded(step[i]));
  }
  for (; axis < s.rank; ++axis) keep(s[axis]);
  const op::slice plain = op::slice::of(s, op.over(s));
  const term y = plain.axis.empty() ? n.input(0) : n.add(plain, {n.input(0)});
  n.result(n.reshaped(y, to));
}

/// What is around each axis: (rank, 2) numbers.
inline op::pad pads_of(node_reader& n, int rank, std::int64_t most = 1 << 28) {
  const integers pads = n.whole(1);
  if (pads.size() != 2 * static_cast<std::size_t>(rank))
    n.fail("paddings have " + std::to_string(pads.size()) + " numbers, expected " + std::to_string(2 * rank));
  op::pad op;
  for (std::size_t i = 0; i < pads.size(); i += 2) {
    for (const std::int64_t v : {pads[i], pads[i + 1]})
      if (v < 0 || v > most) n.fail("paddings have " + std::to_string(v));
    op.before.push_back(static_cast<int>(pads[i]));
    op.after.push_back(static_cast<int>(pads[i + 1]));
  }
  return op;
}
/// With zeros, or (PADV2) the number of input 2; quantized zeros are the zero point.
inline void pad(node_reader& n) {
  n.expect(2, n.node.type == "PAD" ? 2 : 3);
  op::pad op = pads_of(n, n.rank(n.input(0)));
  std::vector<term> in{n.input(0)};
  if (n.has(2)) {
    const shared_array k = n.known(n.input(2));
    if (k && k->type() == dtype::f32 && k->size() == 1) op.value = static_cast<double>(k->values()[0]);
    else in.push_back(n.input(2));
  } else if (is_quantized(n, 0)) {
    if (scales_of(n, n.node.inputs[0])->scale.size() != 1) node_reader::refuse("values with a scale for each channel");
    op.value = static_cast<double>(scales_of(n, n.node.inputs[0])->zero[0]);
  }
  const bool any = std::ranges::any_of(op.before, [](int v) { return v != 0; }) ||
                   std::ranges::any_of(op.after, [](int v) { return v != 0; });
  n.result(any ? n.add(op, in) : n.input(0));
}
/// REFLECT leaves the border out, SYMMETRIC repeats it: then each axis is gathered.
inline void mirror_pad(node_reader& n) {
  n.expect(2, 2);
  const extents s = n.shape(n.input(0));
  const std::int64_t mode = n.integer("mode", 0);
  if (mode != 0 && mode != 1) n.fail("mode is " + std::to_string(mode));
  op::pad op = pads_of(n, s.rank);
  for (int i = 0; i < s.rank; ++i)
    for (const int v : {op.before[static_cast<std::size_t>(i)], op.after[static_cast<std::size_t>(i)]})
      if (v > s[i] - (mode == 0 ? 1 : 0) && v > 0)
        n.fail("paddings have " + std::to_string(v) + " for an extent of " + std::to_string(s[i]));
  if (mode == 0) {
    op.mode = op::pad_mode::reflect;
    return n.result(n.add(op, {n.input(0)}));
  }
  term y = n.input(0);
  for (int i = 0; i < s.rank; ++i) {
    const int before = op.before[static_cast<std::size_t>(i)], after = op.after[static_cast<std::size_t>(i)];
    if (before == 0 && after == 0) continue;
    integers from;
    for (int k = -before; k < s[i] + after; ++k) from.push_back(k < 0 ? -k - 1 : k < s[i] ? k : 2 * s[i] - 1 - k);
    y = n.add(op::gather{i}, {y, helping(n, [&] { return n.whole_constant(from); })});
  }
  n.result(y);
}

/// (N, H, W, C) as blocks: reshape, permute, reshape.
inline void depth_to_space(node_reader& n) {
  n.expect(1, 1);
  require_rank(n, 0, 4);
  const extents s = n.shape(n.input());
  const int b = n.small("block_size", 0);
  if (b < 1 || b > 1024 || s[3] % (b * b) != 0)
    n.fail("blocks of " + std::to_string(b) + " for an input of " + describe(s));
  const int c = s[3] / (b * b);
  const term x = n.permuted(n.reshaped(n.input(), {s[0], s[1], s[2], b, b, c}), {0, 1, 3, 2, 4, 5});
  n.result(n.reshaped(x, {s[0], s[1] * b, s[2] * b, c}));
}
inline void space_to_depth(node_reader& n) {
  n.expect(1, 1);
  require_rank(n, 0, 4);
  const extents s = n.shape(n.input());
  const int b = n.small("block_size", 0);
  if (b < 1 || b > 1024 || s[1] % b != 0 || s[2] % b != 0)
    n.fail("blocks of " + std::to_string(b) + " for an input of " + describe(s));
  const term x = n.permuted(n.reshaped(n.input(), {s[0], s[1] / b, b, s[2] / b, b, s[3]}), {0, 1, 3, 2, 4, 5});
  n.result(n.reshaped(x, {s[0], s[1] / b, s[2] / b, b * b * s[3]}));
}

/// Blocks of the axes behind the batch, and what is padded or cut off: for one or two axes.
struct block_shape {
  integers block, edges;
};
inline block_shape blocks_of(node_reader& n) {
  n.expect(3, 3);
  block_shape b{n.whole(1), n.whole(2)};
  const int rank = n.rank(n.input(0));
  const std::size_t axes = b.block.size();
  if (axes < 1 || axes > 2 || rank < static_cast<int>(axes) + 1 || b.edges.size() != 2 * axes)
    n.fail("blocks over " + std::to_string(axes) + " axes of " + describe(n.shape(n.input(0))) + " with " +
           std::to_string(b.edges.size()) + " numbers");
  for (const std::int64_t v : b.block)
    if (v < 1 || v > 1024) n.fail("a block of " + std::to_string(v));
  for (const std::int64_t v : b.edges)
    if (v < 0 || v > 1 << 28) n.fail("an edge of " + std::to_string(v));
  if (rank + static_cast<int>(axes) > max_rank) node_reader::refuse("blocks of " + std::to_string(rank) + " axes");
  return b;
}
inline void space_to_batch(node_reader& n) {
  const block_shape b = blocks_of(n);
  term x = n.input(0);
  const int axes = static_cast<int>(b.block.size()), rank = n.rank(x);
  op::pad pad;
  for (int i = 0; i < rank; ++i) {
    const auto k = static_cast<std::size_t>(2 * (i - 1));
    const bool inside = i >= 1 && i <= axes;
    pad.before.push_back(inside ? static_cast<int>(b.edges[k]) : 0);
    pad.after.push_back(inside ? static_cast<int>(b.edges[k + 1]) : 0);
  }
  if (is_quantized(n, 0)) pad.value = static_cast<double>(scales_of(n, n.node.inputs[0])->zero[0]);
  if (std::ranges::any_of(b.edges, [](std::int64_t v) { return v != 0; })) x = n.add(pad, {x});
  const extents s = n.shape(x);
  extents apart{s[0]}, to{s[0]};
  std::vector<int> order;
  for (int i = 0; i < axes; ++i) {
    const int size = static_cast<int>(b.block[static_cast<std::size_t>(i)]);
    if (s[i + 1] % size != 0) n.fail("blocks of " + std::to_string(size) + " for " + std::to_string(s[i + 1]));
    apart.push_back(s[i + 1] / size);
    apart.push_back(size);
    to[0] = n.to_int(std::int64_t{to[0]} * size, "batch");
    to.push_back(s[i + 1] / size);
    order.push_back(2 * i + 2);
  }
  order.push_back(0);
  for (int i = 0; i < axes; ++i) order.push_back(2 * i + 1);
  for (int i = axes + 1; i < rank; ++i) {
    order.push_back(apart.rank);
    apart.push_back(s[i]);
    to.push_back(s[i]);
  }
  op::permute turn;
  for (const int i : order) turn.order.push_back(i);
  n.result(n.reshaped(n.add(turn, {n.reshaped(x, apart)}), to));
}
inline void batch_to_space(node_reader& n) {
  const block_shape b = blocks_of(n);
  const term x = n.input(0);
  const extents s = n.shape(x);
  const int axes = static_cast<int>(b.block.size()), rank = s.rank;
  std::int64_t all = 1;
  for (const std::int64_t v : b.block) all *= v;
  if (s[0] % all != 0) n.fail("blocks of " + std::to_string(all) + " for a batch of " + std::to_string(s[0]));
  extents apart, to{static_cast<int>(s[0] / all)};
  for (const std::int64_t v : b.block) apart.push_back(static_cast<int>(v));
  apart.push_back(to[0]);
  op::permute turn;
  turn.order.push_back(axes);
  for (int i = 0; i < axes; ++i) {
    turn.order.push_back(axes + 1 + i);
    turn.order.push_back(i);
    apart.push_back(s[i + 1]);
    to.push_back(n.to_int(s[i + 1] * b.block[static_cast<std::size_t>(i)], "block"));
  }
  for (int i = axes + 1; i < rank; ++i) {
    turn.order.push_back(apart.rank);
    apart.push_back(s[i]);
    to.push_back(s[i]);
  }
  term y = n.reshaped(n.add(turn, {n.reshaped(x, apart)}), to);
  if (std::ranges::any_of(b.edges, [](std::int64_t v) { return v != 0; })) {
    op::slice cut;
    for (int i = 0; i < axes; ++i) {
      const auto k = static_cast<std::size_t>(2 * i);
      const std::int64_t last = to[i + 1] - b.edges[k + 1];
      if (last < b.edges[k]) n.fail("cuts off more than there is");
      cut.axis.push_back(i + 1);
      cut.start.push_back(static_cast<int>(b.edges[k]));
      cut.end.push_back(static_cast<int>(last));
    }
    y = n.add(cut, {y});
  }
  n.result(y);
}

inline void gather(node_reader& n) {
  n.expect(2, 2);
  const term x = n.input(0), index = n.input(1);
  const extents s = n.shape(x), at = n.shape(index);
  int batch = n.small("batch_dims", 0);
  if (batch < 0) batch += at.rank;
  if (batch == 0) return onnx::readers::gather(n);
  const int axis = n.axis(n.integer("axis", 0), s.rank);
  bool fits = batch > 0 && batch <= at.rank && batch <= axis;
  for (int i = 0; fits && i < batch; ++i) fits = s[i] == at[i];
  if (!fits)
    n.fail("batch_dims is " + std::to_string(batch) + " for axis " + std::to_string(axis) + " of " + describe(s) +
           " and indices of " + describe(at));
  onnx::readers::check_indices(n, index, s[axis]);
  // Rows of one index, along the first axis behind the batch.
  list<int> order, back;
  extents rows = at;
  rows.push_back(1);
  for (int i = 0; i < s.rank; ++i) {
    if (i == batch) order.push_back(axis);
    if (i != axis) order.push_back(i);
  }
  const int indices = at.rank - batch, before = axis - batch, rank = s.rank - 1 + indices;
  for (int i = 0; i < rank; ++i)
    back.push_back(i < batch || i >= axis + indices ? i : i < axis ? i + indices : i - before);
  const term found = helping(n, [&] {
    const term turned = before == 0 ? x : n.add(op::permute{order}, {x});
    return n.add(op::gather_nd{batch}, {turned, n.reshaped(index, rows)});
  });
  n.result(before == 0 || indices == 0 ? found : n.add(op::permute{back}, {found}));
}
/// Rows of the second input.
inline void embedding_lookup(node_reader& n) {
  n.expect(2, 2);
  if (n.rank(n.input(1)) < 1) n.fail("the table is a scalar");
  onnx::readers::check_indices(n, n.input(0), n.shape(n.input(1))[0]);
  n.result(n.add(op::gather{0}, {real_weight(n, 1), n.input(0)}));
}
/// The axes of input 1, reversed one after the other: slices that walk back.
inline void reverse(node_reader& n) {
  n.expect(2, 2);
  const extents s = n.shape(n.input(0));
  op::slice op = all_axes(s.rank);
  const list<int> axes = n.axes(n.whole(1), s.rank);
  for (int i = 0; i < s.rank; ++i) {
    const bool back = std::find(axes.begin(), axes.end(), i) != axes.end();
    op.start.push_back(back ? s[i] - 1 : 0);
    op.end.push_back(back ? -s[i] - 1 : s[i]);
    op.step.push_back(back ? -1 : 1);
  }
  n.result(n.add(op::slice::of(s, op.over(s)), {n.input(0)}));
}
inline void reverse_sequence(node_reader& n) {
  n.expect(2, 2);
  n.result(n.add(op::reverse_sequence{n.small("batch_dim", 0), n.small("seq_dim", 0)}, n.all_inputs()));
}
inline void one_hot(node_reader& n) {
  n.expect(4, 4);
  const std::int64_t depth = n.whole_scalar(1);
  if (depth < 0 || depth >= 1 << 28) n.fail("depth is " + std::to_string(depth));
  const term off = n.reshaped(n.input(3), {1}), on = n.reshaped(n.input(2), {1});
  const term both = helping(n, [&] { return n.add(op::concat{0}, {off, on}); });
  n.result(n.add(op::one_hot{static_cast<int>(depth), n.small("axis", 0)}, {n.input(0), both}));
}

inline extents shape_in(node_reader& n, std::size_t i) {
  const integers wanted = n.whole(i);
  if (wanted.size() > max_rank) node_reader::refuse("more than " + std::to_string(max_rank) + " axes");
  extents s;
  for (const std::int64_t v : wanted) {
    if (v < 0) n.fail("shape has an extent of " + std::to_string(v));
    s.push_back(n.to_int(v, "shape"));
  }
  return s;
}
inline void broadcast_to(node_reader& n) {
  n.expect(2, 2);
  n.result(n.add(op::expand{ir::as_list(shape_in(n, 1))}, {n.input(0)}));
}
/// The shape that two shapes broadcast to.
inline void broadcast_args(node_reader& n) {
  n.expect(2, 2);
  integers a = n.whole(0), b = n.whole(1);
  a.insert(a.begin(), std::max(a.size(), b.size()) - a.size(), 1);
  b.insert(b.begin(), a.size() - b.size(), 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1)
      n.fail("extents " + std::to_string(a[i]) + " and " + std::to_string(b[i]) + " do not broadcast");
    if (a[i] == 1) a[i] = b[i];
  }
  n.result(n.cast(n.whole_constant(a), output_type(n)));
}
inline void fill(node_reader& n) {
  n.expect(2, 2);
  const term one = n.input(1);
  const extents s = shape_in(n, 0);
  n.builder().check_size(s, "the output of node '" + n.name() + "'");
  extents ones;
  for (int i = 0; i < s.rank; ++i) ones.push_back(1);
  n.result(s.rank == 0 ? n.reshaped(one, {}) : n.add(op::expand{ir::as_list(s)}, {n.reshaped(one, ones)}));
}
inline void zeros_like(node_reader& n) {
  n.expect(1, 1);
  n.result(n.constant(n.allocate(n.shape(n.input()), n.type(n.input()))));
}
inline void shape(node_reader& n) {
  n.expect(1, 1);
  integers out;
  for (int i = 0; i < n.rank(n.input()); ++i) out.push_back(n.shape(n.input())[i]);
  n.result(n.cast(n.whole_constant(out), output_type(n)));
}
inline void rank(node_reader& n) {
  n.expect(1, 1);
  n.result(n.number(n.rank(n.input()), dtype::i32));
}

// Reductions.

/// The axes of input 1; none: all of them.
template <op::reduction f>
void reduce(node_reader& n) {
  n.expect(2, 2);
  const term x = n.input(0);
  op::reduce op{f, n.axes(n.whole(1), n.rank(x)), n.flag("keep_dims", false)};
  if (n.rank(x) == 0 || op.axes.empty()) return n.result(x);
  n.result(n.add(op, {x}));
}
template <bool largest>
void arg_reduce(node_reader& n) {
  n.expect(2, 2);
  const term x = n.input(0);
  const op::arg_reduce op{largest, n.axis(n.whole_scalar(1), n.rank(x)), false, false};
  n.result(n.cast(n.add(op, {x}), output_type(n)));
}
inline void top_k(node_reader& n) {
  n.expect(2, 2);
  const op::topk op{n.to_int(n.whole_scalar(1), "k"), n.rank(n.input(0)) - 1, true};
  const std::vector<term> out = n.nodes(op, {n.input(0)});
  n.result(0, out[0]);
  if (n.wants(1)) n.result(1, n.cast(out[1], output_type(n, 1)));
}
inline void cumsum(node_reader& n) {
  n.expect(2, 2);
  const int axis = n.axis(n.whole_scalar(1), n.rank(n.input(0)));
  n.result(n.add(op::cumsum{axis, n.flag("exclusive", false), n.flag("reverse", false), false}, {n.input(0)}));
}

}  // namespace ctnn::tflite::readers
