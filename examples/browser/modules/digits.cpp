// SPDX-License-Identifier: BSL-1.0
// The digits' network (../../digits/network.hpp) as a WebAssembly module: a page writes what was drawn into `strokes`,
// calls recognize() and reads `pixels` and `scores`. No imports, no heap.
#include <algorithm>

#include "folded.hpp"
#include "graph_json.hpp"
#include "strokes.hpp"

namespace {

namespace nn = ctnn;

constinit std::array<browser::pen_point, 4096> drawn{};
constinit browser::image picture{};
nn::arena<digits::fused> memory;
constinit nn::engine<digits::fused, nn::shared_arena> classify{digits::folded, memory};
constinit std::array<float, 10> answer{};

struct about_digits {
  static constexpr void write(nn::ir::text& out) {
    browser::append_graphs(out, nn::ir::declared_graph<digits::network>, nn::ir::optimized_graph<digits::network>,
                           nn::report<digits::network>, static_cast<std::int64_t>(nn::arena_bytes<digits::fused>));
  }
};

}  // namespace

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

/// Room for strokes_capacity() points of x, y and whether a stroke begins.
EXPORT(strokes) float* strokes() { return &drawn[0].x; }
EXPORT(strokes_capacity) int strokes_capacity() { return static_cast<int>(drawn.size()); }
/// The 8 x 8 brightnesses that the network saw, and what it said of each digit.
EXPORT(pixels) const float* pixels() { return picture.data(); }
EXPORT(scores) const float* scores() { return answer.data(); }

/// Of the first `count` points; 0 if they are no picture: none at all, or a dot smaller than `smallest`.
EXPORT(recognize) int recognize(int count, float smallest) {
  if (count < 0 || count > strokes_capacity()) return 0;
  if (!browser::normalizer{}({drawn.data(), static_cast<std::size_t>(count)}, smallest, picture)) return 0;
  const auto probabilities = classify(picture);
  std::copy(probabilities.begin(), probabilities.end(), answer.begin());
  return 1;
}
/// Runs the network on the last picture so many times, for whoever measures.
EXPORT(repeat) void repeat(int times) {
  for (int i = 0; i < times; ++i) classify(picture);
}
/// What the compiler made of the network: JSON (graph_json.hpp), written by the compiler.
EXPORT(about) const char* about() { return nn::ir::constant_text<about_digits>::view.data(); }
EXPORT(about_size) int about_size() { return static_cast<int>(nn::ir::constant_text<about_digits>::view.size()); }
