// SPDX-License-Identifier: BSL-1.0
// torch.nn.TransformerEncoder (Vaswani et al. 2017), without a batch; the names of its state_dict are the names here.
#pragma once

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

constexpr double root(double x) {
  double r = x;
  for (int i = 0; i < 40; ++i) r = (r + x / r) / 2;
  return r;
}

// clang-format off

/// torch.nn.LayerNorm of the last axis, with weights of its own.
template <nn::fixed_string Name, int Model>
using norm = nn::block<Name,
    nn::input<"x">, nn::constant<"weight", nn::shape<Model>>, nn::constant<"bias", nn::shape<Model>>,
    nn::layer_norm<"norm", nn::from<"x", "weight", "bias">>>;

/// torch.nn.MultiheadAttention of a sequence with itself.
template <nn::fixed_string Name, int Length, int Model, int Heads>
using self_attention = nn::block<Name,
    nn::input<"x">,
    nn::constant<"in_proj_weight", nn::shape<3 * Model, Model>>, nn::constant<"in_proj_bias", nn::shape<3 * Model>>,
    nn::linear<"in_proj", nn::from<"x", "in_proj_weight", "in_proj_bias">, nn::out<3 * Model>, nn::given<3>>,
    nn::reshape<"by_head", nn::shape<Length, 3, Heads, Model / Heads>>,
    nn::permute<"heads_first", nn::order<1, 2, 0, 3>>,                 // 3 x heads x length x size
    nn::split<"qkv", nn::axis<0>, nn::sizes<1, 1, 1>>,
    nn::permute<"keys", nn::from<"qkv.1">, nn::order<0, 1, 3, 2>>,
    nn::matmul<"products", nn::from<"qkv.0", "keys">>,                 // 1 x heads x length x length
    nn::mul<"scaled", nn::scalar<1 / root(Model / Heads)>>,
    nn::softmax<"attention">,
    nn::matmul<"values", nn::from<"attention", "qkv.2">>,              // 1 x heads x length x size
    nn::permute<"length_first", nn::order<0, 2, 1, 3>>,
    nn::reshape<"together", nn::shape<Length, Model>>,
    nn::linear<"out_proj", nn::out<Model>>>;

/// torch.nn.TransformerEncoderLayer; the names are those of the block around it.
template <int Length, int Model, int Heads, int Hidden>
using encoder_layer = nn::block<"",
    nn::residual<"attended", self_attention<"self_attn", Length, Model, Heads>, nn::dropout<"dropout1">>,
    norm<"norm1", Model>,
    nn::residual<"fed_forward",
        nn::linear<"linear1", nn::out<Hidden>>, nn::relu<"activation">, nn::dropout<"dropout">,
        nn::linear<"linear2", nn::out<Model>>, nn::dropout<"dropout2">>,
    norm<"norm2", Model>>;

template <int Length, int Model = 512, int Heads = 8, int Hidden = 2048, int Layers = 6>
struct transformer_encoder : nn::network<
    nn::input<"tokens", nn::shape<Length, Model>>,
    nn::repeat<"layers", Layers, encoder_layer<Length, Model, Heads, Hidden>>> {};

// clang-format on

}  // namespace lists
