// SPDX-License-Identifier: BSL-1.0
// Products of rows of floats by weights of few bits (bit_packing.hpp), which are never floats all at once: one row
// alone multiplies them as they are loaded, block by block, and many rows share some inputs of some columns at a time,
// as many floats as the nearest cache holds.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_BITS_INL_HPP)
#define CTNN_KERNELS_BITS_INL_HPP
#define CTNN_KERNELS_BITS_ENABLED
#endif
#elif defined(CTNN_KERNELS_BITS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_BITS_INL_HPP
#undef CTNN_KERNELS_BITS_INL_HPP
#else
#define CTNN_KERNELS_BITS_INL_HPP
#endif
#define CTNN_KERNELS_BITS_ENABLED
#endif

#if defined(CTNN_KERNELS_BITS_ENABLED)
#undef CTNN_KERNELS_BITS_ENABLED

#include "../../graph/operators/weight_element.hpp"
#include "../packing.hpp"
#include "../simd/simd-inl.hpp"

CTNN_BEGIN_TARGET

/// A weight of few bits, from one of its columns on.
struct bit_columns {
  const std::uint8_t* words;
  const float *scale, *zero;  ///< zero: null where all are `usual`
  float usual;
  int bits, row_words, blocks, depth;
  int block;  ///< numbers that share a scale

  /// From so many columns further on, which fill blocks of them.
  CTNN_INLINE bit_columns from(std::ptrdiff_t columns) const {
    bit_columns there = *this;
    there.words += columns * row_words;
    there.scale += columns * blocks;
    if (zero != nullptr) there.zero += columns * blocks;
    return there;
  }
  CTNN_INLINE int end_of_block(int k) const { return depth - k < block - k % block ? depth : k - k % block + block; }
};

namespace detail {

#if CTNN_SCALAR_VEC
using bit_word = int;
CTNN_INLINE bit_word load_words(const std::uint8_t* p) { return *p; }
/// Number I of words of `Bits` bits.
template <int Bits, int I>
CTNN_INLINE vec number_in(bit_word words) {
  return static_cast<float>(words >> I * Bits & ((1 << Bits) - 1));
}
#else
using bit_word = hn::Vec<int_tag>;
CTNN_INLINE bit_word load_words(const std::uint8_t* p) {
  return hn::PromoteTo(int_tag(), hn::LoadU(hn::Rebind<std::uint8_t, int_tag>(), p));
}
template <int Bits, int I>
CTNN_INLINE vec number_in(bit_word words) {
  if constexpr (I > 0) words = hn::ShiftRight<I * Bits>(words);
  if constexpr ((I + 1) * Bits < 8) words = hn::And(words, hn::Set(int_tag(), (1 << Bits) - 1));
  return hn::ConvertTo(tag(), words);
}
#endif

/// f(I) for I < N, each as a constant.
template <int I, int N, class F>
CTNN_INLINE void for_numbers_in_word(const F& f) {
  if constexpr (I < N) {
    f.template operator()<I>();
    for_numbers_in_word<I + 1, N>(f);
  }
}

/// Numbers of words at the same place in V vectors of columns as floats, row by row, `pitch` apart.
template <int Bits, int V>
struct write_numbers {
  const bit_word (&words)[V];
  const vec (&scale)[V], (&zero)[V];
  float* to;
  template <int I>
  CTNN_INLINE void operator()() const {
    CTNN_UNROLL for (int v = 0; v < V; ++v)
        storeu(mul(sub(number_in<Bits, I>(words[v]), zero[v]), scale[v]), to + I * channel_block + v * lanes);
  }
};

/// Inputs from `first` to `end` of a block of columns as floats; up to a whole word more are written.
template <int Bits>
CTNN_NOINLINE void expand_bits(const bit_columns& w, int first, int end, float* to) {
  constexpr int in_word = 8 / Bits, V = channel_block / lanes;
  const std::uint8_t* words = w.words + first / in_word * channel_block;
  while (first < end) {
    const std::ptrdiff_t b = first / w.block;
    const int whole = w.end_of_block(first), stop = whole < end ? whole : end;
    vec scale[V], zero[V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      scale[v] = loadu(w.scale + b * channel_block + v * lanes);
      zero[v] = w.zero == nullptr ? set(w.usual) : loadu(w.zero + b * channel_block + v * lanes);
    }
    for (; first < stop; first += in_word, words += channel_block, to += in_word * channel_block) {
      bit_word loaded[V];
      CTNN_UNROLL for (int v = 0; v < V; ++v) loaded[v] = load_words(words + v * lanes);
      for_numbers_in_word<0, in_word>(write_numbers<Bits, V>{loaded, scale, zero, to});
    }
    first = stop;
  }
}

/// Adds their products with inputs to sums, every other one to the second half.
template <int Bits, int V>
struct add_numbers {
  const bit_word (&words)[V];
  const vec (&zero)[V];
  const float* in;
  vec (&sum)[2][V];
  template <int I>
  CTNN_INLINE void operator()() const {
    const vec x = set(in[I]);
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[I % 2][v] =
        mul_add(x, sub(number_in<Bits, I>(words[v]), zero[v]), sum[I % 2][v]);
  }
};

template <int Bits, int V>
CTNN_INLINE void add_word(const std::uint8_t* words, std::ptrdiff_t row_block, const vec (&zero_point)[V],
                          const float* in, vec (&sum)[2][V]) {
  constexpr int in_block = channel_block / lanes;
  bit_word loaded[V];
  CTNN_UNROLL for (int v = 0; v < V; ++v) loaded[v] =
      load_words(words + v / in_block * row_block + v % in_block * lanes);
  for_numbers_in_word<0, 8 / Bits>(add_numbers<Bits, V>{loaded, zero_point, in, sum});
}

/// sums += one row by V vectors of columns. Sums of a block are scaled as a whole.
template <int Bits, int V>
CTNN_NOINLINE void multiply_row_by_bits(const bit_columns& w, const float* in, float* sums) {
  constexpr int in_word = 8 / Bits, in_block = channel_block / lanes;
  const std::ptrdiff_t row_block = std::ptrdiff_t{w.row_words} * channel_block,
                       scale_block = std::ptrdiff_t{w.blocks} * channel_block;
  const std::uint8_t* words = w.words;
  for (int first = 0, b = 0; first < w.depth; ++b) {
    const int stop = w.end_of_block(first);
    const std::ptrdiff_t of_block = std::ptrdiff_t{b} * channel_block;
    vec zero_point[V], sum[2][V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      const std::ptrdiff_t at = v / in_block * scale_block + of_block + v % in_block * lanes;
      zero_point[v] = w.zero == nullptr ? set(w.usual) : loadu(w.zero + at);
      sum[0][v] = sum[1][v] = zero();
    }
    for (; stop - first >= in_word; first += in_word, words += channel_block)
      add_word<Bits, V>(words, row_block, zero_point, in + first, sum);
    if (first < stop) {  // the last word of a row holds numbers beyond it
      float last[in_word] = {};
      for (int i = 0; i < stop - first; ++i) last[i] = in[first + i];
      add_word<Bits, V>(words, row_block, zero_point, last, sum);
    }
    first = stop;
    CTNN_UNROLL for (int v = 0; v < V; ++v) {
      const std::ptrdiff_t at = v / in_block * scale_block + of_block + v % in_block * lanes;
      float* const to = sums + v * lanes;
      storeu(mul_add(add(sum[0][v], sum[1][v]), loadu(w.scale + at), loadu(to)), to);
    }
  }
}

}  // namespace detail

CTNN_END_TARGET

#endif
