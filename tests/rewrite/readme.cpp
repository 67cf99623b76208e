// SPDX-License-Identifier: BSL-1.0
// The README of the room rewrite/: its table names every rule, and nothing that does not exist.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/rewrite/expansions.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "support/page_section.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using test::in_a_cell, test::text_of;
namespace fs = std::filesystem;

namespace {

const std::set<std::string> of_the_driver{"common_subexpression", "constant_weight"};


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
    if (line == "## Every pass of others") out.clear();
    if (!line.starts_with("| ") || line.starts_with("| # ")) continue;
    cells row;
    std::istringstream cut(line.substr(1));
    for (std::string cell; std::getline(cut, cell, '|');) row.push_back(trimmed(cell));
    out.push_back(row);
  }
  return out;
}
/// Is there a line that starts with `macro` and is about the rule?
bool has_case(const std::string& text, const std::string& macro, const std::string& rule) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    // Cases made by a macro of the file's own begin further right.
    if (!line.starts_with(macro) && line.find("  " + macro) == line.npos) continue;
    const std::size_t at = line.find("(rules::" + rule), end = at + 8 + rule.size();
    if (at != line.npos && (line[end] == ')' || line[end] == '<' || line.compare(end, 4, "_by_") == 0)) return true;
  }
  return false;
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

/// What README.md says of the rules, from what they say themselves: one row a name and arrow.
std::string table_of_rules() {
  constexpr std::string_view components[] = {"nodes", "tier", "position", "movable", "weights", "results"};
  constexpr std::string_view effects[] = {"exact", "reassociates", "rescales", "unrounded"};
  constexpr std::string_view proofs[] = {"algebra", "algebra, order", "running: "};
  std::string out = "| rule | what it does | lowers | numbers | proved by |\n|---|---|---|---|---|\n";
  std::set<std::string> seen;
  for (const expansion_info& e : default_expansions::infos)
    out += "| `" + std::string(e.name) + "` | " + in_a_cell(e.arrow) +
           " | before all rules | exact | running: halves are rounded |\n";
  for (const rule_record& r : default_rule_records()) {
    const std::string row = "| `" + std::string(r.info.name) + "` | " + in_a_cell(r.info.arrow) + " | " +
                            std::string(components[static_cast<int>(r.info.component)]) + " | " +
                            std::string(effects[static_cast<int>(r.info.effect)]) + " | " +
                            std::string(proofs[static_cast<int>(r.info.proof)]) + std::string(r.info.unproved) + " |\n";
    if (seen.insert(row).second) out += row;
  }
  return out;
}

}  // namespace

// CTNN_WRITE_README=1 test_rewrite --test-case="the table of rules*" writes it.
TEST_CASE("the table of rules is what the rules say of themselves") {
  const fs::path readme =
      fs::path(__FILE__).parent_path().parent_path().parent_path() / "include/ctnn/rewrite/README.md";
  test::check_section(readme, "Every rule", table_of_rules());
}

TEST_CASE("the table of passes: every rule has a row, every row names what exists") {
  const fs::path source = fs::path(__FILE__).parent_path().parent_path().parent_path();
  const fs::path room = source / "include/ctnn/rewrite";
  REQUIRE(fs::exists(room / "README.md"));
  std::set<std::string> others = of_the_driver, named;  // cases in driver.cpp and expansion.cpp
  for (const expansion_info& e : default_expansions::infos) others.insert(std::string(e.name));
  std::set<std::string> rules = others;
  for (const rule_record& r : default_rule_records()) rules.insert(std::string(r.info.name));

  std::set<int> survey;
  const std::set<std::string> kinds{"rule", "consequence", "planner", "reader", "writer", "not here"};
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
    if (row[2] == "not here") {
      CHECK(!row[6].empty());  // a sentence why
      continue;
    }
    CHECK(fs::exists(room / row[4]));
    CHECK(!row[5].empty());
    const std::string test = text_of(source / "tests" / row[5]);
    CAPTURE(row[5]);
    CHECK(test.find("TEST_CASE(") + 1 + (test.find("\nFIRES") + 1) > 0);
    // A test of this room is about one of the row's rules.
    bool about = row[2] != "rule" || !row[5].starts_with("rewrite/");
    for (const std::string& rule : quoted(row[3]))
      about = about || test.find(rule) != test.npos || others.contains(rule);
    CHECK(about);
  }
  for (const std::string& rule : rules) {
    CAPTURE(rule);
    CHECK(named.contains(rule));
  }
  std::string cases;
  for (const auto& file : fs::directory_iterator(source / "tests/rewrite")) cases += text_of(file.path());
  for (const std::string& rule : rules) {
    if (others.contains(rule)) continue;
    CAPTURE(rule);
    CHECK(has_case(cases, "FIRES", rule));
    CHECK(has_case(cases, "DECLINES", rule));
  }
  CHECK(survey.size() == 61);
  CHECK(*survey.rbegin() == 61);
  MESSAGE(rules.size() << " rules by name");
}
