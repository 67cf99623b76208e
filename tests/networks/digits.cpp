// SPDX-License-Identifier: BSL-1.0
// examples/digits in bytes: nearly as often right as in floats, in a quarter of the memory.
#include <doctest/doctest.h>

#include <algorithm>

#include "../../examples/digits/in_bytes.hpp"
#include "../../examples/digits/held_out.hpp"

static_assert(digits::fused_in_bytes::size <= 8);
static_assert(sizeof(ctnn::parameters<digits::fused_in_bytes>) <= 16'000);

TEST_CASE("half a percent fewer pictures right than in floats at most, the same bytes as on a microcontroller") {
  static ctnn::engine<digits::fused_in_bytes> classify{digits::folded_in_bytes};
  int right = 0;
  std::uint32_t sum = 0;
  for (const digits::picture& p : digits::held_out) {
    std::int8_t image[64];
    std::transform(p.pixels, p.pixels + 64, image, digits::brightness_byte);
    const auto scores = classify(image);
    right += std::max_element(scores.begin(), scores.end()) - scores.begin() == p.label;
  }
  CHECK(right >= 442);  // of 450; 444 in floats, 443 in bytes
  for (const digits::picture& p : digits::samples) {
    std::int8_t image[64];
    std::transform(p.pixels, p.pixels + 64, image, digits::brightness_byte);
    for (const std::int8_t score : classify(image)) sum = sum * 31 + static_cast<std::uint8_t>(score);
  }
  CHECK(sum == 4184713055u);  // tests/firmware/digits_int8.cpp
}
