// SPDX-License-Identifier: BSL-1.0
// The first phase: a layout for every value, and the conversions between them.
#pragma once

#include "draft.hpp"

namespace ctnn::detail {

class layout_choice : planning_phase {
 public:
  explicit constexpr layout_choice(draft& d) : planning_phase(d) {}

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

 private:
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

  /// conv2d reads the user's plain image directly; with more channels than this a conversion pays.
  static constexpr int few_channels = 4;

  pool<int> converted_;  ///< by value: its placement in the other layout
};

}  // namespace ctnn::detail
