// SPDX-License-Identifier: BSL-1.0
// Views in a row, as one map of indices (graph/index_map.hpp).
#pragma once

#include "view_steps.hpp"

namespace ctnn::ir {

/// A view and what it is made of in turn.
class view_chain {
 public:
  static constexpr std::size_t most = 8;  ///< views in a row

  constexpr view_chain(const rewriter& r, value_id v) : r_(r) {
    for (; is_view(r, v) && !made_.full(); v = r.input(r.producer(v))) made_.push_back(v);
    while (own_ < made_.size() && (own_ == 0 || r.readers(made_[own_]) == 1) && !is_part(own_)) ++own_;
  }
  /// How many views there are in a row.
  constexpr std::size_t size() const { return made_.size(); }
  /// How many layers from the last on are there for nobody else.
  constexpr std::size_t own() const { return own_; }
  /// The layer that many before the last.
  constexpr node_id layer(std::size_t before) const { return r_.producer(made_[before]); }
  constexpr value_id made_by(std::size_t before) const { return made_[before]; }
  /// What the last so many layers read.
  constexpr value_id source(std::size_t of) const { return of == 0 ? made_[0] : r_.input(layer(of - 1)); }
  constexpr bool is_part(std::size_t before) const { return r_.is<op::split>(layer(before)); }
  /// The last value in what the last so many layers read, where `m` is that in itself. False: no map says it.
  constexpr bool map(std::size_t of, index_map& m) const {
    if (m.shape().count() == 0) return false;
    for (std::size_t i = of; i-- > 0;)
      if (!step_to(r_, made_[i]).apply(m)) return false;
    return true;
  }
  /// How many elements the last so many layers copy: those that others read as well, a part of each.
  constexpr std::int64_t copied(std::size_t of) const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < of; ++i) {
      const std::int64_t all = step_to(r_, made_[i]).copied(r_.shape(r_.input(layer(i))));
      n += i < own_ ? all : all / r_.readers(made_[i]);
    }
    return n;
  }

 private:
  const rewriter& r_;
  static_vector<value_id, most> made_;  // from the last
  std::size_t own_ = 0;
};

}  // namespace ctnn::ir
