// SPDX-License-Identifier: BSL-1.0
// Does a network compute the same rewritten as it was declared or read? If not, since which rewrite. Both sides are run
// by network/verify.hpp (types) and model/verify.hpp (files).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <string>

#include "driver.hpp"

namespace ctnn {

struct verification {
  bool same = true;        ///< every output is within the tolerance
  double difference = 0;   ///< the largest between two numbers of an output, in parts of that output's largest number
  std::string output{};    ///< whose it is
  std::string rule{};      ///< the first rewrite after which an output is not within the tolerance: its rule,
  std::string layer{};     ///< the layer that it took away or changed,
  std::string into{};      ///< and the one that does its work since; empty if none does
};

}  // namespace ctnn

namespace ctnn::ir {

/// The largest difference of `count` numbers in parts of the largest of the first ones; infinite where only one of two
/// is no number, or is infinite.
double largest_difference(std::size_t count, auto&& first, auto&& second) {
  double scale = std::numeric_limits<double>::min(), most = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double x = std::fabs(first(i)); std::isfinite(x)) scale = std::max(scale, x);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = first(i), b = second(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double d = std::fabs(a - b);
    most = std::max(most, std::isfinite(d) ? d / scale : std::numeric_limits<double>::infinity());
  }
  return most;
}

/// `compare(most, result)` runs both sides after so many rewrites at most, fills in the output that differs most and
/// returns how many rewrites there were; `name_last(rewrites, result)` fills in the last step then. Halves what is
/// left, so that few runs are needed.
verification find_difference(double tolerance, auto&& compare, auto&& name_last) {
  verification all;
  const std::size_t rewrites = compare(every_rewrite, all);
  all.same = all.difference <= tolerance;
  if (all.same || rewrites == 0) return all;
  std::size_t right = 0, wrong = rewrites;
  while (wrong - right > 1) {
    const std::size_t middle = right + (wrong - right) / 2;
    verification part;
    compare(middle, part);
    (part.difference <= tolerance ? right : wrong) = middle;
  }
  name_last(wrong, all);
  return all;
}
inline void name_step(span<const rewrite_step> history, verification& v) {
  if (history.empty()) return;
  v.rule = history.back().rule;
  v.layer = history.back().consumed;
  v.into = history.back().into;
}

/// One sentence.
inline std::string describe(const verification& v) {
  char number[32];
  std::snprintf(number, sizeof number, "%.2g", v.difference);
  const std::string output = v.output.empty() ? "the output" : "output '" + v.output + "'";
  if (v.same)
    return v.difference == 0 ? "same bits in all outputs"
                             : "same numbers: " + output + " differs most, by " + number + " of its largest number";
  return output + " differs by " + number + " of its largest number since rule '" + v.rule + "' " +
         (v.into.empty()          ? "took layer '" + v.layer + "' away"
          : v.into == v.layer     ? "changed layer '" + v.layer + "'"
                                  : "made layer '" + v.layer + "' part of '" + v.into + "'");
}

}  // namespace ctnn::ir
