// SPDX-License-Identifier: BSL-1.0
// ConvNet and Linear: convolutions one after the other, and one alone (NAM/convnet.cpp, linear.cpp).
#pragma once

#include <algorithm>

#include "activations.hpp"

namespace ctnn::nam {

inline made convnet(part& p, value_id x) {
  const element& c = p.config;
  const int channels = count_of(c["channels"]), groups = count_or(c, "groups", 1);
  const bool batchnorm = c["batchnorm"].boolean();
  const element function = c["activation"];
  const std::vector<int> dilations = c["dilations"].integers(1, op::most_of_window);
  if (dilations.empty()) c["dilations"].fail("is empty");
  value_id y = x;
  std::int64_t prewarm = 1;
  for (std::size_t i = 0; i < dilations.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    y = convolution(p, c, name + ".conv", json::causal(c, channels, 2, dilations[i], groups, !batchnorm), y);
    if (batchnorm) {
      const std::span<const float> mean = p.weights.take(c, channels), var = p.weights.take(c, channels),
                                   weight = p.weights.take(c, channels), bias = p.weights.take(c, channels);
      op::batch_norm norm;
      norm.axis = 1;
      norm.eps = p.weights.take(c, 1)[0];
      y = p.b.node(c, p.prefix + name + ".batchnorm", norm, {y});
      p.b.set_weights(c, y, {weight, bias, mean, var});
    }
    y = activation(p, function, name + ".activation", y);
    prewarm += dilations[i];
  }
  return {convolution(p, c, "head", json::causal(c, count_or(c, "out_channels", 1), 1), y), prewarm};
}

/// An impulse response, the newest sample's factor first, of one channel.
inline made linear(part& p, value_id x) {
  const element& c = p.config;
  for (const std::string_view key : {"in_channels", "out_channels"})
    if (const int n = count_or(c, key, 1); n != 1) c.refuse(std::string(key) + " " + std::to_string(n));
  const int taps = c["receptive_field"].integer(1, op::most_of_window);
  const op::conv1d op = json::causal(c, 1, taps, 1, 1, c["bias"].boolean());
  const std::span<const float> response = p.weights.take(c, taps);
  const std::vector<float> weight(response.rbegin(), response.rend());
  const value_id y = p.b.node(c, p.prefix + "linear", op, {x});
  p.b.set_weight(c, y, 0, weight);
  if (op.bias) p.b.set_weight(c, y, 1, p.weights.take(c, 1));
  return {y, 0};
}

}  // namespace ctnn::nam
