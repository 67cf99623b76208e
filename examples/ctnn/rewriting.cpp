// SPDX-License-Identifier: BSL-1.0
#include "rewriting.hpp"

#include <ctnn/base/error.hpp>
#include <ctnn/network/lower.hpp>

#include <string>

#include "progress.hpp"

namespace tool {

ctnn::optimization rewrite(const ctnn::loaded_model& m, bool optimize) {
  if (!optimize) return {ctnn::thaw(m.network.view()), {}, {}};
  const progress busy("rewriting");
  ctnn::optimization o = ctnn::optimize(ctnn::thaw(m.network.view()), ctnn::default_rules::records);
  if (!o.broken_rule.empty()) throw ctnn::error("rule '" + std::string(o.broken_rule) + "' does not lower the measure");
  return o;
}

}  // namespace tool
