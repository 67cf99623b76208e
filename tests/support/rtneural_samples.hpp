// SPDX-License-Identifier: BSL-1.0
// Small files of RTNeural's: every type of layer that ctnn reads. Weights and input follow from their places.
#pragma once

#include <string>
#include <vector>

#include "nam_samples.hpp"

namespace ctnn::ir::test::rtneural {

struct sample {
  std::string name, in_shape;
  std::vector<std::string> layers;
  int features;  ///< of a sample of x, filters among them
  static constexpr int samples = 24;

  std::string file() const {
    std::string out = R"({"in_shape": )" + in_shape + R"(, "layers": [)";
    for (const std::string& l : layers) out += (&l == &layers[0] ? "\n" : ",\n") + l;
    return out + "]}";
  }
  /// (samples, features).
  std::vector<float> input() const {
    std::vector<float> x;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(features * samples); ++i)
      x.push_back(static_cast<float>(nam::number_at(i + 200)));
    return x;
  }
};

/// Arrays in arrays, as many in each as `shape` says.
inline std::string nested(const std::vector<int>& shape, double scale, double shift, std::uint32_t& next,
                          std::size_t axis = 0) {
  if (axis == shape.size()) return nam::text_of(shift + scale * nam::number_at(next++));
  std::string out = "[";
  for (int i = 0; i < shape[axis]; ++i) out += (i ? ", " : "") + nested(shape, scale, shift, next, axis + 1);
  return out + "]";
}
/// A layer with weights of these shapes; `options` are more of its keys.
inline std::string layer(const std::string& type, const std::string& activation, const std::string& shape,
                         const std::vector<std::vector<int>>& shapes, const std::string& options = "",
                         double scale = 0.6, double shift = 0) {
  std::string out = R"({"type": ")" + type + R"(", "activation": ")" + activation + R"(", "shape": )" + shape;
  out += (options.empty() ? "" : ", ") + options + R"(, "weights": [)";
  std::uint32_t next = static_cast<std::uint32_t>(31 * type.size() + shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) out += (i ? ", " : "") + nested(shapes[i], scale, shift, next);
  return out + "]}";
}

inline std::vector<sample> samples() {
  const std::string epsilon = R"("epsilon": 0.01)";
  const auto conv2d = [](int kt, int kf, int dilation, int stride, int in, int features, int out, const char* pad) {
    const auto n = [](int i) { return std::to_string(i); };
    return R"("kernel_size_time": )" + n(kt) + R"(, "kernel_size_feature": )" + n(kf) + R"(, "dilation": )" +
           n(dilation) + R"(, "strides": )" + n(stride) + R"(, "num_filters_in": )" + n(in) +
           R"(, "num_features_in": )" + n(features) + R"(, "num_filters_out": )" + n(out) + R"(, "padding": ")" + pad +
           '"';
  };
  return {
      {"dense",
       "[null, 2]",
       {layer("dense", "tanh", "[null, 4]", {{2, 4}, {4}}), layer("dense", "", "[null, 3]", {{4, 3}}),
        layer("activation", "softmax", "[null, 3]", {}), layer("dense", "elu", "[null, 3]", {{3, 3}, {3}})},
       2},
      {"conv1d",
       "[null, null, 1]",
       {layer("dense", "", "[null, null, 4]", {{1, 4}, {4}}),
        layer("conv1d", "relu", "[null, null, 6]", {{3, 4, 6}, {6}}, R"("kernel_size": [3], "dilation": [2])"),
        layer("prelu", "", "[null, null, 6]", {{1, 6}}),
        layer("batchnorm", "", "[null, null, 6]", {{6}, {6}, {6}, {6}}, epsilon, 0.3, 0.7),
        layer("conv1d", "", "[null, null, 4]", {{2, 3, 4}, {4}}, R"("kernel_size": [2], "dilation": [3], "groups": 2)"),
        layer("batchnorm", "", "[null, null, 4]", {{4}, {4}}, epsilon, 0.3, 0.7),
        layer("prelu", "", "[null, null, 4]", {{1, 1}}), layer("activation", "sigmoid", "[null, null, 4]", {}),
        layer("time-distributed-dense", "", "[null, null, 2]", {{4, 2}, {2}})},
       1},
      {"gru",
       "[null, null, 2]",
       {layer("conv1d", "tanh", "[null, null, 3]", {{2, 2, 3}, {3}}, R"("kernel_size": [2], "dilation": [1])"),
        layer("gru", "tanh", "[null, null, 5]", {{3, 15}, {5, 15}, {2, 15}}),
        layer("dense", "", "[null, null, 1]", {{5, 1}, {1}})},
       2},
      {"lstm",
       "[null, 20, 1]",
       {layer("lstm", "tanh", "[null, 20, 4]", {{1, 16}, {4, 16}, {16}}),
        layer("lstm", "tanh", "[null, 20, 3]", {{4, 12}, {3, 12}, {12}}),
        layer("dense", "", "[null, 20, 1]", {{3, 1}, {1}})},
       1},
      {"conv2d",
       "[null, 20, 5, 2]",
       {layer("conv2d", "relu", "[null, 16, 3, 3]", {{3, 3, 2, 3}, {3}}, conv2d(3, 3, 2, 1, 2, 5, 3, "valid")),
        layer("batchnorm2d", "", "[null, 16, 3, 3]", {{3}, {3}},
              epsilon + R"(, "num_filters_in": 3, "num_features_in": 3)", 0.3, 0.7),
        layer("conv2d", "", "[null, 16, 2, 2]", {{2, 3, 3, 2}, {2}}, conv2d(2, 3, 1, 2, 3, 3, 2, "same")),
        layer("batchnorm2d", "", "[null, 16, 2, 2]", {{2}, {2}, {2}, {2}},
              epsilon + R"(, "num_filters_in": 2, "num_features_in": 2)", 0.3, 0.7),
        layer("dense", "tanh", "[null, 16, 2]", {{4, 2}, {2}})},
       10}};
}

}  // namespace ctnn::ir::test::rtneural
