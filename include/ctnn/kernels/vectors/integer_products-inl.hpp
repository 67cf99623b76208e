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

namespace detail {

using real_tag = hn::RebindToFloat<quad_tag>;
using real_vec = hn::Vec<real_tag>;

// The second operand where one is no number: as x86 does.
template <int = 0>
CTNN_INLINE real_vec most_of(real_vec a, real_vec b) {
#if defined(CTNN_X86)
  return hn::Max(a, b);
#else
  return hn::IfThenElse(hn::Gt(a, b), a, b);
#endif
}
template <int = 0>
CTNN_INLINE real_vec least_of(real_vec a, real_vec b) {
#if defined(CTNN_X86)
  return hn::Min(a, b);
#else
  return hn::IfThenElse(hn::Lt(a, b), a, b);
#endif
}

/// To the nearest, ties to even, of what fits 32 bits.
template <int = 0>
CTNN_INLINE quad_vec nearest_of(real_vec x) {
#if defined(CTNN_X86)
  return quad_vec{CTNN_X86(cvtps_epi32)(x.raw)};
#else
  return hn::NearestInt(x);
#endif
}

/// To the nearest, halves away from 0, of what fits 23 bits: the largest float below 1/2 takes halves over the next
/// whole number, as sums are rounded, and nothing else.
template <int = 0>
CTNN_INLINE quad_vec nearest_away_of(real_vec x) {
  const real_vec below_half = hn::Set(real_tag(), 0x0.FFFFFFp-1f);
  const real_vec y = hn::Add(x, hn::CopySignToAbs(below_half, x));
#if defined(CTNN_X86)
  return quad_vec{CTNN_X86(cvttps_epi32)(y.raw)};
#else
  return hn::ConvertTo(quad_tag(), y);
#endif
}

/// rounded_between, in every lane.
template <int = 0>
CTNN_INLINE quad_vec round_between(real_vec x, bool away, int zero, int least, int most) {
  const real_tag f;
  const quad_tag d;
  const real_vec low = hn::Set(f, static_cast<float>(least - zero)), high = hn::Set(f, static_cast<float>(most - zero));
  x = least_of(most_of(x, low), high);
  const quad_vec y = away ? nearest_away_of(x) : nearest_of(x);
  return hn::Add(y, hn::Set(d, zero));
}

/// The first n lanes, which are bytes of either sign.
template <int = 0>
CTNN_INLINE void store_bytes(quad_vec y, std::uint8_t* to, std::int64_t n) {
#if !defined(CTNN_PLAIN) && HWY_TARGET == HWY_AVX3
  const __m128i all = _mm512_cvtepi32_epi8(y.raw);
  if (n >= quads_in_vector) return _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), all);
  _mm_mask_storeu_epi8(to, static_cast<__mmask16>((1u << n) - 1), all);
#else
  const hn::Rebind<std::uint8_t, quad_tag> d;
  const hn::RebindToUnsigned<quad_tag> u;
  const auto bytes = hn::TruncateTo(d, hn::BitCast(u, y));
  if (n >= quads_in_vector) return hn::StoreU(bytes, d, to);
  alignas(16) std::uint8_t part[quad_lanes];
  hn::StoreU(bytes, d, part);
  std::memcpy(to, part, static_cast<std::size_t>(n));
#endif
}

/// floor(x * factor / 2^32 + 1/2) for factors below 2^31.
template <int = 0>
CTNN_INLINE quad_vec multiply_fixed(quad_vec x, quad_vec factor) {
  const hn::RepartitionToWide<quad_tag> w;
  const auto half = hn::Set(w, std::int64_t{1} << 31);
  const auto even = hn::Add(hn::MulEven(x, factor), half);
  const auto x_odd = hn::BitCast(quad_tag(), hn::ShiftRight<32>(hn::BitCast(hn::RebindToUnsigned<decltype(w)>(), x)));
  const auto f_odd =
      hn::BitCast(quad_tag(), hn::ShiftRight<32>(hn::BitCast(hn::RebindToUnsigned<decltype(w)>(), factor)));
  const auto odd = hn::Add(hn::MulEven(x_odd, f_odd), half);
  const hn::RebindToUnsigned<decltype(w)> u;
  const auto low = hn::ShiftRight<32>(hn::BitCast(u, even));
  const auto high = hn::And(hn::BitCast(u, odd), hn::Set(u, 0xFFFFFFFF00000000u));
  return hn::BitCast(quad_tag(), hn::Or(low, high));
}

// What becomes of sums, at(where they lie, column).

/// Sums with what is added to them. It is read once, as stores of results could change it: each column has its own
/// bias, or all have one.
template <bool Each>
struct whole_sums {
  const std::int32_t *sums, *right, *bias;
  std::int32_t right_times;

  CTNN_INLINE whole_sums(const sum_results& p, int row)
      : sums(p.sums + row * p.sums_row),
        right(p.right_sums),
        bias(Each || !p.integer_bias ? p.integer_bias : p.integer_bias + row),
        right_times(right ? p.right_times[row] : 0) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t column) const {
    const quad_tag d;
    quad_vec sum = hn::LoadU(d, sums + i);
    if (right) sum = hn::Add(sum, hn::Mul(hn::LoadU(d, right + i), hn::Set(d, right_times)));
    if (bias) sum = hn::Add(sum, Each ? hn::LoadU(d, bias + column) : hn::Set(d, *bias));
    return sum;
  }
};

/// They as real numbers, or as steps of the results where there is a factor for those alone.
template <sum_results::arithmetic How, bool Each>
struct sums_as_reals {
  whole_sums<Each> sums;
  const float *factors, *biases;
  real_vec factor, bias, low, high;
  bool bounded;

  CTNN_INLINE sums_as_reals(const sum_results& p, int row)
      : sums(p, row),
        factors(Each ? p.factor : p.factor + row),
        biases(How != sum_results::fused || !p.real_bias ? nullptr : Each ? p.real_bias : p.real_bias + row),
        factor(hn::Set(real_tag(), *factors)),
        bias(biases ? hn::Set(real_tag(), *biases) : hn::Zero(real_tag())),
        low(hn::Set(real_tag(), p.low)),
        high(hn::Set(real_tag(), p.high)),
        bounded(p.low != -std::numeric_limits<float>::infinity() || p.high != -p.low) {}
  /// Certainly all of them, whatever the sums.
  CTNN_INLINE bool are_numbers() const { return !Each && *factors - *factors == 0 && (!biases || *biases == *biases); }
  CTNN_INLINE real_vec at(std::int64_t i, std::int64_t column) const {
    const real_tag f;
    real_vec x = hn::ConvertTo(f, sums.at(i, column));
    const real_vec times = Each ? hn::LoadU(f, factors + column) : factor;
    if constexpr (How == sum_results::fused)
      x = hn::MulAdd(x, times, Each && biases ? hn::LoadU(f, biases + column) : bias);
    else x = hn::Mul(x, times);
    return bounded ? least_of(high, most_of(low, x)) : x;
  }
};

/// These as bytes, ties to even.
template <class Reals>
struct reals_to_even {
  Reals reals;
  real_vec least, most;
  quad_vec zero;

  CTNN_INLINE reals_to_even(const sum_results& p, int row) : reals(p, row), zero(hn::Set(quad_tag(), p.zero)) {
    float low = static_cast<float>(p.least - p.zero), high = static_cast<float>(p.most - p.zero);
    if (reals.bounded && reals.are_numbers()) {  // bounds twice are bounds
      const float first = low;
      low = p.low > low ? p.low : low;
      high = p.high < first ? first : p.high < high ? p.high : high;
      reals.bounded = false;
    }
    least = hn::Set(real_tag(), low);
    most = hn::Set(real_tag(), high);
  }
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t column) const {
    return hn::Add(nearest_of(least_of(most_of(reals.at(i, column), least), most)), zero);
  }
};
/// The same multiplied by a scale, halves away from 0.
template <class Reals>
struct reals_by_scale_away {
  Reals reals;
  real_vec scale, least, most;

  CTNN_INLINE reals_by_scale_away(const sum_results& p, int row)
      : reals(p, row), scale(hn::Set(real_tag(), p.scale)), most(hn::Set(real_tag(), static_cast<float>(p.most))) {
    auto low = static_cast<float>(p.least);
    const bool rectified = p.low == 0 && p.high == std::numeric_limits<float>::infinity();
    if (rectified && p.scale > 0 && p.scale - p.scale == 0 && reals.are_numbers()) {  // 0 times it stays 0
      low = low < 0 ? 0 : low;
      reals.bounded = false;
    }
    least = hn::Set(real_tag(), low);
  }
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t column) const {
    const real_vec x = hn::Mul(reals.at(i, column), scale);
    return nearest_away_of(least_of(most_of(x, least), most));
  }
};
/// The same by another scale, or with halves away from 0.
template <class Reals>
struct reals_by_scale {
  Reals reals;
  real_vec scale;
  bool divides, multiplies, away;
  int zero, least, most;

  CTNN_INLINE reals_by_scale(const sum_results& p, int row)
      : reals(p, row),
        scale(hn::Set(real_tag(), p.scale)),
        divides(p.divides),
        multiplies(p.multiplies),
        away(p.away),
        zero(p.zero),
        least(p.least),
        most(p.most) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t column) const {
    real_vec x = reals.at(i, column);
    if (divides) x = quotient(real_tag(), x, scale);
    if (multiplies) x = hn::Mul(x, scale);
    return round_between(x, away, zero, least, most);
  }
};

template <bool Each>
struct sums_by_fixed_factors {
  whole_sums<Each> sums;
  const std::int64_t* factors;
  quad_vec factor, zero, least, most;

  CTNN_INLINE sums_by_fixed_factors(const sum_results& p, int row)
      : sums(p, row),
        factors(Each ? p.fixed_factor : p.fixed_factor + row),
        factor(hn::Set(quad_tag(), static_cast<std::int32_t>(*factors))),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec factors_at(std::int64_t column) const {
    if constexpr (!Each) return factor;
    alignas(64) std::int32_t own[quad_lanes];
    for (int i = 0; i < quads_in_vector; ++i) own[i] = static_cast<std::int32_t>(factors[column + i]);
    return hn::Load(quad_tag(), own);
  }
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t column) const {
    const quad_vec y = hn::Add(multiply_fixed(sums.at(i, column), factors_at(column)), zero);
    return hn::Min(hn::Max(y, least), most);
  }
};

/// A row's lines of numbers of 32 bits.
template <class Tag, class Results>
CTNN_INLINE void store_numbers(const sum_results& p, int row, Tag d, const Results& results) {
  const std::int64_t width = p.width, sums_pitch = p.sums_pitch, to_pitch = p.to_pitch;
  auto* to = static_cast<hn::TFromD<Tag>*>(p.to) + row * p.to_row;
  for (int l = 0, lines = p.lines; l < lines; ++l, to += to_pitch)
    for (std::int64_t i = 0; i < width; i += quads_in_vector) {
      const auto y = results.at(l * sums_pitch + i, i);
      if (width - i >= quads_in_vector) {
        hn::StoreU(y, d, to + i);
      } else {
        alignas(64) hn::TFromD<Tag> numbers[quad_lanes];
        hn::Store(y, d, numbers);
        std::memcpy(to + i, numbers, static_cast<std::size_t>(width - i) * sizeof numbers[0]);
      }
    }
}

/// Four vectors of numbers that are bytes, of either sign.
template <class Results>
CTNN_INLINE void store_four(const Results& results, std::int64_t from, std::int64_t column, std::uint8_t* to) {
  quad_vec y[4];
  CTNN_UNROLL for (int k = 0; k < 4; ++k) y[k] = results.at(from + k * quads_in_vector, column + k * quads_in_vector);
#if defined(CTNN_X86)
  // Packed by parts of 128 bits, which are put in order at last.
  const auto low = CTNN_X86(set1_epi16)(255);
#if HWY_TARGET == HWY_SSE4
  const auto first = _mm_and_si128(_mm_packs_epi32(y[0].raw, y[1].raw), low),
             last = _mm_and_si128(_mm_packs_epi32(y[2].raw, y[3].raw), low);
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), _mm_packus_epi16(first, last));
#elif HWY_TARGET == HWY_AVX2
  const auto first = _mm256_and_si256(_mm256_packs_epi32(y[0].raw, y[1].raw), low),
             last = _mm256_and_si256(_mm256_packs_epi32(y[2].raw, y[3].raw), low);
  const auto order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)),
                      _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, last), order));
#else
  const auto first = _mm512_and_si512(_mm512_packs_epi32(y[0].raw, y[1].raw), low),
             last = _mm512_and_si512(_mm512_packs_epi32(y[2].raw, y[3].raw), low);
  const auto order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, _mm512_packus_epi16(first, last)));
#endif
#else
  CTNN_UNROLL for (int k = 0; k < 4; ++k) store_bytes(y[k], to + k * quads_in_vector, quads_in_vector);
#endif
}

/// A row's lines of bytes. A last vector that is not full is made again with some of the results before it, or, in
/// lines that lie one behind the other, with some of those that are made next.
template <class Results>
CTNN_INLINE void write_bytes(const sum_results& p, int row, const Results& results) {
  const std::int64_t width = p.width, sums_pitch = p.sums_pitch, to_pitch = p.to_pitch;
  auto* to = static_cast<std::uint8_t*>(p.to) + row * p.to_row;
  std::int64_t from = 0, behind = to_pitch == width ? (p.lines - 1) * width : 0;
  for (int l = 0, lines = p.lines; l < lines; ++l, to += to_pitch, from += sums_pitch, behind -= behind ? width : 0) {
    std::int64_t i = 0;
    for (; i + 4 * quads_in_vector <= width; i += 4 * quads_in_vector) store_four(results, from + i, i, to + i);
    for (; i < width; i += quads_in_vector) {
      if (width >= quads_in_vector && width - i < quads_in_vector) i = width - quads_in_vector;
      store_bytes(results.at(from + i, i), to + i, width - i + behind);
    }
  }
}

template <sum_results::arithmetic How, bool Each>
CTNN_NOINLINE void finish_reals(const sum_results& p) {
  using reals = sums_as_reals<How, Each>;
  for (int row = 0; row < p.rows; ++row)
    if (p.type == sum_results::f32) store_numbers(p, row, real_tag(), reals(p, row));
    else if (p.multiplies && p.away && !p.divides && p.zero == 0)
      write_bytes(p, row, reals_by_scale_away<reals>(p, row));
    else if (p.divides || p.multiplies || p.away) write_bytes(p, row, reals_by_scale<reals>(p, row));
    else write_bytes(p, row, reals_to_even<reals>(p, row));
}
template <bool Each>
CTNN_NOINLINE void finish_others(const sum_results& p) {
  for (int row = 0; row < p.rows; ++row)
    if (p.how == sum_results::none) store_numbers(p, row, quad_tag(), whole_sums<Each>(p, row));
    else write_bytes(p, row, sums_by_fixed_factors<Each>(p, row));
}

}  // namespace detail

template <int = 0>
inline bool finish_sums(const sum_results& p) {
  using namespace detail;
  if (p.how == sum_results::real) {
    p.step ? finish_reals<sum_results::real, true>(p) : finish_reals<sum_results::real, false>(p);
  } else if (p.how == sum_results::fused) {
#if HWY_NATIVE_FMA
    p.step ? finish_reals<sum_results::fused, true>(p) : finish_reals<sum_results::fused, false>(p);
#else
    return false;
#endif
  } else {
    p.step ? finish_others<true>(p) : finish_others<false>(p);
  }
  return true;
}

namespace detail {

template <int = 0>
CTNN_INLINE quad_vec quantized_floats(const float_results& r, const float* from) {
  const real_tag f;
  const real_vec x = hn::LoadU(f, from), scale = hn::Set(f, r.scale);
  const real_vec y = r.divides ? quotient(f, x, scale) : hn::Mul(x, scale);
  return hn::Xor(round_between(y, r.away, r.zero, r.least, r.most), hn::Set(quad_tag(), r.flip));
}

}  // namespace detail

template <int = 0>
inline void quantize_floats(const float_results& given) {
  using namespace detail;
  const float_results r = given;
  std::int64_t i = 0;
  for (; i + quads_in_vector <= r.n; i += quads_in_vector)
    store_bytes(quantized_floats(r, r.from + i), r.to + i, quads_in_vector);
  if (i == r.n) return;
  alignas(64) float part[quad_lanes]{};
  std::memcpy(part, r.from + i, static_cast<std::size_t>(r.n - i) * sizeof(float));
  store_bytes(quantized_floats(r, part), r.to + i, r.n - i);
}

namespace detail {

template <int = 0>
CTNN_INLINE real_vec reals_of_bytes(const byte_reals& r, const std::uint8_t* from) {
  const hn::Rebind<std::uint8_t, quad_tag> d;
  const auto bytes = hn::Xor(hn::LoadU(d, from), hn::Set(d, r.flip));
  const quad_vec steps = hn::Sub(hn::PromoteTo(quad_tag(), bytes), hn::Set(quad_tag(), r.zero + r.flip));
  return hn::Mul(hn::ConvertTo(real_tag(), steps), hn::Set(real_tag(), r.scale));
}

}  // namespace detail

template <int = 0>
inline void dequantize_bytes(const byte_reals& given) {
  using namespace detail;
  const byte_reals r = given;
  std::int64_t i = 0;
  for (; i + quads_in_vector <= r.n; i += quads_in_vector)
    hn::StoreU(reals_of_bytes(r, r.from + i), real_tag(), r.to + i);
  if (i == r.n) return;
  std::uint8_t part[quad_lanes]{};
  std::memcpy(part, r.from + i, static_cast<std::size_t>(r.n - i));
  alignas(64) float numbers[quad_lanes];
  hn::Store(reals_of_bytes(r, part), real_tag(), numbers);
  std::memcpy(r.to + i, numbers, static_cast<std::size_t>(r.n - i) * sizeof(float));
}

namespace detail {

#if defined(CTNN_X86)

/// A table of 256 bytes as sixteen of 16, which processors look up at once by the lower halves of bytes below 128. Of
/// each but the first and the ninth, what differs from the one before it: a byte finds all up to its own, as those
/// behind it give 0.
class table_of_bytes {
 public:
  explicit table_of_bytes(const std::uint8_t* table) {
    for (int i = 0; i < 256; ++i)
      changes_[i] = static_cast<std::uint8_t>(table[i] ^ (i % 128 < 16 ? 0 : table[i - 16]));
  }
  template <class D>
  CTNN_INLINE hn::Vec<D> of(D d, hn::Vec<D> x) const {
    const hn::RebindToSigned<D> steps;
    const auto sixteen = hn::Set(steps, 16);
    auto first = hn::BitCast(steps, x), last = hn::BitCast(steps, hn::Xor(x, hn::Set(d, 128)));
    auto y = hn::Zero(d);
    CTNN_UNROLL for (int i = 0; i < 128; i += 16) {
      y = hn::Xor(y, hn::TableLookupBytesOr0(hn::LoadDup128(d, changes_ + i), hn::BitCast(d, first)));
      y = hn::Xor(y, hn::TableLookupBytesOr0(hn::LoadDup128(d, changes_ + 128 + i), hn::BitCast(d, last)));
      first = hn::SaturatedSub(first, sixteen);
      last = hn::SaturatedSub(last, sixteen);
    }
    return y;
  }

 private:
  alignas(16) std::uint8_t changes_[256];
};

#elif CTNN_VECTORS_OF_TABLES

/// A table of 256 bytes as four of 64, which are looked up at once and leave what is not theirs.
class table_of_bytes {
 public:
  explicit table_of_bytes(const std::uint8_t* table) {
    for (int i = 0; i < 4; ++i) parts_[i] = vld1q_u8_x4(table + 64 * i);
  }
  template <class D>
  CTNN_INLINE hn::Vec<D> of(D, hn::Vec<D> x) const {
    uint8x16_t y = vqtbl4q_u8(parts_[0], x.raw);
    CTNN_UNROLL for (int i = 1; i < 4; ++i) y =
        vqtbx4q_u8(y, parts_[i], veorq_u8(x.raw, vdupq_n_u8(static_cast<std::uint8_t>(64 * i))));
    return hn::Vec<D>{y};
  }

 private:
  uint8x16x4_t parts_[4];
};

#endif

}  // namespace detail

template <int = 0>
inline void look_up_bytes(const std::uint8_t* table, const std::uint8_t* x, std::int64_t n, std::uint8_t* to) {
  std::int64_t i = 0;
#if CTNN_VECTORS_OF_TABLES
  if (n >= 512) {  // it has to be prepared
    const HWY_FULL(std::uint8_t) d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const detail::table_of_bytes all(table);
    for (; i + step <= n; i += step) hn::StoreU(all.of(d, hn::LoadU(d, x + i)), d, to + i);
  }
#endif
  plainly::look_up(table, x + i, n - i, to + i);
}

namespace detail {

/// Bytes less their zero point, or one for all.
struct bytes_as_steps {
  const std::uint8_t* bytes;
  quad_vec one;
  std::uint8_t flip;
  quad_vec zero;
  bool stays;

  CTNN_INLINE bytes_as_steps(const std::uint8_t* x, int step, std::uint8_t flipped, int z)
      : bytes(x), flip(flipped), zero(hn::Set(quad_tag(), z + flipped)), stays(step == 0) {
    one = stays ? hn::Sub(hn::Set(quad_tag(), *x ^ flip), zero) : hn::Zero(quad_tag());
  }
  CTNN_INLINE quad_vec at(std::int64_t i) const {
    if (stays) return one;
    const hn::Rebind<std::uint8_t, quad_tag> d;
    return hn::Sub(hn::PromoteTo(quad_tag(), hn::Xor(hn::LoadU(d, bytes + i), hn::Set(d, flip))), zero);
  }
};

/// a f + b g for bytes less zero points and f, g of 15 bits.
struct sums_of_pairs {
  quad_vec factors, second;
  CTNN_INLINE sums_of_pairs(std::int64_t f, std::int64_t g)
      : factors(hn::Set(quad_tag(), static_cast<std::int32_t>(f | (both_in_one ? g << 16 : 0)))),
        second(hn::Set(quad_tag(), static_cast<std::int32_t>(g))) {}
#if defined(CTNN_X86)
  static constexpr bool both_in_one = true;
  static CTNN_INLINE quad_vec pair(quad_vec a, quad_vec b) {
    return hn::Or(hn::And(a, hn::Set(quad_tag(), 0xFFFF)), hn::ShiftLeft<16>(b));
  }
  CTNN_INLINE quad_vec of(quad_vec, quad_vec, quad_vec both) const {
    return quad_vec{CTNN_X86(madd_epi16)(both.raw, factors.raw)};
  }
#else
  static constexpr bool both_in_one = false;
  static CTNN_INLINE quad_vec pair(quad_vec a, quad_vec) { return a; }
  CTNN_INLINE quad_vec of(quad_vec a, quad_vec b, quad_vec) const {
    return hn::Add(hn::Mul(a, factors), hn::Mul(b, second));
  }
#endif
};

/// weighted_sum() by factors in three digits of 15 bits, the highest of 6: nothing leaves 32 bits.
struct weighted_pairs {
  bytes_as_steps x, z;
  sums_of_pairs high, middle, low;
  quad_vec sign, zero, least, most;
  static constexpr std::int64_t most_factor = std::int64_t{1} << 36;

  CTNN_INLINE explicit weighted_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, p.x_zero),
        z(p.z, p.z_step, p.z_flip, p.z_zero),
        high(p.first >> 30, p.second >> 30),
        middle(p.first >> 15 & 0x7FFF, p.second >> 15 & 0x7FFF),
        low(p.first & 0x7FFF, p.second & 0x7FFF),
        sign(hn::Set(quad_tag(), p.subtracts ? -1 : 0)),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    const quad_vec a = x.at(i), b = hn::Sub(hn::Xor(z.at(i), sign), sign), both = sums_of_pairs::pair(a, b);
    const quad_vec upper = hn::Add(hn::ShiftLeft<15>(high.of(a, b, both)), middle.of(a, b, both));
    const quad_vec rest = hn::Add(hn::ShiftRight<15>(low.of(a, b, both)), hn::Set(quad_tag(), 1 << 16));
    const quad_vec y = hn::Add(hn::ShiftRight<17>(hn::Add(upper, rest)), zero);
    return hn::Min(hn::Max(y, least), most);
  }
};

struct multiplied_pairs {
  bytes_as_steps x, z;
  quad_vec factor, zero, least, most;
  static constexpr std::int64_t most_factor = std::int64_t{1} << 31;

  CTNN_INLINE explicit multiplied_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, p.x_zero),
        z(p.z, p.z_step, p.z_flip, p.z_zero),
        factor(hn::Set(quad_tag(), static_cast<std::int32_t>(p.first))),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    const quad_vec y = hn::Add(multiply_fixed(hn::Mul(x.at(i), z.at(i)), factor), zero);
    return hn::Min(hn::Max(y, least), most);
  }
};

/// Numbers within 2^30 by a factor that is not above 1/2 and is rounded twice.
struct rounded_twice {
  quad_vec digits, half, sign;
  int shift;

  CTNN_INLINE explicit rounded_twice(const twice_rounded_factor& f)
      : digits(hn::Set(quad_tag(), f.digits)),
        half(hn::Set(quad_tag(), f.exponent < 0 ? std::int32_t{1} << (-f.exponent - 1) : 0)),
        sign(hn::Set(quad_tag(), f.exponent < 0 ? -1 : 0)),
        shift(-f.exponent) {}
  /// Half of floor(2 x digits / 2^32 + 1/2): the digits are 31.
  CTNN_INLINE quad_vec of(quad_vec x) const {
    const quad_vec once = multiply_fixed(hn::Add(x, x), digits);
    return hn::ShiftRightSame(hn::Add(once, hn::Add(half, hn::And(hn::ShiftRight<31>(once), sign))), shift);
  }
};

/// Sums, or products, in gemmlowp's arithmetic.
template <bool Multiplies>
struct twice_rounded_pairs {
  bytes_as_steps x, z;
  rounded_twice first, second, result;
  quad_vec sign, zero, least, most;
  static constexpr std::int64_t most_factor = std::numeric_limits<std::int64_t>::max();

  CTNN_INLINE explicit twice_rounded_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, p.x_zero),
        z(p.z, p.z_step, p.z_flip, p.z_zero),
        first(p.twice->first()),
        second(p.twice->second()),
        result(p.twice->result()),
        sign(hn::Set(quad_tag(), p.subtracts ? -1 : 0)),
        zero(hn::Set(quad_tag(), p.zero)),
        least(hn::Set(quad_tag(), p.least)),
        most(hn::Set(quad_tag(), p.most)) {}
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    quad_vec y;
    if constexpr (Multiplies) {
      y = hn::Mul(x.at(i), z.at(i));
    } else {
      const quad_vec b = second.of(hn::ShiftLeft<20>(z.at(i)));
      y = hn::Add(first.of(hn::ShiftLeft<20>(x.at(i))), hn::Sub(hn::Xor(b, sign), sign));
    }
    return hn::Min(hn::Max(hn::Add(result.of(y), zero), least), most);
  }
};

#if HWY_NATIVE_FMA
/// Sums of real numbers, or products.
template <bool Multiplies>
struct real_pairs {
  bytes_as_steps x, z;
  real_vec a, b, c;
  int least, most;
  static constexpr std::int64_t most_factor = std::numeric_limits<std::int64_t>::max();

  CTNN_INLINE explicit real_pairs(const byte_pairs& p)
      : x(p.x, p.x_step, p.x_flip, Multiplies ? p.x_zero : 0),
        z(p.z, p.z_step, p.z_flip, Multiplies ? p.z_zero : 0),
        a(hn::Set(real_tag(), p.a)),
        b(hn::Set(real_tag(), p.b)),
        c(hn::Set(real_tag(), p.c)),
        least(p.least),
        most(p.most) {
    if constexpr (Multiplies) return;
    // What stays is in the constant, a product and a sum of its own.
    if (x.stays) c = hn::Add(c, rounded_product(x.one, a));
    else if (z.stays) c = hn::Add(c, rounded_product(z.one, b));
  }
  CTNN_INLINE quad_vec at(std::int64_t i, std::int64_t) const {
    const real_tag f;
    real_vec y;
    if constexpr (Multiplies) {
      y = hn::Add(rounded_product(hn::Mul(x.at(i), z.at(i)), a), c);
    } else {
      y = z.stays && !x.stays ? c : hn::MulAdd(hn::ConvertTo(f, z.at(i)), b, c);
      if (!x.stays) y = hn::MulAdd(hn::ConvertTo(f, x.at(i)), a, y);
    }
    return round_between(y, false, 0, least, most);
  }

 private:
  /// No compiler makes one operation of it and a sum behind it.
  static CTNN_INLINE real_vec rounded_product(quad_vec x, real_vec by) {
    const real_tag f;
    return least_of(hn::Mul(hn::ConvertTo(f, x), by), hn::Set(f, std::numeric_limits<float>::max()));
  }
};
#endif

template <class Pairs>
CTNN_NOINLINE bool combine_bytes_by(const byte_pairs& given) {
  if (given.first >= Pairs::most_factor || given.second >= Pairs::most_factor) return false;
  const byte_pairs p = given;
  if (p.n == 0) return true;
  const Pairs pairs(p);
  std::int64_t i = 0;
  for (; i + 4 * quads_in_vector <= p.n; i += 4 * quads_in_vector) store_four(pairs, i, i, p.to + i);
  for (; i + quads_in_vector <= p.n; i += quads_in_vector) store_bytes(pairs.at(i, i), p.to + i, quads_in_vector);
  if (i == p.n) return true;
  std::uint8_t x[quad_lanes]{}, z[quad_lanes]{};
  const auto rest = static_cast<std::size_t>(p.n - i);
  std::memcpy(x, p.x + i * p.x_step, p.x_step ? rest : 1);
  std::memcpy(z, p.z + i * p.z_step, p.z_step ? rest : 1);
  byte_pairs last = p;
  last.x = x;
  last.z = z;
  store_bytes(Pairs(last).at(0, 0), p.to + i, p.n - i);
  return true;
}

}  // namespace detail

template <int = 0>
inline bool combine_bytes(const byte_pairs& p) {
#if HWY_NATIVE_FMA
  if (p.reals)
    return p.multiplies ? detail::combine_bytes_by<detail::real_pairs<true>>(p)
                        : detail::combine_bytes_by<detail::real_pairs<false>>(p);
#endif
  if (p.reals) return false;
  if (p.twice) {
    const auto fits = [](const twice_rounded_factor& f) { return f.exponent <= 0; };
    if (!fits(p.twice->result()) || !(p.multiplies || (fits(p.twice->first()) && fits(p.twice->second()))))
      return false;
    return p.multiplies ? detail::combine_bytes_by<detail::twice_rounded_pairs<true>>(p)
                        : detail::combine_bytes_by<detail::twice_rounded_pairs<false>>(p);
  }
  return p.multiplies ? detail::combine_bytes_by<detail::multiplied_pairs>(p)
                      : detail::combine_bytes_by<detail::weighted_pairs>(p);
}

template <int = 0>
inline void interleave_bytes(const std::uint8_t* const (&lines)[4], std::int64_t n, std::uint8_t flip,
                             std::uint8_t* to) {
  const HWY_CAPPED(std::uint8_t, 16) d;
  constexpr std::int64_t step = 16;
  const auto flipped = hn::Set(d, flip);
  std::int64_t i = 0;
  for (; i + step <= n; i += step)
    hn::StoreInterleaved4(hn::Xor(hn::LoadU(d, lines[0] + i), flipped), hn::Xor(hn::LoadU(d, lines[1] + i), flipped),
                          hn::Xor(hn::LoadU(d, lines[2] + i), flipped), hn::Xor(hn::LoadU(d, lines[3] + i), flipped), d,
                          to + 4 * i);
  if (i == n) return;
  const std::uint8_t* const rest[4]{lines[0] + i, lines[1] + i, lines[2] + i, lines[3] + i};
  plainly::interleave(rest, n - i, flip, to + 4 * i);
}

namespace detail {

/// With vectors of D, if there are so many bytes; of what is left, some are compared again that were.
template <class D>
CTNN_INLINE bool largest_by(D d, const std::uint8_t* const* lines, int count, std::int64_t n, bool is_signed,
                            std::uint8_t* to) {
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < step) return false;
  const auto flip = hn::Set(d, static_cast<std::uint8_t>(is_signed ? 128 : 0));
  for (std::int64_t i = 0; i < n; i += step) {
    const std::int64_t at = i + step <= n ? i : n - step;
    auto most = hn::Xor(hn::LoadU(d, lines[0] + at), flip);
    for (int k = 1; k < count; ++k) most = hn::Max(most, hn::Xor(hn::LoadU(d, lines[k] + at), flip));
    hn::StoreU(hn::Xor(most, flip), d, to + at);
  }
  return true;
}

}  // namespace detail

template <int = 0>
inline void largest_bytes(const std::uint8_t* const* lines, int count, std::int64_t n, bool is_signed,
                          std::uint8_t* to) {
  const HWY_FULL(std::uint8_t) full;
  const HWY_CAPPED(std::uint8_t, 16) d16;
  const HWY_CAPPED(std::uint8_t, 8) d8;
  if (!detail::largest_by(full, lines, count, n, is_signed, to) &&
      !detail::largest_by(d16, lines, count, n, is_signed, to) &&
      !detail::largest_by(d8, lines, count, n, is_signed, to))
    plainly::largest(lines, count, n, is_signed, to);
}

template <int = 0>
inline std::int64_t sum_of_bytes(const std::uint8_t* x, std::int64_t n, bool is_signed) {
  const HWY_FULL(std::uint8_t) d;
  const hn::Repartition<std::uint64_t, decltype(d)> wide;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  const auto flip = hn::Set(d, static_cast<std::uint8_t>(is_signed ? 128 : 0));
  auto sums = hn::Zero(wide);
  std::int64_t i = 0;
  for (; i + step <= n; i += step) sums = hn::Add(sums, hn::SumsOf8(hn::Xor(hn::LoadU(d, x + i), flip)));
  const auto all = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(wide, sums))) - (is_signed ? 128 * i : 0);
  return all + plainly::sum(x + i, n - i, is_signed);
}

namespace detail {

/// With vectors of D, if there are so many bytes; of what is left, some are taken again that were.
template <class D>
CTNN_INLINE bool take_second_by(D d, const std::uint8_t* x, std::int64_t n, std::uint8_t* to) {
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < step) return false;
  for (std::int64_t i = 0; i < n; i += step) {
    const std::int64_t at = i + step <= n ? i : n - step;
    hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, x + 2 * at + step), hn::LoadU(d, x + 2 * at)), d, to + at);
  }
  return true;
}

}  // namespace detail

template <int = 0>
inline void take_every_byte(const std::uint8_t* x, int stride, std::int64_t n, std::uint8_t* to) {
  const HWY_FULL(std::uint8_t) full;
  const HWY_CAPPED(std::uint8_t, 16) d16;
  if (stride != 2 || (!detail::take_second_by(full, x, n, to) && !detail::take_second_by(d16, x, n, to)))
    plainly::take_every(x, stride, n, to);
}

template <int = 0>
inline void take_byte_windows(const std::uint8_t* x, int stride, int dilation, std::int64_t n, std::uint8_t flip,
                              std::uint8_t* to) {
  if (3 * (stride + dilation) > 15) return plainly::take_windows(x, stride, dilation, n, flip, to);
  const HWY_CAPPED(std::uint8_t, 16) d;
  alignas(16) std::uint8_t places[16];
  for (int i = 0; i < 16; ++i) places[i] = static_cast<std::uint8_t>(i / 4 * stride + i % 4 * dilation);
  const auto taken = hn::Load(d, places), flipped = hn::Set(d, flip);
  for (std::int64_t i = 0; i < n; i += 4, x += 4 * stride)
    hn::StoreU(hn::Xor(hn::TableLookupBytes(hn::LoadU(d, x), taken), flipped), d, to + 4 * i);
}

/// The target's kernels of whole numbers.
template <int = 0>
inline integer_kernels integers_of_target() {
  return {&multiply_quads,    &finish_sums,   &quantize_floats,  &dequantize_bytes,
          &look_up_bytes,     &combine_bytes, &interleave_bytes, &take_every_byte,
          &take_byte_windows, &largest_bytes, &sum_of_bytes,     !has_dot_products()};
}

#else

template <int = 0>
inline integer_kernels integers_of_target() { return plainly::kernels; }

#endif

CTNN_END_TARGET

#endif
