// SPDX-License-Identifier: BSL-1.0
// Products of one row by few columns, as networks for sound have them that take sample by sample: in a declared network
// all is known but the numbers, and calls, tables and loops would take most of the time. The bits are those of
// run_tile(). And copies of few numbers, which these networks keep for the next sample.

#if defined(CTNN_KERNELS_FEW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_FEW_INL_HPP
#undef CTNN_KERNELS_FEW_INL_HPP
#else
#define CTNN_KERNELS_FEW_INL_HPP
#endif

#include "../walks/movement_walk.hpp"
#include "conv2d-inl.hpp"
#include "linear-inl.hpp"

CTNN_BEGIN_TARGET

/// One row: `runs` of `length` neighbours, `step` apart, by `columns` of packed weights. No runs: it is another
/// product.
struct few_products {
  int runs = 0, length = 0, step = 0, columns = 0;

  static constexpr int most_inputs = 64;
  static constexpr bool takes(int inputs, int columns, const activation_function& f, bool residual_last) {
    return lanes > 1 && inputs > 0 && inputs <= most_inputs && columns <= channel_block && f.kind != function::prelu &&
           !residual_last;
  }
};

constexpr few_products few_products_of(const op::linear& p, const arguments& a) {
  const int depth = static_cast<int>(p.depth(a.in[0].shape));
  if (rows_of(p, a.in[0].shape) != 1 || p.weight.is_packed() ||
      !few_products::takes(depth, p.out, p.activation, p.residual_last))
    return {};
  return {1, depth, 0, p.out};
}
/// A window at one place, of one row, that lies inside the input.
constexpr few_products few_products_of(const op::conv2d& p, const arguments& a) {
  const window c = window_of(p, a);
  const extents& x = a.in[0].shape;
  const bool one = a.out[0].shape.count() == p.out && p.groups == 1 && c.chan == 1 && c.kernel_h == 1;
  const bool inside = c.pad_top == 0 && c.pad_left == 0 && c.last_y >= 0 && c.last_x >= 0;
  const int inputs = c.kernel_w * c.channels;
  if (!one || !inside || is_depthwise(p, x.back(2)) ||
      !few_products::takes(inputs, p.out, p.activation, p.residual_last))
    return {};
  if (c.dilation_w == 1 && c.col == c.channels) return {1, inputs, 0, p.out};
  return {c.kernel_w, c.channels, static_cast<int>(c.dilation_w * c.col), p.out};
}
constexpr few_products few_products_of(const op::conv1d& p, const arguments& a) {
  const image_arguments image(a);
  return few_products_of(as_image(p), image.all);
}

namespace detail {

/// The first N lanes. A store through a mask is dear where the numbers are read again at once: halves need none.
#if CTNN_SCALAR_VEC
template <int N>
CTNN_INLINE void store_first(vec x, float* p) {
  *p = x;
}
#else
template <int N, class Tag>
CTNN_INLINE void store_first_of(Tag d, hn::Vec<Tag> x, float* p) {
  constexpr int all = static_cast<int>(hn::MaxLanes(Tag()));
  if constexpr (N == all) hn::StoreU(x, d, p);
  else if constexpr (N == 1) *p = hn::GetLane(x);
  else if constexpr (2 * N <= all) store_first_of<N>(hn::Half<Tag>(), hn::LowerHalf(x), p);
  else hn::BlendedStore(x, hn::FirstN(d, N), d, p);
}
template <int N>
CTNN_INLINE void store_first(vec x, float* p) {
#if HWY_TARGET == HWY_AVX2
  store_part(x, p, N);  // by halves, whatever N is
#else
  store_first_of<N>(tag(), x, p);
#endif
}
#endif

/// The sums, to which a function is applied.
template <few_products F>
struct few_sums {
  const float *in, *weights, *bias, *start;
  float* out;

  template <class Activation>
  CTNN_INLINE void operator()(const Activation& f) const {
    constexpr int vectors = (F.columns + lanes - 1) / lanes;
    vec sum[1][vectors], other[vectors];
    begin_tile<1, vectors>(sum, bias, start, 0, 1, F.columns);
    CTNN_UNROLL for (int v = 0; v < vectors; ++v) other[v] = zero();
    const float* w = weights;
    CTNN_UNROLL for (int r = 0; r < F.runs; ++r) CTNN_UNROLL for (int k = 0; k < F.length; ++k) {
      const vec x = set(in[r * F.step + k]);
      CTNN_UNROLL for (int v = 0; v < vectors; ++v) {
        vec& to = k % 2 == 0 && k + 1 < F.length ? other[v] : sum[0][v];
        to = mul_add(x, loadu(w + v * lanes), to);
      }
      w += channel_block;
    }
    CTNN_UNROLL for (int v = 0; v < vectors; ++v) sum[0][v] = f(add(sum[0][v], other[v]));
    CTNN_UNROLL for (int v = 0; v + 1 < vectors; ++v) storeu(sum[0][v], out + v * lanes);
    store_first<F.columns - (vectors - 1) * lanes>(sum[0][vectors - 1], out + (vectors - 1) * lanes);
  }
};

}  // namespace detail

/// A copy of so many neighbours, from or to the place `begin` of a larger tensor; none: they do not lie side by side in
/// both, or are many.
struct few_neighbours {
  int count = 0;
  std::ptrdiff_t begin = 0;

  constexpr few_neighbours() = default;
  constexpr few_neighbours(const loop_nest<2>& nest, std::ptrdiff_t at) : begin(at) {
    const auto& row = nest.levels[0];
    const bool together = nest.depth == 0 || (nest.depth == 1 && row.stride[0] == 1 && row.stride[1] == 1);
    if (lanes > 1 && together && row.extent <= 4 * lanes) count = static_cast<int>(row.extent);
  }
};
constexpr few_neighbours few_neighbours_of(const op::slice& p, const tensor& y, const const_tensor& x) {
  std::ptrdiff_t begin = 0;
  const loop_nest<2> nest = slice_loops(p, y, x, begin);
  return {nest, begin};
}
/// Of an input in front of which `before` others stand along the axis.
constexpr few_neighbours few_neighbours_of(const op::concat& p, const tensor& y, const const_tensor& x, int before) {
  return {copy_loops(x.shape, y, x), before * stride_of(y, normal_axis(p.axis, y.shape.rank))};
}
/// Nothing to do in place.
template <int Count>
CTNN_INLINE void copy_few(float* y, const float* x) {
  if (y == x) return;
  constexpr int whole = Count / lanes * lanes, rest = Count - whole;
  CTNN_UNROLL for (int i = 0; i < whole; i += lanes) storeu(loadu(x + i), y + i);
  if constexpr (rest > 0) detail::store_first<rest>(load_part(x + whole, rest), y + whole);
}

template <few_products F, class Op>
CTNN_INLINE void multiply_few(const Op& p, const arguments& a) {
  if (a.share.index > 0) return;
  with_activation(p.activation, detail::few_sums<F>{a.in[0].data, a.weights[0], p.bias ? a.weights[1] : nullptr,
                                                    a.in.size() == 2 ? a.in[1].data : nullptr, a.out[0].data});
}

CTNN_END_TARGET

#endif
