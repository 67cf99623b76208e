// SPDX-License-Identifier: BSL-1.0
// What only terminals see: colours, and what is going on if it takes more than a second.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace tool {

/// Whether somebody looks at it.
bool on_terminal(std::FILE* stream);

enum class colour { red = 31, green = 32, yellow = 33 };
/// For standard output; plain where that is no terminal, or where the environment has NO_COLOR.
std::string coloured(const std::string& text, colour c);

/// Shows `what`, the seconds so far and, once known, how much is done, until it is destroyed.
class progress {
 public:
  explicit progress(std::string what);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// 0 to 1.
  void done(double part) const { part_ = part; }

 private:
  void show();

  std::string what_;
  mutable std::atomic<double> part_{-1};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace tool
