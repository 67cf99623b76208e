// SPDX-License-Identifier: BSL-1.0
// Streams that take each other's place while one thread plays and another offers.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include <ctnn/network/stream_switch.hpp>

namespace {

/// Multiplies by a number, and counts how many there are.
struct gain {
  static inline std::atomic<int> alive{0};
  struct one {
    one() { ++alive; }
    ~one() { --alive; }
  };

  float factor = 1;
  std::shared_ptr<one> counted = std::make_shared<one>();

  int process(const float* in, float* out, int n) noexcept {
    for (int i = 0; i < n; ++i) out[i] = factor * in[i];
    return n;
  }
};

}  // namespace

TEST_CASE("one stream fades into the next") {
  {
    ctnn::stream_switch<gain> effect(gain{1}, 100, 16);
    std::vector<float> in(400, 1.0f), out(400);
    effect.process(in.data(), out.data(), 50);
    effect.offer(gain{7});  // never heard
    effect.offer(gain{3});
    CHECK(gain::alive == 2);
    effect.process(in.data() + 50, out.data() + 50, 350);
    for (int i = 0; i < 400; ++i) {
      const float part = i < 50 ? 0.0f : i < 150 ? static_cast<float>(i - 50) / 100 : 1.0f;
      REQUIRE(out[static_cast<std::size_t>(i)] == doctest::Approx(1 + 2 * part));
    }
    CHECK(gain::alive == 2);  // the first one's memory is given back when another is offered
    effect.offer(gain{1});
    CHECK(gain::alive == 2);
    effect.process(in.data(), in.data(), 400);  // in place
    CHECK(in[0] == 3.0f);
    CHECK(in[399] == 1.0f);
  }
  CHECK(gain::alive == 0);
}

TEST_CASE("a thread that plays and one that offers") {
  {
    ctnn::stream_switch<gain> effect(gain{1}, 64, 32);
    std::atomic<bool> plays{true};
    float largest_step = 0;
    std::thread audio([&] {
      std::vector<float> in(48, 1.0f), out(48);
      float last = 1;
      for (int block = 0; block < 4000; ++block) {
        effect.process(in.data(), out.data(), 1 + block % 48);
        for (int i = 0; i < 1 + block % 48; ++i) {
          largest_step = std::max(largest_step, std::abs(out[static_cast<std::size_t>(i)] - last));
          last = out[static_cast<std::size_t>(i)];
        }
      }
      plays = false;
    });
    for (int i = 0; plays; ++i) {
      effect.offer(gain{static_cast<float>(1 + i % 3)});
      std::this_thread::yield();
    }
    audio.join();
    CHECK(largest_step <= 2.0f / 64 + 1e-5f);
  }
  CHECK(gain::alive == 0);
}
