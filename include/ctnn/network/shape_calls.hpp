// SPDX-License-Identifier: BSL-1.0
// PyTorch's functions that move the numbers of tensors: other shapes, orders of axes, parts, repetitions.
#pragma once

#include "number_calls.hpp"

namespace ctnn::detail {

template <class = void>
class shape_calls : public number_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  constexpr value with_list(const layer_record& word, std::string_view called_after, value x, std::string_view key,
                            const setting& list, source_line at) {
    begin(word, called_after, {}, x, at, 1);
    say(key, list);
    return last();
  }
  constexpr value in_order(std::string_view word, value x, const extents& order, source_line at) {
    return with_list(ctnn::permute<"">::record, word, x, "order", setting(order), at);
  }
  constexpr value in_shape(std::string_view word, value x, const extents& to, source_line at) {
    return with_list(ctnn::reshape<"">::record, word, x, "shape", setting(to), at);
  }
  constexpr value_list parts(std::string_view word, value x, const long_setting& sizes, int dim, source_line at) {
    begin(ctnn::split<"">::record, word, {}, x, at, static_cast<int>(sizes.size()));
    say("sizes", sizes);
    if (dim != 0) say("axis", setting(dim));
    value_list all;
    for (int k = 0; k < static_cast<int>(sizes.size()); ++k) all.push_back(output_of(last(), k));
    return all;
  }
  static constexpr long_setting equal_parts(int n) {
    const number each[] = {-1};
    long_setting sizes;
    for (int i = 0; i < n; ++i) sizes.append(each[0]);
    return sizes;
  }
  template <std::size_t N>
  static constexpr std::array<value, N> first_of(const value_list& list) {
    std::array<value, N> all{};
    for (std::size_t i = 0; i < N && i < list.size(); ++i) all[i] = list[i];
    return all;
  }
  static constexpr int as_axis(double dim, int rank) { return normal_axis(static_cast<int>(dim), rank); }
  /// The shape of `count` numbers that go along an axis of a tensor of `rank` axes.
  static constexpr extents along_axis(int count, int axis, int rank) {
    extents s{count};
    for (int i = axis + 1; i < rank; ++i) s.push_back(1);
    return s;
  }
  /// Ones before the axes of x, so that there are `rank`.
  constexpr value with_rank(value x, int rank, source_line at) {
    const extents s = shape(x);
    if (rank <= s.rank) return x;
    extents longer;
    for (int i = s.rank; i < rank; ++i) longer.push_back(1);
    longer.append(s);
    return in_shape("reshape", x, longer, at);
  }
  constexpr value repeated(std::string_view word, value x, extents sizes, source_line at) {
    x = with_rank(x, sizes.rank, at);
    extents all;
    for (int i = sizes.rank; i < shape(x).rank; ++i) all.push_back(1);
    all.append(sizes);
    return with_list(ctnn::tile<"">::record, word, x, "repeats", setting(all), at);
  }

 public:
  /// torch.reshape: -1, once, is what is left over.
  constexpr value reshape(value x, const extents& shape, source_line at = source_line::here()) {
    return in_shape("reshape", x, shape, at);
  }
  /// Tensor.view
  constexpr value view(value x, const extents& shape, source_line at = source_line::here()) {
    return in_shape("view", x, shape, at);
  }
  /// torch.unflatten: axis `dim` becomes `sizes`.
  constexpr value unflatten(value x, int dim, const extents& sizes, source_line at = source_line::here()) {
    const value y = with_list(ctnn::unflatten<"">::record, "unflatten", x, "shape", setting(sizes), at);
    say("axis", setting(dim));
    return y;
  }
  /// torch.permute: axis i of the result is axis dims[i] of x, which may be counted from the end.
  constexpr value permute(value x, const extents& dims, source_line at = source_line::here()) {
    extents order = dims;
    for (int i = 0; i < order.rank; ++i) order[i] = normal_axis(order[i], order.rank);
    return in_order("permute", x, order, at);
  }
  /// torch.transpose: two axes change places.
  constexpr value transpose(value x, int dim0, int dim1, source_line at = source_line::here()) {
    const int rank = shape(x).rank, a = normal_axis(dim0, rank), b = normal_axis(dim1, rank);
    extents order;
    for (int i = 0; i < rank; ++i) order.push_back(i == a ? b : i == b ? a : i);
    return in_order("transpose", x, order, at);
  }
  /// torch.movedim: axes `source` get the places `destination`; the others keep their order.
  constexpr value movedim(value x, const setting& source, const setting& destination,
                          source_line at = source_line::here()) {
    const int rank = shape(x).rank;
    extents order, left;
    for (int i = 0; i < rank; ++i) {
      bool moves = false;
      for (double d : source) moves = moves || as_axis(d, rank) == i;
      if (!moves) left.push_back(i);
    }
    for (int i = 0, next = 0; i < rank; ++i) {
      int from = ir::none;
      for (std::size_t k = 0; k < destination.size() && k < source.size(); ++k)
        if (as_axis(destination[k], rank) == i) from = as_axis(source[k], rank);
      order.push_back(from != ir::none ? from : left[next++]);
    }
    return in_order("movedim", x, order, at);
  }
  /// torch.unsqueeze: an axis of 1 at `dim`.
  constexpr value unsqueeze(value x, int dim, source_line at = source_line::here()) {
    const extents s = shape(x);
    return in_shape("unsqueeze", x, s.with_axis(normal_axis(dim, s.rank + 1), 1), at);
  }
  /// torch.squeeze: without those of the axes `dim` that are 1; without `dim` of all axes.
  constexpr value squeeze(value x, const setting& dim = {}, source_line at = source_line::here()) {
    const extents s = shape(x);
    extents rest;
    for (int i = 0; i < s.rank; ++i) {
      bool said = !dim.is_set();
      for (double d : dim) said = said || as_axis(d, s.rank) == i;
      if (s[i] != 1 || !said) rest.push_back(s[i]);
    }
    if (rest.rank == 0) rest.push_back(1);
    return in_shape("squeeze", x, rest, at);
  }
  /// Tensor.expand, torch.broadcast_to: -1 keeps an extent.
  constexpr value expand(value x, extents sizes, source_line at = source_line::here()) {
    const extents s = shape(x);
    for (int i = 0; i < sizes.rank; ++i)
      if (const int own = i - (sizes.rank - s.rank); sizes[i] == -1 && own >= 0) sizes[i] = s[own];
    return with_list(ctnn::expand<"">::record, "expand", x, "shape", setting(sizes), at);
  }
  /// Tensor.repeat: the whole of x so often along each axis.
  constexpr value repeat(value x, const extents& sizes, source_line at = source_line::here()) {
    return repeated("repeat", x, sizes, at);
  }
  /// torch.tile: as repeat, and fewer numbers than axes are those of the last ones.
  constexpr value tile(value x, const extents& dims, source_line at = source_line::here()) {
    return repeated("tile", x, dims, at);
  }
  /// torch.repeat_interleave by one number: each slice of an axis so often in a row.
  constexpr value repeat_interleave(value x, int repeats, int dim, source_line at = source_line::here()) {
    const extents s = shape(x);
    const int axis = normal_axis(dim, s.rank);
    extents joined = s;
    joined[axis] *= repeats;
    const value y = expand(unsqueeze(x, axis + 1, at), s.with_axis(axis + 1, repeats), at);
    return in_shape("repeat_interleave", y, joined, at);
  }
  /// torch.cat
  constexpr value cat(values in, const axis_options& o = {}, source_line at = source_line::here()) {
    return call(ctnn::concat<"">::record, "cat", {}, in, o, at);
  }
  /// torch.stack: along a new axis `dim`.
  constexpr value stack(values in, int dim = 0, source_line at = source_line::here()) {
    value_list rows;
    for (const value& v : in) rows.push_back(unsqueeze(v, dim, at));
    const int rank = in.size() > 0 ? shape(in[0]).rank : 0;
    return call(ctnn::concat<"">::record, "stack", {}, rows, axis_options{.dim = normal_axis(dim, rank + 1)}, at);
  }
  /// torch.split into parts of these sizes, or of one size, of which the last may be smaller.
  constexpr value_list split(value x, const long_setting& sizes, int dim = 0, source_line at = source_line::here()) {
    if (sizes.size() != 1) return parts("split", x, sizes, dim, at);
    const int all = size(x, dim), each = sizes.whole_or(1);
    long_setting list;
    for (int left = all; left > 0 && each > 0; left -= each) list.append(left < each ? left : each);
    return parts("split", x, list, dim, at);
  }
  template <std::size_t Parts>
  constexpr std::array<value, Parts> split(value x, const long_setting& sizes, int dim = 0,
                                           source_line at = source_line::here()) {
    return first_of<Parts>(split(x, sizes, dim, at));
  }
  /// torch.chunk: equal parts, of which the last may be smaller. auto [q, k, v] = m.chunk<3>(x, -1)
  constexpr value_list chunk(value x, int chunks, int dim = 0, source_line at = source_line::here()) {
    return parts("chunk", x, equal_parts(chunks), dim, at);
  }
  template <std::size_t Chunks>
  constexpr std::array<value, Chunks> chunk(value x, int dim = 0, source_line at = source_line::here()) {
    return first_of<Chunks>(parts("chunk", x, equal_parts(static_cast<int>(Chunks)), dim, at));
  }
  /// torch.unbind: the slices along an axis, without it.
  constexpr value_list unbind(value x, int dim = 0, source_line at = source_line::here()) {
    value_list all;
    const int n = size(x, dim);
    if (n < 2) {
      all.push_back(squeeze(x, dim, at));
      return all;
    }
    for (const value& part : parts("unbind", x, equal_parts(n), dim, at)) {
      all.push_back(squeeze(part, dim, at));
      allow_unread(all[all.size() - 1]);
    }
    return all;
  }
  /// torch.select: one index of an axis, without the axis.
  constexpr value select(value x, int dim, int index, source_line at = source_line::here()) {
    const int n = size(x, dim), first = index < 0 ? index + n : index;
    return squeeze(narrow(x, dim, first, 1, at), dim, at);
  }
  /// torch.narrow: `length` elements of an axis from `start` on.
  constexpr value narrow(value x, int dim, int start, int length, source_line at = source_line::here()) {
    return call(ctnn::slice<"">::record, "narrow", {}, x,
                slice_options{.dim = dim, .start = start, .end = start + length, .step = 1}, at);
  }
  /// torch.flip along axes.
  constexpr value flip(value x, const setting& dims, source_line at = source_line::here()) {
    setting start, end, step;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      start.append(-1);
      end.append(exact{-2147483647});
      step.append(-1);
    }
    return call(ctnn::slice<"">::record, "flip", {}, x,
                slice_options{.dim = dims, .start = start, .end = end, .step = step}, at);
  }
  /// torch.roll along axes: what leaves at the end comes in at the beginning.
  constexpr value roll(value x, const setting& shifts, const setting& dims, source_line at = source_line::here()) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const int dim = static_cast<int>(dims[i]), n = size(x, dim);
      const int first = n > 0 ? ((static_cast<int>(shifts[i]) % n) + n) % n : 0;
      if (first == 0) {
        x = identity(x, {}, at);
        continue;
      }
      const value end = narrow(x, dim, n - first, first, at), begin = narrow(x, dim, 0, n - first, at);
      x = call(ctnn::concat<"">::record, "roll", {}, {end, begin}, axis_options{.dim = dim}, at);
    }
    return x;
  }
  /// torch.meshgrid of vectors, indexing="ij": each along an axis of its own, repeated along the others.
  constexpr value_list meshgrid(values in, source_line at = source_line::here()) {
    extents all;
    for (const value& v : in) all.push_back(size(v, 0));
    value_list grids;
    for (std::size_t i = 0; i < in.size(); ++i) {
      extents own;
      for (int k = 0; k < all.rank; ++k) own.push_back(k == static_cast<int>(i) ? all[k] : 1);
      grids.push_back(expand(in_shape("meshgrid", in[i], own, at), all, at));
      allow_unread(grids[i]);
    }
    return grids;
  }
};

}  // namespace ctnn::detail
