// SPDX-License-Identifier: BSL-1.0
// Numbers that are nearly zero cost many processors a hundred times the time of others: signals that fade away are full
// of them.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ctnn::ir {

/// While it lives, the thread's floats too small for their exponent count as zeros, as results and as operands; where
/// the processor has no such mode, nothing changes.
class denormals_are_zeros {
 public:
  explicit denormals_are_zeros([[maybe_unused]] bool wanted) {
#if defined(__SSE2__)
    before_ = _mm_getcsr();
    if (wanted) _mm_setcsr(before_ | 0x8040);  // flush to zero, denormals are zeros
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    if (wanted) asm volatile("msr fpcr, %0" : : "r"(before_ | std::uint64_t{1} << 24));
#endif
  }
  ~denormals_are_zeros() {
#if defined(__SSE2__)
    _mm_setcsr(before_);
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    asm volatile("msr fpcr, %0" : : "r"(before_));
#endif
  }
  denormals_are_zeros(const denormals_are_zeros&) = delete;
  denormals_are_zeros& operator=(const denormals_are_zeros&) = delete;

 private:
#if defined(__SSE2__)
  std::uint32_t before_;
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
  std::uint64_t before_;
#endif
};

}  // namespace ctnn::ir
