// SPDX-License-Identifier: BSL-1.0
// Prior boxes and the last step of detectors: boxes of good scores, the best first, without those that overlap a better
// one.
#pragma once

#include <cmath>

#include "../../graph/operators/detection.hpp"
#include "dispatch.hpp"

namespace ctnn::ir::typed {

inline void run(const op::prior_box& p, const arguments& a) {
  const extents& map = a.in[0].shape;
  const int h = map[1], w = map[2];
  float* box = a.out[0].data;
  const std::int64_t numbers = a.out[0].shape.back(0);
  const float *const begin = box, *const end = box + numbers;
  const auto put = [&](float x, float y, float wide, float high) {
    *box++ = x - wide;
    *box++ = y - high;
    *box++ = x + wide;
    *box++ = y + high;
  };
  const auto around_pixels = [&](float step_x, float step_y, auto boxes) {
    const float first_x = p.pixel_centre ? p.offset * (step_x - 1) : p.offset * step_x;
    const float first_y = p.pixel_centre ? p.offset * (step_y - 1) : p.offset * step_y;
    for (int i = 0; i < h; ++i)
      for (int j = 0; j < w; ++j)
        boxes(first_x + static_cast<float>(j) * step_x, first_y + static_cast<float>(i) * step_y);
  };
  if (p.single) {
    const float along = static_cast<float>(h) / static_cast<float>(w);
    around_pixels(p.step[1] > 0 ? p.step[1] : 1 / static_cast<float>(w),
                  p.step[0] > 0 ? p.step[0] : 1 / static_cast<float>(h), [&](float x, float y) {
                    for (float size : p.min_sizes) put(x, y, size * along / 2, size / 2);
                    for (std::size_t r = 1; r < p.ratios.size(); ++r) {
                      const float root = std::sqrt(p.ratios[r]), size = p.min_sizes[0];
                      put(x, y, size * along * root / 2, size / root / 2);
                    }
                  });
  } else {
    const float image_h = static_cast<float>(p.image[0] > 0 ? p.image[0] : a.in[1].shape[1]);
    const float image_w = static_cast<float>(p.image[1] > 0 ? p.image[1] : a.in[1].shape[2]);
    const auto step = [&](float given, float image, int n) {
      if (given > 0) return given;
      const float ratio = image / static_cast<float>(n);
      return p.whole_steps ? std::ceil(ratio) : ratio;
    };
    around_pixels(step(p.step[1], image_w, w), step(p.step[0], image_h, h), [&](float x, float y) {
      const auto sized = [&](float wide, float high) {
        put(x / image_w, y / image_h, wide / 2 / image_w, high / 2 / image_h);
      };
      for (std::size_t k = 0; k < p.min_sizes.size(); ++k) {
        const float size = p.min_sizes[k];
        sized(size, size);
        if (!p.max_sizes.empty()) sized(std::sqrt(size * p.max_sizes[k]), std::sqrt(size * p.max_sizes[k]));
        for (float ratio : p.ratios) {
          const float root = std::sqrt(ratio);
          sized(size * root, size / root);
          if (p.flip) sized(size / root, size * root);
        }
      }
    });
  }
  if (p.clip)
    for (float* x = a.out[0].data; x != end; ++x) *x = std::min(std::max(*x, 0.0f), 1.0f);
  if (!p.single)
    for (std::int64_t i = 0; i < end - begin; ++i) box[i] = p.variances[static_cast<std::size_t>(i % 4)];
}

struct detection {
  float score = 0, left = 0, top = 0, right = 0, bottom = 0;
  int label = 0;
  int number = 0;  ///< among equal scores the first found comes first

  float area() const { return (right - left) * (bottom - top); }
  /// A box of these centre and size.
  void place(float x, float y, float w, float h) {
    left = x - w / 2;
    top = y - h / 2;
    right = x + w / 2;
    bottom = y + h / 2;
  }
};
inline float shared_area(const detection& a, const detection& b) {
  if (a.left > b.right || a.right < b.left || a.top > b.bottom || a.bottom < b.top) return 0;
  return (std::min(a.right, b.right) - std::max(a.left, b.left)) *
         (std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
}
static_assert(sizeof(detection) == op::detection_bytes);
using detections = std::span<detection>;
inline void best_first(detections all) {
  int number = 0;
  for (detection& d : all) d.number = number++;
  std::sort(all.begin(), all.end(), [](const detection& a, const detection& b) {
    return a.score > b.score || (a.score == b.score && a.number < b.number);
  });
}
/// Of sorted ones, those that no better one overlaps too much: they come first, and are so many.
inline std::size_t without_overlaps(detections all, float most) {
  std::size_t kept = 0;
  for (const detection& d : all) {
    const auto overlaps = [&](const detection& k) {
      const float both = shared_area(d, k);
      return both / (d.area() + k.area() - both) > most;
    };
    if (std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), overlaps)) all[kept++] = d;
  }
  return kept;
}
inline void write_detections(detections all, const arguments& a) {
  const std::int64_t rows = std::min(static_cast<std::int64_t>(all.size()), std::int64_t{a.out[0].shape[0]});
  float* y = a.out[0].data;
  std::fill(y, y + a.out[0].shape.count(), 0.0f);
  for (std::int64_t i = 0; i < rows; ++i) {
    const detection& d = all[static_cast<std::size_t>(i)];
    for (float x : {static_cast<float>(d.label), d.score, d.left, d.top, d.right, d.bottom}) *y++ = x;
  }
  *elements<std::int32_t>(a.out[1]) = static_cast<std::int32_t>(rows);
}

inline void run(const op::detection_output& p, const arguments& a, scratch_memory memory) {
  const float *offset = a.in[0].data, *score = a.in[1].data, *prior = a.in[2].data;
  const std::int64_t n = a.in[0].shape.count() / 4;
  const float* variances = p.by_class ? nullptr : prior + 4 * n;
  const auto score_of = [&](std::int64_t i, int c) { return p.by_class ? score[c * n + i] : score[i * p.classes + c]; };
  const detections boxes = memory.take<detection>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const float *o = offset + 4 * i, *b = prior + 4 * i, *v = variances ? variances + 4 * i : p.variances.data();
    const float w = b[2] - b[0], h = b[3] - b[1];
    boxes[static_cast<std::size_t>(i)].place(v[0] * o[0] * w + (b[0] + b[2]) / 2, v[1] * o[1] * h + (b[1] + b[3]) / 2,
                                             std::exp(v[2] * o[2]) * w, std::exp(v[3] * o[3]) * h);
  }
  auto all = memory.list<detection>(p.kept_at_most(n) + n);
  for (int c = 1; c < p.classes; ++c) {
    const std::size_t first = all.size();
    for (std::int64_t i = 0; i < n; ++i) {
      const float s = score_of(i, c);
      if (!(s > p.confidence)) continue;
      detection d = boxes[static_cast<std::size_t>(i)];
      d.score = s;
      d.label = c;
      all.push_back(d);
    }
    detections of_class = detections(all).subspan(first);
    best_first(of_class);
    of_class = of_class.first(std::min(of_class.size(), static_cast<std::size_t>(p.candidates)));
    all.shrink(first + without_overlaps(of_class, p.overlap));
  }
  best_first(all);
  write_detections(all, a);
}

inline void run(const op::yolo_detection& p, const arguments& a, scratch_memory memory) {
  const auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
  auto all = memory.list<detection>(a.out[0].shape[0]);
  for (std::size_t i = 0; i < a.in.size(); ++i) {
    const extents& shape = a.in[i].shape;
    const std::int64_t h = shape[1], w = shape[2], plane = h * w;
    const bool in_image = !p.scales.empty();
    const float width = in_image ? std::trunc(p.scales[i] * static_cast<float>(w)) : static_cast<float>(w);
    const float height = in_image ? std::trunc(p.scales[i] * static_cast<float>(h)) : static_cast<float>(h);
    for (int b = 0; b < p.boxes; ++b) {
      const auto anchor = 2 * static_cast<std::size_t>(p.anchor(i, b));
      for (std::int64_t k = 0; k < plane; ++k) {
        const float* x = a.in[i].data + b * (5 + p.classes) * plane + k;
        detection d;
        float best = x[5 * plane];
        for (int c = 1; c < p.classes; ++c)
          if (const float s = x[(5 + c) * plane]; s > best) {
            best = s;
            d.label = c;
          }
        if (p.softmax) {
          float sum = 0;
          for (int c = 0; c < p.classes; ++c) sum += std::exp(x[(5 + c) * plane] - best);
          d.score = sigmoid(x[4 * plane]) / sum;
        } else {
          d.score = 1 / (1 + std::exp(-x[4 * plane]) * (1 + std::exp(-best)));  // ncnn's; less than the product of both
        }
        if (!(d.score >= p.confidence)) continue;
        ++d.label;  // 0 is the background
        d.place((static_cast<float>(k % w) + sigmoid(x[0])) / static_cast<float>(w),
                (static_cast<float>(k / w) + sigmoid(x[plane])) / static_cast<float>(h),
                std::exp(x[2 * plane]) * p.anchors[anchor] / width,
                std::exp(x[3 * plane]) * p.anchors[anchor + 1] / height);
        all.push_back(d);
      }
    }
  }
  best_first(all);
  all.shrink(without_overlaps(all, p.overlap));
  write_detections(all, a);
}

}  // namespace ctnn::ir::typed
