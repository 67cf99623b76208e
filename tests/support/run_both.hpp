// SPDX-License-Identifier: BSL-1.0
// A declared network with made-up weights: its optimised engine beside the reference kernels of what is declared.
// declared.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ctnn/ctnn.hpp>

#include "numbers.hpp"

namespace ctnn::ir::test {

/// As modules are initialised before training, so that values stay of one size through any number of layers: weights
/// smaller the more of them make one output, statistics and factors near 1.
class made_up_weights {
 public:
  const float* operator()(const expression& e) { return of(e).data(); }
  const floats& of(const expression& e) {
    const std::string key = std::string(e.layer) + "." + std::string(e.name);
    auto at = known_.find(key);
    if (at != known_.end()) return at->second;
    floats numbers = random_floats(key, e.shape.count());
    const auto one_output = static_cast<float>(e.shape.count() / (e.shape.rank > 0 ? e.shape[0] : 1));
    const bool factor = e.name == "running_var" || e.shape.rank < 2;
    for (float& f : numbers) f = factor ? 1 + f / 4 : f * std::sqrt(4 / one_output);
    if (e.name == "bias" || e.name == "running_mean")
      for (float& f : numbers) f = (f - 1) / 2;
    return known_.emplace(key, std::move(numbers)).first->second;
  }

 private:
  std::map<std::string, floats> known_;
};

/// The weights of a network as one gives them: a list of names and numbers.
template <class Net>
std::vector<named_weight> weights_of_network(made_up_weights& numbers) {
  std::vector<named_weight> out;
  for (const expression& e : declared_graph<Net>.expressions)
    if (!e.type) out.push_back({e.layer, e.name, numbers.of(e)});
  return out;
}

/// The first output of optimized<Net>, weights folded at start.
template <class Net>
floats run_optimized(const std::vector<named_weight>& weights) {
  using fused = optimized<Net>;
  const auto packed = std::make_unique<parameters<fused>>(zeros);
  if (const problem_report report = load_folded<Net>(*packed, weights); report.found) return {};
  const auto run = std::make_unique<engine<fused>>(*packed);
  const std::vector<floats> in = random_inputs(declared_graph<Net>);
  const auto pointers = pointers_to(in);
  run->run(std::span<const float* const, engine<fused>::inputs>(pointers));
  return {run->template output<0>().begin(), run->template output<0>().end()};
}

/// Empty if the optimised engine gives what the reference kernels give for the network as declared, or else what not.
template <class Net>
std::string optimized_differs(double relative = 2e-5) {
  made_up_weights numbers;
  const floats got = run_optimized<Net>(weights_of_network<Net>(numbers));
  const std::vector<floats> in = random_inputs(declared_graph<Net>);
  const auto pointers = pointers_to(in);
  graph_values values;
  run_graph(declared_graph<Net>, numbers, pointers, values);
  const auto want = values.of(declared_graph<Net>.outputs[0].value);
  double largest = 0, deviation = 0;
  for (float f : want) largest = std::max(largest, std::fabs(static_cast<double>(f)));
  for (float f : want) deviation = std::max(deviation, std::fabs(static_cast<double>(f - want[0])));
  if (!(largest > 0.01 && largest < 1e6 && deviation > 1e-3 * largest)) return "numbers that tell nothing";
  return difference({got}, {floats(want.begin(), want.end())}, relative);
}

}  // namespace ctnn::ir::test
