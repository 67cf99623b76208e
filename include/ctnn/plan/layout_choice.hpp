// SPDX-License-Identifier: BSL-1.0
// The first phase: a layout for every value, and the conversions between them.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class layout_choice : planning_phase {
 public:
  explicit constexpr layout_choice(draft& d) : planning_phase(d) {}

  constexpr void choose_layouts() {
    for (std::size_t v = 0; v < g_.values.size(); ++v) {
      placement p;
      p.value = static_cast<int>(v);
      p.size = ctnn::words(g_.values[v].shape.count(), g_.values[v].type);
      const node& maker = g_.at(g_.values[v].producer);
      p.kept = carries_ && is_carried(g_, maker);
      p.fed = !p.kept && is_in_arena(g_, maker);
      p.external = !p.kept && !p.fed && (maker.type == &type_of<op::input> || maker.type == &type_of<op::constant>);
      plan_.placements.push_back(p);
    }
    converted_ = pool<int>(layouts * g_.values.size(), none);
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) add_step(static_cast<int>(n));
    pool<plan_step> carries;
    for (const network_output& o : g_.outputs) {
      const value_id next = next_of(o);
      int p = next == none ? in_layout(o.value, layout::nchw) : o.value;
      if (at(p).external || at(p).kept) p = copy_of(p);
      plan_.outputs.push_back(p);
      if (next == none) continue;
      plan_step carry;
      carry.inputs = store({p});
      carry.outputs = store({next});
      carry.carries = true;
      carries.push_back(carry);
    }
    for (const plan_step& carry : carries) plan_.steps.push_back(carry);
  }

 private:
  constexpr void add_step(node_id n) {
    const node& now = g_.at(n);
    if (now.type == &type_of<op::input> || now.type == &type_of<op::constant>) return;
    const auto in = g_.inputs(now);
    traits t = now.type->is;
    const bool f32 = computes_f32(g_, now);
    if (const byte_kernel bytes = byte_kernel_of(g_, now); bytes.there) {
      t.layouts = bytes.layouts;
      t.reads_nchw = false;
    } else if (!f32) {
      t.layouts = layout_rule::nchw;  // kernels for other element types take plain values
    } else if (now.type->layouts) {
      pool<extents> shapes;
      for (value_id v : in) shapes.push_back(g_.shape(v));
      t.layouts = now.type->layouts(g_.fields_of(now.fields), shapes);
    }
    const layout order = layout_of_result(now, t, in);
    for (value_id v : in)  // so that it can be a part of the result
      if (now.type == &type_of<op::concat> && at(v).kept && g_.at_value(v).readers == 1 && can_be(order, g_.shape(v))) {
        at(v).order = order;
        at(v).pitch = pitch_of(order, g_.shape(v));
      }
    plan_step step{n};
    step.given = g_.given(now);
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(step.given));
    pool<int> ids;
    for (std::size_t i = 0; i < own; ++i)
      ids.push_back(input_placement(now, t, in[i], order, i == 0, g_.shape(now.outputs.first)));
    std::size_t next = own;
    for (int slot = 0; next < in.size(); ++slot) {
      if ((step.given >> slot & 1u) == 0) continue;
      const dtype of = g_.at_value(in[next]).type;
      const bool packs = (f32 || is_byte(of)) && now.type->packs(slot, of);
      const int plain = in_layout(in[next++], layout::nchw);
      ids.push_back(packs ? packed(n, slot, plain) : plain);
    }
    step.inputs = store(ids);
    ids.clear();
    for (int k = 0; k < now.outputs.count; ++k) {
      const value_id v = now.outputs.first + k;
      at(v).order = can_be(order, g_.shape(v)) ? order : layout::nchw;
      at(v).pitch = pitch_of(at(v).order, g_.shape(v));
      ids.push_back(v);
    }
    step.outputs = store(ids);
    step.scratch = scratch_of(n);
    plan_.steps.push_back(step);
  }

  /// Memory of the kernel's own while the step runs.
  constexpr int scratch_of(node_id n) {
    const std::int64_t bytes = kernel_scratch_bytes(g_, g_.at(n));
    if (bytes <= 0) return none;
    placement p;
    p.value = g_.at(n).outputs.first;
    p.most = ctnn::words(bytes, dtype::i8);
    p.size = ctnn::words(kernel_scratch_bytes(g_, g_.at(n), scratch_for_work::least), dtype::i8);
    p.late = g_.is<op::conv2d>(n) && computes_f32(g_, g_.at(n));  // Winograd's may be anything
    plan_.placements.push_back(p);
    return static_cast<int>(plan_.placements.size()) - 1;
  }

  /// A weight that is computed is packed when it is there, for the one node that reads it.
  constexpr int packed(node_id n, int slot, int plain) {
    const node& now = g_.at(n);
    placement p;
    p.value = at(plain).value;
    p.size = now.type->packed_count(g_.fields_of(now.fields), slot, shape(plain), channel_block);
    const int id = static_cast<int>(plan_.placements.size());
    plan_.placements.push_back(p);
    plan_step step{n};
    step.inputs = store({plain});
    step.outputs = store({id});
    step.packs = slot;
    plan_.steps.push_back(step);
    return id;
  }

  constexpr layout layout_of_result(const node& n, const traits& t, std::span<const int> in) {
    switch (t.layouts) {
      case layout_rule::nchw: return layout::nchw;
      case layout_rule::nhwc: return layout::nhwc;
      case layout_rule::nwc: return layout::nwc;
      case layout_rule::nchw_or_nhwc: return at(in[0]).order == layout::nhwc ? layout::nhwc : layout::nchw;
      case layout_rule::nchw_or_nwc: return at(in[0]).order == layout::nwc ? layout::nwc : layout::nchw;
      case layout_rule::same: return in.empty() ? layout::nchw : at(in[0]).order;
      case layout_rule::any: break;
    }
    if (n.type == &type_of<op::permute>) return layout::nchw;
    for (value_id v : in)
      if (at(v).order != layout::nchw && !g_.is<op::constant>(g_.at_value(v).producer)) return at(v).order;
    if (n.type == &type_of<op::concat>)
      for (value_id v : in)
        if (at(v).kept) return layout_of_readers(n.outputs.first);
    return layout::nchw;
  }
  /// That which kernels of windows want, who alone reach back to what is kept.
  constexpr layout layout_of_readers(value_id v) {
    for (const node& n : g_.nodes) {
      if (g_.inputs(n).empty() || g_.inputs(n)[0] != v) continue;
      const layout_rule wants = n.type->is.layouts;
      const layout order = wants == layout_rule::nhwc  ? layout::nhwc
                           : wants == layout_rule::nwc ? layout::nwc
                                                       : layout::nchw;
      if (order != layout::nchw && can_be(order, g_.shape(v))) return order;
    }
    return layout::nchw;
  }

  /// The placement of input v that an operator with the result's layout `order` reads.
  constexpr int input_placement(const node& n, const traits& t, value_id v, layout order, bool first,
                                const extents& result) {
    if (t.view && g_.at_value(v).type == dtype::f32) return v;  // their kernels read any layout
    if (!can_be(order, g_.shape(v))) return t.layouts == layout_rule::any ? v : in_layout(v, layout::nchw);
    if (n.type == &type_of<op::permute> && t.layouts != layout_rule::any && byte_kernel_of(g_, n).there)
      return in_layout(v, order == layout::nhwc ? layout::nchw : layout::nhwc);  // the same bytes
    switch (t.layouts) {
      case layout_rule::nhwc:
      case layout_rule::nwc:
        if (first && t.reads_nchw && at(v).order == layout::nchw && pitch_of(order, g_.shape(v)) <= few_channels)
          return v;
        return in_layout(v, order);
      case layout_rule::any: break;
      default: return in_layout(v, order);
    }
    // Operands that are not broadcast go fastest in the result's layout.
    if (n.type == &type_of<op::binary> && g_.shape(v) == result) return in_layout(v, order);
    return v;
  }

  constexpr int in_layout(value_id v, layout order) {
    if (at(v).order == order) return v;
    int& known = converted_[layouts * static_cast<std::size_t>(v) + static_cast<std::size_t>(order)];
    if (known != none) return known;
    const extents& s = g_.shape(v);
    placement p;
    p.value = v;
    p.order = order;
    p.pitch = pitch_of(order, s);
    p.size = ctnn::words(s.count(), g_.at_value(v).type);
    const int id = static_cast<int>(plan_.placements.size());
    if (is_as_nchw(at(v).order, s) && is_as_nchw(order, s)) {
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
    p.size = ctnn::words(shape(from).count(), g_.at_value(at(from).value).type);
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

  static constexpr std::size_t layouts = 3;
  pool<int> converted_;  ///< by value and layout: its placement there, if it lies otherwise by itself
};

}  // namespace ctnn::ir::detail
