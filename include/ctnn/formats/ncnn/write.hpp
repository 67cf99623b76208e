// SPDX-License-Identifier: BSL-1.0
// Writes ncnn's .param and .bin; writer.hpp does it.
#pragma once

#include "../../base/compiled.hpp"
#include "../../loaded/loaded_model.hpp"
#include "bin_writer.hpp"

namespace ctnn::ncnn {

struct written_model {
  std::string param;
  std::string bin;
};

/// Writes every live node of the graph. Throws ctnn::error naming all nodes that ncnn cannot express.
written_model write(const graph_view& g, const weight_numbers& numbers, weight_storage storage = weight_storage::fp32);

/// Writes a model as it was read.
written_model write(const loaded_model& m, weight_storage storage = weight_storage::fp32);

}  // namespace ctnn::ncnn

#if !CTNN_COMPILED_ELSEWHERE
#include "writer.hpp"
#endif
