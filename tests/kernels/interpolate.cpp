// SPDX-License-Identifier: BSL-1.0
// The interpolate kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/interpolate.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/interpolate-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_interpolate(const std::variant<op::interpolate>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::interpolate>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/pooling.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_interpolate);

TEST_CASE("interpolate on every target") {
  for_each_target([] {
    test::sweep_interpolate([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_interpolate)(p, a); });
  });
}

}  // namespace ctnn
#endif
