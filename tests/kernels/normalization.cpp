// SPDX-License-Identifier: BSL-1.0
// The normalization kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/layer_norm-inl.hpp>
#include <ctnn/kernels/local_response-inl.hpp>
#include <ctnn/kernels/normalization-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_normalization(const std::variant<op::batch_norm, op::scale, op::bias, op::prelu, op::local_response_norm,
                                               op::layer_norm>& any, const arguments& a) {
  if (const auto* p = std::get_if<op::batch_norm>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::scale>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::bias>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::prelu>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::local_response_norm>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::layer_norm>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/normalization.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_normalization);

TEST_CASE("normalization on every target") {
  for_each_target([] {
    const auto run = [](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_normalization)(p, a); };
    test::sweep_normalization(run);
    test::sweep_local_response_norm(run);
    test::sweep_layer_norm(run);
  });
}

}  // namespace ctnn
#endif
