// SPDX-License-Identifier: BSL-1.0
// One stream in place of another while audio plays.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace ctnn {

/// Holds a stream of one channel, any with `int process(const float*, float*, int) noexcept`, and lets another take its
/// place without a click or a wait: process() fades from one to the other. One thread calls process(), one offer().
/// Memory is taken and given back by offer() alone.
template <class Stream>
class stream_switch {
 public:
  /// `fade`: samples from one stream to the next. `most`: samples that process() computes at once, more are several
  /// blocks.
  explicit stream_switch(Stream first, int fade = 1024, int most = 512)
      : now_(std::make_unique<Stream>(std::move(first))), fade_(fade < 1 ? 1 : fade), other_(at_least_one(most)) {}
  stream_switch(const stream_switch&) = delete;
  stream_switch& operator=(const stream_switch&) = delete;
  ~stream_switch() {
    delete offered_.load();
    delete gone_.load();
  }

  /// This one from now on, begun already (reset() or prewarm()). One that was offered before and has not been heard yet
  /// is dropped.
  void offer(Stream next) {
    delete gone_.exchange(nullptr, std::memory_order_acquire);
    auto made = std::make_unique<Stream>(std::move(next));
    delete offered_.exchange(made.release(), std::memory_order_acq_rel);
  }

  /// The next n samples.
  void process(const float* in, float* out, int n) noexcept {
    for (int done = 0; done < n;) {
      if (!next_) next_.reset(offered_.exchange(nullptr, std::memory_order_acq_rel));
      const int room = static_cast<int>(other_.size()), some = n - done < room ? n - done : room;
      if (next_ && faded_ < fade_) {
        next_->process(in + done, other_.data(), some);
        now_->process(in + done, out + done, some);
        for (int i = 0; i < some; ++i, ++faded_) {
          const float part = faded_ >= fade_ ? 1.0f : static_cast<float>(faded_) / static_cast<float>(fade_);
          out[done + i] += part * (other_[static_cast<std::size_t>(i)] - out[done + i]);
        }
      } else {
        (next_ ? next_ : now_)->process(in + done, out + done, some);
      }
      if (next_ && faded_ >= fade_) retire();
      done += some;
    }
  }

 private:
  static std::size_t at_least_one(int n) { return n < 1 ? 1 : static_cast<std::size_t>(n); }
  /// The old one waits for offer() to give its memory back; while another waits, it stays.
  void retire() noexcept {
    Stream* none = nullptr;
    if (!gone_.compare_exchange_strong(none, now_.get(), std::memory_order_release, std::memory_order_relaxed)) return;
    static_cast<void>(now_.release());
    now_ = std::move(next_);
    faded_ = 0;
  }

  std::unique_ptr<Stream> now_, next_{};
  int fade_, faded_ = 0;
  std::vector<float> other_;
  std::atomic<Stream*> offered_{nullptr}, gone_{nullptr};
  static_assert(std::atomic<Stream*>::is_always_lock_free);
};

}  // namespace ctnn
