// SPDX-License-Identifier: BSL-1.0
// libFuzzer: a graph made from bytes is optimised; the result is final, valid and computes the same. ./run tries it for
// a minute; without an end: the program `run` builds, in a folder of its own, with a corpus folder as argument.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <ctnn/loaded/rewriting.hpp>

#include "support/random_graph.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

void require(bool holds, const char* what, const graph_view& before, const graph_view& after) {
  if (holds) return;
  std::fprintf(stderr, "%s\n%s---\n%s", what, describe_graph(before).c_str(), describe_graph(after).c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int nodes = 3 + static_cast<int>(std::min<std::size_t>(size / 8, 60));
  const random_graph made(dice({data, size}), nodes, size % 4 == 3);
  const graph_view before = made.g.view();
  const optimization o = optimize(thaw(before), default_rule_records());
  const graph_view after = o.g.view();
  require(o.broken_rule.empty(), "a rule did not lower what it declares", before, after);
  require(optimize(thaw(after), default_rule_records()).history.size() == 0, "optimising the result changes it", before,
          after);

  random_weights weights(before);
  const std::vector<floats> in = random_inputs(before);
  graph_values values;
  run_graph(before, weights, pointers_to(in), values);
  const double most = magnitude(values);
  if (most > 1e4) return 0;
  const std::string off =
      difference(reference_outputs(after, weights), reference_outputs(before, weights), 2e-5 * std::max(1.0, most));
  require(off.empty(), off.c_str(), before, after);
  return 0;
}
