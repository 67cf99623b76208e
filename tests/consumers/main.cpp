// SPDX-License-Identifier: BSL-1.0
// A user's program: it needs ctnn's headers, Boost.Hana and (unless CTNN_PLAIN is defined) Highway's library.
#include <ctnn/base/math.hpp>

#include <boost/hana/size.hpp>
#include <boost/hana/tuple.hpp>
#include <cstdio>
#ifndef CTNN_PLAIN
#include <hwy/targets.h>
#endif

static_assert(ctnn::ir::math::sqrt(49.0f) == 7.0f);

int main() {
#ifdef CTNN_PLAIN
  const bool targets = true;
#else
  const bool targets = hwy::SupportedTargets() != 0;
#endif
  constexpr auto pair = boost::hana::make_tuple(1, 2);
  const bool right = targets && decltype(boost::hana::size(pair))::value == 2;
  std::puts(right ? "ctnn can be used" : "ctnn cannot be used");
  return right ? 0 : 1;
}
