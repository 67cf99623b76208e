// SPDX-License-Identifier: BSL-1.0
// A network for several samples at once (rewrite/batching.hpp).
#pragma once

#include "../rewrite/batching.hpp"
#include "questions.hpp"

namespace ctnn::ir::detail {

template <class Net, int Samples>
struct in_batch {
  static constexpr graph_view source() { return compiled<Net>::view(); }
  static constexpr problem_report find() {
    name_maker names;
    batch_maker walk(thaw(source()), names, Samples);
    graph made;
    walk.run(made);
    return walk.error;
  }
  static constexpr problem_report error = find();

  static constexpr graph apply(graph&& one, name_maker& names, pool<rewrite_step>&) {
    graph made;
    batch_maker(static_cast<graph&&>(one), names, Samples).run(made);
    return made;
  }
};

/// What is wrong with the network itself, or with taking several samples.
template <class Net, int Samples>
auto batch_error_of() {
  if constexpr (found_in<Net>::error.found) return std::type_identity<error_in<found_in<Net>::error>>{};
  else return std::type_identity<error_in<in_batch<Net, Samples>::error>>{};
}
template <class Net, int Samples>
using batch_error = typename decltype(batch_error_of<Net, Samples>())::type;

template <class Net, int Samples>
auto lift_batch() {
  if constexpr (found_in<Net>::error.found) return std::type_identity<stand_in>{};
  else if constexpr (in_batch<Net, Samples>::error.found) return std::type_identity<stand_in>{};
  else return lift_all<made_by<in_batch<Net, Samples>>()>();
}
template <class Net, int Samples, std::size_t>
struct batched_of {
  static_assert(Samples > 0, "ctnn: batched<net, samples>: a batch has samples");
  using type = typename decltype(lift_batch<Net, Samples>())::type;
};

}  // namespace ctnn::ir::detail

namespace ctnn {

/// Net for `Samples` samples at once: every input and output has one more axis, before the others, as PyTorch's modules
/// take a batch. Again a network<...>, with Net's layers, names and weights: optimized<batched<net, 8>>. Weights are
/// read once for all samples where one sample alone would wait for them (linear layers). An engine of
/// batched<optimized<net>, 8> takes those of optimized<net>, packed once for both. A layer that computes over all
/// that it is given, as one with a batch of its own, does not compile.
template <class Net, int Samples>
using batched =
    typename ir::detail::batched_of<Net, Samples, sizeof(Net) + sizeof(ir::detail::batch_error<Net, Samples>)>::type;

}  // namespace ctnn
