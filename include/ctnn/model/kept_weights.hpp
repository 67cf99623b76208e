// SPDX-License-Identifier: BSL-1.0
// A loaded model that can be written again.
#pragma once

#include "program.hpp"

namespace ctnn::ir {

/// What `code` was made of, weights and all. Throws ctnn::error if these are gone.
inline const loaded_model& source_with_weights(const program& code) {
  if (code.source().weights.empty() && code.has_weights())
    throw error("the weights as they were read are gone: load the model with load_options::keep_weights");
  return code.source();
}

}  // namespace ctnn::ir
