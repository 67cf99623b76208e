// SPDX-License-Identifier: BSL-1.0
// Operators that move elements without arithmetic, by their definitions: where each element of a result comes from, as
// coordinates. Values are plain, row by row. Nothing of walks/ is used, so that what is wrong there shows.
#pragma once

#include "../../graph/operators/pad.hpp"
#include "../../graph/operators/shape.hpp"
#include "coordinates.hpp"

namespace ctnn::ir::reference {

namespace detail {

/// Each element of the result is the one of the input that `from` makes of its coordinates.
template <class T, class F>
constexpr void gather(const basic_arguments<T>& a, F from) {
  const basic_tensor<const T>& x = a.in[0];
  T* const y = a.out[0].data;
  for_each_place(a.out[0].shape,
                 [&](const coordinates& at, std::int64_t place) { y[place] = x.data[place_of(x.shape, from(at))]; });
}

template <class T>
constexpr void copy(std::int64_t n, T* y, const T* x) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i];
}

}  // namespace detail

template <class T>
constexpr void run(const op::constant&, const basic_arguments<T>& a) {
  detail::copy(a.out[0].shape.count(), a.out[0].data, a.weights[0]);
}
template <class T>
constexpr void run(const op::full& p, const basic_arguments<T>& a) {
  const std::int64_t n = a.out[0].shape.count();
  for (std::int64_t i = 0; i < n; ++i) a.out[0].data[i] = static_cast<T>(p.value);
}
template <class T>
constexpr void run(const op::flatten&, const basic_arguments<T>& a) {
  detail::copy(a.out[0].shape.count(), a.out[0].data, a.in[0].data);
}
template <class T>
constexpr void run(const op::reshape&, const basic_arguments<T>& a) {
  detail::copy(a.out[0].shape.count(), a.out[0].data, a.in[0].data);
}

/// torch.permute: axis i of the result is axis order[i] of the input.
template <class T>
constexpr void run(const op::permute& p, const basic_arguments<T>& a) {
  detail::gather(a, [&](const detail::coordinates& at) {
    detail::coordinates from{};
    for (std::size_t i = 0; i < p.order.size(); ++i) from[static_cast<std::size_t>(p.order[i])] = at[i];
    return from;
  });
}

/// torch.nn.ChannelShuffle: channels as (groups, C / groups), transposed.
template <class T>
constexpr void run(const op::channel_shuffle& p, const basic_arguments<T>& a) {
  const auto c = static_cast<std::size_t>(a.in[0].shape.rank - 3);
  const int columns = a.in[0].shape[static_cast<int>(c)] / p.groups;
  detail::gather(a, [&](detail::coordinates at) {
    at[c] = at[c] % p.groups * columns + at[c] / p.groups;
    return at;
  });
}

/// torch.nn.PixelShuffle: channel (c, i, j) of a pixel is pixel (i, j) of a block of channel c.
template <class T>
constexpr void run(const op::pixel_shuffle& p, const basic_arguments<T>& a) {
  const auto c = static_cast<std::size_t>(a.in[0].shape.rank - 3);
  const int rows = p.factor[0], columns = p.factor[1];
  detail::gather(a, [&](detail::coordinates at) {
    at[c] = (at[c] * rows + at[c + 1] % rows) * columns + at[c + 2] % columns;
    at[c + 1] /= rows;
    at[c + 2] /= columns;
    return at;
  });
}

template <class T>
constexpr void run(const op::concat& p, const basic_arguments<T>& a) {
  const basic_tensor<T>& y = a.out[0];
  const auto axis = static_cast<std::size_t>(normal_axis(p.axis, y.shape.rank));
  int before = 0;
  for (const basic_tensor<const T>& x : a.in) {
    detail::for_each_place(x.shape, [&](detail::coordinates at, std::int64_t place) {
      at[axis] += before;
      y.data[detail::place_of(y.shape, at)] = x.data[place];
    });
    before += x.shape[static_cast<int>(axis)];
  }
}

template <class T>
constexpr void run(const op::split& p, const basic_arguments<T>& a) {
  const basic_tensor<const T>& x = a.in[0];
  const auto axis = static_cast<std::size_t>(normal_axis(p.axis, x.shape.rank));
  int before = 0;
  for (const basic_tensor<T>& y : a.out) {
    detail::for_each_place(y.shape, [&](detail::coordinates at, std::int64_t place) {
      at[axis] += before;
      y.data[place] = x.data[detail::place_of(x.shape, at)];
    });
    before += y.shape[static_cast<int>(axis)];
  }
}

template <class T>
constexpr void run(const op::pad& p, const basic_arguments<T>& a) {
  const basic_tensor<T>& y = a.out[0];
  const basic_tensor<const T>& x = a.in[0];
  const T filling = a.in.size() == 2 ? a.in[1].data[0] : static_cast<T>(static_cast<float>(p.value));
  detail::for_each_place(y.shape, [&](detail::coordinates at, std::int64_t place) {
    bool inside = true;
    for (int i = 0; i < y.shape.rank; ++i) {
      int& c = at[static_cast<std::size_t>(i)];
      const std::int64_t from = p.source(std::int64_t{c} - p.before[static_cast<std::size_t>(i)], x.shape[i]);
      inside = inside && from >= 0;
      c = static_cast<int>(from);
    }
    y.data[place] = inside ? x.data[detail::place_of(x.shape, at)] : filling;
  });
}

template <class T>
constexpr void run(const op::slice& p, const basic_arguments<T>& a) {
  const op::slice::walks taken = p.over(a.in[0].shape);
  detail::gather(a, [&](detail::coordinates at) {
    for (int i = 0; i < a.out[0].shape.rank; ++i) {
      const auto k = static_cast<std::size_t>(i);
      at[k] = static_cast<int>(taken[k].first + at[k] * taken[k].step);
    }
    return at;
  });
}

}  // namespace ctnn::ir::reference
