// SPDX-License-Identifier: BSL-1.0
// A small program with <regex>: what compiling it costs is the measure of what tests cost (tests/costs).
#include <iostream>
#include <regex>
#include <string>

int main() {
  const std::regex word("[a-z]+(-[a-z]+)*", std::regex::icase);
  int words = 0;
  for (std::string line; std::getline(std::cin, line);)
    for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) ++words;
  std::cout << words << '\n';
}
