// SPDX-License-Identifier: BSL-1.0
// WaveNet: arrays of layers, each array with channels of its own; what every layer gives the head is summed up
// (NAM/wavenet/model.cpp).
#pragma once

#include "wavenet_layer.hpp"

namespace ctnn::nam {

/// What an array's head is: a causal convolution of the sum.
inline op::conv1d head_of(const element& array) {
  if (const auto head = array.given("head")) {
    const int kernel = count_of((*head)["kernel_size"]);
    const int dilation = head->integer_or("head_dilation", 1, 1, op::most_of_window);
    return json::causal(*head, count_of((*head)["out_channels"]), kernel, dilation, 1, (*head)["bias"].boolean());
  }
  return json::causal(array, count_of(array["head_size"]), 1, 1, 1, array["head_bias"].boolean());
}

/// The convolutions behind all arrays, a function before each.
inline value_id post_stack_head(part& p, const element& head, value_id y, std::int64_t& prewarm) {
  const std::vector<int> kernels = head["kernel_sizes"].integers(1, most_channels);
  if (kernels.empty()) head["kernel_sizes"].fail("is empty");
  if (const auto in = head.given("in_channels")) expect_channels(p, *in, count_of(*in), y);
  const int channels = count_of(head["channels"]), out = count_of(head["out_channels"]);
  const element function = head["activation"];
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = "head." + std::to_string(i);
    y = activation(p, function, name + ".activation", y);
    const op::conv1d op = json::causal(head, i + 1 == kernels.size() ? out : channels, kernels[i]);
    y = convolution(p, head, name, op, y);
    prewarm += op.pad[0];
  }
  return y;
}

/// `condition` is what another network makes of x, or x.
inline made wavenet(part& p, value_id x, made condition) {
  // clang-format off
  static constexpr std::string_view keys[] = {
      "input_size", "condition_size", "head_size", "head_bias", "head", "channels", "bottleneck", "kernel_size",
      "kernel_sizes", "dilations", "activation", "gated", "gating_mode", "secondary_activation", "groups_input",
      "groups_input_mixin", "layer1x1", "head1x1", "conv_pre_film", "conv_post_film", "input_mixin_pre_film",
      "input_mixin_post_film", "activation_pre_film", "activation_post_film", "layer1x1_post_film",
      "head1x1_post_film", "slimmable"};
  // clang-format on
  const element arrays = p.config["layers"];
  const float scale = p.weights.take_last(p.config);
  value_id y = x, head = none;
  made out{none, condition.prewarm};
  std::size_t n = 0;
  arrays.each([&](const element& array) {
    array.expect_keys(keys);
    expect_channels(p, array["input_size"], count_of(array["input_size"]), y);
    expect_channels(p, array["condition_size"], count_of(array["condition_size"]), condition.y);
    const std::string name = "layers." + std::to_string(n++);
    wavenet_layers layers(p, array, name, condition.y);
    if (head != none && p.b.shape(head)[1] != layers.head_channels())
      array.fail("takes " + std::to_string(layers.head_channels()) + " channels for the head, the array before gives " +
                 std::to_string(p.b.shape(head)[1]));
    y = convolution(p, array, name + ".rechannel", json::causal(array, layers.channels(), 1, 1, 1, false), y);
    for (std::size_t i = 0; i < layers.count(); ++i) {
      const bool last = n == arrays.size() && i + 1 == layers.count();
      const auto [next, skip] = layers.add(i, y, !last);
      y = next;
      const std::string sum = p.prefix + name + "." + std::to_string(i) + ".skip";
      head = head == none ? skip : p.b.combine(array, sum, op::binary_function::add, head, skip);
    }
    const op::conv1d of_head = head_of(array);
    head = convolution(p, array, name + ".head_rechannel", of_head, head);
    out.prewarm += layers.reach() + of_head.pad[0];
  });
  if (head == none) arrays.fail("is empty");
  p.config["head_scale"].real();  // the file has it twice; NAM's core takes the last weight
  out.y = p.b.with_scalar(p.config, p.prefix + "head_scale", op::binary_function::mul, head, scale);
  if (const auto post = p.config.given("head")) out.y = post_stack_head(p, *post, out.y, out.prewarm);
  return out;
}

}  // namespace ctnn::nam
