// SPDX-License-Identifier: BSL-1.0
// A network that takes its sequence in parts and keeps between them what it must (rewrite/streaming.hpp).
#pragma once

#include "../rewrite/streaming.hpp"
#include "questions.hpp"

namespace ctnn::ir::detail {

template <class Net, int Block, int Axis, int Keep = 0>
struct streamed {
  static constexpr graph_view source() { return expanded_view<Net>(); }
  /// What the first walk finds, as constants.
  template <std::size_t Values, std::size_t Outputs>
  struct finding {
    streaming how{Block, Axis, Keep};
    problem_report error{};
    static_vector<int, Values + 1> reach{};
    static_vector<int, Outputs + 1> offsets{};
    static_vector<std::int64_t, Values + 1> carried{};
    std::int64_t receptive_field = 1;
  };
  static constexpr auto find() {
    constexpr graph_view g = expanded_view<Net>();
    finding<g.values.size(), g.outputs.size()> out;
    stream_finding result;
    find_stream(g, out.how, result);
    out.error = result.error;
    out.receptive_field = result.receptive_field;
    for (int n : result.reach) out.reach.push_back(n);
    for (int n : result.offsets) out.offsets.push_back(n);
    for (std::int64_t n : result.carried) out.carried.push_back(n);
    return out;
  }
  static constexpr auto found = find();
  static constexpr problem_report error = found.error;

  static constexpr graph apply(graph&& whole, name_maker& names, pool<rewrite_step>&) {
    pool<int> reach(std::span<const int>(found.reach.begin(), found.reach.size()));
    graph made;
    stream_maker(static_cast<graph&&>(whole), names, found.how, reach, false).run(made);
    return made;
  }
};

/// What is wrong with the network itself, or with taking it in parts.
template <class Net, int Block, int Axis>
auto stream_error_of() {
  if constexpr (found_in<Net>::error.found) return std::type_identity<error_in<found_in<Net>::error>>{};
  else return std::type_identity<error_in<streamed<Net, Block, Axis>::error>>{};
}
template <class Net, int Block, int Axis>
using stream_error = typename decltype(stream_error_of<Net, Block, Axis>())::type;

template <class Net, int Block, int Axis, int Keep = 0>
auto lift_stream() {
  if constexpr (found_in<Net>::error.found) return std::type_identity<stand_in>{};
  else if constexpr (streamed<Net, Block, Axis>::error.found) return std::type_identity<stand_in>{};
  else return lift_all<made_by<streamed<Net, Block, Axis, Keep>>()>();
}
template <class Net, int Block, int Axis, std::size_t, int Keep = 0>
struct stateful_of {
  static_assert(Block >= 0, "ctnn: stateful<net, block>: a block has samples");
  using type = typename decltype(lift_stream<Net, Block, Axis, Keep>())::type;
};

}  // namespace ctnn::ir::detail

namespace ctnn {

/// Net for a stream: run after run takes the next `Block` samples (by itself as many as Net's first input has), and
/// what comes out is what Net gives for all of them at once. Recurrent states, what windows reach back to, keys and
/// values of causal attention and delays of skip paths are carried from run to run by engines, in the arena;
/// engine::reset() begins anew, with the states that recurrent layers are given. `Axis` is that of the sequence in the
/// first input, to be said where several would do. Again a network<...>, with Net's layers, names and weights:
/// optimized<stateful<net, 64>>, fold<stateful<net, 64>, weights>(). A layer that needs later samples does not compile.
///
/// A stream may go on behind the length L that Net is declared for. Causal attention then sees the last L keys, or
/// those of its sliding_window, whatever L is. Positions that come of arange(), as rotary_embedding()'s do, are counted
/// on (in f32 to 2^24). Of a table by place, learned positions, a part reads the rows of its samples; behind the last
/// row a run ends as gather does with an index that is out of range. What knows of places counts the samples, in i64:
/// such networks need <ctnn/typed.hpp>.
template <class Net, int Block = 0, int Axis = ir::automatic_axis>
using stateful = typename ir::detail::stateful_of<
    Net, Block, Axis, sizeof(Net) + sizeof(ir::detail::stream_error<Net, Block, Axis>)>::type;

/// How many samples later than the whole network's output `Output` the stream's begins: sample i of the whole is sample
/// i + stream_delay of the stream. 0 for causal networks, that is padded on the left; windows without padding drop
/// samples.
template <class Net, std::size_t Output = 0, int Axis = ir::automatic_axis>
inline constexpr int stream_delay = ir::detail::streamed<Net, 0, Axis>::found.offsets[Output];

/// How many samples of the input one of the whole network's first output depends on, itself among them; 0: on all that
/// were before, as recurrent layers do.
template <class Net, int Axis = ir::automatic_axis>
inline constexpr std::int64_t receptive_field = ir::detail::streamed<Net, 0, Axis>::found.receptive_field;

/// Bytes that an engine of a network carries from run to run; a part of arena_bytes.
template <class Net>
inline constexpr std::size_t state_bytes = [] {
  std::size_t bytes = 0;
  for (const ir::node& n : ir::declared_graph<Net>.nodes)
    if (const ir::value& v = ir::declared_graph<Net>.at_value(n.outputs.first); is_carried(ir::declared_graph<Net>, n))
      bytes += static_cast<std::size_t>(v.shape.count() * size_of(v.type));
  return bytes;
}();

}  // namespace ctnn
