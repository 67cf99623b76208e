// SPDX-License-Identifier: BSL-1.0
// The pooling kernels against their reference, for every target this CPU has.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ctnn/kernels/walks/pooling_walk.hpp>

#include "sweeps/pooling.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("pooling on every target") {
  for_each_target([] {
    test::sweep_pooling(dispatched);
    test::sweep_other_pooling(dispatched);
  });
}

/// The reference and the kernels ask for these.
TEST_CASE("what a window has along an axis, tap by tap") {
  for (int i = 0; i < 6000; ++i) {
    test::random_numbers random(static_cast<unsigned>(i));
    window_axis a{.size = random.below(9),
                  .taps = 1 + random.below(6),
                  .stride = 1 + random.below(3),
                  .dilation = 1 + random.below(3),
                  .before = random.below(7),
                  .after = random.below(7)};
    op::pool p;
    p.count_include_pad = random.below(2) == 1;
    p.divisor_whole = random.below(3) == 0;
    const int at = random.below(5);
    std::vector<int> inside;
    int counted = 0;
    for (int t = 0; t < a.taps; ++t) {
      const int position = at * a.stride - a.before + t * a.dilation;
      const bool is_inside = position >= 0 && position < a.size;
      if (is_inside) inside.push_back(position);
      counted += p.divisor_whole || (p.count_include_pad ? position < a.size + a.after : is_inside);
    }
    const pooling_window w = pool_window_at(p, a, at);
    CAPTURE(i);
    REQUIRE(w.cells == static_cast<int>(inside.size()));
    REQUIRE(w.divisor == counted);
    for (std::size_t k = 0; k < inside.size(); ++k) REQUIRE(w.first + static_cast<int>(k) * w.step == inside[k]);
  }
}

/// Padding makes room for windows of any width: only cells that are there take time.
TEST_CASE("windows much wider than what they are over") {
  std::vector<float> x(2 * 3 * 5), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 30);
  op::pool p;
  p.kernel = {1 << 28, 1 << 28};
  p.stride = {1};
  p.same = same_padding::upper;
  p.p = 1;
  const auto check = [&](op::pooling function, layout order, auto&& run) {
    p.function = function;
    const const_tensor in{x.data(), {2, 3, 5}, order, 2};
    const tensor out{y.data(), {2, 3, 5}, order, 2};
    run(p, arguments{{&in, 1}, {&out, 1}, {}});
    for (std::size_t c = 0; c < 2; ++c) {  // a plane has one answer
      const auto at = [&](std::size_t i) { return order == layout::nchw ? c * 15 + i : i * 2 + c; };
      float sum = 0, most = 0;
      for (std::size_t i = 0; i < 15; ++i) {
        sum += x[at(i)];
        most = std::max(most, x[at(i)]);
      }
      const float want = function == op::pooling::max ? most : function == op::pooling::lp ? sum : sum / 15;
      for (std::size_t i = 0; i < 15; ++i) CHECK(y[at(i)] == doctest::Approx(want));
    }
  };
  const auto plain = [](const op::pool& q, const arguments& a) { reference::run(q, a); };
  for (const op::pooling function : {op::pooling::max, op::pooling::average, op::pooling::lp})
    check(function, layout::nchw, plain);
  for_each_target([&] {
    for (const op::pooling function : {op::pooling::max, op::pooling::average}) {
      check(function, layout::nchw, dispatched);
      check(function, layout::nhwc, dispatched);
    }
    check(op::pooling::lp, layout::nchw, dispatched);
  });
}

TEST_CASE("windows over nothing but padding") {
  op::pool p;
  p.kernel = {2, 2};
  p.pad = {1};
  p.function = op::pooling::average;
  p.count_include_pad = true;
  float y[4];
  const const_tensor in{nullptr, {1, 0, 3}};
  const tensor out{y, {1, 1, 4}};
  const auto check = [&](auto&& run) {
    std::fill(std::begin(y), std::end(y), 1.0f);
    run(p, arguments{{&in, 1}, {&out, 1}, {}});
    for (const float v : y) CHECK(v == 0);
  };
  check([](const op::pool& q, const arguments& a) { reference::run(q, a); });
  for_each_target([&] { check(dispatched); });
}
