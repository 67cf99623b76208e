// SPDX-License-Identifier: BSL-1.0
// A loaded model as it runs, rewritten and with its weights folded, as a C++ type.
#pragma once

#include "../formats/cpp_header.hpp"
#include "../loaded/folded_weights.hpp"
#include "kept_weights.hpp"
#include "model.hpp"

namespace ctnn::cpp {

/// The text of the header for the network that `code` runs, loaded with load_options::keep_weights: what
/// `ctnn header` writes. Floats go to `linked`, if there is one. Throws ctnn::error naming a layer that a type cannot
/// express.
inline std::string write_header(const program& code, const header_options& options, linked_numbers* linked = nullptr) {
  folded_weights numbers(source_with_weights(code), code.g());
  return write_header(
      code.g(), [&](expression_id e) { return numbers.elements(e); }, options, linked);
}

}  // namespace ctnn::cpp
