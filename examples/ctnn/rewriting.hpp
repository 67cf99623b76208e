// SPDX-License-Identifier: BSL-1.0
// A loaded model before and after rewriting, and what became of each layer.
#pragma once

#include <ctnn/formats/loaded_model.hpp>
#include <ctnn/rewrite/rules.hpp>

#include <map>
#include <string_view>

namespace tool {

/// Applies the default rules; with `optimize` false the result is the graph as it was read. Throws ctnn::error.
ctnn::optimization rewrite(const ctnn::loaded_model&, bool optimize);

/// What happened to layers that are gone: the layer that does their work ("" if none does) and the rule that did it first.
struct fate {
  std::string_view into, rule;
};
std::map<std::string_view, fate> fates(const ctnn::optimization&);

}  // namespace tool
