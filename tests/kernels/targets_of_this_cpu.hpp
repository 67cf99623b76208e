// SPDX-License-Identifier: BSL-1.0
// Runs a check once for every target that was compiled and that this CPU has, with the compiled library's kernels: a
// test compiles none of its own.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <ctnn/network/target.hpp>

namespace ctnn::ir {

/// Of the target that for_each_target() has come to.
inline loaded_kernels kernels_at_hand;

template <class Check>
void for_each_target(const Check& check) {
  REQUIRE(!supported_targets().empty());
  for (const target_id t : supported_targets()) {
    const std::string name(target_name(t));
    CAPTURE(name);
    kernels_at_hand = kernels_for<all_operators>(t);
    check();
  }
}

/// The kernel of an operator on the target at hand; there must be one.
inline constexpr auto dispatched = []<class Op>(const Op& p, const arguments& a) {
  for (const loaded_kernel& k : kernels_at_hand.table)
    if (k.type == &type_of<Op> && k.run) return k.run(&p, a, {});
  FAIL("no kernel for '" << type_of<Op>.name << "'");
};

}  // namespace ctnn::ir
