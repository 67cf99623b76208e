// SPDX-License-Identifier: BSL-1.0
// The SysTick timer as a stopwatch (a RISC-V counts instructions itself), and the stack's high-water mark by paint.
#include "board.hpp"

extern "C" std::uint32_t stack_begin[], stack_end[];

namespace board {
namespace {

constexpr std::uint32_t paint = 0xC0FFEE55;

std::uint32_t* painted_to = nullptr;  // everything below was painted

std::uint32_t* stack_pointer() {
  std::uint32_t* sp;
#if defined(__riscv)
  asm volatile("mv %0, sp" : "=r"(sp));
#else
  asm volatile("mov %0, sp" : "=r"(sp));
#endif
  return sp;
}

}  // namespace

#if defined(__riscv)

namespace {
std::uint32_t started_at = 0;

std::uint32_t instructions() {
  std::uint32_t count;
  asm volatile(".option push\n\t.option arch, +zicsr\n\tcsrr %0, minstret\n\t.option pop" : "=r"(count));
  return count;
}
}  // namespace

void start_clock() { started_at = instructions(); }
std::uint32_t ticks() { return instructions() - started_at; }

#else

namespace {

struct timer {
  std::uint32_t control, reload, current;
};
volatile timer& systick() { return *reinterpret_cast<volatile timer*>(0xE000E010); }

constexpr std::uint32_t longest = 0xFFFFFF;
constexpr std::uint32_t enabled_by_core_clock = 5;
constexpr std::uint32_t passed_zero = 1u << 16;  // since the control register was read last

}  // namespace

void start_clock() {
  systick().control = 0;
  systick().reload = longest;
  systick().current = 0;
  systick().control = enabled_by_core_clock;
  while (systick().current == 0) {
  }
}

std::uint32_t ticks() {
  const std::uint32_t now = systick().current;
  return (systick().control & passed_zero) != 0 ? 0 : longest - now;
}

#endif

// What it pushes lies above the stack pointer that it reads: nothing is pushed later, around the loop alone.
[[gnu::noinline, gnu::optimize("no-shrink-wrap")]] void paint_stack() {
  painted_to = stack_pointer();
  for (volatile std::uint32_t* p = stack_begin; p < painted_to; ++p) *p = paint;
}

[[gnu::noinline]] std::uint32_t painted_stack_used() {
  const std::uint32_t* p = stack_begin;
  while (p < painted_to && *p == paint) ++p;
  return static_cast<std::uint32_t>(painted_to - p) * 4;
}

}  // namespace board
