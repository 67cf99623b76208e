// SPDX-License-Identifier: BSL-1.0
// Prior boxes and detections against hand values.
#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("boxes of every size and ratio around the pixels of a map") {
  op::prior_box p;
  p.min_sizes.push_back(2);
  p.max_sizes.push_back(8);
  p.ratios.push_back(4);
  p.offset = 0.5f;
  // One pixel for an image of 8 x 4 (w x h): sides 2, sqrt(2 * 8) = 4, and 2 by ratios 4 and 1 / 4.
  const auto y = run_typed(p, {counting<float>({1, 1, 1}), counting<float>({1, 4, 8})});
  require_near(y[0], {2, 16}, {0.375f, 0.25f,   0.625f, 0.75f,   0.25f, 0,    0.75f, 1,    0.25f, 0.375f, 0.75f,
                               0.625f, 0.4375f, 0,      0.5625f, 1,     0.1f, 0.1f,  0.2f, 0.2f,  0.1f,   0.1f,
                               0.2f,   0.2f,    0.1f,   0.1f,    0.2f,  0.2f, 0.1f,  0.1f, 0.2f,  0.2f});
  op::prior_box single;
  single.min_sizes.push_back(0.5f);
  single.single = true;
  single.offset = 0.5f;
  require_near(run_typed(single, {counting<float>({1, 1, 2})})[0], {8},
               {0.125f, 0.25f, 0.375f, 0.75f, 0.625f, 0.25f, 0.875f, 0.75f});
}

TEST_CASE("of overlapping boxes of a class the best stays; the count says how many rows there are") {
  op::detection_output p;
  p.classes = 3;
  p.overlap = 0.4f;
  p.confidence = 0.3f;
  // Priors: two nearly the same, one apart. No offsets.
  const array none = make<float>({12}, std::vector<float>(12)),
              priors = make<float>({2, 12}, {0, 0, 1, 1, 0, 0, 1, 0.75f, 2, 2, 3, 3,  //
                                             1, 1, 1, 1, 1, 1, 1, 1,     1, 1, 1, 1});
  const array scores = make<float>({9}, {0.1f, 0.5f, 0.4f, 0.1f, 0.9f, 0, 0.3f, 0.6f, 0.3f});
  auto y = run_typed(p, {none, scores, priors});
  require_equal<std::int32_t>(y[1], {1}, {3});
  require_near(y[0], {6, 6}, {1, 0.9f, 0, 0, 1, 0.75f, 1, 0.6f, 2, 2, 3, 3, 2, 0.4f, 0, 0, 1, 1});
  p.most = 1;
  require_near(run_typed(p, {none, scores, priors})[0], {1, 6}, {1, 0.9f, 0, 0, 1, 0.75f});
  p.confidence = 0.95f;
  require_equal<std::int32_t>(run_typed(p, {none, scores, priors})[1], {1}, {0});
}

TEST_CASE("a map of boxes and classes") {
  op::yolo_detection p;
  p.classes = 2;
  p.boxes = 1;
  p.anchors.push_back(4);
  p.anchors.push_back(2);
  p.scales.push_back(8);
  p.confidence = 0.2f;
  // Two pixels side by side; only the second has a score.
  const array x = make<float>({7, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0, -9, 0, 0, -1, 0, 1});
  const float e = 1 + std::exp(-1.0f);
  const auto y = run_typed(p, {x});
  require_equal<std::int32_t>(y[1], {1}, {1});
  require_near(y[0], {2, 6}, {2, 1 / (1 + e), 0.625f, 0.375f, 0.875f, 0.625f});
  p.softmax = true;
  p.scales = {};
  const float best = 0.5f / (1 + std::exp(-2.0f));
  require_near(run_typed(p, {x})[0], {2, 6}, {2, best, 0.75f - 1, 0.5f - 1, 0.75f + 1, 0.5f + 1});
}
