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
