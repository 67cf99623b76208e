// SPDX-License-Identifier: BSL-1.0
// A U-Net (Ronneberger et al. 2015), padded and with batch norm, under the names of github.com/milesial/Pytorch-UNet.
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// (3 x 3, batch norm, relu) twice.
constexpr nn::value double_conv(nn::graph& m, std::string_view name, nn::value x, int channels) {
  const auto scope = m.scope(name), inside = m.scope("double_conv");
  x = m.relu(m.batch_norm("1", m.conv2d("0", x, {.out = channels, .kernel = 3, .pad = 1, .bias = false})));
  return m.relu(m.batch_norm("4", m.conv2d("3", x, {.out = channels, .kernel = 3, .pad = 1, .bias = false})));
}

/// Half the size.
constexpr nn::value down(nn::graph& m, std::string_view name, nn::value x, int channels) {
  const auto scope = m.scope(name);
  return double_conv(m, "maxpool_conv.1", m.max_pool2d(x, {.kernel = 2}), channels);
}

/// Twice the size, beside the features that were that large on the way down.
constexpr nn::value up(nn::graph& m, std::string_view name, nn::value below, nn::value skip, int channels) {
  const auto scope = m.scope(name);
  const auto x = m.conv_transpose2d("up", below, {.out = channels, .kernel = 2, .stride = 2});
  return double_conv(m, "conv", m.cat({skip, x}), channels);
}

template <int Height, int Width, int Classes = 1, int Channels = 64>
struct unet : nn::declared<unet<Height, Width, Classes, Channels>> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("image", {3, Height, Width});
    const auto a = double_conv(m, "inc", x, Channels);
    const auto b = down(m, "down1", a, Channels * 2), c = down(m, "down2", b, Channels * 4),
               d = down(m, "down3", c, Channels * 8);
    x = up(m, "up1", down(m, "down4", d, Channels * 16), d, Channels * 8);
    x = up(m, "up2", x, c, Channels * 4);
    x = up(m, "up3", x, b, Channels * 2);
    x = up(m, "up4", x, a, Channels);
    return m.conv2d("outc.conv", x, {.out = Classes, .kernel = 1});
  }
};

}  // namespace networks
