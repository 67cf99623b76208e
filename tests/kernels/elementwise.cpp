// SPDX-License-Identifier: BSL-1.0
// The elementwise kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/elementwise-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_elementwise(const std::variant<op::activation, op::dropout, op::identity, op::unary>& any,
                            const arguments& a) {
  if (const auto* p = std::get_if<op::activation>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::dropout>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::identity>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::unary>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/elementwise.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_elementwise);

TEST_CASE("elementwise on every target") {
  for_each_target([] {
    test::sweep_elementwise([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_elementwise)(p, a); });
  });
}

}  // namespace ctnn
#endif
