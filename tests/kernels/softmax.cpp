// SPDX-License-Identifier: BSL-1.0
// The softmax kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/softmax-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_softmax(const std::variant<op::softmax>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::softmax>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/normalization.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_softmax);

TEST_CASE("softmax on every target") {
  for_each_target([] {
    test::sweep_softmax([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_softmax)(p, a); });
  });
}

}  // namespace ctnn
#endif
