// SPDX-License-Identifier: BSL-1.0
// Memory for numbers, and an extractor's: what one value does not need any more another takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace ctnn::ir {

/// Memory for numbers, aligned to a cache line and not initialised.
class number_buffer {
 public:
  number_buffer() = default;
  explicit number_buffer(std::size_t size) : memory_(allocate(size)), size_(size) {}
  float* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct release {
    void operator()(float* p) const { ::operator delete[](p, alignment); }
  };
  static std::unique_ptr<float[], release> allocate(std::size_t size) {
    return std::unique_ptr<float[], release>(
        static_cast<float*>(::operator new[]((size + 1) * sizeof(float), alignment)));
  }
  std::unique_ptr<float[], release> memory_;
  std::size_t size_ = 0;
};

/// Values by number.
class buffers {
 public:
  explicit buffers(std::size_t count) : used_(count) {}

  /// Of the i-th value, of `size` floats; made, or taken from the spare ones, at its first use.
  float* at(std::size_t i, std::size_t size) {
    number_buffer& m = used_[i];
    if (m) return m.data();
    // The smallest spare buffer that is not much too large; a plan asks for the same sizes every time.
    auto best = spare_.end();
    for (auto b = spare_.begin(); b != spare_.end(); ++b)
      if (b->size() >= size && b->size() <= 2 * size + 1024 && (best == spare_.end() || b->size() < best->size()))
        best = b;
    if (best != spare_.end()) {
      m = std::move(*best);
      spare_.erase(best);
    } else {
      m = number_buffer(size);
      held_ += size * sizeof(float);
      peak_ = std::max(peak_, held_);
    }
    return m.data();
  }
  void release(std::size_t i) {
    number_buffer& m = used_[i];
    if (!m) return;
    spare_.push_back(std::move(m));
    m = number_buffer();
  }
  /// The peak counts anew.
  void release_all() {
    for (std::size_t i = 0; i < used_.size(); ++i) release(i);
    peak_ = held_;
  }
  /// Most bytes that were there at one time, spare ones among them.
  std::size_t peak_bytes() const { return peak_; }

 private:
  std::vector<number_buffer> used_, spare_;
  std::size_t held_ = 0, peak_ = 0;
};

}  // namespace ctnn::ir
