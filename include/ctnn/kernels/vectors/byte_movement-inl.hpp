// SPDX-License-Identifier: BSL-1.0
// Bytes by a table of what each becomes, in other orders, and the largest and the sum of many.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_BYTE_MOVEMENT_INL_HPP)
#define CTNN_KERNELS_BYTE_MOVEMENT_INL_HPP
#define CTNN_KERNELS_BYTE_MOVEMENT_ENABLED
#endif
#elif defined(CTNN_KERNELS_BYTE_MOVEMENT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_BYTE_MOVEMENT_INL_HPP
#undef CTNN_KERNELS_BYTE_MOVEMENT_INL_HPP
#else
#define CTNN_KERNELS_BYTE_MOVEMENT_INL_HPP
#endif
#define CTNN_KERNELS_BYTE_MOVEMENT_ENABLED
#endif

#if defined(CTNN_KERNELS_BYTE_MOVEMENT_ENABLED)
#undef CTNN_KERNELS_BYTE_MOVEMENT_ENABLED

#include "integer_products-inl.hpp"

CTNN_BEGIN_TARGET

#if !CTNN_SCALAR_VEC

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

#endif

CTNN_END_TARGET

#endif
