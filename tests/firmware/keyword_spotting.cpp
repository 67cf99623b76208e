// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's keyword spotting: DS-CNN, 2.66 million multiply-adds.
#if defined(BOARD_TRAINED)
#include "trained/keyword_spotting.hpp"
#else
#include "board/random_weights.hpp"
#endif
#include "board/answers.hpp"

namespace nn = ctnn;

namespace {

#if defined(BOARD_TRAINED)
using optimized = keyword_spotting;
constexpr auto& weights = optimized::packed;
#else
struct network
    : nn::network<nn::input<"mfcc", nn::shape<1, 49, 10>, nn::in_arena>,
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
constexpr auto weights = board::random_weights<optimized>();
#endif
static_assert(nn::macs<optimized> == 2656768 && nn::arena_bytes<optimized> == 34560);

nn::arena<optimized> memory;
constinit nn::engine<optimized, nn::shared_arena> spot{weights, memory};

}  // namespace

int main() { return board::check_answers("a second of sound", spot, 1e-6f); }
