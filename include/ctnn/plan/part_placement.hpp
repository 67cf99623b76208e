// SPDX-License-Identifier: BSL-1.0
// The third phase: values that are parts of others need no copies. Concatenations, splits, slices, views.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class part_placement : planning_phase {
 public:
  explicit constexpr part_placement(draft& d) : planning_phase(d) {}

  /// Later steps first: a concatenation of concatenations places the outer one before the inner. Steps that then have
  /// nothing to do are none, but where values are computed when they are asked for.
  constexpr void place_parts() {
    pool<bool> idle(plan_.steps.size(), false);
    for (std::size_t s = plan_.steps.size(); s-- > 0;)
      if (const plan_step step = plan_.steps[s]; runs(step) && g_.is<op::concat>(step.node))
        idle[s] = place_concat(step);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const plan_step step = plan_.steps[s];
      if (!runs(step)) continue;
      const node& n = g_.at(step.node);
      if (n.type == &type_of<op::split>) place_split(step);
      else if (n.type == &type_of<op::slice>) place_slice(step);
      else if (n.type->is.view) place_view(step);
      else if (is_in_other_layout(n)) place_in_other_layout(step);
      else continue;
      idle[s] = true;
      for (int k = 0; k < step.outputs.count; ++k)
        idle[s] = idle[s] && at(first_id(step.outputs, k)).parent == first_id(step.inputs);
    }
    if (!carries_) return;
    std::size_t next = 0;
    leave_out([&](const plan_step&) { return idle[next++]; });
  }

 private:
  static constexpr bool runs(const plan_step& step) { return step.node != none && step.packs == none; }
  /// Numbers from one index of `axis` to the next if parts along it can be placements, else 0.
  constexpr std::int64_t part_step(int whole, int axis) {
    const extents& s = shape(whole);
    if (size_of(type_at(whole)) != 4) return 0;  // shifts count numbers of four bytes
    if (at(whole).order != layout::nchw) {
      if (axis == channel_axis_of(whole)) return 1;
      return is_outermost(whole, axis) ? s.count(axis + 1, s.rank) * channels_of(whole) : 0;
    }
    for (int i = 0; i < axis; ++i)
      if (s[i] != 1) return 0;
    return s.count(axis + 1, s.rank);
  }

  /// Is it an axis of pixels (rows, say) of which all in front have one index, and lies nothing between pixels?
  constexpr bool is_outermost(int p, int axis) {
    const extents& s = shape(p);
    for (int i = 0; i < axis; ++i)
      if (i != channel_axis_of(p) && s[i] != 1) return false;
    return axis > channel_axis_of(p) && at(p).parent == none;
  }
  /// Of a placement that is not nchw.
  constexpr int channel_axis_of(int p) { return shape(p).rank - 1 - axes_of_pixels(at(p).order); }
  constexpr bool has_place_to_choose(int p) {
    return at(p).parent == none && !at(p).external && !at(p).fed && !is_network_output(p) &&
           !is_view_maker(g_.at_value(at(p).value).producer);
  }
  constexpr bool can_become_part(int p, int whole) {
    // What is kept would change under an output.
    if (at(p).kept && (at(whole).parent != none || is_network_output(whole))) return false;
    return has_place_to_choose(p) && at(p).order == at(whole).order && !is_coincident(p);
  }
  /// What is nchw, and the same bytes in the whole's layout, is right in either description where it is one piece of
  /// the whole.
  constexpr bool can_become_piece(int p, int whole, int axis) {
    const layout order = at(whole).order;
    return order != layout::nchw && at(p).order == layout::nchw && can_be(order, shape(p)) &&
           is_as_nchw(order, shape(p)) && pitch_of(order, shape(p)) == channels_of(whole) &&
           is_outermost(whole, axis) && has_place_to_choose(p) && !at(p).kept;
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

  /// In another layout, of the same bytes.
  constexpr bool is_described_again(int p) {
    return at(p).parent != none && at(p).shift == 0 && is_coincident(at(p).parent) &&
           at(at(p).parent).value == at(p).value;
  }
  /// Does every part lie in the whole?
  constexpr bool place_concat(const plan_step& step) {
    bool all = true;
    const int whole = first_id(step.outputs);
    const int axis = normal_axis(g_.get<op::concat>(step.node).axis, shape(whole).rank);
    const std::int64_t unit = part_step(whole, axis);
    std::int64_t index = 0;
    for (int i = 0; i < step.inputs.count; ++i) {
      const int given = first_id(step.inputs, i);
      const int part = is_described_again(given) ? at(given).parent : given;
      if (unit != 0 && part != whole && (can_become_part(part, whole) || can_become_piece(part, whole, axis))) {
        at(part).parent = whole;
        at(part).shift = index * unit;
      }
      all = all && at(part).parent == whole && at(part).shift == index * unit;
      index += shape(given)[axis];
    }
    return all;
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
  /// innermost, a range of these, and of the outermost axis of pixels.
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
      const bool channels = by_pixel && i == channel_axis_of(whole), pixels = by_pixel && is_outermost(whole, i);
      if (w.step != 1 || (several && !channels && !pixels && !w.takes_all(s[i]))) return;
      shift += w.first * (channels ? 1 : s.count(i + 1, s.rank) * (pixels ? channels_of(whole) : 1));
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
