// SPDX-License-Identifier: BSL-1.0
// What rnn, gru and lstm are put through: units around the lanes of every target and around a part of them, all forms
// of the input, both directions, states given or not, and new ones over those.
#pragma once

#include "../check.hpp"

namespace ctnn::ir::test {

template <class Op, class Run>
void sweep_recurrent(const Run& run, Op p) {
  options apart;
  apart.weights_up_to = 0.3f;  // steps do not amplify rounding
  apart.tolerance = 2e-5f;
  const auto functions = p.functions;  // of both directions
  const auto both = [&](const extents& x, const extents& state) {
    std::vector<extents> shapes{x};
    compare(run, p, shapes, std::vector<placement>(1 + static_cast<std::size_t>(output_count(p))), apart);
    for (int i = 0; i < Op::states; ++i) shapes.push_back(state);
    options o = apart;
    o.in_place = true;
    compare(run, p, shapes, std::vector<placement>(shapes.size() + static_cast<std::size_t>(output_count(p))), o);
  };
  for (int n : lengths()) {
    p.hidden = n;
    p.bias = n % 3 != 0;
    p.direction = static_cast<op::direction>(n % 2);
    if (!functions.empty()) p.functions.count = Op::functions_each;
    both({3, 1 + n % 5}, {1, n});
  }
  for (int n : {1, 5, 16, 67, 130}) {
    p.hidden = n;
    p.bias = n != 5;
    p.direction = op::direction::bidirectional;
    p.functions = functions;
    p.batch_first = false;
    both({4, 3, 7}, {2, 3, n});
    p.batch_first = true;
    both({3, 4, 7}, {2, 3, n});
    both({2, 7}, {2, n});
  }
}

template <class Run>
void sweep_recurrent(const Run& run) {
  sweep_recurrent(run, op::rnn{});
  sweep_recurrent(run, op::gru{});
  sweep_recurrent(run, op::lstm{});
  using enum function;
  const auto chosen = []<class Op>(Op p, float clip, std::initializer_list<function> functions) {
    p.clip = clip;
    for (int d = 0; d < 2; ++d)
      for (const function f : functions) {
        p.functions.push_back(f);
        p.alpha.push_back(0.2f);
        p.beta.push_back(0.5f);
      }
    return p;
  };
  sweep_recurrent(run, chosen(op::rnn{}, 0, {relu}));
  sweep_recurrent(run, chosen(op::gru{}, 0.4f, {hardsigmoid, softsign}));
  sweep_recurrent(run, chosen(op::gru{{}, false}, 0, {hardsigmoid, tanh}));
  sweep_recurrent(run, op::gru{{}, false});
  sweep_recurrent(run, chosen(op::lstm{{}, true, true}, 0, {sigmoid, scaled_tanh, tanh}));
  sweep_recurrent(run, chosen(op::lstm{{}, true, false}, 0.3f, {}));
  sweep_recurrent(run, op::lstm{{}, false, true});
}

}  // namespace ctnn::ir::test
