// SPDX-License-Identifier: BSL-1.0
// A loaded model as it runs, rewritten and with its weights folded, back to ncnn's files.
#pragma once

#include "kept_weights.hpp"
#include "model.hpp"
#include "../formats/ncnn/write.hpp"
#include "../loaded/folded_weights.hpp"

namespace ctnn::ncnn {

/// The network that `code` runs, loaded with load_options::keep_weights. Throws ctnn::error naming every node that ncnn
/// cannot express.
inline written_model write(const program& code, weight_storage storage = weight_storage::fp32,
                           batch_axis batch = batch_axis::kept) {
  folded_weights numbers(source_with_weights(code), code.g());
  return write(code.g(), std::ref(numbers), storage, batch);
}

/// Writes both files. Throws ctnn::error if the network cannot be expressed or a file cannot be written.
inline void save(const model& m, const std::string& param, const std::string& bin,
                 weight_storage storage = weight_storage::fp32, batch_axis batch = batch_axis::kept) {
  save(write(m.code(), storage, batch), param, bin);
}

}  // namespace ctnn::ncnn
