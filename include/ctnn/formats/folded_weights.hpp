// SPDX-License-Identifier: BSL-1.0
// The numbers of weight expressions over a loaded model's weights.
#pragma once

#include "../base/error.hpp"
#include "../weights/evaluate.hpp"
#include "describe.hpp"
#include "loaded_model.hpp"

namespace ctnn {

/// Numbers of a leaf. Throws ctnn::error if the model does not have them.
inline std::span<const float> numbers_of(const loaded_model& source, const expression& leaf) {
  const auto at = source.weights.find({leaf.layer, leaf.name});
  if (at == source.weights.end() || static_cast<std::int64_t>(at->second.size()) != leaf.shape.count())
    throw error("layer '" + std::string(leaf.layer) + "': weight '" + std::string(leaf.name) + "' of shape " + describe(leaf.shape) +
                " has not been read");
  return at->second;
}

/// Evaluates the expressions of a graph rewritten from `source`. The result of a call is valid until the next one.
class folded_weights {
 public:
  folded_weights(const loaded_model& source, const graph_view& g) : source_(&source), g_(g) {}

  std::span<const float> operator()(expression_id e) {
    const expression& x = g_.at_expression(e);
    if (!x.type) return numbers_of(*source_, x);
    const expression_evaluator evaluate(g_, e);
    scratch_.resize(static_cast<std::size_t>(evaluate.scratch_size()));
    numbers_.resize(static_cast<std::size_t>(x.shape.count()));
    evaluate.run([this](const expression& leaf) { return numbers_of(*source_, leaf).data(); }, scratch_.data(), numbers_.data());
    return numbers_;
  }

 private:
  const loaded_model* source_;
  graph_view g_;
  std::vector<float> scratch_, numbers_;
};

}  // namespace ctnn
