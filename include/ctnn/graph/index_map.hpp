// SPDX-License-Identifier: BSL-1.0
// Where the elements of a value lie in another one that reshapes, permutes, slices, expands and tiles make it of: one
// map of indices, whatever the steps were.
#pragma once

#include <utility>

#include "../base/static_vector.hpp"
#include "graph.hpp"
#include "operators/rearranging.hpp"
#include "operators/shape.hpp"

namespace ctnn::ir {

/// The index of an element, row by row, as digits, the outermost first: digit d counts to `count` and moves the element
/// it stands for by `step` in the source. Neighbours that count on in one step are one digit, so that equal maps are
/// equal in every part. A step of 0 repeats, one below 0 walks back.
class index_map {
 public:
  struct digit {
    std::int64_t count, step;
    friend constexpr bool operator==(const digit&, const digit&) = default;
  };
  using digits = static_vector<digit, 2 * max_rank>;

  /// A value in itself. It has elements.
  constexpr explicit index_map(const extents& x) : shape_(x) {
    if (x.count() > 1) digits_.push_back({x.count(), 1});
  }

  /// The elements of a source that these digits stand for, from one on, as a value of a shape.
  constexpr index_map(const digits& d, std::int64_t first, const extents& y) : shape_(y), digits_(d), first_(first) {
    settle();
  }

  constexpr const extents& shape() const { return shape_; }
  constexpr const digits& in_digits() const { return digits_; }
  /// The place in the source of the first element.
  constexpr std::int64_t first() const { return first_; }
  friend constexpr bool operator==(const index_map&, const index_map&) = default;

  // What the steps do. False: the elements are at no regular distances any more, and the map is spoilt.

  /// As many elements as before.
  constexpr bool reshape(const extents& y) {
    shape_ = y;
    return true;
  }
  /// Axis i is axis order[i] of before.
  constexpr bool permute(const extents& order) {
    // Axes that stay neighbours are taken as one.
    extents begins, ends, moved;
    for (int i = 0; i < order.rank; ++i) {
      const int axis = order[i];
      moved.push_back(shape_[axis]);
      if (shape_[axis] == 1) continue;
      if (ends.rank > 0 && ends.back(0) <= axis && shape_.count(ends.back(0), axis) == 1) {
        ends.back(0) = axis + 1;
        continue;
      }
      begins.push_back(axis);
      ends.push_back(axis + 1);
    }
    for (int i = 0; i < begins.rank; ++i)
      if (place_of_axis(begins[i]) == none || place_of_axis(ends[i]) == none) return false;
    digits all;
    for (int i = 0; i < begins.rank; ++i)
      for (int k = place_of_axis(begins[i]); k < place_of_axis(ends[i]); ++k) all.push_back(at(k));
    digits_ = all;
    shape_ = moved;
    return settle();
  }
  constexpr bool slice(const op::slice::walks& taken) {
    for (int axis = shape_.rank - 1; axis >= 0; --axis) {
      const op::slice::walk& w = taken[static_cast<std::size_t>(axis)];
      if (w.takes_all(shape_[axis])) continue;
      if (place_of_axis(axis) == none || place_of_axis(axis + 1) == none) return false;
      if (!walk(place_of_axis(axis), place_of_axis(axis + 1), {w.first, w.count, w.step})) return false;
      shape_[axis] = w.count;
      settle();
    }
    return true;
  }
  /// Each axis as often in a row as y has it, which may have more of them in front: expand and tile.
  constexpr bool repeat(const extents& y) {
    const extents x = shape_;
    const int more = y.rank - x.rank;
    shape_ = y;
    for (int axis = y.rank - 1; axis >= 0; --axis) {
      const int size = axis < more ? 1 : x[axis - more];
      if (y[axis] == size) continue;
      const int outer = place(y.count(axis + 1, y.rank) * size);
      if (outer == none || digits_.full()) return false;
      insert(outer, {y[axis] / size, 0});
    }
    return settle();
  }

  /// The same digits, cut where an axis of y ends, as far as they can be: a value of that many elements has them.
  constexpr digits cut_by(const extents& y) const {
    index_map cut = *this;
    for (int axis = y.rank - 1; axis > 0; --axis) cut.place(y.count(axis, y.rank));
    return cut.digits_;
  }

 private:
  struct steps {
    std::int64_t first, count, step;
  };

  constexpr int place_of_axis(int axis) { return place(shape_.count(axis, shape_.rank)); }
  /// The place behind which the digits count to `inner`, where one is cut in two if need be, or none.
  constexpr int place(std::int64_t inner) {
    std::int64_t counted = 1;
    int i = static_cast<int>(digits_.size());
    while (i > 0 && counted * at(i - 1).count <= inner) counted *= at(--i).count;
    if (counted == inner) return i;
    if (i == 0 || inner % counted != 0 || digits_.full()) return none;
    const digit whole = at(i - 1);
    const std::int64_t part = inner / counted;
    if (whole.count % part != 0) return none;
    at(i - 1) = {whole.count / part, whole.step * part};
    insert(i, {part, whole.step});
    return i;
  }
  constexpr digit& at(int i) { return digits_[static_cast<std::size_t>(i)]; }
  constexpr void insert(int i, const digit& d) {
    digits_.push_back(d);
    for (int k = static_cast<int>(digits_.size()) - 1; k > i; --k) std::swap(at(k), at(k - 1));
  }
  /// Digits [begin, end), an axis, are taken as w says.
  constexpr bool walk(int begin, int end, steps w) {
    for (int i = end - 1; i > begin; --i) {
      digit& d = at(i);
      const std::int64_t n = d.count, inside = w.first % n, last = w.first + (w.count - 1) * w.step,
                         apart = w.step < 0 ? -w.step : w.step;
      first_ += inside * d.step;
      if (w.step % n == 0 || w.count == 1) {  // one index of this digit
        d.count = 1;
        w = {w.first / n, w.count, w.count == 1 ? 1 : w.step / n};
      } else if (w.first / n == last / n) {  // one round of it
        d = {w.count, w.step * d.step};
        w = {w.first / n, 1, 1};
      } else {  // all rounds alike
        const std::int64_t in_round = n / apart;
        const bool from_the_start = w.step > 0 ? inside < apart : n - 1 - inside < apart;
        if (n % apart != 0 || w.count % in_round != 0 || !from_the_start) return false;
        d = {in_round, w.step * d.step};
        w = {w.first / n, w.count / in_round, w.step > 0 ? 1 : -1};
      }
    }
    if (begin == end) return true;  // an axis of one element
    digit& d = at(begin);
    first_ += w.first * d.step;
    d = {w.count, w.step * d.step};
    return true;
  }
  constexpr bool settle() {
    digits all;
    for (const digit& d : digits_) {
      if (d.count == 1) continue;
      if (!all.empty() && all[all.size() - 1].step == d.count * d.step)
        all[all.size() - 1] = {all[all.size() - 1].count * d.count, d.step};
      else all.push_back(d);
    }
    digits_ = all;
    return true;
  }

  extents shape_;
  digits digits_;
  std::int64_t first_ = 0;
};

}  // namespace ctnn::ir
