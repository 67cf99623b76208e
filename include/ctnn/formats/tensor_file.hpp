// SPDX-License-Identifier: BSL-1.0
// What files of tensors by name have in common.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "../base/byte_order.hpp"
#include "../loaded/array.hpp"
#include "file.hpp"

namespace ctnn::ir {

/// A tensor of a file.
struct tensor_entry {
  dtype type = dtype::f32;
  extents shape;
  std::uint64_t begin = 0, end = 0;  ///< where its numbers are: of .safetensors from the end of the header
};
using tensor_entries = std::map<std::string, tensor_entry, std::less<>>;

/// Bytes to be read in parts, of a file or of memory. `read` is false if they cannot be read.
struct byte_source {
  std::string name;  ///< for messages
  std::uint64_t size = 0;
  std::function<bool(std::uint64_t from, std::span<std::byte> to)> read;
};
/// A file that stays open. Throws ctnn::error if it cannot be opened or is above the budget.
inline byte_source source_of(const std::string& path, const budget& limits) {
  std::shared_ptr<const data_file> file = open_to_read(path, limits);
  const auto size = static_cast<std::uint64_t>(file->size());
  return {path, size, [file = std::move(file)](std::uint64_t from, std::span<std::byte> to) {
            return file->read(static_cast<std::int64_t>(from), to);
          }};
}

/// A file whose tensors can be asked for by name.
class tensor_file {
 public:
  explicit tensor_file(byte_source from, const budget& limits) : from_(std::move(from)), limits_(limits) {}
  tensor_file(const tensor_file&) = delete;
  tensor_file& operator=(const tensor_file&) = delete;
  virtual ~tensor_file() = default;

  const std::string& path() const { return from_.name; }
  const tensor_entries& tensors() const { return tensors_; }

  /// The numbers of a tensor of this file. Throws ctnn::error if they are broken or above the budget.
  array read(const tensor_entry& t) const {
    const std::uint64_t bytes = bytes_of(t);
    if (bytes > limits_.memory_bytes)
      throw error(path() + ": a tensor of " + std::to_string(bytes) + " bytes, the limit is " +
                  std::to_string(limits_.memory_bytes));
    array out(t.shape, t.type);
    fill(t, out.bytes());
    as_read(out);
    return out;
  }

  static std::uint64_t bytes_of(const tensor_entry& t) {
    return static_cast<std::uint64_t>(t.shape.count()) * static_cast<std::uint64_t>(size_of(t.type));
  }

 protected:
  virtual void fill(const tensor_entry& t, std::span<std::byte> to) const = 0;
  void read_at(std::uint64_t from, std::span<std::byte> to) const {
    if (!from_.read(from, to)) throw error(path() + ": cannot be read, or was written into since it was opened");
  }

  byte_source from_;
  budget limits_;
  tensor_entries tensors_;
};

}  // namespace ctnn::ir
