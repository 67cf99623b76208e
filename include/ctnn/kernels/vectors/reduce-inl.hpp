// SPDX-License-Identifier: BSL-1.0
// Reductions: rows of neighbours are brought together in vectors, or where neighbours stay, vectors of them walk
// together.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_REDUCE_INL_HPP)
#define CTNN_KERNELS_REDUCE_INL_HPP
#define CTNN_KERNELS_REDUCE_ENABLED
#endif
#elif defined(CTNN_KERNELS_REDUCE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_REDUCE_INL_HPP
#undef CTNN_KERNELS_REDUCE_INL_HPP
#else
#define CTNN_KERNELS_REDUCE_INL_HPP
#endif
#define CTNN_KERNELS_REDUCE_ENABLED
#endif

#if defined(CTNN_KERNELS_REDUCE_ENABLED)
#undef CTNN_KERNELS_REDUCE_ENABLED

#include <limits>

#include "../../graph/operators/reduce.hpp"
#include "../walks/reduction_walk.hpp"
#include "../share.hpp"
#include "../simd/simd-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

// How numbers come together: `nothing` is what no numbers give, `step` adds numbers to a total, `join` two totals,
// `whole` the lanes of one. A lane that is not there holds `absent`, which changes nothing.

struct adding {
  static constexpr float nothing = 0, absent = 0;
  CTNN_INLINE static vec join(vec a, vec b) { return add(a, b); }
  CTNN_INLINE static float whole(vec a) { return sum(a); }
};
struct adding_values : adding {
  CTNN_INLINE vec step(vec total, vec x) const { return add(total, x); }
};
struct adding_magnitudes : adding {
  CTNN_INLINE vec step(vec total, vec x) const { return add(total, abs(x)); }
};
struct adding_squares : adding {
  CTNN_INLINE vec step(vec total, vec x) const { return mul_add(x, x, total); }
};
/// e^(x - top)
struct adding_exponentials : adding {
  static constexpr float absent = -std::numeric_limits<float>::infinity();
  vec top;
  CTNN_INLINE vec step(vec total, vec x) const { return add(total, exp(sub(x, top))); }
};
struct multiplying {
  static constexpr float nothing = 1, absent = 1;
  CTNN_INLINE static vec join(vec a, vec b) { return mul(a, b); }
  CTNN_INLINE static float whole(vec a) {
    alignas(64) float part[lanes];
    store(a, part);
    float product = 1;
    for (float v : part) product *= v;
    return product;
  }
  CTNN_INLINE vec step(vec total, vec x) const { return mul(total, x); }
};
struct largest {
  static constexpr float nothing = -std::numeric_limits<float>::infinity(), absent = nothing;
  CTNN_INLINE static vec join(vec a, vec b) { return max(a, b); }
  CTNN_INLINE static float whole(vec a) { return max_of(a); }
  CTNN_INLINE vec step(vec total, vec x) const { return max(total, x); }
};
struct smallest {
  static constexpr float nothing = std::numeric_limits<float>::infinity(), absent = nothing;
  CTNN_INLINE static vec join(vec a, vec b) { return min(a, b); }
  CTNN_INLINE static float whole(vec a) { return min_of(a); }
  CTNN_INLINE vec step(vec total, vec x) const { return min(total, x); }
};

/// Up to `lanes` numbers that lie `stride` apart; `absent` in the other lanes.
template <int = 0>
CTNN_INLINE vec gather(const float* x, std::ptrdiff_t stride, std::ptrdiff_t n, float absent) {
  if (stride == 1 && n >= lanes) return loadu(x);
  if (stride == 1) return load_part_or(x, static_cast<int>(n), set(absent));
  alignas(64) float part[lanes];
  for (std::ptrdiff_t i = 0; i < lanes; ++i) part[i] = i < n ? x[i * stride] : absent;
  return load(part);
}

/// Totals that do not wait for each other.
template <class How>
struct four_totals {
  vec of[4];

  CTNN_INLINE four_totals() {  // compilers would make it for another target
    CTNN_UNROLL for (int v = 0; v < 4; ++v) of[v] = set(How::nothing);
  }
  CTNN_INLINE void add_row(const float* row, std::ptrdiff_t stride, std::ptrdiff_t n, const How& how) {
    std::ptrdiff_t i = 0;
    if (lanes > 1 && stride == 1) {
      for (; i + 4 * lanes <= n; i += 4 * lanes)
        CTNN_UNROLL for (int v = 0; v < 4; ++v) of[v] = how.step(of[v], loadu(row + i + v * lanes));
      CTNN_UNROLL for (int v = 1; v < 4; ++v) {
        if (i + lanes > n) break;
        of[v] = how.step(of[v], loadu(row + i));
        i += lanes;
      }
    }
    for (; i < n; i += lanes) of[0] = how.step(of[0], gather(row + i * stride, stride, n - i, how.absent));
  }
  CTNN_INLINE vec whole() const { return How::join(How::join(of[0], of[1]), How::join(of[2], of[3])); }
};

/// All numbers of the loops, of which the innermost one is taken in vectors.
template <class How>
CTNN_NOINLINE float reduce_rows(const loop_nest<1>& rows, const float* x, const How& how) {
  const auto& row = rows.levels[rows.depth - 1];
  four_totals<How> totals;
  if (rows.depth == 1) {
    totals.add_row(x, row.stride[0], row.extent, how);
  } else {
    loop_cursor<1> at(rows, 1);
    do totals.add_row(x + at.offset[0], row.stride[0], row.extent, how);
    while (at.next());
  }
  return How::whole(totals.whole());
}

/// One number of each of up to `lanes` neighbours.
template <class How>
CTNN_NOINLINE vec reduce_columns(const loop_nest<1>& loops, const float* x, std::ptrdiff_t stride, std::ptrdiff_t n,
                                 const How& how) {
  constexpr int count = lanes > 1 ? 4 : 1;
  const auto cells = loops.levels[loops.depth - 1].extent, step = loops.levels[loops.depth - 1].stride[0];
  four_totals<How> totals;
  loop_cursor<1> at(loops, 1);
  do {
    const float* row = x + at.offset[0];
    std::ptrdiff_t i = 0;
    for (; i + count <= cells; i += count)
      CTNN_UNROLL for (int v = 0; v < count; ++v)
        totals.of[v] = how.step(totals.of[v], gather(row + (i + v) * step, stride, n, how.absent));
    for (; i < cells; ++i) totals.of[0] = how.step(totals.of[0], gather(row + i * step, stride, n, how.absent));
  } while (at.next());
  return totals.whole();
}

/// The same of 4 * lanes neighbours that lie side by side.
template <class How>
CTNN_NOINLINE void reduce_wide_columns(const loop_nest<1>& loops, const float* x, const How& how, float* totals) {
  const auto cells = loops.levels[loops.depth - 1].extent, step = loops.levels[loops.depth - 1].stride[0];
  vec total[4] = {set(How::nothing), set(How::nothing), set(How::nothing), set(How::nothing)};
  loop_cursor<1> at(loops, 1);
  do {
    const float* cell = x + at.offset[0];
    for (std::ptrdiff_t i = 0; i < cells; ++i, cell += step)
      CTNN_UNROLL for (int v = 0; v < 4; ++v) total[v] = how.step(total[v], loadu(cell + v * lanes));
  } while (at.next());
  CTNN_UNROLL for (int v = 0; v < 4; ++v) store(total[v], totals + v * lanes);
}

CTNN_INLINE float finish_reduction(op::reduction f, float total, float inverse) {
  if (f == op::reduction::mean) return total * inverse;
  if (f == op::reduction::l2) return root_of(total);
  if (f == op::reduction::log_sum) return math::log(total);
  return total;
}

/// Where e^x is summed relative to the largest x: infinities stand for themselves.
constexpr float finish_exponentials(float top, float total) {
  return math::abs(top) < std::numeric_limits<float>::infinity() ? top + math::log(total) : top;
}

struct reduction_task {
  op::reduction function;
  reduction_walk walk;
  const float* x;
  float* y;
  float inverse;  ///< 1 / how many come together
};

/// All numbers of each row of neighbours, of which there may be few.
template <class How>
CTNN_NOINLINE void reduce_each_row(const reduction_task& t, const How& how) {
  const std::ptrdiff_t n = t.walk.reduced.levels[0].extent;
  const auto& rows = t.walk.kept.levels[t.walk.kept.depth - 1];
  loop_cursor<2> at(t.walk.kept, 1);
  do {
    const float* x = t.x + at.offset[1];
    float* y = t.y + at.offset[0];
    for (std::ptrdiff_t r = 0; r < rows.extent; ++r, x += rows.stride[1], y += rows.stride[0]) {
      four_totals<How> totals;
      totals.add_row(x, 1, n, how);
      *y = finish_reduction(t.function, How::whole(totals.whole()), t.inverse);
    }
  } while (at.next());
}

template <class How>
CTNN_NOINLINE void reduce_each(const reduction_task& t, const How& how) {
  const bool exponentials = t.function == op::reduction::log_sum_exp;
  const int inside = t.walk.kept_inside ? 1 : 0;
  if (lanes > 1 && inside == 0 && !exponentials && t.walk.reduced.depth == 1 && t.walk.reduced.levels[0].stride[0] == 1)
    return reduce_each_row(t, how);
  loop_cursor<2> at(t.walk.kept, inside);
  do {
    const float* x = t.x + at.offset[1];
    float* y = t.y + at.offset[0];
    if (inside == 0) {
      const float total = reduce_rows(t.walk.reduced, x, how);
      *y = exponentials
               ? finish_exponentials(total, reduce_rows(t.walk.reduced, x, adding_exponentials{{}, set(total)}))
               : finish_reduction(t.function, total, t.inverse);
      continue;
    }
    const auto& columns = t.walk.kept.levels[t.walk.kept.depth - 1];
    std::ptrdiff_t j = 0;
    for (; lanes > 1 && columns.stride[1] == 1 && !exponentials && j + 4 * lanes <= columns.extent; j += 4 * lanes) {
      alignas(64) float total[4 * lanes];
      reduce_wide_columns(t.walk.reduced, x + j, how, total);
      for (std::ptrdiff_t i = 0; i < 4 * lanes; ++i)
        y[(j + i) * columns.stride[0]] = finish_reduction(t.function, total[i], t.inverse);
    }
    for (; j < columns.extent; j += lanes) {
      if (columns.extent >= lanes && j + lanes > columns.extent) j = columns.extent - lanes;  // some of them once more
      const std::ptrdiff_t n = columns.extent - j < lanes ? columns.extent - j : lanes;
      const float* first = x + j * columns.stride[1];
      alignas(64) float total[lanes], sums[lanes];
      const vec v = reduce_columns(t.walk.reduced, first, columns.stride[1], n, how);
      store(v, total);
      if (exponentials)
        store(reduce_columns(t.walk.reduced, first, columns.stride[1], n, adding_exponentials{{}, v}), sums);
      for (std::ptrdiff_t i = 0; i < n; ++i)
        y[(j + i) * columns.stride[0]] =
            exponentials ? finish_exponentials(total[i], sums[i]) : finish_reduction(t.function, total[i], t.inverse);
    }
  } while (at.next());
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::reduce& p, const arguments& a) {
  using enum op::reduction;
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const std::int64_t results = y.shape.count(), n = results == 0 ? 0 : x.shape.count() / results;
  if (results == 0) return;
  detail::reduction_task t{p.function, {y, x, p.reduced(x.shape)}, x.data, y.data, 1 / static_cast<float>(n)};
  if (n == 0) {
    const float nothing = p.function == prod                               ? detail::multiplying::nothing
                          : p.function == min                              ? detail::smallest::nothing
                          : p.function == max || p.function == log_sum_exp ? detail::largest::nothing
                                                                           : detail::adding::nothing;
    if (a.share.index > 0) return;
    loop_cursor<2> at(t.walk.kept, 0);
    do y.data[at.offset[0]] = detail::finish_reduction(p.function, nothing, t.inverse);
    while (at.next());
    return;
  }
  t.walk.kept.require(1);
  t.walk.reduced.require(1);
  std::ptrdiff_t begin[2]{};
  if (a.share.count > 1 && !take_share(t.walk.kept, a.share, begin)) return;
  t.y += begin[0];
  t.x += begin[1];
  switch (p.function) {
    case sum: case mean: case log_sum: return detail::reduce_each(t, detail::adding_values{});
    case l1: return detail::reduce_each(t, detail::adding_magnitudes{});
    case l2: case sum_square: return detail::reduce_each(t, detail::adding_squares{});
    case prod: return detail::reduce_each(t, detail::multiplying{});
    case min: return detail::reduce_each(t, detail::smallest{});
    case max: case log_sum_exp: return detail::reduce_each(t, detail::largest{});
  }
}

CTNN_END_TARGET

#endif
