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
  bool carries = true;  ///< carried inputs have places of their own; else they are fed as any other
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
  static constexpr bool can_be_nhwc(const extents& s) { return s.rank == 3 || s.rank == 4; }
  static constexpr int channels_of(const extents& s) { return s.back(2); }
  /// Of all images.
  static constexpr std::int64_t pixels_of(const extents& s) { return s.count() / channels_of(s); }
  /// Both layouts are the same bytes.
  static constexpr bool layouts_coincide(const extents& s) {
    return !can_be_nhwc(s) || s.back(0) * s.back(1) == 1 || channels_of(s) == 1;
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
