// SPDX-License-Identifier: BSL-1.0
// The recurrent kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/recurrent-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_recurrent(const std::variant<op::rnn, op::gru, op::lstm>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::rnn>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::gru>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::lstm>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/recurrent.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_recurrent);

TEST_CASE("recurrent layers on every target") {
  for_each_target([] {
    test::sweep_recurrent([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_recurrent)(p, a); });
  });
}

}  // namespace ctnn
#endif
