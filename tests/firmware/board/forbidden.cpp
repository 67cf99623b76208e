// SPDX-License-Identifier: BSL-1.0
// Links everything that firmware must not have: ../run checks that its symbol check finds each kind.
#include <cstdio>
#include <cstdlib>

#include "board.hpp"

extern "C" void _Unwind_Resume(void*);
#if defined(__riscv)
#undef stdout
extern FILE* const stdout;
FILE* const stdout = nullptr;  // the C library there asks the program for one
#endif

struct constructed {
  volatile int number;
  constructed() : number(1) {}
} object;

int main() {
  volatile double x = 1.5;
  x = x * x + 1.0;
  if (x < 0) _Unwind_Resume(nullptr);
  void* p = std::malloc(static_cast<unsigned>(x));
  std::printf("%p\n", p);
  return 0;
}
