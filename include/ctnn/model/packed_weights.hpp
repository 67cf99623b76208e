// SPDX-License-Identifier: BSL-1.0
// The weights of a model's programs as their kernels want them: each is packed once, for all programs that read the
// same, however many there are and whoever makes them at once.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "../loaded/number_source.hpp"
#include "buffers.hpp"

namespace ctnn::ir {

/// What a packed weight follows from, if that can be said (packing_key.hpp).
struct packing_key {
  std::string text;  ///< empty: nothing but its numbers tells it from others
  std::vector<std::shared_ptr<const number_source>> of;  ///< whose ids are in it: while it is known they are not new
};

class packed_weight {
 public:
  const float* data() const { return same_ ? same_->data() : numbers_.data(); }
  /// The one that has these numbers, if this one does not.
  const std::shared_ptr<const packed_weight>& same() const { return same_; }
  /// Of memory that this one has for itself.
  std::size_t bytes() const { return numbers_.size() * sizeof(float); }

 private:
  friend class packed_weights;
  std::once_flag made_;
  number_buffer numbers_;
  std::shared_ptr<const packed_weight> same_;
  std::vector<std::shared_ptr<const number_source>> of_;
};

/// Of all programs of a model. What no program has any more is gone.
class packed_weights {
 public:
  /// A weight of `size` numbers, which pack(float*) writes if nobody has them yet. Others who want the same wait.
  std::shared_ptr<const packed_weight> get(packing_key&& key, std::int64_t size, auto&& pack) {
    const std::shared_ptr<packed_weight> w = place_of(key.text);
    std::call_once(w->made_, [&] {
      number_buffer numbers(static_cast<std::size_t>(size));
      pack(numbers.data());
      w->same_ = keep(w, std::move(numbers));
      w->of_ = std::move(key.of);
    });
    return w;
  }

 private:
  using known = std::weak_ptr<packed_weight>;

  std::shared_ptr<packed_weight> place_of(const std::string& key) {
    if (key.empty()) return std::make_shared<packed_weight>();
    const std::lock_guard hold(mutex_);
    known& at = by_key_[key];
    std::shared_ptr<packed_weight> w = at.lock();
    if (!w) at = w = std::make_shared<packed_weight>();
    if (by_key_.size() + by_numbers_.size() > most_) {
      const auto gone = [](const auto& entry) { return entry.second.expired(); };
      std::erase_if(by_key_, gone);
      std::erase_if(by_numbers_, gone);
      most_ = 2 * (by_key_.size() + by_numbers_.size()) + 64;
    }
    return w;
  }
  /// `w` has these numbers now, or another weight has them, which is returned.
  std::shared_ptr<const packed_weight> keep(const std::shared_ptr<packed_weight>& w, number_buffer&& numbers) {
    const std::uint64_t look = look_of(numbers);
    std::shared_ptr<packed_weight> other;
    {
      const std::lock_guard hold(mutex_);
      known& at = by_numbers_[look];
      other = at.lock();
      if (!other) {
        w->numbers_ = std::move(numbers);
        at = w;
        return nullptr;
      }
    }
    const bool same = other->numbers_.size() == numbers.size() &&
                      (numbers.size() == 0 ||
                       std::memcmp(other->numbers_.data(), numbers.data(), numbers.size() * sizeof(float)) == 0);
    if (same) return other;
    w->numbers_ = std::move(numbers);
    return nullptr;
  }
  /// Differs for most weights that differ: of a few thousand numbers here and there.
  static std::uint64_t look_of(const number_buffer& numbers) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t sums[4] = {numbers.size(), 1, 2, 3};
    const std::size_t step = numbers.size() / 4096 | 1;  // odd: all places within a block come up
    for (std::size_t i = 0; i < numbers.size(); i += step) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, numbers.data() + i, sizeof bits);
      sums[i % 4] = (sums[i % 4] ^ bits) * odd;
    }
    std::uint64_t all = 0;
    for (const std::uint64_t s : sums) all = (all ^ (s >> 32) ^ s) * odd;
    return all;
  }

  std::mutex mutex_;
  std::unordered_map<std::string, known> by_key_;
  std::unordered_map<std::uint64_t, known> by_numbers_;
  std::size_t most_ = 64;
};

}  // namespace ctnn::ir
