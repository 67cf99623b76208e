// SPDX-License-Identifier: BSL-1.0
// Where data comes from and how it is rearranged: inputs, constants, and operators that move elements without
// arithmetic.
#pragma once

#include "../operator.hpp"
#include "../window.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// A network's input.
struct input {
  static constexpr std::string_view name = "input";
  static constexpr int min_inputs = 0;

  list<int> shape{};
  dtype type = dtype::f32;
  bool unused = false;  ///< declared so: no layer need read it
  bool carried = false;   ///< zeros first, or the zero point, then what the output of its name was in the run before
  bool in_arena = false;  ///< an engine has the memory for it, which later values may take
  quantization as{};     ///< what its integers stand for; of i8, unless `type` says otherwise

  static constexpr void fields(auto& self, auto&& field) {
    field("shape", self.shape);
    field("type", self.type);
    field("unused", self.unused);
    field("carried", self.carried);
    field("in_arena", self.in_arena);
    field("as", self.as);
  }
  constexpr ir::element made() const { return {as && type == dtype::f32 ? dtype::i8 : type, as}; }
  constexpr problem infer_types(types, span<ir::element> out) const {
    out[0] = made();
    return as ? check_quantization("as", as, out[0].type) : problem{};
  }
  constexpr problem infer(inputs, outputs result) const {
    if (shape.size() > max_rank)
      return {mistake::option_out_of_range, "shape", {static_cast<int>(shape.size())}, {max_rank}};
    extents y;
    std::int64_t n = 1;
    for (int d : shape) {
      if (d < 1) return {mistake::option_out_of_range, "shape", {d}, {1}};
      if (d > 2147483647 / n) return {mistake::too_large, "shape"};
      n *= d;
      y.push_back(d);
    }
    result[0] = y;
    return {};
  }
};

/// Numbers that belong to the network: weight "value" of the given shape. There may be none of them (an extent of 0).
struct constant {
  static constexpr std::string_view name = "constant";
  static constexpr traits is{.layouts = layout_rule::any};
  static constexpr int min_inputs = 0;

  list<int> shape{};
  dtype type = dtype::f32;

  static constexpr void fields(auto& self, auto&& field) {
    field("shape", self.shape);
    field("type", self.type);
  }
  constexpr problem infer(inputs in, outputs result) const {
    bool empty = false;
    for (int d : shape) {
      if (d < 0) return {mistake::option_out_of_range, "shape", {d}, {0}};
      empty = empty || d == 0;
    }
    if (!empty || shape.size() > max_rank) return input{shape}.infer(in, result);
    extents y;
    for (int d : shape) y.push_back(d);
    result[0] = y;
    return {};
  }
  constexpr problem infer_types(types, types wanted, span<ir::element> out) const {
    out[0] = type;
    if (wanted.empty() || wanted[0] != type || !wanted[0].real) return {};
    out[0] = wanted[0];
    return check_quantization("as", out[0].real, type);
  }
  constexpr weight_slots weights(inputs, types, types made) const {
    extents s;
    for (int d : shape) s.push_back(d);
    return {{"value"sv, s, made.empty() ? ir::element(type) : made[0]}};
  }
};

/// torch.full: every element is `value`.
struct full {
  static constexpr std::string_view name = "full";
  static constexpr traits is{.layouts = layout_rule::any};
  static constexpr int min_inputs = 0;

  list<int> shape{};
  float value = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("shape", self.shape);
    field("value", self.value);
  }
  constexpr problem infer(inputs in, outputs result) const { return input{shape}.infer(in, result); }
};

/// torch.flatten: axes start to end (inclusive) become one.
struct flatten {
  static constexpr std::string_view name = "flatten";
  static constexpr traits is{.divisible = true, .rearranges = true, .copies = true, .view = true};

  int start = 0;
  int end = -1;

  static constexpr void fields(auto& self, auto&& field) {
    field("start", self.start);
    field("end", self.end);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank == 0) {
      result[0] = {1};
      return {};
    }
    const int first = normal_axis(start, x.rank), last = normal_axis(end, x.rank);
    if (first < 0 || first >= x.rank) return {mistake::axis_out_of_range, "start", {start}, {x.rank}};
    if (last < first || last >= x.rank) return {mistake::axis_out_of_range, "end", {end}, {x.rank}};
    extents y;
    y.append(x, 0, first);
    y.push_back(static_cast<int>(x.count(first, last + 1)));
    y.append(x, last + 1, x.rank);
    result[0] = y;
    return {};
  }
};

/// torch.reshape: -1 (once) is what is left over, 0 keeps the input's extent of that axis (ONNX Reshape). With
/// `one_axis` torch.unflatten: `axis` alone becomes `shape`.
struct reshape {
  static constexpr std::string_view name = "reshape";
  static constexpr traits is{.divisible = true, .rearranges = true, .copies = true, .view = true};

  list<int> shape{};
  bool one_axis = false;
  int axis = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("shape", self.shape);
    field("one_axis", self.one_axis);
    field("axis", self.axis);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (shape.empty()) return {mistake::missing_option, "shape"};
    // Axes [first, last) become `shape`.
    const int first = one_axis ? normal_axis(axis, x.rank) : 0, last = one_axis ? first + 1 : x.rank;
    if (first < 0 || last > x.rank) return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
    const int room = max_rank - first - (x.rank - last);
    if (static_cast<int>(shape.size()) > room)
      return {mistake::option_out_of_range, "shape", {static_cast<int>(shape.size())}, {room}};
    const std::int64_t all = x.count(first, last);
    extents y;
    y.append(x, 0, first);
    std::int64_t known = 1;
    int rest = -1;
    for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
      int d = shape[static_cast<std::size_t>(i)];
      if (d == 0 && i < x.rank && !one_axis) d = x[i];
      if (d == -1 && rest < 0) rest = first + i;
      else if (d < 1) return {mistake::option_out_of_range, "shape", {d}, {1}};
      else if (d > 2147483647 / known) return {mistake::too_large, "shape"};
      else known *= d;
      y.push_back(d);
    }
    y.append(x, last, x.rank);
    if (rest >= 0 && all % known == 0) y[rest] = static_cast<int>(all / known);
    else if (rest >= 0 || known != all) return {mistake::element_count_mismatch, "shape", x, y};
    result[0] = y;
    return {};
  }
};

/// torch.permute: axis i of the output is axis order[i] of the input.
struct permute {
  static constexpr std::string_view name = "permute";
  static constexpr traits is{.layouts = layout_rule::any, .divisible = true, .rearranges = true, .copies = true};
  static constexpr int tier = 1;

  list<int> order{};

  static constexpr void fields(auto& self, auto&& field) { field("order", self.order); }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (order.empty()) return {mistake::missing_option, "order"};
    if (static_cast<int>(order.size()) != x.rank)
      return {mistake::rank_mismatch, "order", x, {static_cast<int>(order.size())}};
    unsigned seen = 0;
    extents y;
    for (int axis : order) {
      if (axis < 0 || axis >= x.rank || (seen >> axis & 1u))
        return {mistake::axis_out_of_range, "order", {axis}, {x.rank}};
      seen |= 1u << axis;
      y.push_back(x[axis]);
    }
    result[0] = y;
    return {};
  }
  /// The first axis comes or goes, before and behind.
  constexpr bool move_axes(const axis_map& m) {
    const int more = m.after.rank - m.before.rank;
    const bool first = more > 0 || (more < 0 && order[0] == 0);
    list<int> moved;
    if (more > 0) moved.push_back(0);
    for (int axis : order)
      if (m(axis) != axis_map::gone) moved.push_back(m(axis));
    order = moved;
    return first && m.keeps_last(more < 0 ? 1 : 0);
  }
  constexpr int passes(int back, inputs in) const {
    for (int i = 0; i < in[0].rank; ++i)
      if (order[static_cast<std::size_t>(i)] == in[0].rank - 1 - back) return in[0].rank - 1 - i;
    return -1;
  }
};

/// torch.channel_shuffle: channels as a table of `groups` rows, read column by column: output channel i groups + g is
/// input channel g (C / groups) + i of (C, H, W) or (N, C, H, W).
struct channel_shuffle {
  static constexpr std::string_view name = "channel_shuffle";
  static constexpr traits is{
      .layouts = layout_rule::nchw_or_nhwc, .divisible = true, .copies = true, .images = image_flow::makes};

  int groups = 1;

  static constexpr void fields(auto& self, auto&& field) { field("groups", self.groups); }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    if (groups < 1) return {mistake::option_out_of_range, "groups", {groups}, {1}};
    if (x.back(2) % groups != 0)
      return {mistake::groups_do_not_divide_channels, "groups", {x.back(2), x.back(2)}, {groups}};
    result[0] = x;
    return {};
  }
  constexpr int passes(int back, inputs in) const { return passes_samples(2, back, in[0]); }
};

/// torch.pixel_shuffle with a factor an axis: (C fy fx, H, W) to (C, H fy, W fx); channel (c fy + i) fx + j holds the
/// pixels (i, j) of each block.
struct pixel_shuffle {
  static constexpr std::string_view name = "pixel_shuffle";
  static constexpr traits is{
      .layouts = layout_rule::nchw_or_nhwc, .divisible = true, .copies = true, .images = image_flow::makes};

  pair factor{1, 1};

  static constexpr void fields(auto& self, auto&& field) { field("factor", self.factor); }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    for (int f : factor)
      if (f < 1 || f > 32767) return {mistake::option_out_of_range, "factor", {f}, {1}};
    const int block = factor[0] * factor[1];
    if (x.back(2) % block != 0)
      return {mistake::groups_do_not_divide_channels, "factor", {x.back(2), x.back(2)}, {block}};
    if (x.back(1) > 2147483647 / factor[0] || x.back(0) > 2147483647 / factor[1]) return {mistake::too_large, "factor"};
    result[0] = x;
    result[0].back(2) /= block;
    result[0].back(1) *= factor[0];
    result[0].back(0) *= factor[1];
    return {};
  }
  constexpr int passes(int back, inputs in) const { return passes_samples(2, back, in[0]); }
};

/// torch.cat along `axis`; the other extents agree.
struct concat {
  static constexpr std::string_view name = "concat";
  static constexpr traits is{
      .layouts = layout_rule::any, .divisible = true, .copies = true, .images = image_flow::keeps};
  static constexpr int min_inputs = 1, max_inputs = 1 << 20;

  int axis = 0;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
  constexpr problem infer(inputs in, outputs result) const {
    extents y = in[0];
    const int a = normal_axis(axis, y.rank);
    if (a < 0 || a >= y.rank) return {mistake::axis_out_of_range, "axis", {axis}, {y.rank}};
    std::int64_t sum = 0;
    for (const extents& x : in) {
      extents other = x;
      if (x.rank == y.rank) other[a] = y[a];
      if (!(other == y)) return {mistake::shape_mismatch, "input", x, in[0]};
      sum += x[a];
    }
    if (sum > 2147483647) return {mistake::too_large, "input"};
    y[a] = static_cast<int>(sum);
    result[0] = y;
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
};

/// torch.split: as many outputs as `sizes`, which add up to the extent of `axis`; all -1: equal parts, of which the
/// last may be smaller (torch.chunk).
struct split {
  static constexpr std::string_view name = "split";
  static constexpr traits is{
      .layouts = layout_rule::any, .divisible = true, .copies = true, .images = image_flow::keeps};

  list<int> sizes{};
  int axis = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("sizes", self.sizes);
    field("axis", self.axis);
  }
  constexpr int output_count() const { return static_cast<int>(sizes.size()); }
  /// The sizes in numbers.
  constexpr list<int> sizes_in(const extents& x) const {
    for (const int n : sizes)
      if (n != -1) return sizes;
    const int all = x[normal_axis(axis, x.rank)], count = output_count(), part = (all - 1) / count + 1;
    list<int> equal;
    for (int i = 0; i + 1 < count; ++i) equal.push_back(part);
    const std::int64_t last = all - std::int64_t{part} * (count - 1);
    equal.push_back(last < 0 ? 0 : static_cast<int>(last));
    return equal;
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    const int a = normal_axis(axis, x.rank);
    if (sizes.empty()) return {mistake::missing_option, "sizes"};
    if (a < 0 || a >= x.rank) return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
    std::int64_t sum = 0;
    const list<int> parts = sizes_in(x);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] < 1) return {mistake::option_out_of_range, "sizes", {parts[i]}, {1}};
      sum += parts[i];
      result[i] = x;
      result[i][a] = parts[i];
    }
    if (sum != x[a])
      return {
          mistake::element_count_mismatch, "sizes", {static_cast<int>(sum < 2147483647 ? sum : 2147483647)}, {x[a]}};
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
};

/// x[start:end:step] as Python's slices, an entry of the lists for each `axis` (without them for the first axes).
/// Bounds may be negative, counted from the end, or out of range; a negative step walks back. A list left out: all, one
/// by one.
struct slice {
  static constexpr std::string_view name = "slice";
  static constexpr traits is{.layouts = layout_rule::any, .divisible = true, .copies = true, .lifts = true,
                             .images = image_flow::keeps};

  list<int> axis{};
  list<int> start{};
  list<int> end{};
  list<int> step{};

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("start", self.start);
    field("end", self.end);
    field("step", self.step);
  }

  /// What is taken along one axis: `count` elements from `first` on, `step` apart.
  struct walk {
    int first = 0, count = 0, step = 1;
    constexpr bool takes_all(int size) const { return count == size && step == 1; }
  };
  using walks = std::array<walk, max_rank>;

  constexpr std::size_t entries() const {
    std::size_t n = axis.size();
    for (const list<int>* l : {&start, &end, &step}) n = l->size() > n ? l->size() : n;
    return n;
  }
  constexpr int axis_of(std::size_t i, int rank) const {
    return axis.empty() ? static_cast<int>(i) : normal_axis(axis[i], rank);
  }
  constexpr walk along(std::size_t i, int size) const {
    const std::int64_t by = step.empty() ? 1 : step[i];
    const std::int64_t low = by > 0 ? 0 : -1, high = by > 0 ? size : size - 1;
    const auto inside = [&](std::int64_t v) {
      if (v < 0) v += size;
      return v < low ? low : (v > high ? high : v);
    };
    const std::int64_t from = !start.empty() ? inside(start[i]) : by > 0 ? low : high;
    const std::int64_t to = !end.empty() ? inside(end[i]) : by > 0 ? high : low;
    const std::int64_t room = by > 0 ? to - from : from - to;
    const int count = room <= 0 ? 0 : static_cast<int>((room - 1) / (by > 0 ? by : -by) + 1);
    return {count == 0 ? 0 : static_cast<int>(from), count, count < 2 ? 1 : static_cast<int>(by)};
  }
  constexpr walks over(const extents& x) const {
    walks w{};
    for (int a = 0; a < x.rank; ++a) w[static_cast<std::size_t>(a)] = {0, x[a], 1};
    for (std::size_t i = 0; i < entries(); ++i) {
      const int a = axis_of(i, x.rank);
      w[static_cast<std::size_t>(a)] = along(i, x[a]);
    }
    return w;
  }
  constexpr bool takes_all(const extents& x) const {
    const walks w = over(x);
    for (int a = 0; a < x.rank; ++a)
      if (!w[static_cast<std::size_t>(a)].takes_all(x[a])) return false;
    return true;
  }
  /// The slice of x that walks so; axes of which it takes all are not named.
  static constexpr slice of(const extents& x, const walks& w) {
    slice s;
    bool steps = false;
    for (int a = 0; a < x.rank; ++a) steps = steps || w[static_cast<std::size_t>(a)].step != 1;
    for (int a = 0; a < x.rank; ++a) {
      const walk& now = w[static_cast<std::size_t>(a)];
      if (now.takes_all(x[a])) continue;
      const int last = now.first + (now.count - 1) * now.step;
      s.axis.push_back(a);
      s.start.push_back(now.first);
      s.end.push_back(now.count == 0 ? now.first : now.step > 0 ? last + 1 : last - 1 - x[a]);
      if (steps) s.step.push_back(now.step);
    }
    return s;
  }

  constexpr bool move_axes(const axis_map& m) {
    const walks old = over(m.before);
    walks now = slice{}.over(m.after);
    for (int a = 0; a < m.before.rank; ++a) {
      const walk& w = old[static_cast<std::size_t>(a)];
      if (m(a) != axis_map::gone) now[static_cast<std::size_t>(m(a))] = w;
      else if (!w.takes_all(m.before[a])) return false;
    }
    *this = of(m.after, now);
    return true;
  }
  constexpr int passes(int back, inputs in) const {
    const int axis = in[0].rank - 1 - back;
    return over(in[0])[static_cast<std::size_t>(axis)].takes_all(in[0][axis]) ? back : -1;
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    const std::size_t n = entries();
    unsigned seen = 0;
    for (const list<int>* l : {&axis, &start, &end, &step})
      if (!l->empty() && l->size() != n)
        return {mistake::option_out_of_range, "start", {static_cast<int>(l->size())}, {static_cast<int>(n)}};
    result[0] = x;
    for (std::size_t i = 0; i < n; ++i) {
      const int a = axis_of(i, x.rank);
      if (a < 0 || a >= x.rank || (seen >> a & 1u) != 0)
        return {mistake::axis_out_of_range, "axis", {axis.empty() ? a : axis[i]}, {x.rank}};
      if (!step.empty() && step[i] == 0) return {mistake::option_out_of_range, "step", {0}, {1}};
      seen |= 1u << a;
      result[0][a] = along(i, x[a]).count;
    }
    return {};
  }
};

}  // namespace ctnn::op
