// SPDX-License-Identifier: BSL-1.0
// The pooling kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pooling.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/pooling-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_pooling(const std::variant<op::pool2d, op::adaptive_pool2d>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::pool2d>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::adaptive_pool2d>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/pooling.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_pooling);

TEST_CASE("pooling on every target") {
  for_each_target([] {
    test::sweep_pooling([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_pooling)(p, a); });
  });
}

}  // namespace ctnn
#endif
