// SPDX-License-Identifier: BSL-1.0
// What ctnn needs of a compiler, said in one line before anything else goes wrong, and what only some compilers have.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "ctnn needs C++20: -std=c++20 or later (/std:c++20 with MSVC)"
#elif defined(__clang__) && defined(__apple_build_version__)
#if __clang_major__ < 15
#error "ctnn needs Apple Clang 15 or newer"
#endif
#elif defined(__clang__)
#if __clang_major__ < 14
#error "ctnn needs Clang 14 or newer"
#endif
#elif defined(__GNUC__)
#if __GNUC__ < 12
#error "ctnn needs GCC 12 or newer"
#endif
#elif defined(_MSC_VER) && _MSC_VER < 1936
#error "ctnn needs Visual Studio 2022 17.6 or newer"
#endif

/// std::is_constant_evaluated, which is true at run time, too, with Clang 14 and -std=c++2b (its `if consteval`).
#define CTNN_IN_CONSTANT() __builtin_is_constant_evaluated()

#if defined(__GNUC__) || defined(__clang__)
#define CTNN_INLINE inline __attribute__((always_inline))
#define CTNN_NOINLINE __attribute__((noinline))
#define CTNN_RESTRICT __restrict__
/// Ends the program where nothing is left to say.
#define CTNN_TRAP() __builtin_trap()
/// The name of a function with its template arguments.
#define CTNN_FUNCTION __PRETTY_FUNCTION__
/// Soon this is read, and not from the nearest cache.
#define CTNN_PREFETCH(address) __builtin_prefetch(address, 0, 2)
/// A loop waits here for another thread.
#if defined(__x86_64__) || defined(__i386__)
#define CTNN_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__) || defined(__arm__)
#define CTNN_PAUSE() asm volatile("yield")
#else
#define CTNN_PAUSE() static_cast<void>(0)
#endif
/// Nothing, but the compiler no longer knows where `value` came from.
#define CTNN_FORGET(constraint, value) asm("" : constraint(value))
#elif defined(_MSC_VER)
#include <intrin.h>
#define CTNN_INLINE __forceinline
#define CTNN_NOINLINE __declspec(noinline)
#define CTNN_RESTRICT __restrict
#define CTNN_TRAP() __fastfail(7)
#define CTNN_FUNCTION __FUNCSIG__
#define CTNN_PREFETCH(address) static_cast<void>(address)
#define CTNN_FORGET(constraint, value) static_cast<void>(value)
#if defined(_M_ARM64)
#define CTNN_PAUSE() __yield()
#else
#define CTNN_PAUSE() _mm_pause()
#endif
#else
#error "ctnn knows GCC, Clang and MSVC"
#endif

/// Before a declaration of weights: where the linker puts them, as in -DCTNN_WEIGHTS_SECTION='".qspi"'.
#if defined(CTNN_WEIGHTS_SECTION)
#define CTNN_WEIGHTS [[gnu::section(CTNN_WEIGHTS_SECTION)]]
#else
#define CTNN_WEIGHTS
#endif

/// Around loops over as many elements as a tensor has: at -O2 GCC makes vectors of loops whose counts it knows alone.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define CTNN_BEGIN_LOOPS _Pragma("GCC push_options") _Pragma("GCC optimize(\"vect-cost-model=dynamic\")")
#define CTNN_END_LOOPS _Pragma("GCC pop_options")
#else
#define CTNN_BEGIN_LOOPS
#define CTNN_END_LOOPS
#endif

/// Around kernels that GCC optimises as at -O2 whatever the rest is (Clang has no such pragma). Plain ones: at -Os
/// constants would not reach them, and at -Og nothing would stay in registers, ten times the instructions; firmware is
/// built at either. Those of vectors: at -O0 each vector would be a call, forty to eighty times the time.
/// CTNN_DEBUG_KERNELS leaves them as they are.
#if defined(__GNUC__) && !defined(__clang__) && !defined(CTNN_DEBUG_KERNELS) && \
    defined(CTNN_PLAIN) == defined(__OPTIMIZE__)
#define CTNN_FAST_CODE 1
#if defined(__ARM_FEATURE_MVE)  // sums of plain floats become vectors there and no longer fit the registers
#define CTNN_BEGIN_FAST_CODE _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\", \"no-tree-vectorize\")")
#else
#define CTNN_BEGIN_FAST_CODE _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\")")
#endif
#define CTNN_END_FAST_CODE _Pragma("GCC pop_options")
/// Before a function of plain kernels that only drives those where the time goes: small.
#define CTNN_SMALL __attribute__((optimize("Os")))
#else
#define CTNN_FAST_CODE 0
#define CTNN_BEGIN_FAST_CODE
#define CTNN_END_FAST_CODE
#define CTNN_SMALL
#endif

/// Around all that firmware includes: what kernels ask is worked out by the compiler only if it is optimised as they
/// are, and -Og leaves half as much code again. -Os does it as well, in less.
#if CTNN_FAST_CODE && defined(CTNN_PLAIN) && !defined(__OPTIMIZE_SIZE__)
#define CTNN_BEGIN_FIRMWARE CTNN_BEGIN_FAST_CODE
#define CTNN_END_FIRMWARE CTNN_END_FAST_CODE
#else
#define CTNN_BEGIN_FIRMWARE
#define CTNN_END_FIRMWARE
#endif
