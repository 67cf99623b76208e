// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace tool {

progress::progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO)) thread_ = std::thread(&progress::show, this);
}

progress::~progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void progress::show() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (auto pause = std::chrono::milliseconds(1000); !wake_.wait_for(lock, pause, [this] { return over_; });
       pause = std::chrono::milliseconds(200)) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double part = part_;
    std::fprintf(stderr, "\r\033[K%s: %.0f s", what_.c_str(), seconds);
    if (part >= 0) std::fprintf(stderr, ", %.0f %%", 100 * part);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) std::fputs("\r\033[K", stderr);
}

}  // namespace tool
