// SPDX-License-Identifier: BSL-1.0
// The digit classifier in bytes on the core gives the bytes that it gives on the host (tests/networks/digits.cpp).
#include "digits/in_bytes.hpp"

#include "board/board.hpp"

namespace {

ctnn::arena<digits::fused_in_bytes> memory;
constinit ctnn::engine<digits::fused_in_bytes, ctnn::shared_arena> classify{digits::folded_in_bytes, memory};
std::int8_t image[64];

}  // namespace

int main() {
  std::uint32_t sum = 0;
  for (const digits::picture& p : digits::samples) {
    for (int i = 0; i < 64; ++i) image[i] = digits::brightness_byte(p.pixels[i]);
    for (const std::int8_t score : classify(image)) sum = sum * 31 + static_cast<std::uint8_t>(score);
  }
  board::measure("a digit", [] { classify(image); });
  const bool right = sum == 4184713055u;
  board::print(right ? "digits in bytes: all right\n" : "digits in bytes: wrong\n");
  return right ? 0 : 1;
}
