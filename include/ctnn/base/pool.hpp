// SPDX-License-Identifier: BSL-1.0
// A growing array for passes that run in the compiler and at run time: std::vector's interface in as few evaluation
// steps as possible (libstdc++'s costs compilers three times as much). Items are plain values; nothing is checked.
// It is a contiguous range, so it becomes a std::span by itself (a conversion function besides would be ambiguous to
// GCC).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

namespace ctnn::ir {

template <class T>
class pool {
 public:
  constexpr pool() = default;
  constexpr pool(std::size_t count, const T& fill) {
    reserve(count);
    for (; size_ < count; ++size_) items_[size_] = fill;
  }
  constexpr pool(std::initializer_list<T> list) : pool(std::span<const T>(list.begin(), list.size())) {}
  constexpr explicit pool(std::span<const T> from) {
    const std::size_t n = from.size();
    const T* source = from.data();
    reserve(n);
    T* items = items_;
    for (std::size_t i = 0; i < n; ++i) items[i] = source[i];
    size_ = n;
  }
  constexpr pool(const pool& other) : pool(std::span<const T>(other.items_, other.size_)) {}
  constexpr pool(pool&& other) noexcept : items_(other.items_), size_(other.size_), capacity_(other.capacity_) {
    other.items_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  constexpr pool& operator=(pool other) noexcept {
    T* items = items_;
    items_ = other.items_;
    other.items_ = items;
    size_ = other.size_;
    capacity_ = other.capacity_;
    return *this;
  }
  constexpr ~pool() { delete[] items_; }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return items_; }
  constexpr const T* data() const { return items_; }
  constexpr T* begin() { return items_; }
  constexpr T* end() { return items_ + size_; }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + size_; }
  constexpr T& operator[](std::size_t i) { return items_[i]; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }
  constexpr T& back() { return items_[size_ - 1]; }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  /// Keeps the first n items.
  constexpr void shrink(std::size_t n) { size_ = n; }

  constexpr void reserve(std::size_t n) {
    if (n <= capacity_) return;
    T* bigger = new T[n];
    for (std::size_t i = 0; i < size_; ++i) bigger[i] = items_[i];
    delete[] items_;
    items_ = bigger;
    capacity_ = n;
  }
  /// `n` items from elsewhere: a loop over pointers, since compilers count the steps of a span's iterators.
  constexpr void append(const T* from, std::size_t n) {
    if (size_ + n > capacity_) reserve(size_ + n > 2 * capacity_ ? size_ + n : 2 * capacity_);
    T* to = items_ + size_;
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    size_ += n;
  }
  /// By value: the item may live in this very pool.
  constexpr void push_back(T item) {
    if (size_ == capacity_) reserve(capacity_ < 8 ? 16 : 2 * capacity_);
    items_[size_++] = item;
  }

 private:
  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ctnn::ir
