// SPDX-License-Identifier: BSL-1.0
// rules/sequences.hpp: recurrent layers read samples first or steps first.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

template <class Layer>
constexpr Layer layer_of(bool batch_first, op::direction direction = op::direction::forward) {
  Layer l;
  l.hidden = 3;
  l.batch_first = batch_first;
  l.direction = direction;
  return l;
}
/// (samples, features, steps) to a layer that reads steps first, and back.
template <class Layer, bool Done>
constexpr auto columns = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 5});
  const value_id p =
      b.permute("before", x, Done ? std::initializer_list<int>{0, 2, 1} : std::initializer_list<int>{2, 0, 1});
  const value_id y = b.add(layer_of<Layer>(Done, op::direction::bidirectional), "layer", {p});
  b.output("y", Done ? b.relu("r", y) : b.relu("r", b.permute("back", y, {1, 0, 2})));
  b.output("h", y + 1);
};
template <bool Done>
constexpr auto samples = [](builder& b) {  // a layer that reads samples first
  const value_id x = b.input("x", {5, 2, 4});
  const value_id p = Done ? b.permute("before", x, {0, 1, 2}) : b.permute("before", x, {1, 0, 2});
  const value_id y = b.add(layer_of<op::gru>(!Done), "layer", {p});
  b.output("", b.relu("r", Done ? y : b.permute("back", y, {1, 0, 2})));
};
constexpr auto without_permute = [](builder& b) {
  const value_id y = b.add(layer_of<op::lstm>(false), "layer", {b.input("x", {5, 2, 4})});
  b.output("", b.permute("back", y, {1, 0, 2}));
};
constexpr auto features = [](builder& b) {
  const value_id p = b.permute("before", b.input("x", {2, 4, 5}), {2, 0, 1});
  b.output("", b.permute("back", b.add(layer_of<op::lstm>(false), "layer", {p}), {1, 2, 0}));
};
constexpr auto of_a_state = [](builder& b) {
  const value_id p = b.permute("before", b.input("x", {2, 4, 5}), {2, 0, 1});
  const value_id y = b.add(layer_of<op::lstm>(false), "layer", {p});
  b.output("", b.permute("back", y + 1, {1, 0, 2}));
};
constexpr auto read_twice = [](builder& b) {
  const value_id p = b.permute("before", b.input("x", {2, 4, 5}), {2, 0, 1});
  const value_id y = b.add(layer_of<op::lstm>(false), "layer", {p});
  b.output("", b.permute("back", y, {1, 0, 2}));
  b.output("r", b.relu("r", y));
};
constexpr auto input_read_twice = [](builder& b) {
  const value_id p = b.permute("before", b.input("x", {2, 4, 5}), {2, 0, 1});
  b.output("", b.permute("back", b.add(layer_of<op::lstm>(false), "layer", {p}), {1, 0, 2}));
  b.output("r", b.relu("r", p));
};

}  // namespace

FIRES("columns to lstm and back", (rules::samples_first), (columns<op::lstm, false>), (columns<op::lstm, true>))
FIRES("columns to rnn and back", (rules::samples_first), (columns<op::rnn, false>), (columns<op::rnn, true>))
FIRES("samples to gru and back", (rules::samples_first), samples<false>, samples<true>)
DECLINES("no permute before", (rules::samples_first), without_permute, "")
DECLINES("features are permuted", (rules::samples_first), features, "it permutes features")
DECLINES("a state is permuted", (rules::samples_first), of_a_state, "it permutes a state")
DECLINES("the sequence is read as it is", (rules::samples_first), read_twice, "its input is also read by another layer")
DECLINES("the input is read as it is", (rules::samples_first), input_read_twice,
         "its input is also read by another layer")
