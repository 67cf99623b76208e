// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's anomaly detection: a dense autoencoder, 0.26 million multiply-adds.
#if defined(BOARD_TRAINED)
#include "trained/anomaly_detection.hpp"
#else
#include "board/random_weights.hpp"
#endif
#include "board/answers.hpp"

namespace nn = ctnn;

namespace {

#if defined(BOARD_TRAINED)
using optimized = anomaly_detection;
constexpr auto& weights = optimized::packed;
#else
struct network : nn::network<nn::input<"spectrum", nn::shape<640>, nn::in_arena>,
                             nn::linear<"fc1", nn::out<128>>, nn::relu<"relu1">,
                             nn::linear<"fc2", nn::out<128>>, nn::relu<"relu2">, nn::linear<"fc3", nn::out<128>>,
                             nn::relu<"relu3">, nn::linear<"fc4", nn::out<128>>, nn::relu<"relu4">,
                             nn::linear<"fc5", nn::out<8>>, nn::relu<"relu5">, nn::linear<"fc6", nn::out<128>>,
                             nn::relu<"relu6">, nn::linear<"fc7", nn::out<128>>, nn::relu<"relu7">,
                             nn::linear<"fc8", nn::out<128>>, nn::relu<"relu8">, nn::linear<"fc9", nn::out<128>>,
                             nn::relu<"relu9">, nn::linear<"fc10", nn::out<640>>> {};
using optimized = nn::optimized<network>;
constexpr auto weights = board::random_weights<optimized>();
#endif
static_assert(nn::macs<optimized> == 264192 && nn::arena_bytes<optimized> <= 3072);

nn::arena<optimized> memory;
constinit nn::engine<optimized, nn::shared_arena> rebuild{weights, memory};

}  // namespace

int main() { return board::check_answers("a spectrum", rebuild, 4e-5f); }
