// SPDX-License-Identifier: BSL-1.0
// A loaded model as it runs, rewritten and with its weights folded, back to ncnn's files.
#pragma once

#include "model.hpp"
#include "../formats/ncnn/write.hpp"
#include "../loaded/folded_weights.hpp"

namespace ctnn::ncnn {

/// The network that `code` runs, loaded with load_options::keep_weights. Throws ctnn::error naming every node that ncnn
/// cannot express.
inline written_model write(const program& code, weight_storage storage = weight_storage::fp32) {
  if (code.source().weights.empty() && code.weights_bytes() != 0)
    throw error("the weights as they were read are gone: load the model with load_options::keep_weights to write it");
  folded_weights numbers(code.source(), code.g());
  return write(code.g(), std::ref(numbers), storage);
}

/// Writes both files. Throws ctnn::error if the network cannot be expressed or a file cannot be written.
inline void save(const model& m, const std::string& param, const std::string& bin,
                 weight_storage storage = weight_storage::fp32) {
  save(write(m.code(), storage), param, bin);
}

}  // namespace ctnn::ncnn
