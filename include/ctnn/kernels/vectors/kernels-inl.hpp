// SPDX-License-Identifier: BSL-1.0
// Every kernel of the current target: run(op, arguments) for each operator.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_KERNELS_INL_HPP)
#define CTNN_KERNELS_KERNELS_INL_HPP
#define CTNN_KERNELS_KERNELS_ENABLED
#endif
#elif defined(CTNN_KERNELS_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_KERNELS_INL_HPP
#undef CTNN_KERNELS_KERNELS_INL_HPP
#else
#define CTNN_KERNELS_KERNELS_INL_HPP
#endif
#define CTNN_KERNELS_KERNELS_ENABLED
#endif

#if defined(CTNN_KERNELS_KERNELS_ENABLED)
#undef CTNN_KERNELS_KERNELS_ENABLED

#include "attention-inl.hpp"
#include "binary-inl.hpp"
#include "cast-inl.hpp"
#include "conv2d-inl.hpp"
#include "conv3d-inl.hpp"
#include "conv_transpose2d-inl.hpp"
#include "depthwise-inl.hpp"
#include "elementwise-inl.hpp"
#include "eltwise-inl.hpp"
#include "interpolate-inl.hpp"
#include "layer_norm-inl.hpp"
#include "linear-inl.hpp"
#include "local_response-inl.hpp"
#include "matmul-inl.hpp"
#include "movement-inl.hpp"
#include "normalization-inl.hpp"
#include "pooling-inl.hpp"
#include "recurrent-inl.hpp"
#include "reduce-inl.hpp"
#include "softmax-inl.hpp"
#include "statistics-inl.hpp"
#if !defined(CTNN_PLAIN)
#include "cascade-inl.hpp"
#include "winograd-inl.hpp"
#endif

#endif
