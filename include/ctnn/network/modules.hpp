// SPDX-License-Identifier: BSL-1.0
// Modules of torch.nn that are a few layers, with weights under PyTorch's names. Behind what they take comes at most
// from<...>.
#pragma once

#include "blocks.hpp"

namespace ctnn {

/// torch.nn.Embedding: rows of a table by integer indices. Weight "weight" (Rows, Size).
///   embedding<"tokens", 30522, 128>
template <fixed_string Name, int Rows, int Size, class... From>
using embedding =
    block<Name, From..., input<"ids">, constant<"weight", shape<Rows, Size>>, gather<"rows", from<"weight", "ids">>>;

/// torch.nn.GroupNorm of an image (Channels, Height, Width). Weights "weight" and "bias" (Channels).
template <fixed_string Name, int Groups, int Channels, int Height, int Width, class... From>
using group_norm =
    block<Name, From..., input<"x">, constant<"weight", shape<Channels, 1, 1>>, constant<"bias", shape<Channels, 1, 1>>,
          reshape<"groups", from<"x">, shape<Groups, Channels / Groups * Height * Width>>, layer_norm<"norm">,
          reshape<"image", shape<Channels, Height, Width>>, mul<"scaled", from<"image", "weight">>,
          add<"moved", from<"scaled", "bias">>>;

/// torch.nn.GLU: the first half along an axis, by the sigmoid of the second.
template <fixed_string Name, int Axis, int Half, class... From>
using glu = block<Name, From..., split<"halves", axis<Axis>, sizes<Half, Half>>, sigmoid<"gate", from<"halves.1">>,
                  mul<"product", from<"halves.0", "gate">>>;

/// torch.nn.PixelUnshuffle of an image (Channels, Height, Width).
template <fixed_string Name, int Factor, int Channels, int Height, int Width, class... From>
using pixel_unshuffle =
    block<Name, From..., reshape<"pixels", shape<Channels, Height / Factor, Factor, Width / Factor, Factor>>,
          permute<"turned", order<0, 2, 4, 1, 3>>,
          reshape<"image", shape<Channels * Factor * Factor, Height / Factor, Width / Factor>>>;

}  // namespace ctnn
