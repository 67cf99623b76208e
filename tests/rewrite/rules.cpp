// SPDX-License-Identifier: BSL-1.0
// Every rule has cases in this room.
#include <ctnn/rewrite/loaded_rules.hpp>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::test;

TEST_CASE("every rule fires in a test and declines in a test") {
  for (const rule_record& r : loaded_rules::records) {
    int fires = 0, declines = 0;
    for (const covered_rule& c : covered_rules())
      if (c.apply == r.apply) ++(c.fires ? fires : declines);
    CAPTURE(r.info.name);
    CAPTURE(r.info.arrow);
    CHECK(fires > 0);
    CHECK(declines > 0);
  }
}

TEST_CASE("rules say what they are") {
  for (const rule_record& r : loaded_rules::records) {
    CHECK(!r.info.name.empty());
    CHECK(r.info.arrow.find("->") != std::string_view::npos);
  }
}

TEST_CASE("the rules of loaded models are the default ones and more") {
  CHECK(loaded_rules::records.size() == default_rules::records.size() + rules_of_loaded_operators::records.size());
  CHECK(std::equal(default_rules::records.begin(), default_rules::records.end(), loaded_rules::records.begin(),
                   [](const rule_record& a, const rule_record& b) { return a.apply == b.apply; }));
}
