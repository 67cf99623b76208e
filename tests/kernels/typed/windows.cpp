// SPDX-License-Identifier: BSL-1.0
// Convolutions and pooling over one to three axes.
#include "run_typed.hpp"

namespace ctnn {

using namespace test;

TEST_CASE("convolution over one, two and three axes") {
  op::convolution p;
  require_near(run_typed(p, {make<float>({1, 1, 4}, {1, 2, 3, 4}), make<float>({1, 1, 2}, {1, 10})})[0], {1, 1, 3}, {21, 32, 43});
  p.before = {1};
  p.after = {0};
  p.stride = {2};
  require_near(run_typed(p, {make<double>({1, 1, 4}, {1, 2, 3, 4}), make<double>({1, 1, 2}, {1, 10}), make<double>({1}, {5})})[0], {1, 1, 2}, {15, 37});
  op::convolution q;
  q.groups = 2;
  q.same = same_padding::upper;
  require_near(run_typed(q, {make<float>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), make<float>({2, 1, 2, 2}, {1, 1, 1, 1, 1, 0, 0, 0})})[0], {1, 2, 2, 2},
               {10, 6, 7, 4, 5, 6, 7, 8});
  op::convolution r;
  r.dilation = {1, 1, 2};
  require_near(run_typed(r, {counting<float>({1, 1, 2, 1, 3}), make<float>({1, 1, 2, 1, 2}, {1, 1, 1, 1})})[0], {1, 1, 1, 1, 1}, {10});
}

TEST_CASE("transposed convolution") {
  op::conv_transpose p;
  const array x = make<float>({1, 1, 2}, {1, 2}), w = make<float>({1, 1, 3}, {1, 10, 100});
  require_near(run_typed(p, {x, w})[0], {1, 1, 4}, {1, 12, 120, 200});
  p.stride = {2};
  require_near(run_typed(p, {x, w, make<float>({1}, {1000})})[0], {1, 1, 5}, {1001, 1010, 1102, 1020, 1200});
  p.more = {1};
  p.before = p.after = {1};
  require_near(run_typed(p, {x, w})[0], {1, 1, 4}, {10, 102, 20, 200});
  op::conv_transpose s;
  s.stride = {2, 2};
  s.same = same_padding::upper;
  const array ones = make<float>({1, 1, 2, 2}, {1, 1, 1, 1});
  require_near(run_typed(s, {ones, make<float>({1, 1, 2, 2}, {1, 2, 3, 4})})[0], {1, 1, 4, 4}, {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4});
  op::conv_transpose g;
  g.groups = 2;
  require_near(run_typed(g, {make<float>({1, 2, 1}, {1, 2}), make<float>({2, 2, 1}, {1, 2, 3, 4})})[0], {1, 4, 1}, {1, 2, 6, 8});
  // A convolution and its transpose are adjoint: <conv(x), y> = <x, transpose(y)>.
  op::convolution c;
  c.stride = {2, 1};
  c.before = c.after = {1, 0};
  op::conv_transpose t;
  static_cast<op::sliding&>(t) = c;
  t.size = {5, 4};
  const array a = counting<float>({1, 2, 5, 4}, 0.25f), k = counting<float>({3, 2, 3, 2}, 0.125f);
  const array ca = run_typed(c, {a, k})[0], y = counting<float>(ca.shape(), 0.5f);
  t.size = {};
  const array ty = run_typed(t, {y, k})[0];
  REQUIRE(ty.shape() == a.shape());
  double left = 0, right = 0;
  for (std::size_t i = 0; i < ca.size(); ++i) left += double{ca[i]} * y[i];
  for (std::size_t i = 0; i < a.size(); ++i) right += double{a[i]} * ty[i];
  CHECK(left == doctest::Approx(right));
}

TEST_CASE("pooling: largest with positions, averages, norms") {
  op::pool_nd p;
  p.kernel = {2, 2};
  p.indices = true;
  const array x = make<float>({1, 1, 2, 3}, {1, 5, 2, 3, 4, 6});
  auto y = run_typed(p, {x});
  require_near(y[0], {1, 1, 1, 2}, {5, 6});
  require_equal<std::int64_t>(y[1], {1, 1, 1, 2}, {1, 5});
  p.column_major = true;
  y = run_typed(p, {x});
  require_equal<std::int64_t>(y[1], {1, 1, 1, 2}, {2, 5});
  require_equal<std::uint8_t>(run_typed(op::pool_nd{{}, op::pool_function::max, {2}}, {make<std::uint8_t>({1, 1, 3}, {9, 200, 7})})[0], {1, 1, 2}, {200, 200});
  op::pool_nd average;
  average.function = op::pool_function::average;
  average.kernel = {2};
  average.before = average.after = {1};
  average.stride = {2};
  require_near(run_typed(average, {make<float>({1, 1, 4}, {1, 2, 3, 4})})[0], {1, 1, 3}, {1, 2.5f, 4});
  average.count_include_pad = true;
  require_near(run_typed(average, {make<float>({1, 1, 4}, {1, 2, 3, 4})})[0], {1, 1, 3}, {0.5f, 2.5f, 2});
  op::pool_nd lp;
  lp.function = op::pool_function::lp;
  lp.kernel = {2};
  require_near(run_typed(lp, {make<float>({1, 1, 2}, {3, -4})})[0], {1, 1, 1}, {5});
}

TEST_CASE("unpooling and folding blocks") {
  require_near(run_typed(op::max_unpool{{2, 2}}, {make<float>({1, 1, 1, 1}, {7}), make<std::int64_t>({1, 1, 1, 1}, {2})})[0], {1, 1, 2, 2}, {0, 0, 7, 0});
  op::fold_blocks f;
  f.image = {3};
  f.block = {2};
  require_near(run_typed(f, {make<float>({1, 2, 2}, {1, 2, 10, 20})})[0], {1, 1, 3}, {1, 12, 20});
}

TEST_CASE("deformed convolution with no offsets is a convolution") {
  op::deform_conv p;
  op::convolution c;
  p.before = p.after = c.before = c.after = {1, 1};
  const array x = counting<float>({1, 2, 3, 3}), w = counting<float>({2, 2, 3, 3}, 0.25f);
  const array want = run_typed(c, {x, w})[0];
  array zero({1, 18, 3, 3});
  require_near(run_typed(p, {x, w, zero})[0], {1, 2, 3, 3}, std::vector<float>(want.data(), want.data() + want.size()), 1e-5f);
}

}  // namespace ctnn
