// SPDX-License-Identifier: BSL-1.0
// Every rule of default_rules has cases in this room.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::test;

TEST_CASE("every rule fires in a test and declines in a test") {
  for (const rule_record& r : default_rules::records) {
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
  for (const rule_record& r : default_rules::records) {
    CHECK(!r.info.name.empty());
    CHECK(r.info.arrow.find("->") != std::string_view::npos);
  }
}
