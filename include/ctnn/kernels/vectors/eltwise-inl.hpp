// SPDX-License-Identifier: BSL-1.0
// Product, weighted sum or maximum of several inputs, then an activation, block by block in the first-level cache.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_ELTWISE_INL_HPP)
#define CTNN_KERNELS_ELTWISE_INL_HPP
#define CTNN_KERNELS_ELTWISE_ENABLED
#endif
#elif defined(CTNN_KERNELS_ELTWISE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_ELTWISE_INL_HPP
#undef CTNN_KERNELS_ELTWISE_INL_HPP
#else
#define CTNN_KERNELS_ELTWISE_INL_HPP
#endif
#define CTNN_KERNELS_ELTWISE_ENABLED
#endif

#if defined(CTNN_KERNELS_ELTWISE_ENABLED)
#undef CTNN_KERNELS_ELTWISE_ENABLED

#include "../../graph/operators/elementwise.hpp"
#include "binary-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// y = p a + q b
template <int = 0>
CTNN_NOINLINE inline void weighted_row(std::ptrdiff_t n, float p, const float* a, float q, const float* b, float* y) {
  const vec wp = set(p), wq = set(q);
  for (std::ptrdiff_t i = 0; i < n; i += lanes) {
    const int rest = n - i < lanes ? static_cast<int>(n - i) : lanes;
    store_bounded(mul_add(wp, load_bounded(a + i, rest), mul(wq, load_bounded(b + i, rest))), y + i, rest);
  }
}

struct eltwise_part {
  const op::eltwise& p;
  const arguments& g;
  std::ptrdiff_t row, first;  ///< where the part begins: a row, a number of it
  float* y;

  CTNN_INLINE void operator()(std::ptrdiff_t i, std::ptrdiff_t n) const {
    using enum op::eltwise_function;
    const auto weight = [this](std::size_t k) { return p.coefficients.empty() ? 1.0f : p.coefficients[k]; };
    const bool weighted = p.function == op::eltwise_function::sum && !p.coefficients.empty();
    const op::binary_function f = p.function == prod              ? op::binary_function::mul
                                  : p.function == op::eltwise_function::max ? op::binary_function::maximum
                                                                  : op::binary_function::add;
    const float* so_far = input(0) + i;
    for (std::size_t k = 1; k < g.in.size(); ++k) {
      const float* next = input(k) + i;
      if (weighted) weighted_row(n, k == 1 ? weight(0) : 1.0f, so_far, weight(k), next, y + i);
      else combine<false>(f, n, so_far, next, y + i);
      so_far = y + i;
    }
  }
  CTNN_INLINE const float* input(std::size_t k) const { return g.in[k].data + row * row_stride(g.in[k]) + first; }
};

}  // namespace detail

/// Product, weighted sum or maximum of inputs of one shape and layout; y may be the first of them.
template <int = 0>
CTNN_INLINE void run(const op::eltwise& p, const arguments& g) {
  const tensor& y = g.out[0];
  bool dense = true;
  for (const const_tensor& x : g.in) dense = dense && rows_of(y, x).rows == 1;
  const int channels = y.order == layout::nchw ? 1 : y.channels();
  const auto count = static_cast<std::ptrdiff_t>(y.shape.count());
  const row_geometry r = dense ? row_geometry{1, count} : row_geometry{count / channels, channels};
  if (r.rows == 1) {
    const index_range part = share_of(g.share, r.length, row_granule);
    float* row = y.data + part.begin;
    return detail::in_blocks(p.activation, part.size(), row, detail::eltwise_part{p, g, 0, part.begin, row});
  }
  const index_range part = share_of(g.share, r.rows);
  for (std::ptrdiff_t i = part.begin; i < part.end; ++i) {
    float* row = y.data + i * row_stride(y);
    detail::in_blocks(p.activation, r.length, row, detail::eltwise_part{p, g, i, 0, row});
  }
}

CTNN_END_TARGET

#endif
