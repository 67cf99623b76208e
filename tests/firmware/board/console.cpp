// SPDX-License-Identifier: BSL-1.0
// Semihosting, Arm's and RISC-V's: text and exit status, and numbers without printf.
#include <cstddef>

#include "board.hpp"

namespace board {
namespace {

constexpr std::uint32_t write_text = 0x04;
constexpr std::uint32_t exit_extended = 0x20;
constexpr std::uint32_t application_exit = 0x20026;

#if defined(__riscv)
// RISC-V's breakpoint has no number: one between these two shifts, in one page, is meant.
[[gnu::naked, gnu::noinline, gnu::aligned(16)]] void call_host(std::uint32_t, const void*) {
  asm(".option push\n\t.option norvc\n\t"
      "slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t"
      ".option pop\n\tret");
}
#else
void call_host(std::uint32_t operation, const void* argument) {
  register std::uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}
#endif

// Decimal digits of a number, with leading zeros up to `least`.
class digits {
 public:
  digits(std::uint32_t number, int least) {
    for (int n = 0; number != 0 || n < least; ++n, number /= 10) text_[--at_] = static_cast<char>('0' + number % 10);
  }
  const char* text() const { return text_ + at_; }

 private:
  char text_[11] = {};
  int at_ = 10;
};

}  // namespace

void print(const char* text) { call_host(write_text, text); }

void print(std::uint32_t number) { print(digits(number, 1).text()); }

void print(std::int32_t number) {
  if (number < 0) print("-");
  print(number < 0 ? 0u - static_cast<std::uint32_t>(number) : static_cast<std::uint32_t>(number));
}

void print_hex(std::uint32_t number) {
  char text[] = "0x00000000";
  for (int at = 9; number != 0; --at, number >>= 4) text[at] = "0123456789abcdef"[number & 15];
  print(text);
}

void print(float number) {
  if (number < 0) {
    print("-");
    number = -number;
  }
  std::uint32_t whole = static_cast<std::uint32_t>(number);
  std::uint32_t millionths = static_cast<std::uint32_t>((number - static_cast<float>(whole)) * 1e6f + 0.5f);
  if (millionths >= 1000000) {
    millionths -= 1000000;
    ++whole;
  }
  print(whole);
  print(".");
  print(digits(millionths, 6).text());
}

void exit(int status) {
  const std::uint32_t block[2] = {application_exit, static_cast<std::uint32_t>(status)};
  call_host(exit_extended, block);
  for (;;) {
  }
}

}  // namespace board
