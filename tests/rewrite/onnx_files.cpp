// SPDX-License-Identifier: BSL-1.0
// Every rule's case as an ONNX file, as it is and rewritten.
#include <deque>
#include <map>
#include <string>

#include "support/onnx_pairs.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("every rule's case is written as ONNX before and after, or there is a reason") {
  std::map<std::string_view, int> cases, written;
  for (const covered_rule& c : covered_rules()) {
    if (!c.fires) continue;
    const std::string_view rule = default_rule_records()[c.rule].info.name;
    builder b;
    c.before(b);
    std::deque<std::string> names;  // of outputs that have none
    for (network_output& o : b.g.outputs)
      if (o.name.empty()) o.name = names.emplace_back("output" + std::to_string(names.size()));
    const int number = cases[rule]++;
    const std::string why =
        why_not_written("rule_" + std::string(rule) + "_" + std::to_string(number), b.g.view(), number % 2 == 1);
    CAPTURE(rule);
    CAPTURE(number);
    CAPTURE(why);
    const bool counts = why.find("feed it first") != std::string::npos;  // its numbers decide how many there are
    CHECK((why.empty() || counts || why.starts_with("ONNX cannot express: ")));
    written[rule] += why.empty();
  }
  std::string none;
  for (const auto& [rule, count] : cases)
    if (written[rule] == 0) none += " " + std::string(rule);
  CHECK(none == "");
}
