// SPDX-License-Identifier: BSL-1.0
// Numbers with a shape that own their memory: what goes into a loaded model and comes out.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "../base/error.hpp"
#include "../base/shape.hpp"
#include "../formats/describe.hpp"

namespace ctnn {

/// float32, row-major in the order of the shape.
class array {
 public:
  array() = default;
  explicit array(const extents& shape) : shape_(shape), values_(static_cast<std::size_t>(shape.count())) {}
  /// Throws ctnn::error if there are not as many values as the shape has elements.
  array(const extents& shape, std::vector<float> values) : shape_(shape), values_(std::move(values)) {
    if (static_cast<std::int64_t>(values_.size()) != shape.count())
      throw error("array of shape " + describe(shape) + " needs " + std::to_string(shape.count()) + " values, got " +
                  std::to_string(values_.size()));
  }

  const extents& shape() const { return shape_; }
  std::size_t size() const { return values_.size(); }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }
  float operator[](std::size_t i) const { return values_[i]; }

 private:
  extents shape_{0};
  std::vector<float> values_;
};

}  // namespace ctnn
