// SPDX-License-Identifier: BSL-1.0
// A plan in the making, and what every phase of planning asks of it.
#pragma once

#include "../kernels/operator_code.hpp"
#include "../kernels/overlap.hpp"
#include "../kernels/winograd.hpp"
#include "carried.hpp"
#include "plan.hpp"

namespace ctnn::ir::detail {

struct draft {
  const graph_view& g;
  bool carries = true;  ///< one arena, in which carried inputs have places of their own; else they are fed as any other
  memory_plan plan{};
  pool<int> coincident{};  ///< placements described in both layouts: they must stay dense
};

class planning_phase {
 protected:
  explicit constexpr planning_phase(draft& d)
      : g_(d.g), carries_(d.carries), plan_(d.plan), coincident_(d.coincident) {}

  /// The carried input that output o is in the next run, if steps carry it.
  constexpr value_id next_of(const network_output& o) { return carries_ ? carried_into(g_, o) : none; }

  constexpr placement& at(int p) { return plan_.placements[static_cast<std::size_t>(p)]; }
  constexpr const extents& shape(int p) { return g_.shape(at(p).value); }
  constexpr dtype type_at(int p) { return g_.at_value(at(p).value).type; }
  /// Images and signals, of a batch or not.
  static constexpr bool can_be(layout order, const extents& s) {
    const int axes = axes_of_pixels(order);
    return order == layout::nchw || s.rank == axes + 1 || s.rank == axes + 2;
  }
  static constexpr int pitch_of(layout order, const extents& s) {
    return order == layout::nchw ? 0 : s.back(axes_of_pixels(order));
  }
  /// Of a placement that is not nchw.
  constexpr int channels_of(int p) { return shape(p).back(axes_of_pixels(at(p).order)); }
  /// Of all images.
  constexpr std::int64_t pixels_of(int p) { return shape(p).count() / channels_of(p); }
  /// That layout and nchw are the same bytes.
  static constexpr bool is_as_nchw(layout order, const extents& s) {
    if (order == layout::nchw) return true;
    const int axes = axes_of_pixels(order);
    return s.back(axes) == 1 || s.count(s.rank - axes, s.rank) == 1;
  }

  /// May a step write its result k over its input i?
  constexpr bool may_overwrite(const plan_step& step, int i, int k = 0) {
    const node& n = g_.at(step.node);
    return n.type->overwrites(g_.fields_of(n.fields), step.inputs.count - count_slots(step.given), i, k);
  }
  /// Would either do as the other's memory: as many numbers, of one type and shape and in one order?
  constexpr bool lie_alike(int a, int b) {
    return at(a).order == at(b).order && at(a).size == at(b).size && type_at(a) == type_at(b) && shape(a) == shape(b);
  }
  /// Steps of which is_idle(step) holds are none.
  constexpr void leave_out(auto&& is_idle) {
    pool<plan_step> others;
    for (const plan_step& step : plan_.steps)
      if (!is_idle(step)) others.push_back(step);
    plan_.steps = static_cast<pool<plan_step>&&>(others);
  }
  constexpr int first_id(range r, int i = 0) { return plan_.ids[static_cast<std::size_t>(r.first + i)]; }
  constexpr int root(int p) { return plan_.view().root(p); }
  constexpr bool is_coincident(int p) {
    for (int v : coincident_)
      if (v == p) return true;
    return false;
  }

  const graph_view& g_;
  bool carries_;
  memory_plan& plan_;
  pool<int>& coincident_;
};

}  // namespace ctnn::ir::detail
