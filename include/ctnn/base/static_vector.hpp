// SPDX-License-Identifier: BSL-1.0
// A vector with inline storage: no heap, usable in constants. Capacity is a limit, not a hint: full() tells.
#pragma once

#include <cstddef>
#include <initializer_list>

namespace ctnn::ir {

template <class T, std::size_t Capacity>
struct static_vector {
  T items[Capacity]{};
  std::size_t count = 0;

  constexpr static_vector() = default;
  constexpr static_vector(std::initializer_list<T> list) {
    for (const T& item : list) push_back(item);
  }

  static constexpr std::size_t capacity() { return Capacity; }
  constexpr std::size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr bool full() const { return count == Capacity; }
  /// Appends; the caller has checked full().
  constexpr void push_back(const T& item) { items[count++] = item; }
  constexpr void clear() { count = 0; }

  constexpr T& operator[](std::size_t i) { return items[i]; }
  constexpr const T& operator[](std::size_t i) const { return items[i]; }
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + count; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + count; }

  friend constexpr bool operator==(const static_vector& a, const static_vector& b) {
    if (a.count != b.count) return false;
    for (std::size_t i = 0; i < a.count; ++i)
      if (!(a.items[i] == b.items[i])) return false;
    return true;
  }
};

}  // namespace ctnn::ir
