// SPDX-License-Identifier: BSL-1.0
// GFLOP/s of conv2d layer by layer, next to what the FMA units of this core reach in the same run on registers alone.
// Of 3 x 3 with stride 1 also how many times as fast F(2, 3), F(4, 3) and F(6, 3) are (kernels/winograd.hpp), with a
// star at the one that networks take.
//
// Usage: conv2d [rounds [target [net [bytes]]]]   Best of all rounds; the machine may be shared. Weights are warm, or
// were last used so many bytes ago.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/conv2d.cpp"
#include <hwy/foreach_target.h>

#include <ctnn/kernels/vectors/winograd-inl.hpp>
#include <ctnn/kernels/simd/fma_peak-inl.hpp>

CTNN_BEGIN_TARGET

/// By F(m, 3), or directly if m is 0.
inline void run_layer(int m, const op::conv2d& p, const arguments& a, scratch_memory memory) {
  if (m == 0) run(p, a);
  else run_winograd(m, p, a, memory);
}

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
  int width = 0, kernel_w = 0;  ///< where they differ from size and kernel; the padding is then "same"
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
                                           {"resnet8", "3x3 16 32", 16, 32, 16, 3, 1, 1},
                                           {"resnet8", "3x3 32 16", 32, 16, 32, 3, 1, 1},
                                           {"resnet8", "3x3 64 8", 64, 8, 64, 3, 1, 1},
                                           {"small", "3x3 8 32", 8, 32, 8, 3, 1, 1},
                                           {"small", "3x3 8-16 14", 8, 14, 16, 3, 1, 1},
                                           {"small", "3x3 16 14", 16, 14, 16, 3, 1, 1},
                                           {"small", "3x3 16 8", 16, 8, 16, 3, 1, 1},
                                           {"small", "3x3 32 7", 32, 7, 32, 3, 1, 1},
                                           {"small", "3x3 64 7", 64, 7, 64, 3, 1, 1},
                                           {"small", "3x3 64 4", 64, 4, 64, 3, 1, 1},
                                           {"small", "3x3 128 7", 128, 7, 128, 3, 1, 1},
                                           {"small", "3x3 256 7", 256, 7, 256, 3, 1, 1},
                                           {"small", "3x3 256 4", 256, 4, 256, 3, 1, 1},
                                           {"vgg", "3x3 64 224", 64, 224, 64, 3, 1, 1},
                                           {"vgg", "3x3 128 112", 128, 112, 128, 3, 1, 1},
                                           {"vgg", "3x3 256 56", 256, 56, 256, 3, 1, 1},
                                           {"vgg", "3x3 512 28", 512, 28, 512, 3, 1, 1},
                                           {"vgg", "3x3 512 14", 512, 14, 512, 3, 1, 1},
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
                                           {"depthwise", "5x5 240 28", 240, 28, 240, 5, 1, 2, true},
                                           {"depthwise", "3x3s2 96 112", 96, 112, 96, 3, 2, 1, true},
                                           {"depthwise", "3x3s2 32 24", 32, 24, 32, 3, 2, 1, true},
                                           {"depthwise", "3x3 8 48", 8, 48, 8, 3, 1, 1, true},
                                           {"depthwise", "3x3 64 25x5", 64, 25, 64, 3, 1, 1, true, false, 5},
                                           {"stem", "7x7s2 3-64 224", 3, 224, 64, 7, 2, 3, false, true},
                                           {"stem", "3x3s2 3-32 224", 3, 224, 32, 3, 2, 1, false, true},
                                           {"stem", "3x3s2 3-64 227", 3, 227, 64, 3, 2, 0, false, true},
                                           {"stem", "3x3s2 3-8 96", 3, 96, 8, 3, 2, 1, false, true},
                                           {"stem", "3x3 3-16 32", 3, 32, 16, 3, 1, 1, false, true},
                                           {"stem", "10x4s2 1-64 49x10", 1, 49, 64, 10, 2, 0, false, true, 10, 4},
                                           {"stem", "5x5 1-6 28", 1, 28, 6, 5, 1, 2, false, true},
                                           {"1x1", "64-256 56", 64, 56, 256, 1, 1, 0},
                                           {"1x1", "256-64 56", 256, 56, 64, 1, 1, 0},
                                           {"1x1", "128-512 28", 128, 28, 512, 1, 1, 0},
                                           {"1x1", "512-2048 7", 512, 7, 2048, 1, 1, 0},
                                           {"1x1", "1024-256 14", 1024, 14, 256, 1, 1, 0},
                                           {"1x1", "16-96 112", 16, 112, 96, 1, 1, 0},
                                           {"1x1", "96-24 56", 96, 56, 24, 1, 1, 0},
                                           {"1x1", "256-512s2 56", 256, 56, 512, 1, 2, 0},
                                           {"1x1", "1024-2048s2 14", 1024, 14, 2048, 1, 2, 0},
                                           {"1x1 small", "16-64 14", 16, 14, 64, 1, 1, 0},
                                           {"1x1 small", "32-32 14", 32, 14, 32, 1, 1, 0},
                                           {"1x1 small", "64-64 8", 64, 8, 64, 1, 1, 0},
                                           {"1x1 small", "64-64 7", 64, 7, 64, 1, 1, 0},
                                           {"1x1 small", "64-64 25x5", 64, 25, 64, 1, 1, 0, false, false, 5},
                                           {"1x1 small", "128-128 6", 128, 6, 128, 1, 1, 0},
                                           {"1x1 small", "160-960 7", 160, 7, 960, 1, 1, 0},
                                           {"1x1 small", "960-160 7", 960, 7, 160, 1, 1, 0},
                                           {"3x3 small", "16-16 32", 16, 32, 16, 3, 1, 1},
                                           {"3x3 small", "32-32 16", 32, 16, 32, 3, 1, 1},
                                           {"3x3 small", "64-64 8", 64, 8, 64, 3, 1, 1},
                                           {"3x3 small", "16-16 14", 16, 14, 16, 3, 1, 1},
                                           {"3x3s2", "16-32 32", 16, 32, 32, 3, 2, 1},
                                           {"3x3s2", "64-128 56", 64, 56, 128, 3, 2, 1},
                                           {"3x3s2", "128-128 56", 128, 56, 128, 3, 2, 1},
                                           {"3x3s2", "256-512 14", 256, 14, 512, 3, 2, 1}})
    all.push_back(l);
  return all;
}

using buffer = hwy::AlignedFreeUniquePtr<float[]>;
buffer numbers(std::int64_t count) {
  buffer b = hwy::AllocateAligned<float>(static_cast<std::size_t>(count) + 16);
  for (std::int64_t i = 0; i < count; ++i) b[static_cast<std::size_t>(i)] = static_cast<float>(i % 17) * 0.01f - 0.08f;
  return b;
}

/// A layer with its memory, computed by F(m, 3) or directly.
struct bench {
  op::conv2d op;
  int m;
  extents in_shape;
  buffer in, out, weights, bias, scratch;
  std::int64_t scratch_size = 0, weights_size, copies = 1, next = 0;
  const_tensor x;
  tensor y;
  double flops, best = 1e9;

  bench(const layer& l, int by, std::int64_t apart)
      : m(by), in_shape{l.channels, l.size, l.width > 0 ? l.width : l.size} {
    op.out = l.out;
    op.kernel = {l.kernel, l.kernel_w > 0 ? l.kernel_w : l.kernel};
    op.stride = {l.stride, l.stride};
    op.pad = {l.pad, l.pad, l.pad, l.pad};
    op.groups = l.depthwise ? l.channels : 1;
    op.activation.kind = function::relu;
    if (l.kernel_w > 0) op.same = same_padding::upper;
    extents out_shape;
    op.infer({&in_shape, 1}, {&out_shape, 1});
    in = numbers(in_shape.count());
    out = numbers(out_shape.count());
    const extents shape = op.weights({&in_shape, 1})[0].shape;
    weights_size = m == 0 ? packed_count(op, 0, shape) : winograd_packed_count(m, shape);
    copies = 1 + apart / (4 * weights_size);
    weights = numbers(weights_size * copies);
    if (m != 0) scratch_size = winograd_work_of(m, op, in_shape).scratch_size();
    scratch = numbers(scratch_size);
    bias = numbers(l.out);
    x = {in.get(), in_shape, l.planar ? layout::nchw : layout::nhwc, l.channels};
    y = {out.get(), out_shape, layout::nhwc, l.out};
    flops = 2.0 * static_cast<double>(op.macs({&in_shape, 1}, {&out_shape, 1}));
  }

  void run() {
    const float* w[2] = {weights.get() + next * weights_size, bias.get()};
    next = (next + 1) % copies;
    const std::span<float> own(scratch.get(), static_cast<std::size_t>(scratch_size));
    HWY_DYNAMIC_DISPATCH(run_layer)(m, op, {{&x, 1}, {&y, 1}, w}, scratch_memory(std::as_writable_bytes(own)));
  }
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measure(const char* name, int rounds, const std::string& net, std::int64_t apart) {
  std::vector<layer> all = layers();
  if (!net.empty()) std::erase_if(all, [&](const layer& l) { return l.net.find(net) == std::string::npos; });
  std::vector<bench> benches;
  std::vector<std::size_t> first;  // of a layer's
  for (const layer& l : all) {
    first.push_back(benches.size());
    benches.emplace_back(l, 0, apart);
    const bool dense = l.kernel == 3 && l.stride == 1 && !l.depthwise && !l.planar;
    for (int m = 2; dense && m <= 6; m += 2) benches.emplace_back(l, m, apart);
  }
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
    const bench& b = benches[first[i]];
    std::printf("%-11s %-18s %8.1f us %6.1f GFLOP/s %5.1f %%", all[i].net.c_str(), all[i].name.c_str(), b.best * 1e6,
                b.flops / b.best * 1e-9, 100 * b.flops / b.best / peak);
    for (std::size_t k = first[i]; k < benches.size() && benches[k].in_shape.rank != 0 && k < first[i] + 4; ++k) {
      if (i + 1 < all.size() && k >= first[i + 1]) break;
      const bool taken = winograd_size(b.op, b.in_shape) == benches[k].m;
      if (benches[k].m != 0) std::printf("  %.2f%s", b.best / benches[k].best, taken ? "*" : " ");
    }
    std::printf("\n");
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
    ctnn::ir::measure(hwy::TargetName(one), rounds, argc > 3 ? argv[3] : "", argc > 4 ? std::atoll(argv[4]) : 0);
  }
}
#endif
