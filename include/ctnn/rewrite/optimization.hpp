// SPDX-License-Identifier: BSL-1.0
// What rewriting a graph gives; driver.hpp does it.
#pragma once

#include "rule_record.hpp"

namespace ctnn::ir {

struct optimization {
  graph g;
  pool<rewrite_step> history;
  std::size_t settled = 0;  ///< nodes of g, the first ones, that no rule applies to
  std::size_t applied = 0;  ///< rewrites: a rule at a node, or a pass over all nodes that changed something
  std::string_view
      broken_rule{};  ///< a rule that did not lower what it declares: a defect of the rule; empty if all is well
};

}  // namespace ctnn::ir
