// SPDX-License-Identifier: BSL-1.0
// Matrix products of many sizes against double loops.
#pragma once

#include <algorithm>

#include <doctest/doctest.h>

#include <ctnn/kernels/walks/matmul_walk.hpp>

#include "../check.hpp"
#include "../parts.hpp"

namespace ctnn::ir::test {

template <class Run>
void compare_matmul(const Run& run, const extents& x, const extents& z, const op::matmul& p = {}) {
  const extents shapes[] = {x, z};
  extents y;
  REQUIRE(!p.infer(shapes, {&y, 1}));
  random_numbers random(7);
  std::vector<float> a(static_cast<std::size_t>(x.count())), b(static_cast<std::size_t>(z.count()));
  std::vector<float> got(static_cast<std::size_t>(y.count())), want(got.size());
  for (float& v : a) v = random(-1, 1);
  for (float& v : b) v = random(-1, 1);
  const const_tensor in[] = {{a.data(), x}, {b.data(), z}};
  const tensor out{got.data(), y};
  const arguments all{in, {&out, 1}, {}};
  std::vector<std::vector<float>> by_parts;
  for (int parts : part_counts) {
    std::fill(got.begin(), got.end(), -7.0f);
    in_parts{run, parts}(p, all);
    by_parts.push_back(got);
  }
  run(p, all);
  for (const auto& z : by_parts) CHECK(same_bits(got, z));
  const matmul_walk w(p, x, z);
  for (std::int64_t m = 0; m < w.matrices; ++m)
    for (int r = 0; r < w.rows; ++r)
      for (int c = 0; c < w.columns; ++c) {
        double sum = 0;
        for (int k = 0; k < w.depth; ++k)
          sum += double{a[static_cast<std::size_t>(w.offsets(m).a + (p.transpose_a ? std::int64_t{k} * w.rows + r
                                                                                   : std::int64_t{r} * w.depth + k))]} *
                 b[static_cast<std::size_t>(w.offsets(m).b + (p.transpose_b ? std::int64_t{c} * w.depth + k
                                                                            : std::int64_t{k} * w.columns + c))];
        want[static_cast<std::size_t>((m * w.rows + r) * w.columns + c)] = static_cast<float>(sum * double{p.scale});
      }
  require_close(got, want, 2e-5f);
}

template <class Run>
void sweep_matmul(const Run& run) {
  random_numbers random(1);
  for (int n : {1, 2, 3, 7, 15, 16, 17, 33, 63, 64, 65, 130})
    for (int m : {1, 2, 6, 13}) {
      const int k = 1 + random.below(40);
      compare_matmul(run, {m, k}, {k, n});
    }
  compare_matmul(run, {5, 700}, {700, 40});
  compare_matmul(run, {2, 3, 4, 5}, {5, 6});
  compare_matmul(run, {3, 4, 5}, {2, 1, 5, 6});
  compare_matmul(run, {2, 1, 4, 5}, {3, 5, 6});
  compare_matmul(run, {7}, {7});
  compare_matmul(run, {7}, {2, 7, 3});
  compare_matmul(run, {2, 3, 7}, {7});
  for (int n : {1, 5, 17, 70})
    for (int m : {1, 5, 13}) {
      compare_matmul(run, {19, m}, {19, n}, {true, false});
      compare_matmul(run, {m, 19}, {n, 19}, {false, true, 0.5f});
      compare_matmul(run, {3, 19, m}, {2, 1, n, 19}, {true, true, -2});
    }
  compare_matmul(run, {1300, 7}, {1300, 40}, {true, false});
  compare_matmul(run, {150, 101}, {150, 70}, {true, false});
  compare_matmul(run, {130, 70}, {90, 130}, {true, true});
  compare_matmul(run, {1, 300}, {300, 200});
  compare_matmul(run, {3, 300}, {300, 200}, {false, false, 0.5f});
  for (int n : {31, 32, 33, 64, 200}) {
    compare_matmul(run, {1, 37}, {37, n}, {false, false, 0.5f});
    compare_matmul(run, {64, 1}, {64, n}, {true, false, -2});
    compare_matmul(run, {3, 1, 8}, {3, 8, n});
    compare_matmul(run, {1, 150}, {n, 150}, {false, true, 0.5f});
  }
  for (int depth : {1, 3, 4, 8, 31, 64, 151, 1024})
    for (int n : {1, 3, 4, 8, 15, 40, 100}) {
      compare_matmul(run, {1, depth}, {n, depth}, {false, true, depth == 8 ? 0.3f : 1.0f});
      compare_matmul(run, {n, depth}, {depth, 1}, {false, false, depth == 8 ? 0.3f : 1.0f});
      compare_matmul(run, {2, n, depth}, {1, depth}, {false, true});
    }
}

}  // namespace ctnn::ir::test
