// SPDX-License-Identifier: BSL-1.0
// Element-wise work as rows of contiguous floats: one for a value without gaps, one a pixel where the pitch leaves
// gaps.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_ROWS_INL_HPP)
#define CTNN_KERNELS_ROWS_INL_HPP
#define CTNN_KERNELS_ROWS_ENABLED
#endif
#elif defined(CTNN_KERNELS_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_ROWS_INL_HPP
#undef CTNN_KERNELS_ROWS_INL_HPP
#else
#define CTNN_KERNELS_ROWS_INL_HPP
#endif
#define CTNN_KERNELS_ROWS_ENABLED
#endif

#if defined(CTNN_KERNELS_ROWS_ENABLED)
#undef CTNN_KERNELS_ROWS_ENABLED

#include "../share.hpp"
#include "simd-inl.hpp"
#include "../tensor.hpp"

CTNN_BEGIN_TARGET

/// Rows of `length` contiguous floats; a stride for each operand.
struct row_geometry {
  std::ptrdiff_t rows;
  std::ptrdiff_t length;
};

/// The rows all of these tensors (of one shape and layout) have in common: one, if none has gaps.
template <class... Tensors>
CTNN_INLINE row_geometry rows_of(const basic_tensor<float>& y, const Tensors&... x) {
  const auto count = static_cast<std::ptrdiff_t>(y.shape.count());
  if (y.order == layout::nchw) return {1, count};
  const int channels = y.channels();
  const bool dense = y.pitch == channels && ((x.pitch == channels) && ...);
  if (dense) return {1, count};
  return {count / channels, channels};
}
/// From one row to the next; any number where there is one row.
template <class T>
CTNN_INLINE std::ptrdiff_t row_stride(const basic_tensor<T>& t) {
  return t.order == layout::nchw ? 0 : t.pitch;
}

/// y = f(x), f a functor of vectors declared in the target's namespace. y may be x.
template <class Function>
CTNN_NOINLINE void map_row(const Function& f, std::ptrdiff_t n, const float* x, float* y) {
  std::ptrdiff_t i = 0;
  for (; lanes > 1 && i + 2 * lanes <= n; i += 2 * lanes) {  // plain floats: small code
    const vec a = f(loadu(x + i)), b = f(loadu(x + i + lanes));
    storeu(a, y + i);
    storeu(b, y + i + lanes);
  }
  for (; i < n; i += lanes) {
    const int rest = n - i < lanes ? static_cast<int>(n - i) : lanes;
    store_bounded(f(load_bounded(x + i, rest)), y + i, rest);
  }
}

/// Numbers of a row that a share takes at a time: whole vectors, as the row alone would.
constexpr std::ptrdiff_t row_granule = 1024;

template <class Function>
CTNN_INLINE void map_rows(const Function& f, const tensor& y, const const_tensor& x, const work_share& share) {
  const row_geometry g = rows_of(y, x);
  if (g.rows == 1) {
    const index_range part = share_of(share, g.length, row_granule);
    return map_row(f, part.size(), x.data + part.begin, y.data + part.begin);
  }
  const index_range part = share_of(share, g.rows);
  const std::ptrdiff_t dx = row_stride(x), dy = row_stride(y);
  for (std::ptrdiff_t r = part.begin; r < part.end; ++r) map_row(f, g.length, x.data + r * dx, y.data + r * dy);
}

namespace detail {

struct activate_in_place {
  std::ptrdiff_t n;
  float* y;
  template <class Activation>
  CTNN_INLINE void operator()(const Activation& f) const {
    map_row(f, n, y, y);
  }
};

/// Not inlined where functions are known at run time only: a switch in the loops of its callers would make the compiler
/// copy them for each case. Firmware knows them, and must not link the others.
template <int = 0>
#if defined(CTNN_PLAIN)
CTNN_INLINE
#else
CTNN_NOINLINE inline
#endif
void activate_row(const activation_function& f, std::ptrdiff_t n, float* y) {
  with_activation(f, activate_in_place{n, y});
}

/// What a kernel computes at a time before the activation passes over it: stays in the first-level cache.
constexpr std::ptrdiff_t row_block = 1024;

}  // namespace detail

CTNN_END_TARGET

#endif
