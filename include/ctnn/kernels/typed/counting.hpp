// SPDX-License-Identifier: BSL-1.0
// Operators whose output's size follows from the numbers. The graph's shapes are fixed, so a reader counts first, with
// the numbers it has (count_*), and writes the count into the operator; the kernels check it.
#pragma once

#include <numeric>

#include "../../graph/operators/indexing.hpp"
#include "elementwise.hpp"

namespace ctnn::ir::typed {

/// Calls f(position) for each element that is not 0.
template <class F>
void for_each_nonzero(const const_tensor& x, F f) {
  in_floats({{&x, 1}, {}, {}}, [&](const arguments& b) {
    visit_element(op::nonzero::name, b.in[0].type, [&]<class T>(tag<T>) {
      for (std::int64_t i = 0; i < x.shape.count(); ++i)
        if (elements<T>(b.in[0])[i] != 0) f(i);
    });
  });
}
/// For nonzero, and for compress with its condition.
inline std::int64_t count_nonzero(const const_tensor& x) {
  std::int64_t n = 0;
  for_each_nonzero(x, [&](std::int64_t) { ++n; });
  return n;
}
inline scratch_list<std::int64_t> nonzero_positions(const const_tensor& x, scratch_memory& memory) {
  auto found = memory.list<std::int64_t>(x.shape.count());
  for_each_nonzero(x, [&](std::int64_t i) { found.push_back(i); });
  return found;
}

inline void require_count(std::string_view op, std::size_t found, int planned) {
  if (static_cast<std::int64_t>(found) != planned)
    refuse_at_run_time(op, "the numbers give % results, planned were %", static_cast<std::int64_t>(found), planned);
}

inline void run(const op::nonzero& p, const arguments& a, scratch_memory memory) {
  const auto found = nonzero_positions(a.in[0], memory);
  require_count(p.name, found.size(), p.count);
  auto* y = elements<std::int64_t>(a.out[0]);
  const extents& x = a.in[0].shape;
  if (x.rank == 0) std::fill(y, y + found.size(), 0);
  for (int d = 0; d < x.rank; ++d)
    for (std::int64_t i : found) *y++ = i / x.count(d + 1, x.rank) % x[d];
}

inline void run(const op::compress& p, const arguments& a, scratch_memory memory) {
  const around x =
      p.flatten ? around(extents{static_cast<int>(a.in[0].shape.count())}, 0) : around(a.in[0].shape, p.axis);
  auto found = nonzero_positions(a.in[1], memory);
  while (!found.empty() && found.back() >= x.size) found.pop_back();
  require_count(p.name, found.size(), p.count);
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    for (std::int64_t o = 0; o < x.outer; ++o)
      for (std::int64_t i : found) y = std::copy_n(elements<T>(a.in[0]) + (o * x.size + i) * x.inner, x.inner, y);
  });
}

/// For each slice of x along an axis the first equal one, and the firsts in the order of the output.
struct distinct {
  scratch_list<std::int64_t> first;  ///< of each distinct slice
  std::span<std::int64_t> number;    ///< of the distinct slice that each slice is
  scratch_list<std::int64_t> times;
};
inline distinct find_distinct(const op::unique& p, const const_tensor& x, scratch_memory& memory) {
  const around s = p.flatten ? around(extents{static_cast<int>(x.shape.count())}, 0) : around(x.shape, p.axis);
  distinct d{memory.list<std::int64_t>(s.size), memory.take<std::int64_t>(s.size), memory.list<std::int64_t>(s.size)};
  const std::span<std::int64_t> sorted = memory.take<std::int64_t>(s.size);
  in_floats({{&x, 1}, {}, {}}, [&](const arguments& b) {
    visit_element(p.name, b.in[0].type, [&]<class T>(tag<T>) {
      const T* v = elements<T>(b.in[0]);
      const auto order = [&](std::int64_t i, std::int64_t j) {  // -1, 0, 1
        for (std::int64_t o = 0; o < s.outer; ++o)
          for (std::int64_t r = 0; r < s.inner; ++r) {
            const T l = v[(o * s.size + i) * s.inner + r], q = v[(o * s.size + j) * s.inner + r];
            if (l < q) return -1;
            if (q < l) return 1;
            if ((l != l) != (q != q)) return l != l ? 1 : -1;  // NaNs are equal and the largest, as for numpy
          }
        return 0;
      };
      std::iota(sorted.begin(), sorted.end(), 0);
      std::sort(sorted.begin(), sorted.end(), [&](std::int64_t i, std::int64_t j) {
        const int o = order(i, j);
        return o < 0 || (o == 0 && i < j);
      });
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        if (k == 0 || order(sorted[k - 1], sorted[k]) != 0) {
          d.first.push_back(sorted[k]);
          d.times.push_back(0);
        }
        ++d.times.back();
        d.number[static_cast<std::size_t>(sorted[k])] = static_cast<std::int64_t>(d.first.size()) - 1;
      }
    });
  });
  if (p.sorted) return d;
  // In the order of their first occurrence: what was number n is number rank[n].
  const auto count = static_cast<std::int64_t>(d.first.size());
  distinct out{memory.list<std::int64_t>(count), d.number, memory.list<std::int64_t>(count)};
  const std::span<std::int64_t> rank = memory.take<std::int64_t>(count), by_first = sorted.first(d.first.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::sort(by_first.begin(), by_first.end(),
            [&](std::int64_t i, std::int64_t j) { return d.first[at(i)] < d.first[at(j)]; });
  for (std::size_t k = 0; k < by_first.size(); ++k) {
    out.first.push_back(d.first[at(by_first[k])]);
    out.times.push_back(d.times[at(by_first[k])]);
    rank[at(by_first[k])] = static_cast<std::int64_t>(k);
  }
  for (std::int64_t& n : out.number) n = rank[at(n)];
  return out;
}
inline std::int64_t count_unique(const op::unique& p, const const_tensor& x, scratch_memory memory) {
  return static_cast<std::int64_t>(find_distinct(p, x, memory).first.size());
}

inline void run(const op::unique& p, const arguments& a, scratch_memory memory) {
  const distinct d = find_distinct(p, a.in[0], memory);
  require_count(p.name, d.first.size(), p.count);
  const around s =
      p.flatten ? around(extents{static_cast<int>(a.in[0].shape.count())}, 0) : around(a.in[0].shape, p.axis);
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t i : d.first) y = std::copy_n(elements<T>(a.in[0]) + (o * s.size + i) * s.inner, s.inner, y);
  });
  std::copy(d.first.begin(), d.first.end(), elements<std::int64_t>(a.out[1]));
  std::copy(d.number.begin(), d.number.end(), elements<std::int64_t>(a.out[2]));
  std::copy(d.times.begin(), d.times.end(), elements<std::int64_t>(a.out[3]));
}

/// Greedy suppression by overlap, class by class: select(batch, class, box).
template <class F>
void select_boxes(const op::non_max_suppression& p, const const_tensor& boxes, const const_tensor& scores,
                  scratch_memory memory, F select) {
  const const_tensor both[] = {boxes, scores};
  for_floating(p.name, {both, {}, {}}, [&]<class T>(const arguments& a, tag<T>) {
    const int batches = boxes.shape[0], count = boxes.shape[1], classes = scores.shape[1];
    auto order = memory.list<int>(count), kept = memory.list<int>(count);
    for (int n = 0; n < batches; ++n) {
      const T* box = elements<T>(a.in[0]) + std::int64_t{n} * count * 4;
      const auto corner = [&](int b, int axis, bool high) {  // axis 0 is y
        const T* v = box + std::int64_t{b} * 4;
        if (p.center) return v[1 - axis] + (high ? v[3 - axis] : -v[3 - axis]) / 2;
        return high ? std::max(v[axis], v[axis + 2]) : std::min(v[axis], v[axis + 2]);
      };
      const auto overlaps = [&](int b, int c) {
        T shared = 1, own = 1, other = 1;
        for (int axis = 0; axis < 2; ++axis) {
          const T low = std::max(corner(b, axis, false), corner(c, axis, false)),
                  high = std::min(corner(b, axis, true), corner(c, axis, true));
          shared *= std::max(high - low, T{0});
          own *= corner(b, axis, true) - corner(b, axis, false);
          other *= corner(c, axis, true) - corner(c, axis, false);
        }
        const T all = own + other - shared;
        return own > 0 && other > 0 && all > 0 && shared / all > static_cast<T>(p.iou);
      };
      for (int k = 0; k < classes; ++k) {
        const T* score = elements<T>(a.in[1]) + (std::int64_t{n} * classes + k) * count;
        order.clear();
        kept.clear();
        for (int i = 0; i < count; ++i)
          if (!p.has_score || score[i] > static_cast<T>(p.score)) order.push_back(i);
        // NaN is the worst score; of equal ones the first is better.
        const auto above = [](T l, T q) { return l > q || (l == l && q != q); };
        std::sort(order.begin(), order.end(),
                  [&](int i, int j) { return above(score[i], score[j]) || (!above(score[j], score[i]) && i < j); });
        for (int i : order) {
          if (static_cast<int>(kept.size()) >= p.most) break;
          if (std::none_of(kept.begin(), kept.end(), [&](int j) { return overlaps(i, j); })) kept.push_back(i);
        }
        for (int i : kept) select(n, k, i);
      }
    }
  });
}
inline std::int64_t count_boxes(const op::non_max_suppression& p, const const_tensor& boxes, const const_tensor& scores,
                                scratch_memory memory) {
  std::int64_t n = 0;
  select_boxes(p, boxes, scores, memory, [&](int, int, int) { ++n; });
  return n;
}

inline void run(const op::non_max_suppression& p, const arguments& a, scratch_memory memory) {
  auto* y = elements<std::int64_t>(a.out[0]);
  std::fill(y, y + a.out[0].shape.count(), -1);
  std::size_t found = 0;
  select_boxes(p, a.in[0], a.in[1], memory, [&](int batch, int kind, int box) {
    if (++found > static_cast<std::size_t>(p.count)) return;
    for (std::int64_t v : {batch, kind, box}) *y++ = v;
  });
  if (found > static_cast<std::size_t>(p.count)) require_count(p.name, found, p.count);
}

}  // namespace ctnn::ir::typed
