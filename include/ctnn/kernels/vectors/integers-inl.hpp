// SPDX-License-Identifier: BSL-1.0
// A target's kernels of whole numbers.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_INTEGERS_INL_HPP)
#define CTNN_KERNELS_INTEGERS_INL_HPP
#define CTNN_KERNELS_INTEGERS_ENABLED
#endif
#elif defined(CTNN_KERNELS_INTEGERS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_INTEGERS_INL_HPP
#undef CTNN_KERNELS_INTEGERS_INL_HPP
#else
#define CTNN_KERNELS_INTEGERS_INL_HPP
#endif
#define CTNN_KERNELS_INTEGERS_ENABLED
#endif

#if defined(CTNN_KERNELS_INTEGERS_ENABLED)
#undef CTNN_KERNELS_INTEGERS_ENABLED

#include "byte_movement-inl.hpp"
#include "byte_pairs-inl.hpp"
#include "byte_reals-inl.hpp"

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

/// The target's kernels of whole numbers.
template <int = 0>
inline integer_kernels integers_of_target() {
  return {&multiply_quads,    &finish_sums,   &quantize_floats,  &dequantize_bytes,
          &look_up_bytes,     &combine_bytes, &interleave_bytes, &take_every_byte,
          &take_byte_windows, &largest_bytes, &sum_of_bytes,     !has_dot_products()};
}

#else

template <int = 0>
inline integer_kernels integers_of_target() { return plainly::kernels; }

#endif

CTNN_END_TARGET

#endif
