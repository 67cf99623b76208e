// SPDX-License-Identifier: BSL-1.0
// ResNet-18 (He et al. 2015) as torchvision has it: the names of its state_dict are the names here.
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// Two convolutions of 3 x 3, added to what they read.
constexpr nn::value basic_block(nn::graph& m, nn::value x, int channels, int stride) {
  auto y = m.conv2d("conv1", x, {.out = channels, .kernel = 3, .stride = stride, .pad = 1, .bias = false});
  y = m.relu(m.batch_norm("bn1", y));
  y = m.conv2d("conv2", y, {.out = channels, .kernel = 3, .pad = 1, .bias = false});
  y = m.batch_norm("bn2", y);
  if (m.shape(x) != m.shape(y)) {
    const auto scope = m.scope("downsample");
    x = m.batch_norm("1", m.conv2d("0", x, {.out = channels, .kernel = 1, .stride = stride, .bias = false}));
  }
  return m.relu(y + x);
}

template <int Size = 224, int Classes = 1000>
struct resnet18 : nn::declared<resnet18<Size, Classes>> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("image", {3, Size, Size});
    x = m.conv2d("conv1", x, {.out = 64, .kernel = 7, .stride = 2, .pad = 3, .bias = false});
    x = m.max_pool2d(m.relu(m.batch_norm("bn1", x)), {.kernel = 3, .stride = 2, .pad = 1});
    constexpr std::string_view layers[] = {"layer1", "layer2", "layer3", "layer4"};
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 2; ++i) {
        const auto scope = m.scope(layers[k], i);
        x = basic_block(m, x, 64 << k, k > 0 && i == 0 ? 2 : 1);
      }
    return m.linear("fc", m.flatten(m.adaptive_avg_pool2d(x)), {.out = Classes});
  }
};

}  // namespace networks
