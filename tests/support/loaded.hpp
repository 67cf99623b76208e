// SPDX-License-Identifier: BSL-1.0
// Graphs of tests as loaded models with made-up weights.
#pragma once

#include <ctnn/model.hpp>

#include "numbers.hpp"

namespace ctnn::ir::test {

/// The graph's names must outlive the model.
inline loaded_model as_loaded(const graph_view& g, random_weights& weights) {
  loaded_model m;
  weights.look_at(g);
  m.network = thaw(g);
  for (const expression& e : g.expressions)
    if (!e.type) m.set_weight(e, std::span<const float>(weights.of(e)));
  return m;
}

/// Feeds every input of a model with what random_inputs() makes up for it.
inline void feed(extractor& ex, const graph_view& source) {
  const std::vector<floats> in = random_inputs(source);
  std::size_t i = 0;
  for (const node& n : source.nodes)
    if (n.type == &type_of<op::input>) {
      ex.input(i, array(source.shape(n.outputs.first), in[i]));
      ++i;
    }
}

}  // namespace ctnn::ir::test
