// SPDX-License-Identifier: BSL-1.0
// Rewrites a loaded model.
#pragma once

#include <ctnn/formats/loaded_model.hpp>
#include <ctnn/rewrite/rules.hpp>

namespace tool {

/// Applies the default rules; with `optimize` false the result is the graph as it was read. Throws ctnn::error.
ctnn::optimization rewrite(const ctnn::loaded_model&, bool optimize);

}  // namespace tool
