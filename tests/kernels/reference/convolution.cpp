// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr bool small_convolutions() {
  const float half[2] = {0.5f, -1};
  const operand x{{1, 3, 3}, one_to_nine};
  op::conv2d p;
  p.out = 1;
  p.kernel = {2, 2};
  if (!gives(p, {x}, {all_ones, half}, {12.5f, 16.5f, 24.5f, 28.5f})) return false;
  p.kernel = {3, 3};
  p.pad = {1, 1, 1, 1};
  p.bias = false;
  if (!gives(p, {x}, {all_ones}, {12, 21, 16, 27, 45, 33, 24, 39, 28})) return false;
  p.stride = {2, 2};
  if (!gives(p, {x}, {all_ones}, {12, 16, 24, 28})) return false;
  p.pad = {0, 0, 0, 0};
  p.kernel = {2, 2};
  p.stride = {1, 1};
  p.dilation = {2, 2};
  if (!gives(p, {x}, {all_ones}, {20})) return false;
  p.dilation = {1, 1};
  p.same = same_padding::upper;
  if (!gives(p, {x}, {one_to_nine}, {37, 47, 21, 67, 77, 33, 23, 26, 9})) return false;
  p.same = same_padding::lower;
  if (!gives(p, {x}, {one_to_nine}, {4, 11, 18, 18, 37, 47, 36, 67, 77})) return false;
  return true;
}
static_assert(small_convolutions());

constexpr bool groups_residual_activation() {
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {1, -1, 2, 3}, b[4] = {0, 10, 0, -20};
  op::conv2d p;
  p.out = 4;
  p.kernel = {1, 1};
  p.groups = 2;
  if (!gives(p, {{{2, 2, 2}, x}}, {w, b}, {1, 2, 3, 4, 9, 8, 7, 6, 10, 12, 14, 16, -5, -2, 1, 4})) return false;
  p.out = 1;
  p.groups = 1;
  p.bias = false;
  p.activation = {function::relu};
  const float residual[4] = {3, 4.5f, -10, 0};
  const float v[2] = {1, -1};                     // sums are -4 each
  op::conv2d last = p;
  last.residual_last = true;
  return gives(p, {{{2, 2, 2}, x}, {{1, 2, 2}, residual}}, {v}, {0, 0.5f, 0, 0}) &&
         gives(last, {{{2, 2, 2}, x}, {{1, 2, 2}, residual}}, {v}, {3, 4.5f, -10, 0}) &&
         gives(p, {{{2, 2, 1, 2}, x}}, {v}, {0, 0, 0, 0}) && gives(p, {{{2, 2, 1, 2}, x}}, {w + 2}, {11, 16, 31, 36});
}
static_assert(groups_residual_activation());

}  // namespace

TEST_CASE("conv2d by hand") {
  CHECK(small_convolutions());
  CHECK(groups_residual_activation());
}

TEST_CASE("conv2d is its definition in double precision") {
  unsigned state = 1;
  const auto random = [&] {
    return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 8388608.0f - 1;
  };
  for (int variant = 0; variant < 64; ++variant) {
    op::conv2d p;
    p.groups = variant % 4 == 3 ? 6 : variant % 3 + 1;
    p.out = p.groups * 2;
    p.kernel = {1 + variant % 3, 1 + variant % 4};
    p.stride = {1 + variant % 2, 1 + variant / 2 % 3};
    p.dilation = {1 + variant / 4 % 2, 1 + variant / 8 % 2};
    p.pad = {variant % 3, variant % 2, variant / 3 % 2, variant / 5 % 3};
    const extents in{2, 6, 7, 8};
    if (6 % p.groups != 0) continue;
    extents out[1];
    REQUIRE(!p.infer({&in, 1}, out));
    const auto fill = [&](std::int64_t n) {
      std::vector<float> v(static_cast<std::size_t>(n));
      for (float& f : v) f = random();
      return v;
    };
    const int group_in = 6 / p.groups, group_out = p.out / p.groups;
    const auto x = fill(in.count()), w = fill(std::int64_t{p.out} * group_in * p.kernel[0] * p.kernel[1]),
               b = fill(p.out);
    std::vector<float> y(static_cast<std::size_t>(out[0].count()));
    const const_tensor xs[1] = {{x.data(), in}};
    const tensor ys[1] = {{y.data(), out[0]}};
    const float* ws[2] = {w.data(), b.data()};
    reference::run(p, arguments{xs, ys, ws});
    std::size_t at = 0;
    for (int n = 0; n < 2; ++n)
      for (int o = 0; o < p.out; ++o)
        for (int i = 0; i < out[0][2]; ++i)
          for (int j = 0; j < out[0][3]; ++j) {
            double sum = static_cast<double>(b[static_cast<std::size_t>(o)]);
            for (int c = 0; c < group_in; ++c)
              for (int ky = 0; ky < p.kernel[0]; ++ky)
                for (int kx = 0; kx < p.kernel[1]; ++kx) {
                  const int yy = i * p.stride[0] - p.pad[0] + ky * p.dilation[0],
                            xx = j * p.stride[1] - p.pad[1] + kx * p.dilation[1];
                  if (yy < 0 || yy >= 7 || xx < 0 || xx >= 8) continue;
                  const int from = ((n * 6 + o / group_out * group_in + c) * 7 + yy) * 8 + xx;
                  const int weight = ((o * group_in + c) * p.kernel[0] + ky) * p.kernel[1] + kx;
                  sum += static_cast<double>(x[static_cast<std::size_t>(from)]) *
                         static_cast<double>(w[static_cast<std::size_t>(weight)]);
                }
            REQUIRE(std::abs(static_cast<double>(y[at++]) - sum) < 2e-6 * (1 + std::abs(sum)));
          }
  }
}

namespace {

constexpr bool transposed_convolutions() {
  const float w[4] = {1, 10, 100, 1000}, two[2] = {2, 3};
  op::conv_transpose2d row;  // a kernel of 1 x 3, two columns from one input to the next
  row.out = 1;
  row.kernel = {1, 3};
  row.stride = {1, 2};
  row.bias = false;
  op::conv_transpose2d cut = row;
  cut.pad = {0, 1, 0, 0};
  cut.output_padding = {0, 1};
  op::conv_transpose2d square = row;
  square.kernel = {2, 2};
  square.stride = {1, 1};
  op::conv_transpose2d points = row;
  points.out = 2;
  points.kernel = points.stride = {1, 1};
  op::conv_transpose2d grouped = points;
  grouped.groups = 2;
  grouped.kernel = {1, 2};
  return gives(row, {{{1, 1, 2}, {one_to_nine, 2}}}, {w}, {1, 10, 102, 20, 200}) &&
         gives(cut, {{{1, 1, 2}, {one_to_nine, 2}}}, {w}, {10, 102, 20, 200, 0}) &&
         gives(square, {{{1, 2, 2}, {one_to_nine, 4}}}, {all_ones}, {1, 3, 2, 4, 10, 6, 3, 7, 4}) &&
         gives(points, {{{2, 1, 1}, two}}, {w}, {302, 3020}) &&
         gives(grouped, {{{2, 1, 1}, two}}, {w}, {2, 20, 300, 3000});
}
static_assert(transposed_convolutions());

}  // namespace

TEST_CASE("conv_transpose2d by hand") { CHECK(transposed_convolutions()); }
