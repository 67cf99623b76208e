// SPDX-License-Identifier: BSL-1.0
// Where numbers come from that are in memory only while somebody looks at them: a file has them, or they follow from
// others. A model of gigabytes is so read a weight at a time, and weights that nobody asks for are not read at all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aligned_memory.hpp"

namespace ctnn {

/// Any number of threads may ask.
class number_source {
 public:
  number_source() = default;
  number_source(const number_source&) = delete;
  number_source& operator=(const number_source&) = delete;
  virtual ~number_source() = default;

  /// All numbers as this machine has them: the source's own memory, or `memory`, which it fills. Throws ctnn::error if
  /// they cannot be had, such as from a file that has been written into.
  virtual std::span<const std::byte> bytes(ir::byte_buffer& memory) const = 0;

  /// Fills `to` with those from byte `from` on, whole numbers of them, if they are had for less than all.
  virtual bool part(std::size_t, std::span<std::byte>) const { return false; }
  bool has_parts() const { return part(0, {}); }

  /// What bytes() costs where it computes, sources that it asks included: in steps, and in calls inside calls.
  struct effort {
    std::uint64_t steps = 0;
    int depth = 0;
  };
  virtual effort needs() const { return {}; }

  /// That of no other source that there is or was.
  std::uint64_t id() const { return id_; }

  /// What somebody found out who looked at the numbers, for who would look again. look() gives 0 or more.
  enum class question : std::size_t { numbers_are, beginning, zero_channels };
  template <class Look>
  std::int64_t once(question q, Look&& look) const {
    std::atomic<std::int64_t>& answer = answers_[static_cast<std::size_t>(q)];
    std::int64_t known = answer.load(std::memory_order_relaxed);
    if (known < 0) answer.store(known = look(), std::memory_order_relaxed);
    return known;
  }
  /// The same of how they compare with another source's.
  template <class Compare>
  bool once_with(const number_source& other, Compare&& compare) const {
    {
      const std::lock_guard hold(mutex_);
      if (const auto at = compared_.find(other.id()); at != compared_.end()) return at->second;
    }
    const bool found = compare();
    const std::lock_guard hold(mutex_);
    return compared_[other.id()] = found;
  }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  const std::uint64_t id_ = next();
  mutable std::atomic<std::int64_t> answers_[3] = {-1, -1, -1};
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, bool> compared_;
};

/// Sources by what they are made of: who comes to the same numbers again, for another input shape, gets the same
/// source, as long as somebody has it.
class source_table {
 public:
  template <class Make>
  std::shared_ptr<const number_source> find(const std::string& made_of, Make&& make) {
    const std::lock_guard hold(mutex_);
    auto& known = sources_[made_of];
    if (std::shared_ptr<const number_source> found = known.lock()) return found;
    const std::shared_ptr<const number_source> made = make();
    known = made;
    if (sources_.size() > most_) {
      std::erase_if(sources_, [](const auto& s) { return s.second.expired(); });
      most_ = 2 * sources_.size() + 64;
    }
    return made;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const number_source>> sources_;
  std::size_t most_ = 64;
};

}  // namespace ctnn
