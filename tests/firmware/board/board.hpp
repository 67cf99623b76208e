// SPDX-License-Identifier: BSL-1.0
// What a test program may use of its board: a console, an exit status, and two measures.
#pragma once

#include <cstdint>

namespace board {

/// Text on the console of the machine that hosts the emulator.
void print(const char* text);
void print(std::int32_t number);
void print(std::uint32_t number);
void print_hex(std::uint32_t number);
/// Six digits after the point; for |number| < 2^31.
void print(float number);

/// Ends the emulator with this status.
[[noreturn]] void exit(int status);

/// Time since start_clock() in ticks of the system clock, 0 from 2^24 on; and as instructions: under
/// `qemu -icount shift=0` each takes a nanosecond.
void start_clock();
std::uint32_t ticks();
#if !defined(BOARD_MEGAHERTZ)
#define BOARD_MEGAHERTZ 25
#endif
constexpr std::uint32_t instructions_in(std::uint32_t ticks) {
  return ticks / BOARD_MEGAHERTZ * 1000 + ticks % BOARD_MEGAHERTZ * 1000 / BOARD_MEGAHERTZ;
}

/// Bytes of stack below the caller that were written since the last paint_stack().
void paint_stack();
std::uint32_t painted_stack_used();

/// Runs `work` once and reports what it took, in the form that ../run reads.
void measure(const char* what, auto&& work) {
  paint_stack();
  start_clock();
  work();
  const std::uint32_t taken = ticks();
  const std::uint32_t stack = painted_stack_used();
  print("measured: ");
  print(what);
  print("; instructions ");
  print(instructions_in(taken));
  print("; stack ");
  print(stack);
  print("\n");
}

}  // namespace board
