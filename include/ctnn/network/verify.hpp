// SPDX-License-Identifier: BSL-1.0
// A declared network as it is rewritten beside the same network as it was declared, at run time, with weights: do they
// compute the same? By the reference kernels; needs a heap.
#pragma once

#include <vector>

#include "../base/describe.hpp"
#include "../base/error.hpp"
#include "../rewrite/verification.hpp"
#include "constant_run.hpp"

namespace ctnn {

/// Runs Net as it was declared and rewritten by Rules on the same inputs, in the order of their declaration, and
/// compares all outputs. If they differ by more than `tolerance` (in parts of an output's largest number), the first
/// rewrite after which they do is named. Throws ctnn::error if a weight or an input is missing or does not fit.
template <class Net, class Rules = default_rules>
verification verify(std::span<const named_weight> weights, std::span<const std::span<const float>> inputs,
                    double tolerance = 1e-4) {
  static_assert(sizeof(ir::error_in<ir::detail::missing_reference<Net>>) > 0);
  const ir::graph_view declared = ir::declared_graph<Net>;
  if (const problem_report wrong = ir::detail::check_weights(declared, weights); wrong.found)
    throw error("layer '" + std::string(wrong.layer) + "': " + ir::describe(wrong.found));
  std::vector<const float*> from;
  for (const ir::node& n : declared.nodes) {
    if (n.type != &ir::type_of<op::input>) continue;
    const std::size_t i = from.size();
    const std::int64_t count = declared.shape(n.outputs.first).count();
    if (i >= inputs.size() || static_cast<std::int64_t>(inputs[i].size()) != count)
      throw error("input '" + std::string(n.name) + "' is " + ir::describe(declared.shape(n.outputs.first)) + ", got " +
                  std::to_string(i < inputs.size() ? inputs[i].size() : 0) + " numbers");
    from.push_back(inputs[i].data());
  }
  const auto run = [&](const ir::graph_view& g) {
    ir::graph_values values;
    ir::run_graph(g, ir::detail::leaf_lookup{weights}, from, values);
    return values;
  };
  const auto rewritten = [&](std::size_t rewrites) {
    return ir::optimize(ir::detail::first_graph<Net>(), Rules::records, rewrites);
  };
  const ir::graph_values wanted = run(declared);
  const auto compare = [&](std::size_t most, verification& v) {
    const ir::optimization o = rewritten(most);
    const ir::graph_values got = run(o.g.view());
    for (std::size_t i = 0; i < declared.outputs.size(); ++i) {
      const auto a = wanted.of(declared.outputs[i].value), b = got.of(o.g.outputs[i].value);
      if (a.size() != b.size()) throw error("an output has another size after rewriting");
      const double d = ir::largest_difference(
          a.size(), [&](std::size_t k) { return static_cast<double>(a[k]); },
          [&](std::size_t k) { return static_cast<double>(b[k]); });
      if (d >= v.difference) v.difference = d, v.output = declared.outputs[i].name;
    }
    return o.applied;
  };
  return ir::find_difference(tolerance, compare, [&](std::size_t rewrites, verification& v) {
    ir::name_step(rewritten(rewrites).history, v);
  });
}

}  // namespace ctnn
