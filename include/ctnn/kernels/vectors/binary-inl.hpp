// SPDX-License-Identifier: BSL-1.0
// Functions of two numbers with broadcasting, then an activation. Operands are walked by strides, so a (C, 1, 1) or a
// (1, H, W) operand in nchw goes with an nhwc output and stays vectorised.

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

#include "../../graph/operators/elementwise.hpp"
#include "../reference/elementwise.hpp"
#include "../walks/loop_nest.hpp"
#include "../simd/rows-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// compute(first, count) for all of n, then the activation, block by block.
template <class Function>
CTNN_INLINE void in_blocks(const activation_function& f, std::ptrdiff_t n, float* y, const Function& compute) {
  const std::ptrdiff_t block = f ? row_block : n;
  for (std::ptrdiff_t i = 0; i < n; i += block) {
    const std::ptrdiff_t part = n - i < block ? n - i : block;
    compute(i, part);
    if (f) activate_row(f, part, y + i);
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
    else if constexpr (Kind == f::prelu) return select(less(a, zero()), mul(a, b), a);
#if !CTNN_SCALAR_VEC && HWY_NATIVE_FMA
    else if constexpr (Kind == f::pow) return pow(a, b);
    else return pow(b, a);
#elif !CTNN_SCALAR_VEC
    else {
      alignas(64) float p[lanes], q[lanes];
      store(a, p);
      store(b, q);
      for (int i = 0; i < lanes; ++i) p[i] = ctnn::ir::apply(Kind, p[i], q[i]);
      return load(p);
    }
#else
    else return ctnn::ir::apply(Kind, a, b);
#endif
  }
};

/// y = f(a, b) for n contiguous numbers; with Scalar b is one number. y may be a or b.
template <class Function, bool Scalar>
CTNN_NOINLINE void combine_row(std::ptrdiff_t n, const float* a, const float* b, float* y) {
  const Function f;
  const vec all = set(Scalar ? *b : 0.0f);
  std::ptrdiff_t i = 0;
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
CTNN_INLINE void combine(op::binary_function kind, std::ptrdiff_t n, const float* a, const float* b, float* y) {
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
    case f::prelu: return combine_row<binary_of<f::prelu>, Scalar>(n, a, b, y);
  }
}

/// The function with its operands swapped; prelu has none.
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

/// One row of the output; b is one number for the whole row if b_step is 0.
struct combine_part {
  op::binary_function kind;
  const float *a, *b;
  std::ptrdiff_t b_step;
  float* y;
  CTNN_INLINE void operator()(std::ptrdiff_t i, std::ptrdiff_t n) const {
    if (b_step == 0) combine<true>(kind, n, a + i, b, y + i);
    else combine<false>(kind, n, a + i, b + i, y + i);
  }
};

/// Rows whose operands have other strides, which no usual network has.
struct strided_row {
  std::ptrdiff_t n;
  const float* a;
  std::ptrdiff_t da;
  const float* b;
  std::ptrdiff_t db;
  float* y;
  std::ptrdiff_t dy;
};
template <op::binary_function Kind>
CTNN_NOINLINE void combine_strided_row(const strided_row& r) {
  for (std::ptrdiff_t i = 0; i < r.n; ++i) r.y[i * r.dy] = ctnn::ir::apply(Kind, r.a[i * r.da], r.b[i * r.db]);
}
template <int = 0>
CTNN_NOINLINE inline void activate_strided_row(const activation_function& f, const strided_row& r) {
  for (std::ptrdiff_t i = 0; i < r.n; ++i) r.y[i * r.dy] = ctnn::ir::apply(f, r.y[i * r.dy]);
}
template <int = 0>
CTNN_INLINE void combine_strided(op::binary_function kind, const activation_function& f, const strided_row& r) {
  using b = op::binary_function;
  switch (kind) {
    case b::add: combine_strided_row<b::add>(r); break;
    case b::sub: combine_strided_row<b::sub>(r); break;
    case b::mul: combine_strided_row<b::mul>(r); break;
    case b::div: combine_strided_row<b::div>(r); break;
    case b::maximum: combine_strided_row<b::maximum>(r); break;
    case b::minimum: combine_strided_row<b::minimum>(r); break;
    case b::pow: combine_strided_row<b::pow>(r); break;
    case b::rsub: combine_strided_row<b::rsub>(r); break;
    case b::rdiv: combine_strided_row<b::rdiv>(r); break;
    case b::rpow: combine_strided_row<b::rpow>(r); break;
    case b::prelu: combine_strided_row<b::prelu>(r); break;
  }
  if (f) activate_strided_row(f, r);
}

/// Whether x has y's shape and lies in the same way, neither with gaps.
template <int = 0>
CTNN_INLINE bool lies_like(const tensor& y, const const_tensor& x) {
  bool same = x.order == y.order && x.shape.rank == y.shape.rank;
  CTNN_UNROLL for (int i = 0; i < max_rank; ++i) same = same && (i >= y.shape.rank || x.shape[i] == y.shape[i]);
  return same && (y.order == layout::nchw || (y.pitch == y.channels() && x.pitch == y.pitch));
}

}  // namespace detail

/// Any shapes that broadcast, any layouts; fast if the output's contiguous axis is contiguous in, or missing from, the
/// operands (not from both). y may be the first operand if that has y's shape and layout.
template <int = 0>
CTNN_INLINE void run(const op::binary& p, const arguments& g) {
  const const_tensor scalar{&p.scalar.value, {}, layout::nchw, 0};
  const tensor& y = g.out[0];
  const const_tensor *a = &g.in[0], *b = p.scalar ? &scalar : &g.in[1];
  // The usual case in one row: static networks need nothing of the rest.
  if (detail::lies_like(y, *a) && (p.scalar || detail::lies_like(y, *b))) {
    const index_range part = share_of(g.share, static_cast<std::ptrdiff_t>(y.shape.count()), row_granule);
    float* to = y.data + part.begin;
    detail::in_blocks(p.activation, part.size(), to,
                      detail::combine_part{p.function, a->data + part.begin, p.scalar ? b->data : b->data + part.begin,
                                           p.scalar ? 0 : 1, to});
    return;
  }
  loop_nest<3> nest = broadcast_loops(y, *a, *b);
  nest.require(1);
  std::ptrdiff_t begin[3]{};
  if (g.share.count > 1 && !take_share(nest, g.share, begin)) return;
  const auto& row = nest.levels[nest.depth - 1];
  const bool single = row.extent == 1;
  const bool swap = row.stride[1] == 0 && !single && p.function != op::binary_function::prelu;
  const op::binary_function kind = swap ? detail::swapped(p.function) : p.function;
  if (swap) {
    const const_tensor* other = a;
    a = b;
    b = other;
  }
  const int first = swap ? 2 : 1, second = swap ? 1 : 2;
  const std::ptrdiff_t a_step = row.stride[first], b_step = single ? 0 : row.stride[second];
  const bool fast = single || (row.stride[0] == 1 && a_step == 1 && (b_step == 0 || b_step == 1));
  loop_cursor<3> at(nest, 1);
  do {
    float* to = y.data + (begin[0] + at.offset[0]);
    const float *pa = a->data + (begin[first] + at.offset[first]), *pb = b->data + (begin[second] + at.offset[second]);
    if (fast) detail::in_blocks(p.activation, row.extent, to, detail::combine_part{kind, pa, pb, b_step, to});
    else detail::combine_strided(kind, p.activation, {row.extent, pa, a_step, pb, b_step, to, row.stride[0]});
  } while (at.next());
}

CTNN_END_TARGET

#endif
