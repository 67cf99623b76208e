// SPDX-License-Identifier: BSL-1.0
// RTNeural's .json files, which its python/model_utils.py writes of Keras' models, as its model_loader.h reads them
// (github.com/jatinchowdhury18/RTNeural, BSD-3-Clause, of November 2025). Convolutions look back only, zeros stand
// before the first sample. Input x and output y are as Keras has them: (batch, samples, features).
#pragma once

#include "layers.hpp"

namespace ctnn::rtneural {

inline json::input_declaration declared_input(const element& file) {
  const element in_shape = file["in_shape"];
  const std::size_t rank = in_shape.size();
  if (rank < 2 || rank > 4) in_shape.fail("has " + std::to_string(rank) + " extents, expected 2 to 4");
  const int samples = rank == 2 ? 0 : 1;
  json::input_declaration out{{}, samples};
  in_shape.each([&](const element& e) {
    const int i = out.shape.rank;
    if (i > samples || !e.is(json::kind::null)) out.shape.push_back(e.integer(1, most_features));
    else out.shape.push_back(i == samples ? json::usual_samples : 1);
  });
  return out;
}

inline value_id add_network(json::network_builder& b, const element& file, value_id x) {
  layer_reader network(b, x);
  std::size_t i = 0;
  file["layers"].each([&](const element& l) { network.add(l, "layers." + std::to_string(i++)); });
  return network.finish(file);
}

}  // namespace ctnn::rtneural
