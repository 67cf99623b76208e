// SPDX-License-Identifier: BSL-1.0
// Sums of products of bytes. They are exact but for wrapping around, so they are the same on every target.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP)
#define CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#define CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED
#endif
#elif defined(CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#undef CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#else
#define CTNN_KERNELS_INTEGER_PRODUCTS_INL_HPP
#endif
#define CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED
#endif

#if defined(CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED)
#undef CTNN_KERNELS_INTEGER_PRODUCTS_ENABLED

#include <cstring>

#include "../integer_products.hpp"
#include "../simd/dot_products.hpp"
#include "../simd/simd-inl.hpp"

/// The x86 intrinsic of a target's whole vectors.
#undef CTNN_X86
#if !defined(CTNN_PLAIN)
#if HWY_TARGET == HWY_AVX3
#define CTNN_X86(name) _mm512_##name
#elif HWY_TARGET == HWY_AVX2
#define CTNN_X86(name) _mm256_##name
#elif HWY_TARGET == HWY_SSE4
#define CTNN_X86(name) _mm_##name
#endif
#endif

/// 1: the target looks up bytes in a table of 256 faster than they are read one by one.
#undef CTNN_VECTORS_OF_TABLES
#if defined(CTNN_X86) || (!defined(CTNN_PLAIN) && HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
#define CTNN_VECTORS_OF_TABLES 1
#else
#define CTNN_VECTORS_OF_TABLES 0
#endif

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

namespace detail {

using quad_tag = HWY_CAPPED(std::int32_t, quad_lanes);
using quad_vec = hn::Vec<quad_tag>;
constexpr int quads_in_vector = static_cast<int>(hn::MaxLanes(quad_tag()));

template <int = 0>
CTNN_INLINE quad_vec load_quads(const std::uint8_t* p) {
  return hn::BitCast(quad_tag(), hn::LoadU(hn::Repartition<std::uint8_t, quad_tag>(), p));
}
template <int = 0>
CTNN_INLINE std::int32_t quad_at(const std::int8_t* p) {
  std::int32_t quad;
  std::memcpy(&quad, p, 4);
  return quad;
}

// Ways to add the four products of each quad to a sum: right() and left() prepare the operands, start() and total() the
// sums. `vectors` columns are summed at a time by four rows, and by eight if there are registers for it.

#if defined(CTNN_X86)

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// VNNI, which the target's flags do not name: its processors may have it (dot_products.hpp), in AVX-512's encoding or
/// in AVX's.
template <bool OfAvx512>
struct dot_of_processor {
  static constexpr int vectors = vector_registers == 32 ? 4 : 3, by_eight = vector_registers == 32 ? 3 : 0;
  static CTNN_INLINE quad_vec right(const std::uint8_t* p) { return load_quads(p); }
  static CTNN_INLINE quad_vec left(std::int32_t quad) { return hn::Set(quad_tag(), quad); }
  static CTNN_INLINE quad_vec start(std::int32_t sum, std::int32_t) { return hn::Set(quad_tag(), sum); }
  static CTNN_INLINE quad_vec total(quad_vec sum) { return sum; }
  static CTNN_INLINE void add(quad_vec& sum, quad_vec x, quad_vec w) {
#if HWY_TARGET == HWY_AVX3
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
#else
    if constexpr (OfAvx512) asm("%{evex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(x.raw), "x"(w.raw));
    else asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(x.raw), "x"(w.raw));
#endif
  }
};
#endif

#elif HWY_TARGET == HWY_NEON

/// Right operands less 128, signed as left ones are; the sums begin with what that takes from them.
struct signed_bytes {
#if defined(__ARM_FEATURE_DOTPROD)
  static constexpr int vectors = 4, by_eight = 3;
  using sums = quad_vec;
  static CTNN_INLINE quad_vec total(quad_vec sum) { return sum; }
  static CTNN_INLINE quad_vec first(quad_vec sum) { return sum; }
  static CTNN_INLINE void add(sums& sum, int8x16_t x, int8x16_t w) { sum.raw = vdotq_s32(sum.raw, x, w); }
#else
  static constexpr int vectors = 2, by_eight = 0;
  struct sums {
    int32x4_t low, high;  // of four quads' halves each
  };
  static CTNN_INLINE sums first(quad_vec sum) {
    const int32x4x2_t halves = vzipq_s32(sum.raw, vdupq_n_s32(0));
    return {halves.val[0], halves.val[1]};
  }
  static CTNN_INLINE quad_vec total(const sums& s) {
    return quad_vec{vcombine_s32(vpadd_s32(vget_low_s32(s.low), vget_high_s32(s.low)),
                                 vpadd_s32(vget_low_s32(s.high), vget_high_s32(s.high)))};
  }
  static CTNN_INLINE void add(sums& sum, int8x16_t x, int8x16_t w) {
    sum.low = vpadalq_s16(sum.low, vmull_s8(vget_low_s8(x), vget_low_s8(w)));
    sum.high = vpadalq_s16(sum.high, vmull_s8(vget_high_s8(x), vget_high_s8(w)));
  }
#endif
  static CTNN_INLINE int8x16_t right(const std::uint8_t* p) {
    return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(128)));
  }
  static CTNN_INLINE int8x16_t left(std::int32_t quad) { return vreinterpretq_s8_s32(vdupq_n_s32(quad)); }
  static CTNN_INLINE sums start(std::int32_t sum, std::int32_t left_sum) {
    const auto all = static_cast<std::uint32_t>(sum) + 128 * static_cast<std::uint32_t>(left_sum);
    return first(hn::Set(quad_tag(), static_cast<std::int32_t>(all)));
  }
};

#else

/// Any vectors of 32 bits: a byte at a time.
struct bytes_one_by_one {
  static constexpr int vectors = 2, by_eight = 0;
  struct bytes {
    quad_vec of[4];
  };
  static CTNN_INLINE bytes right(const std::uint8_t* p) {
    const quad_vec x = load_quads(p), low = hn::Set(quad_tag(), 255);
    return {{hn::And(x, low), hn::And(hn::ShiftRight<8>(x), low), hn::And(hn::ShiftRight<16>(x), low),
             hn::And(hn::ShiftRight<24>(x), low)}};
  }
  static CTNN_INLINE bytes left(std::int32_t quad) {
    const quad_vec w = hn::Set(quad_tag(), quad);
    return {{hn::ShiftRight<24>(hn::ShiftLeft<24>(w)), hn::ShiftRight<24>(hn::ShiftLeft<16>(w)),
             hn::ShiftRight<24>(hn::ShiftLeft<8>(w)), hn::ShiftRight<24>(w)}};
  }
  static CTNN_INLINE quad_vec start(std::int32_t sum, std::int32_t) { return hn::Set(quad_tag(), sum); }
  static CTNN_INLINE quad_vec total(quad_vec sum) { return sum; }
  static CTNN_INLINE void add(quad_vec& sum, const bytes& x, const bytes& w) {
    CTNN_UNROLL for (int i = 0; i < 4; ++i) sum = hn::Add(sum, hn::Mul(x.of[i], w.of[i]));
  }
};

#endif

/// `Tiles` of R rows, of which V vectors of columns from `column` on are in registers at a time.
template <class Dot, int Tiles, int R>
struct quad_rows {
  template <int V>
  static CTNN_NOINLINE void multiply(const quad_products& p, std::int64_t column) {
    constexpr int rows = Tiles * R;
    decltype(Dot::start(0, 0)) sums[rows][V];
    CTNN_UNROLL for (int r = 0; r < rows; ++r) CTNN_UNROLL for (int v = 0; v < V; ++v) sums[r][v] =
        Dot::start(p.start[r], p.left_sums[r / R * (p.next / 4) + r % R]);
    const std::int8_t* left = p.left;
    const std::uint8_t* const right = p.right + 4 * column;
    const std::ptrdiff_t* const offsets = p.offsets;
    const std::int64_t quads = p.quads;
    const std::ptrdiff_t next = p.next;
    for (std::int64_t q = 0; q < quads; ++q, left += 4 * R) {
      decltype(Dot::right(right)) x[V];
      CTNN_UNROLL for (int v = 0; v < V; ++v) x[v] = Dot::right(right + offsets[q] + 4 * v * quads_in_vector);
      CTNN_UNROLL for (int r = 0; r < rows; ++r) {
        const auto w = Dot::left(quad_at(left + (r < R ? 0 : next) + r % R * 4));
        CTNN_UNROLL for (int v = 0; v < V; ++v) Dot::add(sums[r][v], x[v], w);
      }
    }
    CTNN_UNROLL for (int r = 0; r < rows; ++r) CTNN_UNROLL for (int v = 0; v < V; ++v)
        hn::StoreU(Dot::total(sums[r][v]), quad_tag(), p.sums + r * p.pitch + column + v * quads_in_vector);
  }
};

#if defined(CTNN_X86)
/// Of x86 without VNNI: products in pairs of 16 bits, of two quads where 16 bits hold their sums (sums_in_16_bits).
struct pairs_of_16_bits {
  static constexpr int vectors = vector_registers == 32 ? 4 : 2, by_eight = vector_registers == 32 ? 2 : 0;
};
template <int Tiles, int R>
struct quad_rows<pairs_of_16_bits, Tiles, R> {
  static constexpr int rows = Tiles * R;

  template <int V>
  static CTNN_NOINLINE void multiply(const quad_products& p, std::int64_t column) {
    quad_vec sums[rows][V];
    CTNN_UNROLL for (int r = 0; r < rows; ++r) CTNN_UNROLL for (int v = 0; v < V; ++v) sums[r][v] =
        hn::Set(quad_tag(), p.start[r]);
    const std::uint8_t* const right = p.right + 4 * column;
    const std::int64_t quads = p.quads, even = quads / 2 * 2;
    operands at{p.left, p.next, p.offsets};
    if (p.held == 2) {
      for (std::int64_t q = 0; q < even; q += 2, at.step(2)) add<2>(sums, at, right);
      if (even < quads) add<1>(sums, at, right);
    } else if (p.held == 1) {
      for (std::int64_t q = 0; q < quads; ++q, at.step(1)) add<1>(sums, at, right);
    } else {
      for (std::int64_t q = 0;; ++q, at.step(1)) {
        // Those that 16 bits hold have a loop to themselves, and with it the registers.
        for (; q < quads && holds_any(p, q); ++q, at.step(1)) add<1>(sums, at, right);
        if (q >= quads) break;
        add_halves(sums, at, right);
      }
    }
    CTNN_UNROLL for (int r = 0; r < rows; ++r) CTNN_UNROLL for (int v = 0; v < V; ++v)
        hn::StoreU(sums[r][v], quad_tag(), p.sums + r * p.pitch + column + v * quads_in_vector);
  }

 private:
  struct operands {
    const std::int8_t* left;
    std::ptrdiff_t next;
    const std::ptrdiff_t* offsets;

    CTNN_INLINE void step(int quads) {
      left += 4 * R * quads;
      offsets += quads;
    }
    CTNN_INLINE quad_vec row(int r, int quad) const {
      return hn::Set(quad_tag(), quad_at(left + 4 * R * quad + (r < R ? 0 : next) + r % R * 4));
    }
  };
  static CTNN_INLINE bool holds_any(const quad_products& p, std::int64_t quad) {
    const std::uint8_t* const held = p.held_of_two + quad / 2;
    return (held[0] & 15) != 0 && (Tiles == 1 || (held[p.next] & 15) != 0);
  }
  template <int N, int V>
  static CTNN_INLINE void add(quad_vec (&sums)[rows][V], const operands& at, const std::uint8_t* right) {
    const auto ones = CTNN_X86(set1_epi16)(1);
    quad_vec x[N][V];
    CTNN_UNROLL for (int q = 0; q < N; ++q) CTNN_UNROLL for (int v = 0; v < V; ++v) x[q][v] =
        load_quads(right + at.offsets[q] + 4 * v * quads_in_vector);
    CTNN_UNROLL for (int r = 0; r < rows; ++r) {
      quad_vec w[N];
      CTNN_UNROLL for (int q = 0; q < N; ++q) w[q] = at.row(r, q);
      CTNN_UNROLL for (int v = 0; v < V; ++v) {
        auto products = CTNN_X86(maddubs_epi16)(x[0][v].raw, w[0].raw);
        if constexpr (N == 2) products = CTNN_X86(add_epi16)(products, CTNN_X86(maddubs_epi16)(x[1][v].raw, w[1].raw));
        sums[r][v] = hn::Add(sums[r][v], quad_vec{CTNN_X86(madd_epi16)(products, ones)});
      }
    }
  }
  /// Bytes as numbers of 16 bits, every second one at a time: their products, added in pairs, fit 32 bits by far.
  template <int V>
  static CTNN_INLINE void add_halves(quad_vec (&sums)[rows][V], const operands& at, const std::uint8_t* right) {
    quad_vec even[V], odd[V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      const quad_vec x = load_quads(right + *at.offsets + 4 * v * quads_in_vector);
      even[v] = hn::And(x, hn::Set(quad_tag(), 0x00FF00FF));
      odd[v] = quad_vec{CTNN_X86(srli_epi16)(x.raw, 8)};
    }
    CTNN_UNROLL for (int r = 0; r < rows; ++r) {
      const auto w = at.row(r, 0).raw;
      const auto first = CTNN_X86(srai_epi16)(CTNN_X86(slli_epi16)(w, 8), 8), second = CTNN_X86(srai_epi16)(w, 8);
      CTNN_UNROLL for (int v = 0; v < V; ++v) {
        sums[r][v] = hn::Add(sums[r][v], quad_vec{CTNN_X86(madd_epi16)(even[v].raw, first)});
        sums[r][v] = hn::Add(sums[r][v], quad_vec{CTNN_X86(madd_epi16)(odd[v].raw, second)});
      }
    }
  }
};
#endif

/// All columns of some rows, up to `Most` vectors at a time, so that none of the last vectors is alone with its
/// operands.
template <class Rows, int Most>
CTNN_INLINE void multiply_columns(const quad_products& p) {
  std::int64_t left = (p.columns + quads_in_vector - 1) / quads_in_vector;
  for (std::int64_t c = 0; left > 0;) {
    const std::int64_t n = left >= 2 * Most ? Most : left > Most ? (left + 1) / 2 : left;
    constexpr int three = Most < 3 ? Most : 3;
    if (n == 1) Rows::template multiply<1>(p, c);
    else if (n == 2) Rows::template multiply<2>(p, c);
    else if (n == 3) Rows::template multiply<three>(p, c);
    else Rows::template multiply<Most>(p, c);
    left -= n;
    c += n * quads_in_vector;
  }
}

template <class Dot>
CTNN_INLINE void multiply_quads_by(const quad_products& p) {
  if (p.rows == 1) return multiply_columns<quad_rows<Dot, 1, 1>, Dot::vectors>(p);
  if constexpr (Dot::by_eight != 0)
    if (p.rows == 8) return multiply_columns<quad_rows<Dot, 2, 4>, Dot::by_eight>(p);
  for (int tile = 0; tile < p.rows / 4; ++tile) multiply_columns<quad_rows<Dot, 1, 4>, Dot::vectors>(tile_of(p, tile));
}

}  // namespace detail

template <int = 0>
inline bool has_dot_products() {
#if HWY_TARGET == HWY_AVX3
  return dot_products_in_use().avx512;
#elif HWY_TARGET == HWY_AVX2
  return dot_products_in_use().avx || dot_products_in_use().avx512;
#else
  return false;
#endif
}

template <int = 0>
inline void multiply_quads(const quad_products& p) {
#if defined(CTNN_X86)
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if (dot_products_in_use().avx512) return detail::multiply_quads_by<detail::dot_of_processor<true>>(p);
#endif
#if HWY_TARGET == HWY_AVX2
  if (dot_products_in_use().avx) return detail::multiply_quads_by<detail::dot_of_processor<false>>(p);
#endif
  detail::multiply_quads_by<detail::pairs_of_16_bits>(p);
#elif HWY_TARGET == HWY_NEON
  detail::multiply_quads_by<detail::signed_bytes>(p);
#else
  detail::multiply_quads_by<detail::bytes_one_by_one>(p);
#endif
}

#endif

CTNN_END_TARGET

#endif
