// SPDX-License-Identifier: BSL-1.0
// What operators take to run: the one model by which rules choose where a rewrite may pay or not, and executors tell
// what is worth several threads.
#pragma once

#include "graph.hpp"

namespace ctnn::ir {

/// Of one run on one thread.
struct cost {
  std::int64_t macs = 0;
  std::int64_t bytes = 0;  ///< moved: operands, weights and results, each once
  std::int64_t arena = 0;  ///< bytes of the results

  /// About: 40 multiply-adds or 8 bytes in a nanosecond.
  constexpr double nanoseconds() const { return static_cast<double>(macs) / 40 + static_cast<double>(bytes) / 8; }
  constexpr cost& operator+=(const cost& c) {
    macs += c.macs;
    bytes += c.bytes;
    arena += c.arena;
    return *this;
  }
  friend constexpr bool operator==(const cost&, const cost&) = default;
};

/// Less time and no more memory.
constexpr bool pays(const cost& then, const cost& now) {
  return then.nanoseconds() < now.nanoseconds() && then.arena <= now.arena;
}

/// Of an operator that there is not yet; elements of four bytes.
template <class Op>
constexpr cost cost_of(const Op& op, inputs in) {
  const field_values f = encode(op);
  const span<const double> fields{f.data(), f.size()};
  description d;
  cost c;
  if (type_of<Op>.describe(fields, in, {}, d)) return c;
  for (const extents& x : in) c.bytes += 4 * x.count();
  for (const weight_slot& w : d.weights) c.bytes += 4 * w.shape.count();
  for (const extents& y : d.outputs) c.arena += 4 * y.count();
  c.bytes += c.arena;
  c.macs = type_of<Op>.macs(fields, in, d.outputs);
  return c;
}

namespace detail {

/// Without the weights, which a node has or is given.
constexpr cost cost_of_values(const graph_view& g, node_id n) {
  const node& at = g.at(n);
  cost c{macs_of(g, n)};
  for (value_id v : g.inputs(at)) c.bytes += 4 * g.shape(v).count();
  for (int k = 0; k < at.outputs.count; ++k) c.arena += 4 * g.shape(at.outputs.first + k).count();
  c.bytes += c.arena;
  return c;
}

}  // namespace detail

/// Of node n.
constexpr cost cost_of(const graph_view& g, node_id n) {
  cost c = detail::cost_of_values(g, n);
  for (expression_id w : g.weights(g.at(n))) c.bytes += 4 * g.at_expression(w).shape.count();
  return c;
}

/// About what node n takes on one thread once its operands and weights are in a cache, to tell what is worth several:
/// 80 multiply-adds or 32 bytes in a nanosecond. Rules weigh bytes by what memory takes instead (cost::nanoseconds).
constexpr double nanoseconds_of(const graph_view& g, node_id n) {
  const cost c = detail::cost_of_values(g, n);
  return static_cast<double>(c.macs) / 80 + static_cast<double>(c.bytes) / 32;
}
constexpr double nanoseconds_of(const graph_view& g, std::span<const int> nodes) {
  double sum = 0;
  for (const node_id n : nodes) sum += nanoseconds_of(g, n);
  return sum;
}

}  // namespace ctnn::ir
