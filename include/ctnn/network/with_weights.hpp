// SPDX-License-Identifier: BSL-1.0
// A declared network whose numbers are known when it is rewritten, as those of files are.
#pragma once

#include "../rewrite/zero_channels.hpp"
#include "parameters.hpp"

namespace ctnn {

/// Net with its weights, constexpr arrays as for fold(): rules see them, so that channels of zeros, or of one
/// number, go from the layers that make and read them, vectors of zeros and ones go as well, and constants and layers
/// that differ in name alone are one.
///
/// ```cpp
/// using small = nn::optimized<nn::with_weights<net, weights>>;
/// constexpr auto few = nn::fold<nn::with_weights<net, weights>>();
/// ```
/// The type may have fewer channels than Net declares, and so takes no others' weights: load_folded() refuses it.
template <class Net, const auto& Given>
struct with_weights : Net {
  static constexpr const auto& known_weights = Given;

  static constexpr bool are_right() { return ir::detail::are_right<with_weights, Given>; }
  static constexpr void note_numbers(ir::graph& g) {
    static_assert(sizeof(ir::detail::weights_error<with_weights, Given>) > 0);
    if constexpr (are_right()) {
      constexpr std::int64_t most_channels = 1 << 16;
      const ir::detail::leaf_lookup leaf{Given};
      for (const ir::node& n : g.nodes)
        for (const ir::expression_id w : g.view().weights(n)) {
          ir::expression& e = g.expressions[static_cast<std::size_t>(w)];
          const typed_span numbers = leaf.numbers(e);
          if (e.type || static_cast<std::int64_t>(numbers.size()) != e.shape.count()) continue;
          const bool is_vector = n.type == &ir::type_of<op::constant> || e.shape.rank == 1;
          if (is_vector && e.element == dtype::f32 && e.shape.count() <= most_channels)
            e.numbers = ir::known_of({numbers.data(), numbers.size()});
          if (!ir::has_channels(*n.type)) continue;
          numbers.visit([&]<class T>(const T* first, std::size_t) {
            if constexpr (ir::may_be_zero_channels<T>) ir::note_zero_channels(g, e, first);
          });
        }
      share_equal_weights(g, leaf);
    }
  }

 private:
  /// Of weights of equal type, shape and bits the first takes the place of all: what differs by nothing else is a
  /// common subexpression.
  static constexpr void share_equal_weights(ir::graph& g, const ir::detail::leaf_lookup& leaf) {
    struct known {
      ir::expression_id e;
      typed_span numbers;
    };
    ir::pool<known> seen;
    for (const ir::node& n : g.nodes)
      for (int k = n.weights.first; k < n.weights.first + n.weights.count; ++k) {
        ir::expression_id& own = g.operands[static_cast<std::size_t>(k)];
        const ir::expression& e = g.view().at_expression(own);
        if (e.type) continue;
        const known mine{own, leaf.numbers(e)};
        bool is_new = true;
        for (const known& other : seen) {
          if (!(g.view().at_expression(other.e).shape == e.shape) || !same_bits(other.numbers, mine.numbers)) continue;
          own = other.e;
          is_new = false;
          break;
        }
        if (is_new) seen.push_back(mine);
      }
  }
};

}  // namespace ctnn
