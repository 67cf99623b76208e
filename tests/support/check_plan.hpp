// SPDX-License-Identifier: BSL-1.0
// An independent judge of plans: follows every number from the step that writes it to the last step that reads it.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/plan/planner.hpp>

namespace ctnn::ir::test {

/// Positions of a placement's numbers, in nchw order, relative to its first.
inline std::vector<std::int64_t> positions_of(const graph_view& g, const placement& p) {
  extents s = g.shape(p.value);
  std::vector<std::int64_t> out;
  if (p.order == layout::nchw) {
    for (std::int64_t i = 0; i < s.count(); ++i) out.push_back(i);
    return out;
  }
  if (p.order == layout::nwc) s = with_row(s);
  const int images = s.rank == 4 ? s[0] : 1;
  for (int n = 0; n < images; ++n)
    for (int c = 0; c < s.back(2); ++c)
      for (int y = 0; y < s.back(1); ++y)
        for (int x = 0; x < s.back(0); ++x)
          out.push_back(((std::int64_t{n} * s.back(1) + y) * s.back(0) + x) * p.pitch + c);
  return out;
}

/// Simulates the plan on tags: every cell of memory holds (value, index) of what was last written. A step must find in
/// its inputs what the graph says is there; views and copies are followed. Returns the first lie, or nothing.
class plan_judge {
 public:
  plan_judge(const graph_view& g, const plan_view& p) : g_(g), p_(p) {}

  std::string judge() {
    arena_.assign(static_cast<std::size_t>(p_.arena_size), {none, 0});
    for (std::size_t i = 0; i < p_.placements.size(); ++i) {
      const placement& now = p_.placements[i];
      if (now.kept) kept_.push_back(static_cast<int>(i));
      if (now.parent != none || !now.external) continue;
      outside_[static_cast<int>(i)].resize(static_cast<std::size_t>(g_.shape(now.value).count()));
      for (std::size_t k = 0; k < outside_[static_cast<int>(i)].size(); ++k)
        outside_[static_cast<int>(i)][k] = {now.value, static_cast<std::int64_t>(k)};
    }
    for (int id : kept_)
      if (!write(id)) return "does not keep v" + std::to_string(p_.at(id).value);
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      const plan_step& step = p_.steps[s];
      const auto in = p_.ids_of(step.inputs), out = p_.ids_of(step.outputs);
      for (int id : in)
        if (!holds(id)) return fail(s, "does not find its input", id);
      if (step.node != none && step.packs == none) {
        const std::vector<value_id> wanted = inputs_of(step);
        if (wanted.size() != in.size()) return fail(s, "has another number of inputs", none);
        for (std::size_t i = 0; i < in.size(); ++i)
          if (p_.at(in[i]).value != wanted[i]) return fail(s, "reads another value", in[i]);
        if (step.cascade.count == 0)
          if (const std::string w = overlap(step, in, out); !w.empty()) return fail(s, w, none);
      }
      if (step.scratch != none) {
        mark_scratch(step.scratch);
        for (int id : in)
          if (!holds(id)) return fail(s, "has memory of its own over its input", id);
      }
      for (int id : out)
        if (!write(id)) return fail(s, "writes outside of the arena, or over an input", id);
      for (int id : out)
        if (!holds(id)) return fail(s, "overwrites its own results", id);
      if (step.scratch != none && !is_scratch(step.scratch))
        return fail(s, "writes results over memory of its own", step.scratch);
    }
    if (p_.outputs.size() != g_.outputs.size()) return "another number of outputs";
    for (std::size_t o = 0; o < p_.outputs.size(); ++o) {
      const placement& last = p_.at(p_.outputs[o]);
      if (carried_into(g_, g_.outputs[o]) != none) continue;  // steps have carried it
      if (last.value != g_.outputs[o].value || last.order != layout::nchw)
        return "output " + std::to_string(o) + " is not the value, plain";
      if (p_.at(p_.root(p_.outputs[o])).external) return "output " + std::to_string(o) + " lies outside of the arena";
      if (!holds(p_.outputs[o])) return "output " + std::to_string(o) + " was overwritten";
    }
    for (int id : kept_)
      if (!holds(successor_of(id))) return "kept v" + std::to_string(p_.at(id).value) + " was overwritten";
    return {};
  }

 private:
  std::vector<int> kept_;  ///< placements
  using tag = std::pair<value_id, std::int64_t>;

  /// What is carried into a kept placement lies there; itself if a step has carried it.
  int successor_of(int id) const {
    for (std::size_t o = 0; o < p_.outputs.size(); ++o)
      if (carried_into(g_, g_.outputs[o]) == p_.at(id).value && p_.root(p_.outputs[o]) == p_.root(id) &&
          p_.shift(p_.outputs[o]) == p_.shift(id))
        return p_.outputs[o];
    return id;
  }
  /// A cascade's are those of its first node, and what the last one takes besides the result of the one before it;
  /// nothing where a node does not read the one before it alone.
  std::vector<value_id> inputs_of(const plan_step& step) const {
    const auto own = g_.inputs(g_.at(step.node));
    std::vector<value_id> all(own.begin(), own.end());
    const auto nodes = p_.ids_of(step.cascade);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const value_id between = g_.at(nodes[i - 1]).outputs.first;
      const auto in = g_.inputs(g_.at(nodes[i]));
      if (in[0] != between || g_.at_value(between).readers != 1 || (i + 1 < nodes.size() && in.size() > 1)) return {};
    }
    if (!nodes.empty()) all[0] = g_.inputs(g_.at(nodes[0]))[0];
    return all;
  }
  std::string fail(std::size_t step, const std::string& what, int id) const {
    std::ostringstream s;
    s << "step " << step << " (";
    const node_id n = p_.steps[step].node;
    if (n == none) s << "conversion";
    else s << g_.at(n).type->name << " " << g_.at(n).name;
    s << ") " << what;
    if (id != none) s << ": placement " << id << " of v" << p_.at(id).value;
    return s.str();
  }
  tag* cell(int id, std::int64_t position) {
    const int r = p_.root(id);
    const std::int64_t at = p_.shift(id) + position;
    if (at < 0) return nullptr;
    if (p_.at(r).external)
      return at < static_cast<std::int64_t>(outside_[r].size()) ? &outside_[r][static_cast<std::size_t>(at)] : nullptr;
    if (at >= p_.at(r).size || p_.at(r).offset < 0 || p_.at(r).offset + at >= p_.arena_size) return nullptr;
    return &arena_[static_cast<std::size_t>(p_.at(r).offset + at)];
  }
  std::span<tag> scratch(int id) {
    return std::span<tag>(arena_).subspan(static_cast<std::size_t>(p_.at(id).offset),
                                          static_cast<std::size_t>(p_.at(id).size));
  }
  void mark_scratch(int id) {
    for (tag& t : scratch(id)) t = {none, -1};
  }
  bool is_scratch(int id) {
    for (const tag& t : scratch(id))
      if (t != tag{none, -1}) return false;
    return true;
  }
  bool holds(int id) {
    const auto where = positions_of(g_, p_.at(id));
    for (std::size_t k = 0; k < where.size(); ++k) {
      const tag* t = cell(id, where[k]);
      if (!t || !same(*t, {p_.at(id).value, static_cast<std::int64_t>(k)})) return false;
    }
    return true;
  }
  /// The number (value, k) as the value it was first: views and copies are the numbers they come from.
  tag origin(tag t) const {
    while (true) {
      const node_id n = g_.at_value(t.first).producer;
      const node& now = g_.at(n);
      if (now.type == &type_of<op::flatten> || now.type == &type_of<op::reshape>) {
        t.first = g_.inputs(now)[0];
        continue;
      }
      if (now.type != &type_of<op::slice> && now.type != &type_of<op::split> && now.type != &type_of<op::concat>)
        return t;
      const bool joins = now.type == &type_of<op::concat>;
      const extents& s = g_.shape(t.first);
      int axis = 0, before = 0;
      value_id from = g_.inputs(now)[0];
      if (joins) axis = g_.get<op::concat>(n).axis;
      else if (now.type == &type_of<op::split>) axis = g_.get<op::split>(n).axis;
      else {
        t = {from, origin_in_slice(g_.get<op::slice>(n), g_.shape(from), s, t.second)};
        continue;
      }
      axis = normal_axis(axis, s.rank);
      const std::int64_t inner = s.count(axis + 1, s.rank), row = t.second / inner;
      std::int64_t index = row % s[axis];
      const std::int64_t outer = row / s[axis];
      if (joins) {
        for (value_id v : g_.inputs(now)) {
          from = v;
          if (index < g_.shape(v)[axis]) break;
          index -= g_.shape(v)[axis];
        }
      } else {
        for (value_id v = now.outputs.first; v < t.first; ++v) before += g_.shape(v)[axis];
      }
      t = {from, (outer * g_.shape(from)[axis] + index + before) * inner + t.second % inner};
    }
  }
  /// Element `index` of the slice `y` of x, counted in x.
  static std::int64_t origin_in_slice(const op::slice& p, const extents& x, const extents& y, std::int64_t index) {
    std::int64_t at = 0, unit = 1;
    for (int axis = x.rank - 1; axis >= 0; --axis) {
      std::int64_t first = 0, step = 1;
      for (std::size_t i = 0; i < p.entries(); ++i)
        if (p.axis_of(i, x.rank) == axis) first = p.along(i, x[axis]).first, step = p.along(i, x[axis]).step;
      at += (first + index % y[axis] * step) * unit;
      index /= y[axis];
      unit *= x[axis];
    }
    return at;
  }
  bool same(tag a, tag b) const { return a == b || (a.first != none && origin(a) == origin(b)); }

  bool write(int id) {
    const auto where = positions_of(g_, p_.at(id));
    const bool outside = p_.at(p_.root(id)).external;
    for (std::size_t k = 0; k < where.size(); ++k) {
      tag* t = cell(id, where[k]);
      const tag now{p_.at(id).value, static_cast<std::int64_t>(k)};
      if (!t) return false;
      if (outside && !same(*t, now)) return false;  // the caller's memory is only read
      *t = now;
    }
    return true;
  }

  /// An operator writes over what it reads only element by element, or where the bytes are the very same.
  std::string overlap(const plan_step& step, std::span<const int> in, std::span<const int> out) {
    const operator_type* type = g_.at(step.node).type;
    for (int o : out) {
      const auto to = positions_of(g_, p_.at(o));
      std::map<const tag*, std::int64_t> written;
      for (std::size_t k = 0; k < to.size(); ++k)
        if (const tag* t = cell(o, to[k])) written[t] = static_cast<std::int64_t>(k);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const auto from = positions_of(g_, p_.at(in[i]));
        bool any = false, aligned = from.size() == to.size();
        for (std::size_t k = 0; k < from.size(); ++k) {
          const tag* t = cell(in[i], from[k]);
          const auto hit = written.find(t);
          if (hit == written.end()) continue;
          if (same(*t, {p_.at(o).value, hit->second})) continue;  // a view: what is there is what it writes
          any = true;
          aligned = aligned && hit->second == static_cast<std::int64_t>(k);
        }
        if (!any) continue;
        if (!aligned) return "overlaps its input other than element by element";
        const bool adds_second = type == &type_of<op::conv2d> || type == &type_of<op::linear>;  // a residual
        const bool adds_last =
            adds_second && (type == &type_of<op::conv2d> ? g_.get<op::conv2d>(step.node).residual_last
                                                         : g_.get<op::linear>(step.node).residual_last);
        const bool elementwise = (!adds_second || (i == 1 && !adds_last)) && (type != &type_of<op::eltwise> || i < 2);
        if (!elementwise || type == &type_of<op::pool> || type == &type_of<op::adaptive_pool> ||
            type == &type_of<op::interpolate> || type == &type_of<op::permute> ||
            type == &type_of<op::channel_shuffle> || type == &type_of<op::pixel_shuffle> || type == &type_of<op::pad>)
          return "writes over an input it reads elsewhere";
      }
    }
    return {};
  }

  const graph_view& g_;
  const plan_view& p_;
  std::vector<tag> arena_;
  std::map<int, std::vector<tag>> outside_;
};

/// How many steps bring something to where the next run reads it.
inline int carrying_steps(const plan_view& p) {
  int steps = 0;
  for (const plan_step& s : p.steps) steps += s.carries;
  return steps;
}

inline std::string describe_plan(const plan_view& p) {
  std::ostringstream s;
  for (std::size_t i = 0; i < p.placements.size(); ++i) {
    const placement& x = p.placements[i];
    s << "p" << i << " v" << x.value
      << (x.order == layout::nhwc  ? " nhwc/"
          : x.order == layout::nwc ? " nwc/"
                                   : " nchw/")
      << x.pitch;
    if (x.parent != none) s << " in p" << x.parent << "+" << x.shift;
    else s << " at " << x.offset << " size " << x.size << " steps " << x.first_step << ".." << x.last_step;
    s << (x.external ? " external" : "") << "\n";
  }
  for (const plan_step& x : p.steps) {
    s << "node " << x.node << ":";
    for (int i : p.ids_of(x.inputs)) s << " p" << i;
    s << " ->";
    for (int i : p.ids_of(x.outputs)) s << " p" << i;
    s << "\n";
  }
  return s.str();
}

}  // namespace ctnn::ir::test
