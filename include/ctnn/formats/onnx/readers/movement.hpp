// SPDX-License-Identifier: BSL-1.0
// Elements brought into another order or shape, picked by index, repeated or padded.
#pragma once

#include <algorithm>

#include "../slices.hpp"
#include "nn.hpp"

namespace ctnn::onnx::readers {

/// The shape asked for; 0 keeps the input's extent, -1 is what is left over.
inline extents target_shape(node_reader& n, const extents& from, const integers& wanted, bool zero_is_zero) {
  if (wanted.size() > max_rank)
    n.fail("shape has " + std::to_string(wanted.size()) + " axes, at most " + std::to_string(max_rank) +
           " are possible");
  extents to;
  std::int64_t known = 1;
  int rest = -1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int64_t d = wanted[i];
    if (d == 0 && !zero_is_zero) {
      if (static_cast<int>(i) >= from.rank) n.fail("shape keeps axis " + std::to_string(i) + " of " + describe(from));
      d = from[static_cast<int>(i)];
    }
    if (d == -1) {
      if (rest >= 0) n.fail("shape has two axes of -1");
      rest = static_cast<int>(i);
      d = 1;
    }
    const auto product = checked_multiply(known, d);
    if (d < 0 || d > 2147483647 || !product) n.fail("shape has an extent of " + std::to_string(d));
    known = *product;
    to.push_back(static_cast<int>(d));
  }
  if (rest >= 0) {
    if (known == 0 || from.count() % known != 0) n.fail("cannot give " + describe(from) + " the shape " + describe(to));
    to[rest] = static_cast<int>(from.count() / known);
  } else if (known != from.count()) {
    n.fail("cannot give " + describe(from) + " the shape " + describe(to));
  }
  return to;
}

inline void reshape(node_reader& n) {
  integers wanted;
  bool zero_is_zero = false;
  if (n.version < 5) {
    n.expect(1, 1);
    n.ignore("consumed_inputs");
    wanted = n.list_of("shape");
  } else {
    n.expect(2, 2);
    zero_is_zero = n.flag("allowzero", false);
    wanted = n.whole(1);
  }
  n.result(n.reshaped(n.input(0), target_shape(n, n.shape(n.input(0)), wanted, zero_is_zero)));
}

inline void flatten(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  std::int64_t axis = n.integer("axis", 1);
  if (axis < -s.rank || axis > s.rank)
    n.fail("axis " + std::to_string(axis) + " is out of range for " + std::to_string(s.rank) + " dimensions");
  if (axis < 0) axis += s.rank;
  const int a = static_cast<int>(axis);
  n.result(n.reshaped(n.input(), {static_cast<int>(s.count(0, a)), static_cast<int>(s.count(a, s.rank))}));
}

/// Axes are an attribute before opset 13 and an input since.
inline integers axes_of(node_reader& n, int since) {
  if (n.version < since) return n.list_of("axes");
  return n.has(1) ? n.whole(1) : integers{};
}

inline void squeeze(node_reader& n) {
  n.expect(1, n.version < 13 ? 1 : 2);
  const extents s = n.shape(n.input());
  const bool all = n.version < 13 ? !n.has_attribute("axes") : !n.has(1);
  const list<int> axes = n.axes(axes_of(n, 13), s.rank);
  extents to;
  for (int i = 0; i < s.rank; ++i) {
    const bool named = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (named && s[i] != 1) n.fail("axis " + std::to_string(i) + " of " + describe(s) + " is not 1");
    if (!(named || (all && s[i] == 1))) to.push_back(s[i]);
  }
  n.result(n.reshaped(n.input(), to));
}

inline void unsqueeze(node_reader& n) {
  n.expect(n.version < 13 ? 1 : 2, n.version < 13 ? 1 : 2);
  const extents s = n.shape(n.input());
  const integers wanted = axes_of(n, 13);
  if (wanted.size() + static_cast<std::size_t>(s.rank) > max_rank)
    n.fail("makes more than " + std::to_string(max_rank) + " axes");
  const int rank = s.rank + static_cast<int>(wanted.size());
  const list<int> axes = n.axes(wanted, rank);
  extents to;
  for (int i = 0, from = 0; i < rank; ++i)
    to.push_back(std::find(axes.begin(), axes.end(), i) != axes.end() ? 1 : s[from++]);
  n.result(n.reshaped(n.input(), to));
}

inline void transpose(node_reader& n) {
  n.expect(1, 1);
  const int rank = n.rank(n.input());
  integers order = n.list_of("perm");
  if (order.empty())
    for (int i = rank; i-- > 0;) order.push_back(i);
  if (static_cast<int>(order.size()) != rank)
    n.fail("perm has " + std::to_string(order.size()) + " axes, the input " + std::to_string(rank));
  if (rank == 0) return n.result(n.input());
  n.result(n.add(op::permute{n.axes(order, rank)}, {n.input()}));
}

inline void concat(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  const std::vector<term> all = n.all_inputs();
  same_types(n, all);
  const int axis = n.axis(n.version < 4 ? n.integer("axis", 1) : n.integer("axis"), n.rank(all[0]));
  std::vector<term> in;
  for (term t : all) {  // what is empty adds nothing
    extents s = n.shape(t), first = n.shape(all[0]);
    if (s.rank == first.rank) s[axis] = first[axis];
    if (!(s == first)) n.fail("inputs are " + describe(first) + " and " + describe(n.shape(t)));
    if (n.shape(t)[axis] > 0) in.push_back(t);
  }
  if (in.empty()) return n.result(all[0]);
  n.result(in.size() == 1 ? in[0] : n.add(op::concat{axis}, in));
}

inline void split(node_reader& n) {
  n.expect(1, n.version < 13 && n.version >= 2 ? 1 : 2);
  const extents s = n.shape(n.input());
  const int axis = n.axis(n.integer("axis", 0), s.rank);
  const auto parts = static_cast<std::int64_t>(n.node.outputs.size());
  if (parts < 1) n.fail("has no outputs");
  integers sizes = n.version < 13 ? n.list_of("split") : integers{};
  if (n.has(1)) sizes = n.whole(1);
  if (sizes.empty()) {
    const std::int64_t count = n.version >= 18 ? n.integer("num_outputs", parts) : parts;
    if (count != parts)
      n.fail("num_outputs is " + std::to_string(count) + ", but there are " + std::to_string(parts) + " outputs");
    if (n.version < 18 && s[axis] % parts != 0)
      n.fail(std::to_string(s[axis]) + " elements cannot be split into " + std::to_string(parts) + " equal parts");
    const std::int64_t each = (s[axis] + parts - 1) / parts;
    for (std::int64_t i = 0; i < parts; ++i) sizes.push_back(std::clamp<std::int64_t>(s[axis] - i * each, 0, each));
  }
  if (static_cast<std::int64_t>(sizes.size()) != parts)
    n.fail("split has " + std::to_string(sizes.size()) + " numbers for " + std::to_string(parts) + " outputs");
  std::int64_t sum = 0;
  bool empty = false;
  for (std::int64_t v : sizes) {
    if (v < 0 || v > s[axis]) n.fail("split has " + std::to_string(v) + " for an extent of " + std::to_string(s[axis]));
    empty = empty || v == 0;
    sum += v;
  }
  if (sum != s[axis]) n.fail("split adds up to " + std::to_string(sum) + ", the axis has " + std::to_string(s[axis]));
  if (!empty && sizes.size() <= max_list && s.count() > 0) {
    const std::vector<term> out = n.nodes(op::split{as_list(sizes), axis}, {n.input()});
    for (std::size_t i = 0; i < out.size(); ++i) n.result(i, out[i]);
    return;
  }
  std::int64_t from = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int end = static_cast<int>(from + sizes[i]);
    n.result(i, n.add(op::slice{{axis}, {static_cast<int>(from)}, {end}}, {n.input()}));
    from = end;
  }
}

inline void slice(node_reader& n) {
  integers starts, ends, axes, steps;
  if (n.version < 10) {
    n.expect(1, 1);
    starts = n.list_of("starts");
    ends = n.list_of("ends");
    axes = n.list_of("axes");
  } else {
    n.expect(3, 5);
    starts = n.whole(1);
    ends = n.whole(2);
    if (n.has(3)) axes = n.whole(3);
    if (n.has(4)) steps = n.whole(4);
  }
  const term x = n.input(0);
  const extents s = n.shape(x);
  if (axes.empty())
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size())
    n.fail("has " + std::to_string(starts.size()) + " starts, " + std::to_string(ends.size()) + " ends, " +
           std::to_string(axes.size()) + " axes and " + std::to_string(steps.size()) + " steps");
  op::slice op{n.axes(axes, s.rank)};
  const auto bounded = [](std::int64_t v) {
    return static_cast<int>(std::clamp<std::int64_t>(v, -2147483647 - 1, 2147483647));
  };
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] == 0) n.fail("a step is 0");
    // ONNX starts at an element, whatever the step; in Python a start before the first leaves a negative step nothing.
    op.start.push_back(bounded(std::max<std::int64_t>(starts[i], -std::int64_t{s[op.axis[i]]})));
    op.end.push_back(bounded(ends[i]));
    op.step.push_back(bounded(steps[i]));
  }
  // Axes of which all is taken are not named, neither are steps of 1: the slice reads as one would write it.
  n.result(n.add(op::slice::of(s, op.over(s)), {x}));
}

inline void pad(node_reader& n) {
  const term x = n.input(0);
  const int rank = n.rank(x);
  op::pad op;
  integers pads;
  std::vector<term> in{x};
  const std::string mode = n.text("mode", "constant");
  if (mode == "reflect") op.mode = op::pad_mode::reflect;
  else if (mode == "edge") op.mode = op::pad_mode::edge;
  else if (mode == "wrap") op.mode = op::pad_mode::wrap;
  else if (mode != "constant") n.fail("mode is '" + mode + "', expected constant, reflect, edge or wrap");
  list<int> axes;
  if (n.version < 11) {
    n.expect(1, 1);
    pads = n.list_of(n.version < 2 ? "paddings" : "pads");
    op.value = static_cast<double>(n.real("value", 0));
  } else {
    n.expect(2, 4);
    pads = n.whole(1);
    if (n.has(2) && op.mode == op::pad_mode::constant) {
      const shared_array filling = n.known(n.input(2));
      if (filling && filling->type() == dtype::f32 && filling->size() == 1)
        op.value = static_cast<double>((*filling)[0]);
      else in.push_back(n.input(2));
    }
    if (n.has(3)) axes = n.axes(n.whole(3), rank);
  }
  if (!(n.version >= 18 && n.has(3)))
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  if (pads.size() != 2 * axes.size())
    n.fail("pads has " + std::to_string(pads.size()) + " numbers, expected " + std::to_string(2 * axes.size()));
  for (int i = 0; i < rank; ++i) {
    op.before.push_back(0);
    op.after.push_back(0);
  }
  bool any = false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    op.before[axis] = n.to_int(pads[i], "pads");
    op.after[axis] = n.to_int(pads[i + axes.size()], "pads");
    any = any || op.before[axis] != 0 || op.after[axis] != 0;
  }
  n.result(any ? padded(n, op, in) : x);
}

inline void tile(node_reader& n) {
  op::tile op;
  const extents s = n.shape(n.input(0));
  if (n.version < 6) {
    n.expect(3, 3);
    const int axis = n.axis(n.whole_scalar(2), s.rank);
    for (int i = 0; i < s.rank; ++i) op.repeats.push_back(i == axis ? n.to_int(n.whole_scalar(1), "tiles") : 1);
  } else {
    n.expect(2, 2);
    const integers repeats = n.whole(1);
    if (repeats.size() > max_rank) n.fail("repeats has " + std::to_string(repeats.size()) + " numbers");
    for (std::int64_t r : repeats) op.repeats.push_back(n.to_int(r, "repeats"));
  }
  n.result(n.add(op, {n.input(0)}));
}

inline void expand(node_reader& n) {
  n.expect(2, 2);
  op::expand op;
  const integers shape = n.whole(1);
  if (shape.size() > max_rank)
    n.fail("shape has " + std::to_string(shape.size()) + " axes, at most " + std::to_string(max_rank) +
           " are possible");
  for (std::int64_t d : shape) op.shape.push_back(n.to_int(d, "shape"));
  n.result(n.add(op, {n.input(0)}));
}

/// Indices that are known can be checked now rather than when the model runs.
inline void check_indices(node_reader& n, term index, std::int64_t size) {
  const shared_array k = n.known(index);
  if (!k || !is_index(k->type())) return;
  for (std::size_t i = 0; i < k->size(); ++i) {
    const double v = number_at(*k, i);
    if (v < static_cast<double>(-size) || v >= static_cast<double>(size))
      n.fail("index " + std::to_string(saturated<std::int64_t>(v)) + " is out of range for " + std::to_string(size) +
             " elements");
  }
}
/// The same for rows of indices, each of which walks through the axes of x from `first` on.
inline void check_index_rows(node_reader& n, term index, const extents& x, int first) {
  const shared_array k = n.known(index);
  const extents s = n.shape(index);
  if (!k || !is_index(k->type()) || s.rank < 1 || s.back(0) < 1 || s.back(0) > x.rank - first) return;
  for (std::size_t i = 0; i < k->size(); ++i) {
    const int size = x[first + static_cast<int>(i % static_cast<std::size_t>(s.back(0)))];
    const double v = number_at(*k, i);
    if (v < -size || v >= size)
      n.fail("index " + std::to_string(saturated<std::int64_t>(v)) + " is out of range for " + std::to_string(size) +
             " elements");
  }
}

inline void gather(node_reader& n) {
  n.expect(2, 2);
  const term x = n.input(0), index = n.input(1);
  const int axis = n.axis(n.integer("axis", 0), n.rank(x));
  const shared_array k = n.known(index);
  check_indices(n, index, n.shape(x)[axis]);
  // One index that is known is a slice.
  if (k && k->size() == 1 && k->shape().rank == 0 && !n.known(x) && n.shape(x).count() > 0 && is_index(k->type())) {
    const int i = n.axis(n.whole_scalar(1), n.shape(x)[axis], "index");
    return n.result(slice_of(n, x, axis, i));
  }
  n.result(n.add(op::gather{axis}, {x, index}));
}
inline void gather_elements(node_reader& n) {
  n.expect(2, 2);
  const int axis = n.axis(n.integer("axis", 0), n.rank(n.input(0)));
  check_indices(n, n.input(1), n.shape(n.input(0))[axis]);
  n.result(n.add(op::gather_elements{axis}, n.all_inputs()));
}
inline void gather_nd(node_reader& n) {
  n.expect(2, 2);
  const int batch = n.small("batch_dims", 0);
  if (batch >= 0) check_index_rows(n, n.input(1), n.shape(n.input(0)), batch);
  n.result(n.add(op::gather_nd{batch}, n.all_inputs()));
}
inline op::scatter_reduction scatter_reduction_of(node_reader& n) {
  const std::string how = n.text("reduction", "none");
  if (how == "add") return op::scatter_reduction::add;
  if (how == "mul") return op::scatter_reduction::mul;
  if (how == "max") return op::scatter_reduction::max;
  if (how == "min") return op::scatter_reduction::min;
  if (how != "none") n.fail("reduction is '" + how + "', expected none, add, mul, max or min");
  return op::scatter_reduction::none;
}
inline void scatter_elements(node_reader& n) {
  n.expect(3, 3);
  const int axis = n.axis(n.integer("axis", 0), n.rank(n.input(0)));
  check_indices(n, n.input(1), n.shape(n.input(0))[axis]);
  n.result(n.add(op::scatter_elements{axis, scatter_reduction_of(n)}, n.all_inputs()));
}
/// A cache of keys or values gets new ones, for every sample from a place of its own: at the end of a linear cache it
/// must have room for them, a circular one goes on at its beginning.
inline void tensor_scatter(node_reader& n) {
  n.expect(2, 3);
  const term cache = n.input(0), update = n.input(1);
  const extents s = n.shape(cache), u = n.shape(update);
  const int axis = n.axis(n.integer("axis", -2), s.rank);
  const std::string mode = n.text("mode", "linear");
  if (mode != "linear" && mode != "circular") n.fail("mode is '" + mode + "', expected linear or circular");
  bool fits = s.rank == u.rank && axis > 0;
  for (int k = 0; fits && k < s.rank; ++k) fits = k == axis ? u[k] <= s[k] : u[k] == s[k];
  if (!fits) n.fail("update is " + describe(u) + " for a cache of " + describe(s) + ", axis " + std::to_string(axis));
  integers steps;
  for (int k = 0; k < u[axis]; ++k) steps.push_back(k);
  extents along = u, by_sample = u;
  for (int k = 0; k < u.rank; ++k) {
    if (k != axis) along[k] = 1;
    if (k != 0) by_sample[k] = 1;
  }
  n.only_helping(true);
  term places = n.reshaped(n.whole_constant(steps), along);
  if (n.has(2)) {
    if (n.shape(n.input(2)) != extents{s[0]}) n.fail("write_indices are " + describe(n.shape(n.input(2))));
    places = n.add(op::binary{op::binary_function::add}, {places, n.reshaped(n.input(2), by_sample)});
  }
  if (mode == "circular")
    places = n.add(op::remainder{false}, {places, n.number(s[axis], n.type(places))});
  places = n.add(op::expand{as_list(u)}, {places});
  n.only_helping(false);
  check_indices(n, places, s[axis]);
  n.result(n.add(op::scatter_elements{axis}, {cache, places, update}));
}
inline void scatter_nd(node_reader& n) {
  n.expect(3, 3);
  check_index_rows(n, n.input(1), n.shape(n.input(0)), 0);
  n.result(n.add(op::scatter_nd{scatter_reduction_of(n)}, n.all_inputs()));
}

/// (N, C, H, W) as blocks: reshape, permute, reshape.
inline void depth_to_space(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  const std::int64_t size = n.integer("blocksize");
  const std::string mode = n.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") n.fail("mode is '" + mode + "', expected DCR or CRD");
  if (s.rank != 4) n.fail("input is " + describe(s) + ", expected 4 dimensions");
  if (size < 1 || size > 1024 || s[1] % (size * size) != 0)
    n.fail("blocks of " + std::to_string(size) + " for an input of " + describe(s));
  const int b = static_cast<int>(size), c = s[1] / (b * b);
  term x = n.input();
  if (mode == "DCR") x = n.permuted(n.reshaped(x, {s[0], b, b, c, s[2], s[3]}), {0, 3, 4, 1, 5, 2});
  else x = n.permuted(n.reshaped(x, {s[0], c, b, b, s[2], s[3]}), {0, 1, 4, 2, 5, 3});
  n.result(n.reshaped(x, {s[0], c, s[2] * b, s[3] * b}));
}
inline void space_to_depth(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  const std::int64_t size = n.integer("blocksize");
  const std::string mode = n.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") n.fail("mode is '" + mode + "', expected DCR or CRD");
  if (s.rank != 4) n.fail("input is " + describe(s) + ", expected 4 dimensions");
  if (size < 1 || size > 1024 || s[2] % size != 0 || s[3] % size != 0)
    n.fail("blocks of " + std::to_string(size) + " for an input of " + describe(s));
  const int b = static_cast<int>(size);
  term x = n.reshaped(n.input(), {s[0], s[1], s[2] / b, b, s[3] / b, b});
  if (mode == "DCR") x = n.permuted(x, {0, 3, 5, 1, 2, 4});
  else x = n.permuted(x, {0, 1, 3, 5, 2, 4});
  n.result(n.reshaped(x, {s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

inline void reverse_sequence(node_reader& n) {
  n.expect(2, 2);
  n.result(n.add(op::reverse_sequence{n.small("batch_axis", 1), n.small("time_axis", 0)}, n.all_inputs()));
}
inline void trilu(node_reader& n) {
  n.expect(1, 2);
  op::trilu op{n.flag("upper", true), 0};
  if (n.has(1)) op.diagonal = static_cast<int>(std::clamp<std::int64_t>(n.whole_scalar(1), -(1 << 30), 1 << 30));
  n.result(n.add(op, {n.input()}));
}
inline void compress(node_reader& n) {
  n.expect(2, 2);
  op::compress op;
  op.flatten = !n.has_attribute("axis");
  const term x = n.input(0);
  if (!op.flatten) op.axis = n.axis(n.integer("axis", 0), n.rank(x));
  const integers chosen = n.whole(1);
  const auto size = static_cast<std::size_t>(op.flatten ? n.shape(x).count() : n.shape(x)[op.axis]);
  for (std::size_t i = 0; i < chosen.size() && i < size; ++i) op.count += chosen[i] != 0;
  n.result(n.add(op, {x, n.input(1)}));
}
inline void one_hot(node_reader& n) {
  n.expect(3, 3);
  const double depth = n.scalar(1);
  if (!(depth >= 0 && depth < 1 << 28)) n.fail("depth is out of range");
  n.result(n.add(op::one_hot{static_cast<int>(depth), n.small("axis", -1)}, {n.input(0), n.input(2)}));
}

inline void center_crop_pad(node_reader& n) {
  n.expect(2, 2);
  term x = n.input(0);
  const integers wanted = n.whole(1);
  integers named = n.list_of("axes");
  if (named.empty())
    for (int i = 0; i < n.rank(x); ++i) named.push_back(i);
  const list<int> axes = n.axes(named, n.rank(x));
  if (wanted.size() != axes.size())
    n.fail("shape has " + std::to_string(wanted.size()) + " numbers for " + std::to_string(axes.size()) + " axes");
  op::slice cut;
  op::pad fill;
  for (int i = 0; i < n.rank(x); ++i) {
    fill.before.push_back(0);
    fill.after.push_back(0);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const int size = n.shape(x)[axes[i]], to = n.to_int(wanted[i], "shape");
    const auto k = static_cast<std::size_t>(axes[i]);
    if (to < 0) n.fail("shape has " + std::to_string(to));
    if (to < size) {
      cut.axis.push_back(axes[i]);
      cut.start.push_back((size - to) / 2);
      cut.end.push_back((size - to) / 2 + to);
    }
    if (to > size) {
      fill.before[k] = (to - size) / 2;
      fill.after[k] = to - size - fill.before[k];
    }
  }
  n.result(padded(n, fill, {cut.axis.empty() ? x : n.add(cut, {x})}));
}

inline void col2im(node_reader& n) {
  n.expect(3, 3);
  op::fold_blocks op;
  const integers image = n.whole(1), block = n.whole(2);
  if (image.size() > max_rank || block.size() != image.size())
    n.fail("image has " + std::to_string(image.size()) + " axes, the block " + std::to_string(block.size()));
  for (std::int64_t v : image) op.image.push_back(n.to_int(v, "image"));
  for (std::int64_t v : block) op.block.push_back(n.to_int(v, "block"));
  window_attributes w = read_window(n, static_cast<int>(image.size()));
  set_sliding(op, w);
  n.result(n.add(op, {n.input(0)}));
}

}  // namespace ctnn::onnx::readers
