// SPDX-License-Identifier: BSL-1.0
// torch.nn.TransformerEncoder (Vaswani et al. 2017), without a batch; the names of its state_dict are the names here.
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// Tokens of `Model` numbers each to as many.
template <int Length, int Model = 512, int Heads = 8, int Hidden = 2048, int Layers = 6>
struct transformer_encoder : nn::declared<transformer_encoder<Length, Model, Heads, Hidden, Layers>> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("tokens", {Length, Model});
    for (int i = 0; i < Layers; ++i) {
      const auto scope = m.scope("layers", i);
      x = m.transformer_encoder_layer("", x, {.nhead = Heads, .dim_feedforward = Hidden});
    }
    return x;
  }
};

}  // namespace networks
