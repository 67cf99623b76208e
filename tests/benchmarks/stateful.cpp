// SPDX-License-Identifier: BSL-1.0
// Audio networks as streams: microseconds a sample (median of rounds), for blocks of 1, 64 and 512 samples, and the
// bytes that are carried from block to block.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "../../examples/networks/tcn.hpp"
#include "../support/run_both.hpp"

namespace {

namespace nn = ctnn;

template <int Samples>
struct lstm : nn::network<nn::input<"x", nn::shape<Samples, 1>>, nn::lstm<"cell", nn::hidden<16>>,
                          nn::linear<"dense", nn::from<"cell.0">, nn::out<1>>> {};
template <int Samples>
struct gru : nn::network<nn::input<"x", nn::shape<Samples, 1>>, nn::gru<"cell", nn::hidden<16>>,
                         nn::linear<"dense", nn::from<"cell.0">, nn::out<1>>> {};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Whole, int Block>
void measure(const char* name) {
  using stream = nn::stateful<Whole, Block>;
  using fused = nn::optimized<stream>;
  constexpr int samples = 5120, rounds = 30;
  nn::ir::test::made_up_weights numbers;
  const auto packed = std::make_unique<nn::parameters<fused>>(nn::zeros);
  if (nn::load_folded<stream>(*packed, nn::ir::test::weights_of_network<Whole>(numbers)).found)
    return void(std::puts("wrong weights"));
  const auto run = std::make_unique<nn::engine<fused>>(*packed);
  const auto x = nn::ir::test::random_floats("x", samples);
  std::vector<double> times;
  volatile float last = 0;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now();
    for (int i = 0; i < samples; i += Block) last = (*run)(std::span<const float, Block>(x.data() + i, Block))[0];
    times.push_back(now() - begin);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  std::printf("%-6s block %3d: %7.3f us a sample, %6zu bytes carried\n", name, Block, times[rounds / 2] / samples * 1e6,
              nn::state_bytes<fused>);
  (void)last;
}
template <class Whole>
void measure(const char* name) {
  measure<Whole, 1>(name);
  measure<Whole, 64>(name);
  measure<Whole, 512>(name);
}

}  // namespace

int main() {
  measure<lstm<64>>("LSTM");
  measure<gru<64>>("GRU");
  measure<networks::tcn<64>>("TCN");
}
