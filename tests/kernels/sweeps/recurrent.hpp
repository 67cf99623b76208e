// SPDX-License-Identifier: BSL-1.0
// What rnn, gru and lstm are put through: units around the lanes of every target and around a part of them, all forms of
// the input, both directions, states given or not.
#pragma once

#include "../check.hpp"

namespace ctnn::test {

template <class Op, class Run>
void sweep_recurrent(const Run& run, Op p) {
  options o;
  o.weights_up_to = 0.3f;  // steps do not amplify rounding
  o.tolerance = 2e-5f;
  const auto both = [&](const extents& x, const extents& state) {
    std::vector<extents> shapes{x};
    compare(run, p, shapes, std::vector<placement>(1 + static_cast<std::size_t>(output_count(p))), o);
    for (int i = 1; i < Op::max_inputs; ++i) shapes.push_back(state);
    compare(run, p, shapes, std::vector<placement>(shapes.size() + static_cast<std::size_t>(output_count(p))), o);
  };
  for (int n : lengths()) {
    p.hidden = n;
    p.bias = n % 3 != 0;
    p.direction = static_cast<op::direction>(n % 2);
    both({3, 1 + n % 5}, {1, n});
  }
  for (int n : {1, 5, 16, 67, 130}) {
    p.hidden = n;
    p.bias = n != 5;
    p.direction = op::direction::bidirectional;
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
  sweep_recurrent(run, op::rnn{{}, {function::relu}});
  sweep_recurrent(run, op::gru{});
  sweep_recurrent(run, op::lstm{});
}

}  // namespace ctnn::test
