// SPDX-License-Identifier: BSL-1.0
// The weights of a program as its kernels want them. Programs for other input shapes read those of the first where the
// bytes are the same: nearly all are.
#pragma once

#include <cstring>
#include <map>
#include <memory>

#include "../weights/packed.hpp"
#include "buffers.hpp"

namespace ctnn::ir {

class packed_weights {
 public:
  packed_weights() = default;
  /// For `numbers` of them; those that another program has as well are not held twice.
  packed_weights(std::size_t numbers, const std::shared_ptr<const packed_weights>& other)
      : first_(other && other->first_ ? other->first_ : other) {
    if (!first_) all_ = number_buffer(numbers);
  }

  /// The place of the next weight: `size` numbers that pack(float*) writes, `offset` among all.
  const float* add(std::int64_t offset, std::int64_t size, auto&& pack) {
    const auto n = static_cast<std::size_t>(size);
    if (!first_) {
      float* const to = all_.data() + offset;
      pack(to);
      blocks_.emplace(n, to);
      own_ += n;
      return to;
    }
    number_buffer packed(n);
    pack(packed.data());
    const auto same_size = first_->blocks_.equal_range(n);
    for (auto b = same_size.first; b != same_size.second; ++b)
      if (std::memcmp(b->second, packed.data(), n * sizeof(float)) == 0) return b->second;
    own_ += n;
    others_.push_back(std::move(packed));
    return others_.back().data();
  }
  /// Of the memory that is this object's own.
  std::size_t bytes() const { return own_ * sizeof(float); }

 private:
  std::shared_ptr<const packed_weights> first_;  ///< kept alive: its memory is read
  number_buffer all_;
  std::vector<number_buffer> others_;
  std::multimap<std::size_t, const float*> blocks_;  ///< of the first program, by size
  std::size_t own_ = 0;
};

}  // namespace ctnn::ir
