// SPDX-License-Identifier: BSL-1.0
// Memory for numbers, and an extractor's: what one value does not need any more another takes; what is handed out as an
// array stays with it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "../loaded/aligned_memory.hpp"
#include "../loaded/number_source.hpp"

namespace ctnn::ir {

/// Memory for numbers, aligned to a cache line and not initialised.
class number_buffer {
 public:
  number_buffer() = default;
  explicit number_buffer(std::size_t size) : memory_(allocate_aligned<float>(size + 1)), size_(size) {}
  float* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  aligned_memory<float> memory_;
  std::size_t size_ = 0;
};

/// Numbers that a run has left in memory of their own.
class numbers_of_run final : public number_source {
 public:
  numbers_of_run(std::shared_ptr<const number_buffer> memory, std::span<const std::byte> numbers)
      : memory_(std::move(memory)), numbers_(numbers) {}
  std::span<const std::byte> bytes(byte_buffer&) const override { return numbers_; }

 private:
  std::shared_ptr<const number_buffer> memory_;
  std::span<const std::byte> numbers_;
};

/// Values by number, side by side in as few blocks as it takes. A value lies where the first room for it is: what is
/// small and comes late takes the same lines of the cache again and again.
class buffers {
 public:
  explicit buffers(std::size_t count) : used_(count), alone_(count) {}

  /// The i-th value is to have memory of its own, which memory_of() hands out.
  void set_apart(std::size_t i) { alone_[i].apart = true; }
  bool is_apart(std::size_t i) const { return alone_[i].apart; }
  /// Of a value that is apart and has been used.
  const std::shared_ptr<const number_buffer>& memory_of(std::size_t i) const { return alone_[i].memory; }

  /// Before somebody writes to the i-th value: who was handed its memory keeps it as it is.
  void part_from(std::size_t i) {
    std::shared_ptr<const number_buffer>& memory = alone_[i].memory;
    if (!memory || memory.use_count() == 1) return;
    const std::shared_ptr<const number_buffer> before = memory;
    release_alone(memory);
    std::copy_n(before->data(), before->size(), at_alone(memory, before->size()));
  }

  /// Of the i-th value, of `size` floats; its place is found at its first use.
  float* at(std::size_t i, std::size_t size) {
    const std::size_t whole = (size / line + 1) * line;
    if (alone_[i].apart) return at_alone(alone_[i].memory, whole);
    range& place = used_[i];
    if (place.begin == nullptr) place = take(whole);
    return place.begin;
  }
  void release(std::size_t i) {
    if (alone_[i].apart) return release_alone(alone_[i].memory);
    if (used_[i].begin != nullptr) put_back(used_[i]);
    used_[i] = {};
  }
  /// The peak counts anew. Several blocks become one as large as they were: a plan asks for the same sizes every time.
  void release_all() {
    for (std::size_t i = 0; i < used_.size(); ++i) release(i);
    if (blocks_.size() > 1) {
      free_.clear();
      blocks_.clear();
      add_block(held_);
    }
    peak_ = held_ + held_alone_;
  }
  /// Most bytes that there were at one time, spare ones among them.
  std::size_t peak_bytes() const { return peak_ * sizeof(float); }

 private:
  static constexpr std::size_t line = 16;  // floats
  struct range {
    float* begin = nullptr;
    std::size_t size = 0;
  };

  struct place_apart {
    bool apart = false;
    std::shared_ptr<const number_buffer> memory;
  };

  float* at_alone(std::shared_ptr<const number_buffer>& memory, std::size_t size) {
    if (!memory) {
      memory = std::make_shared<const number_buffer>(size);
      held_alone_ += size;
      peak_ = std::max(peak_, held_ + held_alone_);
    }
    return memory->data();
  }
  /// It is used again, unless somebody has it.
  void release_alone(std::shared_ptr<const number_buffer>& memory) {
    if (!memory) return;
    if (memory.use_count() > 1) {
      held_alone_ -= memory->size();
      memory = nullptr;
    } else {
      std::atomic_thread_fence(std::memory_order_acquire);  // who had it, on any thread, has read it
    }
  }

  range take(std::size_t size) {
    auto room = std::ranges::find_if(free_, [&](const range& r) { return r.size >= size; });
    if (room == free_.end()) {
      const float* const added = add_block(size);
      held_ += size;
      peak_ = std::max(peak_, held_ + held_alone_);
      room = std::ranges::find(free_, added, &range::begin);
    }
    const range taken{room->begin, size};
    room->begin += size;
    room->size -= size;
    if (room->size == 0) free_.erase(room);
    return taken;
  }
  /// Blocks are a line longer, so that rooms of two of them are never neighbours.
  const float* add_block(std::size_t size) {
    blocks_.emplace_back(size + line);
    put_back({blocks_.back().data(), size});
    return blocks_.back().data();
  }
  /// One room with its neighbours.
  void put_back(range r) {
    const auto after = std::ranges::lower_bound(free_, r.begin, std::less(), &range::begin);
    if (after != free_.end() && r.begin + r.size == after->begin) {
      after->begin = r.begin;
      after->size += r.size;
      if (after != free_.begin() && join(*std::prev(after), *after)) free_.erase(after);
    } else if (after == free_.begin() || !join(*std::prev(after), r)) {
      free_.insert(after, r);
    }
  }
  static bool join(range& before, const range& r) {
    const bool neighbours = before.begin + before.size == r.begin;
    if (neighbours) before.size += r.size;
    return neighbours;
  }

  std::vector<number_buffer> blocks_;
  std::vector<range> used_, free_;  ///< free ones in order
  std::vector<place_apart> alone_;
  std::size_t held_ = 0, held_alone_ = 0, peak_ = 0;  ///< floats
};

}  // namespace ctnn::ir
