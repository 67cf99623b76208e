// SPDX-License-Identifier: BSL-1.0
// Sections of pages that are made of what the code says.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace ctnn::ir::test {

/// The whole file as it is; empty if there is none.
inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}
/// The text within a cell of a table.
inline std::string in_a_cell(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}
/// The section under `heading` says `made` behind so many paragraphs that are written by hand. With CTNN_WRITE_README
/// set it is written instead.
inline void check_section(const std::filesystem::path& page, std::string_view heading, const std::string& made,
                          int paragraphs = 0) {
  const std::string text = text_of(page), head = "## " + std::string(heading) + "\n\n";
  const std::size_t at = text.find(head);
  REQUIRE(at != text.npos);
  std::size_t begin = at + head.size();
  for (; paragraphs > 0; --paragraphs) {
    const std::size_t gap = text.find("\n\n", begin);
    REQUIRE(gap != text.npos);
    begin = gap + 2;
  }
  const std::size_t next = text.find("\n## ", begin), end = next == text.npos ? text.size() : next;
  if (std::getenv("CTNN_WRITE_README")) std::ofstream(page) << text.substr(0, begin) << made << text.substr(end);
  else CHECK(text.substr(begin, end - begin) == made);
}

}  // namespace ctnn::ir::test
