// SPDX-License-Identifier: BSL-1.0
// From reset to main() on a 32-bit RISC-V, as start.cpp on a Cortex-M. QEMU's board `virt` begins at its memory's
// first address, in machine mode. (All these cores have control registers, but the names of the compiler's libraries
// do not say so: the assembler alone is told.)
#include <cstdint>

#include "board.hpp"
#include "memory.hpp"

extern "C" {
int main();
void enter();
void report_trap();
}

// A stack, traps and, where there are any, floating point registers; ordinary functions may run then.
extern "C" [[gnu::naked, gnu::used, gnu::section(".vectors")]] void reset() {
  asm volatile(
      ".option push\n\t.option arch, +zicsr\n\t"
      "la sp, stack_end\n\t"
      "la t0, report_trap\n\t"
      "csrw mtvec, t0\n\t"
      "li t0, 0x2000\n\t"
      "csrs mstatus, t0\n\t"
      ".option pop\n\t"
      "j enter");
}

extern "C" [[gnu::used]] void enter() {
  board::prepare_memory();
  board::exit(main());
}

extern "C" [[gnu::used, gnu::aligned(4)]] void report_trap() {
  std::uint32_t at, from, cause;
  asm volatile(
      ".option push\n\t.option arch, +zicsr\n\t"
      "mv %0, ra\n\tcsrr %1, mepc\n\tcsrr %2, mcause\n\t"
      ".option pop"
      : "=r"(from), "=r"(at), "=r"(cause));
  board::print("fault at ");
  board::print_hex(at);
  board::print(", called from ");
  board::print_hex(from);
  board::print(", cause ");
  board::print_hex(cause);
  board::print("\n");
  board::exit(70);
}
