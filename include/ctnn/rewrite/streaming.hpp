// SPDX-License-Identifier: BSL-1.0
// A network that takes its sequence in parts, from the network that takes it whole. Whatever reaches back, windows and
// recurrent layers, reads what is carried from part to part.
//
// Numbers of the whole and of the stream are counted apart: number i of a value of the whole is number i + offset of
// its stream. A window that reads n numbers without padding drops n - 1 and adds them to the offset, as a slice adds
// where it starts; padding on the left takes away from it. Values that meet are brought to one offset by delays, and a
// stream of an offset below 0 is zeros before it begins. What depends on padding behind the end is no part of the
// stream: `tail` counts these numbers, which a slice must cut off again.
#pragma once

#include "streams/states.hpp"

namespace ctnn::ir {

namespace detail {

/// Makes the graph for parts, with the axis that the first input has. `reach` tells for every value of the whole how
/// many samples before a part are read; a first walk, `measuring`, finds these numbers.
class stream_maker : public stream_states {
 public:
  constexpr stream_maker(graph&& whole, name_maker& names, const streaming& how, pool<int>& reach, bool measuring)
      : stream_states(static_cast<graph&&>(whole), names, how, reach, measuring) {}

  /// The graph, if there is no error.
  constexpr void run(graph& result) {
    const graph_view& g = x_.source();
    for (std::size_t n = 0; n < g.nodes.size() && !error.found; ++n) {
      failed_at = static_cast<int>(n);
      if (const problem p = take(g.nodes[n])) error = {p, g.nodes[n].name};
    }
    for (const network_output& o : g.outputs)
      if (!error.found) give(o.value);
    if (!error.found) result = x_.finish();
  }

 private:
  constexpr problem take_input(const node& n) {
    const value_id v = n.outputs.first;
    auto input = x_.source().get<op::input>(x_.source().at_value(v).producer);
    const extents& s = whole(v);
    const bool is_first = length_ == 0;
    const int axis = normal_axis(how_.axis, s.rank);
    if (is_first) {
      if (axis < 0 || axis >= s.rank) return {mistake::no_sequence, "axis", s, {how_.axis}};
      length_ = s[axis];
    }
    if (input.carried || axis < 0 || axis >= s.rank || s[axis] != length_) return copy(n);
    if (how_.block > 0) input.shape[static_cast<std::size_t>(axis)] = how_.block;
    part_ = input.shape[static_cast<std::size_t>(axis)];
    value_id made = none;
    if (const problem p = x_.try_add(with(n, input), {}, made)) return p;
    x_.move(v, made);
    say(v, {s.rank - 1 - axis});
    return {};
  }
  /// Of what the sequence has no part in, or which is known at its end.
  constexpr problem copy(const node& n) {
    stream s;
    for (value_id v : x_.source().inputs(n)) {
      s.at_end = s.at_end || of(v).at_end;
      if (of(v).tail > s.tail) looks_ahead(s, of(v).tail, of(v).ahead);
    }
    if (n.type == &type_of<op::input>) x_.copy(n);  // others when somebody reads them: a table may be read by place
    for (int k = 0; k < n.outputs.count; ++k) say(n.outputs.first + k, s);
    return {};
  }

  constexpr problem take_pad(const node& n, op::pad op) {
    const auto in = x_.source().inputs(n);
    stream s = of(in[0]);
    const auto axis = static_cast<std::size_t>(axis_of(whole(in[0]), s.back));
    const int before = op.before[axis], after = op.after[axis];
    if ((before > 0 || after > 0) && (op.mode != op::pad_mode::constant || op.value != 0 || in.size() > 1))
      return {mistake::looks_ahead, "mode", {before, after}, {0}};
    if (before > 0 && s.offset > 0) return {mistake::stream_begins_later, "before", {s.offset}, {0}};
    s.offset -= before;
    looks_ahead(s, s.tail + after, s.ahead == none ? place_of(n) : s.ahead);
    op.before[axis] = op.after[axis] = 0;
    if (op.value == 0 && in.size() == 1)
      return done_but_alone(with(n, op), in[0], s, sum_of(op.before) + sum_of(op.after) == 0);
    // Along other axes: what a stream has before it begins would be no zeros.
    pool<value_id> read(1, delayed(in[0], s.offset < 0 ? -s.offset : 0, n.name));
    for (value_id value : in.subspan(1)) read.push_back(x_.moved(value));
    s.offset = s.offset < 0 ? 0 : s.offset;
    return done(with(n, op), read, s);
  }
  static constexpr int sum_of(const list<int>& numbers) {
    int sum = 0;
    for (int i : numbers) sum += i < 0 ? -i : i;
    return sum;
  }
  constexpr problem take_slice(const node& n, const op::slice& op) {
    const value_id v = x_.source().inputs(n)[0];
    stream s = of(v);
    const int axis = axis_of(whole(v), s.back);
    op::slice::walks w = op.over(whole(v));
    const op::slice::walk along = w[static_cast<std::size_t>(axis)];
    if (along.step != 1) return mixes("step", axis);
    s.offset += along.first;
    looks_ahead(s, s.tail - (extent_of_whole(v) - along.first - along.count), s.ahead);
    const extents& now = x_.made_shape(x_.moved(v));
    w[static_cast<std::size_t>(axis)] = {0, now[axis], 1};
    const op::slice rest = op::slice::of(now, w);
    return done_but_alone(with(n, rest), v, s, rest.entries() == 0);
  }
  /// The axis must be one of the result as well, with what was before it before it.
  constexpr problem take_view(const node& n) {
    const value_id v = x_.source().inputs(n)[0];
    stream s = of(v);
    const extents &from = whole(v), &to = whole(n.outputs.first);
    const int found = axis_in_view(from, to, axis_of(from, s.back));
    if (found == none) return mixes(n, v);
    s.back = axis_of(to, found);
    list<int> shape = as_list(to);
    shape[static_cast<std::size_t>(found)] = extent(v);
    node reshaped = with(n, op::reshape{shape});
    reshaped.type = &type_of<op::reshape>;
    return done(reshaped, pool<value_id>(1, x_.moved(v)), s);
  }

  /// What computes part by part: all that it reads of the sequence is brought to one offset.
  constexpr problem pass(const node& n) {
    const auto in = x_.source().inputs(n);
    pool<extents> shapes;
    for (value_id v : in) shapes.push_back(whole(v));
    stream s;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const value_id v = in[i];
      const stream& now = of(v);
      if (now.back == none) continue;
      const int back = n.type->passes(x_.source().fields_of(n.fields), static_cast<int>(i), now.back, shapes);
      if (back < 0 || (s.back != none && s.back != back)) return mixes(n, v);
      if (s.back == none) s.samples = now.samples, s.numbers = now.numbers;
      s.back = back;
      s.depend(now);
      s.offset = now.offset > s.offset ? now.offset : s.offset;
      if (now.tail > s.tail) looks_ahead(s, now.tail, now.ahead);
      if (extent_of_whole(v) != extent_of_result(n, back)) return mixes(n, v);
    }
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(x_.source().given(n)));
    int samples = 0;
    for (value_id v : in)
      if (of(v).back != none) samples = extent(v);
    pool<value_id> read;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const stream& now = of(in[i]);
      std::size_t same = 0;
      while (in[same] != in[i]) ++same;
      // What is no sequence may have numbers for each of its places.
      const int places = now.back == none && i < own ? axis_behind(n, i, s.back) : none;
      if (places != none && whole(in[i]).back(places) != 1)
        read.push_back(at_places(in[i], places, {samples, -s.offset}));
      else if (same < i) read.push_back(read[same]);
      else read.push_back(now.back == none ? x_.moved(in[i]) : delayed(in[i], s.offset - now.offset, n.name));
    }
    return done(n, read, s);
  }
  // Templates stand before who calls them: Clang wants them whole in constants.
  constexpr problem take(const node& n) {
    const graph_view& g = x_.source();
    if (n.type == &type_of<op::constant>) return {};
    if (n.type == &type_of<op::input>) return take_input(n);
    bool any = false, at_end = false;
    for (value_id v : g.inputs(n)) {
      any = any || of(v).back != none;
      at_end = at_end || of(v).at_end;
    }
    if (!any) return copy(n);
    if (at_end) return mixes(n, g.inputs(n)[0]);
    const auto given = static_cast<std::size_t>(count_slots(g.given(n)));
    for (value_id v : g.inputs(n).last(given))
      if (of(v).back != none) return mixes(n, v);
    const auto fields = g.fields_of(n.fields);
    const bool of_bytes = is_byte(g.at_value(g.inputs(n)[0]).type);  // which begin with zero points
    if (n.type == &type_of<op::conv1d> && !of_bytes) return convolve(n, decode<op::conv1d>(fields));
    if (n.type == &type_of<op::conv2d> && !of_bytes) return convolve(n, decode<op::conv2d>(fields));
    if (n.type == &type_of<op::conv3d> && !of_bytes) return convolve(n, decode<op::conv3d>(fields));
    if (n.type == &type_of<op::conv_transpose1d>) return spread(n, decode<op::conv_transpose1d>(fields));
    if (n.type == &type_of<op::conv_transpose2d>) return spread(n, decode<op::conv_transpose2d>(fields));
    if (n.type == &type_of<op::conv_transpose3d>) return spread(n, decode<op::conv_transpose3d>(fields));
    if (n.type == &type_of<op::pool>) return take_pool(n, decode<op::pool>(fields));
    if (n.type == &type_of<op::rnn>) return recur(n, decode<op::rnn>(fields));
    if (n.type == &type_of<op::gru>) return recur(n, decode<op::gru>(fields));
    if (n.type == &type_of<op::lstm>) return recur(n, decode<op::lstm>(fields));
    if (n.type == &type_of<op::pad>) return take_pad(n, decode<op::pad>(fields));
    if (n.type == &type_of<op::slice>) return take_slice(n, decode<op::slice>(fields));
    if (n.type->is.view) return take_view(n);
    if (n.type == &type_of<op::attention> && of(g.inputs(n)[1]).back == 1)
      return attend(n, decode<op::attention>(fields));
    return pass(n);
  }

  constexpr void give(value_id v) {
    stream& s = of(v);
    if (s.tail > 0) {
      error = {{mistake::looks_ahead, "pad", {s.tail}, {0}}, x_.source().at(s.ahead).name};
      failed_at = s.ahead;
      return;
    }
    if (s.back != none && s.offset < 0) {
      x_.move(v, delayed(v, -s.offset, x_.source().at(x_.source().at_value(v).producer).name));
      s.offset = 0;
    }
    if (offsets.empty()) receptive_field = s.reach < 0 ? 0 : s.reach + 1;
    offsets.push_back(s.back == none ? 0 : s.offset);
  }

  int length_ = 0;  ///< of the whole
};

/// What a first walk finds.
struct stream_finding {
  problem_report error{};
  int failed_at = 0, states = 0;
  bool counts = false;  ///< samples
  pool<int> reach{}, offsets{};
  pool<std::int64_t> carried{};  ///< of every value that is carried, in samples of the input
  std::int64_t receptive_field = 1;
};
constexpr void try_stream(const graph_view& g, const streaming& how, stream_finding& found) {
  name_maker names;
  stream_maker walk(thaw(g), names, how, found.reach, true);
  graph made;
  walk.run(made);
  found.error = walk.error;
  found.failed_at = walk.failed_at;
  found.states = walk.states;
  found.counts = walk.counts_samples();
  found.offsets = walk.offsets;
  found.receptive_field = walk.receptive_field;
  for (std::size_t v = 0; v < found.reach.size(); ++v)
    if (found.reach[v] > 0) found.carried.push_back(walk.reach_of(static_cast<int>(v)));
}

}  // namespace detail

/// Finds the axis of the sequence, if `how` does not say it: the one along which everything can be computed in parts
/// and something is carried from one to the next; if nothing is anywhere, any of them is as good, unless it has tables
/// by place.
constexpr void find_stream(const graph_view& g, streaming& how, detail::stream_finding& result) {
  const extents* first = nullptr;
  for (const node& n : g.nodes)
    if (!first && n.type == &type_of<op::input>) first = &g.shape(n.outputs.first);
  if (!first || how.axis != automatic_axis) return detail::try_stream(g, how, result);
  extents axes[3]{};  // by how good they are: those that carry, others, those with tables by place
  int best = 3;
  for (int axis = first->rank - 1; axis >= 0; --axis) {
    detail::stream_finding found;
    detail::try_stream(g, {how.block, axis}, found);
    const int rank = found.error.found ? 3 : found.states > 0 ? 0 : found.counts ? 2 : 1;
    if (rank < 3) axes[rank].push_back(axis);
    const bool better = rank < best || (best == 3 && (result.reach.empty() || found.failed_at > result.failed_at));
    if (!better) continue;
    best = rank;
    how.axis = axis;
    result = static_cast<detail::stream_finding&&>(found);
  }
  const extents& would_do = axes[best == 3 ? 0 : best];
  if (would_do.rank > 1 && (best == 0 || how.block > 0))
    result.error = {{mistake::no_sequence, "axis", *first, would_do}, g.nodes[0].name};
}

/// The fewest samples that are a block, along the axis that `how` says: windows that step need a multiple of them. What
/// else may be wrong with the stream is not its matter.
constexpr int unit_of_stream(const graph_view& g, streaming how) {
  constexpr int most = 1 << 24;
  for (how.block = 1; how.block < most;) {
    detail::stream_finding found;
    detail::try_stream(g, how, found);
    if (found.error.found.kind != mistake::block_not_a_multiple) break;
    int samples = found.error.found.got[0], stride = found.error.found.needed[0];
    const int steps = stride;
    while (samples != 0) {
      const int rest = stride % samples;
      stride = samples;
      samples = rest;
    }
    how.block *= steps / stride;
  }
  return how.block;
}

/// How many units are the longest block of a stream that takes `most` samples: as few as hold them, at least two, but
/// none of which what is carried has as many samples as the block, or as one a unit shorter, which rules and plans
/// would take for a matter of that size.
constexpr int units_of_longest(int most, int unit, const auto& carried) {
  for (int units = most <= unit ? 2 : (most + unit - 1) / unit;; ++units) {
    bool is_apart = true;
    for (const std::int64_t samples : carried)
      is_apart = is_apart && samples != std::int64_t{units} * unit && samples != std::int64_t{units - 1} * unit;
    if (is_apart) return units;
  }
}

/// Turns g into the network for a stream; what is wrong leaves it as it is.
constexpr problem_report make_stateful(graph& g, streaming how, name_maker& names,
                                       detail::stream_finding* finding = nullptr) {
  detail::stream_finding found;
  find_stream(g.view(), how, found);
  if (finding) *finding = found;
  if (!found.error.found) detail::stream_maker(thaw(g.view()), names, how, found.reach, false).run(g);
  return found.error;
}

}  // namespace ctnn::ir
