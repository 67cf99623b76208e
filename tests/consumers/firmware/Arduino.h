// SPDX-License-Identifier: BSL-1.0
// What a sketch takes of Arduino's core, on the board of tests/firmware. Its loop runs once.
#pragma once

#include "board/board.hpp"

struct serial {
  void begin(int) {}
  void println(float number) {
    board::print(number);
    board::print("\n");
  }
};
inline serial Serial;
inline void delay(int) { board::exit(0); }

void setup();
void loop();

extern "C" {
extern void (*const constructors_begin[])();
extern void (*const constructors_end[])();
}

int main() {
  for (auto* f = constructors_begin; f != constructors_end; ++f) (*f)();
  setup();
  for (;;) loop();
}
