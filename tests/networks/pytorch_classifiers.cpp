// SPDX-License-Identifier: BSL-1.0
// Networks that tell what an image or a signal shows, beside PyTorch.
#include <doctest/doctest.h>

#include "../../examples/networks/mobilenet_v2.hpp"
#include "../../examples/networks/resnet18.hpp"
#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

// clang-format off

struct lenet5 : nn::network<
    nn::input<"image", nn::shape<1, 32, 32>>,
    nn::conv2d<"c1", nn::out<6>, nn::kernel<5>>, nn::tanh_activation<"t1">, nn::avg_pool2d<"s2", nn::kernel<2>>,
    nn::conv2d<"c3", nn::out<16>, nn::kernel<5>>, nn::tanh_activation<"t3">, nn::avg_pool2d<"s4", nn::kernel<2>>,
    nn::conv2d<"c5", nn::out<120>, nn::kernel<5>>, nn::tanh_activation<"t5">, nn::flatten<"flatten">,
    nn::linear<"f6", nn::out<84>>, nn::tanh_activation<"t6">,
    nn::linear<"out", nn::out<10>>, nn::softmax<"prob">> {};

// clang-format on

/// VGG-16, an eighth as wide: layers under their places in torchvision's Sequentials, where ReLUs have places, too.
struct vgg16 : nn::declared<vgg16> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("image", {3, 32, 32});
    int place = 0;
    for (int channels : {8, 8, 0, 16, 16, 0, 32, 32, 32, 0, 64, 64, 64, 0, 64, 64, 64, 0}) {
      const auto scope = m.scope("features", place);
      x = channels == 0 ? m.max_pool2d(x, {.kernel = 2})
                        : m.relu(m.conv2d("", x, {.out = channels, .kernel = 3, .pad = 1}));
      place += channels == 0 ? 1 : 2;
    }
    const auto scope = m.scope("classifier");
    x = m.dropout(m.relu(m.linear("0", m.flatten(x), {.out = 48})));
    x = m.dropout(m.relu(m.linear("3", x, {.out = 48})));
    return m.linear("6", x, {.out = 10});
  }
};

/// ResNet's block for signals.
constexpr nn::value signal_block(nn::graph& m, nn::value x, int channels, int stride) {
  auto y = m.conv1d("conv1", x, {.out = channels, .kernel = 3, .stride = stride, .pad = 1, .bias = false});
  y = m.relu(m.batch_norm1d("bn1", y));
  y = m.conv1d("conv2", y, {.out = channels, .kernel = 3, .pad = 1, .bias = false});
  y = m.batch_norm1d("bn2", y);
  if (m.shape(x) != m.shape(y)) {
    const auto scope = m.scope("downsample");
    x = m.batch_norm1d("1", m.conv1d("0", x, {.out = channels, .kernel = 1, .stride = stride, .bias = false}));
  }
  return m.relu(y + x);
}

struct resnet1d : nn::declared<resnet1d> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("x", {1, 2, 100});
    x = m.conv1d("conv1", x, {.out = 8, .kernel = 7, .stride = 2, .pad = 3, .bias = false});
    x = m.max_pool1d(m.relu(m.batch_norm1d("bn1", x)), {.kernel = 3, .stride = 2, .pad = 1});
    x = m.module("layer1", 0, signal_block)(x, 8, 1);
    x = m.module("layer1", 1, signal_block)(x, 16, 2);
    return m.linear("fc", m.mean(x, 2), {.out = 5});
  }
};

// clang-format off

struct mlp_in_batch : nn::network<
    nn::input<"x", nn::shape<64, 20>>,
    nn::linear<"fc1", nn::out<64>>, nn::batch_norm1d<"bn">, nn::relu<"relu">, nn::linear<"fc2", nn::out<5>>> {};

// clang-format on

}  // namespace

TEST_CASE("LeNet-5") { CHECK(beside_pytorch<lenet5>("lenet5") == ""); }
TEST_CASE("ResNet-18") { CHECK(beside_pytorch<networks::resnet18<64>>("resnet18") == ""); }
TEST_CASE("MobileNetV2") { CHECK(beside_pytorch<networks::mobilenet_v2<64>>("mobilenet_v2") == ""); }
TEST_CASE("VGG-16") { CHECK(beside_pytorch<vgg16>("vgg16") == ""); }
TEST_CASE("a ResNet of signals") { CHECK(beside_pytorch<resnet1d>("resnet1d") == ""); }
TEST_CASE("a batch of 64 and batch norm of 64 channels") { CHECK(beside_pytorch<mlp_in_batch>("mlp_in_batch") == ""); }
