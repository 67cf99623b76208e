// SPDX-License-Identifier: BSL-1.0
// Operators that only hold or move elements, as ncnn layers.
#pragma once

#include <algorithm>

#include "../node_writer.hpp"
#include "../readers/rearranging.hpp"

namespace ctnn::ncnn::writers {

inline void input(node_writer& w) {
  if (w.get<op::input>().carried) throw inexpressible{"what is carried from run to run"};
  w.layer("Input", {}, {w.out()}, parameter_list().shape(w.output_shape()));
}

inline void constant(node_writer& w) {
  w.layer("MemoryData", {}, {w.out()}, parameter_list().shape(w.output_shape()));
  w.b.bin.raw(w.weight(0));
}
inline void full(node_writer& w) {
  w.layer("MemoryData", {}, {w.out()}, parameter_list().shape(w.output_shape()));
  w.b.bin.raw(std::vector<float>(static_cast<std::size_t>(w.output_shape().count()), w.get<op::full>().value));
}

inline void dropout(node_writer& w) {
  w.layer("Dropout", {w.in()}, {w.out()}, parameter_list().real(0, w.get<op::dropout>().scale, 1));
}
inline void identity(node_writer& w) { w.layer("Noop", {w.in()}, {w.out()}); }

inline void reshape(node_writer& w) {
  w.layer("Reshape", {w.in()}, {w.out()}, parameter_list().shape(w.output_shape()));
}
inline void flatten(node_writer& w) {
  if (w.output_shape().rank == 1) w.layer("Flatten", {w.in()}, {w.out()});
  else reshape(w);
}

inline void permute(node_writer& w) {
  const op::permute op = w.get<op::permute>();
  const int rank = w.input_shape().rank;
  const std::string_view axes = rank == 2 ? "HW" : (rank == 3 ? "CHW" : "CDHW");
  std::string wanted;  // which input axis feeds w, h, (d,) c
  for (int i = rank - 1; i >= 0 && rank <= 4; --i) {
    const auto axis = static_cast<std::size_t>(op.order[static_cast<std::size_t>(i)]);
    wanted += rank == 1 ? 'W' : axes[axis];
  }
  for (int type = 0; type < 24; ++type)
    if (readers::permute_order(rank, type) == wanted) {
      w.layer("Permute", {w.in()}, {w.out()}, parameter_list().integer(0, type, 0));
      return;
    }
  if (rank != 1) throw inexpressible{"a permutation of " + describe(w.input_shape())};
  identity(w);
}

inline void channel_shuffle(node_writer& w) {
  if (w.input_shape().rank != 3) throw inexpressible{"a shuffle of " + describe(w.input_shape())};
  w.layer("ShuffleChannel", {w.in()}, {w.out()}, parameter_list().integer(0, w.get<op::channel_shuffle>().groups, 1));
}

inline void pixel_shuffle(node_writer& w) {
  const pair factor = w.get<op::pixel_shuffle>().factor;
  if (w.input_shape().rank != 3) throw inexpressible{"a shuffle of " + describe(w.input_shape())};
  if (factor[0] != factor[1])
    throw inexpressible{"a shuffle of blocks of " + std::to_string(factor[0]) + " x " + std::to_string(factor[1]) +
                        " pixels"};
  w.layer("PixelShuffle", {w.in()}, {w.out()}, parameter_list().integer(0, factor[0], 1));
}

/// What less than nothing of padding cuts off is a Crop.
inline std::string cut_before_padding(node_writer& w, const op::pad& op, bool pads) {
  const extents in = w.input_shape();
  std::vector<int> starts, ends, axes;
  for (int i = 0; i < in.rank; ++i) {
    const int before = op.before[static_cast<std::size_t>(i)], after = op.after[static_cast<std::size_t>(i)];
    if (before >= 0 && after >= 0) continue;
    axes.push_back(i);
    starts.push_back(std::max(0, -before));
    ends.push_back(in[i] + std::min(0, after));
    if (ends.back() <= starts.back()) throw inexpressible{"a padding that keeps nothing"};
  }
  if (axes.empty()) return w.in();
  const std::string result = pads ? w.between("crop") : w.out();
  w.layer("Crop", {w.in()}, {result}, parameter_list().integers(9, starts).integers(10, ends).integers(11, axes));
  return result;
}

inline void pad(node_writer& w) {
  const op::pad op = w.get<op::pad>();
  if (op.mode == op::pad_mode::wrap || w.input_count() != 1) throw inexpressible{"padding with more than one number"};
  parameter_list p;
  p.integer(4, op.mode == op::pad_mode::edge ? 1 : op.mode == op::pad_mode::reflect ? 2 : 0, 0);
  const int ids[4][2] = {{2, 3}, {0, 1}, {7, 8}, {-1, -1}};  // of the axes from the last
  const int rank = static_cast<int>(op.before.size());
  int widths[9]{};
  bool pads = false, cuts = false;
  for (int i = 0; i < rank; ++i) {
    const int before = op.before[static_cast<std::size_t>(i)], after = op.after[static_cast<std::size_t>(i)];
    cuts = cuts || before < 0 || after < 0;
    if (before <= 0 && after <= 0) continue;
    if (rank - 1 - i > 2) throw inexpressible{"a padding of more than ncnn's axes"};
    pads = true;
    widths[ids[rank - 1 - i][0]] = std::max(0, before);
    widths[ids[rank - 1 - i][1]] = std::max(0, after);
  }
  if (cuts && op.mode != op::pad_mode::constant) throw inexpressible{"padding that also cuts off"};
  const std::string from = cut_before_padding(w, op, pads);
  if (cuts && !pads) return;
  for (int id : {0, 1, 2, 3}) p.integer(id, widths[id], 0);
  p.real(5, static_cast<float>(op.value), 0).integer(7, widths[7], 0).integer(8, widths[8], 0);
  w.layer("Padding", {from}, {w.out()}, p);
}

inline void concat(node_writer& w) {
  std::vector<std::string> from;
  for (std::size_t i = 0; i < w.input_count(); ++i) from.push_back(w.in(i));
  const int axis = normal_axis(w.get<op::concat>().axis, w.output_shape().rank);
  w.layer("Concat", from, {w.out()}, parameter_list().integer(0, axis, 0));
}

inline void split(node_writer& w) {
  const op::split op = w.get<op::split>();
  std::vector<std::string> to;
  for (int i = 0; i < op.output_count(); ++i) to.push_back(w.out(i));
  parameter_list p;
  const list<int> sizes = op.sizes_in(w.input_shape());
  p.integers(0, {sizes.data(), sizes.size()}).integer(1, normal_axis(op.axis, w.input_shape().rank), 0);
  w.layer("Slice", {w.in()}, to, p);
}

inline void slice(node_writer& w) {
  const extents& x = w.input_shape();
  op::slice::walks taken = w.get<op::slice>().over(x);
  std::vector<int> starts, ends, axes;
  std::string from = w.in();
  // Every n-th channel: shuffled, they stand side by side.
  if (const op::slice::walk c = taken[0];
      x.rank == 3 && c.step > 1 && x[0] % c.step == 0 && c.first < c.step && c.count == x[0] / c.step) {
    from = w.between("shuffled");
    w.layer("ShuffleChannel", {w.in()}, {from}, parameter_list().integer(0, c.count, 1));
    taken[0] = {c.first * c.count, c.count, 1};
  }
  for (int i = 0; i < x.rank; ++i) {
    const op::slice::walk& now = taken[static_cast<std::size_t>(i)];
    if (now.step != 1) throw inexpressible{"steps"};
    if (now.takes_all(x[i])) continue;
    starts.push_back(now.first);
    ends.push_back(now.first + now.count);
    axes.push_back(i);
  }
  parameter_list p;
  if (!axes.empty()) p.integers(9, starts).integers(10, ends).integers(11, axes);
  w.layer("Crop", {from}, {w.out()}, p);
}

/// reshape, permute, reshape around node `middle`: one of ncnn's shuffling layers, if it is one.
inline void absorb_shuffle(file_builder& b, node_id middle) {
  const node& permuting = b.g.at(middle);
  const value_id before = b.g.inputs(permuting)[0], after = permuting.outputs.first;
  const node_id first = b.g.at_value(before).producer, last = b.only_reader(after);
  if (last == none || !b.g.is<op::reshape>(first) || !b.g.is<op::reshape>(last) || b.only_reader(before) != middle)
    return;
  const extents blocks = b.g.shape(before), to = b.g.shape(b.g.output_of(last));
  const value_id source = b.g.inputs(b.g.at(first))[0];
  const extents from = b.g.shape(source);
  if (from.rank != 3 || to.rank != 3) return;
  const auto order = b.g.get<op::permute>(middle).order;
  layer l;
  parameter_list p;
  if (blocks.rank == 5) {
    const auto is = [&](std::initializer_list<int> o, int r1, int r2, const extents& result) {
      return order == list<int>(o) && blocks[r1] == blocks[r2] && to == result;
    };
    const extents s = blocks;
    int factor = 0, mode = 0;
    const char* type = nullptr;
    const bool keeps_pixels = s[3] == from[1] && s[4] == from[2];
    const bool keeps_channels = s[0] == from[0] && s[1] * s[2] == from[1];
    if (keeps_pixels && is({2, 3, 0, 4, 1}, 0, 1, {s[2], s[3] * s[0], s[4] * s[1]}))
      type = "PixelShuffle", factor = s[0], mode = 1;
    else if (keeps_channels && is({0, 2, 4, 1, 3}, 2, 4, {s[0] * s[2] * s[4], s[1], s[3]}))
      type = "Reorg", factor = s[2];
    else if (keeps_channels && is({2, 4, 0, 1, 3}, 2, 4, {s[0] * s[2] * s[4], s[1], s[3]}))
      type = "Reorg", factor = s[2], mode = 1;
    if (!type) return;
    l.type = type;
    p.integer(0, factor, 1).integer(1, mode, 0);
  } else {
    return;
  }
  l.inputs = {b.blob(source)};
  l.params = p.params;
  b.absorbed.insert(first);
  b.absorbed.insert(middle);
  b.replaced.emplace(last, std::move(l));
}

/// A reshape that appends inner extents of 1 for a binary operation is what ncnn does by itself.
inline void absorb_broadcast(file_builder& b, node_id at) {
  if (b.g.get<op::binary>(at).scalar || b.products.contains(at)) return;
  const auto in = b.g.inputs(b.g.at(at));
  for (std::size_t i : {0u, 1u}) {
    const node_id maker = b.g.at_value(in[i]).producer;
    if (b.g.is<op::linear>(maker) && b.g.at(maker).inputs.count == 1 && b.only_reader(in[i]) == at) {
      const extents to = b.g.shape(in[i]), other = b.g.shape(in[1 - i]);
      const int ones = b.g.get<op::linear>(maker).ones;
      if (ones > 0 && to.rank == ones + 1 && to.rank == other.rank && to[0] == other[0]) b.kept_flat.insert(maker);
    }
    if (!b.g.is<op::reshape>(maker) || b.only_reader(in[i]) != at || b.replaced.contains(maker)) continue;
    const extents from = b.g.shape(b.g.inputs(b.g.at(maker))[0]), to = b.g.shape(in[i]), other = b.g.shape(in[1 - i]);
    if (from.rank >= other.rank || to.rank != other.rank || (from.rank == 1 && from[0] != other[0])) continue;
    extents expected = from;
    while (expected.rank < other.rank) expected.push_back(1);
    if (expected == to) b.absorbed.insert(maker);
  }
}

/// Extents of 1 behind the outputs of a linear layer mean nothing to another that reads all there is as one row.
inline void absorb_ones(file_builder& b, node_id at) {
  const value_id v = b.g.inputs(b.g.at(at))[0];
  const node_id maker = b.g.at_value(v).producer;
  if (b.g.is<op::linear>(maker) && b.g.at(maker).inputs.count == 1 && b.only_reader(v) == at &&
      b.g.get<op::linear>(maker).ones > 0 && b.g.get<op::linear>(at).axes == b.g.shape(v).rank &&
      b.g.shape(v).rank <= 3)
    b.kept_flat.insert(maker);
}

}  // namespace ctnn::ncnn::writers
