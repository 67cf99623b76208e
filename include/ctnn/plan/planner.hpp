// SPDX-License-Identifier: BSL-1.0
// Makes the plan: (1) a layout for every value and the conversions between them, (2) values that are parts of others,
// (3) lifetimes and operators that write over their input, (4) arena offsets, largest first.
#pragma once

#include "plan.hpp"
#include "rules_by_type.hpp"

namespace ctnn {

namespace detail {

class planner {
 public:
  constexpr planner(const graph_view& g, const plan_options& options) : g_(g), options_(options) {}

  constexpr memory_plan make() {
    choose_layouts();
    place_parts();
    find_lifetimes();
    if (options_.in_place) write_in_place();
    if (options_.arena) assign_offsets();
    return static_cast<memory_plan&&>(plan_);
  }

 private:
  constexpr placement& at(int p) { return plan_.placements[static_cast<std::size_t>(p)]; }
  constexpr const extents& shape(int p) { return g_.shape(at(p).value); }
  constexpr dtype type_at(int p) { return g_.at_value(at(p).value).type; }
  static constexpr bool can_be_nhwc(const extents& s) { return s.rank == 3 || s.rank == 4; }
  static constexpr int channels_of(const extents& s) { return s.back(2); }
  /// Of all images.
  static constexpr std::int64_t pixels_of(const extents& s) { return s.count() / channels_of(s); }
  /// Both layouts are the same bytes.
  static constexpr bool layouts_coincide(const extents& s) {
    return !can_be_nhwc(s) || s.back(0) * s.back(1) == 1 || channels_of(s) == 1;
  }

  // (1)

  constexpr void choose_layouts() {
    for (std::size_t v = 0; v < g_.values.size(); ++v) {
      placement p;
      p.value = static_cast<int>(v);
      p.size = words(g_.values[v].shape.count(), g_.values[v].type);
      p.external = g_.is<op::input>(g_.values[v].producer) || g_.is<op::constant>(g_.values[v].producer);
      plan_.placements.push_back(p);
    }
    converted_ = pool<int>(g_.values.size(), none);
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) add_step(static_cast<int>(n));
    for (const network_output& o : g_.outputs) {
      const int p = in_layout(o.value, layout::nchw);
      plan_.outputs.push_back(at(p).external ? copy_of(p) : p);
    }
  }

  constexpr void add_step(node_id n) {
    const node& now = g_.at(n);
    if (now.type == &type_of<op::input> || now.type == &type_of<op::constant>) return;
    const auto in = g_.inputs(now);
    operator_traits t = traits_of(now.type);
    if (!computes_f32(now)) t.rule = layout_rule::nchw;
    const layout order = layout_of_result(t, in);
    pool<int> ids;
    for (std::size_t i = 0; i < in.size(); ++i) ids.push_back(input_placement(t, in[i], order, i == 0, g_.shape(now.outputs.first)));
    plan_step step{n};
    step.inputs = store(ids);
    ids.clear();
    for (int k = 0; k < now.outputs.count; ++k) {
      const value_id v = now.outputs.first + k;
      const layout own = can_be_nhwc(g_.shape(v)) ? order : layout::nchw;
      at(v).order = own;
      at(v).pitch = own == layout::nhwc ? channels_of(g_.shape(v)) : 0;
      ids.push_back(v);
    }
    step.outputs = store(ids);
    plan_.steps.push_back(step);
  }

  /// Kernels for other element types take plain values.
  constexpr bool computes_f32(const node& n) {
    for (value_id v : g_.inputs(n))
      if (g_.at_value(v).type != dtype::f32) return false;
    for (int k = 0; k < n.outputs.count; ++k)
      if (g_.at_value(n.outputs.first + k).type != dtype::f32) return false;
    return true;
  }

  constexpr layout layout_of_result(const operator_traits& t, std::span<const int> in) {
    switch (t.rule) {
      case layout_rule::nhwc: return layout::nhwc;
      case layout_rule::nchw: return layout::nchw;
      case layout_rule::same: return in.empty() ? layout::nchw : at(in[0]).order;
      case layout_rule::any: break;
    }
    if (t.type == &type_of<op::permute>) return layout::nchw;
    for (value_id v : in)
      if (at(v).order == layout::nhwc && !g_.is<op::constant>(g_.at_value(v).producer)) return layout::nhwc;
    return layout::nchw;
  }

  /// The placement of input v that an operator with the result's layout `order` reads.
  constexpr int input_placement(const operator_traits& t, value_id v, layout order, bool first, const extents& result) {
    if ((t.type == &type_of<op::flatten> || t.type == &type_of<op::reshape>) && g_.at_value(v).type == dtype::f32)
      return v;  // their kernels read any layout
    if (!can_be_nhwc(g_.shape(v))) return v;
    switch (t.rule) {
      case layout_rule::nchw: return in_layout(v, layout::nchw);
      case layout_rule::nhwc:
        if (first && t.reads_nchw && at(v).order == layout::nchw && channels_of(g_.shape(v)) <= few_channels) return v;
        return in_layout(v, layout::nhwc);
      case layout_rule::same: return in_layout(v, order);
      case layout_rule::any: break;
    }
    // Operands that are not broadcast go fastest in the result's layout.
    if (t.type == &type_of<op::binary> && g_.shape(v) == result) return in_layout(v, order);
    return v;
  }

  constexpr int in_layout(value_id v, layout order) {
    if (at(v).order == order) return v;
    int& known = converted_[static_cast<std::size_t>(v)];
    if (known != none) return known;
    const extents& s = g_.shape(v);
    placement p;
    p.value = v;
    p.order = order;
    p.pitch = order == layout::nhwc ? channels_of(s) : 0;
    p.size = words(s.count(), g_.at_value(v).type);
    const int id = static_cast<int>(plan_.placements.size());
    if (layouts_coincide(s)) {
      p.parent = v;  // a matter of description; place_parts() keeps v whole
      coincident_.push_back(v);
    }
    plan_.placements.push_back(p);
    if (p.parent == none) add_conversion(v, id);
    known = id;
    return id;
  }

  /// An output that is an input of the network still gets memory of its own.
  constexpr int copy_of(int from) {
    placement p;
    p.value = at(from).value;
    p.size = words(shape(from).count(), g_.at_value(at(from).value).type);
    const int id = static_cast<int>(plan_.placements.size());
    plan_.placements.push_back(p);
    add_conversion(from, id);
    return id;
  }

  constexpr void add_conversion(int from, int to) {
    plan_step step;
    step.inputs = store({from});
    step.outputs = store({to});
    plan_.steps.push_back(step);
  }

  constexpr range store(const pool<int>& ids) {
    const range r{static_cast<int>(plan_.ids.size()), static_cast<int>(ids.size())};
    for (int id : ids) plan_.ids.push_back(id);
    return r;
  }

  // (2)

  /// Later steps first: a concatenation of concatenations places the outer one before the inner.
  constexpr void place_parts() {
    for (std::size_t s = plan_.steps.size(); s-- > 0;) {
      const plan_step step = plan_.steps[s];
      if (step.node == none) continue;
      const node& n = g_.at(step.node);
      if (n.type == &type_of<op::concat>) place_concat(step);
    }
    for (const plan_step& step : plan_.steps) {
      if (step.node == none) continue;
      const node& n = g_.at(step.node);
      if (n.type == &type_of<op::split>) place_split(step);
      else if (n.type == &type_of<op::slice>) place_slice(step);
      else if (n.type == &type_of<op::flatten> || n.type == &type_of<op::reshape>) place_view(step);
    }
  }

  constexpr int first_id(range r, int i = 0) { return plan_.ids[static_cast<std::size_t>(r.first + i)]; }

  /// Numbers from one index of `axis` to the next if parts along it can be placements, else 0.
  constexpr std::int64_t part_step(int whole, int axis) {
    const extents& s = shape(whole);
    if (size_of(type_at(whole)) != 4) return 0;  // shifts count numbers of four bytes
    if (at(whole).order == layout::nhwc) return axis == s.rank - 3 ? 1 : 0;
    for (int i = 0; i < axis; ++i)
      if (s[i] != 1) return 0;
    return s.count(axis + 1, s.rank);
  }

  constexpr bool is_coincident(int p) {
    for (int v : coincident_)
      if (v == p) return true;
    return false;
  }
  constexpr bool can_become_part(int p, int whole) {
    return at(p).parent == none && !at(p).external && at(p).order == at(whole).order && !is_coincident(p) &&
           !is_view_maker(g_.at_value(at(p).value).producer) &&
           !is_network_output(p);
  }
  /// Results of these are parts of their input already.
  constexpr bool is_view_maker(node_id n) {
    return g_.is<op::split>(n) || g_.is<op::slice>(n) || g_.is<op::flatten>(n) || g_.is<op::reshape>(n);
  }
  constexpr bool is_network_output(int p) {
    for (int o : plan_.outputs)
      if (o == p) return true;
    return false;
  }

  constexpr void place_concat(const plan_step& step) {
    const int whole = first_id(step.outputs);
    const int axis = normal_axis(g_.get<op::concat>(step.node).axis, shape(whole).rank);
    const std::int64_t unit = part_step(whole, axis);
    std::int64_t index = 0;
    for (int i = 0; i < step.inputs.count; ++i) {
      const int part = first_id(step.inputs, i);
      if (unit != 0 && part != whole && can_become_part(part, whole)) {
        at(part).parent = whole;
        at(part).shift = index * unit;
      }
      index += shape(part)[axis];
    }
  }

  constexpr void become_part(int part, int whole, std::int64_t shift) {
    if (at(part).parent != none || at(part).order != at(whole).order) return;
    // What is also described as nchw must not lie among wider pixels.
    if (at(part).order == layout::nhwc && pixels_of(shape(part)) > 1 && is_coincident(part) &&
        (channels_of(shape(part)) != channels_of(shape(whole)) || lies_apart(whole)))
      return;
    at(part).parent = whole;
    at(part).shift = shift;
  }
  constexpr void place_split(const plan_step& step) {
    const int whole = first_id(step.inputs);
    const int axis = normal_axis(g_.get<op::split>(step.node).axis, shape(whole).rank);
    const std::int64_t unit = part_step(whole, axis);
    if (unit == 0) return;
    std::int64_t index = 0;
    for (int i = 0; i < step.outputs.count; ++i) {
      const int part = first_id(step.outputs, i);
      if (!is_network_output(part)) become_part(part, whole, index * unit);
      index += shape(part)[axis];
    }
  }
  constexpr void place_slice(const plan_step& step) {
    const int whole = first_id(step.inputs), part = first_id(step.outputs);
    const auto s = g_.get<op::slice>(step.node);
    const int axis = normal_axis(s.axis, shape(whole).rank);
    const std::int64_t unit = part_step(whole, axis);
    if (unit != 0 && !is_network_output(part)) become_part(part, whole, s.bounds(shape(whole)[axis])[0] * unit);
  }
  constexpr void place_view(const plan_step& step) {
    const int whole = first_id(step.inputs), part = first_id(step.outputs);
    if (is_network_output(part) && at(root(whole)).external) return;
    if (at(whole).order == layout::nhwc) {
      if (!layouts_coincide(shape(whole)) || lies_apart(whole)) return;
      at(part).parent = whole;
      return;
    }
    become_part(part, whole, 0);
  }
  /// Is an nhwc placement a part of something wider, so that its pixels are not next to each other?
  constexpr bool lies_apart(int p) {
    for (; at(p).parent != none; p = at(p).parent)
      if (shape(at(p).parent).count() != shape(p).count()) return pixels_of(shape(p)) > 1;
    return false;
  }

  // (3)

  constexpr int root(int p) { return plan_.view().root(p); }

  constexpr void find_lifetimes() {
    const int end = static_cast<int>(plan_.steps.size());
    for (placement& p : plan_.placements) {
      p.first_step = end;
      p.last_step = -1;
    }
    for (int s = 0; s < end; ++s) {
      const plan_step& step = plan_.steps[static_cast<std::size_t>(s)];
      for (int i = 0; i < step.inputs.count; ++i) touch(first_id(step.inputs, i), s);
      for (int i = 0; i < step.outputs.count; ++i) touch(first_id(step.outputs, i), s);
    }
    for (int p : plan_.outputs) touch(p, end);
    // A part of something wider takes its pixels' distance.
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) inherit_pitch(static_cast<int>(p));
  }
  constexpr void touch(int p, int step) {
    placement& r = at(root(p));
    if (step < r.first_step) r.first_step = step;
    if (step > r.last_step) r.last_step = step;
  }
  constexpr void inherit_pitch(int p) {
    if (at(p).order != layout::nhwc || at(p).parent == none) return;
    int q = p;
    while (at(q).parent != none && at(at(q).parent).order == layout::nhwc) q = at(q).parent;
    at(p).pitch = at(q).pitch;
  }

  /// An operator whose input dies with it writes over it.
  constexpr void write_in_place() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const plan_step step = plan_.steps[s];
      if (step.node == none) continue;
      const operator_type* type = g_.at(step.node).type;
      const int out = first_id(step.outputs);
      if (at(out).parent != none || step.outputs.count != 1) continue;
      for (int i = 0; i < step.inputs.count; ++i) {
        const int in = first_id(step.inputs, i);
        if (!writes_in_place(type, step.inputs.count, i) || !can_overwrite(in, out, static_cast<int>(s), step)) continue;
        const int last = at(out).last_step;
        at(out).parent = in;
        at(out).shift = 0;
        touch(in, last);
        for (std::size_t p = 0; p < plan_.placements.size(); ++p) inherit_pitch(static_cast<int>(p));
        break;
      }
    }
  }
  constexpr bool can_overwrite(int in, int out, int step, const plan_step& now) {
    const int r = root(in);
    if (at(r).external || at(r).last_step != step || r == root(out)) return false;
    if (at(in).order != at(out).order || !(shape(in) == shape(out)) || type_at(in) != type_at(out)) return false;
    // Parts of the result would inherit a pitch they were not laid out for: only whole buffers are passed on.
    if (r != in || at(out).size != at(in).size) return false;
    // The other inputs must not be parts of the same memory; an operator that reads `in` twice may, if it reads it element
    // by element and at once: a convolution of its own residual does not, nor a sum of three or more.
    const bool convolves = g_.is<op::conv2d>(now.node), accumulates = g_.is<op::eltwise>(now.node);
    for (int i = 0; i < now.inputs.count; ++i) {
      const int other = first_id(now.inputs, i);
      if (other == in && ((convolves && i == 0) || (accumulates && i > 1))) return false;
      if (other != in && root(other) == r) return false;
    }
    return true;
  }

  // (4)

  constexpr void assign_offsets() {
    pool<int> roots;
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) {
      const placement& now = plan_.placements[p];
      if (now.parent == none && !now.external && now.last_step >= 0) roots.push_back(static_cast<int>(p));
    }
    // Largest first; of equal ones the earliest.
    for (std::size_t i = 1; i < roots.size(); ++i)
      for (std::size_t k = i; k > 0 && at(roots[k]).size > at(roots[k - 1]).size; --k) {
        const int swap = roots[k];
        roots[k] = roots[k - 1];
        roots[k - 1] = swap;
      }
    pool<int> placed;  // by offset
    for (int r : roots) {
      const std::int64_t size = round_up(at(r).size);
      std::int64_t offset = 0;
      for (int other : placed) {
        const placement& o = at(other);
        if (o.last_step < at(r).first_step || o.first_step > at(r).last_step) continue;
        if (offset + size <= o.offset) break;
        if (o.offset + round_up(o.size) > offset) offset = o.offset + round_up(o.size);
      }
      at(r).offset = offset;
      if (offset + size > plan_.arena_size) plan_.arena_size = offset + size;
      placed.push_back(r);
      for (std::size_t k = placed.size() - 1; k > 0 && at(placed[k]).offset < at(placed[k - 1]).offset; --k) {
        const int swap = placed[k];
        placed[k] = placed[k - 1];
        placed[k - 1] = swap;
      }
    }
  }
  static constexpr std::int64_t round_up(std::int64_t n) { return (n + arena_alignment - 1) / arena_alignment * arena_alignment; }

  /// conv2d reads the user's plain image directly; with more channels than this a conversion pays.
  static constexpr int few_channels = 4;

  const graph_view& g_;
  plan_options options_;
  memory_plan plan_;
  pool<int> converted_;   ///< by value: its placement in the other layout
  pool<int> coincident_;  ///< placements described in both layouts: they must stay dense
};

}  // namespace detail

constexpr memory_plan make_plan(const graph_view& g, const plan_options& options = {}) {
  return detail::planner(g, options).make();
}

}  // namespace ctnn
