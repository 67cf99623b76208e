// SPDX-License-Identifier: BSL-1.0
// A network of every ncnn layer type that has weights, small ones; tests/fuzz/seeds writes weights that fit.
#pragma once

#include <string_view>

namespace ctnn::ir::fuzz {

inline constexpr std::string_view weight_layers = R"(7767517
17 17
Input image 0 1 image 0=3 1=3 2=2
Convolution conv 1 1 image a 0=2 1=3 4=1 5=1 6=36
BatchNorm bn 1 1 a b 0=2
Scale scale 1 1 b c 0=2 1=1
Bias bias 1 1 c d 0=2
PReLU slopes 1 1 d e 0=2
ConvolutionDepthWise dw 1 1 e f 0=2 1=3 4=1 5=1 6=18 7=2
Deconvolution up 1 1 f g 0=2 1=2 3=2 5=1 6=16
DeconvolutionDepthWise updw 1 1 g h 0=2 1=1 5=1 6=2 7=2
PReLU slope 1 1 h i 0=1
Pooling mean 1 1 i j 0=1 4=1
InnerProduct fc 1 1 j k 0=4 1=1 2=8
MemoryData table 0 1 m 0=4
BinaryOp sum 2 1 k m n 0=0
Reshape row 1 1 n o 0=2 1=2
Convolution1D conv1 1 1 o p 0=2 1=1 5=1 6=4
ConvolutionDepthWise1D dw1 1 1 p q 0=2 1=1 5=1 6=2 7=2
)";

}  // namespace ctnn::ir::fuzz
