// SPDX-License-Identifier: BSL-1.0
// MobileNetV2 (Sandler et al. 2018) as torchvision has it: the names of its state_dict are the names here.
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// torchvision's Conv2dNormActivation.
constexpr nn::value conv_norm_relu6(nn::graph& m, int number, nn::value x, int channels, int kernel, int stride = 1,
                                    int groups = 1) {
  const auto scope = m.scope("", number);
  x = m.conv2d(
      "0", x,
      {.out = channels, .kernel = kernel, .stride = stride, .pad = kernel / 2, .groups = groups, .bias = false});
  return m.relu6(m.batch_norm("1", x));
}

/// Expand, filter each channel, project; added to what it reads where that has the result's shape.
constexpr nn::value inverted_residual(nn::graph& m, nn::value x, int channels, int stride, int expansion) {
  const auto scope = m.scope("conv");
  const int from = m.size(x, 0), between = from * expansion, first = expansion == 1 ? 0 : 1;
  auto y = expansion == 1 ? x : conv_norm_relu6(m, 0, x, between, 1);
  y = conv_norm_relu6(m, first, y, between, 3, stride, between);
  y = m.conv2d(first == 0 ? "1" : "2", y, {.out = channels, .kernel = 1, .bias = false});
  y = m.batch_norm(first == 0 ? "2" : "3", y);
  return stride == 1 && from == channels ? y + x : y;
}

template <int Size = 224, int Classes = 1000>
struct mobilenet_v2 : nn::declared<mobilenet_v2<Size, Classes>> {
  static constexpr auto forward(nn::graph& m) {
    struct stage {
      int expansion, channels, blocks, stride;
    };
    constexpr stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    auto x = m.input("image", {3, Size, Size});
    {
      const auto features = m.scope("features");
      x = conv_norm_relu6(m, 0, x, 32, 3, 2);
      int number = 1;
      for (const stage& s : stages)
        for (int i = 0; i < s.blocks; ++i) {
          const auto block = m.scope("", number++);
          x = inverted_residual(m, x, s.channels, i == 0 ? s.stride : 1, s.expansion);
        }
      x = conv_norm_relu6(m, number, x, 1280, 1);
    }
    x = m.dropout(m.flatten(m.adaptive_avg_pool2d(x)));
    return m.linear("classifier.1", x, {.out = Classes});
  }
};

}  // namespace networks
