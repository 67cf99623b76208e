// SPDX-License-Identifier: BSL-1.0
// Resizing and sampling between the elements.
#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

op::interpolate to(op::interpolation mode, op::coordinates c, int in, int out) {
  op::interpolate p;
  p.mode = mode;
  p.coordinates = c;
  p.axes = 1;
  p.size = {out};
  p.scale = {static_cast<double>(out) / in};
  p.rounding = op::rounding::round_prefer_floor;
  return p;
}

}  // namespace

TEST_CASE("resizing a line") {
  using enum op::interpolation;
  using enum op::coordinates;
  const array x = make<float>({2}, {1, 2});
  require_near(run_typed(to(nearest, half_pixel, 2, 4), {x})[0], {4}, {1, 1, 2, 2});
  require_near(run_typed(to(linear, half_pixel, 2, 4), {x})[0], {4}, {1, 1.25f, 1.75f, 2});
  require_near(run_typed(to(linear, align_corners, 2, 4), {x})[0], {4}, {1, 4.0f / 3, 5.0f / 3, 2});
  require_near(run_typed(to(linear, asymmetric, 2, 4), {x})[0], {4}, {1, 1.5f, 2, 2});
  require_near(run_typed(to(cubic, half_pixel, 4, 2), {make<float>({4}, {1, 2, 3, 4})})[0], {2}, {1.40625f, 3.59375f});
  op::interpolate p = to(linear, half_pixel, 4, 2);
  p.antialias = true;
  require_near(run_typed(p, {make<float>({4}, {0, 0, 0, 8})})[0], {2}, {0, 4});
  require_equal<std::uint8_t>(run_typed(to(linear, half_pixel, 2, 4), {make<std::uint8_t>({2}, {10, 20})})[0], {4},
                              {10, 12, 18, 20});
  require_near(run_typed(to(nearest, asymmetric, 2, 4), {make_half({2}, {1, 2})})[0], {4}, {1, 1, 2, 2});
}

TEST_CASE("cropping and resizing extrapolates") {
  op::interpolate p = to(op::interpolation::linear, op::coordinates::tf_crop_and_resize, 3, 3);
  p.roi = {0.5, 1.5};
  p.extrapolation = -1;
  require_near(run_typed(p, {make<float>({3}, {1, 2, 3})})[0], {3}, {2, 3, -1});
}

TEST_CASE("sampling on a grid") {
  op::grid_sample p;
  const array x = make<float>({1, 1, 1, 3}, {1, 2, 4});
  const array grid = make<float>({1, 1, 3, 2}, {-1, 0, 0, 0, 2, 0});
  p.align_corners = true;
  require_near(run_typed(p, {x, grid})[0], {1, 1, 1, 3}, {1, 2, 0});
  p.padding = op::grid_padding::border;
  require_near(run_typed(p, {x, grid})[0], {1, 1, 1, 3}, {1, 2, 4});
  p.padding = op::grid_padding::reflection;
  require_near(run_typed(p, {x, grid})[0], {1, 1, 1, 3}, {1, 2, 2});
}

TEST_CASE("an affine grid of the identity") {
  const array theta = make<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  require_near(run_typed(op::affine_grid{{1, 1, 1, 2}, false}, {theta})[0], {1, 1, 2, 2}, {-0.5f, 0, 0.5f, 0});
  require_near(run_typed(op::affine_grid{{1, 1, 2, 2}, true}, {theta})[0], {1, 2, 2, 2}, {-1, -1, 1, -1, -1, 1, 1, 1});
}

TEST_CASE("regions of interest") {
  op::roi_align p;
  p.samples = 1;
  p.half_pixel = false;
  const array x = counting<float>({1, 1, 3, 3});
  require_near(run_typed(p, {x, make<float>({1, 4}, {0, 0, 2, 2}), make<std::int64_t>({1}, {0})})[0], {1, 1, 1, 1},
               {4});
  CHECK_THROWS_AS(run_typed(p, {x, make<float>({1, 4}, {0, 0, 2, 2}), make<std::int64_t>({1}, {1})}), error);
}

TEST_CASE("maxima of regions") {
  // Numbers that count up: the largest of a region is its last. One cell a region.
  array x({1, 3, 6, 6});
  for (int i = 0; i < 108; ++i) x.values()[static_cast<std::size_t>(i)] = static_cast<float>(i);
  const array rois = make<float>({5, 5}, {0, 1, 1, 2, 3, 0, 1, 1, 2, 3, 0, 3, 1, 4, 4, 0, 3, 3, 4, 5, 0, 0, 0, 5, 5});
  op::roi_pool p;
  require_near(run_typed(p, {x, rois})[0], {5, 3, 1, 1},
               {20, 56, 92, 20, 56, 92, 28, 64, 100, 34, 70, 106, 35, 71, 107});
  // Regions at half the scale, in 2 x 2 cells that overlap; a region outside has no pixels.
  p.size = {2, 2};
  p.spatial_scale = 0.5f;
  const array two = make<float>({2, 5}, {0, 0, 0, 4, 4, 0, 40, 40, 44, 44});
  const array y = run_typed(p, {x, two})[0];
  const float first[] = {7, 8, 13, 14};
  for (std::size_t i = 0; i < 4; ++i) CHECK(y.values()[i] == first[i]);
  for (std::size_t i = 12; i < 24; ++i) CHECK(y.values()[i] == 0);
  CHECK_THROWS_AS(run_typed(p, {x, make<float>({1, 5}, {1, 0, 0, 4, 4})}), error);
  CHECK_THROWS_AS(run_typed(p, {x, make<float>({1, 5}, {NAN, 0, 0, 4, 4})}), error);
}
