// SPDX-License-Identifier: BSL-1.0
// A few threads that help the one that calls them. No global state: a pool belongs to whoever made it.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "../base/compiled.hpp"
#include "../base/executor.hpp"

#if CTNN_DEFINES(CTNN_PART_EXTRACTION)
#include <chrono>
#include <string>
#include <system_error>

#include "../base/compiler.hpp"
#include "../base/error.hpp"
#endif

namespace ctnn {

/// An executor of `threads` threads: the caller's own and threads - 1 others, which look for work for a tenth of a
/// millisecond after the last and then sleep. Models and extractors may share a pool; while it works for one of them,
/// others do their parts themselves.
class thread_pool : public executor {
 public:
  /// Throws ctnn::error if the system refuses a thread.
  explicit thread_pool(int threads);
  ~thread_pool() override { stop(); }
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  int width() const override { return static_cast<int>(helpers_.size()) + 1; }

  void run(int count, part_function part, void* work) override;

 private:
  struct job {
    part_function part;
    void* work;
    int count;
    std::atomic<int> next{0};

    void work_on() {
      for (int i = next.fetch_add(1); i < count; i = next.fetch_add(1)) part(work, i);
    }
  };

  template <class Condition>
  static int wait_while(const std::atomic<int>& value, Condition waits);
  void help();
  void stop();

  std::atomic<job*> job_{nullptr};
  std::atomic<int> calls_{0};   ///< changes with every job; wraps around
  std::atomic<int> active_{0};  ///< helpers that may hold the job
  std::atomic<bool> stopping_{false};
  std::atomic_flag busy_{};
  std::vector<std::thread> helpers_;
};

#if CTNN_DEFINES(CTNN_PART_EXTRACTION)

/// Looks for a tenth of a millisecond, then sleeps: between a network's layers nobody should, since waking takes
/// longer than most layers. By the clock: a pause is 10 cycles on one CPU and 140 on another.
template <class Condition>
int thread_pool::wait_while(const std::atomic<int>& value, Condition waits) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
  do {
    for (int i = 0; i < 16; ++i) {
      const int now = value.load();
      if (!waits(now)) return now;
      CTNN_PAUSE();
    }
  } while (std::chrono::steady_clock::now() < end);
  while (true) {
    const int now = value.load();
    if (!waits(now)) return now;
    value.wait(now);
  }
}

CTNN_ONCE void thread_pool::help() {
  for (int seen = 0; !stopping_.load();) {
    seen = wait_while(calls_, [seen](int n) { return n == seen; });
    active_.fetch_add(1);
    if (job* const now = job_.load()) now->work_on();
    if (active_.fetch_sub(1) == 1) active_.notify_all();
  }
}

CTNN_ONCE void thread_pool::stop() {
  stopping_.store(true);
  calls_.fetch_add(1);
  calls_.notify_all();
  for (std::thread& t : helpers_) t.join();
  helpers_.clear();
}

CTNN_ONCE thread_pool::thread_pool(int threads) {
  try {
    for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error& e) {
    stop();
    throw error("thread_pool of " + std::to_string(threads) + ": " + e.what());
  }
}

CTNN_ONCE void thread_pool::run(int count, part_function part, void* work) {
  if (count < 2 || helpers_.empty() || busy_.test_and_set(std::memory_order_acquire)) {
    for (int i = 0; i < count; ++i) part(work, i);
    return;
  }
  job now{part, work, count};
  job_.store(&now);
  calls_.fetch_add(1);
  calls_.notify_all();
  now.work_on();
  // From here on nobody new can find the job; whoever has, is counted.
  job_.store(nullptr);
  wait_while(active_, [](int n) { return n != 0; });
  busy_.clear(std::memory_order_release);
}

#endif

}  // namespace ctnn
