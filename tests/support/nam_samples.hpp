// SPDX-License-Identifier: BSL-1.0
// Small .nam files: every architecture of Neural Amp Modeler that ctnn reads, and what each may have. Weights and input
// follow from their places.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace ctnn::ir::test::nam {

/// Between -1 and 1, in thousandths.
inline double number_at(std::uint32_t i) {
  std::uint32_t h = (i + 1) * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  return (static_cast<int>(h % 2001) - 1000) / 1000.0;
}
inline std::string text_of(double n) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", n);
  return text;
}
/// "[0.1, ...]"; every tenth from `positive` on is made positive, for variances.
inline std::string weights(std::size_t count, double scale = 0.5, std::uint32_t seed = 0) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i)
    out += (i ? ", " : "") + text_of(scale * number_at(static_cast<std::uint32_t>(i) + 1000 * seed));
  return out + "]";
}

struct sample {
  std::string name, architecture, config, weights;
  int channels = 1;
  std::string more = R"("sample_rate": 48)";
  static constexpr int samples = 32;

  std::string file(const std::string& of_weights) const {
    return R"({"version": "0.6.0", "architecture": ")" + architecture + R"(", "config": )" + config +
           R"(, "weights": )" + of_weights + ", " + more + "}";
  }
  std::string file() const { return file(weights); }
  /// (channels, samples).
  std::vector<float> input() const {
    std::vector<float> x;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(channels * samples); ++i)
      x.push_back(static_cast<float>(0.7 * number_at(i + 77)));
    return x;
  }
};

/// A ConvNet's weights: a block of 3 channels with its batchnorm, and another, then the head.
inline std::string batchnorm_weights() {
  std::string out = "[";
  std::uint32_t n = 0;
  const auto add = [&](int count, double scale, double shift) {
    for (int i = 0; i < count; ++i) out += (n ? ", " : "") + text_of(shift + scale * number_at(n)), ++n;
  };
  for (const int in : {1, 3}) {
    add(in * 3 * 2, 0.6, 0);
    add(3, 0.2, 0);
    add(3, 0.4, 0.8);
    add(3, 0.3, 1);
    add(3, 0.2, 0);
    add(1, 0, 0.01);
  }
  add(3 + 1, 0.5, 0);
  return out + "]";
}

inline std::vector<sample> samples() {
  const std::string plain = R"({"layers": [
    {"input_size": 1, "condition_size": 1, "head_size": 2, "channels": 3, "kernel_size": 3, "dilations": [1, 2, 4],
     "activation": "Tanh", "gated": false, "head_bias": false},
    {"input_size": 3, "condition_size": 1, "head_size": 1, "channels": 2, "kernel_size": 2, "dilations": [8, 1],
     "activation": "ReLU", "gated": false, "head_bias": true}], "head": null, "head_scale": 0.5})";
  const std::string gated = R"({"layers": [
    {"input_size": 1, "condition_size": 1, "head_size": 2, "channels": 2, "kernel_size": 3, "dilations": [1, 3],
     "activation": "Tanh", "gated": true, "head_bias": true},
    {"input_size": 2, "condition_size": 1, "head_size": 1, "channels": 2, "kernel_size": 3, "dilations": [2],
     "activation": "Hardtanh", "gated": true, "head_bias": false}], "head": null, "head_scale": 0.02})";
  const std::string films = R"("conv_pre_film": {"active": true, "shift": true, "groups": 1},
     "conv_post_film": {"active": true, "shift": false}, "input_mixin_pre_film": {"shift": true},
     "input_mixin_post_film": {"active": true, "shift": true}, "activation_pre_film": {"shift": true, "groups": 2},
     "activation_post_film": {"active": true, "shift": true}, "layer1x1_post_film": {"active": true, "shift": true},
     "head1x1_post_film": {"active": true, "shift": false})";
  const std::string modulated = R"({"in_channels": 2, "layers": [
    {"input_size": 2, "condition_size": 2, "head": {"out_channels": 4, "kernel_size": 3, "bias": true,
     "head_dilation": 2}, "channels": 4, "bottleneck": 2, "kernel_sizes": [2, 3, 4], "dilations": [1, 2, 1],
     "activation": [{"type": "PReLU", "negative_slopes": [0.2, 0.3]}, {"type": "LeakyReLU", "negative_slope": 0.05},
     "SiLU"], "gating_mode": ["gated", "blended", "blended"], "secondary_activation": ["Sigmoid", "Softsign",
     "Hardswish"], "groups_input": 2, "groups_input_mixin": 2, "layer1x1": {"active": true, "groups": 2},
     "head1x1": {"active": true, "out_channels": 2, "groups": 2}, )" +
                                films + R"(},
    {"input_size": 4, "condition_size": 2, "head_size": 2, "channels": 4, "kernel_size": 2, "dilations": [3, 1],
     "bottleneck": 4, "layer1x1": {"active": false, "groups": 1}, "activation": {"type": "LeakyHardtanh",
     "min_val": -0.4, "max_val": 0.3, "min_slope": 0.1, "max_slope": 0.2}, "head1x1": {"active": false,
     "out_channels": 4, "groups": 1}, "head_bias": false, "activation_post_film": false}],
    "head": {"channels": 3, "out_channels": 2, "kernel_sizes": [2, 3], "activation": "Softsign"}, "head_scale": 1})";
  const std::string inner = R"({"version": "0.6.0", "architecture": "WaveNet", "config": {"layers": [
    {"input_size": 1, "condition_size": 1, "head_size": 2, "channels": 2, "kernel_size": 2, "dilations": [1, 2],
     "activation": "Sigmoid", "head_bias": true}], "head_scale": 1}, "weights": )" +
                            weights(45, 0.8, 3) + R"(, "sample_rate": 48})";
  const std::string conditioned = R"({"condition_dsp": )" + inner + R"(, "layers": [
    {"input_size": 1, "condition_size": 2, "head_size": 1, "channels": 2, "kernel_size": 3, "dilations": [1, 2],
     "activation": "Hardswish", "gating_mode": "none", "head_bias": true, "activation_pre_film": {"shift": true},
     "layer1x1_post_film": {"active": true, "shift": true}}], "head_scale": 0.5})";
  const std::string lstm = R"({"num_layers": 2, "input_size": 1, "hidden_size": 3})";
  std::vector<sample> all{
      {"wavenet", "WaveNet", plain, weights(190, 0.6)},
      {"wavenet_gated", "WaveNet", gated, weights(129, 0.7)},
      {"wavenet_modulated", "WaveNet", modulated, weights(706, 0.6), 2},
      {"wavenet_condition", "WaveNet", conditioned, weights(102, 0.5)},
      {"lstm", "LSTM", lstm, weights(160, 0.8)},
      {"lstm_stereo", "LSTM",
       R"({"num_layers": 1, "input_size": 2, "hidden_size": 4, "in_channels": 2, "out_channels": 2})",
       weights(130, 0.8), 2},
      {"convnet_batchnorm", "ConvNet",
       R"({"channels": 3, "dilations": [1, 5], "batchnorm": true, "activation": "Tanh"})", batchnorm_weights()},
      {"convnet", "ConvNet",
       R"({"channels": 4, "dilations": [1, 2, 4], "batchnorm": false, "activation": "ReLU", "groups": 2,
           "in_channels": 2, "out_channels": 3})",
       weights(67, 0.7), 2},
      {"linear", "Linear", R"({"receptive_field": 7, "bias": true})", weights(8)}};
  const auto model = [&](std::size_t i, const char* most) {
    return R"({"max_value": )" + std::string(most) + R"(, "model": )" + all[i].file() + "}";
  };
  all.push_back({"container", "SlimmableContainer",
                 R"({"submodels": [)" + model(8, "0.5") + ", " + model(1, "1.0") + "]}", "[]"});
  return all;
}

}  // namespace ctnn::ir::test::nam
