// SPDX-License-Identifier: BSL-1.0
// The digit classifier as train.py trains it, and what the compiler makes of it.
#pragma once

#include <ctnn/ctnn.hpp>
#include <concepts>

namespace digits {

namespace nn = ctnn;

struct network : nn::network<                                                       // channels x height x width
                     nn::input<"image", nn::shape<1, 8, 8>>,                        //
                     nn::conv2d<"conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>>,    // 8 x 8 x 8
                     nn::batch_norm<"bn1">,                                         //
                     nn::relu<"relu1">,                                             //
                     nn::conv2d<"conv2", nn::out<16>, nn::kernel<3>, nn::pad<1>>,   // 16 x 8 x 8
                     nn::batch_norm<"bn2">,                                         //
                     nn::relu<"relu2">,                                             //
                     nn::max_pool2d<"pool", nn::kernel<2>, nn::stride<2>>,          // 16 x 4 x 4
                     nn::conv2d<"conv3", nn::out<32>, nn::kernel<3>, nn::pad<1>>,   // 32 x 4 x 4
                     nn::batch_norm<"bn3">,                                         //
                     nn::relu<"relu3">,                                             //
                     nn::dropout<"drop">,                                           //
                     nn::flatten<"flat">,                                           // 512
                     nn::linear<"fc", nn::out<10>>,                                 // 10
                     nn::softmax<"prob">> {};                                       // 10

using fused = nn::optimized<network>;

// 15 layers become 7: the batch norms and activations live in the convolutions, the linear layer reads the image as it
// is, and the dropout is gone.
static_assert(fused::size == 7);
static_assert(fused::has<"conv1"> && fused::has<"pool"> && fused::has<"prob">);
static_assert(!fused::has<"bn1"> && !fused::has<"relu1"> && !fused::has<"drop"> && !fused::has<"flat">);
static_assert(nn::fused_into<network, "bn2"> == "conv2");
static_assert(nn::fused_into<network, "relu3"> == "conv3");
static_assert(nn::macs<fused> == 8 * 64 * 9 + 16 * 64 * 8 * 9 + 32 * 16 * 16 * 9 + 512 * 10);
static_assert(nn::arena_bytes<fused> <= 6144);

// The same type as one would write it by hand.
using by_hand =
    nn::network<nn::input<"image", nn::shape<1, 8, 8>>,                                                    //
                nn::conv2d<"conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::fused<nn::function::relu>>,   //
                nn::conv2d<"conv2", nn::out<16>, nn::kernel<3>, nn::pad<1>, nn::fused<nn::function::relu>>,  //
                nn::max_pool2d<"pool", nn::kernel<2>, nn::stride<2>>,                                        //
                nn::conv2d<"conv3", nn::out<32>, nn::kernel<3>, nn::pad<1>, nn::fused<nn::function::relu>>,  //
                nn::linear<"fc", nn::out<10>, nn::axes<3>>,                                                  //
                nn::softmax<"prob">>;
static_assert(std::same_as<fused, by_hand>);

}  // namespace digits
