// SPDX-License-Identifier: BSL-1.0
// SqueezeNet v1.1 as a static engine, from the header that `ctnn header` writes: right on every target of this CPU, and
// how fast beside the multiply-add peak of the same run.
// Usage: squeezenet FOLDER [PERCENT]   FOLDER has hippo.in0.bin and so on; fails below PERCENT of the peak (best
// target).
#include <cstdio>

#if __has_include("squeezenet.hpp")
#include "squeezenet.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

ctnn::parameters<squeezenet> weights{ctnn::zeros};
ctnn::engine<squeezenet> classify{weights};
using image = std::span<const float, decltype(classify)::input_size<>>;

std::vector<float> read(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::vector<float> numbers(in ? static_cast<std::size_t>(in.tellg()) / sizeof(float) : 0);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  return numbers;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<std::size_t> top_five(std::span<const float> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + 5, order.end(),
                    [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(5);
  return order;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: squeezenet FOLDER [PERCENT]"), 2;
  if (const auto wrong = ctnn::load(weights, squeezenet::weights); wrong.found) return std::puts("wrong weights"), 1;
  const std::string folder = argv[1];
  const double needed = argc > 2 ? std::atof(argv[2]) : 0;
  bool right = true;
  double best_share = 0;
  for (ctnn::target_id target : ctnn::supported_targets()) {
    classify.use(target);
    float furthest = 0;
    std::vector<float> picture;
    for (const char* name : {"hippo", "cat"}) {
      picture = read(folder + "/" + name + ".in0.bin");
      const std::vector<float> expected = read(folder + "/" + name + ".out0.bin");
      if (picture.size() != image::extent || expected.size() != 1000) return std::printf("cannot read %s\n", name), 1;
      const auto got = classify(image(picture.data(), image::extent));
      for (std::size_t i = 0; i < 1000; ++i) furthest = std::max(furthest, std::fabs(got[i] - expected[i]));
      right = right && top_five(got) == top_five(expected);
    }
    right = right && furthest <= 1e-4f;
    double best = 1e9, peak = 0;
    for (int round = 0; round < 40; ++round) {
      float sink[14] = {1, 1, 1};
      const double t0 = now();
      const auto flops = static_cast<double>(ctnn::ir::multiply_registers(target, 10'000, sink));
      const double t1 = now();
      classify(image(picture.data(), image::extent));
      best = std::min(best, now() - t1);
      peak = std::max(peak, flops / (t1 - t0));
    }
    const double flops = 2.0 * static_cast<double>(ctnn::macs<squeezenet>) / best;
    std::printf("%-8s  furthest %.1e  %7.3f ms  %6.1f GFLOP/s of %6.1f: %5.1f %%\n", ctnn::target_name(target).data(),
                static_cast<double>(furthest), best * 1e3, flops * 1e-9, peak * 1e-9, 100 * flops / peak);
    if (target == ctnn::best_target()) best_share = 100 * flops / peak;
  }
  if (!right) std::puts("WRONG: expected the same top five and probabilities within 1e-4 of ncnn's");
  if (best_share < needed) std::printf("SLOW: %.1f %% of the peak, needed %.1f %%\n", best_share, needed);
  return right && best_share >= needed ? 0 : 1;
}

#else

int main() {
  std::puts("SKIPPED: built without squeezenet.hpp (`ctnn header` writes it; tests/tool/squeezenet does all that)");
}

#endif
