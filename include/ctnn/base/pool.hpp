// SPDX-License-Identifier: BSL-1.0
// A growing array for passes that run in the compiler and at run time: std::vector's interface in as few evaluation
// steps as possible (libstdc++'s costs compilers three times as much). Items are plain values; nothing is checked.
// `items` and `count` are there to be read, as static_vector's: what every step of a pass asks goes without a call.
// It is a contiguous range, so it becomes a std::span by itself (a conversion function besides would be ambiguous to
// GCC).
#pragma once

#include <cstddef>
#include <initializer_list>
#include "span.hpp"

namespace ctnn::ir {

template <class T>
struct pool {
  T* items = nullptr;
  std::size_t count = 0;

  constexpr pool() = default;
  constexpr pool(std::size_t n, const T& fill) {
    reserve(n);
    for (; count < n; ++count) items[count] = fill;
  }
  constexpr pool(std::initializer_list<T> list) : pool(span<const T>(list.begin(), list.size())) {}
  constexpr explicit pool(span<const T> from) {
    const std::size_t n = from.size();
    const T* source = from.data();
    reserve(n);
    T* to = items;
    for (std::size_t i = 0; i < n; ++i) to[i] = source[i];
    count = n;
  }
  constexpr pool(const pool& other) : pool(span<const T>(other.items, other.count)) {}
  constexpr pool(pool&& other) noexcept : items(other.items), count(other.count), capacity_(other.capacity_) {
    other.items = nullptr;
    other.count = other.capacity_ = 0;
  }
  constexpr pool& operator=(pool other) noexcept {
    T* before = items;
    items = other.items;
    other.items = before;
    count = other.count;
    capacity_ = other.capacity_;
    return *this;
  }
  constexpr ~pool() { delete[] items; }

  constexpr std::size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + count; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + count; }
  constexpr T& operator[](std::size_t i) { return items[i]; }
  constexpr const T& operator[](std::size_t i) const { return items[i]; }
  constexpr T& back() { return items[count - 1]; }
  constexpr void pop_back() { --count; }
  constexpr void clear() { count = 0; }
  /// Keeps the first n items.
  constexpr void shrink(std::size_t n) { count = n; }

  constexpr void reserve(std::size_t n) {
    if (n <= capacity_) return;
    T* bigger = new T[n];
    for (std::size_t i = 0; i < count; ++i) bigger[i] = items[i];
    delete[] items;
    items = bigger;
    capacity_ = n;
  }
  /// Room for `n` more items.
  constexpr void reserve_more(std::size_t n) {
    if (count + n > capacity_) reserve(count + n > 2 * capacity_ ? count + n : 2 * capacity_);
  }
  /// `n` items from elsewhere: a loop over pointers, since compilers count the steps of a span's iterators.
  constexpr void append(const T* from, std::size_t n) {
    reserve_more(n);
    T* to = items + count;
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    count += n;
  }
  constexpr void push_back(const T& item) {
    if (count == capacity_) return grow(item);
    items[count++] = item;
  }

 private:
  /// By value: the item may live in this very pool.
  constexpr void grow(T item) {
    reserve(capacity_ < 8 ? 16 : 2 * capacity_);
    items[count++] = item;
  }

  std::size_t capacity_ = 0;
};

}  // namespace ctnn::ir
