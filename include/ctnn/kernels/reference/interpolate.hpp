// SPDX-License-Identifier: BSL-1.0
// interpolate, plain: every element from its taps along every axis, summed in double.
#pragma once

#include "../walks/interpolation_walk.hpp"

namespace ctnn::ir::reference {

constexpr void run(const op::interpolate& p, const arguments& a) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  const int lead = x.rank - p.axes;
  const std::int64_t planes = x.count(0, lead), plane = x.count(lead, x.rank), positions = y.count(lead, y.rank);
  for (std::int64_t at = 0; at < positions; ++at) {
    resampling<double> along[max_rank];
    std::int64_t rest = at, taps = 1;
    bool outside = false;
    for (int i = p.axes - 1; i >= 0; --i) {
      const int axis = lead + i;
      along[i] = resampling<double>(p, i, x[axis], y[axis], static_cast<int>(rest % y[axis]));
      rest /= y[axis];
      taps *= along[i].count;
      outside = outside || along[i].outside;
    }
    for (std::int64_t c = 0; c < planes; ++c) {
      double sum = 0;
      for (std::int64_t t = 0; t < taps; ++t) {
        std::int64_t tap = t, offset = 0, unit = 1;
        double weight = 1;
        for (int i = p.axes - 1; i >= 0; --i) {
          const int k = static_cast<int>(tap % along[i].count);
          tap /= along[i].count;
          offset += along[i].index(k) * unit;
          weight *= along[i].weight(k);
          unit *= x[lead + i];
        }
        if (weight != 0) sum += weight * static_cast<double>(a.in[0].data[c * plane + offset]);
      }
      a.out[0].data[c * positions + at] = outside ? p.extrapolation : static_cast<float>(sum);
    }
  }
}

}  // namespace ctnn::ir::reference
