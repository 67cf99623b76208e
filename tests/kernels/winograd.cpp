// SPDX-License-Identifier: BSL-1.0
// conv2d by F(2, 3), F(4, 3) and F(6, 3) against double precision, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/winograd.cpp"
#include <hwy/foreach_target.h>

#include <ctnn/kernels/vectors/winograd-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_by(int m, const op::conv2d& p, const arguments& a, scratch_memory memory) {
  run_winograd(m, p, a, memory);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <algorithm>
#include <limits>
#include <string>

#include "convolution_cases.hpp"
#include "dispatched_targets.hpp"

namespace ctnn::ir {

HWY_EXPORT(run_by);

namespace {

/// The memory is exactly what the plan would find, and what was there before does not count.
template <int M>
void by_size(const op::conv2d& p, const arguments& a) {
  const auto count = static_cast<std::size_t>(winograd_work_of(M, p, a.in[0].shape).scratch_size());
  std::vector<float> memory(count + 16, std::numeric_limits<float>::quiet_NaN());
  HWY_DYNAMIC_DISPATCH(run_by)(M, p, a, scratch_memory(std::as_writable_bytes(std::span<float>(memory.data(), count))));
  for (std::size_t i = count; i < memory.size(); ++i) REQUIRE(std::isnan(memory[i]));
}

void check(convolution_case t) {
  for (const op::winograd_use use : {op::winograd_use::packed, op::winograd_use::each_run})
    for (t.size = 2; t.size <= 6; t.size += 2) {
      CAPTURE(t.size);
      t.op.winograd = use;
      check_convolution(t, t.size == 2 ? by_size<2> : t.size == 4 ? by_size<4> : by_size<6>);
      if (t.residual) check_convolution(t, t.size == 2 ? by_size<2> : t.size == 4 ? by_size<4> : by_size<6>, true);
    }
}

op::conv2d with_pads(int out, int top, int left, int bottom, int right) {
  op::conv2d p = convolution(out, 3, 1, 0);
  p.pad = {top, left, bottom, right};
  return p;
}

}  // namespace

TEST_CASE("maps of 1 x 1 to 13 x 13, with padding and without") {
  for_each_dispatched_target([] {
    for (int size = 1; size <= 13; ++size) {
      check({convolution(18, 3, 1, 1), {5, size, 14 - size}});
      check({convolution(16, 3, 1, 1), {16, size, size}, layout::nhwc, 0, 0, true});
      if (size >= 3) check({convolution(5, 3, 1, 0), {9, size, size}});
    }
  });
}
TEST_CASE("channels that are no multiple of a vector, pitches, long sums") {
  for_each_dispatched_target([] {
    for (int c : {1, 3, 8, 15, 17, 33})
      for (int o : {1, 7, 16, 17, 40, 64, 70, 100, 130})
        check({convolution(o, 3, 1, 1), {c, 7, 9}, layout::nhwc, 3, 5, o % 2 == 0});
    check({convolution(40, 3, 1, 1), {600, 5, 9}});
    check({convolution(24, 3, 1, 1), {16, 41, 37}, layout::nhwc, 0, 0, true});  // several blocks of tiles
    check({convolution(200, 3, 1, 1), {70, 5, 9}, layout::nhwc, 0, 0, true});   // parts of the outputs
  });
}
TEST_CASE("padding on any side, batches, no bias") {
  for_each_dispatched_target([] {
    check({with_pads(9, 0, 1, 2, 3), {6, 7, 8}});
    check({with_pads(9, 3, 2, 0, 1), {6, 7, 8}});
    check({with_pads(9, 7, 0, 9, 11), {6, 3, 4}});  // tiles without any input
    check({with_pads(9, 2, 0, 0, 2), {6, 1, 1}});
    op::conv2d p = convolution(20, 3, 1, 1);
    p.bias = false;
    check({p, {3, 12, 5, 6}, layout::nhwc, 2, 1, true});
    p.same = same_padding::lower;
    p.pad = {};
    check({p, {2, 12, 9, 8}});
  });
}
TEST_CASE("with each activation, and accumulating in place") {
  for_each_dispatched_target([] {
    for (const activation_function& f : activations_to_try) {
      op::conv2d p = convolution(21, 3, 1, 1);
      p.activation = f;
      check({p, {6, 7, 6}, layout::nhwc, 0, 3, true});
      check({p, {6, 7, 6}});
    }
  });
}

TEST_CASE("few tiles at a time make the same bits, in no more memory than the layer may take") {
  for_each_dispatched_target([] {
    for (const op::winograd_use use : {op::winograd_use::packed, op::winograd_use::each_run})
      for (const extents& shape : {extents{16, 40, 37}, extents{48, 21, 20}})
        for (const int m : {2, 4, 6}) {
          CAPTURE(m);
          op::conv2d p = convolution(80, 3, 1, 1);
          p.winograd = use;
          const bool by_taps = use == op::winograd_use::each_run;
          const extents weight{80, shape[0], 3, 3};
          const auto numbers = [](std::int64_t count) {
            std::vector<float> all(static_cast<std::size_t>(count));
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i * 7919 % 1009) / 504 - 1;
            return all;
          };
          const std::vector<float> x = numbers(shape.count()), bias = numbers(80),
                                   w = numbers(by_taps ? packed_count(p, 0, weight) : winograd_packed_count(m, weight));
          const const_tensor in{x.data(), shape, layout::nhwc, shape[0]};
          const float* weights[] = {w.data(), bias.data()};
          const auto run = [&](int parts) {
            std::vector<float> y(static_cast<std::size_t>(80 * shape[1] * shape[2]));
            const tensor out{y.data(), {80, shape[1], shape[2]}, layout::nhwc, 80};
            const auto size = static_cast<std::size_t>(winograd_work_of(m, p, shape).scratch_size());
            std::vector<float> memory(size);
            for (int i = 0; i < parts; ++i) HWY_DYNAMIC_DISPATCH(run_by)
            (m, p, {{&in, 1}, {&out, 1}, weights, {i, parts}},
             scratch_memory(std::as_writable_bytes(std::span(memory))));
            return y;
          };
          const winograd_work all = winograd_work_of(m, p, shape);
          const std::vector<float> wanted = run(1);
          for (const std::int64_t tiles : {1, 5, 12, 31}) {
            p.winograd_bytes =
                static_cast<int>(4 * all.area * (tiles * (all.depth + all.chunk) + 32 + all.weights_stride()));
            const winograd_work few = winograd_work_of(m, p, shape);
            CAPTURE(tiles);
            REQUIRE(few.parts >= 1);
            CHECK((4 * few.scratch_size() <= p.winograd_bytes || few.scratch_size() == all.scratch_size()));
            for (const int parts : {1, 3}) CHECK(run(parts) == wanted);
          }
          p.winograd_bytes = 64;
          CHECK(winograd_work_of(m, p, shape).parts == 0);
          p.winograd_bytes = 0;
        }
  });
}

TEST_CASE("parts of the work write to parts of the memory") {
  for_each_dispatched_target([] {
    for (const op::winograd_use use : {op::winograd_use::packed, op::winograd_use::each_run})
      for (const extents& shape : {extents{16, 14, 14}, extents{16, 40, 40}, extents{16, 3, 5}, extents{600, 14, 14}})
        for (int m : {2, 4, 6})
          for (int outs : {16, 200}) {
            op::conv2d p = convolution(outs, 3, 1, 1);
            p.winograd = use;
            const winograd_work work = winograd_work_of(m, p, shape);
            const std::vector<float> x(static_cast<std::size_t>(shape.count()), 1.0f),
                bias(static_cast<std::size_t>(outs), 0.0f),
                w(static_cast<std::size_t>(winograd_packed_count(m, {outs, shape[0], 3, 3})), 1.0f);
            std::vector<float> y(static_cast<std::size_t>(outs * shape[1] * shape[2]));
            const const_tensor in{x.data(), shape, layout::nhwc, shape[0]};
            const tensor out{y.data(), {outs, shape[1], shape[2]}, layout::nhwc, outs};
            const float* weights[] = {w.data(), bias.data()};
            for (int parts : {1, 2, 3, 7, 40}) {
              std::size_t before = 0;
              for (int i = 0; i < parts; ++i) {
                std::vector<float> memory(static_cast<std::size_t>(work.scratch_size()), untouched);
                HWY_DYNAMIC_DISPATCH(run_by)
                (m, p, {{&in, 1}, {&out, 1}, weights, {i, parts}},
                 scratch_memory(std::as_writable_bytes(std::span(memory))));
                const auto is_used = [](float v) { return v != untouched; };
                const auto first = std::find_if(memory.begin(), memory.end(), is_used);
                if (first == memory.end()) continue;
                CHECK(static_cast<std::size_t>(first - memory.begin()) >= before);
                before = static_cast<std::size_t>(std::find_if(memory.rbegin(), memory.rend(), is_used).base() -
                                                  memory.begin());
              }
            }
          }
  });
}

TEST_CASE("a weight's transform: sums over points are those of the filter") {
  // Lavin and Gray's G of F(2, 3), and for all the values of the filter's polynomial at 0 and infinity.
  const float filter[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const extents shape{1, 1, 3, 3};
  std::vector<float> u(static_cast<std::size_t>(winograd_packed_count(2, shape)));
  pack_winograd(2, shape, filter, u.data());
  const auto at = [&](int i, int j) { return u[static_cast<std::size_t>((i * 4 + j) * channel_block)]; };
  CHECK(at(0, 0) == -1.0f * -1.0f * 1);
  CHECK(at(3, 3) == 9.0f);
  CHECK(at(1, 1) == 45.0f / 4);
  CHECK(at(2, 2) == (1 - 2 + 3 - 4 + 5 - 6 + 7 - 8 + 9) / 4.0f);
  static_assert(ir::detail::winograd_matrix<4>.bt[1][4] == 1 && ir::detail::winograd_matrix<4>.bt[1][2] == -4);
  static_assert(ir::detail::winograd_matrix<6>.bt[0][2] == 5.25 && ir::detail::winograd_matrix<6>.at[5][3] == 32);
}

}  // namespace ctnn::ir
#endif
