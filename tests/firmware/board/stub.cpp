// SPDX-License-Identifier: BSL-1.0
// The board and nothing else: ../run subtracts its size from programs that say themselves what is right.
#include "compare.hpp"

int main() {
  const float one = 1;
  board::measure("nothing", [] {});
  board::print("stub: all right\n");
  return board::differences("one", {&one, 1}, &one, 0);
}
