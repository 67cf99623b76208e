// SPDX-License-Identifier: BSL-1.0
// Networks of sounds as functions, beside PyTorch's modules in sounds.py.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>

#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

constexpr nn::value feed_forward(nn::graph& m, nn::value x) {
  const int size = m.size(x, -1);
  const auto y = m.linear("linear1", m.layer_norm("norm", x), {.out = 4 * size});
  return m.linear("linear2", m.silu(y), {.out = size});
}

constexpr nn::value convolution_module(nn::graph& m, nn::value x, int kernel) {
  const int size = m.size(x, -1);
  x = m.transpose(m.layer_norm("norm", x), 0, 1);
  x = m.glu(m.conv1d("pointwise1", x, {.out = 2 * size, .kernel = 1}), 0);
  x = m.conv1d("depthwise", x, {.out = size, .kernel = kernel, .pad = kernel / 2, .groups = size});
  x = m.silu(m.batch_norm("batch_norm", x, {.dim = 0}));
  return m.transpose(m.conv1d("pointwise2", x, {.out = size, .kernel = 1}), 0, 1);
}

constexpr nn::value conformer_block(nn::graph& m, nn::value x) {
  x = x + 0.5 * m.module("ffn1", feed_forward)(x);
  x = x + m.multihead_attention("attention", m.layer_norm("attention_norm", x), {.num_heads = 4});
  x = x + m.module("convolution", convolution_module)(x, 7);
  x = x + 0.5 * m.module("ffn2", feed_forward)(x);
  return m.layer_norm("norm", x);
}

/// Gulati et al. 2020: of a spectrogram the letters of each fourth frame.
struct conformer : nn::declared<conformer> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.relu(m.conv2d("conv1", m.input("frames", {1, 27, 20}), {.out = 6, .kernel = 3, .stride = 2}));
    x = m.relu(m.conv2d("conv2", x, {.out = 6, .kernel = 3, .stride = 2}));
    x = m.linear("project", m.flatten(m.transpose(x, 0, 1), {.start_dim = 1}), {.out = 16});
    for (int i = 0; i < 2; ++i) x = m.module("layers", i, conformer_block)(x);
    return m.log_softmax(m.linear("out", x, {.out = 12}), {.dim = 1});
  }
};

/// Valin 2018: of features of a signal the gain of each band, and whether somebody speaks.
struct rnnoise : nn::declared<rnnoise> {
  static constexpr auto forward(nn::graph& m) {
    const auto x = m.input("features", {12, 42});
    const auto dense = m.tanh(m.linear("input_dense", x, {.out = 24}));
    const auto vad = m.gru("vad_gru", dense, {.hidden_size = 24}).output;
    const auto noise = m.gru("noise_gru", m.cat({dense, vad, x}, {.dim = 1}), {.hidden_size = 48}).output;
    const auto denoised = m.gru("denoise_gru", m.cat({vad, noise, x}, {.dim = 1}), {.hidden_size = 96}).output;
    const auto gains = m.sigmoid(m.linear("denoise_output", denoised, {.out = 22}));
    return std::pair(gains, m.sigmoid(m.linear("vad_output", vad, {.out = 1})));
  }
};

/// Berg et al. 2021: of a spectrogram a word.
struct keyword_transformer : nn::declared<keyword_transformer> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.linear("to_patch_embedding", m.input("frames", {20, 10}), {.out = 24});
    x = m.cat({m.parameter("cls_token", {1, 24}), x}) + m.parameter("pos_embedding", {21, 24});
    const nn::transformer_layer_options layer{.nhead = 3, .dim_feedforward = 48, .activation = nn::function::gelu};
    x = m.transformer_encoder("transformer", x, {.layer = layer, .num_layers = 3});
    return m.linear("mlp_head", m.layer_norm("norm", m.select(x, 0, 0)), {.out = 8});
  }
};

constexpr auto conv_block(nn::graph& m, nn::value x, int hidden, int dilation) {
  const int size = m.size(x, 1);
  auto y = m.prelu("prelu1", m.conv1d("conv", x, {.out = hidden, .kernel = 1}));
  y = m.group_norm("norm1", y, {.num_groups = 1, .eps = 1e-8, .dim = 1});
  y = m.conv1d("depthwise", y, {.out = hidden, .kernel = 3, .pad = dilation, .dilation = dilation, .groups = hidden});
  y = m.group_norm("norm2", m.prelu("prelu2", y), {.num_groups = 1, .eps = 1e-8, .dim = 1});
  const auto next = x + m.conv1d("residual", y, {.out = size, .kernel = 1});
  return std::pair(next, m.conv1d("skip", y, {.out = size, .kernel = 1}));
}

/// Luo and Mesgarani 2019: each speaker's signal of their sum.
struct conv_tasnet : nn::declared<conv_tasnet> {
  static constexpr auto forward(nn::graph& m) {
    const auto signal = m.input("signal", {1, 1, 64});
    const auto encoded = m.relu(m.conv1d("encoder", signal, {.out = 16, .kernel = 8, .stride = 4, .bias = false}));
    auto x = m.group_norm("norm", encoded, {.num_groups = 1, .eps = 1e-8, .dim = 1});
    x = m.conv1d("bottleneck", x, {.out = 8, .kernel = 1});
    nn::value skips;
    for (int i = 0; i < 6; ++i) {
      const auto [next, skip] = m.module("blocks", i, conv_block)(x, 12, 1 << i % 3);
      x = next;
      skips = i == 0 ? skip : skips + skip;
    }
    m.unused(x);
    const auto masks = m.sigmoid(m.conv1d("mask", m.prelu("prelu", skips), {.out = 32, .kernel = 1}));
    x = m.view(masks, {2, 16, -1}) * encoded;
    return m.conv_transpose1d("decoder", x, {.out = 1, .kernel = 8, .stride = 4, .bias = false});
  }
};

}  // namespace

TEST_CASE("a Conformer") { CHECK(beside_pytorch<conformer>("conformer", 2e-6) == ""); }
TEST_CASE("RNNoise") { CHECK(beside_pytorch<rnnoise>("rnnoise", 2e-6) == ""); }
TEST_CASE("a keyword transformer") { CHECK(beside_pytorch<keyword_transformer>("keyword_transformer", 2e-6) == ""); }
TEST_CASE("Conv-TasNet") { CHECK(beside_pytorch<conv_tasnet>("conv_tasnet", 2e-6) == ""); }
