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

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

namespace detail {

using quad_tag = HWY_CAPPED(std::int32_t, quad_lanes);
using quad_vec = hn::Vec<quad_tag>;
constexpr int quads_in_vector = static_cast<int>(hn::MaxLanes(quad_tag()));

CTNN_INLINE quad_vec load_quads(const std::uint8_t* p) {
  return hn::BitCast(quad_tag(), hn::LoadU(hn::Repartition<std::uint8_t, quad_tag>(), p));
}
CTNN_INLINE std::int32_t quad_at(const std::int8_t* p) {
  std::int32_t quad;
  std::memcpy(&quad, p, 4);
  return quad;
}

// Ways to add the four products of each quad to a sum: right() and left() prepare the operands, start() and total() the
// sums. `vectors` columns are summed at a time by four rows.

#if defined(CTNN_X86)

/// Operands and sums of those that need nothing prepared.
struct quads_as_they_are {
  static CTNN_INLINE quad_vec right(const std::uint8_t* p) { return load_quads(p); }
  static CTNN_INLINE quad_vec left(std::int32_t quad) { return hn::Set(quad_tag(), quad); }
  static CTNN_INLINE quad_vec start(std::int32_t sum, std::int32_t) { return hn::Set(quad_tag(), sum); }
  static CTNN_INLINE quad_vec total(quad_vec sum) { return sum; }
};

/// Products in pairs of 16 bits, which must hold their sums.
struct pairs_of_16_bits : quads_as_they_are {
  static constexpr int vectors = vector_registers == 32 ? 4 : 2;
  static CTNN_INLINE void add(quad_vec& sum, quad_vec x, quad_vec w) {
    const auto ones = CTNN_X86(set1_epi16)(1);
    const quad_vec products{CTNN_X86(madd_epi16)(CTNN_X86(maddubs_epi16)(x.raw, w.raw), ones)};
    sum = hn::Add(sum, products);
  }
};

/// Bytes as 16 bits each, whatever they are.
struct widened_bytes {
  static constexpr int vectors = vector_registers == 32 ? 4 : 2;
  struct both {
    quad_vec even, odd;
  };
  static CTNN_INLINE both right(const std::uint8_t* p) {
    const quad_vec x = load_quads(p);
    return {hn::And(x, hn::Set(quad_tag(), 0x00FF00FF)), {CTNN_X86(srli_epi16)(x.raw, 8)}};
  }
  static CTNN_INLINE both left(std::int32_t quad) {
    const quad_vec w = hn::Set(quad_tag(), quad);
    return {{CTNN_X86(srai_epi16)(CTNN_X86(slli_epi16)(w.raw, 8), 8)}, {CTNN_X86(srai_epi16)(w.raw, 8)}};
  }
  static CTNN_INLINE quad_vec start(std::int32_t sum, std::int32_t) { return hn::Set(quad_tag(), sum); }
  static CTNN_INLINE quad_vec total(quad_vec sum) { return sum; }
  static CTNN_INLINE void add(quad_vec& sum, const both& x, const both& w) {
    sum = hn::Add(sum, quad_vec{CTNN_X86(madd_epi16)(x.even.raw, w.even.raw)});
    sum = hn::Add(sum, quad_vec{CTNN_X86(madd_epi16)(x.odd.raw, w.odd.raw)});
  }
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// VNNI, which the target's flags do not name: its processors may have it (dot_products.hpp).
struct dot_of_processor : quads_as_they_are {
  static constexpr int vectors = vector_registers == 32 ? 4 : 3;
  static CTNN_INLINE void add(quad_vec& sum, quad_vec x, quad_vec w) {
#if HWY_TARGET == HWY_AVX3
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
#else
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(x.raw), "x"(w.raw));
#endif
  }
};
#endif

#elif HWY_TARGET == HWY_NEON

/// Right operands less 128, signed as left ones are; the sums begin with what that takes from them.
struct signed_bytes {
#if defined(__ARM_FEATURE_DOTPROD)
  static constexpr int vectors = 4;
  using sums = quad_vec;
  static CTNN_INLINE quad_vec total(quad_vec sum) { return sum; }
  static CTNN_INLINE quad_vec first(quad_vec sum) { return sum; }
  static CTNN_INLINE void add(sums& sum, int8x16_t x, int8x16_t w) { sum.raw = vdotq_s32(sum.raw, x, w); }
#else
  static constexpr int vectors = 2;
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
  static constexpr int vectors = 2;
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

/// R rows with V vectors of columns from `column` on, in registers.
template <class Dot, int R, int V>
CTNN_NOINLINE void multiply_quad_tile(const quad_products& p, std::int64_t column) {
  decltype(Dot::start(0, 0)) sums[R][V];
  CTNN_UNROLL for (int r = 0; r < R; ++r) CTNN_UNROLL for (int v = 0; v < V; ++v) sums[r][v] =
      Dot::start(p.start[r], p.left_sums[r]);
  const std::int8_t* left = p.left;
  const std::uint8_t* const right = p.right + 4 * column;
  const std::ptrdiff_t* const offsets = p.offsets;
  const std::int64_t quads = p.quads;
  for (std::int64_t q = 0; q < quads; ++q, left += 4 * R) {
    decltype(Dot::right(right)) x[V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) x[v] = Dot::right(right + offsets[q] + 4 * v * quads_in_vector);
    CTNN_UNROLL for (int r = 0; r < R; ++r) {
      const auto w = Dot::left(quad_at(left + 4 * r));
      CTNN_UNROLL for (int v = 0; v < V; ++v) Dot::add(sums[r][v], x[v], w);
    }
  }
  CTNN_UNROLL for (int r = 0; r < R; ++r) CTNN_UNROLL for (int v = 0; v < V; ++v)
      hn::StoreU(Dot::total(sums[r][v]), quad_tag(), p.sums + r * p.pitch + column + v * quads_in_vector);
}

template <class Dot, int R>
CTNN_INLINE void multiply_quad_rows(const quad_products& p) {
  constexpr int most = Dot::vectors;
  std::int64_t c = 0;
  for (; p.columns - c > (most - 1) * quads_in_vector; c += most * quads_in_vector)
    multiply_quad_tile<Dot, R, most>(p, c);
  if constexpr (most > 3)
    if (p.columns - c > 2 * quads_in_vector) return multiply_quad_tile<Dot, R, 3>(p, c);
  if constexpr (most > 2)
    if (p.columns - c > quads_in_vector) return multiply_quad_tile<Dot, R, 2>(p, c);
  if (p.columns > c) multiply_quad_tile<Dot, R, 1>(p, c);
}

template <class Dot>
CTNN_INLINE void multiply_quads_by(const quad_products& p) {
  if (p.rows == 1) multiply_quad_rows<Dot, 1>(p);
  else multiply_quad_rows<Dot, 4>(p);
}

}  // namespace detail

inline bool has_dot_products() {
#if HWY_TARGET == HWY_AVX3
  return dot_products_in_use().avx512;
#elif HWY_TARGET == HWY_AVX2
  return dot_products_in_use().avx;
#else
  return false;
#endif
}

inline void multiply_quads(const quad_products& p) {
#if defined(CTNN_X86)
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if (has_dot_products()) return detail::multiply_quads_by<detail::dot_of_processor>(p);
#endif
  if (p.fits_16_bits) detail::multiply_quads_by<detail::pairs_of_16_bits>(p);
  else detail::multiply_quads_by<detail::widened_bytes>(p);
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
CTNN_INLINE real_vec most_of(real_vec a, real_vec b) {
#if defined(CTNN_X86)
  return hn::Max(a, b);
#else
  return hn::IfThenElse(hn::Gt(a, b), a, b);
#endif
}
CTNN_INLINE real_vec least_of(real_vec a, real_vec b) {
#if defined(CTNN_X86)
  return hn::Min(a, b);
#else
  return hn::IfThenElse(hn::Lt(a, b), a, b);
#endif
}

/// rounded_between, in every lane.
CTNN_INLINE quad_vec round_between(real_vec x, bool away, int zero, int least, int most) {
  const real_tag f;
  const quad_tag d;
  const real_vec low = hn::Set(f, static_cast<float>(least - zero)), high = hn::Set(f, static_cast<float>(most - zero));
  x = least_of(most_of(x, low), high);
  quad_vec y;
  if (away) {
    y = hn::ConvertTo(d, x);
    const real_vec rest = hn::Sub(x, hn::ConvertTo(f, y)), half = hn::Set(f, 0.5f);
    const quad_vec one = hn::Set(d, 1), none = hn::Zero(d);
    y = hn::Add(y, hn::IfThenElse(hn::RebindMask(d, hn::Ge(rest, half)), one, none));
    y = hn::Sub(y, hn::IfThenElse(hn::RebindMask(d, hn::Le(rest, hn::Neg(half))), one, none));
  } else {
    y = hn::NearestInt(x);
  }
  return hn::Add(y, hn::Set(d, zero));
}

/// The first n lanes as bytes, some bits changed.
template <class T>
CTNN_INLINE void store_bytes(quad_vec y, std::uint8_t flip, T* to, std::int64_t n) {
  const hn::Rebind<T, quad_tag> d;
  const auto bytes = hn::Xor(hn::DemoteTo(d, y), hn::Set(d, static_cast<T>(flip)));
  if (n >= quads_in_vector) return hn::StoreU(bytes, d, to);
  alignas(16) T part[quad_lanes];
  hn::StoreU(bytes, d, part);
  std::memcpy(to, part, static_cast<std::size_t>(n));
}

/// floor(x * factor / 2^32 + 1/2) for factors below 2^31.
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

/// Sums as reals, or as steps of the results where there is a factor for those alone.
template <sum_results::arithmetic How>
CTNN_INLINE real_vec real_of_sums(const sum_results& p, quad_vec sum, std::int64_t column) {
  const real_tag f;
  const real_vec factor = p.step ? hn::LoadU(f, p.factor + column) : hn::Set(f, *p.factor);
  real_vec x = hn::ConvertTo(f, sum);
  if constexpr (How == sum_results::fused) {
    const real_vec bias = !p.real_bias ? hn::Zero(f)
                          : p.step     ? hn::LoadU(f, p.real_bias + column)
                                       : hn::Set(f, *p.real_bias);
    x = hn::MulAdd(x, factor, bias);
  } else {
    x = hn::Mul(x, factor);
  }
  if (p.low == -std::numeric_limits<float>::infinity() && p.high == -p.low) return x;
  return least_of(hn::Set(f, p.high), most_of(hn::Set(f, p.low), x));
}

CTNN_INLINE quad_vec fixed_factors(const sum_results& p, std::int64_t column) {
  const quad_tag d;
  if (!p.step) return hn::Set(d, static_cast<std::int32_t>(*p.fixed_factor));
  alignas(64) std::int32_t factors[quad_lanes];
  for (int i = 0; i < quads_in_vector; ++i) factors[i] = static_cast<std::int32_t>(p.fixed_factor[column + i]);
  return hn::Load(d, factors);
}

template <class Tag, class T>
CTNN_INLINE void store_numbers(Tag d, hn::Vec<Tag> y, T* to, std::int64_t n) {
  if (n >= quads_in_vector) return hn::StoreU(y, d, to);
  alignas(64) T numbers[quad_lanes];
  hn::Store(y, d, numbers);
  std::memcpy(to, numbers, static_cast<std::size_t>(n) * sizeof(T));
}

/// Lines of results of type T, 1 for i32 and f32; what the loop needs is a copy that stores cannot change.
template <sum_results::arithmetic How, class T>
CTNN_NOINLINE void finish_lines(const sum_results& given) {
  const sum_results p = given;
  const quad_tag d;
  const real_tag f;
  for (int l = 0; l < p.lines; ++l) {
    const std::int32_t* const sums = p.sums + l * p.sums_pitch;
    const std::int32_t* const right = p.right_sums ? p.right_sums + l * p.sums_pitch : nullptr;
    T* const to = static_cast<T*>(p.to) + l * p.to_pitch;
    for (std::int64_t i = 0; i < p.width; i += quads_in_vector) {
      const std::int64_t column = i * p.step, n = p.width - i;
      quad_vec sum = hn::LoadU(d, sums + i);
      if (right) sum = hn::Add(sum, hn::Mul(hn::LoadU(d, right + i), hn::Set(d, p.right_times)));
      if (p.integer_bias)
        sum = hn::Add(sum, p.step ? hn::LoadU(d, p.integer_bias + column) : hn::Set(d, *p.integer_bias));
      if constexpr (How == sum_results::none) {
        store_numbers(d, sum, to + i, n);
      } else if constexpr (How == sum_results::fixed) {
        quad_vec y = hn::Add(multiply_fixed(sum, fixed_factors(p, column)), hn::Set(d, p.zero));
        y = hn::Min(hn::Max(y, hn::Set(d, p.least)), hn::Set(d, p.most));
        store_bytes<T>(y, 0, to + i, n);
      } else {
        real_vec x = real_of_sums<How>(p, sum, column);
        if constexpr (std::is_same_v<T, float>) {
          store_numbers(f, x, to + i, n);
        } else {
          if (p.divides) x = hn::Div(x, hn::Set(f, p.scale));
          if (p.multiplies) x = hn::Mul(x, hn::Set(f, p.scale));
          store_bytes<T>(round_between(x, p.away, p.zero, p.least, p.most), 0, to + i, n);
        }
      }
    }
  }
}

template <sum_results::arithmetic How>
CTNN_INLINE void finish_of_type(const sum_results& p) {
  if constexpr (How != sum_results::fixed)
    if (p.type == sum_results::f32) return finish_lines<How, float>(p);
  if (p.type == sum_results::i8) finish_lines<How, std::int8_t>(p);
  else finish_lines<How, std::uint8_t>(p);
}

}  // namespace detail

inline bool finish_sums(const sum_results& p) {
  switch (p.how) {
    case sum_results::none: detail::finish_lines<sum_results::none, std::int32_t>(p); break;
    case sum_results::real: detail::finish_of_type<sum_results::real>(p); break;
    case sum_results::fixed: detail::finish_of_type<sum_results::fixed>(p); break;
    case sum_results::fused:
#if HWY_NATIVE_FMA
      detail::finish_of_type<sum_results::fused>(p);
      break;
#else
      return false;
#endif
  }
  return true;
}

namespace detail {

template <class T>
CTNN_INLINE void quantize_floats_as(const float_results& given) {
  const float_results r = given;
  const real_tag f;
  for (std::int64_t i = 0; i < r.n; i += quads_in_vector) {
    alignas(64) float part[quad_lanes];
    const float* from = r.from + i;
    if (r.n - i < quads_in_vector) {
      std::memset(part, 0, sizeof part);
      std::memcpy(part, from, static_cast<std::size_t>(r.n - i) * sizeof(float));
      from = part;
    }
    const real_vec x = hn::LoadU(f, from), scale = hn::Set(f, r.scale);
    const real_vec y = r.divides ? hn::Div(x, scale) : hn::Mul(x, scale);
    store_bytes(round_between(y, r.away, r.zero, r.least, r.most), r.flip, reinterpret_cast<T*>(r.to + i), r.n - i);
  }
}

}  // namespace detail

inline void quantize_floats(const float_results& r) {
  if (r.least < 0) detail::quantize_floats_as<std::int8_t>(r);
  else detail::quantize_floats_as<std::uint8_t>(r);
}

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

/// With vectors of D, if there are so many bytes; what is left is compared again with some that were: a maximum stays.
template <class D>
CTNN_INLINE bool larger_by(D d, const std::uint8_t* x, std::int64_t n, bool is_signed, std::uint8_t* to) {
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < step) return false;
  const auto flip = hn::Set(d, static_cast<std::uint8_t>(is_signed ? 128 : 0));
  for (std::int64_t i = 0; i < n; i += step) {
    const std::int64_t at = i + step <= n ? i : n - step;
    const auto most = hn::Max(hn::Xor(hn::LoadU(d, x + at), flip), hn::Xor(hn::LoadU(d, to + at), flip));
    hn::StoreU(hn::Xor(most, flip), d, to + at);
  }
  return true;
}

}  // namespace detail

inline void larger_bytes(const std::uint8_t* x, std::int64_t n, bool is_signed, std::uint8_t* to) {
  const HWY_FULL(std::uint8_t) full;
  const HWY_CAPPED(std::uint8_t, 16) d16;
  const HWY_CAPPED(std::uint8_t, 8) d8;
  if (!detail::larger_by(full, x, n, is_signed, to) && !detail::larger_by(d16, x, n, is_signed, to) &&
      !detail::larger_by(d8, x, n, is_signed, to))
    plainly::larger(x, n, is_signed, to);
}

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

inline void take_every_byte(const std::uint8_t* x, int stride, std::int64_t n, std::uint8_t* to) {
  std::int64_t i = 0;
  if (stride == 2) {
    const HWY_CAPPED(std::uint8_t, 16) d;
    for (; i + 16 <= n; i += 16) {
      hn::Vec<decltype(d)> even, odd;
      hn::LoadInterleaved2(d, x + 2 * i, even, odd);
      hn::StoreU(even, d, to + i);
    }
  }
  plainly::take_every(x + i * stride, stride, n - i, to + i);
}

/// The target's kernels of whole numbers.
inline integer_kernels integers_of_target() {
  return {&multiply_quads,  &finish_sums,  &quantize_floats, &interleave_bytes,
          &take_every_byte, &larger_bytes, &sum_of_bytes,    !has_dot_products()};
}

#else

inline integer_kernels integers_of_target() { return plainly::kernels; }

#endif

CTNN_END_TARGET

#endif
