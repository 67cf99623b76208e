// SPDX-License-Identifier: BSL-1.0
// From floats to the bytes that stand for them, and back.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_BYTE_REALS_INL_HPP)
#define CTNN_KERNELS_BYTE_REALS_INL_HPP
#define CTNN_KERNELS_BYTE_REALS_ENABLED
#endif
#elif defined(CTNN_KERNELS_BYTE_REALS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_BYTE_REALS_INL_HPP
#undef CTNN_KERNELS_BYTE_REALS_INL_HPP
#else
#define CTNN_KERNELS_BYTE_REALS_INL_HPP
#endif
#define CTNN_KERNELS_BYTE_REALS_ENABLED
#endif

#if defined(CTNN_KERNELS_BYTE_REALS_ENABLED)
#undef CTNN_KERNELS_BYTE_REALS_ENABLED

#include "integer_results-inl.hpp"

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

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

#endif

CTNN_END_TARGET

#endif
