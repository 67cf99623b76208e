// SPDX-License-Identifier: BSL-1.0
// Recognises handwritten digits: shows ten pictures with the network's answers, then its accuracy on 450 pictures
// that were not trained on.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

#include "folded.hpp"
#include "held_out.hpp"
#include "samples.hpp"

namespace {

using image = std::array<float, 64>;

image read(const digits::picture& p) {
  image pixels;
  std::transform(p.pixels, p.pixels + 64, pixels.begin(), digits::brightness);
  return pixels;
}

int best(std::span<const float> scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// Five pictures beside each other, two characters a pixel, and below each the answer.
void show(std::span<const digits::picture> row, auto& classify) {
  for (int y = 0; y < 8; ++y) {
    for (const digits::picture& p : row) {
      std::fputs("  ", stdout);
      for (int x = 0; x < 8; ++x) {
        const int grey = static_cast<int>(digits::brightness(p.pixels[8 * y + x]) * 4.99f);
        for (int twice = 0; twice < 2; ++twice) std::putchar(" .+#@"[grey]);
      }
    }
    std::putchar('\n');
  }
  for (const digits::picture& p : row) {
    const auto scores = classify(read(p));
    const int answer = best(scores);
    const double sure = 100 * static_cast<double>(scores[static_cast<std::size_t>(answer)]);
    std::printf("  %d, %3.0f %% sure%s", answer, sure, answer == p.label ? "   " : " NO");
  }
  std::puts("\n");
}

}  // namespace

int main() {
  static digits::nn::engine<digits::fused> classify{digits::folded};

  const std::span<const digits::picture> samples = digits::samples;
  show(samples.first(5), classify);
  show(samples.last(5), classify);

  float furthest = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto scores = classify(read(samples[i]));
    for (std::size_t d = 0; d < 10; ++d)
      furthest = std::max(furthest, std::fabs(scores[d] - digits::torch_answers[i][d]));
  }
  const auto right = std::ranges::count_if(
      digits::held_out, [&](const digits::picture& p) { return best(classify(read(p))) == p.label; });
  const int all = static_cast<int>(std::size(digits::held_out));
  std::printf("held out: %d of %d right, %.2f %% (PyTorch: %d)\n", static_cast<int>(right), all,
              100.0 * static_cast<double>(right) / all, digits::torch_right);
  std::printf("furthest from PyTorch's probabilities for the ten above: %.1e\n", static_cast<double>(furthest));
  return right * 100 >= 97 * all && furthest < 1e-4f ? 0 : 1;
}
