// SPDX-License-Identifier: BSL-1.0
// Whether an x86 processor adds four products of bytes to 32 bits in one instruction. Not in a target's namespace:
// there is one answer.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace ctnn::ir {

struct dot_products {
  bool avx512 = false;  ///< AVX512_VNNI, of vectors of any length
  bool avx = false;     ///< AVX-VNNI
};

inline dot_products dot_products_of_processor() {
  dot_products found;
#if defined(__x86_64__) && defined(__GNUC__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  // Of AVX-512 also what is shorter (VL), and that the system keeps its registers.
  unsigned kept = 0, high = 0, d1 = 0, a1 = 0, b1 = 0, c1 = 0;
  if (__get_cpuid(1, &a1, &b1, &c1, &d1) != 0 && (c1 >> 27 & 1u) != 0) asm("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
  found.avx512 = (c >> 11 & 1u) != 0 && (b >> 31 & 1u) != 0 && (kept & 0xE6u) == 0xE6u;
  if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) found.avx = (a >> 4 & 1u) != 0;
#endif
  return found;
}

/// Those that kernels use: the processor's. Tests and benchmarks do without.
inline dot_products& dot_products_in_use() {
  static dot_products d = dot_products_of_processor();
  return d;
}

}  // namespace ctnn::ir
