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

#include "expansion.hpp"

namespace ctnn::ir {

/// How a network is to be taken in parts.
struct streaming {
  int block = 0;              ///< samples of the first input in a part; 0: as many as it is declared with
  int axis = automatic_axis;  ///< of them in the first input, and in others that have as many
};

/// What is known of a value of the whole.
struct stream {
  int back = none;  ///< the axis of the sequence, counted from the last; none: there is none
  int offset = 0;
  int tail = 0;
  bool at_end = false;   ///< known when the whole sequence is: the last state of a recurrent layer
  value_id same = none;  ///< the value whose numbers the stream's are
  node_id ahead = none;  ///< where the tail comes from
};

namespace detail {

/// Makes the graph for parts, with the axis that the first input has. `reach` tells for every value of the whole how
/// many samples before a part are read; a first walk, `measuring`, finds these numbers.
class stream_maker {
 public:
  constexpr stream_maker(graph&& whole, name_maker& names, const streaming& how, pool<int>& reach, bool measuring)
      : x_(static_cast<graph&&>(whole), names), how_(how), reach_(reach), measuring_(measuring) {
    streams_ = pool<stream>(x_.source().values.size(), {});
    if (measuring) reach_ = pool<int>(x_.source().values.size(), 0);
  }

  problem_report error{};
  int failed_at = 0;    ///< the node
  int states = 0;       ///< carried
  pool<int> offsets{};  ///< of the outputs

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
    int& reach = reach_[static_cast<std::size_t>(s.same)];
    if (measuring_ && reach < before) reach = before;
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

  // Operators.

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
    x_.copy(n);
    for (int k = 0; k < n.outputs.count; ++k) say(n.outputs.first + k, s);
    return {};
  }

  /// Windows over the sequence.
  struct windows {
    int span, stride, left;
  };
  /// What windows read of input v: `count` samples from `before` on; `s` is the stream of their results, which are not
  /// to have a lower offset than `least`.
  constexpr problem slide(const node& n, const windows& w, int least, int& before, int& count, stream& s) {
    const value_id v = x_.source().inputs(n)[0];
    const stream from = of(v);
    const int samples = extent(v), size = extent_of_whole(v);
    if (w.left > 0 && from.offset > 0) return {mistake::stream_begins_later, "pad", {from.offset}, {0}};
    if (samples % w.stride != 0) return {mistake::block_not_a_multiple, "stride", {samples}, {w.stride}};
    // The sample of the stream that the whole's first window ends with; a delay brings it to where it is wanted.
    const int first = w.span - 1 - w.left + from.offset, wanted = first < 0 ? 0 : first;
    const int late = wanted / w.stride < least ? least * w.stride - first : wanted - first, end = first + late;
    const int past = w.span - 1 - end % w.stride;
    before = past + late;
    count = past + samples;
    s = from;
    s.same = none;
    s.offset = end / w.stride;
    const int room = size - from.tail - (w.span - w.left);
    looks_ahead(s, extent_of_result(n, from.back) - (room < 0 ? 0 : room / w.stride + 1), place_of(n));
    return {};
  }
  constexpr int extent_of_result(const node& n, int back) { return whole(n.outputs.first).back(back); }
  constexpr node_id place_of(const node& n) { return x_.source().at_value(n.outputs.first).producer; }

  template <class Op>
  constexpr problem convolve(const node& n, Op op) {
    constexpr int axes = static_cast<int>(Op::ones.size());
    const auto in = x_.source().inputs(n);
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(op.given));
    const int back = of(in[0]).back;
    if (back == none || back == axes) return mixes(n, in[0]);
    if (back > axes) return pass_along(n, back);
    const auto k = static_cast<std::size_t>(axes - 1 - back);
    op.pad = op.padding(whole(in[0]));
    op.same = same_padding::none;
    const windows w{span_of(op.kernel[k], op.dilation[k]), op.stride[k], op.pad[k]};
    if (own == 2 && of(in[1]).back != back) return mixes(n, in[1]);
    stream s;
    int before = 0, count = 0;
    if (const problem p = slide(n, w, own == 2 ? of(in[1]).offset : 0, before, count, s)) return p;
    op.pad[k] = op.pad[k + static_cast<std::size_t>(axes)] = 0;
    pool<value_id> read(1, look(in[0], before, count, n.name));
    for (std::size_t i = 1; i < in.size(); ++i)
      read.push_back(i < own ? delayed(in[i], s.offset - of(in[i]).offset, n.name) : x_.moved(in[i]));
    if (own == 2 && of(in[1]).tail > s.tail) looks_ahead(s, of(in[1]).tail, of(in[1]).ahead);
    return done(with(n, op), read, s);
  }
  constexpr problem take_pool(const node& n, op::pool op) {
    const value_id v = x_.source().inputs(n)[0];
    const int back = of(v).back;
    if (back > op.axes) return pass_along(n, back);
    if (back == op.axes || op.indices) return mixes(n, v);
    const int k = op.axes - 1 - back;
    by_axis stride, pads;
    stride.count = static_cast<std::size_t>(op.axes);
    pads.count = 2 * stride.count;
    for (int i = 0; i < op.axes; ++i) {
      const window_axis a = op.along(i, whole(v).back(op.axes - 1 - i));
      stride[static_cast<std::size_t>(i)] = a.stride;
      pads[static_cast<std::size_t>(i)] = a.before;
      pads[static_cast<std::size_t>(op.axes + i)] = a.after;
    }
    const window_axis a = op.along(k, extent_of_whole(v));
    // Zeros are not what stands for no samples.
    const bool counts = op.function == op::pooling::average && op.count_include_pad;
    if (a.before > 0 && !counts && op.function != op::pooling::lp)
      return {mistake::looks_ahead, "pad", {a.before}, {0}};
    stream s;
    int before = 0, count = 0;
    if (const problem p = slide(n, {static_cast<int>(a.span()), a.stride, a.before}, 0, before, count, s)) return p;
    if (op.ceil) count = static_cast<int>(a.span()) - a.stride + extent(v);  // no windows over the end
    pads[static_cast<std::size_t>(k)] = pads[static_cast<std::size_t>(op.axes + k)] = 0;
    op.stride = stride;
    op.pad = pads;
    op.same = same_padding::none;
    return done(with(n, op), pool<value_id>(1, look(v, before, count, n.name)), s);
  }
  /// Every sample makes `stride` new ones, and parts of those that its span reaches beyond.
  template <class Op>
  constexpr problem spread(const node& n, Op op) {
    constexpr int axes = static_cast<int>(Op::ones.size());
    const auto in = x_.source().inputs(n);
    const stream from = of(in[0]);
    if (from.back == none || from.back == axes) return mixes(n, in[0]);
    if (from.back > axes) return pass_along(n, from.back);
    const auto k = static_cast<std::size_t>(axes - 1 - from.back), last = k + static_cast<std::size_t>(axes);
    const int stride = op.stride[k], span = span_of(op.kernel[k], op.dilation[k]), samples = extent(in[0]);
    const int past = (span - 1) / stride, late = from.offset < 0 ? -from.offset : 0;
    if (past > 0 && from.offset > 0) return {mistake::stream_begins_later, "stride", {from.offset}, {0}};
    stream s = from;
    s.same = none;
    s.offset = stride * (from.offset + late) + op.pad[k];
    looks_ahead(s, extent_of_result(n, from.back) + op.pad[k] - stride * (extent_of_whole(in[0]) - from.tail),
                place_of(n));
    op.pad[k] = op.pad[last] = 0;
    op.output_padding[k] = span < stride ? stride - span : 0;
    pool<value_id> read(1, look(in[0], past + late, past + samples, n.name));
    for (value_id v : in.subspan(1)) read.push_back(x_.moved(v));
    value_id made = none;
    if (const problem p = x_.try_add(with(n, op), read, made)) return p;
    x_.move(n.outputs.first, part(made, s.back, past * stride, samples * stride, x_.name(n.name, ".part")));
    say(n.outputs.first, s);
    return {};
  }

  constexpr bool is_zero(value_id v) {
    const node& maker = x_.source().at(x_.source().at_value(v).producer);
    return maker.type == &type_of<op::full> && decode<op::full>(x_.source().fields_of(maker.fields)).value == 0;
  }
  /// What is carried is zeros first: `first`, numbers that the whole begins with, are added in the first part alone.
  constexpr void begin_with(std::string_view name, span<const value_id> first, pool<value_id>& read) {
    value_id begins = none;  // 1 in the first part, then 0
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (is_zero(first[k])) continue;
      if (begins == none) {
        const std::string_view flag = x_.name(name, ".begun");
        op::binary not_begun{op::binary_function::rsub};
        not_begun.scalar = 1;
        begins = make(not_begun, x_.name(name, ".begins"), pool<value_id>(1, carried_input(flag, {1}, dtype::f32)));
        op::full one;
        one.shape = {1};
        one.value = 1;
        x_.add_output(flag, make(one, x_.name(name, ".one"), {}));
      }
      pool<value_id> both(1, x_.moved(first[k]));
      both.push_back(begins);
      const std::string_view which = x_.name(name, k == 0 ? ".h" : ".c");
      pool<value_id> sum(1, read[k + 1]);
      sum.push_back(make(op::binary{op::binary_function::mul}, x_.name(which, ".first"), both));
      read[k + 1] = make(op::binary{op::binary_function::add}, x_.name(which, ".before"), sum);
    }
  }

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
      if (!is_zero(state) && x_.source().at(x_.source().at_value(state).producer).type != &type_of<op::constant>)
        return {mistake::stream_begins_later, "state", {}, {0}};
    pool<value_id> read(1, delayed(v, -of(v).offset, n.name));
    pool<std::string_view> names;
    for (int k = 0; k < Op::states; ++k) {
      names.push_back(x_.name(n.name, k == 0 ? ".h" : ".c"));
      const value_id state = n.outputs.first + 1 + k;
      read.push_back(carried_input(names[static_cast<std::size_t>(k)], whole(state), x_.source().at_value(state).type));
    }
    begin_with(n.name, in.subspan(1, own - 1), read);
    for (value_id weight : in.subspan(own)) read.push_back(x_.moved(weight));
    stream out = of(v), last;
    out.offset = 0;
    out.same = none;
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
    const int axis = axis_of(from, s.back);
    int found = none;
    for (int i = 0; i < to.rank; ++i)
      if (to[i] == from[axis] && to.count(0, i) == from.count(0, axis) && (found == none || axis_of(to, i) == s.back))
        found = i;
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
    for (value_id v : in) {
      const stream& now = of(v);
      if (now.back == none) continue;
      const int back = n.type->passes(x_.source().fields_of(n.fields), now.back, shapes);
      if (back < 0 || (s.back != none && s.back != back)) return mixes(n, v);
      s.back = back;
      s.offset = now.offset > s.offset ? now.offset : s.offset;
      if (now.tail > s.tail) looks_ahead(s, now.tail, now.ahead);
      if (extent_of_whole(v) != extent_of_result(n, back)) return mixes(n, v);
    }
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(x_.source().given(n)));
    pool<value_id> read;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const stream& now = of(in[i]);
      // What is no sequence is the same at all of its places, or else it would be one.
      if (now.back == none && i < own && whole(in[i]).rank > s.back && whole(in[i]).back(s.back) != 1)
        return mixes(n, in[i]);
      std::size_t same = 0;
      while (in[same] != in[i]) ++same;
      read.push_back(same < i           ? read[same]
                     : now.back == none ? x_.moved(in[i])
                                        : delayed(in[i], s.offset - now.offset, n.name));
    }
    return done(n, read, s);
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
    return pass(n);
  }

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
    offsets.push_back(s.back == none ? 0 : s.offset);
  }

  expander x_;
  streaming how_;
  pool<int>& reach_;
  bool measuring_;
  pool<stream> streams_{};
  int length_ = 0;  ///< of the whole
};

/// What a first walk finds.
struct stream_finding {
  problem_report error{};
  int failed_at = 0, states = 0;
  pool<int> reach{}, offsets{};
};
constexpr void try_stream(const graph_view& g, const streaming& how, stream_finding& found) {
  name_maker names;
  stream_maker walk(thaw(g), names, how, found.reach, true);
  graph made;
  walk.run(made);
  found.error = walk.error;
  found.failed_at = walk.failed_at;
  found.states = walk.states;
  found.offsets = walk.offsets;
}

}  // namespace detail

/// Finds the axis of the sequence, if `how` does not say it: the one along which everything can be computed in parts
/// and something is carried from one to the next; if nothing is anywhere, any of them is as good.
constexpr void find_stream(const graph_view& g, streaming& how, detail::stream_finding& result) {
  const extents* first = nullptr;
  for (const node& n : g.nodes)
    if (!first && n.type == &type_of<op::input>) first = &g.shape(n.outputs.first);
  if (!first || how.axis != automatic_axis) return detail::try_stream(g, how, result);
  extents carrying, others;  // axes
  for (int axis = first->rank - 1; axis >= 0; --axis) {
    detail::stream_finding found;
    detail::try_stream(g, {how.block, axis}, found);
    if (!found.error.found) (found.states > 0 ? carrying : others).push_back(axis);
    const bool better = found.error.found
                            ? result.reach.empty() || (result.error.found && found.failed_at > result.failed_at)
                            : carrying.rank + others.rank == 1 || (found.states > 0 && carrying.rank == 1);
    if (!better) continue;
    how.axis = axis;
    result = static_cast<detail::stream_finding&&>(found);
  }
  const extents& would_do = carrying.rank > 0 ? carrying : others;
  if (would_do.rank > 1 && (carrying.rank > 0 || how.block > 0))
    result.error = {{mistake::no_sequence, "axis", *first, would_do}, g.nodes[0].name};
}

/// Turns g into the network for a stream; what is wrong leaves it as it is.
constexpr problem_report make_stateful(graph& g, streaming how, name_maker& names, pool<int>* offsets = nullptr) {
  detail::stream_finding found;
  find_stream(g.view(), how, found);
  if (offsets) *offsets = found.offsets;
  if (!found.error.found) detail::stream_maker(thaw(g.view()), names, how, found.reach, false).run(g);
  return found.error;
}

}  // namespace ctnn::ir
