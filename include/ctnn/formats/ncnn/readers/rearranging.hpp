// SPDX-License-Identifier: BSL-1.0
// Layers that move elements: Reshape, Permute, Concat, Slice, Crop, Padding, shuffles, Tile.
#pragma once

#include <string_view>

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

inline void flatten(layer_reader& l) {
  l.expect(1, 1);
  l.result(l.node(op::flatten{}, {l.input()}));
}

inline void reshape(layer_reader& l) {
  if (l.has(6)) layer_reader::refuse(6, "shape expression");
  if (l.int_or(12, 233) != 233 || l.int_or(13, 233) != 233) layer_reader::refuse(12, "batch axis");
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  // Of the input: w, h, d, c, each 1 where it has no such extent.
  const int w = in.rank > 0 ? in.back(0) : 1, h = in.rank > 1 ? in.back(1) : 1;
  const int d = in.rank == 4 ? in[1] : 1, c = in.rank >= 3 ? in[0] : 1;
  op::reshape op;
  const int ids[4] = {2, 11, 1, 0}, copied[4] = {c, d, h, w};
  for (int i = 0; i < 4; ++i) {
    const int n = l.int_or(ids[i], -233);
    if (n != -233) op.shape.push_back(n == 0 ? copied[i] : n);
  }
  if (op.shape.empty()) l.fail("no extent is given");
  l.result(l.node(op, {x}));
}

/// Which input axis feeds w, h, (d,) c, as ncnn's documentation writes it.
inline std::string_view permute_order(int rank, int type) {
  static constexpr std::string_view two[] = {"WH", "HW"};
  static constexpr std::string_view three[] = {"WHC", "HWC", "WCH", "CWH", "HCW", "CHW"};
  static constexpr std::string_view four[] = {"WHDC", "HWDC", "WDHC", "DWHC", "HDWC", "DHWC", "WHCD", "HWCD",
                                              "WCHD", "CWHD", "HCWD", "CHWD", "WDCH", "DWCH", "WCDH", "CWDH",
                                              "DCWH", "CDWH", "HDCW", "DHCW", "HCDW", "CHDW", "DCHW", "CDHW"};
  if (type < 0) return {};
  if (rank == 2 && type < 2) return two[type];
  if (rank == 3 && type < 6) return three[type];
  if (rank == 4 && type < 24) return four[type];
  return {};
}

inline void permute(layer_reader& l) {
  const int type = l.int_or(0, 0);
  l.expect(1, 1);
  const value_id x = l.input();
  const int rank = l.shape(x).rank;
  if (rank == 1) {
    l.result(l.node(op::identity{}, {x}));
    return;
  }
  const std::string_view order = permute_order(rank, type);
  if (order.empty()) l.fail(0, "order " + std::to_string(type) + " of " + std::to_string(rank) + " axes");
  const std::string_view axes = rank == 2 ? "HW" : (rank == 3 ? "CHW" : "CDHW");
  op::permute op;
  for (int i = rank - 1; i >= 0; --i)
    op.order.push_back(static_cast<int>(axes.find(order[static_cast<std::size_t>(i)])));
  l.result(l.node(op, {x}));
}

inline void concat(layer_reader& l) {
  l.expect_outputs(1);
  l.result(l.node(op::concat{l.int_or(0, 0)}, l.all_inputs()));
}

inline void slice(layer_reader& l) {
  if (l.output_count() > max_list) layer_reader::refuse("more than " + std::to_string(max_list) + " outputs");
  if (l.output_count() == 0) l.fail("has no output");
  std::vector<int> sizes = l.ints_or(0);
  const std::vector<int> cuts = l.ints_or(2);
  const value_id x = l.input();
  const extents in = l.shape(x);
  const int axis = normal_axis(l.int_or(1, 0), in.rank);
  if (axis < 0 || axis >= in.rank) l.fail(1, "axis " + std::to_string(axis) + " of " + describe(in));
  const int outputs = static_cast<int>(l.output_count());
  if (!cuts.empty()) {
    if (static_cast<int>(cuts.size()) != outputs - 1) l.fail(2, "expected one cut less than there are outputs");
    sizes.clear();
    int from = 0;
    for (int cut : cuts) {
      if (cut < 0) cut += in[axis];
      if (cut <= from || cut >= in[axis])
        l.fail(2, "cut at " + std::to_string(cut) + " of " + std::to_string(in[axis]));
      sizes.push_back(cut - from);
      from = cut;
    }
    sizes.push_back(in[axis] - from);
  }
  if (static_cast<int>(sizes.size()) != outputs)
    l.fail(0, std::to_string(sizes.size()) + " sizes for " + std::to_string(outputs) + " outputs");
  op::split op;
  op.axis = axis;
  int left = in[axis];
  for (int i = 0; i < outputs; ++i) {
    const int given = sizes[static_cast<std::size_t>(i)];
    const int n = given == -233 ? left / (outputs - i) : given;
    if (n < 1 || n > left) l.fail(0, "slice of " + std::to_string(n) + " where " + std::to_string(left) + " are left");
    op.sizes.push_back(n);
    left -= n;
  }
  const value_id first = l.node(op, {x});
  std::vector<value_id> out;
  for (int i = 0; i < outputs; ++i) out.push_back(first + i);
  l.result(out);
}

/// Bounds [begin, end) of each axis of a value, narrowed one by one.
struct cut {
  extents begin, end;

  explicit cut(const extents& whole) : begin(whole), end(whole) {
    for (int i = 0; i < whole.rank; ++i) begin[i] = 0;
  }
  void narrow(const layer_reader& l, int axis, int from, int to) {
    const int size = end[axis] - begin[axis];
    if (from < 0 || to <= from || to > size)
      l.fail("cut from " + std::to_string(from) + " to " + std::to_string(to) + " of " + std::to_string(size) +
             " along axis " + std::to_string(axis));
    end[axis] = begin[axis] + to;
    begin[axis] += from;
  }
};

inline value_id cut_out(layer_reader& l, value_id v, const cut& part) {
  const extents whole = l.shape(v);
  op::slice op;
  for (int i = 0; i < whole.rank; ++i) {
    if (part.begin[i] == 0 && part.end[i] == whole[i]) continue;
    op.axis.push_back(i);
    op.start.push_back(part.begin[i]);
    op.end.push_back(part.end[i]);
  }
  return op.axis.empty() ? v : l.node(op, {v});
}

inline void crop(layer_reader& l) {
  for (int id : {19, 20, 21})
    if (l.has(id)) layer_reader::refuse(id, "expression");
  const std::vector<int> starts = l.ints_or(9), ends = l.ints_or(10), axes = l.ints_or(11);
  l.expect_outputs(1);
  const value_id v = l.input();
  const extents in = l.shape(v);
  const int rank = in.rank;
  cut part(in);

  if (!starts.empty() && !ends.empty()) {
    l.expect(1, 1);
    if (starts.size() != ends.size() || (!axes.empty() && axes.size() != starts.size()))
      l.fail(9, "starts, ends and axes differ in length");
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const int axis = normal_axis(axes.empty() ? static_cast<int>(i) : axes[i], rank);
      if (axis < 0 || axis >= rank) l.fail(11, "axis " + std::to_string(axis) + " of " + describe(in));
      const int n = part.end[axis] - part.begin[axis];
      int start = starts[i] == -233 ? 0 : starts[i], end = ends[i] == -233 ? n : ends[i];
      if (start < 0) start += n;
      if (end <= 0) end += n;
      part.narrow(l, axis, start, end < n ? end : n);
    }
    l.result(cut_out(l, v, part));
    return;
  }

  // Offsets, sizes and far offsets of w, h, d, c.
  const int from_id[4] = {0, 1, 13, 2}, size_id[4] = {3, 4, 14, 5}, far_id[4] = {6, 7, 15, 8};
  bool by_reference = true;
  for (int i = 0; i < 4; ++i)
    by_reference = by_reference && l.int_or(size_id[i], 0) == 0 && l.int_or(far_id[i], 0) == 0;
  extents like = in;
  if (by_reference) {
    l.expect(2, 1);
    const extents other = l.shape(l.input(1));
    if (other.rank < 1 || (rank > 1 && other.rank < 2)) l.fail("the input that gives the size is " + describe(other));
    like.back(0) = other.back(0);
    if (rank > 1) like.back(1) = other.back(1);
    if (rank >= 3 && other.rank == rank)
      for (int i = 0; i + 2 < rank; ++i) like[i] = other[i];
  } else {
    l.expect(1, 1);
  }
  for (int axis = rank - 1; axis >= 0; --axis) {
    // w, h, then c of a 3-D value; w, h, d, c of a 4-D one.
    const int from_end = rank - 1 - axis, which = rank == 3 && from_end == 2 ? 3 : from_end;
    const int start = l.int_or(from_id[which], 0), size = l.int_or(size_id[which], 0), far = l.int_or(far_id[which], 0);
    if (start < 0 || far < 0 || start > in[axis] || far > in[axis]) l.fail(from_id[which], "offset out of range");
    int end = in[axis] - far;
    if (by_reference) end = start + like[axis];
    else if (size != 0 && size != -233) {
      if (size < 0 || size > in[axis]) l.fail(size_id[which], "size " + std::to_string(size));
      end = start + size;
    }
    part.narrow(l, axis, start, end);
  }
  l.result(cut_out(l, v, part));
}

inline void padding(layer_reader& l) {
  const int type = l.int_or(4, 0);
  if (type < 0 || type > 2) layer_reader::refuse(4, "padding type " + std::to_string(type));
  if (l.int_or(6, 0) != 0) layer_reader::refuse(6, "padding value for each channel");
  const int top = l.extent_or(0, 0, 0), bottom = l.extent_or(1, 0, 0), left = l.extent_or(2, 0, 0),
            right = l.extent_or(3, 0, 0), front = l.extent_or(7, 0, 0), behind = l.extent_or(8, 0, 0);
  op::pad op;
  if (type == 0) op.value = static_cast<double>(l.float_or(5, 0));
  else op.mode = type == 1 ? op::pad_mode::edge : op::pad_mode::reflect;
  l.expect(1, 1);
  const value_id x = l.input();
  const int rank = l.shape(x).rank;
  const int before[3] = {left, top, front}, after[3] = {right, bottom, behind};
  for (int i = 0; i < rank; ++i) {
    const int from_end = rank - 1 - i;
    op.before.push_back(from_end < 3 ? before[from_end] : 0);
    op.after.push_back(from_end < 3 ? after[from_end] : 0);
  }
  l.result(l.node(op, {x}));
}

inline void shuffle_channel(layer_reader& l) {
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  if (in.rank != 3) l.fail("input is " + describe(in) + ", expected 3 dimensions");
  int groups = l.int_or(0, 1);
  if (groups < 1 || in[0] % groups != 0)
    l.fail(0, std::to_string(groups) + " groups of " + std::to_string(in[0]) + " channels");
  if (l.flag_or(1, false)) groups = in[0] / groups;
  l.result(l.node(op::channel_shuffle{groups}, {x}));
}

inline void pixel_shuffle(layer_reader& l) {
  const int r = l.extent_or(0, 1, 1);
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  if (in.rank != 3 || in[0] % (r * r) != 0)
    l.fail("input is " + describe(in) + ", expected channels in multiples of " + std::to_string(r * r));
  const int c = in[0] / (r * r);
  if (!l.flag_or(1, false)) {
    l.result(l.node(op::pixel_shuffle{{r, r}}, {x}));
    return;
  }
  value_id v = l.reshaped(x, {r, r, c, in[1], in[2]}, "blocks");
  v = l.permuted(v, {2, 3, 0, 4, 1}, "interleaved");
  l.result(l.reshaped(v, {c, in[1] * r, in[2] * r}));
}

inline void reorg(layer_reader& l) {
  const int r = l.extent_or(0, 1, 1);
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  if (in.rank != 3 || in[1] % r != 0 || in[2] % r != 0)
    l.fail("input is " + describe(in) + ", expected pixels in multiples of " + std::to_string(r));
  const int h = in[1] / r, w = in[2] / r;
  value_id v = l.reshaped(x, {in[0], h, r, w, r}, "blocks");
  if (l.flag_or(1, false)) v = l.permuted(v, {2, 4, 0, 1, 3}, "gathered");
  else v = l.permuted(v, {0, 2, 4, 1, 3}, "gathered");
  const auto channels = checked_multiply(in[0], std::int64_t{r} * r);
  l.result(l.reshaped(v, {static_cast<int>(*channels), h, w}));
}

inline void squeeze(layer_reader& l) {
  const std::vector<int> axes = l.ints_or(3);
  const bool flagged[4] = {l.flag_or(0, false), l.flag_or(1, false), l.flag_or(11, false), l.flag_or(2, false)};
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  extents out;
  for (int i = 0; i < in.rank; ++i) {
    bool gone = false;
    for (int axis : axes) gone = gone || normal_axis(axis, in.rank) == i;
    const int from_end = in.rank - 1 - i;
    if (axes.empty()) gone = flagged[in.rank == 3 && from_end == 2 ? 3 : (from_end < 3 ? from_end : 3)];
    if (!gone || in[i] != 1) out.push_back(in[i]);
  }
  if (out.rank == 0) out.push_back(1);
  l.result(l.reshaped(x, out));
}

inline void expand_dims(layer_reader& l) {
  const std::vector<int> axes = l.ints_or(3);
  if (axes.size() != 1) layer_reader::refuse(3, std::to_string(axes.size()) + " axes");
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  const int axis = normal_axis(axes[0], in.rank + 1);
  if (axis < 0 || axis > in.rank || in.rank >= 4) l.fail(3, "axis " + std::to_string(axes[0]) + " of " + describe(in));
  extents out;
  for (int i = 0; i <= in.rank; ++i) {
    if (i == axis) out.push_back(1);
    if (i < in.rank) out.push_back(in[i]);
  }
  l.result(l.reshaped(x, out));
}

inline void tile(layer_reader& l) {
  std::vector<int> repeats = l.ints_or(2);
  l.expect(1, 1);
  value_id v = l.input();
  const int rank = l.shape(v).rank;
  if (repeats.empty()) {
    const int axis = normal_axis(l.int_or(0, 0), rank);
    if (axis < 0 || axis >= rank) l.fail(0, "axis " + std::to_string(axis));
    repeats.assign(static_cast<std::size_t>(rank), 1);
    repeats[static_cast<std::size_t>(axis)] = l.extent_or(1, 1, 1);
  }
  // Repeats are for the last axes; those in front that are not 1 make new ones. ncnn's own 4-d results of fewer axes
  // are odd.
  const auto axes = static_cast<std::size_t>(rank);
  while (repeats.size() > axes && repeats[0] == 1) repeats.erase(repeats.begin());
  if (repeats.size() > axes && (axes > 2 || repeats.size() > 3)) layer_reader::refuse(2, "more repeats than axes");
  if (repeats.size() < axes) repeats.insert(repeats.begin(), axes - repeats.size(), 1);
  extents longer;
  for (std::size_t i = axes; i < repeats.size(); ++i) longer.push_back(1);
  for (int i = 0; i < rank; ++i) longer.push_back(l.shape(v)[i]);
  v = l.reshaped(v, longer, "axes");
  for (int axis = 0; axis < longer.rank; ++axis) {
    const int n = repeats[static_cast<std::size_t>(axis)];
    if (n < 1 || n > 32767) l.fail(2, "repeat " + std::to_string(n));
    if (n > 1) v = l.helper(op::concat{axis}, std::vector<value_id>(static_cast<std::size_t>(n), v), "tiled");
  }
  l.result(v);
}

}  // namespace ctnn::ncnn::readers
