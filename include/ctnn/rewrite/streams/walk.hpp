// SPDX-License-Identifier: BSL-1.0
// The walk over a network that takes its sequence whole, which makes the one that takes it in parts (../streaming.hpp):
// what is known of every value, and how layers that reach back read what is carried from part to part.
//
// Numbers of the whole and of the stream are counted apart: number i of a value of the whole is number i + offset of
// its stream. A window that reads n numbers without padding drops n - 1 and adds them to the offset, as a slice adds
// where it starts; padding on the left takes away from it. Values that meet are brought to one offset by delays, and a
// stream of an offset below 0 is zeros before it begins. What depends on padding behind the end is no part of the
// stream: `tail` counts these numbers, which a slice must cut off again.
#pragma once

#include "../expansion.hpp"

namespace ctnn::ir {

/// How a network is to be taken in parts.
struct streaming {
  int block = 0;              ///< samples of the first input in a part; 0: as many as it is declared with
  int axis = automatic_axis;  ///< of them in the first input, and in others that have as many
  int keep = 0;               ///< samples of the first input that are carried at least of what is carried
};

/// What is known of a value of the whole.
struct stream {
  int back = none;  ///< the axis of the sequence, counted from the last; none: there is none
  int offset = 0;
  int tail = 0;
  bool at_end = false;   ///< known when the whole sequence is: the last state of a recurrent layer
  value_id same = none;  ///< the value whose numbers the stream's are
  node_id ahead = none;  ///< where the tail comes from
  /// Samples of the input before its own that a number depends on, at most; below 0: all.
  std::int64_t reach = 0;
  std::int64_t samples = 1, numbers = 1;  ///< so many of the input are so many of it

  /// Reads so many of its own numbers besides.
  constexpr void look_back(std::int64_t by) {
    if (reach >= 0) reach += by * samples / numbers;
  }
  /// Depends on what another does, too.
  constexpr void depend(const stream& other) {
    if (other.reach < 0 || (reach >= 0 && other.reach > reach)) reach = other.reach;
  }
};

namespace detail {

class stream_walk {
 public:
  problem_report error{};
  int failed_at = 0;    ///< the node
  int states = 0;       ///< carried, of what the sequence is
  pool<int> offsets{};  ///< of the outputs
  std::int64_t receptive_field = 1;  ///< of the first output, in samples of the input; 0: all that was before
  /// What a first walk has found for value v, in samples of the input.
  constexpr std::int64_t reach_of(value_id v) {
    return reach_[static_cast<std::size_t>(v)] * of(v).samples / of(v).numbers;
  }

 protected:
  constexpr stream_walk(graph&& whole, name_maker& names, const streaming& how, pool<int>& reach, bool measuring)
      : x_(static_cast<graph&&>(whole), names), how_(how), reach_(reach), measuring_(measuring) {
    streams_ = pool<stream>(x_.source().values.size(), {});
    if (measuring) reach_ = pool<int>(x_.source().values.size(), 0);
  }

  constexpr stream& of(value_id v) { return streams_[static_cast<std::size_t>(v)]; }
  constexpr const extents& whole(value_id v) const { return x_.source().shape(v); }
  constexpr int extent_of_whole(value_id v) { return whole(v).back(of(v).back); }
  /// Samples in a part.
  constexpr int extent(value_id v) { return x_.made_shape(x_.moved(v)).back(of(v).back); }
  static constexpr int axis_of(const extents& shape, int back) { return shape.rank - 1 - back; }

  // Making nodes.

  template <class Op>
  constexpr value_id make(const Op& op, std::string_view name, const pool<value_id>& in) {
    value_id made = none;
    (void)x_.try_add(x_.as_node(op, name), in, made);  // shapes that fit by construction
    return made;
  }
  static constexpr pool<value_id> one(value_id v) { return pool<value_id>(1, v); }
  /// The node n with other fields.
  template <class Op>
  constexpr node with(node n, const Op& op) {
    n.fields = x_.as_node(op, n.name).fields;
    return n;
  }
  constexpr value_id carried_input(std::string_view name, const extents& shape, const element& type) {
    op::input state{as_list(shape), type};
    state.carried = true;
    state.as = type.real;
    ++states;
    return make(state, name, {});
  }
  constexpr value_id part(value_id v, int back, int first, int count, std::string_view name) {
    const extents& s = x_.made_shape(v);
    if (first == 0 && count == s.back(back)) return v;
    op::slice::walks w = op::slice{}.over(s);
    w[static_cast<std::size_t>(axis_of(s, back))] = {first, count, 1};
    return make(op::slice::of(s, w), name, pool<value_id>(1, v));
  }

  /// `count` samples of v's stream, beginning `before` samples before this part of it.
  constexpr value_id look(value_id v, int before, int count, std::string_view reader, std::string_view says = ".of.") {
    const stream s = of(v);
    const value_id now = x_.moved(v);
    if (before == 0 && count == extent(v)) return now;
    const std::string_view window = x_.name(x_.name(reader, says), called(v));
    if (before <= 0) return part(now, s.back, -before, count, window);
    int& needed = reach_[static_cast<std::size_t>(s.same)];
    if (measuring_ && needed < before) needed = before;
    const int reach = measuring_ ? needed : carried_of(s.same);
    value_id& joined = x_.twin(s.same);
    if (joined == none || measuring_) {
      const value now_value = x_.made_value(now);
      extents past = now_value.shape;
      past.back(s.back) = reach;
      const std::string_view of_value = called(s.same), name = x_.name(of_value, ".past");
      const value_id state = carried_input(name, past, now_value.type);
      pool<value_id> both(1, state);
      both.push_back(now);
      op::concat join;
      join.axis = axis_of(past, s.back);
      joined = make(join, x_.name(of_value, ".joined"), both);
      x_.add_output(name, part(joined, s.back, now_value.shape.back(s.back), reach, x_.name(of_value, ".next")));
    }
    return part(joined, s.back, reach - before, count, window);
  }
  /// Numbers of value v that are carried.
  constexpr int carried_of(value_id v) {
    const int needed = reach_[static_cast<std::size_t>(v)];
    const std::int64_t least = (how_.keep * of(v).numbers + of(v).samples - 1) / of(v).samples;
    return least > needed ? static_cast<int>(least) : needed;
  }
  constexpr value_id delayed(value_id v, int by, std::string_view reader) {
    return look(v, by, extent(v), reader, ".late.");
  }
  /// "name", or "name.2" of a node with several outputs.
  constexpr std::string_view called(value_id v) {
    const node& maker = x_.source().at(x_.source().at_value(v).producer);
    if (maker.outputs.count == 1) return maker.name;
    return numbered(x_.name(maker.name, "."), v - maker.outputs.first);
  }
  constexpr std::string_view numbered(std::string_view name, int n) {
    constexpr std::string_view digits = "0123456789";
    return x_.name(n < 10 ? name : numbered(name, n / 10), digits.substr(static_cast<std::size_t>(n % 10), 1));
  }

  constexpr void say(value_id v, stream s) {
    s.same = s.same == none ? v : s.same;
    of(v) = s;
  }
  /// The stream of v with at least `tail` numbers that padding at the end makes.
  static constexpr void looks_ahead(stream& s, int tail, node_id n) {
    if (tail > 0 && s.ahead == none) s.ahead = n;
    s.tail = tail > 0 ? tail : 0;
    if (s.tail == 0) s.ahead = none;
  }
  static constexpr problem mixes(std::string_view what, int axis) {
    return {mistake::mixes_sequence, what, {axis}, {}};
  }
  constexpr problem mixes(const node& n, value_id v) {
    return mixes(n.type->name, of(v).back == none ? -1 : axis_of(whole(v), of(v).back));
  }

  constexpr int extent_of_result(const node& n, int back) { return whole(n.outputs.first).back(back); }
  constexpr node_id place_of(const node& n) { return x_.source().at_value(n.outputs.first).producer; }

  constexpr problem done(const node& n, const pool<value_id>& read, stream s) {
    value_id made = none;
    if (const problem p = x_.try_add(n, read, made)) return p;
    s.same = none;
    for (int k = 0; k < n.outputs.count; ++k) {
      const value_id v = n.outputs.first + k;
      x_.move(v, made + k);
      say(v, s);
    }
    return {};
  }
  /// A node of one input whose stream is that of its input if it has nothing to do but with the sequence.
  constexpr problem done_but_alone(const node& n, value_id v, stream s, bool nothing) {
    if (!nothing) return done(n, pool<value_id>(1, x_.moved(v)), s);
    s.same = of(v).same;
    x_.move(n.outputs.first, x_.moved(v));
    say(n.outputs.first, s);
    return {};
  }

  /// Along a batch, which windows leave alone.
  constexpr problem pass_along(const node& n, int back) {
    const auto in = x_.source().inputs(n);
    pool<value_id> read;
    for (value_id v : in) {
      if (of(v).offset != 0 || (of(v).back != none && of(v).back != back)) return mixes(n, v);
      read.push_back(x_.moved(v));
    }
    stream s = of(in[0]);
    s.same = none;
    return done(n, read, s);
  }

  expander x_;
  streaming how_;
  int part_ = 0;  ///< samples of the first input in a part

 private:
  pool<int>& reach_;
  bool measuring_;
  pool<stream> streams_{};
};

}  // namespace detail

}  // namespace ctnn::ir
