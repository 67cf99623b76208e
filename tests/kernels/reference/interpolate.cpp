// SPDX-License-Identifier: BSL-1.0
// Values of torch.nn.functional.interpolate, and its formula in double precision.
#include "gives.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

namespace ctnn::test {
namespace {

constexpr bool interpolations() {
  const operand x{{1, 1, 3}, {one_to_nine, 3}}, y{{1, 2, 1}, {one_to_nine, 2}};
  const auto nearest = op::interpolation::nearest, bilinear = op::interpolation::bilinear;
  return gives(op::interpolate{nearest, {1, 6}}, {x}, {}, {1, 1, 2, 2, 3, 3}) &&
         gives(op::interpolate{nearest, {1, 5}}, {x}, {}, {1, 1, 2, 2, 3}) &&
         gives(op::interpolate{nearest, {2, 2}}, {x}, {}, {1, 2, 1, 2}) &&
         gives(op::interpolate{nearest, {0, 0}, {1, 1.5f}}, {x}, {}, {1, 1, 2, 3}) &&  // floor(i / 1.5)
         gives(op::interpolate{nearest, {1, 4}}, {x}, {}, {1, 1, 2, 3}) &&
         gives(op::interpolate{bilinear, {1, 6}}, {x}, {}, {1, 1.25f, 1.75f, 2.25f, 2.75f, 3}) &&
         gives(op::interpolate{bilinear, {4, 1}}, {y}, {}, {1, 1.25f, 1.75f, 2}) &&
         gives(op::interpolate{bilinear, {1, 5}, {0, 0}, true}, {x}, {}, {1, 1.5f, 2, 2.5f, 3}) &&
         gives(op::interpolate{bilinear, {3, 1}, {0, 0}, true}, {y}, {}, {1, 1.5f, 2}) &&
         gives(op::interpolate{bilinear, {1, 1}, {0, 0}, true}, {x}, {}, {1}) &&
         gives(op::interpolate{bilinear, {1, 1}}, {x}, {}, {2});
}
static_assert(interpolations());

}  // namespace

TEST_CASE("interpolate by hand") { CHECK(interpolations()); }

TEST_CASE("bilinear positions are the formula's") {
  for (int in = 1; in < 20; ++in)
    for (int out = 1; out < 40; ++out)
      for (bool corners : {false, true})
        for (int i = 0; i < out; ++i) {
          const op::interpolate p{op::interpolation::bilinear, {out, out}, {0, 0}, corners};
          const interpolation_tap t = tap_of(p, 0, in, out, i);
          const double at = corners ? (out > 1 ? i * (in - 1.0) / (out - 1) : 0) : (i + 0.5) * in / out - 0.5;
          const double inside = std::clamp(at, 0.0, in - 1.0);
          REQUIRE(t.first + static_cast<double>(t.weight) * (t.second - t.first) ==
                  doctest::Approx(inside).epsilon(1e-6));
          REQUIRE(t.second < in);
        }
}

}  // namespace ctnn::test
