// SPDX-License-Identifier: BSL-1.0
// ONNX to a graph of ctnn's operators: one table, one small function an operator.
#pragma once

#include <iterator>

#include "../file.hpp"
#include "readers/signal.hpp"

namespace ctnn::onnx {

/// An operator of ONNX and the function that adds ctnn's.
struct operator_entry {
  std::string_view name;
  void (*read)(node_reader&);
};

namespace readers {
using enum op::binary_function;
using enum op::comparison;
using enum op::logic_function;

/// Every operator that ctnn's express, sorted by name. `If` is inlined by the graph reader below.
inline constexpr operator_entry operators[] = {
    {"Abs", unary<op::unary_function::abs>},
    {"Acos", unary<op::unary_function::acos>},
    {"Acosh", pointwise<op::pointwise_function::acosh>},
    {"Add", binary<add>},
    {"AffineGrid", affine_grid},
    {"And", logic<logical_and>},
    {"ArgMax", arg_reduce<true>},
    {"ArgMin", arg_reduce<false>},
    {"Asin", unary<op::unary_function::asin>},
    {"Asinh", pointwise<op::pointwise_function::asinh>},
    {"Atan", unary<op::unary_function::atan>},
    {"Atanh", pointwise<op::pointwise_function::atanh>},
    {"Attention", attention},
    {"AveragePool", pool<op::pool_function::average>},
    {"BatchNormalization", batch_norm},
    {"BitShift", bit_shift},
    {"BitwiseAnd", logic<bit_and>},
    {"BitwiseNot", pointwise<op::pointwise_function::bit_not>},
    {"BitwiseOr", logic<bit_or>},
    {"BitwiseXor", logic<bit_xor>},
    {"BlackmanWindow", window<op::window_kind::blackman>},
    {"Cast", cast},
    {"CastLike", cast_like},
    {"Ceil", unary<op::unary_function::ceil>},
    {"Celu", with_alpha<op::pointwise_function::celu>},
    {"CenterCropPad", center_crop_pad},
    {"Clip", clip},
    {"Col2Im", col2im},
    {"Compress", compress},
    {"Concat", concat},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Conv", conv},
    {"ConvInteger", integer_convolution},
    {"ConvTranspose", conv_transpose},
    {"Cos", unary<op::unary_function::cos>},
    {"Cosh", pointwise<op::pointwise_function::cosh>},
    {"CumProd", running<true>},
    {"CumSum", running<false>},
    {"DFT", dft},
    {"DeformConv", deform_conv},
    {"DepthToSpace", depth_to_space},
    {"DequantizeLinear", dequantize},
    {"Det", det},
    {"Div", binary<div>},
    {"Dropout", dropout},
    {"DynamicQuantizeLinear", dynamic_quantize},
    {"Einsum", einsum},
    {"Elu", elu},
    {"Equal", compare<equal>},
    {"Erf", pointwise<op::pointwise_function::erf>},
    {"Exp", unary<op::unary_function::exp>},
    {"Expand", expand},
    {"EyeLike", eye_like},
    {"Flatten", flatten},
    {"Floor", unary<op::unary_function::floor>},
    {"GRU", gru},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Gelu", gelu},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool<op::pooling::average>},
    {"GlobalLpPool", global_lp_pool},
    {"GlobalMaxPool", global_pool<op::pooling::max>},
    {"Greater", compare<greater>},
    {"GreaterOrEqual", compare<greater_equal>},
    {"GridSample", grid_sample},
    {"GroupNormalization", group_norm},
    {"HammingWindow", window<op::window_kind::hamming>},
    {"HannWindow", window<op::window_kind::hann>},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish},
    {"Hardmax", softmax<op::hardmax>},
    {"Identity", identity},
    {"InstanceNormalization", instance_norm},
    {"IsInf", is_inf},
    {"IsNaN", is_nan},
    {"LRN", lrn},
    {"LSTM", lstm},
    {"LayerNormalization", layer_norm},
    {"LeakyRelu", leaky_relu},
    {"Less", compare<less>},
    {"LessOrEqual", compare<less_equal>},
    {"Log", unary<op::unary_function::log>},
    {"LogSoftmax", softmax<op::log_softmax>},
    {"LpNormalization", lp_norm},
    {"LpPool", pool<op::pool_function::lp>},
    {"MatMul", matmul},
    {"MatMulInteger", integer_matmul},
    {"Max", variadic<maximum>},
    {"MaxPool", pool<op::pool_function::max>},
    {"MaxUnpool", max_unpool},
    {"Mean", variadic<add, true>},
    {"MeanVarianceNormalization", mean_variance_norm},
    {"MelWeightMatrix", mel_weights},
    {"Min", variadic<minimum>},
    {"Mish", activation<function::mish>},
    {"Mod", modulo},
    {"Mul", binary<mul>},
    {"Neg", unary<op::unary_function::neg>},
    {"NonMaxSuppression", non_max_suppression},
    {"NonZero", nonzero},
    {"Not", pointwise<op::pointwise_function::logical_not>},
    {"OneHot", one_hot},
    {"Or", logic<logical_or>},
    {"PRelu", prelu},
    {"Pad", pad},
    {"Pow", power},
    {"QLinearConv", quantized_convolution},
    {"QLinearMatMul", quantized_matmul},
    {"QuantizeLinear", quantize},
    {"RMSNormalization", rms_norm},
    {"RNN", rnn},
    {"Range", range},
    {"Reciprocal", unary<op::unary_function::reciprocal>},
    {"ReduceL1", reduce<op::reduction::l1>},
    {"ReduceL2", reduce<op::reduction::l2>},
    {"ReduceLogSum", reduce<op::reduction::log_sum>},
    {"ReduceLogSumExp", reduce<op::reduction::log_sum_exp>},
    {"ReduceMax", reduce<op::reduction::max>},
    {"ReduceMean", reduce<op::reduction::mean>},
    {"ReduceMin", reduce<op::reduction::min>},
    {"ReduceProd", reduce<op::reduction::prod>},
    {"ReduceSum", reduce<op::reduction::sum, 13>},
    {"ReduceSumSquare", reduce<op::reduction::sum_square>},
    {"Relu", activation<function::relu>},
    {"Reshape", reshape},
    {"Resize", resize},
    {"ReverseSequence", reverse_sequence},
    {"RoiAlign", roi_align},
    {"RotaryEmbedding", rotary_embedding},
    {"Round", unary<op::unary_function::round>},
    {"STFT", stft},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"Selu", selu},
    {"Shape", shape},
    {"Shrink", shrink},
    {"Sigmoid", activation<function::sigmoid>},
    {"Sign", pointwise<op::pointwise_function::sign>},
    {"Sin", unary<op::unary_function::sin>},
    {"Sinh", pointwise<op::pointwise_function::sinh>},
    {"Size", size},
    {"Slice", slice},
    {"Softmax", softmax<op::softmax>},
    {"Softplus", pointwise<op::pointwise_function::softplus>},
    {"Softsign", pointwise<op::pointwise_function::softsign>},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Sqrt", unary<op::unary_function::sqrt>},
    {"Squeeze", squeeze},
    {"Sub", binary<sub>},
    {"Sum", variadic<add>},
    {"Swish", with_alpha<op::pointwise_function::swish>},
    {"Tan", unary<op::unary_function::tan>},
    {"Tanh", activation<function::tanh>},
    {"ThresholdedRelu", with_alpha<op::pointwise_function::thresholded_relu>},
    {"Tile", tile},
    {"TopK", top_k},
    {"Transpose", transpose},
    {"Trilu", trilu},
    {"Unique", unique},
    {"Unsqueeze", unsqueeze},
    {"Upsample", upsample},
    {"Where", where},
    {"Xor", logic<logical_xor>},
};

}  // namespace readers

inline const operator_entry* find_operator(std::string_view name) {
  const auto by_name = [](const operator_entry& t, std::string_view n) { return t.name < n; };
  const auto at = std::lower_bound(std::begin(readers::operators), std::end(readers::operators), name, by_name);
  return at != std::end(readers::operators) && at->name == name ? at : nullptr;
}

/// Highest operator set that ctnn knows.
inline constexpr std::int64_t last_opset = 27;

namespace detail {

/// Unsupported nodes by reason, in order of appearance.
class refusals {
 public:
  void add(const node_message& at, const std::string& reason) {
    const std::string key = (at.domain.empty() ? "" : at.domain + ":") + at.type + (reason.empty() ? "" : ": " + reason);
    auto& places = by_reason_[key];
    if (places.empty()) order_.push_back(key);
    const std::string name = !at.name.empty() || at.outputs.empty() ? at.name : at.outputs[0];
    if (places.size() < 8) places.push_back("'" + name + "' (byte " + std::to_string(at.byte) + ")");
    else if (places.size() == 8) places.push_back("more");
  }
  void report(const std::string& source) const {
    if (order_.empty()) return;
    std::string text = source + ": not supported: ";
    for (const std::string& key : order_) {
      if (key != order_.front()) text += "; ";
      text += key + " in ";
      const auto& places = by_reason_.at(key);
      for (std::size_t i = 0; i < places.size(); ++i) text += (i == 0 ? "" : ", ") + places[i];
    }
    throw error(text);
  }
  bool any() const { return !order_.empty(); }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> by_reason_;
};

class graph_reader {
 public:
  explicit graph_reader(importer& i) : i_(i) {}

  void read_nodes(const graph_message& g) {
    for (const tensor& t : g.initializers) add_initializer(t);
    if (g.has_sparse_initializers) i_.fail("not supported: sparse initializers");
    for (const node_message& n : g.nodes) read_node(n);
  }
  void report() const { refused_.report(i_.file.source); }
  bool refused() const { return refused_.any(); }

  /// The outputs of a graph inside another, or `none`.
  term output(const graph_message& g, std::size_t k) {
    const term* t = i_.find(g.outputs[k].name);
    if (!t) i_.fail("output '" + g.outputs[k].name + "' is made by no node");
    return *t;
  }

 private:
  void add_initializer(const tensor& t) {
    if (t.name.empty()) i_.fail("an initializer has no name");
    if (i_.scopes.size() == 1 && i_.find(t.name)) {
      if (overridden_.contains(t.name)) return;
      i_.fail("value '" + t.name + "' is made twice");
    }
    if (!t.values) {
      unusable_[t.name] = t.refused;
      return i_.define(t.name, none);
    }
    i_.define(t.name, i_.add_known(t.values, t.name));
  }

  void give_up(const node_message& n) {
    for (const std::string& out : n.outputs)
      if (!out.empty() && !i_.find(out)) i_.define(out, none);
  }

  void read_node(const node_message& n) {
    const auto opset = i_.file.opsets.find(n.domain);
    const operator_entry* entry = n.domain.empty() ? onnx::find_operator(n.type) : nullptr;
    const bool is_if = n.domain.empty() && n.type == "If";
    if (!entry && !is_if) {
      refused_.add(n, "");
      return give_up(n);
    }
    if (opset == i_.file.opsets.end()) i_.fail("the model does not say which version of the operators it uses");
    node_reader r(i_, n, static_cast<int>(opset->second));
    try {
      for (const std::string& in : n.inputs)
        if (const auto bad = unusable_.find(in); bad != unusable_.end()) node_reader::refuse("'" + in + "' is a " + bad->second);
      if (is_if) {
        inline_branch(r, n);
      } else {
        entry->read(r);
        r.refuse_other_attributes();
      }
      for (std::size_t k = 0; k < n.outputs.size(); ++k)
        if (!n.outputs[k].empty() && !i_.find(n.outputs[k])) r.fail("has " + std::to_string(n.outputs.size()) + " outputs, made " + std::to_string(k));
    } catch (const unsupported& u) {
      refused_.add(n, u.reason);
      give_up(n);
    } catch (const unknown_input&) {
      give_up(n);
    }
  }

  /// The branch that the condition chooses, in place of the node.
  void inline_branch(node_reader& r, const node_message& n) {
    r.expect(1, 1);
    const array& condition = r.numbers(r.input(), "condition");
    if (condition.type() != dtype::boolean || condition.size() != 1)
      r.fail("condition is " + describe(condition.shape()) + " of " + std::string(name_of(condition.type())) + ", expected one boolean");
    const attribute* then_branch = r.find("then_branch", attribute_kind::graph);
    const attribute* else_branch = r.find("else_branch", attribute_kind::graph);
    if (!then_branch || !else_branch) r.fail("needs then_branch and else_branch");
    const graph_message& g = *(condition.elements<std::uint8_t>()[0] ? then_branch : else_branch)->graph;
    if (g.outputs.size() != n.outputs.size()) r.fail("has " + std::to_string(n.outputs.size()) + " outputs, the branch " + std::to_string(g.outputs.size()));
    i_.scopes.emplace_back();
    read_nodes(g);
    std::vector<term> results;
    for (std::size_t k = 0; k < g.outputs.size(); ++k) results.push_back(output(g, k));
    i_.scopes.pop_back();
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (results[k] == none) throw unknown_input{};
      r.result(k, results[k]);
    }
  }

 public:
  std::unordered_set<std::string> overridden_;

 private:
  importer& i_;
  refusals refused_;
  std::unordered_map<std::string, std::string> unusable_;
};

/// The shape of an input: what the caller says, what has been fed, or the file.
inline extents input_shape(const importer& i, const value_info& v, const arrays_by_name& fed) {
  if (const auto at = fed.find(v.name); at != fed.end()) {
    const extents& s = at->second.shape();
    if (v.shape) {
      bool fits = static_cast<int>(v.shape->size()) == s.rank;
      for (int k = 0; fits && k < s.rank; ++k) {
        const auto& axis = (*v.shape)[static_cast<std::size_t>(k)];
        fits = !axis.size || *axis.size == s[k] || *axis.size <= 0;
      }
      if (!fits && !i.options.input_shapes.contains(v.name)) {
        std::string wanted;
        for (const auto& axis : *v.shape) wanted += (wanted.empty() ? "" : " x ") + (axis.size ? std::to_string(*axis.size) : axis.name.empty() ? "?" : axis.name);
        i.fail("input '" + v.name + "' is " + (wanted.empty() ? "scalar" : wanted) + ", got " + describe(s));
      }
    }
    return s;
  }
  if (const auto at = i.options.input_shapes.find(v.name); at != i.options.input_shapes.end()) return at->second;
  if (!v.shape) throw undetermined(i.file.source + ": input '" + v.name + "' has no shape in the file: give it one or feed it");
  extents s;
  for (const auto& axis : *v.shape) {
    if (!axis.size || (*axis.size == 0 && !axis.name.empty()))
      throw undetermined(i.file.source + ": input '" + v.name + "' has an open axis" + (axis.name.empty() ? "" : " '" + axis.name + "'") +
                         ": give it a shape or feed it");
    if (*axis.size < 0 || *axis.size > 2147483647) i.fail("input '" + v.name + "' has an extent of " + std::to_string(*axis.size));
    s.push_back(static_cast<int>(*axis.size));
  }
  return s;
}

}  // namespace detail

/// Builds the graph of a parsed file for inputs of these shapes. Throws ctnn::error: for the first thing that is wrong, or
/// for all nodes that are not supported together; `undetermined` if shapes follow from inputs that are not known.
inline loaded_model build(const model_message& file, const read_options& options = {}, const arrays_by_name& fed = {}) {
  try {
    importer i(file, options, fed);
    if (const auto opset = file.opsets.find(""); opset != file.opsets.end() && (opset->second < 1 || opset->second > last_opset))
      i.fail("operator set " + std::to_string(opset->second) + " is unknown, 1 to " + std::to_string(last_opset) + " are known");
    if (file.ir_version < 1) i.fail("the model's format version is " + std::to_string(file.ir_version));
    if (file.graph.outputs.empty()) i.fail("the graph has no outputs");
    detail::graph_reader reader(i);
    std::unordered_set<std::string_view> initialized;
    for (const tensor& t : file.graph.initializers) initialized.insert(t.name);
    for (const value_info& v : file.graph.inputs) {
      if (initialized.contains(v.name)) {
        if (!fed.contains(v.name)) continue;  // a default that nobody replaces
        reader.overridden_.insert(v.name);
      }
      if (v.name.empty()) i.fail("an input has no name");
      if (!v.is_tensor) i.fail("not supported: input '" + v.name + "' is not a tensor");
      if (v.element == 0) i.fail("input '" + v.name + "' has no element type");
      const auto type = element_type(v.element);
      if (!type) i.fail("not supported: input '" + v.name + "' is a tensor of " + element_name(v.element));
      const auto given = fed.find(v.name);
      if (given != fed.end() && given->second.type() != *type)
        i.fail("input '" + v.name + "' is " + std::string(name_of(*type)) + ", got " + std::string(name_of(given->second.type())));
      i.add_input(v.name, detail::input_shape(i, v, fed), *type);
    }
    reader.read_nodes(file.graph);
    reader.report();
    std::unordered_set<std::string_view> declared;
    for (std::size_t k = 0; k < file.graph.outputs.size(); ++k) {
      const std::string& name = file.graph.outputs[k].name;
      if (!declared.insert(name).second) i.fail("two outputs are called '" + name + "'");
      const term t = reader.output(file.graph, k);
      if (t == none) i.fail("output '" + name + "' cannot be computed");
      add_output(i.model.network, i.model.keep(name), i.materialize(t));
    }
    return std::move(i.model);
  } catch (const std::bad_alloc&) {
    throw error(file.source + ": out of memory");
  }
}

/// Reads and parses an .onnx file. Errors in it call it by its name without directories.
inline model_message read(const std::string& path, const read_options& options = {}) {
  const std::filesystem::path file(path);
  const std::vector<std::byte> bytes = read_file(path, options.limits);
  std::string folder;
  if (options.external_data) folder = file.has_parent_path() ? file.parent_path().string() : ".";
  return parse_model(bytes, file.filename().string(), options.limits, folder);
}

inline loaded_model load(const std::string& path, const read_options& options = {}, const arrays_by_name& fed = {}) {
  return build(read(path, options), options, fed);
}

}  // namespace ctnn::onnx
