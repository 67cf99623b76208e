// SPDX-License-Identifier: BSL-1.0
// local_response_norm: either layout, any pitch. Vectors lie along what is contiguous, channels or pixels of a row;
// where that is the axis of the window as well, neighbours are unaligned loads.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_LOCAL_RESPONSE_INL_HPP)
#define CTNN_KERNELS_LOCAL_RESPONSE_INL_HPP
#define CTNN_KERNELS_LOCAL_RESPONSE_ENABLED
#endif
#elif defined(CTNN_KERNELS_LOCAL_RESPONSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_LOCAL_RESPONSE_INL_HPP
#undef CTNN_KERNELS_LOCAL_RESPONSE_INL_HPP
#else
#define CTNN_KERNELS_LOCAL_RESPONSE_INL_HPP
#endif
#define CTNN_KERNELS_LOCAL_RESPONSE_ENABLED
#endif

#if defined(CTNN_KERNELS_LOCAL_RESPONSE_ENABLED)
#undef CTNN_KERNELS_LOCAL_RESPONSE_ENABLED

#include "../../graph/operators/normalization.hpp"
#include "../simd/simd-inl.hpp"
#include "../tensor.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// x (k + factor sum)^-beta.
struct response {
  float k, factor, beta;

  explicit response(const op::local_response_norm& p) : k(p.k), factor(p.factor()), beta(p.beta) {}
  CTNN_INLINE vec operator()(vec x, vec sum) const {
    const vec base = mul_add(set(factor), sum, set(k));
    if (beta == 0.75f) {  // every network's
      const vec root = sqrt(base);
      return div(x, mul(root, sqrt(root)));
    }
    alignas(64) float part[lanes];
    store(base, part);
    for (float& v : part) v = math::pow(v, -beta);
    return mul(x, load(part));
  }
};

/// Members of a window around position `at` of [0, size): how many steps back the first lies, and how many there are.
struct members {
  int back, count;
};
template <int = 0>
CTNN_INLINE members members_at(const op::local_response_norm& p, int at, int size) {
  const int back = at < p.before() ? at : p.before(), ahead = size - 1 - at < p.after() ? size - 1 - at : p.after();
  return {back, back + 1 + ahead};
}

/// n neighbours whose windows have the same members: rows x columns of them, the first at x - begin.
template <int = 0>
CTNN_NOINLINE inline void respond_beside(const response& f, const float* x, float* y, int n, std::ptrdiff_t begin,
                                         int rows, std::ptrdiff_t row_step, int columns, std::ptrdiff_t column_step) {
  for (int i = 0; i < n; i += lanes) {
    vec sum = zero();
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const vec v = load_bounded(x - begin + r * row_step + c * column_step + i, n - i);
        sum = mul_add(v, v, sum);
      }
    store_bounded(f(load_bounded(x + i, n - i), sum), y + i, n - i);
  }
}

/// A line of n along which the windows lie, and `rows` such lines from x - begin on that count.
template <int = 0>
CTNN_NOINLINE inline void respond_along(const op::local_response_norm& p, const response& f, const float* x, float* y,
                                        int n, std::ptrdiff_t begin, int rows, std::ptrdiff_t row_step) {
  for (int i = 0; i < n; i += lanes) {
    const int here = n - i < lanes ? n - i : lanes;
    vec sum = zero();
    if (i >= p.before() && i + lanes + p.after() <= n) {
      for (int r = 0; r < rows; ++r)
        for (int k = -p.before(); k <= p.after(); ++k) {
          const vec v = loadu(x - begin + r * row_step + i + k);
          sum = mul_add(v, v, sum);
        }
    } else {
      alignas(64) float part[lanes] = {};
      for (int l = 0; l < here; ++l) {
        const members m = members_at(p, i + l, n);
        for (int r = 0; r < rows; ++r)
          for (int k = 0; k < m.count; ++k) {
            const float v = (x - begin)[r * row_step + i + l - m.back + k];
            part[l] += v * v;
          }
      }
      sum = load(part);
    }
    store_bounded(f(load_bounded(x + i, here), sum), y + i, here);
  }
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::local_response_norm& p, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const detail::response f(p);
  const int channels = x.shape.back(2), height = x.shape.back(1), width = x.shape.back(0);
  const int images = x.shape.rank == 4 ? x.shape[0] : 1, pixels = height * width;
  const bool planar = x.order == layout::nchw;
  const std::ptrdiff_t col = planar ? 1 : x.pitch, row = width * col, chan = planar ? pixels : 1;
  const std::ptrdiff_t y_col = planar ? 1 : y.pitch, y_row = width * y_col;
  for (int n = 0; n < images; ++n) {
    const float* from = x.data + n * (planar ? static_cast<std::ptrdiff_t>(channels) * pixels : height * row);
    float* to = y.data + n * (planar ? static_cast<std::ptrdiff_t>(channels) * pixels : height * y_row);
    if (!p.within && !planar) {
      for (int i = 0; i < pixels; ++i) detail::respond_along(p, f, from + i * col, to + i * y_col, channels, 0, 1, 0);
    } else if (!p.within) {
      for (int c = 0; c < channels; ++c) {
        const detail::members m = detail::members_at(p, c, channels);
        detail::respond_beside(f, from + c * chan, to + c * chan, pixels, m.back * chan, m.count, chan, 1, 0);
      }
    } else {
      for (int i = 0; i < height; ++i) {
        const detail::members r = detail::members_at(p, i, height);
        if (planar) {
          for (int c = 0; c < channels; ++c)
            detail::respond_along(p, f, from + c * chan + i * row, to + c * chan + i * row, width, r.back * row,
                                  r.count, row);
          continue;
        }
        for (int j = 0; j < width; ++j) {
          const detail::members q = detail::members_at(p, j, width);
          detail::respond_beside(f, from + i * row + j * col, to + i * y_row + j * y_col, channels,
                                 r.back * row + q.back * col, r.count, row, q.count, col);
        }
      }
    }
  }
}

CTNN_END_TARGET

#endif
