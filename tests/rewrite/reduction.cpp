// SPDX-License-Identifier: BSL-1.0
// rules/reduction.hpp.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// Signals or volumes.
template <int Axes>
constexpr value_id some(builder& b) {
  return Axes == 1 ? b.input("x", {2, 3}) : Axes == 2 ? b.input("x", {2, 3, 4}) : b.input("x", {2, 3, 4, 5});
}

template <op::pooling F, int Size, bool Flatten, int Axes>
constexpr auto pooled = [](builder& b) {
  b.output("", b.add(op::adaptive_pool{F, {Size}, Flatten, Axes}, "it", {some<Axes>(b)}));
};
template <op::reduction F, bool Keep, int Axes>
constexpr auto reduced = [](builder& b) {
  op::reduce p{F};
  for (int i = -Axes; i < 0; ++i) p.axes.push_back(i);
  p.keep = Keep;
  b.output("", b.add(p, "it", {some<Axes>(b)}));
};

}  // namespace

FIRES("mean of signals", (rules::global_pool_to_reduce), (pooled<op::pooling::average, 1, false, 1>),
      (reduced<op::reduction::mean, true, 1>))
FIRES("maxima of volumes", (rules::global_pool_to_reduce), (pooled<op::pooling::max, 1, true, 3>),
      (reduced<op::reduction::max, false, 3>))
DECLINES("mean of images", (rules::global_pool_to_reduce), (pooled<op::pooling::average, 1, false, 2>),
         "it pools images")
DECLINES("halves of signals", (rules::global_pool_to_reduce), (pooled<op::pooling::average, 2, false, 1>),
         "it is not global")
