// SPDX-License-Identifier: BSL-1.0
// The shared list of broken and odd files, and loading one in a child process that has one second and 64 MB.
#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <ctnn/base/error.hpp>

namespace ctnn::ir::test {

struct odd_file {
  std::string file, kind, expect, use_with;
};

/// The list holds one field a line, which is all the JSON this needs to read.
inline std::vector<odd_file> listed(const std::filesystem::path& json) {
  std::vector<odd_file> out;
  std::ifstream in(json);
  for (std::string line; std::getline(in, line);) {
    if (line == "{") out.emplace_back();
    const std::size_t colon = line.find("\": ");
    if (line.empty() || line[0] != '"' || colon == line.npos || out.empty()) continue;
    std::string value = line.substr(colon + 3);
    if (value.ends_with(',')) value.pop_back();
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    const std::string key = line.substr(1, colon - 1);
    if (key == "file") out.back().file = value;
    if (key == "kind") out.back().kind = value;
    if (key == "expect") out.back().expect = value;
    if (key == "use_with") out.back().use_with = value;
  }
  return out;
}

#if defined(__SANITIZE_ADDRESS__)
#define CTNN_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CTNN_TEST_SANITIZED 1
#endif
#endif

enum outcome { accepted = 0, rejected = 1 };

/// What the children took so far, at most.
struct child_costs {
  double seconds = 0;  ///< of processor time: the machine may be busy
  long kilobytes = 0;  ///< resident, with what a child shares with the test
};
inline child_costs& most_taken() {
  static child_costs most;
  return most;
}

/// Exit code of a child that has one second and 64 MB to load something; 128 + signal if it was killed. Under a
/// sanitizer, where everything takes several times as long, it has ten seconds and any memory.
template <class Load>
int load_in_child(Load&& load, std::string& message) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return -1;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
#ifdef CTNN_TEST_SANITIZED
    const rlimit seconds{10, 10};
#else
    const rlimit seconds{1, 1};
    const rlimit memory{64 << 20, 64 << 20};  // not for the sanitizer, which reserves terabytes of addresses
    setrlimit(RLIMIT_AS, &memory);
#endif
    setrlimit(RLIMIT_CPU, &seconds);
    int code = accepted;
    std::string text;
    try {
      load();
    } catch (const error& e) {
      text = e.what();
      code = rejected;
    } catch (const std::exception& e) {
      text = std::string("not a ctnn::error: ") + e.what();
      code = 77;
    }
    if (write(pipe_ends[1], text.data(), std::min<std::size_t>(text.size(), 4000)) < 0) code = 78;
    _exit(code);
  }
  close(pipe_ends[1]);
  char buffer[4096];
  const auto n = read(pipe_ends[0], buffer, sizeof buffer);
  message.assign(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  close(pipe_ends[0]);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  child_costs& most = most_taken();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  most.seconds = std::max(most.seconds, seconds(used.ru_utime) + seconds(used.ru_stime));
  most.kilobytes = std::max(most.kilobytes, used.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Says it, for whoever reads the log.
inline void tell(const std::map<std::string, int>& counts) {
  for (const auto& [what, n] : counts) MESSAGE(n << " " << what);
  MESSAGE("at most " << most_taken().seconds << " s and " << most_taken().kilobytes / 1024 << " MB");
}

}  // namespace ctnn::ir::test
