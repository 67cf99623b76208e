// SPDX-License-Identifier: BSL-1.0
// From reset to main() on any Cortex-M: vectors, memory, faults. Nothing has a constructor that takes code.
#include <cstdint>

#include "board.hpp"
#include "memory.hpp"

extern "C" {
extern std::uint32_t stack_end[];
int main();
void reset();
void fault();
}

namespace {

volatile std::uint32_t& register_at(std::uintptr_t address) {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

constexpr std::uintptr_t coprocessor_access = 0xE000ED88;
constexpr std::uintptr_t fault_status = 0xE000ED28;

}  // namespace

// The hardware loads the stack pointer from the first vector, so reset can be an ordinary function; it must not touch
// floating point registers before it has switched them on.
extern "C" void reset() {
  register_at(coprocessor_access) = register_at(coprocessor_access) | 0xFu << 20;
  asm volatile("dsb\n isb" ::: "memory");
  board::prepare_memory();
  board::exit(main());
}

extern "C" [[gnu::used, noreturn]] void report_fault(const std::uint32_t* frame) {
  board::print("fault at ");
  board::print_hex(frame[6]);
  board::print(", called from ");
  board::print_hex(frame[5]);
  board::print(", status ");
  board::print_hex(register_at(fault_status));
  board::print("\n");
  board::exit(70);
}

extern "C" [[gnu::naked]] void fault() { asm volatile("mov r0, sp\n ldr r1, =report_fault\n bx r1"); }

// Stack, reset, NMI, the faults, and the system exceptions; no interrupt is ever enabled.
using vector = void (*)();
[[gnu::used, gnu::section(".vectors")]] const vector vectors[16] = {
    reinterpret_cast<vector>(stack_end), reset, fault, fault, fault, fault, fault, fault,
    fault, fault, fault, fault, fault, fault, fault, fault};
