// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace tool {

bool on_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

std::string coloured(const std::string& text, colour c) {
  const char* const plain = std::getenv("NO_COLOR");
  if (text.empty() || !on_terminal(stdout) || (plain && *plain)) return text;
  return "\033[" + std::to_string(static_cast<int>(c)) + 'm' + text + "\033[0m";
}

progress::progress(std::string what) : what_(std::move(what)) {
  if (on_terminal(stderr)) thread_ = std::thread(&progress::show, this);
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
