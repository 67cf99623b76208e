// SPDX-License-Identifier: BSL-1.0
// Fourier transforms against their definition, windows against hand values.
#include "run_typed.hpp"

#include <numbers>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("transforms of any length") {
  for (int n : {1, 2, 3, 5, 8, 12, 16, 31}) {
    const array x = counting<float>({1, n, 1}, 0.25f);
    std::vector<float> want;
    for (int k = 0; k < n; ++k) {
      double re = 0, im = 0;
      for (int i = 0; i < n; ++i) {
        const double angle = -2 * std::numbers::pi * k * i / n;
        re += 0.25 * i * std::cos(angle);
        im += 0.25 * i * std::sin(angle);
      }
      want.push_back(static_cast<float>(re));
      want.push_back(static_cast<float>(im));
    }
    const array y = run_typed(op::dft{1}, {x})[0];
    require_near(y, {1, n, 2}, want, 1e-5f);
    // And back.
    const array back = run_typed(op::dft{1, 0, true}, {y})[0];
    for (int i = 0; i < n; ++i) CHECK(back[static_cast<std::size_t>(2 * i)] == doctest::Approx(0.25 * i).epsilon(1e-4));
    // One side tells all of a real signal.
    op::dft half{1};
    half.onesided = true;
    const array one = run_typed(half, {x})[0];
    REQUIRE(one.shape() == extents{1, n / 2 + 1, 2});
    half.inverse = true;
    half.length = n;
    const array again = run_typed(half, {one})[0];
    REQUIRE(again.shape() == extents{1, n, 1});
    for (int i = 0; i < n; ++i) CHECK(again[static_cast<std::size_t>(i)] == doctest::Approx(0.25 * i).epsilon(1e-4));
  }
}

TEST_CASE("short-time transforms") {
  op::stft p;
  p.frame = 2;
  p.step = 1;
  require_near(run_typed(p, {make<float>({1, 3, 1}, {1, 2, 4}), make<float>({2}, {1, 0.5f})})[0], {1, 2, 2, 2},
               {2, 0, 0, 0, 4, 0, 0, 0});
}

TEST_CASE("windows") {
  require_near(run_typed(op::signal_window{op::window_kind::hann, 4, true}, {})[0], {4}, {0, 0.5f, 1, 0.5f});
  require_near(run_typed(op::signal_window{op::window_kind::blackman, 3, false}, {})[0], {3}, {0, 1, 0});
  require_near(run_typed(op::signal_window{op::window_kind::hamming, 2, true, dtype::f64}, {})[0], {2}, {4.0f / 46, 1});
}
