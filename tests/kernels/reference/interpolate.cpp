// SPDX-License-Identifier: BSL-1.0
// Values of torch.nn.functional.interpolate, and its formula in double precision.
#include "gives.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <ctnn/kernels/walks/interpolation_walk.hpp>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr bool interpolations() {
  const operand x{{1, 1, 3}, {one_to_nine, 3}}, y{{1, 2, 1}, {one_to_nine, 2}};
  const auto nearest = op::interpolation::nearest, bilinear = op::interpolation::linear;
  return gives(op::interpolate{nearest, 2, {1, 6}}, {x}, {}, {1, 1, 2, 2, 3, 3}) &&
         gives(op::interpolate{nearest, 2, {1, 5}}, {x}, {}, {1, 1, 2, 2, 3}) &&
         gives(op::interpolate{nearest, 2, {2, 2}}, {x}, {}, {1, 2, 1, 2}) &&
         gives(op::interpolate{nearest, 2, {0, 0}, {1, 1.5f}}, {x}, {}, {1, 1, 2, 3}) &&  // floor(i / 1.5)
         gives(op::interpolate{nearest, 2, {1, 4}}, {x}, {}, {1, 1, 2, 3}) &&
         gives(op::interpolate{bilinear, 2, {1, 6}}, {x}, {}, {1, 1.25f, 1.75f, 2.25f, 2.75f, 3}) &&
         gives(op::interpolate{bilinear, 2, {4, 1}}, {y}, {}, {1, 1.25f, 1.75f, 2}) &&
         gives(op::interpolate{bilinear, 2, {1, 5}, {0.0}, op::coordinates::align_corners}, {x}, {},
               {1, 1.5f, 2, 2.5f, 3}) &&
         gives(op::interpolate{bilinear, 2, {3, 1}, {0.0}, op::coordinates::align_corners}, {y}, {}, {1, 1.5f, 2}) &&
         gives(op::interpolate{bilinear, 2, {1, 1}, {0.0}, op::coordinates::align_corners}, {x}, {}, {1}) &&
         gives(op::interpolate{bilinear, 2, {1, 1}}, {x}, {}, {2});
}
static_assert(interpolations());

constexpr bool other_axes() {
  const operand x{{1, 3}, {one_to_nine, 3}}, cube{{1, 1, 1, 2}, {one_to_nine, 2}}, four{{1, 4}, {one_to_nine, 4}};
  op::interpolate cubic{op::interpolation::cubic, 1, {2}}, thin{op::interpolation::linear, 1, {2}};
  thin.antialias = true;
  const op::interpolate by_scale{op::interpolation::linear, 1, {0}, {1.5}, op::coordinates::asymmetric};
  return gives(op::interpolate{op::interpolation::nearest, 1, {6}}, {x}, {}, {1, 1, 2, 2, 3, 3}) &&
         gives(op::interpolate{op::interpolation::linear, 3, {1, 2, 4}}, {cube}, {},
               {1, 1.25f, 1.75f, 2, 1, 1.25f, 1.75f, 2}) &&
         gives(by_scale, {x}, {}, {1, 1.6666666f, 2.3333333f, 3}) && gives(cubic, {four}, {}, {1.40625f, 3.59375f}) &&
         gives(thin, {four}, {}, {1.625f, 3.375f});
}
static_assert(other_axes());

}  // namespace

TEST_CASE("interpolate by hand") {
  CHECK(interpolations());
  CHECK(other_axes());
}

TEST_CASE("bilinear positions are the formula's") {
  for (int in = 1; in < 20; ++in)
    for (int out = 1; out < 40; ++out)
      for (bool corners : {false, true})
        for (int i = 0; i < out; ++i) {
          op::interpolate p{op::interpolation::linear, 2, {out, out}};
          if (corners) p.coordinates = op::coordinates::align_corners;
          const interpolation_tap t = tap_of(p, 0, in, out, i);
          const double at = corners ? (out > 1 ? i * (in - 1.0) / (out - 1) : 0) : (i + 0.5) * in / out - 0.5;
          const double inside = std::clamp(at, 0.0, in - 1.0);
          REQUIRE(t.first + static_cast<double>(t.weight) * (t.second - t.first) ==
                  doctest::Approx(inside).epsilon(1e-6));
          REQUIRE(t.second < in);
        }
}
