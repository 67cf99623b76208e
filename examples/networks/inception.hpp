// SPDX-License-Identifier: BSL-1.0
// GoogLeNet's first inception modules (Szegedy et al. 2014, table 1) with batch norm, under torchvision's names.
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// torchvision's BasicConv2d.
constexpr nn::value conv_norm_relu(nn::graph& m, std::string_view name, nn::value x, int channels, int kernel) {
  const auto scope = m.scope(name);
  x = m.conv2d("conv", x, {.out = channels, .kernel = kernel, .pad = kernel / 2, .bias = false});
  return m.relu(m.batch_norm("bn", x, {.eps = 0.001}));
}

/// Windows of four sizes over the same input, their channels one after the other.
constexpr nn::value inception(nn::graph& m, std::string_view name, nn::value x, int ones, int before3, int threes,
                              int before5, int fives, int pooled) {
  const auto scope = m.scope(name);
  const auto a = conv_norm_relu(m, "branch1", x, ones, 1);
  const auto b = conv_norm_relu(m, "branch2.1", conv_norm_relu(m, "branch2.0", x, before3, 1), threes, 3);
  const auto c = conv_norm_relu(m, "branch3.1", conv_norm_relu(m, "branch3.0", x, before5, 1), fives, 5);
  x = m.max_pool2d(x, {.kernel = 3, .stride = 1, .pad = 1});
  return m.cat({a, b, c, conv_norm_relu(m, "branch4.1", x, pooled, 1)});
}

template <int Size = 28>
struct inceptions : nn::declared<inceptions<Size>> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = inception(m, "inception3a", m.input("features", {192, Size, Size}), 64, 96, 128, 16, 32, 32);
    return inception(m, "inception3b", x, 128, 128, 192, 32, 96, 64);
  }
};

}  // namespace networks
