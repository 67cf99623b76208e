// SPDX-License-Identifier: BSL-1.0
// Numbers that lie in an open file, or in the bytes of one, as they are.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../base/error.hpp"
#include "../loaded/array.hpp"
#include "open_file.hpp"

namespace ctnn::ir {

/// Read, not mapped: a mapped file that somebody cuts off ends the program.
class file_part final : public number_source {
 public:
  /// `complaint` is what to throw where the file cannot be read or has been written into since it was opened.
  file_part(std::shared_ptr<const data_file> file, std::int64_t from, std::int64_t size, dtype type,
            std::string complaint)
      : file_(std::move(file)), from_(from), size_(size), type_(type), complaint_(std::move(complaint)) {}

  std::span<const std::byte> bytes(byte_buffer& memory) const override {
    memory = byte_buffer(static_cast<std::size_t>(size_));
    if (!file_->read(from_, memory)) throw error(complaint_);
    as_read(memory, type_);
    return memory;
  }
  bool part(std::size_t from, std::span<std::byte> to) const override {
    if (!file_->read(from_ + static_cast<std::int64_t>(from), to)) throw error(complaint_);
    as_read(to, type_);
    return true;
  }

 private:
  std::shared_ptr<const data_file> file_;
  std::int64_t from_, size_;
  dtype type_;
  std::string complaint_;
};

/// The same of a file's bytes in memory.
class memory_part final : public number_source {
 public:
  memory_part(std::shared_ptr<const std::vector<std::byte>> whole, std::size_t from, std::size_t size, dtype type)
      : whole_(std::move(whole)), from_(from), size_(size), type_(type) {}

  std::span<const std::byte> bytes(byte_buffer& memory) const override {
    memory = byte_buffer(std::span(*whole_).subspan(from_, size_));
    as_read(memory, type_);
    return memory;
  }
  bool part(std::size_t from, std::span<std::byte> to) const override {
    std::ranges::copy(std::span(*whole_).subspan(from_ + from, to.size()), to.begin());
    as_read(to, type_);
    return true;
  }

 private:
  std::shared_ptr<const std::vector<std::byte>> whole_;
  std::size_t from_, size_;
  dtype type_;
};

}  // namespace ctnn::ir
