// SPDX-License-Identifier: BSL-1.0
// What computes from one sample to the next, in parts: recurrent layers, whose states are carried, and causal
// attention, whose keys and values are.
#pragma once

#include "windows.hpp"

namespace ctnn::ir::detail {

class stream_states : public stream_windows {
 protected:
  using stream_windows::stream_windows;

  template <class Op>
  constexpr problem recur(const node& n, Op op) {
    const auto in = x_.source().inputs(n);
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(op.given));
    const value_id v = in[0];
    if (op.direction != op::direction::forward)
      return {mistake::looks_ahead, "direction", {op.sizes_of(whole(v)).length}, {0}};
    if (op.lengths) return mixes("lengths", 0);
    const extents& s = whole(v);
    if (of(v).back == none || axis_of(s, of(v).back) != (s.rank == 3 && op.batch_first ? 1 : 0)) return mixes(n, v);
    if (of(v).offset > 0) return {mistake::stream_begins_later, "state", {of(v).offset}, {0}};
    for (value_id state : in.subspan(1, own - 1))
      if (of(state).back != none) return mixes(n, state);
    pool<value_id> read(1, delayed(v, -of(v).offset, n.name));
    pool<std::string_view> names;
    for (int k = 0; k < Op::states; ++k) {
      names.push_back(x_.name(n.name, k == 0 ? ".h" : ".c"));
      const std::size_t given = 1 + static_cast<std::size_t>(k);
      read.push_back(state(names[given - 1], n.outputs.first + 1 + k, given < own ? in[given] : none));
    }
    for (value_id weight : in.subspan(own)) read.push_back(x_.moved(weight));
    stream out = of(v), last;
    out.offset = 0;
    out.same = none;
    out.reach = -1;
    last.at_end = true;
    if (out.tail > 0) looks_ahead(last, out.tail, out.ahead);
    value_id made = none;
    if (const problem p = x_.try_add(n, read, made)) return p;
    for (int k = 0; k < n.outputs.count; ++k) {
      x_.move(n.outputs.first + k, made + k);
      say(n.outputs.first + k, k == 0 ? out : last);
      if (k > 0) x_.add_output(names[static_cast<std::size_t>(k) - 1], made + k);
    }
    return {};
  }

  /// Queries see keys and values of this part and of those before it, as many as the whole sequence has or as the
  /// window: behind the length of the whole, that is a window that slides.
  constexpr problem attend(const node& n, op::attention op) {
    const auto in = x_.source().inputs(n);
    if (op.past || op.lengths || op.present || op.scores) return mixes(n, in[0]);
    const int length = whole(in[0]).back(1), keys = whole(in[1]).back(1);
    if (!op.causal) return {mistake::looks_ahead, "causal", {length}, {0}};
    stream s{1};
    for (std::size_t i = 0; i < in.size(); ++i) {
      const stream& now = of(in[i]);
      if (i == 3 ? !takes_mask(op, in[3]) : now.back != s.back)
        return mixes(i == 3 ? "mask" : n.type->name, i == 3 ? whole(in[3]).rank - 1 : axis_of(whole(in[i]), s.back));
      s.offset = now.offset > s.offset ? now.offset : s.offset;
      if (now.tail > s.tail) looks_ahead(s, now.tail, now.ahead);
      if (i == 0) s.samples = now.samples, s.numbers = now.numbers;
      s.depend(now);
    }
    if (keys != length) return mixes(n, in[1]);
    const int samples = extent(in[0]),
              past = (op.sliding_window > 0 && op.sliding_window < keys ? op.sliding_window : keys) - 1;
    s.look_back(past);
    const auto looked = [&](std::size_t i, int before) {
      return look(in[i], before + s.offset - of(in[i]).offset, before + samples, n.name);
    };
    pool<value_id> read({looked(0, 0), looked(1, past), looked(2, past)});
    const places at{samples, -past - s.offset};
    if (past > 0 || s.offset > 0 || op.mask) {
      const value_id there = been(at, past + samples);
      const value_id own = !op.mask ? none : of(in[3]).back == none ? x_.moved(in[3]) : looked(3, past);
      read.push_back(own == none ? there : only(there, own, x_.name(n.name, ".mask")));
      op.mask = true;
    }
    // Samples that are dropped may see nothing: let them see everything.
    if (s.offset > 0) op.hidden_score = std::numeric_limits<float>::lowest();
    op.causal = op.lower_right = samples > 1;  // one sample sees all keys there are
    op.sliding_window = samples > 1 ? past + 1 : 0;
    return done(with(n, op), read, s);
  }

 private:
  /// What recurrent layers begin with, and then what they had in the run before. Zeros are what is carried first.
  constexpr value_id state(std::string_view name, value_id of_whole, value_id given) {
    const value_id carried = carried_input(name, whole(of_whole), x_.source().at_value(of_whole).type);
    if (given == none || is_zero(given)) return carried;
    pool<value_id> read({has_begun(), carried, x_.moved(given)});
    return make(op::where{}, x_.name(name, ".now"), read);
  }
  constexpr bool is_zero(value_id v) const {
    const node& maker = x_.source().at(x_.source().at_value(v).producer);
    return maker.type == &type_of<op::full> && decode<op::full>(x_.source().fields_of(maker.fields)).value == 0;
  }
  /// Masks that are one number, or are of keys alone and a stream themselves. What they hide must not count at all:
  /// keys before the first one do not.
  constexpr bool takes_mask(const op::attention& op, value_id v) {
    const extents& m = whole(v);
    const dtype type = x_.source().at_value(v).type;
    if (type == dtype::boolean ? op.hidden_score > -1e30f : type != dtype::f32) return false;
    return of(v).back == none ? m.count() == 1 : of(v).back == 0 && (m.rank < 2 || m.back(1) == 1);
  }
  /// A mask where keys have been; else it hides them.
  constexpr value_id only(value_id there, value_id mask, std::string_view name) {
    pool<value_id> read({there, mask});
    if (x_.made_value(mask).type == dtype::boolean) return make(op::logic{op::logic_function::logical_and}, name, read);
    read.push_back(make(op::full{as_list({1}), -std::numeric_limits<float>::infinity()}, x_.name(name, ".hides"), {}));
    return make(op::where{}, name, read);
  }
};

}  // namespace ctnn::ir::detail
