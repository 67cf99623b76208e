// SPDX-License-Identifier: BSL-1.0
// Functions of two numbers with broadcasting, then an activation.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_BINARY_INL_HPP)
#define CTNN_KERNELS_BINARY_INL_HPP
#define CTNN_KERNELS_BINARY_ENABLED
#endif
#elif defined(CTNN_KERNELS_BINARY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_BINARY_INL_HPP
#undef CTNN_KERNELS_BINARY_INL_HPP
#else
#define CTNN_KERNELS_BINARY_INL_HPP
#endif
#define CTNN_KERNELS_BINARY_ENABLED
#endif

#if defined(CTNN_KERNELS_BINARY_ENABLED)
#undef CTNN_KERNELS_BINARY_ENABLED

#include "../graph/operators/elementwise.hpp"
#include "reference/elementwise.hpp"
#include "rows-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct activate_in_place {
  std::int64_t n;
  float* y;
  template <class Activation>
  CTNN_INLINE void operator()(const Activation& f) const {
    map_row(f, n, y, y);
  }
};

/// What a kernel computes at a time before the activation passes over it: stays in the first-level cache.
constexpr std::int64_t row_block = 1024;

template <class Function>
CTNN_INLINE void in_blocks(const activation_function& f, std::int64_t n, float* y, const Function& compute) {
  if (!f) {
    compute(0, n);
    return;
  }
  for (std::int64_t i = 0; i < n; i += row_block) {
    const std::int64_t part = n - i < row_block ? n - i : row_block;
    compute(i, part);
    with_activation(f, activate_in_place{part, y + i});
  }
}

}  // namespace detail

namespace detail {

template <op::binary_function Kind>
struct binary_of {
  CTNN_INLINE vec operator()(vec a, vec b) const {
    using f = op::binary_function;
    if constexpr (Kind == f::add) return add(a, b);
    else if constexpr (Kind == f::sub) return sub(a, b);
    else if constexpr (Kind == f::mul) return mul(a, b);
    else if constexpr (Kind == f::div) return div(a, b);
    else if constexpr (Kind == f::maximum) return max(a, b);
    else if constexpr (Kind == f::minimum) return min(a, b);
    else if constexpr (Kind == f::rsub) return sub(b, a);
    else if constexpr (Kind == f::rdiv) return div(b, a);
#if !CTNN_SCALAR_VEC
    else {
      alignas(64) float p[lanes], q[lanes];
      store(a, p);
      store(b, q);
      for (int i = 0; i < lanes; ++i) p[i] = ctnn::apply(Kind, p[i], q[i]);
      return load(p);
    }
#else
    else return ctnn::apply(Kind, a, b);
#endif
  }
};

/// y = f(a, b) for n contiguous numbers; with Scalar b is one number. y may be a or b.
template <class Function, bool Scalar>
CTNN_NOINLINE void combine_row(std::int64_t n, const float* a, const float* b, float* y) {
  const Function f;
  const vec all = set(Scalar ? *b : 0.0f);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const vec p = f(loadu(a + i), Scalar ? all : loadu(b + i));
    const vec q = f(loadu(a + i + lanes), Scalar ? all : loadu(b + i + lanes));
    storeu(p, y + i);
    storeu(q, y + i + lanes);
  }
  for (; i < n; i += lanes) {
    const int rest = n - i < lanes ? static_cast<int>(n - i) : lanes;
    store_bounded(f(load_bounded(a + i, rest), Scalar ? all : load_bounded(b + i, rest)), y + i, rest);
  }
}

template <bool Scalar>
CTNN_INLINE void combine(op::binary_function kind, std::int64_t n, const float* a, const float* b, float* y) {
  using f = op::binary_function;
  switch (kind) {
    case f::add: return combine_row<binary_of<f::add>, Scalar>(n, a, b, y);
    case f::sub: return combine_row<binary_of<f::sub>, Scalar>(n, a, b, y);
    case f::mul: return combine_row<binary_of<f::mul>, Scalar>(n, a, b, y);
    case f::div: return combine_row<binary_of<f::div>, Scalar>(n, a, b, y);
    case f::maximum: return combine_row<binary_of<f::maximum>, Scalar>(n, a, b, y);
    case f::minimum: return combine_row<binary_of<f::minimum>, Scalar>(n, a, b, y);
    case f::pow: return combine_row<binary_of<f::pow>, Scalar>(n, a, b, y);
    case f::rsub: return combine_row<binary_of<f::rsub>, Scalar>(n, a, b, y);
    case f::rdiv: return combine_row<binary_of<f::rdiv>, Scalar>(n, a, b, y);
    case f::rpow: return combine_row<binary_of<f::rpow>, Scalar>(n, a, b, y);
  }
}

/// The function with its operands swapped.
constexpr op::binary_function swapped(op::binary_function kind) {
  using f = op::binary_function;
  switch (kind) {
    case f::sub: return f::rsub;
    case f::rsub: return f::sub;
    case f::div: return f::rdiv;
    case f::rdiv: return f::div;
    case f::pow: return f::rpow;
    case f::rpow: return f::pow;
    default: return kind;
  }
}

/// One row of the output; da and db are 1 or 0 (one number for the whole row).
struct combine_part {
  op::binary_function kind;
  const float *a, *b;
  std::ptrdiff_t da, db;
  float* y;
  CTNN_INLINE void operator()(std::int64_t i, std::int64_t n) const {
    const float *p = a + i * da, *q = b + i * db;
    if (db == 0 && (da == 1 || n == 1)) combine<true>(kind, n, p, q, y + i);
    else if (da == 0) combine<true>(swapped(kind), n, q, p, y + i);
    else combine<false>(kind, n, p, q, y + i);
  }
};

/// Rows whose operands have other strides, which no usual network has.
CTNN_NOINLINE inline void combine_strided(const op::binary& p, std::int64_t n, const float* a, std::ptrdiff_t da,
                                          const float* b, std::ptrdiff_t db, float* y, std::ptrdiff_t dy) {
  for (std::int64_t i = 0; i < n; ++i) y[i * dy] = ctnn::apply(p.activation, ctnn::apply(p.function, a[i * da], b[i * db]));
}

CTNN_INLINE void binary_row(const op::binary& p, std::int64_t n, const float* a, std::ptrdiff_t da, const float* b,
                            std::ptrdiff_t db, float* y) {
  in_blocks(p.activation, n, y, combine_part{p.function, a, b, da, db, y});
}

/// Operands of different shapes or layouts.
CTNN_INLINE void broadcast(const op::binary& p, const arguments& g) {
  loop_nest<3> nest = broadcast_loops(g.out[0], g.in[0], g.in[1]);
  nest.require(1);
  const auto row = nest.levels[nest.depth - 1];
  float* y = g.out[0].data;
  const float *a = g.in[0].data, *b = g.in[1].data;
  const std::ptrdiff_t da = row.stride[1], db = row.stride[2];
  const bool simple = (row.stride[0] == 1 || row.extent == 1) && (da == 0 || da == 1) && (db == 0 || db == 1);
  const bool both_scalar = da == 0 && db == 0 && row.extent > 1;
  loop_cursor<3> at(nest, 1);
  do {
    const std::ptrdiff_t* o = at.offset;
    if (simple && !both_scalar) binary_row(p, row.extent, a + o[1], da, b + o[2], db, y + o[0]);
    else combine_strided(p, row.extent, a + o[1], da, b + o[2], db, y + o[0], row.stride[0]);
  } while (at.next());
}

}  // namespace detail

/// Any shapes that broadcast, any layouts; fast if the output's contiguous axis is contiguous in, or missing from, both
/// operands. y may be the first operand if that has y's shape and layout.
CTNN_INLINE void run(const op::binary& p, const arguments& g) {
  const tensor& y = g.out[0];
  const const_tensor& a = g.in[0];
  if (p.with_scalar) {
    const row_geometry r = rows_of(y, a);
    const std::ptrdiff_t da = row_stride(a), dy = row_stride(y);
    for (std::int64_t i = 0; i < r.rows; ++i) detail::binary_row(p, r.length, a.data + i * da, 1, &p.scalar, 0, y.data + i * dy);
  } else if (g.in[1].shape == a.shape && a.order == y.order && g.in[1].order == y.order) {
    const const_tensor& b = g.in[1];
    const row_geometry r = rows_of(y, a, b);
    const std::ptrdiff_t da = row_stride(a), db = row_stride(b), dy = row_stride(y);
    for (std::int64_t i = 0; i < r.rows; ++i)
      detail::binary_row(p, r.length, a.data + i * da, 1, b.data + i * db, 1, y.data + i * dy);
  } else {
    detail::broadcast(p, g);
  }
}

CTNN_END_TARGET

#endif
