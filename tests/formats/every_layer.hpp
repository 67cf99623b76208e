// SPDX-License-Identifier: BSL-1.0
// A small loaded model with awkward names and most words of the declaration vocabulary, its weights made up.
#pragma once

#include <ctnn/formats/ncnn/load.hpp>

namespace ctnn::ir::test {

inline constexpr std::string_view every_layer_param = R"(7767517
25 29
Input image 0 1 image 0=8 1=8 2=4
Convolution conv/1 1 1 image c1 0=8 1=3 3=2 4=1 5=1 6=288
BatchNorm bn 1 1 c1 b1 0=8
ReLU leaky 1 1 b1 l1 0=0.1
ConvolutionDepthWise dw 1 1 l1 d1 0=8 1=3 4=1 6=72 7=8
Split fork 1 3 d1 d1a d1b d1c
Convolution "quoted\\name" 1 1 d1a c2 0=8 1=1 5=1 6=64
Eltwise sum 2 1 c2 d1b e1 0=1 -23301=2,0.5,1.0
HardSwish swish 1 1 e1 h1 0=0.16666667 1=0.5
Slice halves 1 2 h1 s1 s2 -23300=2,3,-233 1=0
Split left 1 2 s1 s1a s1b
Pooling max 1 1 s1a p1 0=0 1=2 2=2
Pooling mean 1 1 s2 p2 0=1 1=2 2=2
Concat join 2 1 p1 p2 j 0=0
BinaryOp shift 1 1 j t 0=0 1=1 2=0.25
PReLU slope 1 1 t pr 0=8
Permute turn 1 1 pr q 0=3
Softmax soft 1 1 q sm 0=2 1=1
Flatten flat 1 1 sm f
InnerProduct fc.1 1 1 f out 0=5 1=1 2=160
UnaryOp root 1 1 d1c u 0=0
Interp grow 1 1 s1b big 0=1 1=2.0 2=2.0
Deconvolution up 1 1 big up 0=4 1=4 3=2 4=1 5=1 6=192 9=1
LRN respond 1 1 up lr 1=3 2=0.5
Crop cut 1 1 lr cut -23309=2,1,2 -23310=2,9,10 -23311=2,1,2
)";

inline loaded_model every_layer() {
  const ncnn::param_file file = ncnn::parse_param(every_layer_param, "every_layer.param");
  ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
  loaded_model m = ncnn::build(file, zeros);
  unsigned state = 1;
  for (auto& [name, numbers] : m.weights) {
    array made(numbers->shape());
    for (float& v : made.values()) {
      state = state * 1664525u + 1013904223u;
      v = static_cast<float>(static_cast<int>(state >> 20) - 2048) / 8192.0f;
      if (name.second == "running_var") v = 1.0f + v;
    }
    numbers = std::make_shared<const array>(std::move(made));
  }
  return m;
}

}  // namespace ctnn::ir::test
