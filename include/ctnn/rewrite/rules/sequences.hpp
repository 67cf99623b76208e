// SPDX-License-Identifier: BSL-1.0
// Recurrent layers between permutes: a layer reads samples first or steps first.
#pragma once

#include "../axes.hpp"
#include "kinds.hpp"

namespace ctnn::rules {

/// permute > rnn|gru|lstm > permute(1, 0, 2)  ->  permute > the layer with the other order of samples and steps
struct samples_first {
  static constexpr rule_info info{
      "samples_first",    "permute > rnn|gru|lstm > permute(1, 0, 2) -> permute > rnn|gru|lstm",
      lowers::nodes,      numerics::exact,
      proved_by::running, "recurrent layers are unknown functions of all that they read"};
  static constexpr bool any_type = true;
  using layers = find::any_of<op::rnn, op::gru, op::lstm>;
  struct match {
    node_id before = none, layer = none, last = none;
  };
  using pattern =
      find::node<op::permute, &match::last,
                 find::alone<find::node<layers, &match::layer, find::alone<find::node<op::permute, &match::before>>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.input(m.last) != r.output(m.layer)) return {"it permutes a state", r.name(m.layer)};
    if (r.shape(r.output(m.layer)).rank != 3) return {"it has no axis of samples", r.name(m.layer)};
    return r.get<op::permute>(m.last).order == swap() ? reason{} : reason{"it permutes features", r.name(m.layer)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto before = r.get<op::permute>(m.before);
    std::swap(before.order[0], before.order[1]);
    r.recode(m.before, before);
    r.resize(m.before);
    layers::visit(r, m.layer, [&](auto layer) {
      layer.batch_first = !layer.batch_first;
      r.recode(m.layer, layer);
    });
    r.resize(m.layer);
    r.bypass(m.last, r.output(m.layer));
  }

 private:
  static constexpr list<int> swap() { return {1, 0, 2}; }
};

}  // namespace ctnn::rules
