// SPDX-License-Identifier: BSL-1.0
// What compilers are told about functions.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define CTNN_INLINE inline __attribute__((always_inline))
#define CTNN_NOINLINE __attribute__((noinline))
#define CTNN_RESTRICT __restrict__
#else
#define CTNN_INLINE inline
#define CTNN_NOINLINE
#define CTNN_RESTRICT
#endif

/// Around plain kernels: at -Os constants would not reach them, and at -Og nothing would stay in registers, ten times
/// the instructions. Firmware is built at either, so GCC optimises these functions as at -O2. (Clang has no such
/// pragma.)
#if defined(__GNUC__) && !defined(__clang__) && (defined(__OPTIMIZE_SIZE__) || defined(__OPTIMIZE__))
#define CTNN_BEGIN_FAST_CODE _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\")")
#define CTNN_END_FAST_CODE _Pragma("GCC pop_options")
#else
#define CTNN_BEGIN_FAST_CODE
#define CTNN_END_FAST_CODE
#endif
