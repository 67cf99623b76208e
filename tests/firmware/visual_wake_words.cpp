// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's visual wake words: MobileNetV1 0.25, is there a person? 7.5 million multiply-adds.
#if defined(BOARD_TRAINED)
#include "trained/visual_wake_words.hpp"
#else
#include "board/random_weights.hpp"
#endif
#include "board/answers.hpp"

namespace nn = ctnn;

namespace {

#if defined(BOARD_TRAINED)
using optimized = visual_wake_words;
constexpr auto& weights = optimized::packed;
#else
/// Depthwise and pointwise convolution, as all of MobileNet has them.
template <nn::fixed_string Name, int In, int Out, int Stride>
using separable =
    nn::block<Name, nn::conv2d<"dw", nn::out<In>, nn::kernel<3>, nn::stride<Stride>, nn::same_upper, nn::groups<In>>,
              nn::relu<"dw_relu">, nn::conv2d<"pw", nn::out<Out>, nn::kernel<1>>, nn::relu<"pw_relu">>;
struct network
    : nn::network<nn::input<"image", nn::shape<3, 96, 96>, nn::in_arena>,
                  nn::conv2d<"conv", nn::out<8>, nn::kernel<3>, nn::stride<2>, nn::same_upper>,
                  nn::relu<"relu">,  // 8 x 48 x 48
                  separable<"s1", 8, 16, 1>, separable<"s2", 16, 32, 2>, separable<"s3", 32, 32, 1>,
                  separable<"s4", 32, 64, 2>, separable<"s5", 64, 64, 1>, separable<"s6", 64, 128, 2>,
                  separable<"s7", 128, 128, 1>, separable<"s8", 128, 128, 1>, separable<"s9", 128, 128, 1>,
                  separable<"s10", 128, 128, 1>, separable<"s11", 128, 128, 1>, separable<"s12", 128, 256, 2>,
                  separable<"s13", 256, 256, 1>, nn::adaptive_avg_pool2d<"pool">, nn::flatten<"flat">,
                  nn::linear<"fc", nn::out<2>>, nn::softmax<"prob">> {};
using optimized = nn::optimized<network>;
constexpr auto weights = board::random_weights<optimized>();
#endif
static_assert(nn::macs<optimized> == 7489664 && nn::arena_bytes<optimized> == 148992);

nn::arena<optimized> memory;
constinit nn::engine<optimized, nn::shared_arena> see{weights, memory};

}  // namespace

int main() { return board::check_answers("an image", see, 1e-6f); }
