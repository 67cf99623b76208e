// SPDX-License-Identifier: BSL-1.0
// Layers of one filter a channel by Helium: sixteen channels at a time.
#pragma once

#include "byte_loops-helium-inl.hpp"

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {
namespace detail {

/// Products of two taps in a and b, of 16 bits, to the sums of lanes that are even and odd in those.
#define CTNN_ADD_SUMS_OF_TWO(even, odd) \
  "vadd.i16 %q[a], %q[a], %q[b]\n\t"    \
  "vmovlb.s16 %q[b], %q[a]\n\t"         \
  "vmovlt.s16 %q[a], %q[a]\n\t"         \
  "vadd.i32 " even ", " even            \
  ", %q[b]\n\t"                         \
  "vadd.i32 " odd ", " odd ", %q[a]\n\t"

/// Sums of sixteen channels and pairs of taps: written out, as compilers spill some of the eight registers.
template <bool Part>
CTNN_INLINE void add_pairs(const std::int8_t* const* x, std::ptrdiff_t at, uint32x4_t& w, unsigned pairs,
                           mve_pred16_t there, int32x4_t& s0, int32x4_t& s1, int32x4_t& s2, int32x4_t& s3) {
  int8x16_t a, b, c;
  const std::int8_t *p, *q;
  std::uint32_t before;  // compilers know no name of the predicate's register
#define CTNN_LOAD_BYTES(to, from) \
  ".if %c[part]\n\t"              \
  "vpst\n\t"                      \
  "vldrbt.8 " to ", [" from       \
  "]\n\t"                         \
  ".else\n\t"                     \
  "vldrb.8 " to ", [" from        \
  "]\n\t"                         \
  ".endif\n\t"
  asm volatile(
      ".if %c[part]\n\t"
      "vmrs %[before], p0\n\t"
      "vmsr p0, %[there]\n\t"
      ".endif\n\t"
      "dls lr, %[n]\n"
      "1:\n\t"
      "ldrd %[p], %[q], [%[x]], #8\n\t"
      "add %[p], %[at]\n\t"
      "add %[q], %[at]\n\t"
      CTNN_LOAD_BYTES("%q[a]", "%[p]")
      "vldrw.u32 %q[b], [%q[w]]\n\t"
      "vmullb.s8 %q[a], %q[a], %q[b]\n\t"
      CTNN_LOAD_BYTES("%q[b]", "%[q]")
      "vldrw.u32 %q[c], [%q[w], #4]\n\t"
      "vmullb.s8 %q[b], %q[b], %q[c]\n\t"
      CTNN_ADD_SUMS_OF_TWO("%q[s0]", "%q[s2]")
      CTNN_LOAD_BYTES("%q[a]", "%[q]")
      "vmullt.s8 %q[a], %q[a], %q[c]\n\t"
      CTNN_LOAD_BYTES("%q[b]", "%[p]")
      "vldrw.u32 %q[c], [%q[w]]\n\t"
      "vmullt.s8 %q[b], %q[b], %q[c]\n\t"
      CTNN_ADD_SUMS_OF_TWO("%q[s1]", "%q[s3]")
      "vadd.i32 %q[w], %q[w], %[eight]\n\t"
      "le lr, 1b\n\t"
      ".if %c[part]\n\t"
      "vmsr p0, %[before]\n\t"
      ".endif"
      : [s0] "+w"(s0), [s1] "+w"(s1), [s2] "+w"(s2), [s3] "+w"(s3), [w] "+w"(w), [a] "=&w"(a), [b] "=&w"(b),
        [c] "=&w"(c), [p] "=&r"(p), [q] "=&r"(q), [x] "+r"(x), [before] "=&r"(before)
      : [at] "r"(at), [n] "r"(pairs), [there] "r"(there), [eight] "r"(8), [part] "i"(Part)
      : "lr", "memory");
#undef CTNN_LOAD_BYTES
}

/// The same of one pair, straight on. `w` + At is where its weights are; the taps go on by sixteen channels.
template <int At>
CTNN_INLINE void add_pair(const std::int8_t*& p, const std::int8_t*& q, uint32x4_t w, int32x4_t& s0, int32x4_t& s1,
                          int32x4_t& s2, int32x4_t& s3) {
  int8x16_t a, b, c;
  asm volatile(
      "vldrb.8 %q[a], [%[p]]\n\t"
      "vldrw.u32 %q[b], [%q[w], #%c[at]]\n\t"
      "vmullb.s8 %q[a], %q[a], %q[b]\n\t"
      "vldrb.8 %q[b], [%[q]]\n\t"
      "vldrw.u32 %q[c], [%q[w], #%c[at] + 4]\n\t"
      "vmullb.s8 %q[b], %q[b], %q[c]\n\t"
      CTNN_ADD_SUMS_OF_TWO("%q[s0]", "%q[s2]")
      "vldrb.8 %q[a], [%[q]], #16\n\t"
      "vmullt.s8 %q[a], %q[a], %q[c]\n\t"
      "vldrb.8 %q[b], [%[p]], #16\n\t"
      "vldrw.u32 %q[c], [%q[w], #%c[at]]\n\t"
      "vmullt.s8 %q[b], %q[b], %q[c]\n\t"
      CTNN_ADD_SUMS_OF_TWO("%q[s1]", "%q[s3]")
      : [s0] "+w"(s0), [s1] "+w"(s1), [s2] "+w"(s2), [s3] "+w"(s3), [a] "=&w"(a), [b] "=&w"(b), [c] "=&w"(c),
        [p] "+r"(p), [q] "+r"(q)
      : [w] "w"(w), [at] "i"(At)
      : "memory");
}

#undef CTNN_ADD_SUMS_OF_TWO

/// All channels of a window, sixteen at a time. Lane i of sum j is of channel 4 i + j: weights of four channels lie
/// together, so do their rows.
class window_channels {
 public:
  window_channels(const byte_layer& k, const byte_layer::part& p)
      : p_(p),
        to_(k.results),
        by_any_(!has_small_factors(k, p.rows)),
        bounded_(to_.low != -128 || to_.high != 127),
        channels_(k.pitch),
        beside_(channels_ == 8 && k.stride_w == 1 ? 2 : 1),
        count_(static_cast<unsigned>(k.kernel_h * k.kernel_w)),
        pairs_(count_ / 2),
        weights_(vaddq_n_u32(vmulq_n_u32(lanes(), 4 * count_), address(p.weights))),
        rows_(vaddq_n_u32(vmulq_n_u32(lanes(), 4 * sizeof(row_constants)), address(p.rows))) {
    // Products of two taps are added as numbers of 16 bits. Two of -128 by -128 are more.
    std::int8_t least = 0;
    const std::int8_t* w = p.weights;
    for (int left = (channels_ + 3) / 4 * 4 * static_cast<int>(count_); left > 0; left -= 16, w += 16)
      least = vminvq_p_s8(least, vldrbq_z_s8(w, bytes_there(left)), bytes_there(left));
    if (least == -128) pairs_ = 0;
    nine_ = count_ == 9 && pairs_ > 0 && !by_any_ && beside_ * channels_ % 16 == 0;
  }
  /// Of windows `step` bytes apart: taps of the first read x[0], x[1], ...
  CTNN_INLINE void results(const std::int8_t* const* x, int windows, std::ptrdiff_t step, std::int8_t* y,
                           std::ptrdiff_t out_step) const {
    std::ptrdiff_t at = 0;
    if (const int fulls = nine_ ? windows / beside_ : 0; fulls > 0) {
      const int first = step < 0 ? beside_ - 1 : 0;
      of_nine(x, fulls, first * step, beside_ * step, y + first * out_step, beside_ * out_step);
      windows -= fulls * beside_;
      at = fulls * beside_ * step;
      y += fulls * beside_ * out_step;
    }
    for (; windows > 0; --windows, at += step, y += out_step) of_any(x, at, y);
  }

 private:
  static std::uint32_t address(const void* p) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p));
  }
  /// Which four of the channels is whose.
  CTNN_INLINE uint32x4_t lanes() const {
    const uint32x4_t all = vidupq_n_u32(0, 1);
    return beside_ == 2 ? vandq_u32(all, vdupq_n_u32(1)) : all;
  }
  /// Of lanes that are not there the last one's numbers are read.
  template <bool Part>
  CTNN_INLINE static uint32x4_t there_of(uint32x4_t from, int left, unsigned step) {
    return Part ? vminq_u32(from, vdupq_n_u32(vgetq_lane_u32(from, 0) + static_cast<unsigned>(left - 1) / 4 * step))
                : from;
  }
  /// Part: those that are there of sixteen.
  template <bool Part>
  CTNN_INLINE void sixteen(const std::int8_t* const* x, std::ptrdiff_t at, int c, std::int8_t* y) const {
    const int left = channels_ - c;
    const mve_pred16_t there = Part ? bytes_there(left) : mve_pred16_t{0};
    const auto load = [&](const std::int8_t* from) { return Part ? vldrbq_z_s8(from, there) : vldrbq_s8(from); };
    const auto weights_at = [](uint32x4_t from) { return vreinterpretq_s8_s32(vldrwq_gather_base_s32(from, 0)); };
    uint32x4_t w = there_of<Part>(vaddq_n_u32(weights_, static_cast<unsigned>(c) * count_), left, 4 * count_);
    int32x4_t s0 = vdupq_n_s32(0), s1 = s0, s2 = s0, s3 = s0;
    if (pairs_ > 0) add_pairs<Part>(x, at, w, pairs_, there, s0, s1, s2, s3);
    x += 2 * pairs_;
    for (unsigned n = count_ - 2 * pairs_; n > 0; --n, ++x) {
      const int8x16_t a = load(x[0] + at), f = weights_at(w);
      const int16x8_t even = vmullbq_int_s8(a, f), odd = vmulltq_int_s8(a, f);
      s0 = vaddq_s32(s0, vmovlbq_s16(even));
      s2 = vaddq_s32(s2, vmovltq_s16(even));
      s1 = vaddq_s32(s1, vmovlbq_s16(odd));
      s3 = vaddq_s32(s3, vmovltq_s16(odd));
      w = vaddq_n_u32(w, 4);
    }
    finish<Part>(c, there, y, s0, s1, s2, s3);
  }
  /// Of nine taps and whole sixteens of numbers.
  CTNN_NOINLINE void of_nine(const std::int8_t* const* x, int windows, std::ptrdiff_t at, std::ptrdiff_t step,
                             std::int8_t* y, std::ptrdiff_t out_step) const {
    const unsigned numbers = static_cast<unsigned>(beside_ * channels_);
    const std::int8_t *x0 = x[0] + at, *x1 = x[1] + at, *x2 = x[2] + at, *x3 = x[3] + at, *x4 = x[4] + at,
                      *x5 = x[5] + at, *x6 = x[6] + at, *x7 = x[7] + at, *x8 = x[8] + at;
    const std::ptrdiff_t gap = step - static_cast<std::ptrdiff_t>(numbers);  // taps go on by a window's numbers
    for (; windows > 0; --windows, y += out_step) {
      for (unsigned c = 0; c < numbers; c += 16) {
        const uint32x4_t w = vaddq_n_u32(weights_, c * 9);
        const int8x16_t a = vldrbq_s8(x8), f = vreinterpretq_s8_s32(vldrwq_gather_base_s32(w, 32));
        const int16x8_t even = vmullbq_int_s8(a, f), odd = vmulltq_int_s8(a, f);
        int32x4_t s0 = vmovlbq_s16(even), s1 = vmovlbq_s16(odd), s2 = vmovltq_s16(even), s3 = vmovltq_s16(odd);
        x8 += 16;
        add_pair<0>(x0, x1, w, s0, s1, s2, s3);
        add_pair<8>(x2, x3, w, s0, s1, s2, s3);
        add_pair<16>(x4, x5, w, s0, s1, s2, s3);
        add_pair<24>(x6, x7, w, s0, s1, s2, s3);
        const uint32x4_t rows = vaddq_n_u32(rows_, c * 8);
        scale<0>(s0, rows);
        scale<8>(s1, rows);
        scale<16>(s2, rows);
        scale<24>(s3, rows);
        vstrbq_s8(y + c, bounded(bytes_of(s0, s1, s2, s3, to_.zero)));
      }
      if (gap == 0) continue;
      x0 += gap, x1 += gap, x2 += gap, x3 += gap, x4 += gap, x5 += gap, x6 += gap, x7 += gap, x8 += gap;
    }
  }
  CTNN_INLINE int8x16_t bounded(int8x16_t bytes) const {
    return bounded_ ? vminq_s8(vmaxq_s8(bytes, vdupq_n_s8(to_.low)), vdupq_n_s8(to_.high)) : bytes;
  }
  template <int At>
  CTNN_INLINE static void scale(int32x4_t& sums, uint32x4_t rows) {
    static_assert(sizeof(row_constants) == 8);
    int32x4_t t;
    asm volatile(
        "vldrw.u32 %q[t], [%q[rows], #%c[at]]\n\t"
        "vadd.i32 %q[sums], %q[sums], %q[t]\n\t"
        "vldrw.u32 %q[t], [%q[rows], #%c[at] + 4]\n\t"
        "vrmulh.s32 %q[sums], %q[sums], %q[t]"
        : [sums] "+w"(sums), [t] "=&w"(t)
        : [rows] "w"(rows), [at] "i"(At)
        : "memory");
  }
  CTNN_NOINLINE void of_any(const std::int8_t* const* x, std::ptrdiff_t at, std::int8_t* y) const {
    int c = 0;
    for (; channels_ - c >= 16; c += 16) sixteen<false>(x, at + c, c, y + c);
    if (c < channels_) sixteen<true>(x, at + c, c, y + c);
  }
  template <bool Part>
  CTNN_INLINE void finish(int c, mve_pred16_t there, std::int8_t* y, int32x4_t s0, int32x4_t s1, int32x4_t s2,
                          int32x4_t s3) const {
    const int left = channels_ - c;
    const row_constants* const r = p_.rows + c;
    if (by_any_ || (Part && left % 4 != 0)) {  // the last rows may have none behind them
      return store_by_any(r, left < 16 ? left : 16, y, s0, s1, s2, s3);
    }
    constexpr unsigned row = sizeof(row_constants);
    const uint32x4_t rows = there_of<Part>(vaddq_n_u32(rows_, static_cast<unsigned>(c) * row), left, 4 * row);
    static_assert(row == 8);
    s0 = scaled(vaddq_s32(s0, vldrwq_gather_base_s32(rows, 0)), vldrwq_gather_base_s32(rows, 4));
    s1 = scaled(vaddq_s32(s1, vldrwq_gather_base_s32(rows, 8)), vldrwq_gather_base_s32(rows, 12));
    s2 = scaled(vaddq_s32(s2, vldrwq_gather_base_s32(rows, 16)), vldrwq_gather_base_s32(rows, 20));
    s3 = scaled(vaddq_s32(s3, vldrwq_gather_base_s32(rows, 24)), vldrwq_gather_base_s32(rows, 28));
    const int8x16_t bytes = bounded(bytes_of(s0, s1, s2, s3, to_.zero));
    if constexpr (Part) vstrbq_p_s8(y, bytes, there);
    else vstrbq_s8(y, bytes);
  }
  CTNN_NOINLINE void store_by_any(const row_constants* r, int left, std::int8_t* y, int32x4_t s0, int32x4_t s1,
                                  int32x4_t s2, int32x4_t s3) const {
    std::int32_t sums[4][4];
    vstrwq_s32(sums[0], s0);
    vstrwq_s32(sums[1], s1);
    vstrwq_s32(sums[2], s2);
    vstrwq_s32(sums[3], s3);
    for (int i = 0; i < left; ++i) y[i] = byte_of(sums[i % 4][i / 4] + r[i].start, r[i].factor, to_);
  }

  const byte_layer::part& p_;
  byte_results to_;
  bool by_any_, bounded_, nine_;
  int channels_, beside_;  ///< windows whose channels fill a vector together
  unsigned count_, pairs_;
  uint32x4_t weights_, rows_;  ///< addresses of the first sixteen's
};

/// Where the taps of a window read.
CTNN_NOINLINE inline void find_taps(const byte_layer& k, const std::int8_t* x, const std::int8_t* outside, int top,
                                    int first, const std::int8_t** tap) {
  const auto width = static_cast<unsigned>(k.width), height = static_cast<unsigned>(k.height);
  const int pixel = k.dilation_w * k.pitch, row = k.dilation_h * k.width * k.pitch, columns = k.kernel_w,
            right = k.dilation_w, down = k.dilation_h;
  x += (static_cast<std::ptrdiff_t>(top) * k.width + first) * k.pitch;
  for (int rows = k.kernel_h, iy = top; rows > 0; --rows, iy += down, x += row) {
    const unsigned there = static_cast<unsigned>(iy) < height ? width : 0;
    const std::int8_t* from = x;
    for (int n = columns, ix = first; n > 0; --n, ix += right, from += pixel)
      *tap++ = static_cast<unsigned>(ix) < there ? from : outside;
  }
}
/// Each channel under its filter.
inline void convolve_channels(const byte_layer& k, const byte_layer::part& p) {
  const window_channels filters(k, p);
  fill_bytes(k.outside, k.pitch, p.memory);
  auto* const taps = static_cast<const std::int8_t**>(static_cast<void*>(p.memory + scratch_for(k.pitch, 1)));
  // Of windows that lie on the image, columns [begin, end), all taps move as they do.
  const int past_x = k.width - (k.kernel_w - 1) * k.dilation_w, past_y = k.height - (k.kernel_h - 1) * k.dilation_h;
  const int begin = (k.left + k.stride_w - 1) / k.stride_w;
  const int behind = past_x + k.left > 0 ? (past_x + k.left - 1) / k.stride_w + 1 : 0;
  const int end = behind < k.out_width ? behind : k.out_width, way = k.backwards ? -1 : 1;
  window_position now(k);
  std::int8_t* y = p.y + (k.backwards ? std::ptrdiff_t{k.windows() - 1} * k.pitch : 0);
  for (int left = k.windows(), windows; left > 0; left -= windows, y += way * windows * k.pitch) {
    const int top = now.oy * k.stride_h - k.top;
    find_taps(k, p.x, p.memory, top, now.ox * k.stride_w - k.left, taps);
    windows = 1;
    if (top >= 0 && top < past_y && now.ox >= begin && now.ox < end)
      windows = k.backwards ? now.ox - begin + 1 : end - now.ox;
    filters.results(taps, windows, std::ptrdiff_t{way} * k.stride_w * k.pitch, y, std::ptrdiff_t{way} * k.pitch);
    now.ox += way * (windows - 1);
    now.next(k);
  }
}

}  // namespace detail
}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE
