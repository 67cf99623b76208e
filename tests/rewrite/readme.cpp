// SPDX-License-Identifier: BSL-1.0
// The README of the room rewrite/: its table names every rule, and nothing that does not exist.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/rewrite/rules.hpp>

using namespace ctnn;
namespace fs = std::filesystem;

namespace {

using cells = std::vector<std::string>;

std::string trimmed(std::string s) {
  while (!s.empty() && s.back() == ' ') s.pop_back();
  while (!s.empty() && s.front() == ' ') s.erase(0, 1);
  return s;
}
/// The table's rows without its head: number, pass, kind, rules, file, test, note.
std::vector<cells> rows_of(const fs::path& readme) {
  std::vector<cells> out;
  std::ifstream in(readme);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ") || line.starts_with("| # ")) continue;
    cells row;
    std::istringstream cut(line.substr(1));
    for (std::string cell; std::getline(cut, cell, '|');) row.push_back(trimmed(cell));
    out.push_back(row);
  }
  return out;
}
std::vector<std::string> quoted(const std::string& cell) {
  std::vector<std::string> out;
  for (std::size_t from = cell.find('`'); from != cell.npos; from = cell.find('`', from)) {
    const std::size_t to = cell.find('`', from + 1);
    out.push_back(cell.substr(from + 1, to - from - 1));
    from = to + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("the table of passes: every rule has a row, every row names what exists") {
  const fs::path source = fs::path(__FILE__).parent_path().parent_path().parent_path();
  const fs::path room = source / "include/ctnn/rewrite";
  REQUIRE(fs::exists(room / "README.md"));
  std::set<std::string> rules{"common_subexpression"}, named;
  for (const rule_record& r : default_rules::records) rules.insert(std::string(r.info.name));

  std::set<int> survey;
  int missing = 0;
  const std::set<std::string> kinds{"rule", "consequence", "planner", "reader", "writer", "not here", "missing"};
  for (const cells& row : rows_of(room / "README.md")) {
    REQUIRE(row.size() == 7);
    CAPTURE(row[1]);
    if (row[0].find_first_not_of("0123456789") == row[0].npos) survey.insert(std::stoi(row[0]));
    CHECK(kinds.contains(row[2]));
    for (const std::string& rule : quoted(row[3])) {
      CAPTURE(rule);
      CHECK(rules.contains(rule));
      named.insert(rule);
    }
    if (row[2] == "rule") CHECK(!row[3].empty());
    if (row[2] == "not here" || row[2] == "missing") {
      CHECK(!row[6].empty());  // a sentence why
      missing += row[2] == "missing";
    } else {
      CHECK(fs::exists(room / row[4]));
      CHECK(fs::exists(source / "tests" / row[5]));
      CHECK(!row[5].empty());
    }
  }
  for (const std::string& rule : rules) {
    CAPTURE(rule);
    CHECK(named.contains(rule));
  }
  CHECK(survey.size() == 61);
  CHECK(*survey.rbegin() == 61);
  MESSAGE(rules.size() << " rules by name, " << missing << " rows missing");
}
