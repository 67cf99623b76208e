// SPDX-License-Identifier: BSL-1.0
// lp_normalize and mean_variance_normalize along any axes: numbers that are normalised together are rows of neighbours,
// or columns, of which vectors of neighbours are taken at once.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_STATISTICS_INL_HPP)
#define CTNN_KERNELS_STATISTICS_INL_HPP
#define CTNN_KERNELS_STATISTICS_ENABLED
#endif
#elif defined(CTNN_KERNELS_STATISTICS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_STATISTICS_INL_HPP
#undef CTNN_KERNELS_STATISTICS_INL_HPP
#else
#define CTNN_KERNELS_STATISTICS_INL_HPP
#endif
#define CTNN_KERNELS_STATISTICS_ENABLED
#endif

#if defined(CTNN_KERNELS_STATISTICS_ENABLED)
#undef CTNN_KERNELS_STATISTICS_ENABLED

#include <limits>

#include "../../graph/operators/statistics.hpp"
#include "../simd/rows-inl.hpp"
#include "reduce-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// (x - middle)^2. What is absent of a row is its middle.
struct adding_deviations : adding {
  vec middle;
  float absent;
  CTNN_INLINE explicit adding_deviations(vec mean) : middle(mean), absent(first_lane(mean)) {}
  CTNN_INLINE vec step(vec total, vec x) const {
    const vec d = sub(x, middle);
    return mul_add(d, d, total);
  }
};

/// Totals of a row, the same in each lane.
struct row_totals {
  const loop_nest<1>& numbers;
  const float* x;
  template <class How>
  CTNN_INLINE vec operator()(const How& how) const {
    return set(reduce_rows(numbers, x, how));
  }
};
/// Totals of up to `lanes` columns side by side.
struct column_totals {
  const loop_nest<1>& numbers;
  const float* x;
  int n;
  template <class How>
  CTNN_INLINE vec operator()(const How& how) const {
    return reduce_columns(numbers, x, 1, n, how);
  }
};

/// (x - middle) / divisor
struct normalizer {
  vec middle, divisor;
  CTNN_INLINE normalizer(vec m, vec d) : middle(m), divisor(d) {}
  CTNN_INLINE vec operator()(vec x) const { return div(sub(x, middle), divisor); }
};
struct norm_of {
  int p;
  float least;
  template <class Totals>
  CTNN_INLINE normalizer operator()(const Totals& total) const {
    const vec own = p == 1 ? total(adding_magnitudes{}) : sqrt(total(adding_squares{}));
    const vec norm = select(less(own, set(least)), set(least), own);
    return {zero(), select(equal(norm, zero()), set(std::numeric_limits<float>::infinity()), norm)};
  }
};
struct moments_of {
  float inverse;  ///< 1 / how many come together
  float eps;      ///< of the variance, or 0
  template <class Totals>
  CTNN_INLINE normalizer operator()(const Totals& total) const {
    const vec mean = mul(total(adding_values{}), set(inverse));
    const vec variance = mul(total(adding_deviations(mean)), set(inverse));
    return {mean, eps > 0 ? sqrt(add(variance, set(eps))) : add(sqrt(variance), set(1e-9f))};
  }
};

/// Normalises what differs in `axes` only by what `statistics` makes of its totals. y may be x.
template <class Statistics>
CTNN_NOINLINE void normalize_over(unsigned axes, const Statistics& statistics, const arguments& a) {
  if (a.in[0].shape.count() == 0) return;
  reduction_walk walk(a.out[0], a.in[0], axes);
  walk.kept.require(1);
  walk.reduced.require(1);
  std::ptrdiff_t begin[2]{};
  if (a.share.count > 1 && !take_share(walk.kept, a.share, begin)) return;
  const auto& row = walk.reduced.levels[walk.reduced.depth - 1];
  const auto& columns = walk.kept.levels[walk.kept.depth - 1];
  loop_cursor<2> at(walk.kept, walk.kept_inside ? 1 : 0);
  do {
    const float* x = a.in[0].data + begin[1] + at.offset[1];
    float* y = a.out[0].data + begin[1] + at.offset[1];
    if (!walk.kept_inside) {
      const normalizer f = statistics(row_totals{walk.reduced, x});
      loop_cursor<1> rows(walk.reduced, 1);
      do map_row(f, row.extent, x + rows.offset[0], y + rows.offset[0]);
      while (rows.next());
      continue;
    }
    for (std::ptrdiff_t j = 0; j < columns.extent; j += lanes) {
      const int n = columns.extent - j < lanes ? static_cast<int>(columns.extent - j) : lanes;
      const normalizer f = statistics(column_totals{walk.reduced, x + j, n});
      loop_cursor<1> cell(walk.reduced, 0);
      do store_bounded(f(load_bounded(x + j + cell.offset[0], n)), y + j + cell.offset[0], n);
      while (cell.next());
    }
  } while (at.next());
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::lp_normalize& p, const arguments& a) {
  detail::normalize_over(1u << normal_axis(p.axis, a.in[0].shape.rank), detail::norm_of{p.p, p.eps}, a);
}

template <int = 0>
CTNN_INLINE void run(const op::mean_variance_normalize& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const unsigned axes = axis_bits(p.axes, shape.rank);
  std::int64_t n = 1;
  for (int i = 0; i < shape.rank; ++i) n *= (axes >> i & 1u) != 0 ? shape[i] : 1;
  detail::normalize_over(axes, detail::moments_of{1 / static_cast<float>(n), p.eps}, a);
}

CTNN_END_TARGET

#endif
