// SPDX-License-Identifier: BSL-1.0
#include "files.hpp"

#include <ctnn/base/error.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "commands.hpp"
#include "progress.hpp"

namespace tool {

namespace {

namespace fs = std::filesystem;

struct stream_files {
  fs::path folder;  ///< of temporary files; empty: there are none
  std::string in;   ///< what standard input said
  std::string out;  ///< for standard output
  int to = -1;      ///< standard output, while what is printed goes to standard error

  const fs::path& place() {
    if (!folder.empty()) return folder;
    std::string name = (fs::temp_directory_path() / "ctnn-XXXXXX").string();
    if (!mkdtemp(name.data())) throw ctnn::error(name + ": no folder for temporary files can be made there");
    return folder = name;
  }
};
stream_files& files() {
  static stream_files all;
  return all;
}

/// By the first bytes.
std::string ending_of(std::string_view begin) {
  struct format {
    std::string_view magic, ending;
    std::size_t at = 0;
  };
  constexpr std::array known{
      format{"7767517", ".param"},    format{"TFL3", ".tflite", 4}, format{"\x93NUMPY", ".npy"}, format{"PK", ".npz"},
      format{"\xff\xd8\xff", ".jpg"}, format{"\x89PNG", ".png"},    format{"GIF8", ".gif"},      format{"BM", ".bmp"}};
  for (const format& f : known)
    if (begin.size() >= f.at && begin.substr(f.at).starts_with(f.magic)) return std::string(f.ending);
  const std::size_t text = begin.find_first_not_of(" \t\r\n");
  return text != begin.npos && begin[text] == '{' ? ".json" : ".onnx";
}

[[noreturn]] void fail_to_write() {
  throw ctnn::error("standard output: not everything could be written: the disk is full, or nobody reads it");
}

void copy_to(int to, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, 1 << 16> part;
  while (in) {
    in.read(part.data(), part.size());
    auto left = static_cast<std::size_t>(in.gcount());
    for (const char* at = part.data(); left > 0;) {
      const auto n = ::write(to, at, left);
      if (n <= 0) fail_to_write();
      at += n;
      left -= static_cast<std::size_t>(n);
    }
  }
}

}  // namespace

bool has_ending(std::string_view file, std::string_view ending) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return file.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), file.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [&](char a, char b) { return a == small(b); });
}

standard_streams::standard_streams() {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);
#endif
}

standard_streams::~standard_streams() {
  std::error_code ignored;
  if (!files().folder.empty()) fs::remove_all(files().folder, ignored);
}

void standard_streams::finish() const {
  const bool flushed = std::fflush(stdout) == 0 && !std::ferror(stdout);
  if (files().to < 0) {
    if (!flushed) fail_to_write();
    return;
  }
  copy_to(files().to, files().out);
  if (::close(files().to) != 0) fail_to_write();
}

std::string file_of_standard_input(std::uint64_t most) {
  stream_files& now = files();
  if (!now.in.empty()) throw usage_error("-: standard input can be read once");
  const fs::path raw = now.place() / "stdin";
  std::ofstream to(raw, std::ios::binary);
  std::string begin;
  std::array<char, 1 << 16> part;
  const progress busy("reading standard input");
  for (std::uint64_t all = 0; const std::size_t n = std::fread(part.data(), 1, part.size(), stdin);) {
    if (begin.empty()) begin.assign(part.data(), std::min<std::size_t>(n, 16));
    all += n;
    if (all > most)
      throw ctnn::error("standard input: more than " + std::to_string(most) + " bytes, which --memory allows");
    to.write(part.data(), static_cast<std::streamsize>(n));
  }
  to.close();
  if (!to || std::ferror(stdin)) throw ctnn::error("standard input: cannot be read into " + raw.string());
  if (begin.empty()) throw ctnn::error("standard input: is empty, expected a model or an array");
  now.in = raw.string() + ending_of(begin);
  fs::rename(raw, now.in);
  return now.in;
}

bool is_standard_input(const std::string& file) { return !file.empty() && file == files().in; }

std::string file_for_standard_output(const std::string& out, std::string_view ending) {
  if (out != "-") return out;
  stream_files& now = files();
  if (!now.out.empty()) throw usage_error("-: standard output can be written once");
  if (on_terminal(stdout) && ending != ".dot" && ending != ".hpp")
    throw usage_error("-: standard output is a terminal, expected a file or a pipe for bytes");
  now.out = (now.place() / "stdout").string() + std::string(ending);
  std::fflush(stdout);
  now.to = dup(STDOUT_FILENO);
  if (now.to < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) fail_to_write();
  return now.out;
}

std::string shown(std::string text) {
  const auto replace = [&](const std::string& file, const std::string& name) {
    if (file.empty()) return;
    for (const std::string& what : {file, fs::path(file).filename().string()})
      for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + name.size()))
        text.replace(at, what.size(), name);
  };
  replace(files().in, "standard input");
  replace(files().out, "standard output");
  return text;
}

void require_apart(const std::vector<std::string>& written, const std::vector<std::string>& read) {
  std::error_code none;
  for (const std::string& to : written) {
    if (to.empty() || !fs::exists(to, none)) continue;
    const fs::path folder = fs::path(to).has_parent_path() ? fs::path(to).parent_path() : fs::path(".");
    for (const std::string& from : read)
      if (fs::exists(from, none) && fs::equivalent(fs::is_directory(from, none) ? folder : fs::path(to), from, none))
        throw usage_error(to + ": this command reads it; name another file, or say --force to write over it");
  }
}

}  // namespace tool
