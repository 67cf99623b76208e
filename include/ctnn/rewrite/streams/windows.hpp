// SPDX-License-Identifier: BSL-1.0
// Windows over a sequence in parts: convolutions, pooling, transposed convolutions.
#pragma once

#include "places.hpp"

namespace ctnn::ir::detail {

class stream_windows : public stream_places {
 protected:
  using stream_places::stream_places;

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
    s.look_back(w.span - 1);
    s.samples *= w.stride;
    const int room = size - from.tail - (w.span - w.left);
    looks_ahead(s, extent_of_result(n, from.back) - (room < 0 ? 0 : room / w.stride + 1), place_of(n));
    return {};
  }
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
    if (own == 2) s.depend(of(in[1]));
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
    s.look_back(past);
    s.numbers *= stride;
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
};

}  // namespace ctnn::ir::detail
