// SPDX-License-Identifier: BSL-1.0
// Variables before main(), which the linker script places.
#pragma once

#include <cstdint>

extern "C" std::uint32_t data_image[], data_begin[], data_end[], zero_begin[], zero_end[];

namespace board {

[[gnu::noinline]] inline void prepare_memory() {
  const std::uint32_t* from = data_image;
  for (std::uint32_t* to = data_begin; to != data_end;) *to++ = *from++;
  for (std::uint32_t* to = zero_begin; to != zero_end;) *to++ = 0;
}

}  // namespace board
