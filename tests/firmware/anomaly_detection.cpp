// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's anomaly detection (a dense autoencoder, 0.26 million multiply-adds) with random weights: size and
// speed.
#include "board/compare.hpp"
#include "board/random_weights.hpp"

namespace {

namespace nn = ctnn;

struct network : nn::network<nn::input<"spectrum", nn::shape<640>>, nn::linear<"fc1", nn::out<128>>, nn::relu<"relu1">,
                             nn::linear<"fc2", nn::out<128>>, nn::relu<"relu2">, nn::linear<"fc3", nn::out<128>>,
                             nn::relu<"relu3">, nn::linear<"fc4", nn::out<128>>, nn::relu<"relu4">,
                             nn::linear<"fc5", nn::out<8>>, nn::relu<"relu5">, nn::linear<"fc6", nn::out<128>>,
                             nn::relu<"relu6">, nn::linear<"fc7", nn::out<128>>, nn::relu<"relu7">,
                             nn::linear<"fc8", nn::out<128>>, nn::relu<"relu8">, nn::linear<"fc9", nn::out<128>>,
                             nn::relu<"relu9">, nn::linear<"fc10", nn::out<640>>> {};
using optimized = nn::optimized<network>;
static_assert(nn::macs<optimized> == 264192 && nn::arena_bytes<optimized> <= 3072);

constexpr auto weights = board::random_weights<optimized>();
nn::engine<optimized> rebuild{weights};
float spectrum[640];

}  // namespace

int main() {
  for (int i = 0; i < 640; ++i) spectrum[i] = static_cast<float>(i % 17) / 17;
  board::measure("a spectrum", [] { rebuild(spectrum); });
  const float first = rebuild.output<0>()[0];
  return first == first ? 0 : 1;
}
