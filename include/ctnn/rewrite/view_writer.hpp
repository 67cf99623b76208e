// SPDX-License-Identifier: BSL-1.0
// A map of indices (graph/index_map.hpp) as few layers.
#pragma once

#include "view_steps.hpp"

namespace ctnn::ir {

using view_steps = static_vector<view_step, 8>;

/// Writes a map of a value of shape x as few layers: slices and what they need of reshapes first, then one permute
/// between reshapes, or a shuffle that does the same, then what is repeated.
class view_writer {
 public:
  constexpr explicit view_writer(const extents& x) : x_(x), now_(x) {}

  /// False: no such layers are this map.
  constexpr bool write(const index_map& m) {
    if (!is_whole(m) || m.in_digits().size() > 1) {
      if (!shuffles(m) && !moves(m)) return false;
    } else {
      reshape(m.shape());
    }
    index_map made(x_);
    for (const view_step& s : steps_)
      if (!s.apply(made)) return false;
    return made == m;
  }
  constexpr const view_steps& steps() const { return steps_; }
  /// How many elements they copy.
  constexpr std::int64_t copied() const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) n += steps_[i].copied(i == 0 ? x_ : steps_[i - 1].made);
    return n;
  }

 private:
  using digits = index_map::digits;
  using digit = index_map::digit;

  static constexpr std::int64_t apart(const digit& d) { return d.step < 0 ? -d.step : d.step; }
  static constexpr int ones_before(const extents& x) {
    int n = 0;
    while (n < x.rank && x[n] == 1) ++n;
    return n;
  }
  constexpr void add(const view_step& s) {
    steps_.push_back(s);
    now_ = s.made;
  }
  constexpr void reshape(const extents& y) {
    if (!(now_ == y)) add({view_step::kind::reshape, y});
  }
  constexpr void permute(const extents& order) {
    extents y;
    for (int i = 0; i < order.rank; ++i) y.push_back(now_[order[i]]);
    add({view_step::kind::permute, y, order});
  }
  /// Does it have every element once, and walk back nowhere?
  constexpr bool is_whole(const index_map& m) const {
    for (const digit& d : m.in_digits())
      if (d.step <= 0) return false;
    return m.first() == 0 && m.shape().count() == x_.count();
  }

  // Shuffles.

  constexpr bool shuffles(const index_map& m) {
    const extents& y = m.shape();
    const digits& d = m.in_digits();
    const int rank = x_.rank;
    if ((rank != 3 && rank != 4) || y.rank != rank || !is_whole(m)) return false;
    const std::size_t groups = rank == 4 && x_[0] > 1 ? 2 : 1;
    if (x_ == y && groups < d.size() && x_.back(2) % d[groups].count == 0)
      return is({view_step::kind::channel_shuffle, y, {}, {}, {static_cast<int>(d[groups].count), 1}}, m);
    const pair block{y.back(1) / x_.back(1), y.back(0) / x_.back(0)};
    if (y.back(2) * block[0] * block[1] != x_.back(2)) return false;
    return is({view_step::kind::pixel_shuffle, y, {}, {}, block}, m);
  }
  constexpr bool is(const view_step& s, const index_map& m) {
    index_map made(x_);
    if (s.factor == pair{1, 1} || !s.apply(made) || !(made == m)) return false;
    add(s);
    return true;
  }

  // All else.

  constexpr bool moves(const index_map& m) {
    const extents& y = m.shape();
    digits once;
    for (const digit& d : m.in_digits())
      if (d.step != 0) once.push_back(d);
    if (once.size() == m.in_digits().size()) return take(m);
    extents from, to;  // of the expand
    if (!repeated(m, from, to)) return false;
    if (x_.rank < from.rank && ones_before(from) >= from.rank - x_.rank && x_ == from.from(from.rank - x_.rank))
      from = x_;
    if (!take({once, m.first(), from})) return false;
    add({view_step::kind::expand, to});
    reshape(y);
    return true;
  }
  /// The shapes before and behind an expand that repeats what m does: its own axes where each is repeated or is not.
  static constexpr bool repeated(const index_map& m, extents& from, extents& to) {
    const extents& y = m.shape();
    const digits d = m.cut_by(y);
    std::size_t k = 0;
    for (int axis = 0; axis < y.rank; ++axis) {
      std::int64_t left = y[axis];
      bool was_repeated = false;
      for (bool begins = true; begins || left > 1; begins = false) {
        const digit next = y[axis] == 1 || k == d.size() ? digit{1, 1} : d[k++];
        if (left % next.count != 0 || (y[axis] > 1 && next.count == 1)) return false;
        left /= next.count;
        const bool repeats = next.step == 0;
        if (!begins && repeats == was_repeated) {
          to.back(0) *= static_cast<int>(next.count);
          if (!repeats) from.back(0) = to.back(0);
          continue;
        }
        if (to.rank == max_rank) return false;
        to.push_back(static_cast<int>(next.count));
        from.push_back(repeats ? 1 : static_cast<int>(next.count));
        was_repeated = repeats;
      }
    }
    return true;
  }

  /// Of digits without repetition: a slice of what is not needed, then the rest in another order.
  constexpr bool take(const index_map& m) {
    digits d = m.in_digits(), sorted;
    while (sorted.size() < d.size()) {
      const digit* outermost = nullptr;
      for (const digit& other : d) {
        const bool smaller = sorted.empty() || apart(other) < apart(sorted[sorted.size() - 1]);
        if (smaller && (!outermost || apart(other) > apart(*outermost))) outermost = &other;
      }
      if (!outermost) return false;
      sorted.push_back(*outermost);
    }
    if (!is_whole(m) && !cut(sorted, m.first())) return false;
    // The steps of what is left.
    for (digit& of : d) {
      std::int64_t step = 1;
      for (const digit& inner : sorted)
        if (apart(inner) < apart(of)) step *= inner.count;
      of.step = step;
    }
    turn({d, 0, m.shape()});
    return true;
  }
  /// A slice for these digits, from the outermost in memory.
  constexpr bool cut(const digits& wanted, std::int64_t first) {
    extents axes, made;
    op::slice::walks taken{};
    const auto take = [&](std::int64_t size, std::int64_t unit, std::int64_t count, std::int64_t step) {
      const std::int64_t begin = first / unit % size, end = begin + (count - 1) * step;
      if (axes.rank == max_rank || end < 0 || end >= size) return false;
      taken[static_cast<std::size_t>(axes.rank)] = {static_cast<int>(begin), static_cast<int>(count),
                                                    count == 1 ? 1 : static_cast<int>(step)};
      axes.push_back(static_cast<int>(size));
      made.push_back(static_cast<int>(count));
      return true;
    };
    digits left = wanted;
    std::size_t k = 0;
    for (int axis = 0; axis < x_.rank; ++axis) {
      const std::int64_t unit = x_.count(axis + 1, x_.rank);
      std::int64_t end = unit * x_[axis];
      bool any = false;
      for (; k < left.size(); ++k) {
        digit& d = left[k];
        if (apart(d) * (d.count - 1) < unit) break;  // of axes further in
        std::int64_t inner = 1;                      // of the digit, on axes further in
        if (apart(d) < unit) {
          if (unit % apart(d) != 0) return false;
          inner = unit / apart(d);
          if (d.count % inner != 0) return false;
        }
        const std::int64_t count = d.count / inner, step = d.step * inner;
        const bool last = inner > 1 || k + 1 == left.size() || apart(left[k + 1]) * (left[k + 1].count - 1) < unit;
        const std::int64_t own = last ? unit : apart(d);
        if (end % own != 0 || step % own != 0) return false;
        if (!take(end / own, own, count, step / own)) return false;
        end = own;
        any = true;
        if (inner > 1) {
          d = {inner, d.step};
          break;
        }
      }
      if (!any && !take(x_[axis], unit, 1, 1)) return false;
    }
    if (k != left.size()) return false;
    reshape(axes);
    add({view_step::kind::slice, made, {}, taken});
    return true;
  }

  /// The elements there are, in the order of m, which has each of them once.
  constexpr void turn(const index_map& m) {
    const extents& y = m.shape();
    if (m.in_digits().size() < 2) return reshape(y);
    extents order, left;
    const bool by_axes = axes_of(m, order);
    if (by_axes && fits(now_, order, y, left)) return permute(left);
    if (by_axes) {
      permute(left);
      return reshape(y);
    }
    digits d = by_source(m.cut_by(y));
    if (d.size() + 1 > max_rank) d = m.in_digits();
    extents cut, turned;
    order = {};
    for (const digit& of : d) {  // in memory's order
      int before = 0;
      for (const digit& other : d) before += other.step > of.step;
      order.push_back(before);
      turned.push_back(static_cast<int>(of.count));
    }
    cut = turned;
    for (int i = 0; i < order.rank; ++i) cut[order[i]] = turned[i];
    extents padded;  // with ones in front as both have them, and behind as y has them if it is y then
    const int front = ones_before(now_) < ones_before(y) ? ones_before(now_) : ones_before(y);
    extents of_y;
    for (int i = 0; i < y.rank; ++i)
      if (y[i] != 1) of_y.push_back(y[i]);
    const int ones = of_y == turned ? y.rank - of_y.rank : front > 0 ? 1 : 0;
    for (int i = 0; i < ones; ++i) padded.push_back(1);
    padded.append(cut);
    for (int i = 0; i < order.rank; ++i) order[i] += ones;
    reshape(padded);
    fits(padded, order, y, left);
    permute(left);
    reshape(y);
  }
  /// The axes of what there is, but ones, in the order of m. False: a digit of m is only a part of one.
  constexpr bool axes_of(const index_map& m, extents& order) const {
    for (const digit& d : m.in_digits()) {
      std::int64_t counted = 1;
      for (int axis = 0; axis < now_.rank; ++axis) {
        const std::int64_t unit = now_.count(axis + 1, now_.rank);
        if (now_[axis] == 1 || unit < d.step || unit >= d.step * d.count) continue;
        counted *= now_[axis];
        order.push_back(axis);
      }
      if (counted != d.count) return false;
    }
    return true;
  }
  /// `all` is the order of all axes of x, if `order` is that of those longer than one: as y has its ones, if that
  /// makes y of x, else those in front first and the others last.
  static constexpr bool fits(const extents& x, const extents& order, const extents& y, extents& all) {
    extents ones;
    for (int axis = 0; axis < x.rank; ++axis)
      if (x[axis] == 1) ones.push_back(axis);
    int one = 0, next = 0;
    all = {};
    bool same = x.rank == y.rank;
    for (int i = 0; i < y.rank && same; ++i) {
      const bool is_one = y[i] == 1;
      same = is_one ? one < ones.rank : next < order.rank && x[order[next]] == y[i];
      if (same) all.push_back(is_one ? ones[one++] : order[next++]);
    }
    if (same) return true;
    all = {};
    const int front = ones_before(x);
    for (int i = 0; i < front; ++i) all.push_back(i);
    all.append(order);
    for (int i = front; i < ones.rank; ++i) all.push_back(ones[i]);
    return false;
  }
  /// Digits cut where axes of what there is end, as far as they can be.
  constexpr digits by_source(const digits& of) const {
    digits d;
    for (digit rest : of) {
      for (int axis = 0; axis + 1 < now_.rank; ++axis) {
        const std::int64_t unit = now_.count(axis + 1, now_.rank);
        if (unit <= rest.step || unit >= rest.step * rest.count || unit % rest.step != 0) continue;
        const std::int64_t inner = unit / rest.step;
        if (rest.count % inner != 0 || d.size() + 2 > d.capacity()) continue;
        d.push_back({rest.count / inner, unit});
        rest = {inner, rest.step};
      }
      d.push_back(rest);
    }
    return d;
  }

  extents x_, now_;
  view_steps steps_;
};

}  // namespace ctnn::ir
