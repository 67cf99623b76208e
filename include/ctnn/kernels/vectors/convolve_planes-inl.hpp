// SPDX-License-Identifier: BSL-1.0
// Convolutions with few output channels: vectors of neighbouring pixels times single weights. A vector of channels
// would leave ten of sixteen lanes empty in a stem of six. Some rows of the input are copied with their padding,
// channels apart, and columns by their remainder of the stride, so that every load is of neighbours.

#if defined(CTNN_KERNELS_CONVOLVE_PLANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CONVOLVE_PLANES_INL_HPP
#undef CTNN_KERNELS_CONVOLVE_PLANES_INL_HPP
#else
#define CTNN_KERNELS_CONVOLVE_PLANES_INL_HPP
#endif

#include "../simd/tile-inl.hpp"
#include "../simd/transpose-inl.hpp"
#include "../walks/window-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Floats of the copy, on the stack: it stays in the first cache.
constexpr int plane_floats = 8192;
/// Output channels, and taps along an axis, at most.
constexpr int most_planes = tile_set::most_planes, most_plane_taps = 32;
/// Sums that leave registers for pixels and a weight.
constexpr int plane_sums = vector_registers == 32 ? 24 : 12;

/// Vectors of pixels in a tile, where so many are left of a row: 1, 2, 4 or 8.
constexpr CTNN_INLINE int plane_vectors(int channels, int left) {
  int vectors = channels == 1 ? 8 : 4;  // eight sums keep the multipliers busy
  while (vectors > left || vectors * channels > plane_sums) vectors /= 2;
  return vectors;
}

/// How a row of pixels is cut so that what a part of it reads fits the copy.
struct plane_cut {
  int pixels;  ///< of a part: a multiple of the lanes; 0 if none fits
  int line;    ///< floats of a row of one channel whose columns have one remainder of the stride
  int plane;   ///< of all remainders

  constexpr CTNN_INLINE explicit plane_cut(const window& c) {
    const int tail = (c.kernel_w - 1) * c.dilation_w / c.stride_w + 1;
    const std::ptrdiff_t rows = std::ptrdiff_t{span_of(c.kernel_h, c.dilation_h)} * c.channels * c.stride_w;
    const auto room = static_cast<int>(plane_floats / rows) - tail;
    const int whole = (c.out_width + lanes - 1) / lanes * lanes;
    pixels = whole < room ? whole : room > 0 ? room / lanes * lanes : 0;
    line = pixels + tail;
    plane = line * c.stride_w;
  }
};

/// Fewer products than vectors of channels would take, with the copy and what it costs to put results side by side.
constexpr CTNN_INLINE bool gains_by_planes(const window& c) {
  // Sums begin with the bias only.
  if (lanes == 1 || c.residual_pitch != 0 || c.out_channels > most_planes || c.out_width < lanes / 2 ||
      c.kernel_h > most_plane_taps || c.kernel_w > most_plane_taps || c.channels > 256 || c.stride_w > 8 ||
      c.stride_h > 8 || c.dilation_h > 32 || c.dilation_w > 32 || c.kernel_h * c.kernel_w == 0)
    return false;
  const plane_cut cut(c);
  if (cut.pixels == 0) return false;
  // For a row of results, in eighths of a product.
  const std::ptrdiff_t taps = std::ptrdiff_t{8} * c.kernel_h * c.kernel_w * c.channels;
  const std::ptrdiff_t vectors = (c.out_width + lanes - 1) / lanes, width = c.out_width;
  const bool neighbours = c.col == 1 && c.stride_w == 1;
  const std::ptrdiff_t copies = width * c.stride_w * c.stride_h * c.channels * (neighbours ? 2 : 12);
  const std::ptrdiff_t writes = c.out_channels == 1 ? 0 : width * (c.out_channels > 4 ? 24 : 12);
  return 8 * (taps * c.out_channels * vectors + copies + writes) <
         7 * taps * width * ((c.out_channels + lanes - 1) / lanes);
}

struct plane_task {
  const float* weights;           ///< `channel_block` numbers for each tap and channel
  const float *bias, *slopes;     ///< may be null
  const float* const* rows;       ///< of taps, in the copy
  const std::ptrdiff_t* columns;  ///< where a row's taps begin
  std::ptrdiff_t plane;           ///< floats of the copy from channel to channel
  int kernel_h, kernel_w, channels;
  epilogue end;
};

/// C channels of V vectors of pixels, from pixel x of the copy on; activated where that is done in registers.
template <int C, int V>
CTNN_NOINLINE void sum_planes(const plane_task& t, int x, float* out) {
  vec sum[C][V];
  CTNN_UNROLL for (int c = 0; c < C; ++c) {
    const vec bias = t.bias == nullptr ? zero() : set(t.bias[c]);
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[c][v] = bias;
  }
  const float* w = t.weights;
  for (int ky = 0; ky < t.kernel_h; ++ky)
    for (int kx = 0; kx < t.kernel_w; ++kx) {
      const float* at = t.rows[ky] + t.columns[kx] + x;
      for (int left = t.channels; left > 0; --left) {
        vec pixels[V];
        CTNN_UNROLL for (int v = 0; v < V; ++v) pixels[v] = loadu(at + v * lanes);
        CTNN_UNROLL for (int c = 0; c < C; ++c) {
          const vec weight = set(w[c]);
          CTNN_UNROLL for (int v = 0; v < V; ++v) sum[c][v] = mul_add(pixels[v], weight, sum[c][v]);
        }
        at += t.plane;
        w += channel_block;
      }
    }
  activate_tile<C, V>(sum, t.end, nullptr, lanes);
  CTNN_UNROLL for (int c = 0; c < C; ++c) {
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      if (t.slopes != nullptr) sum[c][v] = with_slope(sum[c][v], set(t.slopes[c]));
      store(sum[c][v], out + (c * V + v) * lanes);
    }
  }
}

using plane_function = void (*)(const plane_task&, int, float*);

template <tile_set Tiles, int C, int V>
constexpr plane_function planes_if_any() {
  if constexpr (C * V <= plane_sums && Tiles.has_planes(C, V)) return &sum_planes<C, V>;
  else return nullptr;
}
/// For 1, 2, 4 and 8 vectors.
template <tile_set Tiles, int C>
constexpr plane_function plane_functions[] = {planes_if_any<Tiles, C, 1>(), planes_if_any<Tiles, C, 2>(),
                                              planes_if_any<Tiles, C, 4>(), planes_if_any<Tiles, C, 8>()};

#if !CTNN_SCALAR_VEC
/// The B-th four lanes of x.
template <int B, class Tag>
CTNN_INLINE hn::Vec<HWY_CAPPED(float, 4)> four_of(Tag, hn::Vec<Tag> x) {
  constexpr int fours = static_cast<int>(hn::MaxLanes(Tag())) / 4;
  if constexpr (fours == 1) {
    return x;
  } else {
    const hn::Half<Tag> half;
    if constexpr (B < fours / 2) return four_of<B>(half, hn::LowerHalf(half, x));
    else return four_of<B - fours / 2>(half, hn::UpperHalf(half, x));
  }
}
#endif

/// One image's convolution, or some of its pixels.
template <tile_set Tiles>
class plane_convolution {
 public:
  CTNN_INLINE plane_convolution(const window& c, const epilogue& end) : c_(c), cut_(c) {
    for (int k = 0; k < c.kernel_w; ++k) {
      const int x = k * c.dilation_w;
      columns_[k] = std::ptrdiff_t{x} % c.stride_w * cut_.line + x / c.stride_w;
    }
    task_ = {c.weights, c.bias, c.slopes, rows_, columns_, cut_.plane, c.kernel_h, c.kernel_w, c.channels, end};
  }

  /// The copy is a ring of as many rows as a window has.
  CTNN_INLINE void run(const pixel_box& box) {
    const int reach = span_of(c_.kernel_h, c_.dilation_h);
    for (int left = box.x; left < box.x_end; left += cut_.pixels) {
      const int pixels = box.x_end - left < cut_.pixels ? box.x_end - left : cut_.pixels;
      int copied = box.y * c_.stride_h, next = 0;  // rows of the padded image before it; where it goes
      for (int row = box.y, first = 0; row < box.y_end; ++row, first = wrapped(first + c_.stride_h, reach)) {
        const int top = row * c_.stride_h;
        if (copied < top) copied = top, next = first;
        for (; copied < top + reach; ++copied, next = wrapped(next + 1, reach))
          copy_row(copied - c_.pad_top, left * c_.stride_w - c_.pad_left, place_of_row(next));
        for (int k = 0; k < c_.kernel_h; ++k) rows_[k] = place_of_row(wrapped(first + k * c_.dilation_h, reach));
        sum_row(c_.out + row * c_.out_row + left * c_.out_pitch, pixels);
      }
    }
  }

 private:
  static CTNN_INLINE int wrapped(int place, int places) {
    while (place >= places) place -= places;
    return place;
  }
  CTNN_INLINE float* place_of_row(int place) { return copy_ + std::ptrdiff_t{place} * c_.channels * cut_.plane; }

  /// Row y of the input from column x on, zeros outside.
  CTNN_INLINE void copy_row(int y, int x, float* to) const {
    const int stride = c_.stride_w, line = cut_.line;
    const bool inside = y >= 0 && y < c_.height;
    for (int channel = 0; channel < c_.channels; ++channel)
      for (int first = x; first < x + stride; ++first, to += line) {
        const float* from = c_.in + y * c_.row + channel * c_.chan;
        // Columns first + k stride for k in [begin, end) are inside.
        const int before = first < 0 ? (stride - 1 - first) / stride : 0;
        const int up_to = first < c_.width ? (c_.width - first + stride - 1) / stride : 0;
        const int end = !inside ? 0 : up_to < line ? up_to : line, begin = before < end ? before : end;
        for (int k = 0; k < begin; ++k) to[k] = 0;
        if (stride == 1 && c_.col == 1) {
          from += first;
          int k = begin;
          for (; k + lanes <= end; k += lanes) storeu(loadu(from + k), to + k);
          for (; k < end; ++k) to[k] = from[k];
        } else {
          for (int k = begin; k < end; ++k) to[k] = from[(first + k * stride) * c_.col];
        }
        for (int k = end; k < line; ++k) to[k] = 0;
      }
  }

  CTNN_INLINE void sum_row(float* to, int pixels) {
    switch (c_.out_channels) {
      case 1: return sum_row<1>(to, pixels);
      case 2: return sum_row<2>(to, pixels);
      case 3: return sum_row<3>(to, pixels);
      case 4: return sum_row<4>(to, pixels);
      case 5: return sum_row<5>(to, pixels);
      case 6: return sum_row<6>(to, pixels);
      case 7: return sum_row<7>(to, pixels);
      default: return sum_row<8>(to, pixels);
    }
  }
  template <int C>
  CTNN_INLINE void sum_row(float* to, int pixels) {
    if constexpr (Tiles.has_planes(C)) {
      alignas(64) float sums[plane_sums * lanes];
      for (int x = 0; x < pixels;) {
        const int vectors = plane_vectors(C, (pixels - x + lanes - 1) / lanes);
        plane_functions<Tiles, C>[vectors == 8 ? 3 : vectors / 2](task_, x, sums);
        const int count = pixels - x < vectors * lanes ? pixels - x : vectors * lanes;
        float* const at = to + x * c_.out_pitch;
        write<C>(sums, vectors * lanes, at, count);
        if (task_.end.finish != nullptr && c_.slopes == nullptr)
          task_.end.finish(task_.end, nullptr, at, c_.out_pitch, count, C);
        x += count;
      }
    }
  }

  /// The first `count` of `pixels` numbers of each channel, channels side by side.
  template <int C>
  CTNN_INLINE void write(const float* sums, int pixels, float* to, int count) const {
    const std::ptrdiff_t pitch = c_.out_pitch;
    int p = 0;
#if !CTNN_SCALAR_VEC
    if (pitch == C) {
      // What a pixel writes too much, the next one writes again.
      for (; p + lanes + (C % 4 == 0 || C == 1 ? 0 : 1) <= count; p += lanes)
        write_vector<C>(sums + p, pixels, to + p * C, std::make_integer_sequence<int, lanes / 4>());
    }
#endif
    for (; p < count; ++p)
      for (int c = 0; c < C; ++c) to[p * pitch + c] = sums[c * pixels + p];
  }
#if !CTNN_SCALAR_VEC
  template <int C, int... B>
  CTNN_INLINE static void write_vector(const float* sums, int pixels, float* to, std::integer_sequence<int, B...>) {
    if constexpr (C == 1) {
      storeu(load(sums), to);
    } else {
      vec low[4], high[4];
      fours_of < C<4 ? C : 4>(sums, pixels, low);
      if constexpr (C > 4) fours_of<C - 4>(sums + 4 * pixels, pixels, high);
      (write_fours<C, B>(low, high, to + 4 * B * C), ...);
    }
  }
  /// C planes and zeros as pixels of four channels: pixel i + 4 b is the b-th four of y[i].
  template <int C>
  CTNN_INLINE static void fours_of(const float* sums, int pixels, vec (&y)[4]) {
    transpose_blocks(load(sums), C > 1 ? load(sums + pixels) : zero(), C > 2 ? load(sums + 2 * pixels) : zero(),
                     C > 3 ? load(sums + 3 * pixels) : zero(), y);
  }
  template <int C, int B>
  CTNN_INLINE static void write_fours(const vec (&low)[4], const vec (&high)[4], float* to) {
    const HWY_CAPPED(float, 4) d;
    CTNN_UNROLL for (int i = 0; i < 4; ++i) {
      hn::StoreU(four_of<B>(tag(), low[i]), d, to + i * C);
      if constexpr (C > 4) hn::StoreU(four_of<B>(tag(), high[i]), d, to + i * C + 4);
    }
  }
#endif

  const window& c_;
  plane_cut cut_;
  alignas(64) float copy_[plane_floats];
  const float* rows_[most_plane_taps];
  std::ptrdiff_t columns_[most_plane_taps];
  plane_task task_;
};

constexpr tile_set tiles_of_planes(const window& c) {
  tile_set all;
  const plane_cut cut(c);
  for (int x = 0; x < c.out_width; x += cut.pixels)
    for (int left = (c.out_width - x < cut.pixels ? c.out_width - x : cut.pixels); left > 0;) {
      const int vectors = plane_vectors(c.out_channels, (left + lanes - 1) / lanes);
      all.add_planes(c.out_channels, vectors);
      left -= vectors * lanes;
    }
  return all;
}

}  // namespace detail

/// Output pixels [pixel, last_pixel) of one group of one image.
template <tile_set Tiles = all_tiles>
CTNN_NOINLINE void convolve_planes(const window& c, const epilogue& end, int pixel, int last_pixel) {
  detail::plane_convolution<Tiles> convolution(c, end);
  for (const pixel_box& box : pixel_boxes(c.out_width, pixel, last_pixel)) convolution.run(box);
}

CTNN_END_TARGET

#endif
