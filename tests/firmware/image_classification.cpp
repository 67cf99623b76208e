// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's image classification: ResNet-8, 12.5 million multiply-adds.
#if defined(BOARD_TRAINED)
#include "trained/image_classification.hpp"
#else
#include "board/random_weights.hpp"
#endif
#include "board/answers.hpp"

namespace nn = ctnn;

namespace {

#if defined(BOARD_TRAINED)
using optimized = image_classification;
constexpr auto& weights = optimized::packed;
#else
struct network
    : nn::network<nn::input<"image", nn::shape<3, 32, 32>, nn::in_arena>,
                  nn::conv2d<"conv1", nn::out<16>, nn::kernel<3>, nn::same_upper>, nn::relu<"relu1">,
                  // 16 x 32 x 32
                  nn::conv2d<"conv2", nn::out<16>, nn::kernel<3>, nn::same_upper>, nn::relu<"relu2">,
                  nn::conv2d<"conv3", nn::out<16>, nn::kernel<3>, nn::same_upper>,
                  nn::add<"add1", nn::from<"conv3", "relu1">>, nn::relu<"add1_relu">,
                  // 32 x 16 x 16
                  nn::conv2d<"conv4", nn::out<32>, nn::kernel<3>, nn::stride<2>, nn::same_upper>, nn::relu<"relu4">,
                  nn::conv2d<"conv5", nn::out<32>, nn::kernel<3>, nn::same_upper>,
                  nn::conv2d<"short2", nn::from<"add1_relu">, nn::out<32>, nn::kernel<1>, nn::stride<2>>,
                  nn::add<"add2", nn::from<"short2", "conv5">>, nn::relu<"add2_relu">,
                  // 64 x 8 x 8
                  nn::conv2d<"conv6", nn::out<64>, nn::kernel<3>, nn::stride<2>, nn::same_upper>, nn::relu<"relu6">,
                  nn::conv2d<"conv7", nn::out<64>, nn::kernel<3>, nn::same_upper>,
                  nn::conv2d<"short3", nn::from<"add2_relu">, nn::out<64>, nn::kernel<1>, nn::stride<2>>,
                  nn::add<"add3", nn::from<"short3", "conv7">>, nn::relu<"add3_relu">,
                  nn::adaptive_avg_pool2d<"pool">, nn::flatten<"flat">,
                  nn::linear<"fc", nn::out<10>>, nn::softmax<"prob">> {};
using optimized = nn::optimized<network>;
constexpr auto weights = board::random_weights<optimized>();
#endif
static_assert(nn::macs<optimized> == 12501632 && nn::arena_bytes<optimized> == 131072);

nn::arena<optimized> memory;
constinit nn::engine<optimized, nn::shared_arena> classify{weights, memory};

}  // namespace

int main() { return board::check_answers("an image", classify, 1e-6f); }
