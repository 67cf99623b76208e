// SPDX-License-Identifier: BSL-1.0
// A temporal convolutional network (Bai, Kolter and Koltun 2018), as https://github.com/locuslab/TCN has it without
// weight_norm; the names of its state_dict are the names here. Causal: stateful<tcn<1>> takes sample by sample.
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// Padded on both sides, as torch.nn.Conv1d does, and what looks ahead cut off.
constexpr nn::value causal_conv(nn::graph& m, std::string_view name, nn::value x, int channels, int kernel,
                                int dilation) {
  const int past = (kernel - 1) * dilation;
  x = m.conv1d(name, x, {.out = channels, .kernel = kernel, .pad = past, .dilation = dilation});
  return m.slice(x, {.dim = 1, .start = 0, .end = -past});
}

constexpr nn::value temporal_block(nn::graph& m, nn::value x, int channels, int kernel, int dilation) {
  auto y = m.dropout(m.relu(causal_conv(m, "conv1", x, channels, kernel, dilation)));
  y = m.dropout(m.relu(causal_conv(m, "conv2", y, channels, kernel, dilation)));
  if (m.size(x, 0) != channels) x = m.conv1d("downsample", x, {.out = channels, .kernel = 1});
  return m.relu(y + x);
}

/// Length samples of one channel to as many of Outputs.
template <int Length, int Channels = 16, int Kernel = 3, int Outputs = 1>
struct tcn : nn::declared<tcn<Length, Channels, Kernel, Outputs>> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("x", {1, Length});
    for (int i = 0; i < 3; ++i) {
      const auto scope = m.scope("network", i);
      x = temporal_block(m, x, Channels, Kernel, 1 << i);
    }
    return m.conv1d("head", x, {.out = Outputs, .kernel = 1});
  }
};

}  // namespace networks
