// SPDX-License-Identifier: BSL-1.0
// Which instruction sets the kernels are compiled for, and the macros of a target's namespace. The one place that
// configures Highway (written for 1.0.3); include it, or any ctnn header, before <hwy/...>.
//
// CTNN_PLAIN (firmware): no Highway at all. The vocabulary of simd-inl.hpp is plain floats, in namespace ctnn::plain.
// Otherwise the targets are AVX-512 (AVX3), AVX2, SSE4, NEON and a fallback (SCALAR or EMU128: plain floats, too).
//
// Traps, all met in practice:
//  * -march=native on a CPU with AVX3_DL is an #error unless AVX3_DL is wanted or disabled: it is disabled here.
//  * -march=haswell or x86-64-v3 lack AES and CLMUL, which Highway wants of SSE4 and AVX2; ctnn uses neither, hence
//    HWY_DISABLE_PCLMUL_AES. There is no SSE2 target: without -m flags the static target is the fallback.
//  * GCC before 12.3 has no EMU128, Clang no SCALAR unless asked: both count as the fallback.
//  * Cortex-M7 and armhf with half floats need -mfp16-format=ieee, if they use Highway and not CTNN_PLAIN.
//  * hwy/foreach_target.h works once in a translation unit and finds HWY_TARGET_INCLUDE through the include path.
//  * Only dynamic dispatch needs libhwy; static dispatch (HWY_COMPILE_ONLY_STATIC) links nothing.
//  * No standard header and no variable that is not constexpr may stand between the namespace macros. Lambdas there
//    do not inherit the target: use named functors.
//  * Translation units with different -m flags must not share these headers' inline functions (one definition rule).
#pragma once

#include "../base/compiler.hpp"

#if !defined(CTNN_PLAIN)
#if defined(HWY_TARGETS)
#error "include <ctnn/...> before <hwy/...>: ctnn chooses the targets"
#endif
#if !defined(HWY_DISABLED_TARGETS)
#define HWY_DISABLED_TARGETS                                                                                          \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_WASM_EMU256 | HWY_RVV | HWY_PPC8 | \
   CTNN_NEWER_TARGETS)
#endif
// Targets that Highway 1.0.3 does not know, by their bits, as it has no names for them: AVX10_2, AVX3_SPR, AVX3_ZEN4,
// SSE2, NEON_BF16 (1.0.3: SVE2), LASX and LSX, PPC10 and PPC9, Z15 and Z14. What they have beyond AVX3, NEON and the
// fallback, ctnn's kernels have no use for, or nobody tests.
#define CTNN_NEWER_TARGETS                                                                                  \
  (1LL << 3 | 1LL << 4 | 1LL << 6 | 1LL << 14 | 1LL << 26 | 1LL << 40 | 1LL << 41 | 1LL << 47 | 1LL << 48 | \
   1LL << 50 | 1LL << 51)
#if !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#if CTNN_FAST_CODE && !defined(CTNN_COMPILED_KERNELS)
// Highway makes its functions part of their callers only where all code is optimised. Here kernels are, and what they
// call: first its base, then by HWY_INLINE all that its other headers have.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <atomic>
#if !defined(HWY_IS_DEBUG_BUILD)
#define HWY_IS_DEBUG_BUILD 0
#endif
CTNN_BEGIN_FAST_CODE
#include <hwy/base.h>
CTNN_END_FAST_CODE
#undef HWY_INLINE
#define HWY_INLINE CTNN_INLINE
#endif
#endif

/// Around a target's code, at namespace scope, after simd-inl.hpp or <hwy/highway.h>.
#if defined(CTNN_PLAIN)
#define CTNN_TARGET_NAMESPACE plain
#define CTNN_BEGIN_TARGET \
  CTNN_BEGIN_FAST_CODE    \
  namespace ctnn::ir {    \
  namespace plain {
#define CTNN_END_TARGET \
  }                     \
  }                     \
  CTNN_END_FAST_CODE
#else
#define CTNN_TARGET_NAMESPACE HWY_NAMESPACE
#define CTNN_BEGIN_TARGET \
  HWY_BEFORE_NAMESPACE(); \
  CTNN_BEGIN_FAST_CODE    \
  namespace ctnn::ir {    \
  namespace HWY_NAMESPACE {
#define CTNN_END_TARGET \
  }                     \
  }                     \
  CTNN_END_FAST_CODE    \
  HWY_AFTER_NAMESPACE();
#endif

/// Before a loop of constant length over registers: arrays of vectors stay in registers only if it is unrolled.
#if defined(__clang__)
#define CTNN_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define CTNN_UNROLL _Pragma("GCC unroll 32")
#else
#define CTNN_UNROLL
#endif

/// Everything that depends on channel_block is declared in this inline namespace: firmware code can be tested in a
/// program that holds hosted code, too.
#if defined(CTNN_PLAIN)
#define CTNN_PACKING blocks_of_4
#else
#define CTNN_PACKING blocks_of_16
#endif

namespace ctnn::ir {
inline namespace CTNN_PACKING {

/// Output channels (rows of a matrix) that packed weights keep side by side: a multiple of every target's lanes.
#if defined(CTNN_PLAIN)
inline constexpr int channel_block = 4;
#else
inline constexpr int channel_block = 16;
#endif

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
