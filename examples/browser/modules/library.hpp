// SPDX-License-Identifier: BSL-1.0
// What ctnn needs and the C++ library of Debian's emscripten (libc++ 13) has not yet; put before everything else.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <utility>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace std

#endif

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000

namespace std::ranges {

template <class Range, class Predicate>
constexpr auto find_if(Range&& range, Predicate holds) {
  return std::find_if(std::begin(range), std::end(range), holds);
}
template <class Range, class T, class Part = std::identity>
constexpr auto find(Range&& range, const T& wanted, Part part = {}) {
  return ranges::find_if(range, [&](const auto& item) { return std::invoke(part, item) == wanted; });
}
template <class Range, class Predicate>
constexpr bool any_of(Range&& range, Predicate holds) {
  return std::any_of(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
constexpr bool all_of(Range&& range, Predicate holds) {
  return std::all_of(std::begin(range), std::end(range), [&](const auto& item) { return std::invoke(holds, item); });
}
template <class Range>
constexpr auto min_element(Range&& range) {
  return std::min_element(std::begin(range), std::end(range));
}
template <class Range>
constexpr auto max_element(Range&& range) {
  return std::max_element(std::begin(range), std::end(range));
}
template <class Range, class T>
constexpr auto count(Range&& range, const T& wanted) {
  return std::count(std::begin(range), std::end(range), wanted);
}
template <class Range, class Out>
constexpr Out copy(Range&& range, Out to) {
  return std::copy(std::begin(range), std::end(range), to);
}
template <class Range, class T>
constexpr void fill(Range&& range, const T& item) {
  std::fill(std::begin(range), std::end(range), item);
}
template <class Range, class Less = std::less<>, class Part = std::identity>
constexpr void sort(Range&& range, Less less = {}, Part part = {}) {
  std::sort(std::begin(range), std::end(range),
            [&](const auto& a, const auto& b) { return less(std::invoke(part, a), std::invoke(part, b)); });
}
template <class Range, class T, class Less = std::less<>, class Part = std::identity>
constexpr auto lower_bound(Range&& range, const T& wanted, Less = {}, Part part = {}) {
  return std::lower_bound(std::begin(range), std::end(range), wanted,
                          [&](const auto& item, const T& other) { return std::invoke(part, item) < other; });
}

}  // namespace std::ranges

#endif
