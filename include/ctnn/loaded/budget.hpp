// SPDX-License-Identifier: BSL-1.0
// What a file may make a loader do: limits, asked before every allocation, and arithmetic on sizes that cannot wrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "../base/shape.hpp"

namespace ctnn {

/// Limits of one load. The defaults admit every published convolutional network; raise them for more.
struct budget {
  std::uint64_t file_bytes = std::uint64_t{4} << 30;    ///< size of any file read
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< numbers held in memory by one model
  std::int64_t value_elements = std::int64_t{1} << 28;  ///< elements of one value between two layers
  std::size_t layers = 100'000;
  std::size_t blobs = 200'000;
  std::size_t name_length = 255;     ///< characters of a name or a string
  std::size_t array_length = 65'536; ///< elements of an array in a parameter
  std::size_t nesting = 16;          ///< graphs inside graphs
  std::uint64_t work = std::uint64_t{1} << 34;  ///< multiply-adds, or elements touched, that reading may compute
  std::uint64_t turns = 1'000'000;  ///< of a loop that runs until its numbers end it
  std::uint64_t taken_bytes = 0;  ///< what has been taken from memory_bytes

  /// For what the program has written itself.
  static constexpr budget none() {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    constexpr std::size_t many = std::numeric_limits<std::size_t>::max();
    return {most, most, std::numeric_limits<std::int64_t>::max(), many, many, 255, many, 16, most, most};
  }

  /// Takes `bytes` from memory_bytes; false (and nothing taken) if that is too much.
  constexpr bool take(std::uint64_t bytes) {
    if (bytes > memory_bytes) return false;
    memory_bytes -= bytes;
    taken_bytes += bytes;
    return true;
  }
  /// The same for work.
  constexpr bool take_work(std::uint64_t steps) {
    if (steps > work) return false;
    work -= steps;
    return true;
  }
};

namespace ir {
/// What is said of a limit that is reached: what was needed, what is allowed, and what allows more.
inline std::string over_limit(std::uint64_t needed, std::uint64_t allowed, std::string_view unit,
                              std::string_view field) {
  return std::to_string(needed) + ' ' + std::string(unit) + ", the limit is " + std::to_string(allowed) +
         ": budget::" + std::string(field) + " allows more (load_options::read.limits, --memory)";
}
/// The same where `more` bytes cannot be taken besides those that have been.
inline std::string over_memory(std::uint64_t more, const budget& limits) {
  return "needs more memory than the limit: " + over_limit(limits.taken_bytes + more,
                                                           limits.taken_bytes + limits.memory_bytes, "bytes so far",
                                                           "memory_bytes");
}
}  // namespace ir

/// a * b for sizes that came from a file: nothing if a factor is negative or the product leaves 63 bits.
constexpr std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0) return {};
  if (a != 0 && b > std::numeric_limits<std::int64_t>::max() / a) return {};
  return a * b;
}

constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0 || b > std::numeric_limits<std::int64_t>::max() - a) return {};
  return a + b;
}

/// Whether a shape has at most `limit` elements. Extents of 0 count as 1 here, so that no part of the shape wraps
/// either.
constexpr bool within(const extents& shape, std::int64_t limit) {
  std::int64_t n = 1;
  for (int i = 0; i < shape.rank; ++i) {
    const int extent = shape[i] == 0 ? 1 : shape[i];
    if (extent < 0 || extent > limit / n) return false;
    n *= extent;
  }
  return n <= limit;
}

/// Number of elements of a shape; nothing if an extent is below 1 or the product leaves 63 bits.
constexpr std::optional<std::int64_t> checked_count(const extents& shape) {
  std::optional<std::int64_t> n = 1;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape[i] < 1) return {};
    n = checked_multiply(*n, shape[i]);
    if (!n) return {};
  }
  return n;
}

}  // namespace ctnn
