// SPDX-License-Identifier: BSL-1.0
// The digit classifier on the core gives PyTorch's probabilities, as it does on the host. Weights are folded by the
// compiler and stay in flash.
#include "digits/folded.hpp"
#include "digits/samples.hpp"

#include "board/compare.hpp"

namespace {

digits::nn::arena<digits::fused> memory;
constinit digits::nn::engine<digits::fused, digits::nn::shared_arena> classify{digits::folded, memory};
float image[64];

}  // namespace

int main() {
  int wrong = 0;
  for (int s = 0; s < 10; ++s) {
    for (int i = 0; i < 64; ++i) image[i] = digits::brightness(digits::samples[s].pixels[i]);
    wrong += board::differences("score", classify(image), digits::torch_answers[s], 2e-6f);
  }
  board::measure("a digit", [] { classify(image); });
  board::print(wrong == 0 ? "digits: all right\n" : "digits: wrong\n");
  return wrong == 0 ? 0 : 1;
}
