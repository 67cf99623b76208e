// SPDX-License-Identifier: BSL-1.0
// What each layer of the digit classifier takes on the core. Under QEMU the clock counts instructions; on silicon it is
// the counter of cycles:
//   Cortex-M3 and up   DEMCR |= 1 << 24, DWT_CTRL |= 1, then DWT_CYCCNT (0xE0001004)
//   RISC-V             asm volatile("csrr %0, mcycle" : "=r"(cycles))
#include "digits/folded.hpp"
#include "digits/samples.hpp"

#include "board/board.hpp"

namespace {

namespace nn = ctnn;

nn::arena<digits::fused> memory;
constinit nn::engine<digits::fused, nn::shared_arena> classify{digits::folded, memory};
float image[64];

struct stopwatch {
  std::uint32_t last = 0, sum = 0;
  int layers = 0;
};

void tell(void* context, std::string_view layer) {
  auto& watch = *static_cast<stopwatch*>(context);
  const std::uint32_t taken = board::instructions_in(board::ticks() - watch.last);
  char name[32] = {};
  for (std::size_t i = 0; i < layer.size() && i + 1 < sizeof name; ++i) name[i] = layer[i];
  board::print(name);
  board::print(": ");
  board::print(taken);
  board::print("\n");
  watch.sum += taken;
  ++watch.layers;
  watch.last = board::ticks();  // printing is not the next layer's
}

}  // namespace

int main() {
  for (int i = 0; i < 64; ++i) image[i] = digits::brightness(digits::samples[0].pixels[i]);
  const float* const inputs[] = {image};
  stopwatch watch;
  board::start_clock();
  classify.run(inputs, {&tell, &watch});
  // All of the work, in as many layers as compute.
  board::measure("a digit, watched", [&] { classify.run(inputs); });
  return watch.layers >= 5 && watch.sum > 100000 ? 0 : 1;
}
