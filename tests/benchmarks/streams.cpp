// SPDX-License-Identifier: BSL-1.0
// Models as streams: nanoseconds a sample (p10 of rounds that take turns) for calls of 1, 16, 64 and 512 samples, and
// what their multiply-adds take at this core's peak. bench_streams FILE... (x.nam, x.json, x.onnx, x.tflite)
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <ctnn/graph/cost.hpp>
#include <ctnn/model.hpp>

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double p10(std::vector<double> times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

/// Multiply-adds in a nanosecond, at best.
double peak() {
  std::array<float, 14> sink{};
  std::vector<double> times;
  double flops = 0;
  for (int i = 0; i < 50; ++i) {
    const double begin = now();
    flops = static_cast<double>(ctnn::ir::multiply_registers(ctnn::best_target(), 2000, sink.data()));
    times.push_back(now() - begin);
  }
  return flops / 2 / *std::min_element(times.begin(), times.end()) * 1e-9;
}

void measure(const char* file, double most) {
  const ctnn::model m = ctnn::model::load(file);
  const ctnn::ir::graph_view g = m.source();
  std::int64_t macs = 0;
  for (std::size_t n = 0; n < g.nodes.size(); ++n) macs += ctnn::ir::macs_of(g, static_cast<int>(n));
  const ctnn::extents& x = g.shape(g.nodes[0].outputs.first);
  ctnn::model_stream stream = m.stream({.at_most = 512});
  const auto channels = static_cast<std::size_t>(std::max(stream.channels_in(), stream.channels_out()));
  const int samples = static_cast<int>(x.count() / stream.channels_in());
  const double at_peak = static_cast<double>(macs) / samples / most;
  constexpr int sizes[] = {1, 16, 64, 512}, all = 4096, rounds = 40;
  std::vector<float> in(channels * all), out(channels * all);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>((i * 7919) % 2001) / 1000.0f - 1;
  std::vector<double> times[std::size(sizes)];
  for (int round = 0; round < rounds; ++round)
    for (std::size_t s = 0; s < std::size(sizes); ++s) {
      const int part = sizes[s] == 1 ? 512 : all;
      const double begin = now();
      for (int at = 0; at < part; at += sizes[s]) {
        const auto from = static_cast<std::size_t>(at) * channels;
        stream.process_interleaved(in.data() + from, out.data() + from, sizes[s]);
      }
      times[s].push_back((now() - begin) / part * 1e9);
    }
  std::printf("%s: %zu KB; %.0f ns a sample at the multiply-adders' peak\n", file, stream.bytes() / 1024, at_peak);
  for (std::size_t s = 0; s < std::size(sizes); ++s)
    std::printf("  %3d samples a call: %9.1f ns a sample, %5.1f times the peak's\n", sizes[s], p10(times[s]),
                p10(times[s]) / at_peak);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_streams FILE...\n", stderr);
    return 2;
  }
  const double most = peak();
  std::printf("ctnn on %s, %.1f multiply-adds a nanosecond at most\n",
              std::string(ctnn::target_name(ctnn::best_target())).c_str(), most);
  try {
    for (int i = 1; i < argc; ++i) measure(argv[i], most);
  } catch (const ctnn::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
