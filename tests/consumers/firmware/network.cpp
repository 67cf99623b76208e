// SPDX-License-Identifier: BSL-1.0
// The network of ../tiny.onnx by a HEADER that `ctnn header` wrote, with numbers to pack or packed ones.
#include HEADER

#include "board/compare.hpp"

namespace {

ctnn::arena<network> memory;
#if defined(PACKED)
constinit ctnn::engine<network, ctnn::shared_arena> run{network::packed, memory};
#else
constexpr auto packed = ctnn::pack<network, network::weights>();
constinit ctnn::engine<network, ctnn::shared_arena> run{packed, memory};
#endif

}  // namespace

int main() {
  float image[16];
  for (int i = 0; i < 16; ++i) image[i] = static_cast<float>(i) / 8 - 1;
  const float expected[]{0.22265625f, -0.37890625f, -2.66796875f};
#if defined(PACKED)  // and its input is in the arena
  for (std::size_t i = 0; i < 16; ++i) run.input<"image">()[i] = image[i];
  return board::differences("scores", run(), expected, 0);
#else
  return board::differences("scores", run(image), expected, 0);
#endif
}
