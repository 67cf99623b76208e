// SPDX-License-Identifier: BSL-1.0
// The pool of threads: every part once, callers that meet, and no thread left behind.
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include <ctnn/model/thread_pool.hpp>

using namespace ctnn;

namespace {

struct counted {
  std::vector<std::atomic<int>> times;
  executor* inner = nullptr;  ///< every part asks for more there

  explicit counted(int n) : times(static_cast<std::size_t>(n)) {}
  static void one(void* self, int i) { ++static_cast<counted*>(self)->times[static_cast<std::size_t>(i)]; }
  static void nested(void* self, int i) {
    auto& c = *static_cast<counted*>(self);
    one(self, i);
    counted more(3);
    c.inner->run(3, &one, &more);
    CHECK(more.all_are(1));
  }
  bool all_are(int n) const {
    for (const std::atomic<int>& t : times)
      if (t != n) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("every part runs once, whatever their number") {
  for (int threads : {0, 1, 2, 5}) {
    thread_pool pool(threads);
    CHECK(pool.width() == (threads < 1 ? 1 : threads));
    for (int parts : {0, 1, 2, 3, 100}) {
      counted c(parts);
      for (int round = 1; round <= 50; ++round) {
        pool.run(parts, &counted::one, &c);
        REQUIRE(c.all_are(round));
      }
    }
  }
}

TEST_CASE("parts that run parts, and several callers at once") {
  thread_pool pool(3);
  counted outer(8);
  outer.inner = &pool;
  pool.run(8, &counted::nested, &outer);
  CHECK(outer.all_are(1));

  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        counted c(7);
        pool.run(7, &counted::one, &c);
        if (!c.all_are(1)) ++wrong;
      }
    });
  for (std::thread& t : callers) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("helpers that sleep wake up, and an idle pool goes away") {
  for (int round = 0; round < 20; ++round) {
    thread_pool pool(4);
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (round % 4 == 3) continue;
    counted c(4);
    pool.run(4, &counted::one, &c);
    CHECK(c.all_are(1));
  }
}
