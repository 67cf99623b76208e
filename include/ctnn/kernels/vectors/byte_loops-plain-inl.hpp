// SPDX-License-Identifier: BSL-1.0
// The inner loops of firmware's kernels of bytes, for cores without vectors; byte_loops-helium-inl.hpp has the same
// ones for those with.
#pragma once

#include "byte_layer-plain-inl.hpp"
#include "byte_tiles-plain-inl.hpp"

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {
namespace detail {

/// floor(sum * factor / 2^32 + 1/2) + zero, of a factor below 1/2.
CTNN_INLINE std::int32_t scaled(std::int32_t sum, std::uint32_t factor, int zero) {
#if CTNN_BYTES_BY_DSP
  std::int32_t y;
  asm("smmlar %0, %1, %2, %3" : "=r"(y) : "r"(sum), "r"(factor), "r"(zero));
  return y;
#else
  const auto product = static_cast<std::uint64_t>(std::int64_t{sum} * static_cast<std::int32_t>(factor));
  return static_cast<std::int32_t>(product >> 32) +
         static_cast<std::int32_t>(static_cast<std::uint32_t>(product) >> 31) + zero;
#endif
}
/// What is nearest among all bytes.
CTNN_INLINE std::int32_t nearest_byte(std::int32_t x) {
#if CTNN_BYTES_BY_DSP
  asm("ssat %0, #8, %0" : "+r"(x));
  return x;
#else
  return x < -128 ? -128 : x > 127 ? 127 : x;
#endif
}
/// The byte of a sum by a factor below 1/2, where no bounds are but those of bytes.
CTNN_INLINE void store_simple(std::int8_t* y, std::int32_t sum, std::uint32_t factor, int zero) {
  *y = static_cast<std::int8_t>(nearest_byte(scaled(sum, factor, zero)));
}

/// May all results be stored by store_simple()?
inline bool is_simple(const byte_layer& k, const row_constants* rows) {
  return k.results.low == -128 && k.results.high == 127 && has_small_factors(k, rows);
}
/// Results of all rows for two windows, which lie `second` bytes apart; for the first of them if that is 0.
CTNN_NOINLINE inline void two_windows(const byte_layer& k, const byte_layer::part& p, const std::int16_t* x,
                                      std::int8_t* y, std::ptrdiff_t second) {
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  for (int left = k.outs; left > 0; left -= 2, r += 2, y += 2) {
    const int next = left > 1 ? 1 : 0;  // an odd row's pair is zeros
    std::int32_t sums[4] = {r[0].start, r[next].start, r[0].start, r[next].start};
    w = multiply_two_by_two(x, w, k.fours, sums);
    for (int i = 1; i >= 0; --i)  // the first last: it may be the only one
      for (int o = 0; o <= next; ++o) y[i * second + o] = byte_of(sums[2 * i + o], r[o].factor, k.results);
  }
}
CTNN_NOINLINE inline void two_windows_simply(const byte_layer& k, const byte_layer::part& p, const std::int16_t* x,
                                             std::int8_t* y, std::ptrdiff_t second) {
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  const int zero = k.results.zero, fours = k.fours;
  for (int pairs = k.outs / 2; pairs > 0; --pairs, r += 2, y += 2) {
    std::int32_t sums[4] = {r[0].start, r[1].start, r[0].start, r[1].start};
    w = multiply_two_by_two(x, w, fours, sums);
    store_simple(y + second, sums[2], r[0].factor, zero);
    store_simple(y + second + 1, sums[3], r[1].factor, zero);
    store_simple(y, sums[0], r[0].factor, zero);
    store_simple(y + 1, sums[1], r[1].factor, zero);
  }
  if (k.outs % 2 == 0) return;
  std::int32_t sums[4] = {r[0].start, 0, r[0].start, 0};
  multiply_two_by_two(x, w, fours, sums);
  store_simple(y + second, sums[2], r[0].factor, zero);
  store_simple(y, sums[0], r[0].factor, zero);
}
/// Results of all rows for one window, of bytes.
CTNN_NOINLINE inline void one_window(const byte_layer& k, const byte_layer::part& p, const std::int8_t* x,
                                     std::int8_t* y) {
  const std::ptrdiff_t pair = std::ptrdiff_t{k.fours} * 8;
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  int left = k.outs;
  if (is_simple(k, r)) {
    const int fours = k.fours, zero = k.results.zero;
    for (; left >= 4; left -= 4, r += 4, y += 4) {
      std::int32_t sums[4] = {r[0].start, r[1].start, r[2].start, r[3].start};
      w = multiply_one_by_four(x, w, pair, fours, sums) + pair;
      store_simple(y, sums[0], r[0].factor, zero);
      store_simple(y + 1, sums[1], r[1].factor, zero);
      store_simple(y + 2, sums[2], r[2].factor, zero);
      store_simple(y + 3, sums[3], r[3].factor, zero);
    }
  }
  for (; left > 0; left -= 4, r += 4, y += 4) {
    std::int32_t sums[4];
    for (int i = 0; i < 4; ++i) sums[i] = r[i < left ? i : 0].start;
    w = multiply_one_by_four(x, w, left > 2 ? pair : 0, k.fours, sums) + pair;
    for (int i = 0; i < 4 && i < left; ++i) y[i] = byte_of(sums[i], r[i].factor, k.results);
  }
}

/// Numbers of a window, widened four by four: `to` goes on by 8.
CTNN_INLINE std::int16_t* widen(const std::int8_t* from, int bytes, std::int16_t* to) {
  for (; bytes >= 8; bytes -= 8, from += 8, to += 16) {
    widen_four(from, to);
    widen_four(from + 4, to + 8);
  }
  if (bytes > 0) {
    widen_four(from, to);
    to += 8;
  }
  return to;
}
/// A window's numbers, widened; fours are 8 numbers apart. If bytes of a row are no fours they come together in `flat`.
CTNN_NOINLINE inline void widen_window(const byte_layer& k, const std::int8_t* x, const window_position& at,
                                       std::int16_t* to, std::int8_t* flat) {
  const int channels = k.channels;
  if (channels % 4 == 0)
    if (const std::int8_t* const pixel = pixel_of(k, x, at); pixel != nullptr) {
      widen(pixel, channels, to);
      return;
    }
  const bool together = has_rows_together(k);
  const int first = at.ox * k.stride_w - k.left;
  const bool by_fours =
      channels % 4 == 0 || (together && first >= 0 && first <= k.width - k.kernel_w && k.kernel_w * channels % 4 == 0);
  std::int8_t* gathered = flat;
  for_each_piece(
      k, x, at, together,
      [&](const std::int8_t* from, int bytes) {
        if (by_fours) to = widen(from, bytes, to);
        else
          for (; bytes > 0; --bytes) *gathered++ = *from++;
      },
      [&](int bytes) {
        if (by_fours)
          for (; bytes > 0; bytes -= 4, to += 8)
            for (int i = 0; i < 4; ++i) to[i] = k.outside;
        else
          for (; bytes > 0; --bytes) *gathered++ = k.outside;
      });
  if (!by_fours) widen(flat, k.fours * 4, to);
}

/// Two windows, widened, and all rows at them.
class window_pair {
 public:
  window_pair(const byte_layer& k, const byte_layer::part& p)
      : k_(k),
        p_(p),
        x_(static_cast<std::int16_t*>(static_cast<void*>(p.memory))),
        flat_(p.memory + k.fours * 16),
        results_(is_simple(k, p.rows) ? &two_windows_simply : &two_windows) {
    for (int i = 0; i < k.fours * 8; ++i) x_[i] = 0;
    if (k.channels % 4 != 0)
      for (int i = 0; i < k.fours * 4; ++i) flat_[i] = 0;
  }
  CTNN_INLINE void take(int which, const window_position& at) const {
    widen_window(k_, p_.x, at, x_ + 4 * which, flat_);
  }
  CTNN_INLINE void results(std::int8_t* y, std::ptrdiff_t second) const { results_(k_, p_, x_, y, second); }

 private:
  const byte_layer& k_;
  const byte_layer::part& p_;
  std::int16_t* x_;
  std::int8_t* flat_;
  void (*results_)(const byte_layer&, const byte_layer::part&, const std::int16_t*, std::int8_t*, std::ptrdiff_t);
};

/// Results of a window's channels, whose taps read taps[0] + at, taps[1] + at, ...
CTNN_NOINLINE inline void channels_simply(const byte_layer& k, const byte_layer::part& p,
                                          const std::int8_t* const* taps, std::ptrdiff_t at, std::int8_t* y) {
  const row_constants* r = p.rows;
  const std::int8_t* w = p.weights;
  const int zero = k.results.zero, count = k.kernel_h * k.kernel_w, end = k.pitch & ~3;
  for (int c = 0; c < end; c += 4, r += 4) {
    std::int32_t sums[4] = {r[0].start, r[1].start, r[2].start, r[3].start};
    w = multiply_channels(taps, at + c, w, count, sums);
    std::int8_t* const to = y + c;
    store_simple(to, sums[0], r[0].factor, zero);
    store_simple(to + 1, sums[1], r[1].factor, zero);
    store_simple(to + 2, sums[2], r[2].factor, zero);
    store_simple(to + 3, sums[3], r[3].factor, zero);
  }
}
/// The same of channels [first, ...), by any factors; fours are whole.
CTNN_NOINLINE inline void channels_from(int first, const byte_layer& k, const byte_layer::part& p,
                                        const std::int8_t* const* taps, std::ptrdiff_t at, std::int8_t* y) {
  const int count = k.kernel_h * k.kernel_w;
  for (int c = first; c < k.pitch; c += 4) {
    const std::int8_t* w = p.weights + c * count;
    const row_constants* const r = p.rows + c;
    const int n = k.pitch - c < 4 ? k.pitch - c : 4;
    std::int32_t sums[4];
    for (int i = 0; i < n; ++i) sums[i] = r[i].start;
    if (n == 4) multiply_channels(taps, at + c, w, count, sums);
    else
      for (int t = 0; t < count; ++t, w += 4)
        for (int i = 0; i < n; ++i) sums[i] += taps[t][at + c + i] * w[i];
    for (int i = 0; i < n; ++i) y[c + i] = byte_of(sums[i], r[i].factor, k.results);
  }
}

/// All channels of a window.
class window_channels {
 public:
  window_channels(const byte_layer& k, const byte_layer::part& p) : k_(k), p_(p), simple_(is_simple(k, p.rows)) {}
  CTNN_INLINE void results(const std::int8_t* const* taps, std::ptrdiff_t at, std::int8_t* y) const {
    if (simple_) channels_simply(k_, p_, taps, at, y);
    if (!simple_ || k_.pitch % 4 != 0) channels_from(simple_ ? k_.pitch & ~3 : 0, k_, p_, taps, at, y);
  }

 private:
  const byte_layer& k_;
  const byte_layer::part& p_;
  bool simple_;
};

/// Each channel under its filter.
inline void convolve_channels(const byte_layer& k, const byte_layer::part& p) {
  const int channels = k.pitch;
  const window_channels filters(k, p);
  std::int8_t* const outside = p.memory;
  for (int c = 0; c < channels; ++c) outside[c] = k.outside;
  auto* const taps = static_cast<const std::int8_t**>(static_cast<void*>(p.memory + scratch_for(channels, 1)));
  // Of windows that lie on the image all taps move as they do: `moved` since they were looked up.
  const int past_x = k.width - (k.kernel_w - 1) * k.dilation_w, past_y = k.height - (k.kernel_h - 1) * k.dilation_h;
  const std::ptrdiff_t step = std::ptrdiff_t{k.backwards ? -k.stride_w : k.stride_w} * channels,
                       out_step = k.backwards ? -channels : channels;
  std::ptrdiff_t moved = 0;
  bool was_inside = false;
  window_position now(k);
  std::int8_t* y = p.y + (k.backwards ? std::ptrdiff_t{k.windows() - 1} * channels : 0);
  for (int left = k.windows(); left > 0; --left, y += out_step) {
    const int top = now.oy * k.stride_h - k.top, first = now.ox * k.stride_w - k.left;
    const bool inside = top >= 0 && top < past_y && first >= 0 && first < past_x;
    if (inside && was_inside && now.ox != (k.backwards ? k.out_width - 1 : 0)) {
      moved += step;
    } else {
      const std::int8_t** tap = taps;
      for (int ky = 0, iy = top; ky < k.kernel_h; ++ky, iy += k.dilation_h) {
        const bool row_inside = iy >= 0 && iy < k.height;
        std::ptrdiff_t pixel = (static_cast<std::ptrdiff_t>(iy) * k.width + first) * channels;
        for (int kx = 0, ix = first; kx < k.kernel_w; ++kx, ix += k.dilation_w, pixel += k.dilation_w * channels)
          *tap++ = row_inside && ix >= 0 && ix < k.width ? p.x + pixel : outside;
      }
      moved = 0;
    }
    was_inside = inside;
    filters.results(taps, moved, y);
    now.next(k);
  }
}

/// Sums of two operands by factors of 2^32.
inline void add_bytes(const byte_sum& k, const std::int8_t* x, const std::int8_t* z, std::int8_t* y,
                      std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i)
    y[i] = k.results.of(static_cast<std::int32_t>((x[i] * k.a + z[i] * k.b + k.start) >> 32));
}

/// A window's largest bytes or averages, channel by channel.
template <op::pooling Function>
CTNN_INLINE void pool_window(const pooled_cells& cells, const std::int8_t* x, int channels, std::int8_t* y) {
  const int count = cells.rows * cells.columns;
  for (int c = 0; c < channels; ++c) {
    std::int32_t total = Function == op::pooling::max ? -128 : 0;
    const std::int8_t* row = x + c;
    for (int i = cells.rows; i > 0; --i, row += cells.row_step) {
      const std::int8_t* cell = row;
      for (int j = cells.columns; j > 0; --j, cell += cells.column_step) {
        if constexpr (Function == op::pooling::max) total = *cell > total ? *cell : total;
        else total += *cell;
      }
    }
    if (Function != op::pooling::max && count != 0) total = average_of(total, count);
    y[c] = static_cast<std::int8_t>(total);
  }
}

}  // namespace detail
}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE
