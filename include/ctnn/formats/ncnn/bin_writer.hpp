// SPDX-License-Identifier: BSL-1.0
// Writes the arrays of an ncnn weight file, in the order of the layers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "../../base/half.hpp"
#include "../../graph/graph.hpp"
#include "bin_reader.hpp"

namespace ctnn::ncnn {

/// The numbers of a weight expression; valid until the next call.
using weight_numbers = std::function<std::span<const float>(expression_id)>;

/// How tagged arrays (the weights of convolutions and fully connected layers) are stored; the others are always fp32.
enum class weight_storage { fp32, fp16 };

class bin_writer {
 public:
  explicit bin_writer(weight_storage storage = weight_storage::fp32) : storage_(storage) {}

  void raw(std::span<const float> values) {
    const std::size_t before = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    swap_from_file(std::as_writable_bytes(std::span(bytes_)).subspan(before), sizeof(float));
  }

  void tagged(std::span<const float> values) {
    if (storage_ == weight_storage::fp32) {
      put(static_cast<std::uint32_t>(weight_tag::fp32), 4);
      raw(values);
      return;
    }
    put(static_cast<std::uint32_t>(weight_tag::fp16), 4);
    for (float v : values) put(float_to_half(v), 2);
    if (values.size() % 2 != 0) put(0, 2);
  }

  /// Whole numbers from -128 to 127.
  void int8(std::span<const float> values) {
    put(static_cast<std::uint32_t>(weight_tag::int8), 4);
    for (float v : values) put(static_cast<std::uint32_t>(static_cast<std::int32_t>(v)) & 0xffu, 1);
    for (std::size_t n = values.size(); n % 4 != 0; ++n) put(0, 1);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::uint32_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xffu);
  }

  weight_storage storage_;
  std::string bytes_;
};

}  // namespace ctnn::ncnn
