// SPDX-License-Identifier: BSL-1.0
// How ncnn takes the inputs of operators: as weights of the layer, or in any shape.
#pragma once

#include "../../graph/graph.hpp"
#include "../../kernels/operator_code.hpp"  // before operators that compare their records
#include "../../graph/operators.hpp"

namespace ctnn::ncnn {

/// Inputs from `first_parameter` on must be constants: ncnn has them in the layer. Inputs that `any_form` has a bit for
/// are taken in whatever shape their numbers have.
struct input_habits {
  int first_parameter = 99;
  unsigned any_form = 0;
};

inline input_habits habits_of(const graph_view& g, node_id n) {
  if (g.is<op::layer_norm>(n) || g.is<op::rms_norm>(n)) return {1, 0};
  if (g.is<op::group_norm>(n)) return {1, 1};
  if (g.is<op::matmul>(n)) return {0, 0};
  if (g.is<op::rotary_embedding>(n) || g.is<op::lstm>(n) || g.is<op::gru>(n) || g.is<op::rnn>(n)) return {99, ~0u};
  if (g.is<op::attention>(n) && g.shape(g.inputs(g.at(n))[0]).rank == 4)
    return {99, g.get<op::attention>(n).mask ? ~0u & ~(1u << 3) : ~0u};
  return {};
}

}  // namespace ctnn::ncnn
