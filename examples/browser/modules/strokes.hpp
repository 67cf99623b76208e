// SPDX-License-Identifier: BSL-1.0
// From the strokes of a pen to a picture as the network was trained on: the digit fills a grid of 32 x 32 bits from top
// to bottom, and a pixel of the picture is how many of 16 bits are set. (So were the training data made from scanned
// forms.)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace browser {

/// Where the pen is, x to the right and y down in any unit; `begins` is 1 where it touched the paper, else 0.
struct pen_point {
  float x, y, begins;
};

using image = std::array<float, 64>;

class normalizer {
 public:
  /// How wide the pen is, as a share of the digit's longer side; narrow digits become wider, as those of the data are.
  float pen = 0.2f, narrowest = 14, widest = 22, most_stretched = 2;

  /// False if there is nothing but a dot, smaller than `smallest` in both directions.
  bool operator()(std::span<const pen_point> strokes, float smallest, image& out) const {
    if (strokes.empty()) return false;
    float left = strokes[0].x, right = left, top = strokes[0].y, bottom = top;
    for (const pen_point& p : strokes) {
      left = std::min(left, p.x), right = std::max(right, p.x);
      top = std::min(top, p.y), bottom = std::max(bottom, p.y);
    }
    const float longer = std::max(right - left, bottom - top);
    if (!(longer >= smallest) || !(longer > 0)) return false;  // what is no number, too

    const float width = pen * longer, scale_y = grid / (bottom - top + width), wide = (right - left + width) * scale_y;
    const float wanted = std::clamp(wide, std::min(narrowest, wide * most_stretched), widest);
    const float scale_x = scale_y * wanted / wide;
    const float middle = (left + right) / 2;
    bits_on paper{{}, scale_x * width / 2, scale_y * width / 2};
    for (std::size_t i = 0; i < strokes.size(); ++i) {
      const auto placed = [&](const pen_point& p) {
        return pen_point{(p.x - middle) * scale_x + grid / 2, (p.y - top + width / 2) * scale_y, 0};
      };
      const pen_point& from = strokes[i > 0 && strokes[i].begins == 0 ? i - 1 : i];
      paper.line(placed(from), placed(strokes[i]));
    }
    paper.center();
    out = {};
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x) out[at(y / 4, x / 4, 8)] += paper.set[at(y, x, size)] ? 1.0f / 16 : 0;
    return true;
  }

 private:
  static constexpr int size = 32;
  static constexpr float grid = size;
  static std::size_t at(int y, int x, int pitch) { return static_cast<std::size_t>(y * pitch + x); }

  struct bits_on {
    std::array<bool, static_cast<std::size_t>(size* size)> set;
    float pen_x, pen_y;  ///< half axes of the pen's tip

    /// Sets the bits whose middle is nearer than the pen's tip reaches: distances are those of the tip as a circle
    /// of 1.
    void line(const pen_point& from, const pen_point& to) {
      const auto [x0, x1] = reach(from.x, to.x, pen_x);
      const auto [y0, y1] = reach(from.y, to.y, pen_y);
      const float dx = (to.x - from.x) / pen_x, dy = (to.y - from.y) / pen_y, length = dx * dx + dy * dy;
      for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
          const float px = (static_cast<float>(x) + 0.5f - from.x) / pen_x,
                      py = (static_cast<float>(y) + 0.5f - from.y) / pen_y;
          const float along = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0f, 1.0f) : 0;
          const float qx = px - along * dx, qy = py - along * dy;
          if (qx * qx + qy * qy <= 1) set[at(y, x, size)] = true;
        }
    }
    /// Moves columns until the mass is in the middle, as far as nothing falls off.
    void center() {
      int mass = 0, sum = 0, first = size, last = -1;
      for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
          if (set[at(y, x, size)]) ++mass, sum += 2 * x + 1, first = std::min(first, x), last = std::max(last, x);
      if (mass == 0) return;
      const int by = std::clamp((size - sum / mass) / 2, -first, size - 1 - last);
      auto moved = set;
      for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) moved[at(y, x, size)] = x - by >= 0 && x - by < size && set[at(y, x - by, size)];
      set = moved;
    }

   private:
    struct range {
      int first, last;
    };
    static range reach(float a, float b, float tip) {
      const auto inside = [](float v) { return static_cast<int>(std::clamp(v, 0.0f, grid - 1)); };
      return {inside(std::min(a, b) - tip), inside(std::max(a, b) + tip)};
    }
  };
};

}  // namespace browser
