// SPDX-License-Identifier: BSL-1.0
// A user's program: a declared network, fused by the compiler, run on every instruction set that this CPU has.
#include <ctnn/ctnn.hpp>
#include <cstdio>
#include <limits>

namespace nn = ctnn;

struct net : nn::network<
    nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<2>>, nn::batch_norm<"bn">, nn::relu<"positive">> {};
using fused = nn::optimized<net>;
static_assert(fused::size == 2 && !fused::has<"bn">);

constexpr float weight[]{1, 2, 3, 4, -1, -2, -3, -4}, bias[]{0.5f, -1}, gain[]{2, 4}, shift[]{0, 1}, mean[]{1, -1},
    variance[]{1 - 1e-5f, 4 - 1e-5f};
constexpr nn::named_weight weights[] = {
    {"fc", "weight", weight}, {"fc", "bias", bias},         {"bn", "weight", gain},
    {"bn", "bias", shift},    {"bn", "running_mean", mean}, {"bn", "running_var", variance},
};
constexpr auto folded = nn::fold<net, weights>();

struct pooled : nn::network<
    nn::input<"x", nn::shape<4, 2, 2>>, nn::relu<"r">, nn::max_pool2d<"most", nn::kernel<2>>> {};
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr float unknown[]{no_number, 1, 2, 3, 1, no_number, 2, 3, 1, 2, no_number, 3, 1, 2, 3, no_number};
constexpr nn::parameters<pooled> nothing{};

int main() {
  int wrong = 0;
  for (const nn::target_id target : nn::supported_targets()) {
    nn::engine<fused> run{folded, target};
    const float x[]{1, 2, -3, 1};
    const auto y = run(x);  // fc gives -0.5 and -1, bn -3 and 1
    bool right = y[0] == 0 && y[1] > 0.9999f && y[1] < 1.0001f;
    nn::engine<pooled> most{nothing, target};
    const auto found = most(unknown);  // at each place of the window, whatever its vectors do with it
    for (std::size_t i = 0; i < 4; ++i) right = right && found[i] != found[i];
    std::printf("%s: %s\n", nn::target_name(target).data(), right ? "right" : "WRONG");
    wrong += !right;
  }
  return wrong;
}
