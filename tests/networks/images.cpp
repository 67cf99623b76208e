// SPDX-License-Identifier: BSL-1.0
// Networks of images as functions, beside PyTorch's modules in images.py.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>

#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

constexpr nn::value squeeze_excite(nn::graph& m, nn::value x, int reduced) {
  const auto gate = m.silu(m.conv2d("conv_reduce", m.adaptive_avg_pool2d(x), {.out = reduced, .kernel = 1}));
  return x * m.sigmoid(m.conv2d("conv_expand", gate, {.out = m.size(x, 0), .kernel = 1}));
}

constexpr nn::value inverted_residual(nn::graph& m, nn::value x, int out, int expand, int kernel, int stride) {
  const int in = m.size(x, 0), wide = in * expand;
  auto y = m.conv2d("conv_pw", x, {.out = wide, .kernel = 1, .bias = false});
  y = m.silu(m.batch_norm("bn1", y));
  y = m.conv2d("conv_dw", y,
               {.out = wide, .kernel = kernel, .stride = stride, .pad = kernel / 2, .groups = wide, .bias = false});
  y = m.silu(m.batch_norm("bn2", y));
  y = m.module("se", squeeze_excite)(y, in / 4);
  y = m.batch_norm("bn3", m.conv2d("conv_pwl", y, {.out = out, .kernel = 1, .bias = false}));
  return stride == 1 && in == out ? x + y : y;
}

/// Tan and Le 2019, with timm's names.
struct efficientnet : nn::declared<efficientnet> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("image", {3, 32, 32});
    x = m.conv2d("conv_stem", x, {.out = 8, .kernel = 3, .stride = 2, .pad = 1, .bias = false});
    x = m.silu(m.batch_norm("bn1", x));
    constexpr stage stages[] = {{1, 8, 1, 3, 1}, {6, 12, 2, 3, 2}, {6, 16, 3, 5, 2}};
    int block = 0;
    for (const auto& [expand, out, times, kernel, stride] : stages)
      for (int i = 0; i < times; ++i)
        x = m.module("blocks", block++, inverted_residual)(x, out, expand, kernel, i == 0 ? stride : 1);
    x = m.silu(m.batch_norm("bn2", m.conv2d("conv_head", x, {.out = 48, .kernel = 1, .bias = false})));
    return m.linear("classifier", m.flatten(m.adaptive_avg_pool2d(x)), {.out = 10});
  }

 private:
  struct stage {
    int expand, out, times, kernel, stride;
  };
};

constexpr nn::value convnext_block(nn::graph& m, nn::value x) {
  const int channels = m.size(x, 0);
  auto y = m.conv2d("dwconv", x, {.out = channels, .kernel = 7, .pad = 3, .groups = channels});
  y = m.layer_norm("norm", m.permute(y, {1, 2, 0}), {.eps = 1e-6});
  y = m.linear("pwconv2", m.gelu(m.linear("pwconv1", y, {.out = 4 * channels})), {.out = channels});
  return x + m.permute(m.parameter("gamma", {channels}) * y, {2, 0, 1});
}

constexpr nn::value channel_norm(nn::graph& m, std::string_view name, nn::value x) {
  return m.permute(m.layer_norm(name, m.permute(x, {1, 2, 0}), {.eps = 1e-6}), {2, 0, 1});
}

/// Liu et al. 2022, with its authors' names.
struct convnext : nn::declared<convnext> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("image", {3, 32, 32});
    constexpr int depths[] = {1, 2, 1}, channels[] = {8, 16, 24};
    for (int i = 0; i < 3; ++i) {
      x = m.module("downsample_layers", i, i == 0 ? stem : downsample)(x, channels[i]);
      for (int k = 0; k < depths[i]; ++k) {
        const auto stage = m.scope("stages", i);
        x = m.module("", k, convnext_block)(x);
      }
    }
    return m.linear("head", m.layer_norm("norm", m.mean(x, {1, 2}), {.eps = 1e-6}), {.out = 10});
  }

 private:
  static constexpr nn::value stem(nn::graph& m, nn::value x, int channels) {
    return channel_norm(m, "1", m.conv2d("0", x, {.out = channels, .kernel = 4, .stride = 4}));
  }
  static constexpr nn::value downsample(nn::graph& m, nn::value x, int channels) {
    return m.conv2d("1", channel_norm(m, "0", x), {.out = channels, .kernel = 2, .stride = 2});
  }
};

constexpr nn::value resnet_block(nn::graph& m, nn::value x, int channels) {
  auto y = m.silu(m.group_norm("norm1", x, {.num_groups = 4, .eps = 1e-6}));
  y = m.conv2d("conv1", y, {.out = channels, .kernel = 3, .pad = 1});
  y = m.silu(m.group_norm("norm2", y, {.num_groups = 4, .eps = 1e-6}));
  y = m.conv2d("conv2", y, {.out = channels, .kernel = 3, .pad = 1});
  if (m.size(x, 0) != channels) x = m.conv2d("conv_shortcut", x, {.out = channels, .kernel = 1});
  return x + y;
}

constexpr nn::value spatial_attention(nn::graph& m, nn::value x) {
  const int channels = m.size(x, 0);
  const auto y = m.flatten(m.group_norm("group_norm", x, {.num_groups = 4, .eps = 1e-6}), {.start_dim = 1});
  const auto rows = m.transpose(y, 0, 1);
  const auto q = m.linear("to_q", rows, {.out = channels});
  const auto k = m.linear("to_k", rows, {.out = channels});
  const auto v = m.linear("to_v", rows, {.out = channels});
  const auto attended = m.linear("to_out", m.scaled_dot_product_attention(q, k, v), {.out = channels});
  return x + m.view(m.transpose(attended, 0, 1), m.shape(x));
}

/// Of latent diffusion (Rombach et al. 2022): features to an image.
struct vae_decoder : nn::declared<vae_decoder> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.conv2d("post_quant_conv", m.input("latent", {4, 4, 6}), {.out = 4, .kernel = 1});
    x = m.conv2d("conv_in", x, {.out = 16, .kernel = 3, .pad = 1});
    x = m.module("mid_block1", resnet_block)(x, 16);
    x = m.module("mid_attention", spatial_attention)(x);
    x = m.module("mid_block2", resnet_block)(x, 16);
    for (int i = 0; i < 2; ++i) {
      const int channels = 16 >> i;
      x = m.module("up_blocks", i, two_blocks)(x, channels);
      const auto upsamplers = m.scope("upsamplers", i);
      x = m.conv2d("", m.interpolate(x, {.scale_factor = 2}), {.out = channels, .kernel = 3, .pad = 1});
    }
    x = m.silu(m.group_norm("conv_norm_out", x, {.num_groups = 4, .eps = 1e-6}));
    return m.conv2d("conv_out", x, {.out = 3, .kernel = 3, .pad = 1});
  }

 private:
  static constexpr nn::value two_blocks(nn::graph& m, nn::value x, int channels) {
    return m.module("1", resnet_block)(m.module("0", resnet_block)(x, channels), channels);
  }
};

constexpr nn::value residual_block(nn::graph& m, nn::value x) {
  const int channels = m.size(x, 0);
  const auto y = m.relu(m.conv2d("conv1", x, {.out = channels, .kernel = 3, .pad = 1}));
  return x + 0.1 * m.conv2d("conv2", y, {.out = channels, .kernel = 3, .pad = 1});
}

/// Lim et al. 2017: four times as high and wide.
struct edsr : nn::declared<edsr> {
  static constexpr auto forward(nn::graph& m) {
    const auto mean = m.parameter("mean", {3, 1, 1});
    auto x = m.conv2d("head", m.input("image", {3, 8, 10}) - mean, {.out = 12, .kernel = 3, .pad = 1});
    auto y = x;
    for (int i = 0; i < 3; ++i) y = m.module("body", i, residual_block)(y);
    x = x + m.conv2d("body_end", y, {.out = 12, .kernel = 3, .pad = 1});
    for (int i = 0; i < 2; ++i) {
      const auto upsampler = m.scope("upsamplers", i);
      x = m.pixel_shuffle(m.conv2d("", x, {.out = 48, .kernel = 3, .pad = 1}), {.upscale_factor = 2});
    }
    return m.conv2d("tail", x, {.out = 3, .kernel = 3, .pad = 1}) + mean;
  }
};

constexpr nn::value tower(nn::graph& m, nn::value x) {
  x = m.max_pool2d(m.relu(m.conv2d("conv1", x, {.out = 8, .kernel = 5})), {.kernel = 2});
  x = m.max_pool2d(m.relu(m.conv2d("conv2", x, {.out = 16, .kernel = 3})), {.kernel = 2});
  return m.sigmoid(m.linear("fc", m.flatten(x, {.start_dim = 1}), {.out = 24}));
}

/// Koch et al. 2015: do two images, of three pairs here, show the same?
struct siamese : nn::declared<siamese> {
  static constexpr auto forward(nn::graph& m) {
    const auto of = m.module("tower", tower);
    const auto left = of(m.input("left", {3, 1, 24, 24}));
    const auto right = of(m.input("right", {3, 1, 24, 24}));
    return m.sigmoid(m.linear("alike", m.abs(left - right), {.out = 1}));
  }
};

/// Wang et al. 2016: of four frames what each action is worth.
struct dueling_dqn : nn::declared<dueling_dqn> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.relu(m.conv2d("conv1", m.input("frames", {4, 44, 44}), {.out = 8, .kernel = 8, .stride = 4}));
    x = m.relu(m.conv2d("conv2", x, {.out = 16, .kernel = 4, .stride = 2}));
    x = m.flatten(m.relu(m.conv2d("conv3", x, {.out = 16, .kernel = 3})));
    const auto value = m.linear("value2", m.relu(m.linear("value1", x, {.out = 32})), {.out = 1});
    const auto advantage = m.linear("advantage2", m.relu(m.linear("advantage1", x, {.out = 32})), {.out = 6});
    return value + advantage - m.mean(advantage, 0, true);
  }
};

}  // namespace

TEST_CASE("EfficientNet") { CHECK(beside_pytorch<efficientnet>("efficientnet", 2e-6) == ""); }
TEST_CASE("ConvNeXt") { CHECK(beside_pytorch<convnext>("convnext", 2e-6) == ""); }
TEST_CASE("a decoder of latent images") { CHECK(beside_pytorch<vae_decoder>("vae_decoder", 2e-6) == ""); }
TEST_CASE("EDSR") { CHECK(beside_pytorch<edsr>("edsr", 2e-6) == ""); }
TEST_CASE("a tower for two images") { CHECK(beside_pytorch<siamese>("siamese", 2e-6) == ""); }
TEST_CASE("a dueling DQN") { CHECK(beside_pytorch<dueling_dqn>("dueling_dqn", 2e-6) == ""); }
