// SPDX-License-Identifier: BSL-1.0
// The binary kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/eltwise-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_binary(const std::variant<op::binary, op::eltwise>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::binary>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::eltwise>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/binary.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_binary);

TEST_CASE("binary on every target") {
  for_each_target([] {
    test::sweep_binary([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_binary)(p, a); });
  });
}

}  // namespace ctnn
#endif
