// SPDX-License-Identifier: BSL-1.0
// ncnn's .param and .bin to a graph of ctnn's operators: one table, one small function a layer type.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "../file.hpp"
#include "load.hpp"
#include "param_reader.hpp"
#include "readers/attention.hpp"
#include "readers/convolution.hpp"
#include "readers/data.hpp"
#include "readers/detection.hpp"
#include "readers/elementwise.hpp"
#include "readers/normalization.hpp"
#include "readers/pooling.hpp"
#include "readers/rearranging.hpp"
#include "readers/recurrent.hpp"

namespace ctnn::ncnn {

/// Every layer type that ctnn's operators express, sorted by name.
inline constexpr layer_type layer_types[] = {
    {"AbsVal", readers::plain_activation<function::abs>},
    {"BatchNorm", readers::batch_norm},
    {"Bias", readers::bias},
    {"BinaryOp", readers::binary},
    {"Clip", readers::clip},
    {"Concat", readers::concat},
    {"Convolution", readers::convolution<false>},
    {"Convolution1D", readers::convolution_1d<false>},
    {"ConvolutionDepthWise", readers::convolution<true>},
    {"ConvolutionDepthWise1D", readers::convolution_1d<true>},
    {"Crop", readers::crop},
    {"Deconvolution", readers::deconvolution<2, false>},
    {"Deconvolution1D", readers::deconvolution<1, false>},
    {"DeconvolutionDepthWise", readers::deconvolution<2, true>},
    {"DeconvolutionDepthWise1D", readers::deconvolution<1, true>},
    {"DeepCopy", readers::same},
    {"DetectionOutput", readers::detection_output},
    {"Dropout", readers::dropout},
    {"ELU", readers::elu},
    {"Eltwise", readers::eltwise},
    {"Exp", readers::exponential},
    {"ExpandDims", readers::expand_dims},
    {"Flatten", readers::flatten},
    {"GELU", readers::gelu},
    {"GRU", readers::gru},
    {"Gemm", readers::gemm},
    {"GroupNorm", readers::group_norm},
    {"HardSigmoid", readers::hardsigmoid},
    {"HardSwish", readers::hardswish},
    {"InnerProduct", readers::inner_product},
    {"Input", readers::input},
    {"InstanceNorm", readers::instance_norm},
    {"Interp", readers::interp},
    {"LRN", readers::lrn},
    {"LSTM", readers::lstm},
    {"LayerNorm", readers::layer_norm},
    {"Log", readers::logarithm},
    {"MatMul", readers::matmul},
    {"MemoryData", readers::memory_data},
    {"Mish", readers::plain_activation<function::mish>},
    {"MultiHeadAttention", readers::multi_head_attention},
    {"Noop", readers::same},
    {"PReLU", readers::prelu},
    {"Padding", readers::padding},
    {"Permute", readers::permute},
    {"PixelShuffle", readers::pixel_shuffle},
    {"Pooling", readers::pooling},
    {"Pooling1D", readers::pooling_1d},
    {"Power", readers::power},
    {"PriorBox", readers::prior_box},
    {"RMSNorm", readers::rms_norm},
    {"RNN", readers::rnn},
    {"ReLU", readers::relu},
    {"Reduction", readers::reduction},
    {"Reorg", readers::reorg},
    {"Reshape", readers::reshape},
    {"RotaryEmbed", readers::rotary_embed},
    {"SDPA", readers::sdpa},
    {"SELU", readers::selu},
    {"Scale", readers::scale},
    {"ShuffleChannel", readers::shuffle_channel},
    {"Sigmoid", readers::plain_activation<function::sigmoid>},
    {"Slice", readers::slice},
    {"Softmax", readers::softmax},
    {"Split", readers::split},
    {"Squeeze", readers::squeeze},
    {"Swish", readers::plain_activation<function::silu>},
    {"TanH", readers::plain_activation<function::tanh>},
    {"Tile", readers::tile},
    {"UnaryOp", readers::unary},
    {"YoloDetectionOutput", readers::yolo_detection_output},
    {"Yolov3DetectionOutput", readers::yolov3_detection_output},
};

inline const layer_type* find_layer_type(std::string_view name, std::span<const layer_type> custom = {}) {
  for (const layer_type& t : custom)
    if (t.name == name) return &t;
  const auto by_name = [](const layer_type& t, std::string_view n) { return t.name < n; };
  const auto at = std::lower_bound(std::begin(layer_types), std::end(layer_types), name, by_name);
  return at != std::end(layer_types) && at->name == name ? at : nullptr;
}

namespace detail {

inline void declare_outputs(builder& b) {
  for (const std::string& blob : declared_outputs(b.file))
    add_output(b.model.network, b.model.keep(blob), b.blobs.at(blob));
}

}  // namespace detail

CTNN_ONCE std::vector<declared_value> declared_inputs(const param_file& file) {
  std::vector<declared_value> all;
  std::unordered_map<std::string_view, const layer*> convolutions;
  for (const layer& l : file.layers)
    if (l.type == "Input")
      for (const std::string& blob : l.outputs) {
        const extents shape = readers::input_shape(file, l, blob, convolutions);
        if (shape.rank > 0) {
          all.emplace_back(blob, shape, dtype::f32);
          continue;
        }
        declared_value& open = all.emplace_back(blob);
        for (const int n : readers::input_axes(file, l)) open.axes.push_back({n, {}});
        open.ranked = !open.axes.empty();
      }
  return all;
}

/// ncnn's rule: what no layer reads is an output. What a Noop only swallows is one, too; an input is one if nothing
/// else is.
CTNN_ONCE std::vector<std::string> declared_outputs(const param_file& file) {
  std::unordered_set<std::string> read;
  for (const layer& l : file.layers) {
    const bool swallows = l.type == "Noop";
    for (std::size_t i = 0; i < l.inputs.size(); ++i)
      if (!swallows || i < l.outputs.size()) read.insert(l.inputs[i]);
  }
  std::vector<std::string> found;
  for (const bool inputs : {false, true}) {
    for (const layer& l : file.layers)
      if ((l.type == "Input") == inputs)
        for (const std::string& blob : l.outputs)
          if (!read.contains(blob)) found.push_back(blob);
    if (!found.empty()) return found;
  }
  throw error(file.source + ": no layer has an output that nothing reads");
}

CTNN_ONCE loaded_model build(const param_file& file, bin_reader& weights, const read_options& options) {
  builder b{{}, file, weights, options.limits, options.input_shapes};
  refusals refused;
  for (const layer& at : file.layers) {
    const auto give_up = [&] {
      for (const std::string& blob : at.outputs) b.blobs[blob] = none;
    };
    const auto refuse = [&](const std::string& reason) {
      refused.add(at.type, reason, "'" + at.name + "' (line " + std::to_string(at.line) + ")");
      give_up();
    };
    const layer_type* type = find_layer_type(at.type, options.custom);
    if (!type) {
      refuse("");
      continue;
    }
    try {
      layer_reader l(b, at);
      type->read(l);
    } catch (const unsupported& u) {
      refuse(u.reason);
    } catch (const unknown_input&) {
      give_up();
    }
    // After a refusal nobody knows where in the weight file the next layer begins.
    if (refused.any()) weights = bin_reader::zeros(options.limits);
  }
  if (refused.only("Input: ")) throw unknown_input_shape(refused.text(file.source));
  if (refused.any()) throw not_supported(file.source, refused.with_places());
  weights.finish();
  b.model.without_numbers = weights.gives_zeros();
  detail::declare_outputs(b);
  return std::move(b.model);
}

CTNN_ONCE network_files open_network(const std::string& param, const std::string& bin, const budget& limits) {
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  const byte_buffer text = read_file(param, limits);
  param_file network = parse_param(as_text(text), name(param), limits);
  return {std::move(network), bin.empty() ? nullptr : open_to_read(bin, limits), nullptr, name(bin)};
}

CTNN_ONCE loaded_model build(const network_files& files, const read_options& options) {
  bin_reader weights = files.weights ? bin_reader(files.weights, files.weights_name, options.limits, *files.parts)
                       : files.in_memory
                           ? bin_reader(files.in_memory, files.weights_name, options.limits, *files.parts)
                           : bin_reader::zeros(options.limits);
  return build(files.network, weights, options);
}

CTNN_ONCE loaded_model load(const std::string& param, const std::string& bin, const read_options& options) {
  return build(open_network(param, bin, options.limits), options);
}

}  // namespace ctnn::ncnn
