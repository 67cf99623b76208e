// SPDX-License-Identifier: BSL-1.0
// Which random graphs a test makes.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace ctnn::ir::test {

class seed_range {
 public:
  class seed {
   public:
    explicit seed(std::uint64_t s) : s_(s) {}
    std::uint64_t operator*() const { return s_; }
    seed& operator++() { return ++s_, *this; }
    bool operator!=(const seed& other) const { return s_ != other.s_; }

   private:
    std::uint64_t s_;
  };
  seed_range(std::uint64_t first, std::uint64_t end) : first_(first), end_(end < first ? first : end) {}
  seed begin() const { return first_; }
  seed end() const { return end_; }

 private:
  seed first_, end_;
};

/// These seeds, or others: CTNN_SEEDS=1000000:2000000 test_rewrite -sf='*random.cpp' tries a million that no run before
/// has.
inline seed_range seeds(std::uint64_t first, std::uint64_t end) {
  const char* other = std::getenv("CTNN_SEEDS");
  if (!other) return {first, end};
  char* colon = nullptr;
  first = std::strtoull(other, &colon, 10);
  return {first, std::strtoull(*colon ? colon + 1 : colon, nullptr, 10)};
}

}  // namespace ctnn::ir::test
