// SPDX-License-Identifier: BSL-1.0
// The reductions against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/reduce-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_reduce(const std::variant<op::reduce>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::reduce>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/reduce.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_reduce);

TEST_CASE("reductions on every target") {
  for_each_target([] {
    test::sweep_reduce([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_reduce)(p, a); });
  });
}

}  // namespace ctnn
#endif
