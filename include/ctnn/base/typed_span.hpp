// SPDX-License-Identifier: BSL-1.0
// Numbers of any element type, for reading: a span that knows at run time what it is of, and that compilers can follow
// in constants (which no void pointer is).
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "compiler.hpp"
#include "dtype.hpp"

namespace ctnn {

namespace detail {

/// To words of four bytes.
template <class T>
constexpr void copy_elements(const T* from, std::size_t n, float* to) {
  if (!CTNN_IN_CONSTANT()) {
    if (n != 0) std::memcpy(to, from, n * sizeof(T));
  } else if constexpr (sizeof(T) == 8) {
    struct words {
      float at[2];
    };
    for (std::size_t i = 0; i < n; ++i, to += 2) {
      const words w = std::bit_cast<words>(from[i]);
      to[0] = w.at[0];
      to[1] = w.at[1];
    }
  } else {
    struct parts {
      T at[4 / sizeof(T)];
    };
    constexpr std::size_t each = 4 / sizeof(T);
    for (std::size_t i = 0; i < n; i += each) {
      parts p{};
      for (std::size_t k = 0; k < each && i + k < n; ++k) p.at[k] = from[i + k];
      *to++ = std::bit_cast<float>(p);
    }
  }
}

}  // namespace detail

class typed_span {
 public:
  constexpr typed_span() = default;
  template <class T>
    requires is_element<T>
  constexpr typed_span(const T* first, std::size_t n) : size_(n) {
    point_to(first);
  }
  /// Of a span, an array, a vector.
  template <class Range>
    requires(!std::is_same_v<Range, typed_span>) && requires(const Range& r) {
      requires is_element<std::remove_cvref_t<decltype(*std::data(r))>>;
      std::size(r);
    }
  constexpr typed_span(const Range& r) : typed_span(std::data(r), std::size(r)) {}

  constexpr dtype type() const { return type_; }
  constexpr std::size_t size() const { return size_; }
  /// Of f32.
  constexpr const float* data() const { return f32_; }

  /// f(const T* first, n) with the elements as what they are. (Spans of 13 types cost compilers a tenth of a second.)
  constexpr auto visit(auto&& f) const {
    switch (type_) {
#define CTNN_VISIT(name, T) \
  case dtype::name: return f(name##_, size_);
      CTNN_ELEMENTS(CTNN_VISIT)
#undef CTNN_VISIT
    }
    return f(f32_, std::size_t{0});
  }

  /// Copies the elements to where words of four bytes lie one after the other.
  constexpr void copy_to(float* to) const {
    visit([to](const auto* first, std::size_t n) { detail::copy_elements(first, n, to); });
  }

  /// Equal types and elements, bit by bit.
  friend constexpr bool same_bits(const typed_span& a, const typed_span& b) {
    if (a.type_ != b.type_ || a.size_ != b.size_) return false;
    return a.visit([&]<class T>(const T* x, std::size_t n) {
      using bits =
          std::conditional_t<sizeof(T) == 8, std::uint64_t,
                             std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                                std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
      const T* const y = first_of(b, x);
      for (std::size_t i = 0; i < n; ++i)
        if (std::bit_cast<bits>(x[i]) != std::bit_cast<bits>(y[i])) return false;
      return true;
    });
  }

 private:
#define CTNN_POINT_TO(name, T)              \
  constexpr void point_to(const T* first) { \
    name##_ = first;                        \
    type_ = dtype::name;                    \
  }                                         \
  static constexpr const T* first_of(const typed_span& all, const T*) { return all.name##_; }
  CTNN_ELEMENTS(CTNN_POINT_TO)
#undef CTNN_POINT_TO
  union {
    const float* f32_ = nullptr;
    const double* f64_;
    const float16* f16_;
    const bfloat16* bf16_;
    const std::int64_t* i64_;
    const std::int32_t* i32_;
    const std::int16_t* i16_;
    const std::int8_t* i8_;
    const std::uint64_t* u64_;
    const std::uint32_t* u32_;
    const std::uint16_t* u16_;
    const std::uint8_t* u8_;
    const bool* boolean_;
  };
  std::size_t size_ = 0;
  dtype type_ = dtype::f32;
};

}  // namespace ctnn
