// SPDX-License-Identifier: BSL-1.0
// A declared network as a model, for what models have: lazy execution, writing files, quantizing, pictures, comparing.
// Types are not known here: whoever declares a network includes <ctnn/ctnn.hpp>.
#pragma once

#include <span>

#include "../base/compiled.hpp"
#include "model.hpp"

namespace ctnn {

struct named_weight;

namespace ir {

template <class Net>
struct executable;
namespace detail {
template <class Net>
struct compiled;
}  // namespace detail

/// A declared network's graph with its weights as a file would have them: values of a layer with several are called
/// "gru.0" and "gru.1". Throws ctnn::error if a weight is missing, unknown, or has another shape or type.
loaded_model declared_model(const graph_view& declared, std::span<const named_weight> weights);

}  // namespace ir

/// Net, any network type, as a model; its weights by name, in PyTorch's layouts, are copied. Inputs, outputs and layers
/// are called as Net declares them, weights that are tied stay one, inputs that are carried are each extractor's own.
/// Options are those of files: the model is rewritten like one, and onnx::save() needs keep_weights. Without weights it
/// is a network that has none, or with_weights<...>. Throws ctnn::error naming the weight that is wrong.
///   ctnn::model m = ctnn::to_model<net>(weights, {.keep_weights = true});
template <class Net>
model to_model(std::span<const named_weight> weights = {}, const load_options& options = {}) {
  static_assert(sizeof(ir::executable<Net>) > 0);  // says what is wrong with Net
  if constexpr (requires { Net::known_weights; })
    if (weights.empty()) weights = Net::known_weights;
  return model(ir::declared_model(ir::detail::compiled<Net>::view(), weights), options);
}

/// The same with the weights of a file (weights::open), found by the keys of PyTorch's state_dict.
template <class Net, class File>
requires requires(const ir::graph_view& declared, const File& file) { named_weights(declared, file).given(); }
model to_model(const File& file, const load_options& options = {}) {
  const ir::graph_view declared = ir::detail::compiled<Net>::view();
  return to_model<Net>(named_weights(declared, file).given(), options);
}

}  // namespace ctnn

#if CTNN_DEFINES(CTNN_PART_MODEL)

#include "../base/describe.hpp"
#include "../loaded/folded_weights.hpp"
#include "../network/parameters.hpp"

namespace ctnn::ir {

CTNN_ONCE loaded_model declared_model(const graph_view& declared, std::span<const named_weight> weights) {
  if (const problem_report report = detail::check_weights(declared, weights); report.found)
    throw error("layer '" + std::string(report.layer) + "': " + describe(report.found));
  loaded_model m;
  m.network = thaw(declared);
  for (const node& n : declared.nodes)
    for (int k = 0; n.outputs.count > 1 && k < n.outputs.count; ++k)
      m.network.at_value(n.outputs.first + k).name = m.keep(std::string(n.name) + '.' + std::to_string(k));
  for (network_output& o : m.network.outputs)
    if (o.name.empty()) o.name = m.network.at_value(o.value).name;
  const detail::leaf_lookup numbers{weights};
  for (const expression& e : declared.expressions)
    if (!e.type) m.set_weight(e, std::make_shared<const array>(copy_of(numbers.numbers(e), e.shape)));
  return m;
}

}  // namespace ctnn::ir

#endif
