// SPDX-License-Identifier: BSL-1.0
// pool and adaptive_pool, nhwc on both sides, any pitch; vectors run over channels, windows are clipped at edges.
// Of nchw, vectors run over neighbouring cells and windows of a row; global pooling is a reduction of rows. Pooling
// over other axes than two, and whatever else layouts() leaves row-major, is pooling_walk.hpp's and the reference's.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_POOLING_INL_HPP)
#define CTNN_KERNELS_POOLING_INL_HPP
#define CTNN_KERNELS_POOLING_ENABLED
#endif
#elif defined(CTNN_KERNELS_POOLING_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_POOLING_INL_HPP
#undef CTNN_KERNELS_POOLING_INL_HPP
#else
#define CTNN_KERNELS_POOLING_INL_HPP
#endif
#define CTNN_KERNELS_POOLING_ENABLED
#endif

#if defined(CTNN_KERNELS_POOLING_ENABLED)
#undef CTNN_KERNELS_POOLING_ENABLED

#include "../walks/pooling_walk.hpp"
#include "../reference/pooling.hpp"
#include "../simd/simd-inl.hpp"
#include "reduce-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct pool_max {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  static constexpr bool scales = false;
  CTNN_INLINE vec operator()(vec a, vec b) const { return max(a, b); }
};
struct pool_sum {
  static constexpr float start = 0;
  static constexpr bool scales = true;
  CTNN_INLINE vec operator()(vec a, vec b) const { return add(a, b); }
};

/// Part of an image: rows x columns pixels from `data` on.
struct pixel_window {
  const float* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;
  int rows;
  int columns;
};

/// What an average multiplies by. Padding may make more cells than an integer holds.
CTNN_INLINE float one_of(int rows, int columns) {
  const float cells = static_cast<float>(rows) * static_cast<float>(columns);
  return cells > 0 ? 1.0f / cells : 0.0f;
}

/// Vectors * lanes channels of one window.
template <class Function, int Vectors>
CTNN_INLINE void pool_vectors(const Function& f, const pixel_window& w, const float* x, vec factor, float* y) {
  vec result[Vectors];
  CTNN_UNROLL
  for (int v = 0; v < Vectors; ++v) result[v] = set(Function::start);
  for (int i = 0; i < w.rows; ++i) {
    const float* p = x + i * w.row_stride;
    for (int j = 0; j < w.columns; ++j, p += w.column_stride) {
      CTNN_UNROLL
      for (int v = 0; v < Vectors; ++v) result[v] = f(result[v], loadu(p + v * lanes));
    }
  }
  CTNN_UNROLL
  for (int v = 0; v < Vectors; ++v) storeu(mul(result[v], factor), y + v * lanes);
}

/// y[c] = f over the window, times `scale`.
template <class Function>
CTNN_NOINLINE void pool_window(const pixel_window& w, int channels, float scale, float* y) {
  const Function f;
  const vec factor = set(scale);
  int c = 0;
  for (; c + 4 * lanes <= channels; c += 4 * lanes) pool_vectors<Function, 4>(f, w, w.data + c, factor, y + c);
  for (; c + lanes <= channels; c += lanes) pool_vectors<Function, 1>(f, w, w.data + c, factor, y + c);
  if (lanes == 1 || c == channels) return;
  vec result = set(Function::start);
  for (int i = 0; i < w.rows; ++i)
    for (int j = 0; j < w.columns; ++j)
      result = f(result, load_part(w.data + i * w.row_stride + j * w.column_stride + c, channels - c));
  store_part(mul(result, factor), y + c, channels - c);
}

/// One window of fewer channels than a vector has lanes. From each of its pixels on a whole vector may be read, and one
/// be written from y on.
template <class Function>
CTNN_INLINE void pool_narrow(const pixel_window& w, float scale, float* y) {
  const Function f;
  vec result = set(Function::start);
  const float* row = w.data;
  for (int i = 0; i < w.rows; ++i, row += w.row_stride) {
    const float* p = row;
    for (int j = 0; j < w.columns; ++j, p += w.column_stride) result = f(result, loadu(p));
  }
  storeu(mul(result, set(scale)), y);
}

// The windows along one axis, for both operators.

struct fixed_windows {
  const op::pool& p;
  window_axis axis;
  CTNN_INLINE pooling_window operator()(int i) const { return pool_window_at(p, axis, i); }
};
struct adaptive_windows {
  int size, count;
  CTNN_INLINE pooling_window operator()(int i) const { return adaptive_window(size, count, i); }
};

/// The pixels of one row of windows, `pitch` numbers apart.
struct pixels_of_windows {
  const float* data;  ///< the first pixel of the first of their rows
  std::ptrdiff_t row;
  int pitch;
  const float* end;  ///< of all pixels: up to there may be read
};

/// A row of windows, as many as `width`, to pixels `to_pitch` apart; up to `to_end` may be written, what is written too
/// much is written again.
template <class Windows>
CTNN_INLINE void pool_row(op::pooling function, const pixels_of_windows& x, const pooling_window& r,
                          const Windows& columns, int channels, float* to, int to_pitch, int width,
                          const float* to_end) {
  const bool narrow = channels < lanes && to_pitch == channels;
  for (int j = 0; j < width; ++j, to += to_pitch) {
    const pooling_window q = columns(j);
    const pixel_window w{x.data + q.first * std::ptrdiff_t{x.pitch}, r.step * x.row, q.step * std::ptrdiff_t{x.pitch},
                         r.cells, q.cells};
    const float scale = function == op::pooling::max ? 1.0f : one_of(r.divisor, q.divisor);
    const bool whole = narrow && to_end - to >= lanes &&
                       x.end - w.data >= (w.rows - 1) * w.row_stride + (w.columns - 1) * w.column_stride + lanes;
    if (whole && function == op::pooling::max) pool_narrow<pool_max>(w, scale, to);
    else if (whole) pool_narrow<pool_sum>(w, scale, to);
    else if (function == op::pooling::max) pool_window<pool_max>(w, channels, scale, to);
    else pool_window<pool_sum>(w, channels, scale, to);
  }
}

template <class Windows>
CTNN_INLINE void pool(op::pooling function, const const_tensor& x, const tensor& y, const Windows& rows,
                      const Windows& columns, const work_share& share) {
  const int images = x.shape.rank == 4 ? x.shape[0] : 1, channels = x.shape.back(2), width = y.shape.back(0);
  const std::ptrdiff_t row = std::ptrdiff_t{x.pitch} * x.shape.back(0), image = row * x.shape.back(1);
  const int height = y.shape.back(1);
  const index_range part = share_of(share, std::ptrdiff_t{images} * height);  // rows of all images
  const std::ptrdiff_t to_row = std::ptrdiff_t{width} * y.pitch;
  const float* const end = x.data + images * image - (x.pitch - channels);
  for (int n = 0; n < images; ++n) {
    const rows_of_image own(part, n, height);
    for (int i = own.begin; i < own.end; ++i) {
      const pooling_window r = rows(i);
      pool_row(function, {x.data + n * image + r.first * row, row, x.pitch, end}, r, columns, channels,
               y.data + (std::ptrdiff_t{n} * height + i) * to_row, y.pitch, width, y.data + part.end * to_row);
    }
  }
}

}  // namespace detail

namespace detail {

/// y[i] = f over x[i + k stride] for k < count.
template <class Function>
CTNN_INLINE void take_lines(int count, const float* x, std::ptrdiff_t stride, int n, float* y) {
  const Function f;
  for (int i = 0; i < n; i += lanes) {
    if (n >= lanes && i > n - lanes) i = n - lanes;  // some of them once more
    vec result = set(Function::start);
    const auto take = [&](int k) { result = f(result, load_bounded(x + i + k * stride, n - i)); };
    if (count == 3) {  // as most windows have: no branch a cell
      take(0);
      take(1);
      take(2);
    } else {
      for (int k = 0; k < count; ++k) take(k);
    }
    store_bounded(result, y + i, n - i);
  }
}

/// Windows of a line of cells, `Stride` apart; up to 2 * lanes more cells may be read.
template <class Function, int Stride>
CTNN_INLINE void pool_line(int n, const window_axis& along, const float* line, const float* scales, float* y) {
  const Function f;
  const int taps = along.taps;
  for (int j = 0; j < n; j += lanes) {
    vec result = set(Function::start);
    const float* x = line + j * Stride;
    int k = 0;
    if constexpr (Stride == 2 && lanes > 1)
      for (; k + 2 <= taps && along.dilation == 1; k += 2, x += 2) {
        const vec a = loadu(x), b = loadu(x + lanes);
        result = f(f(result, even_lanes(a, b)), odd_lanes(a, b));
      }
    const auto take = [&](const float* at) {
      result = f(result, Stride == 1 ? loadu(at) : even_lanes(loadu(at), loadu(at + lanes)));
    };
    if (Stride == 1 && taps == 3) {
      take(x);
      take(x + along.dilation);
      take(x + 2 * along.dilation);
    } else {
      for (; k < taps; ++k, x += along.dilation) take(x);
    }
    if constexpr (Function::scales) result = mul(result, loadu(scales + j));
    store_bounded(result, y + j, n - j);
  }
}

/// Windows in nchw: of each row of windows the lines are taken together, then the cells of the line that they make,
/// which padding lengthens.
template <class Function>
CTNN_NOINLINE void pool_lines(const op::pool& p, const arguments& a) {
  constexpr int some = lanes > 1 ? 4 : 1;      // lines at a time: then no load waits for what was stored just before
  constexpr int most = lanes > 1 ? 1024 : 64;  // cells of them all
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  const int height = y.back(1), width = y.back(0);
  const window_axis down = p.along(0, x.back(1)), along = p.along(1, x.back(0));
  if (along.span() > most / 2) return pool_planes<float>(p, a);
  const std::ptrdiff_t row = x.back(0), plane = row * x.back(1);
  const index_range part = share_of(a.share, static_cast<std::ptrdiff_t>(y.count() / width));
  const int at_a_time = along.span() > most / some / 2 ? 1 : some, pitch = most / at_a_time + 2 * lanes;
  const int at_once = (most / at_a_time - static_cast<int>(along.span())) / along.stride + 1;
  float lines[most + some * 2 * lanes];
  float columns[Function::scales && lanes > 1 ? most + lanes : 1];  // cells of a window's row
  float scales[Function::scales ? most + lanes : 1];
  for (int first = 0; first < width; first += at_once) {
    const int n = width - first < at_once ? width - first : at_once, start = first * along.stride - along.before;
    const int cells = (n - 1) * along.stride + static_cast<int>(along.span());
    const int begin = start > 0 ? start : 0, end = start + cells < along.size ? start + cells : along.size;
    for (int k = 0; k < at_a_time; ++k)
      for (int i = 0; i < cells + 2 * lanes; ++i) lines[k * pitch + i] = Function::start;
    const auto cells_of = [&](int j) { return static_cast<float>(pool_window_at(p, along, first + j).divisor); };
    for (int j = 0; j < n + lanes && Function::scales && lanes > 1; ++j) columns[j] = j < n ? cells_of(j) : 1.0f;
    int scaled = -1;  // rows of the windows that `scales` are of
    const float* x_plane = a.in[0].data + part.begin / height * plane;
    int y_row = static_cast<int>(part.begin % height);
    for (std::ptrdiff_t r = part.begin; r < part.end;) {
      int divisors[some], taken = 0;
      for (; taken < at_a_time && r + taken < part.end; ++taken) {
        const pooling_window rows = pool_window_at(p, down, y_row);
        divisors[taken] = rows.divisor;
        take_lines<Function>(rows.cells, x_plane + rows.first * row + begin, rows.step * row, end - begin,
                             lines + taken * pitch + (begin - start));
        if (++y_row < height) continue;
        y_row = 0;
        x_plane += plane;
      }
      for (int k = 0; k < taken; ++k, ++r) {
        if (Function::scales && divisors[k] != scaled) {
          scaled = divisors[k];
          const vec tall = set(static_cast<float>(scaled));
          for (int j = 0; j < n; j += lanes) {
            const vec all = mul(tall, lanes > 1 ? loadu(columns + j) : set(cells_of(j)));
            storeu(select(less(zero(), all), div(set(1.0f), all), zero()), scales + j);
          }
        }
        const float* const line = lines + k * pitch;
        float* const to = a.out[0].data + r * width + first;
        if (along.stride == 1) pool_line<Function, 1>(n, along, line, scales, to);
        else pool_line<Function, 2>(n, along, line, scales, to);
      }
    }
  }
}

/// y[i] = f over the whole plane i, times `scale`.
template <class How>
CTNN_NOINLINE void pool_whole_planes(const float* x, std::ptrdiff_t n, float scale, float* y, index_range planes,
                                     const How& how) {
  for (std::ptrdiff_t i = planes.begin; i < planes.end; ++i) {
    four_totals<How> totals;
    totals.add_row(x + i * n, 1, n, how);
    y[i] = How::whole(totals.whole()) * scale;
  }
}

template <layout Order>
CTNN_INLINE void pool_image(const op::pool& p, const arguments& a) {
  if constexpr (Order == layout::nchw) {
    if (!p.takes_rows(a.in[0].shape) || a.out[0].shape.count() == 0) return pool_planes<float>(p, a);
    if (p.function == op::pooling::max) detail::pool_lines<detail::pool_max>(p, a);
    else detail::pool_lines<detail::pool_sum>(p, a);
  } else {
    const extents& x = a.in[0].shape;
    detail::pool(p.function, a.in[0], a.out[0], detail::fixed_windows{p, p.along(0, x.back(1))},
                 detail::fixed_windows{p, p.along(1, x.back(0))}, a.share);
  }
}
template <layout Order>
CTNN_INLINE void pool_image(const op::adaptive_pool& p, const arguments& a) {
  if constexpr (Order == layout::nchw) {
    if (p.is_global()) {
      const const_tensor& x = a.in[0];
      const auto n = static_cast<std::ptrdiff_t>(x.shape.count(x.shape.rank - p.axes, x.shape.rank));
      const index_range planes =
          share_of(a.share, static_cast<std::ptrdiff_t>(x.shape.count(0, x.shape.rank - p.axes)));
      if (p.function == op::pooling::max)
        return detail::pool_whole_planes(x.data, n, 1, a.out[0].data, planes, detail::largest{});
      return detail::pool_whole_planes(x.data, n, 1 / static_cast<float>(n), a.out[0].data, planes,
                                       detail::adding_values{});
    }
    if (a.share.index == 0) reference::run(p, a);
  } else {
    const extents& x = a.in[0].shape;
    tensor y = a.out[0];
    if (p.flatten) {                                // (C) or (N, C) lies as (C, 1, 1) or (N, C, 1, 1) does in nhwc
      y = {y.data, x, layout::nhwc, x.back(2)};
      y.shape.back(1) = y.shape.back(0) = 1;
    }
    detail::pool(p.function, a.in[0], y, detail::adaptive_windows{x.back(1), y.shape.back(1)},
                 detail::adaptive_windows{x.back(0), y.shape.back(0)}, a.share);
  }
}

}  // namespace detail

/// In a network of known layouts, which has but one of two ways. Signals are images of one row.
template <layout Order, op::pooling_of_windows Op>
CTNN_INLINE void run_in_order(const Op& p, const arguments& a) {
  constexpr layout order = Order == layout::nchw ? layout::nchw : layout::nhwc;
  if (!p.of_signals()) return detail::pool_image<order>(p, a);
  const image_arguments image(a);
  detail::pool_image<order>(as_image(p), image.all);
}

template <op::pooling_of_windows Op>
CTNN_INLINE void run(const Op& p, const arguments& a) {
  if (a.in[0].order == layout::nchw) run_in_order<layout::nchw>(p, a);
  else run_in_order<layout::nhwc>(p, a);
}

CTNN_END_TARGET

#endif
