// SPDX-License-Identifier: BSL-1.0
// The third phase: values that are parts of others need no copies. Concatenations, splits, slices, views.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class part_placement : planning_phase {
 public:
  explicit constexpr part_placement(draft& d) : planning_phase(d) {}

  /// Later steps first: a concatenation of concatenations places the outer one before the inner.
  constexpr void place_parts() {
    for (std::size_t s = plan_.steps.size(); s-- > 0;) {
      const plan_step step = plan_.steps[s];
      if (step.node == none || step.packs != none) continue;
      const node& n = g_.at(step.node);
      if (n.type == &type_of<op::concat>) place_concat(step);
    }
    for (const plan_step& step : plan_.steps) {
      if (step.node == none || step.packs != none) continue;
      const node& n = g_.at(step.node);
      if (n.type == &type_of<op::split>) place_split(step);
      else if (n.type == &type_of<op::slice>) place_slice(step);
      else if (n.type->is.view) place_view(step);
      else if (is_in_other_layout(n)) place_in_other_layout(step);
    }
  }

 private:
  /// Numbers from one index of `axis` to the next if parts along it can be placements, else 0.
  constexpr std::int64_t part_step(int whole, int axis) {
    const extents& s = shape(whole);
    if (size_of(type_at(whole)) != 4) return 0;  // shifts count numbers of four bytes
    if (at(whole).order != layout::nchw) {
      if (axis == s.rank - 1 && is_row(whole)) return channels_of(whole);
      return axis == channel_axis_of(whole) ? 1 : 0;
    }
    for (int i = 0; i < axis; ++i)
      if (s[i] != 1) return 0;
    return s.count(axis + 1, s.rank);
  }

  /// Is it one row of pixels that nothing lies between?
  constexpr bool is_row(int p) {
    const extents& s = shape(p);
    for (int i = 0; i < s.rank - 1; ++i)
      if (i != channel_axis_of(p) && s[i] != 1) return false;
    return at(p).parent == none;
  }
  /// Of a placement that is not nchw.
  constexpr int channel_axis_of(int p) { return shape(p).rank - 1 - axes_of_pixels(at(p).order); }
  constexpr bool can_become_part(int p, int whole) {
    // What is kept would change under an output.
    if (at(p).kept && (at(whole).parent != none || is_network_output(whole))) return false;
    return at(p).parent == none && !at(p).external && !at(p).fed && at(p).order == at(whole).order &&
           !is_coincident(p) && !is_view_maker(g_.at_value(at(p).value).producer) && !is_network_output(p);
  }
  /// Results of these are parts of their input already.
  constexpr bool is_view_maker(node_id n) {
    return g_.is<op::split>(n) || g_.is<op::slice>(n) || g_.at(n).type->is.view || is_in_other_layout(g_.at(n));
  }
  constexpr bool is_network_output(int p) {
    for (int o : plan_.outputs)
      if (o == p) return true;
    return false;
  }

  /// Outputs are no parts of what others read, but for those that the engine alone takes, back into `whole`.
  constexpr bool stays_apart(int p, int whole) {
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) {
      if (plan_.outputs[o] != p) continue;
      const value_id next = next_of(g_.outputs[o]);
      if (next == none || root(next) != root(whole)) return true;
    }
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
    if (at(part).order != layout::nchw && pixels_of(part) > 1 && is_coincident(part) &&
        (channels_of(part) != channels_of(whole) || lies_apart(whole)))
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
  /// What lies in one piece in the whole: in nchw, single indices and then one range of an axis; where channels are
  /// innermost, a range of these, and of the pixels of one row.
  constexpr void place_slice(const plan_step& step) {
    const int whole = first_id(step.inputs), part = first_id(step.outputs);
    const extents& s = shape(whole);
    if (stays_apart(part, whole) || size_of(type_at(whole)) != 4 || shape(part).count() == 0) return;
    const auto taken = g_.get<op::slice>(step.node).over(s);
    const bool by_pixel = at(whole).order != layout::nchw;
    bool several = by_pixel;
    std::int64_t shift = 0;
    for (int i = 0; i < s.rank; ++i) {
      const op::slice::walk& w = taken[static_cast<std::size_t>(i)];
      const bool channels = by_pixel && i == channel_axis_of(whole),
                 pixels = by_pixel && i == s.rank - 1 && is_row(whole);
      if (w.step != 1 || (several && !channels && !pixels && !w.takes_all(s[i]))) return;
      shift += w.first * (channels ? 1 : pixels ? channels_of(whole) : s.count(i + 1, s.rank));
      several = several || w.count > 1;
    }
    become_part(part, whole, shift);
  }
  constexpr void place_view(const plan_step& step) {
    const int whole = first_id(step.inputs), part = first_id(step.outputs);
    if (is_network_output(part) && (at(root(whole)).external || at(root(whole)).kept)) return;
    if (at(whole).order != layout::nchw) {
      if (!is_as_nchw(at(whole).order, shape(whole)) || lies_apart(whole)) return;
      at(part).parent = whole;
      return;
    }
    become_part(part, whole, 0);
  }
  /// A permutation whose result is the same bytes, described in the other layout.
  constexpr bool is_in_other_layout(const node& n) {
    return n.type == &type_of<op::permute> && byte_kernel_of(g_, n).there;
  }
  constexpr void place_in_other_layout(const plan_step& step) {
    const int whole = first_id(step.inputs), part = first_id(step.outputs);
    if (is_network_output(part) && (at(root(whole)).external || at(root(whole)).kept)) return;
    if (at(part).parent != none || lies_apart(whole)) return;
    at(part).parent = whole;
    at(part).shift = 0;
  }
  /// Is a placement that is not nchw a part of something wider, so that its pixels are not next to each other?
  constexpr bool lies_apart(int p) {
    for (; at(p).parent != none; p = at(p).parent)
      if (shape(at(p).parent).count() != shape(p).count()) return pixels_of(p) > 1;
    return false;
  }
};

}  // namespace ctnn::ir::detail
