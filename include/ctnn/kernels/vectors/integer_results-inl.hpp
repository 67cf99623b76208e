// SPDX-License-Identifier: BSL-1.0
// What becomes of sums of products of bytes: real numbers, or bytes again.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_INTEGER_RESULTS_INL_HPP)
#define CTNN_KERNELS_INTEGER_RESULTS_INL_HPP
#define CTNN_KERNELS_INTEGER_RESULTS_ENABLED
#endif
#elif defined(CTNN_KERNELS_INTEGER_RESULTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_INTEGER_RESULTS_INL_HPP
#undef CTNN_KERNELS_INTEGER_RESULTS_INL_HPP
#else
#define CTNN_KERNELS_INTEGER_RESULTS_INL_HPP
#endif
#define CTNN_KERNELS_INTEGER_RESULTS_ENABLED
#endif

#if defined(CTNN_KERNELS_INTEGER_RESULTS_ENABLED)
#undef CTNN_KERNELS_INTEGER_RESULTS_ENABLED

#include "integer_products-inl.hpp"

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

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

#endif

CTNN_END_TARGET

#endif
