// SPDX-License-Identifier: BSL-1.0
// Convolutions of volumes of many shapes against the definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <doctest/doctest.h>

#include <ctnn/kernels/packing.hpp>
#include <ctnn/kernels/reference/convolution.hpp>
#include <ctnn/kernels/scratch.hpp>

#include "../check.hpp"
#include "../parts.hpp"

namespace ctnn::ir::test {

/// run(op, arguments, memory) on input `x`, in parts as well.
template <class Run>
void compare_volumes(const Run& run, const op::conv3d& p, const extents& x, bool residual = false) {
  extents y;
  REQUIRE(!p.infer({&x, 1}, {&y, 1}));
  random_numbers random(7);
  const auto many = [&](std::int64_t n) {
    std::vector<float> numbers(static_cast<std::size_t>(n));
    for (float& v : numbers) v = random(-1, 1);
    return numbers;
  };
  const extents filter = p.weights({&x, 1})[0].shape;
  const auto input = many(x.count()), added = many(y.count()), weight = many(filter.count()), bias = many(p.out);
  std::vector<float> packed(static_cast<std::size_t>(packed_count(p, 0, filter))), want(added.size());
  pack(p, 0, filter, weight.data(), packed.data());
  const const_tensor in[] = {{input.data(), x}, {added.data(), y}};
  const float *weights[] = {packed.data(), bias.data()}, *logical[] = {weight.data(), bias.data()};
  const auto arguments_of = [&](const tensor& out, const float* const* w) {
    return arguments{{in, residual ? 2u : 1u}, {&out, 1}, {w, p.bias ? 2u : 1u}};
  };
  const tensor defined{want.data(), y};
  reference::run(p, arguments_of(defined, logical));

  // What stands behind the memory that the operator asks for must stay.
  constexpr std::size_t behind = 64;
  const auto bytes = static_cast<std::size_t>(p.scratch({&x, 1}, {&y, 1}));
  std::vector<std::max_align_t> memory((bytes + behind) / sizeof(std::max_align_t) + 1);
  auto* const first = static_cast<std::byte*>(static_cast<void*>(memory.data()));
  std::fill(first + bytes, first + bytes + behind, std::byte{77});
  const auto with_memory = [&](const op::conv3d& op, const arguments& a) {
    run(op, a, scratch_memory({first, bytes}));
  };
  std::vector<float> whole;
  for (int parts : {1, 2, 3, 5, 7}) {
    std::vector<float> got(want.size(), -7.0f);
    const tensor out{got.data(), y};
    in_parts{with_memory, parts}(p, arguments_of(out, weights));
    if (whole.empty()) whole = got;
    CHECK(same_bits(whole, got));
  }
  CHECK(std::all_of(first + bytes, first + bytes + behind, [](std::byte b) { return b == std::byte{77}; }));
  CAPTURE(x.back(3));
  CAPTURE(p.out);
  CAPTURE(p.kernel[0]);
  CAPTURE(p.groups);
  require_close(whole, want, 1e-6f * (1 + 2 * std::sqrt(static_cast<float>(filter.count(1, 5)))));
}

template <class Run>
void sweep_volumes(const Run& run) {
  const auto windows = [](int out, std::array<int, 3> kernel, int groups = 1) {
    op::conv3d p;
    p.out = out;
    p.kernel = kernel;
    p.groups = groups;
    return p;
  };
  // Channels, few and many; kernels over some of the axes only.
  for (int out : {1, 3, 16, 21, 40})
    for (int c : {1, 3, 5, 16, 33}) {
      compare_volumes(run, windows(out, {3, 3, 3}), {c, 5, 6, 7});
      compare_volumes(run, windows(out, {1, 1, 1}), {2, c, 3, 4, 5}, true);
    }
  for (const std::array<int, 3>& kernel : {std::array{3, 1, 1}, {1, 3, 3}, {2, 2, 2}, {5, 3, 1}, {1, 5, 2}, {4, 1, 3}})
    for (int stride : {1, 2, 3})
      for (int dilation : {1, 2}) {
        op::conv3d p = windows(18, kernel);
        p.stride = {stride, 1, stride};
        p.dilation = {dilation, dilation, 1};
        p.pad = {2, 1, 0, 1, 2, 1};
        p.bias = stride != 2;
        p.activation = {function::relu};
        compare_volumes(run, p, {6, 9, 10, 21}, stride == 3);
        p.stride = {1, stride, 1};
        p.activation = {function::tanh};
        compare_volumes(run, p, {2, 4, 9, 11, 8}, true);
      }
  // Strips: rows of more numbers than a strip has room for, and a last one that is shorter.
  op::conv3d wide = windows(24, {3, 3, 3});
  wide.pad.fill(1);
  compare_volumes(run, wide, {24, 4, 37, 40}, true);
  wide.stride = {2, 2, 2};
  compare_volumes(run, wide, {24, 5, 37, 40});
  wide.dilation = {2, 3, 1};
  compare_volumes(run, wide, {24, 6, 41, 30});
  // Padding wider than the volume: windows, and whole planes of them, that hold nothing else.
  op::conv3d far = windows(20, {2, 2, 2});
  far.pad = {5, 4, 3, 4, 5, 6};
  compare_volumes(run, far, {4, 2, 3, 2}, true);
  far.stride = {2, 3, 2};
  compare_volumes(run, far, {4, 2, 3, 2});
  far.same = same_padding::upper;
  compare_volumes(run, far, {4, 5, 6, 7});
  op::conv3d single = windows(3, {2, 3, 4});
  single.stride.fill(1 << 30);
  compare_volumes(run, single, {4, 2, 3, 4});
  // Groups, one filter a channel.
  for (int groups : {2, 4, 8})
    for (int out : {8, 32}) {
      op::conv3d p = windows(out, {3, 3, 3}, groups);
      p.pad.fill(1);
      compare_volumes(run, p, {8, 4, 5, 9}, true);
      p.stride = {2, 2, 2};
      compare_volumes(run, p, {3, 8, 4, 5, 9});
    }
  for (int c : {3, 16, 40}) {
    op::conv3d p = windows(c, {3, 3, 3}, c);
    p.pad = {1, 1, 1, 1, 1, 1};
    p.activation = {function::clip, 0, 6};
    compare_volumes(run, p, {c, 4, 6, 13});
    p.stride = {1, 2, 2};
    p.pad = {4, 1, 1, 4, 1, 1};
    compare_volumes(run, p, {2, c, 3, 6, 13}, true);
  }
}

}  // namespace ctnn::ir::test
