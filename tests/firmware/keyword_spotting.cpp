// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's keyword spotting (DS-CNN, 2.66 million multiply-adds) with random weights: size and speed.
#include "board/compare.hpp"
#include "board/random_weights.hpp"

namespace {

namespace nn = ctnn;


struct network
    : nn::network<nn::input<"mfcc", nn::shape<1, 49, 10>>,
                  nn::conv2d<"conv", nn::out<64>, nn::kernel<10, 4>, nn::stride<2>, nn::same_upper>, nn::relu<"relu">,
                  nn::conv2d<"dw1", nn::out<64>, nn::kernel<3>, nn::pad<1>, nn::groups<64>>, nn::relu<"dw1_relu">,
                  nn::conv2d<"pw1", nn::out<64>, nn::kernel<1>>, nn::relu<"pw1_relu">,
                  nn::conv2d<"dw2", nn::out<64>, nn::kernel<3>, nn::pad<1>, nn::groups<64>>, nn::relu<"dw2_relu">,
                  nn::conv2d<"pw2", nn::out<64>, nn::kernel<1>>, nn::relu<"pw2_relu">,
                  nn::conv2d<"dw3", nn::out<64>, nn::kernel<3>, nn::pad<1>, nn::groups<64>>, nn::relu<"dw3_relu">,
                  nn::conv2d<"pw3", nn::out<64>, nn::kernel<1>>, nn::relu<"pw3_relu">,
                  nn::conv2d<"dw4", nn::out<64>, nn::kernel<3>, nn::pad<1>, nn::groups<64>>, nn::relu<"dw4_relu">,
                  nn::conv2d<"pw4", nn::out<64>, nn::kernel<1>>, nn::relu<"pw4_relu">,
                  nn::adaptive_avg_pool2d<"pool">, nn::flatten<"flat">,
                  nn::linear<"fc", nn::out<12>>, nn::softmax<"prob">> {};
using optimized = nn::optimized<network>;
static_assert(nn::macs<optimized> == 2656768);

constexpr auto weights = board::random_weights<optimized>();
nn::engine<optimized> spot{weights};
float mfcc[490];

}  // namespace

int main() {
  for (int i = 0; i < 490; ++i) mfcc[i] = static_cast<float>(i % 17) / 17;
  board::measure("a second of sound", [] { spot(mfcc); });
  float sum = 0;
  for (float p : spot.output<0>()) sum += p;
  const float one = 1;
  return board::differences("sum", {&sum, 1}, &one, 1e-5f);
}
