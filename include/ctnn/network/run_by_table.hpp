// SPDX-License-Identifier: BSL-1.0
// Runs networks of types by the kernels that are compiled for loaded models (CTNN_COMPILED_KERNELS). Who includes this
// compiles neither kernels nor Highway's vectors, and stands in for dispatch.hpp.
#pragma once

#include "table_of.hpp"

#if defined(CTNN_OWN_KERNELS)
#error "ctnn: kernels of your own for each target (CTNN_OWN_KERNELS) are not among those of CTNN_COMPILED_KERNELS"
#endif

namespace ctnn::ir {

namespace detail {

/// Runs it on each target, with such `Company`.
template <class Net, class... Company>
struct table_dispatch {
  template <int Target>
  static void run(const frame& f, Company&... with) {
    run_table(table_of<Net>::table(), table_of<Net>::template kernels<Target>(), f, {with...});
  }
  static constexpr void (*table[])(const frame&, Company&...) = {&run<0>, &run<1>, &run<2>, &run<3>, &run<4>};
  static constexpr auto at(target_id t) { return table[t.index]; }
};

}  // namespace detail

template <class Net>
struct network_dispatch : detail::table_dispatch<Net> {};
/// The same before an observer.
template <class Net>
struct observed_dispatch : detail::table_dispatch<Net, const layer_observer> {};
/// The same on several threads.
template <class Net>
struct threaded_dispatch : detail::table_dispatch<Net, executor> {};

}  // namespace ctnn::ir
