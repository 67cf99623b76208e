// SPDX-License-Identifier: BSL-1.0
// Writes a network layer by layer as an ONNX model and as an ncnn one, so that peers run the same numbers without any
// file of others. Weights are random, scaled so that values stay near 1; batch norms are folded, as all peers do at
// load.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/onnx_bytes.hpp"

namespace ctnn::ir::test {

enum class ending { none, relu, relu6 };

struct written_network {
  std::string name, onnx, param, bin;
  std::vector<int> in, out;  ///< shapes, with the batch of 1
  std::string output;        ///< its name; the input is "x"
};

class network_writer {
 public:
  /// What a layer gives: an image 1 x channels x height x width, or a vector 1 x channels.
  struct value {
    std::string name;
    int channels, height = 1, width = 1;
    bool image = true;
  };
  struct conv_options {
    int out, kernel_h, kernel_w, stride = 1, pad_h = 0, pad_w = 0, groups = 1;
    ending end = ending::relu;
  };

  network_writer(std::string name, const value& in) : name_(std::move(name)), in_(in) {
    layers_.push_back({"Input",
                       {},
                       in.name,
                       in.image ? key(0, in.width) + key(1, in.height) + key(2, in.channels) : key(0, in.channels)});
  }

  value conv(const value& x, const conv_options& p) {
    const int depth = x.channels / p.groups;
    const value y{next(), p.out, (x.height + 2 * p.pad_h - p.kernel_h) / p.stride + 1,
                  (x.width + 2 * p.pad_w - p.kernel_w) / p.stride + 1};
    std::string keys = key(0, p.out) + key(1, p.kernel_w) + key(11, p.kernel_h) + key(3, p.stride) + key(4, p.pad_w) +
                       key(14, p.pad_h) + key(5, 1) + key(6, p.out * depth * p.kernel_h * p.kernel_w);
    if (p.groups > 1) keys += key(7, p.groups);
    layers_.push_back({p.groups > 1 ? "ConvolutionDepthWise" : "Convolution", {x.name}, y.name, keys + fused(p.end)});
    weights(y.name, {p.out, depth, p.kernel_h, p.kernel_w});
    node("Conv", {x.name, y.name + ".weight", y.name + ".bias"}, y.name, p.end,
         attribute("kernel_shape", dims{p.kernel_h, p.kernel_w}) + attribute("strides", dims{p.stride, p.stride}) +
             attribute("pads", dims{p.pad_h, p.pad_w, p.pad_h, p.pad_w}) + attribute("group", std::int64_t{p.groups}));
    return y;
  }

  value linear(const value& x, int out, ending end = ending::none) {
    const int depth = x.channels * x.height * x.width;
    value y{next(), out};
    y.image = false;
    layers_.push_back({"InnerProduct", {x.name}, y.name, key(0, out) + key(1, 1) + key(2, out * depth) + fused(end)});
    weights(y.name, {out, depth});
    std::string flat = x.name;
    if (x.image) node("Flatten", {x.name}, flat = y.name + ".flat", ending::none);
    node("Gemm", {flat, y.name + ".weight", y.name + ".bias"}, y.name, end, attribute("transB", std::int64_t{1}));
    return y;
  }

  value add_relu(const value& a, const value& b) { return sum(a, b, ending::relu); }
  value add(const value& a, const value& b) { return sum(a, b, ending::none); }

  value concat(const value& a, const value& b) {
    value y = a;
    y.name = next();
    y.channels += b.channels;
    layers_.push_back({"Concat", {a.name, b.name}, y.name, key(0, 0)});
    node("Concat", {a.name, b.name}, y.name, ending::none, attribute("axis", std::int64_t{1}));
    return y;
  }

  /// Square windows; `ceil`: one more where a part of it lies inside.
  value max_pool(const value& x, int kernel, int stride, int pad = 0, bool ceil = false) {
    const int more = ceil ? stride - 1 : 0;
    const value y{next(), x.channels, (x.height + 2 * pad - kernel + more) / stride + 1,
                  (x.width + 2 * pad - kernel + more) / stride + 1};
    layers_.push_back({"Pooling",
                       {x.name},
                       y.name,
                       key(0, 0) + key(1, kernel) + key(2, stride) + key(3, pad) + key(5, ceil ? 0 : 1)});
    node("MaxPool", {x.name}, y.name, ending::none,
         attribute("kernel_shape", dims{kernel, kernel}) + attribute("strides", dims{stride, stride}) +
             attribute("pads", dims{pad, pad, pad, pad}) + attribute("ceil_mode", std::int64_t{ceil}));
    return y;
  }

  value global_avg_pool(const value& x) {
    const value y{next(), x.channels};
    layers_.push_back({"Pooling", {x.name}, y.name, key(0, 1) + key(4, 1)});
    node("GlobalAveragePool", {x.name}, y.name, ending::none);
    return y;
  }

  value softmax(const value& x) {
    value y = x;
    y.name = next();
    layers_.push_back({"Softmax", {x.name}, y.name, key(0, 0) + key(1, 1)});
    node("Softmax", {x.name}, y.name, ending::none, attribute("axis", std::int64_t{1}));
    return y;
  }

  written_network finish(const value& last) const {
    const std::string graph =
        nodes_ + bytes(2, name_) + onnx_bytes::input(typed(in_)) + onnx_bytes::output(typed(last));
    const dims in = shape_of(in_), out = shape_of(last);
    return {name_,    onnx_bytes::model(graph), param(), bin_, {in.begin(), in.end()}, {out.begin(), out.end()},
            last.name};
  }

 private:
  using dims = onnx_bytes::dims;
  struct layer {
    std::string type;
    std::vector<std::string> in;
    std::string out, keys;
  };

  template <class T>
  static std::string attribute(const char* name, const T& v) {
    return onnx_bytes::attribute(name, v);
  }
  static std::string key(int k, int v) { return " " + std::to_string(k) + "=" + std::to_string(v); }
  /// ncnn's words for an activation inside a layer.
  static std::string fused(ending end) {
    return end == ending::none ? "" : end == ending::relu ? key(9, 1) : key(9, 3) + " -23310=2,0.000000,6.000000";
  }
  static dims shape_of(const value& v) {
    return v.image ? dims{1, v.channels, v.height, v.width} : dims{1, v.channels};
  }
  static std::string typed(const value& v) { return onnx_bytes::value(v.name, onnx_bytes::f32, shape_of(v)); }

  std::string next() { return "v" + std::to_string(++values_); }

  value sum(const value& a, const value& b, ending end) {
    value y = a;
    y.name = next();
    const std::string before = end == ending::none ? y.name : y.name + ".sum";
    layers_.push_back({"BinaryOp", {a.name, b.name}, before, key(0, 0)});
    if (end == ending::relu) layers_.push_back({"ReLU", {before}, y.name, ""});
    node("Add", {a.name, b.name}, y.name, end);
    return y;
  }

  void node(const char* type, const std::vector<std::string>& in, const std::string& out, ending end,
            const std::string& attributes = "") {
    const std::string before = end == ending::none ? out : out + ".raw";
    nodes_ += onnx_bytes::node(type, in, {before}, attributes, out);
    if (end == ending::relu) nodes_ += onnx_bytes::node("Relu", {before}, {out}, "", out + ".relu");
    if (end == ending::relu6) {
      if (!bounded_) nodes_ += initializer("zero", {}, {0}) + initializer("six", {}, {6});
      bounded_ = true;
      nodes_ += onnx_bytes::node("Clip", {before, "zero", "six"}, {out}, "", out + ".relu6");
    }
  }
  static std::string initializer(const std::string& name, const dims& shape, const std::vector<float>& v) {
    return onnx_bytes::initializer(onnx_bytes::floats(name, shape, v));
  }

  /// Of a layer: `shape` begins with the outputs, the rest is what one of them sums over.
  void weights(const std::string& layer, const dims& shape) {
    std::int64_t depth = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) depth *= shape[i];
    std::vector<float> w(static_cast<std::size_t>(shape[0] * depth)), b(static_cast<std::size_t>(shape[0]));
    std::uniform_real_distribution<float> any(-1, 1);
    const float scale = std::sqrt(4.f / static_cast<float>(depth));
    for (float& v : w) v = scale * any(random_);
    for (float& v : b) v = 0.1f * any(random_);
    nodes_ += initializer(layer + ".weight", shape, w) + initializer(layer + ".bias", {shape[0]}, b);
    bin_.append(4, '\0');  // ncnn's tag: numbers in 32 bits
    append(w);
    append(b);
  }
  void append(const std::vector<float>& v) {
    bin_.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(float));
  }

  /// A blob of ncnn has one reader: a Split stands behind those with more.
  std::string param() const {
    std::map<std::string, int> readers, given;
    for (const layer& l : layers_)
      for (const std::string& in : l.in) ++readers[in];
    std::string lines;
    std::size_t layers = 0, blobs = 0;
    const auto line = [&](const std::string& type, const std::string& name, const std::vector<std::string>& in,
                          const std::vector<std::string>& out, const std::string& keys) {
      lines += type + ' ' + name + ' ' + std::to_string(in.size()) + ' ' + std::to_string(out.size());
      for (const std::string& i : in) lines += ' ' + i;
      for (const std::string& o : out) lines += ' ' + o;
      lines += keys + '\n';
      ++layers;
      blobs += out.size();
    };
    const auto part = [](const std::string& blob, int i) { return blob + "_split" + std::to_string(i); };
    for (const layer& l : layers_) {
      std::vector<std::string> in = l.in;
      for (std::string& i : in)
        if (readers[i] > 1) i = part(i, given[i]++);
      line(l.type, l.out, in, {l.out}, l.keys);
      if (const int n = readers[l.out]; n > 1) {
        std::vector<std::string> parts;
        for (int i = 0; i < n; ++i) parts.push_back(part(l.out, i));
        line("Split", l.out + "_split", {l.out}, parts, "");
      }
    }
    return "7767517\n" + std::to_string(layers) + ' ' + std::to_string(blobs) + '\n' + lines;
  }

  static std::string bytes(int field, const std::string& v) { return onnx_bytes::bytes(field, v); }

  std::string name_;
  value in_;
  std::vector<layer> layers_;
  std::string nodes_, bin_;
  std::minstd_rand random_{1};
  int values_ = 0;
  bool bounded_ = false;
};

}  // namespace ctnn::ir::test
