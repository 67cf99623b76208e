// SPDX-License-Identifier: BSL-1.0
// Operators that move elements, for every element type: by the size of an element.
#pragma once

#include "../../graph/operators/rearranging.hpp"
#include "../walks/movement_walk.hpp"
#include "elementwise.hpp"
#include "pointwise.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// What lies in the first `block` of `whole` bytes again and again, from what the nearest cache still has.
inline void repeat_bytes(std::byte* y, std::size_t block, std::size_t whole) {
  const std::size_t most = block > 8192 ? block : 8192 / block * block;
  for (std::size_t done = block, n; done < whole; done += n) {
    n = std::min({done, most, whole - done});
    std::memcpy(y + done, y, n);
  }
}

template <class T>
void fill_row(T* y, std::ptrdiff_t n, T value) {
  const std::ptrdiff_t some = std::min<std::ptrdiff_t>(n, 64);
  std::fill_n(y, some, value);
  repeat_bytes(static_cast<std::byte*>(static_cast<void*>(y)), static_cast<std::size_t>(some) * sizeof(T),
               static_cast<std::size_t>(n) * sizeof(T));
}

/// y[r dy + c] = x[c dx + r] for r < rows, c < columns, in tiles: each line of either side is come to once.
template <class T>
void copy_transposed(std::ptrdiff_t rows, std::ptrdiff_t columns, T* y, std::ptrdiff_t dy, const T* x,
                     std::ptrdiff_t dx) {
  constexpr std::ptrdiff_t tall = 64 / sizeof(T), wide = 64;
  T tile[tall * wide];
  for (std::ptrdiff_t c = 0; c < columns; c += wide) {
    const std::ptrdiff_t n = std::min(wide, columns - c);
    for (std::ptrdiff_t r = 0; r < rows; r += tall) {
      const std::ptrdiff_t m = std::min(tall, rows - r);
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        const T* from = x + (c + j) * dx + r;
        for (std::ptrdiff_t i = 0; i < m; ++i) tile[i * wide + j] = from[i];
      }
      for (std::ptrdiff_t i = 0; i < m; ++i)
        std::memcpy(y + (r + i) * dy + c, tile + i * wide, static_cast<std::size_t>(n) * sizeof(T));
    }
  }
}

/// Copies along a nest of loops (operands: target, source).
template <class T>
void copy_nest(loop_nest<2> nest, T* y, const T* x) {
  nest.require(1);
  if (const auto innermost = nest.levels[nest.depth - 1]; innermost.stride[0] == 1 && innermost.stride[1] > 1)
    for (int d = nest.depth - 2; d >= 0; --d) {
      const auto lines = nest.levels[d];
      if (lines.stride[1] != 1 || std::min(lines.extent, innermost.extent) < 8) continue;
      std::copy(nest.levels + d + 1, nest.levels + nest.depth, nest.levels + d);
      nest.levels[nest.depth - 2] = lines;
      nest.levels[nest.depth - 1] = innermost;
      loop_cursor at(nest, 2);
      do
        copy_transposed(lines.extent, innermost.extent, y + at.offset[0], lines.stride[0], x + at.offset[1],
                        innermost.stride[1]);
      while (at.next());
      return;
    }
  const auto& row = nest.levels[nest.depth - 1];
  const std::ptrdiff_t dy = row.stride[0], dx = row.stride[1];
  loop_cursor<2> at(nest, 1);
  do {
    T* to = y + at.offset[0];
    const T* from = x + at.offset[1];
    if (dy == 1 && dx == 1 && row.extent >= 16) std::memcpy(to, from, static_cast<std::size_t>(row.extent) * sizeof(T));
    else if (dy == 1 && dx == 0) fill_row(to, row.extent, *from);
    else
      for (std::ptrdiff_t i = 0; i < row.extent; ++i) to[i * dy] = from[i * dx];
  } while (at.next());
}
/// Copies `nest` with the elements of `t`'s type; shifts count elements.
inline void copy_elements(const loop_nest<2>& nest, const tensor& to, std::ptrdiff_t to_shift, const const_tensor& from,
                          std::ptrdiff_t from_shift) {
  for (int i = 0; i < nest.depth; ++i)
    if (nest.levels[i].extent == 0) return;
  visit_size(to.type,
             [&]<class T>(tag<T>) { copy_nest(nest, elements<T>(to) + to_shift, elements<T>(from) + from_shift); });
}

inline void run(const op::constant&, const arguments& a) {
  const auto n = static_cast<std::size_t>(a.out[0].shape.count() * size_of(a.out[0].type));
  if (n != 0) std::memcpy(a.out[0].data, a.weights[0], n);
}
inline void run(const op::full& p, const arguments& a) {
  visit_element(p.name, a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    std::fill(y, y + a.out[0].shape.count(), converted<T>(p.value));
  });
}
inline void run(const op::flatten&, const arguments& a) { copy_bytes(a); }
inline void run(const op::reshape&, const arguments& a) { copy_bytes(a); }

inline void run(const op::permute& p, const arguments& a) {
  copy_elements(permute_loops(p, a.out[0], a.in[0]), a.out[0], 0, a.in[0], 0);
}
inline void run(const op::channel_shuffle& p, const arguments& a) {
  copy_elements(shuffle_loops(p, a.out[0], a.in[0]), a.out[0], 0, a.in[0], 0);
}
inline void run(const op::pixel_shuffle& p, const arguments& a) {
  copy_elements(pixel_loops(p, a.out[0], a.in[0]), a.out[0], 0, a.in[0], 0);
}
inline void run(const op::concat& p, const arguments& a) {
  const int axis = normal_axis(p.axis, a.out[0].shape.rank);
  std::ptrdiff_t shift = 0;
  for (const const_tensor& x : a.in) {
    copy_elements(copy_loops(x.shape, a.out[0], x), a.out[0], shift, x, 0);
    shift += x.shape[axis] * stride_of(a.out[0], axis);
  }
}
inline void run(const op::split& p, const arguments& a) {
  const int axis = normal_axis(p.axis, a.in[0].shape.rank);
  std::ptrdiff_t shift = 0;
  for (const tensor& y : a.out) {
    copy_elements(copy_loops(y.shape, y, a.in[0]), y, 0, a.in[0], shift);
    shift += y.shape[axis] * stride_of(a.in[0], axis);
  }
}
inline void run(const op::slice& p, const arguments& a) {
  std::ptrdiff_t begin = 0;
  const loop_nest<2> nest = slice_loops(p, a.out[0], a.in[0], begin);
  copy_elements(nest, a.out[0], 0, a.in[0], begin);
}

inline void run(const op::expand&, const arguments& a) {
  loop_nest<2> nest;
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  for (int i = 0; i < y.rank; ++i) {
    const int own = i - (y.rank - x.rank);
    nest.push_back(
        {y[i], {stride_of(a.out[0], i), own < 0 || x[own] == 1 ? std::ptrdiff_t{0} : stride_of(a.in[0], own)}});
  }
  copy_elements(nest, a.out[0], 0, a.in[0], 0);
}

/// For each axis of a value a table of offsets.
struct axis_tables {
  std::span<std::int64_t> of[max_rank];
  axis_tables(const extents& y, scratch_memory& memory) {
    for (int i = 0; i < y.rank; ++i) of[i] = memory.take<std::int64_t>(y[i]);
  }
};
/// y[i] = x[source(i)] where the source is found for each axis: tables of offsets, -1 for "the filling".
template <class T>
void gather_by_axis(const tensor& out, const const_tensor& in, const axis_tables& tables, T filling) {
  const int rank = out.shape.rank;
  const std::int64_t n = out.shape.count();
  if (n == 0) return;
  T* y = elements<T>(out);
  const T* x = elements<T>(in);
  if (rank == 0) {
    *y = *x;
    return;
  }
  const std::span<const std::int64_t> last = tables.of[rank - 1];
  const std::size_t width = last.size();
  std::int64_t at[max_rank]{};
  for (std::int64_t row = 0; row < n / static_cast<std::int64_t>(width); ++row, y += width) {
    std::int64_t base = 0;
    for (int i = 0; i + 1 < rank && base >= 0; ++i) {
      const std::int64_t o = tables.of[i][static_cast<std::size_t>(at[i])];
      base = o < 0 ? -1 : base + o;
    }
    for (std::size_t j = 0; j < width; ++j) y[j] = base < 0 || last[j] < 0 ? filling : x[base + last[j]];
    for (int i = rank - 2; i >= 0; --i) {
      if (++at[i] < out.shape[i]) break;
      at[i] = 0;
    }
  }
}

/// The axes from `axis` on of a tile without gaps; `x` moves on. Those behind the last that repeats lie together.
inline void tile_axes(const extents& x_shape, const extents& y_shape, std::size_t each, int axis, int last,
                      const std::byte*& x, std::byte* y) {
  const std::size_t step = each * static_cast<std::size_t>(y_shape.count(axis + 1, y_shape.rank));
  const auto own = static_cast<std::size_t>(x_shape[axis]), all = static_cast<std::size_t>(y_shape[axis]);
  if (axis == last) {
    std::memcpy(y, x, own * step);
    x += own * step;
  } else {
    for (std::size_t i = 0; i < own; ++i) tile_axes(x_shape, y_shape, each, axis + 1, last, x, y + i * step);
  }
  repeat_bytes(y, own * step, all * step);
}
inline void run(const op::tile&, const arguments& a) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  if (y.count() == 0) return;
  int last = y.rank - 1;
  while (last >= 0 && x[last] == y[last]) --last;
  if (last < 0) return copy_bytes(a);
  const std::byte* from = elements<std::byte>(a.in[0]);
  tile_axes(x, y, static_cast<std::size_t>(size_of(a.out[0].type)), 0, last, from, elements<std::byte>(a.out[0]));
}

inline void run(const op::pad& p, const arguments& a, scratch_memory memory) {
  const const_tensor& x = a.in[0];
  const axis_tables tables(a.out[0].shape, memory);
  for (int i = 0; i < x.shape.rank; ++i) {
    for (std::int64_t j = 0; j < a.out[0].shape[i]; ++j) {
      const std::int64_t from = p.source(j - p.before[static_cast<std::size_t>(i)], x.shape[i]);
      tables.of[i][static_cast<std::size_t>(j)] = from < 0 ? -1 : from * stride_of(x, i);
    }
  }
  // The filling in the element's own bits.
  std::uint64_t filling = 0;
  if (a.in.size() == 2) {
    std::memcpy(&filling, a.in[1].data, static_cast<std::size_t>(size_of(x.type)));
  } else {
    const double value = p.value;
    const const_tensor from{
        static_cast<const float*>(static_cast<const void*>(&value)), {}, layout::nchw, 0, dtype::f64};
    const tensor to{static_cast<float*>(static_cast<void*>(&filling)), {}, layout::nchw, 0, x.type};
    run(op::cast{x.type}, arguments{{&from, 1}, {&to, 1}, {}});
  }
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    T value;
    std::memcpy(&value, &filling, sizeof value);
    gather_by_axis<T>(a.out[0], x, tables, value);
  });
}

inline void run(const op::trilu& p, const arguments& a) {
  copy_bytes(a);
  const int rows = a.out[0].shape.back(1), columns = a.out[0].shape.back(0);
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    for (std::int64_t m = a.out[0].shape.count(0, a.out[0].shape.rank - 2); m > 0; --m)
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c, ++y) {
          const std::int64_t d = std::int64_t{c} - r;
          if (p.upper ? d < p.diagonal : d > p.diagonal) *y = 0;
        }
  });
}

/// Fills an output with value(i), computed in double or, for integers, exactly in 64 bits.
template <class F>
void generate(std::string_view op, const arguments& a, F value) {
  visit_element(op, a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    for (std::int64_t i = 0; i < a.out[0].shape.count(); ++i) y[i] = static_cast<T>(value(i));
  });
}
inline void run(const op::eye& p, const arguments& a) {
  generate(p.name, a, [&](std::int64_t i) { return i % p.shape[1] - i / p.shape[1] == p.diagonal ? 1 : 0; });
}
inline void run(const op::arange& p, const arguments& a) {
  if (is_floating(p.type))
    return generate(p.name, a, [&](std::int64_t i) { return p.start + static_cast<double>(i) * p.step; });
  const auto start = static_cast<std::uint64_t>(saturated<std::int64_t>(p.start)),
             step = static_cast<std::uint64_t>(saturated<std::int64_t>(p.step));
  generate(p.name, a, [&](std::int64_t i) {
    return static_cast<std::int64_t>(start + static_cast<std::uint64_t>(i) * step);
  });  // wraps around
}

inline void run(const op::reverse_sequence& p, const arguments& a) {
  const extents& s = a.in[0].shape;
  const std::int64_t rest = s.count(2, s.rank);
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    const T* x = elements<T>(a.in[0]);
    T* y = elements<T>(a.out[0]);
    for (std::int64_t b = 0; b < s[p.batch]; ++b) {
      const std::int64_t n = index_at(p.name, a.in[1], b, s[p.time] + 1);
      for (std::int64_t t = 0; t < s[p.time]; ++t) {
        const std::int64_t u = t < n ? n - 1 - t : t;
        const auto at = [&](std::int64_t time) { return (p.batch == 0 ? b * s[1] + time : time * s[1] + b) * rest; };
        std::copy_n(x + at(u), rest, y + at(t));
      }
    }
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
