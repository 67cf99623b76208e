// SPDX-License-Identifier: BSL-1.0
// GFLOP/s of conv2d layer by layer, next to what this core's FMA units reach in the same run on registers alone.
// Usage: conv2d [rounds]   Best of all rounds; the machine may be shared.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/conv2d.cpp"
#include <hwy/foreach_target.h>

#include <ctnn/kernels/vectors/conv2d-inl.hpp>
#include <ctnn/kernels/simd/fma_peak-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_layer(const op::conv2d& p, const arguments& a) { run(p, a); }

CTNN_END_TARGET

#if HWY_ONCE

#include <hwy/aligned_allocator.h>
#include <hwy/targets.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace ctnn::ir {

HWY_EXPORT(run_layer);
HWY_EXPORT(multiply_registers);

namespace {

struct layer {
  std::string net, name;
  int channels, size, out, kernel, stride, pad;
  bool depthwise = false, planar = false;
};

std::vector<layer> layers() {
  std::vector<layer> all{{"squeezenet", "conv1", 3, 227, 64, 3, 2, 0, false, true}};
  const int fires[8][4] = {{64, 16, 64, 56}, {128, 16, 64, 56}, {128, 32, 128, 28}, {256, 32, 128, 28},
                           {256, 48, 192, 14}, {384, 48, 192, 14}, {384, 64, 256, 14}, {512, 64, 256, 14}};
  for (int i = 0; i < 8; ++i) {
    const auto [in, squeeze, expand, size] = fires[i];
    const std::string fire = "fire" + std::to_string(i + 2);
    all.push_back({"squeezenet", fire + "/squeeze1x1", in, size, squeeze, 1, 1, 0});
    all.push_back({"squeezenet", fire + "/expand1x1", squeeze, size, expand, 1, 1, 0});
    all.push_back({"squeezenet", fire + "/expand3x3", squeeze, size, expand, 3, 1, 1});
  }
  all.push_back({"squeezenet", "conv10", 512, 14, 1000, 1, 1, 0});
  for (const layer& l : std::vector<layer>{{"resnet", "conv1", 3, 224, 64, 7, 2, 3, false, true},
                                           {"resnet", "3x3 64 56", 64, 56, 64, 3, 1, 1},
                                           {"resnet", "3x3 128 28", 128, 28, 128, 3, 1, 1},
                                           {"resnet", "3x3 256 14", 256, 14, 256, 3, 1, 1},
                                           {"resnet", "3x3 512 7", 512, 7, 512, 3, 1, 1},
                                           {"resnet", "1x1 256-64 56", 256, 56, 64, 1, 1, 0},
                                           {"resnet", "1x1 1024-256 14", 1024, 14, 256, 1, 1, 0},
                                           {"mobilenet", "1x1 32-16 112", 32, 112, 16, 1, 1, 0},
                                           {"mobilenet", "1x1 24-144 56", 24, 56, 144, 1, 1, 0},
                                           {"mobilenet", "1x1 144-24 56", 144, 56, 24, 1, 1, 0},
                                           {"mobilenet", "1x1 192-32 28", 192, 28, 32, 1, 1, 0},
                                           {"mobilenet", "1x1 96-576 14", 96, 14, 576, 1, 1, 0},
                                           {"depthwise", "3x3 32 112", 32, 112, 32, 3, 1, 1, true},
                                           {"depthwise", "3x3 144 56", 144, 56, 144, 3, 1, 1, true},
                                           {"depthwise", "3x3s2 144 56", 144, 56, 144, 3, 2, 1, true},
                                           {"depthwise", "3x3 32 14", 32, 14, 32, 3, 1, 1, true},
                                           {"depthwise", "3x3 384 14", 384, 14, 384, 3, 1, 1, true},
                                           {"depthwise", "3x3 960 7", 960, 7, 960, 3, 1, 1, true},
                                           {"depthwise", "5x5 240 28", 240, 28, 240, 5, 1, 2, true}})
    all.push_back(l);
  return all;
}

using buffer = hwy::AlignedFreeUniquePtr<float[]>;
buffer numbers(std::int64_t count) {
  buffer b = hwy::AllocateAligned<float>(static_cast<std::size_t>(count) + 16);
  for (std::int64_t i = 0; i < count; ++i) b[static_cast<std::size_t>(i)] = static_cast<float>(i % 17) * 0.01f - 0.08f;
  return b;
}

/// A layer with its memory.
struct bench {
  op::conv2d op;
  buffer in, out, weights, bias;
  const_tensor x;
  tensor y;
  double flops, best = 1e9;

  explicit bench(const layer& l) {
    op.out = l.out;
    op.kernel = {l.kernel, l.kernel};
    op.stride = {l.stride, l.stride};
    op.pad = {l.pad, l.pad, l.pad, l.pad};
    op.groups = l.depthwise ? l.channels : 1;
    op.activation.kind = function::relu;
    const extents in_shape{l.channels, l.size, l.size};
    extents out_shape;
    op.infer({&in_shape, 1}, {&out_shape, 1});
    in = numbers(in_shape.count());
    out = numbers(out_shape.count());
    const auto slots = op.weights({&in_shape, 1});
    weights = numbers(packed_count(op, 0, slots[0].shape));
    bias = numbers(l.out);
    x = {in.get(), in_shape, l.planar ? layout::nchw : layout::nhwc, l.channels};
    y = {out.get(), out_shape, layout::nhwc, l.out};
    flops = 2.0 * static_cast<double>(op.macs({&in_shape, 1}, {&out_shape, 1}));
  }

  void run() {
    const float* w[2] = {weights.get(), bias.get()};
    HWY_DYNAMIC_DISPATCH(run_layer)(op, {{&x, 1}, {&y, 1}, w});
  }
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measure(const char* name, int rounds) {
  const std::vector<layer> all = layers();
  std::vector<bench> benches;
  for (const layer& l : all) benches.emplace_back(l);
  double peak = 0;
  for (int r = 0; r < rounds; ++r) {
    for (bench& b : benches) {
      float sink[14];
      std::fill(sink, sink + 14, 0.5f);
      const double t0 = seconds();
      const auto flops = static_cast<double>(HWY_DYNAMIC_DISPATCH(multiply_registers)(2000, sink));
      const double t1 = seconds();
      peak = std::max(peak, flops / (t1 - t0));
      b.run();
      for (int i = 0; i < 3; ++i) {
        const double t2 = seconds();
        b.run();
        b.best = std::min(b.best, seconds() - t2);
      }
    }
  }
  std::printf("%s: FMA peak %.0f GFLOP/s\n", name, peak * 1e-9);
  double time = 0, flops = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bench& b = benches[i];
    std::printf("%-11s %-18s %8.1f us %6.1f GFLOP/s %5.1f %%\n", all[i].net.c_str(), all[i].name.c_str(), b.best * 1e6,
                b.flops / b.best * 1e-9, 100 * b.flops / b.best / peak);
    time += b.best;
    flops += b.flops;
    if (i + 1 == all.size() || all[i + 1].net != all[i].net) {
      std::printf("%-11s %-18s %8.1f us %6.1f GFLOP/s %5.1f %%\n\n", all[i].net.c_str(), "TOTAL", time * 1e6,
                  flops / time * 1e-9, 100 * flops / time / peak);
      time = flops = 0;
    }
  }
}

}  // namespace
}  // namespace ctnn::ir

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const auto supported = hwy::SupportedTargets() & HWY_TARGETS;
  for (auto left = supported; left != 0; left &= left - 1) {
    const auto one = left & -left;
    if (argc > 2 && std::string(argv[2]) != hwy::TargetName(one)) continue;
    hwy::SetSupportedTargetsForTest(one);
    hwy::GetChosenTarget().Update(one);
    ctnn::ir::measure(hwy::TargetName(one), rounds);
  }
}
#endif
