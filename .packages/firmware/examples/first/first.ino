// SPDX-License-Identifier: BSL-1.0
// A network of two layers, fused into one, on constants in flash. Needs -std=gnu++20.
#include <ctnn.hpp>

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<2>>, nn::relu<"positive">> {};
using fused = nn::optimized<net>;
static_assert(fused::size == 2 && nn::arena_bytes<fused> <= 64);

constexpr float weight[]{1, 2, 3, 4, -1, -2, -3, -4}, bias[]{0.5f, -1};
constexpr nn::named_weight weights[]{{"fc", "weight", weight}, {"fc", "bias", bias}};
constexpr auto folded = nn::fold<net, weights>();

static nn::engine<fused> run{folded};

void setup() { Serial.begin(115200); }

void loop() {
  const float x[]{1, 2, 3, 4};
  const auto y = run(x);
  Serial.println(y[0]);  // 30.50
  delay(1000);
}
