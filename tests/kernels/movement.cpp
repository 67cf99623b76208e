// SPDX-License-Identifier: BSL-1.0
// The movement kernels against their reference, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/movement.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/movement-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_movement(const std::variant<op::constant, op::full, op::flatten, op::reshape, op::permute,
                                            op::channel_shuffle, op::pixel_shuffle, op::pad, op::concat, op::split, op::slice>& any,
                         const arguments& a) {
  if (const auto* p = std::get_if<op::constant>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::full>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::flatten>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::reshape>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::permute>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::channel_shuffle>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::pixel_shuffle>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::pad>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::concat>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::split>(&any)) run(*p, a);
  if (const auto* p = std::get_if<op::slice>(&any)) run(*p, a);
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include "sweeps/movement.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_movement);

TEST_CASE("movement on every target") {
  for_each_target([] {
    test::sweep_movement([](const auto& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_movement)(p, a); });
  });
}

}  // namespace ctnn
#endif
