// SPDX-License-Identifier: BSL-1.0
// The networks that are timed beside peers: LeNet-5, the four float networks of MLPerf Tiny, and four for pictures of
// 224 x 224 (MobileNetV2, SqueezeNet 1.1, ResNet-18, ResNet-50).
#pragma once

#include <functional>
#include <utility>

#include "network_writer.hpp"

namespace ctnn::ir::test {

using value = network_writer::value;

inline value square(network_writer& net, const value& x, int out, int kernel, int stride = 1,
                    ending end = ending::relu) {
  return net.conv(x, {out, kernel, kernel, stride, kernel / 2, kernel / 2, 1, end});
}
inline value depthwise(network_writer& net, const value& x, int stride, ending end = ending::relu) {
  return net.conv(x, {x.channels, 3, 3, stride, 1, 1, x.channels, end});
}

/// LeCun et al. 1998, with ReLU and max pooling.
inline written_network lenet5() {
  const value in{"x", 1, 32, 32};
  network_writer net("lenet5", in);
  value x = net.max_pool(net.conv(in, {6, 5, 5}), 2, 2);
  x = net.max_pool(net.conv(x, {16, 5, 5}), 2, 2);
  return net.finish(net.linear(net.linear(net.linear(x, 120, ending::relu), 84, ending::relu), 10));
}

/// Keyword spotting: 49 x 10 MFCC, depthwise separable convolutions of 64 channels.
inline written_network dscnn_kws() {
  const value in{"x", 1, 49, 10};
  network_writer net("dscnn_kws", in);
  value x = net.conv(in, {64, 10, 4, 2, 5, 1});
  for (int i = 0; i < 4; ++i) x = square(net, depthwise(net, x, 1), 64, 1);
  return net.finish(net.softmax(net.linear(net.global_avg_pool(x), 12)));
}

/// Image classification (CIFAR-10): three residual stages.
inline written_network resnet8() {
  const value in{"x", 3, 32, 32};
  network_writer net("resnet8", in);
  value x = square(net, in, 16, 3);
  for (int channels = 16; channels <= 64; channels *= 2) {
    const int stride = channels == 16 ? 1 : 2;
    const value y = square(net, square(net, x, channels, 3, stride), channels, 3, 1, ending::none);
    x = net.add_relu(y, stride == 1 ? x : square(net, x, channels, 1, stride, ending::none));
  }
  return net.finish(net.softmax(net.linear(net.global_avg_pool(x), 10)));
}

/// Visual wake words: Howard et al. 2017, a quarter of the width.
inline written_network mobilenetv1_025() {
  const value in{"x", 3, 96, 96};
  network_writer net("mobilenetv1_025", in);
  value x = square(net, in, 8, 3, 2);
  for (const auto& [out, stride] : {std::pair{16, 1},
                                    {32, 2},
                                    {32, 1},
                                    {64, 2},
                                    {64, 1},
                                    {128, 2},
                                    {128, 1},
                                    {128, 1},
                                    {128, 1},
                                    {128, 1},
                                    {128, 1},
                                    {256, 2},
                                    {256, 1}})
    x = square(net, depthwise(net, x, stride), out, 1);
  return net.finish(net.softmax(net.linear(net.global_avg_pool(x), 2)));
}

/// Anomaly detection (ToyADMOS): linear layers alone.
inline written_network autoencoder() {
  value x{"x", 640};
  x.image = false;
  network_writer net("autoencoder", x);
  for (int out : {128, 128, 128, 128, 8, 128, 128, 128, 128}) x = net.linear(x, out, ending::relu);
  return net.finish(net.linear(x, 640));
}

/// Sandler et al. 2018.
inline written_network mobilenetv2() {
  const value in{"x", 3, 224, 224};
  network_writer net("mobilenetv2", in);
  value x = square(net, in, 32, 3, 2, ending::relu6);
  const int plan[][4] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                         {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  for (const auto& [expand, out, repeats, first] : plan)
    for (int i = 0; i < repeats; ++i) {
      const int stride = i == 0 ? first : 1;
      value y = expand == 1 ? x : square(net, x, x.channels * expand, 1, 1, ending::relu6);
      y = square(net, depthwise(net, y, stride, ending::relu6), out, 1, 1, ending::none);
      x = stride == 1 && x.channels == out ? net.add(x, y) : y;
    }
  x = square(net, x, 1280, 1, 1, ending::relu6);
  return net.finish(net.linear(net.global_avg_pool(x), 1000));
}

/// Iandola et al. 2016, version 1.1.
inline written_network squeezenet11() {
  const value in{"x", 3, 224, 224};
  network_writer net("squeezenet11", in);
  const auto fire = [&](const value& x, int squeeze, int expand) {
    const value s = square(net, x, squeeze, 1);
    return net.concat(square(net, s, expand, 1), square(net, s, expand, 3));
  };
  value x = net.max_pool(net.conv(in, {64, 3, 3, 2}), 3, 2, 0, true);
  x = net.max_pool(fire(fire(x, 16, 64), 16, 64), 3, 2, 0, true);
  x = net.max_pool(fire(fire(x, 32, 128), 32, 128), 3, 2, 0, true);
  x = fire(fire(fire(fire(x, 48, 192), 48, 192), 64, 256), 64, 256);
  return net.finish(net.global_avg_pool(square(net, x, 1000, 1)));
}

/// He et al. 2015: basic blocks of two 3x3, or bottlenecks with the stride on the 3x3.
inline written_network resnet(const char* name, bool bottleneck, const std::vector<int>& repeats) {
  const value in{"x", 3, 224, 224};
  network_writer net(name, in);
  value x = net.max_pool(square(net, in, 64, 7, 2), 3, 2, 1);
  for (std::size_t stage = 0; stage < repeats.size(); ++stage)
    for (int i = 0; i < repeats[stage]; ++i) {
      const int width = 64 << stage, out = bottleneck ? 4 * width : width, stride = stage > 0 && i == 0 ? 2 : 1;
      value y = bottleneck ? square(net, square(net, x, width, 1), width, 3, stride) : square(net, x, width, 3, stride);
      y = square(net, y, out, bottleneck ? 1 : 3, 1, ending::none);
      const bool same = stride == 1 && x.channels == out;
      x = net.add_relu(y, same ? x : square(net, x, out, 1, stride, ending::none));
    }
  return net.finish(net.linear(net.global_avg_pool(x), 1000));
}

/// From the smallest to the largest; each is made when it is asked for.
inline std::vector<std::pair<const char*, std::function<written_network()>>> benchmark_networks() {
  return {{"lenet5", lenet5},
          {"dscnn_kws", dscnn_kws},
          {"resnet8", resnet8},
          {"mobilenetv1_025", mobilenetv1_025},
          {"autoencoder", autoencoder},
          {"mobilenetv2", mobilenetv2},
          {"squeezenet11", squeezenet11},
          {"resnet18",
           [] {
             return resnet("resnet18", false, {2, 2, 2, 2});
           }},
          {"resnet50", [] {
             return resnet("resnet50", true, {3, 4, 6, 3});
           }}};
}

}  // namespace ctnn::ir::test
