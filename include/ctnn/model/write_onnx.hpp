// SPDX-License-Identifier: BSL-1.0
// A loaded model as it runs, rewritten and with its weights folded, back to an ONNX file.
#pragma once

#include "kept_weights.hpp"
#include "model.hpp"
#include "../formats/onnx/write.hpp"

namespace ctnn::onnx {

/// Bytes of the network that `code` runs, loaded with load_options::keep_weights. Throws ctnn::error naming every node
/// that ONNX's standard operators cannot express.
inline std::string write(const program& code, const write_options& options = {}) {
  return write(source_with_weights(code), code.g(), options);
}

/// Writes the file, which is read back before it gets its name. Throws ctnn::error if the network cannot be expressed
/// or the file cannot be written.
inline saved_model save(const model& m, const std::string& path, const write_options& options = {}) {
  return save(source_with_weights(m.code()), m.code().g(), path, options);
}

}  // namespace ctnn::onnx
