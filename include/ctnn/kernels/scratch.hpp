// SPDX-License-Identifier: BSL-1.0
// Memory of a kernel's own while it runs. An operator says how many bytes its kernel takes, the plan finds them in the
// arena, and the kernel gets them as a third argument:
//
//   constexpr std::int64_t scratch(inputs in, std::span<const extents> out) const {
//     return scratch_for(in[0].count(), 8);
//   }
//   void run(const Op&, const arguments&, scratch_memory memory) {
//     std::span<double> sums = memory.take<double>(n);
//     ...
//   }
//
// A kernel that divides may say least_scratch() beside it: what one part of its work takes. The plan gives more where
// there is room, and the kernel asks scratch_memory::parts() for how many.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#include "../base/refuse.hpp"
#include "../graph/operator.hpp"

namespace ctnn::ir {

/// At most as many Ts as it was made for.
template <class T>
class scratch_list {
 public:
  scratch_list() = default;
  explicit scratch_list(std::span<T> room) : items_(room.data()), capacity_(room.size()) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() const { return items_; }
  T* begin() const { return items_; }
  T* end() const { return items_ + size_; }
  T& operator[](std::size_t i) const { return items_[i]; }
  T& back() const { return items_[size_ - 1]; }
  void push_back(const T& item) {
    if (size_ == capacity_)
      refuse_at_run_time("scratch", "a list has room for % items", static_cast<std::int64_t>(capacity_));
    items_[size_++] = item;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  /// Keeps the first n.
  void shrink(std::size_t n) { size_ = n < size_ ? n : size_; }

 private:
  T* items_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;
};

/// Handed on by value, so what a function takes is free again when it returns.
class scratch_memory {
 public:
  scratch_memory() = default;
  explicit scratch_memory(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  /// How many parts of the work, `most` or fewer, have room here; at least one. each(n): bytes of each of n parts.
  int parts(int most, auto&& each) const {
    while (most > 1 && most * each(most) > static_cast<std::int64_t>(size())) --most;
    return most;
  }

  /// n Ts, as `T x;` leaves them.
  template <class T>
  std::span<T> take(std::int64_t n) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= scratch_alignment);
    const auto size = static_cast<std::size_t>(scratch_for(n, sizeof(T)));
    if (size > bytes_.size())
      refuse_at_run_time("scratch", "a kernel takes % bytes, its operator's scratch() left %",
                         static_cast<std::int64_t>(size), static_cast<std::int64_t>(bytes_.size()));
    T* first = static_cast<T*>(static_cast<void*>(bytes_.data()));
    bytes_ = bytes_.subspan(size);
    for (std::int64_t i = 0; i < n; ++i) ::new (static_cast<void*>(first + i)) T;
    return {first, static_cast<std::size_t>(n)};
  }
  template <class T>
  scratch_list<T> list(std::int64_t capacity) {
    return scratch_list<T>(take<T>(capacity));
  }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace ctnn::ir
