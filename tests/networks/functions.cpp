// SPDX-License-Identifier: BSL-1.0
// Networks as functions and as lists of layers: one graph.
#include <doctest/doctest.h>

#include "../../examples/networks/inception.hpp"
#include "../../examples/networks/lists/inception.hpp"
#include "../../examples/networks/lists/mobilenet_v2.hpp"
#include "../../examples/networks/lists/resnet18.hpp"
#include "../../examples/networks/lists/tcn.hpp"
#include "../../examples/networks/lists/unet.hpp"
#include "../../examples/networks/lists/wavenet.hpp"
#include "../../examples/networks/mobilenet_v2.hpp"
#include "../../examples/networks/resnet18.hpp"
#include "../../examples/networks/tcn.hpp"
#include "../../examples/networks/transformer.hpp"
#include "../../examples/networks/unet.hpp"
#include "../../examples/networks/wavenet.hpp"

namespace {

namespace nn = ctnn;
using namespace ctnn::ir;

/// Graphs that differ in nothing but the names of layers without weights.
constexpr bool same_graph(const graph_view& a, const graph_view& b) {
  if (a.nodes.size() != b.nodes.size() || a.outputs.size() != b.outputs.size()) return false;
  // Lists may have layers side by side in another order: each is looked for by its operator and what it reads.
  pool<int> other(a.values.size(), none);
  pool<bool> taken(b.nodes.size(), false);
  for (const node& n : a.nodes) {
    bool found = false;
    for (std::size_t i = 0; i < b.nodes.size() && !found; ++i) {
      const node& m = b.nodes[i];
      if (taken[i] || n.type != m.type || n.inputs.count != m.inputs.count) continue;
      bool same = a.weights(n).size() == b.weights(m).size() && (a.weights(n).empty() || n.name == m.name);
      const auto p = a.fields_of(n.fields), q = b.fields_of(m.fields);
      same = same && p.size() == q.size();
      for (std::size_t k = 0; same && k < p.size(); ++k) same = p[k] == q[k];
      for (std::size_t k = 0; same && k < a.inputs(n).size(); ++k)
        same = other[static_cast<std::size_t>(a.inputs(n)[k])] == b.inputs(m)[k];
      if (!same) continue;
      for (int k = 0; k < n.outputs.count; ++k)
        other[static_cast<std::size_t>(n.outputs.first + k)] = m.outputs.first + k;
      taken[i] = found = true;
    }
    if (!found) return false;
  }
  for (std::size_t o = 0; o < a.outputs.size(); ++o)
    if (other[static_cast<std::size_t>(a.outputs[o].value)] != b.outputs[o].value) return false;
  return true;
}
template <class Function, class List>
constexpr bool same_network = same_graph(declared_graph<nn::prune_dead<Function>>,
                                         declared_graph<nn::prune_dead<List>>) &&
                              same_graph(optimized_graph<Function>, optimized_graph<List>);

static_assert(same_network<networks::resnet18<32, 10>, lists::resnet18<32, 10>>);
static_assert(same_network<networks::inceptions<8>, lists::inceptions<8>>);
static_assert(same_network<networks::tcn<32>, lists::tcn<32>>);
static_assert(same_network<networks::unet<32, 32, 2, 8>, lists::unet<32, 32, 2, 8>>);
static_assert(same_network<networks::wavenet<64>, lists::wavenet<64>>);
static_assert(same_network<networks::mobilenet_v2<32, 10>, lists::mobilenet_v2<32, 10>>);
using encoder = nn::network<nn::input<"tokens", nn::shape<6, 16>>,
                            nn::repeat<"layers", 2, nn::transformer_encoder_layer<"", 16, 4, 32>>>;
static_assert(same_network<networks::transformer_encoder<6, 16, 4, 32, 2>, encoder>);

}  // namespace
