// SPDX-License-Identifier: BSL-1.0
// Functions of one number, element by element, either layout, any pitch, in place if wanted.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_ELEMENTWISE_INL_HPP)
#define CTNN_KERNELS_ELEMENTWISE_INL_HPP
#define CTNN_KERNELS_ELEMENTWISE_ENABLED
#endif
#elif defined(CTNN_KERNELS_ELEMENTWISE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_ELEMENTWISE_INL_HPP
#undef CTNN_KERNELS_ELEMENTWISE_INL_HPP
#else
#define CTNN_KERNELS_ELEMENTWISE_INL_HPP
#endif
#define CTNN_KERNELS_ELEMENTWISE_ENABLED
#endif

#if defined(CTNN_KERNELS_ELEMENTWISE_ENABLED)
#undef CTNN_KERNELS_ELEMENTWISE_ENABLED

#include "../../graph/operators/elementwise.hpp"
#include "../simd/rows-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct map_activation {
  const tensor& y;
  const const_tensor& x;
  const work_share& share;
  template <class Activation>
  CTNN_INLINE void operator()(const Activation& f) const {
    map_rows(f, y, x, share);
  }
};

struct multiply_by {
  float factor;
  CTNN_INLINE vec operator()(vec x) const { return mul(x, set(factor)); }
};

struct same {
  CTNN_INLINE vec operator()(vec x) const { return x; }
};

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::activation& p, const arguments& a) {
  with_function(p.activation, detail::map_activation{a.out[0], a.in[0], a.share});
}

template <int = 0>
CTNN_INLINE void run(const op::dropout& p, const arguments& a) {
  map_rows(detail::multiply_by{p.scale}, a.out[0], a.in[0], a.share);
}

template <int = 0>
CTNN_INLINE void run(const op::identity&, const arguments& a) {
  if (a.out[0].data != a.in[0].data) map_rows(detail::same{}, a.out[0], a.in[0], a.share);
}

CTNN_END_TARGET

#endif
