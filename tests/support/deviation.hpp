// SPDX-License-Identifier: BSL-1.0
// How far an answer is from its reference, in the project's own measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace ctnn::ir::test {

/// The largest |got - want| as a share of what is allowed: 1e-3 |want| + 1e-4 largest |want| + 1e-5. Infinite if the
/// sizes differ or something is not a number.
inline double deviation(std::span<const float> got, std::span<const float> want) {
  if (got.size() != want.size()) return HUGE_VAL;
  double largest = 0, worst = 0;
  for (float x : want) largest = std::max(largest, static_cast<double>(std::fabs(x)));
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double b = static_cast<double>(want[i]), off = std::fabs(static_cast<double>(got[i]) - b);
    const double share = off / (1e-3 * std::fabs(b) + 1e-4 * largest + 1e-5);
    if (!(share <= worst)) worst = std::isnan(share) ? HUGE_VAL : share;
  }
  return worst;
}

}  // namespace ctnn::ir::test
