// SPDX-License-Identifier: BSL-1.0
// A network of floats as one of bytes: which values become bytes, for which range each, and the network that says so.
//
//   ctnn::quantizer q(ctnn::folded(m, rewritten));       // a network of floats, rewritten, its weights folded
//   ctnn::calibrate(q, samples);
//   ctnn::quantized_network made = q.quantized();        // quantize and dequantize round every layer of bytes
//
// Activations are i8 with a scale and a zero point for each value, weights i8 with a scale for each output and no zero
// point, biases i32 of both scales' product: what ONNX Runtime's quantizer writes and TensorFlow Lite specifies
// (https://ai.google.dev/edge/litert/models/quantization_spec).
#pragma once

#include <charconv>
#include <functional>
#include <map>
#include <set>

#include "../base/nearest.hpp"
#include "../formats/ncnn/table_writer.hpp"
#include "../loaded/folded_weights.hpp"
#include "calibration.hpp"
#include "model.hpp"

namespace ctnn {

/// The network `g`, rewritten from `m`, as one with weights of its own, for a quantizer. Nodes and values have names
/// that differ; a linear layer that flattens its input is two. With `only_bounds` layers of sums apply no activation
/// but those that bound: others are layers of their own, LAYER_FUNCTION.
inline loaded_model folded(const loaded_model& m, const ir::graph_view& g, bool only_bounds = true);

struct quantize_options {
  range_method method = range_method::minmax;
  double percentile = 99.99;              ///< of numbers that are kept, for the method of this name
  std::vector<std::string> keep_float{};  ///< layers
  dtype activations = dtype::i8;          ///< or u8, the same numbers 128 higher
};

/// What became of a layer.
struct quantized_layer {
  std::string name;
  std::string_view type;
  std::string value;      ///< its first output
  std::string made;       ///< the value of floats in the quantized network that stands for it; empty if none does
  std::string why_float;  ///< empty for a layer of bytes
  value_range range{};    ///< of its output; in ncnn's arithmetic of its input
  ir::quantization as{};  ///< the same
};

struct quantized_network {
  loaded_model model;
  std::vector<quantized_layer> layers;
  std::map<std::string, ir::quantization> bytes{};  ///< inputs and outputs that are bytes
  std::vector<ncnn::layer_scales> scales{};         ///< of what ncnn computes with bytes
};

namespace ir {

/// Element i of i8 or u8 becomes the byte for a real number: to the nearest, halves to even, as quantize rounds.
inline void set_byte(array& to, std::size_t i, double real, const quantization& q) {
  const int low = to.type() == dtype::u8 ? 0 : -128;
  const double byte = std::nearbyint(real / q.scale) + q.zero;
  to.elements<std::uint8_t>()[i] =
      static_cast<std::uint8_t>(static_cast<int>(std::clamp(byte, low + 0.0, low + 255.0)));
}

}  // namespace ir

/// What becomes of inputs and outputs that are bytes inside.
enum class network_ends { floats, bytes };

class quantizer {
 public:
  /// A network as folded() makes it. Throws ctnn::error if a layer to be kept is not there, or none can be quantized.
  explicit quantizer(loaded_model&& network, const quantize_options& options = {})
      : m_(std::move(network)), g_(m_.network.view()), options_(options) {
    for (const std::string& name : options.keep_float) require_layer(name);
    same_.resize(g_.values.size());
    for (std::size_t v = 0; v < same_.size(); ++v) same_[v] = static_cast<value_id>(v);
    seen_.resize(g_.values.size());
    as_.resize(g_.values.size());
    ranges_.resize(g_.values.size());
    in_bytes_.assign(g_.values.size(), false);
    multiplied_ = in_bytes_;
    for (const node& n : g_.nodes) roles_.push_back(role_of(n));
    share_scales();
    if (std::none_of(roles_.begin(), roles_.end(),
                     [](const role& r) { return r.is == byte_role::product || r.is == byte_role::computes; }))
      throw error("no layer of it can be quantized" + (roles_.empty() ? "" : ": " + first_reason()));
  }

  const loaded_model& source() const { return m_; }
  /// Values whose numbers are wanted, by name.
  std::vector<std::string_view> observed() const {
    std::vector<std::string_view> names;
    for (std::size_t v = 0; v < g_.values.size(); ++v)
      if (is_observed(static_cast<value_id>(v))) names.push_back(g_.values[v].name);
    return names;
  }
  /// Every sample's numbers come twice, all samples once before the first comes again.
  void widen(std::string_view value, const array& numbers) {
    if (!seen_[at(find(value))].widen(numbers.values()))
      throw error("value '" + std::string(value) + "' has numbers that are not finite");
  }
  void count(std::string_view value, const array& numbers) { seen_[at(find(value))].count(numbers.values()); }

  /// What another one saw of the same network, for inputs of another shape. Throws ctnn::error if it is not the same.
  void adopt(const quantizer& other) {
    for (std::size_t v = 0; v < g_.values.size(); ++v)
      if (is_observed(static_cast<value_id>(v))) seen_[v] = other.seen_[at(other.find(g_.values[v].name))];
  }
  /// After all numbers. Throws ctnn::error naming a value that was 0 throughout, which no range follows from.
  void settle() {
    for (std::size_t v = 0; v < g_.values.size(); ++v) {
      const auto id = static_cast<value_id>(v);
      if (!in_bytes_[at(root(id))]) continue;
      value_range& all = ranges_[at(root(id))];
      if (is_constant(id)) {
        ir::observed_numbers numbers;
        const array& a = ir::array_of(m_, g_.at_expression(g_.weights(g_.at(g_.at_value(id).producer))[0]));
        if (!numbers.widen(a.values()))
          throw error("constant '" + std::string(g_.at_value(id).name) + "' has numbers that are not finite");
        all = all.with(numbers.range(range_method::minmax, 0));
      } else if (is_observed(id)) {
        all = all.with(seen_[v].range(method_for(id), options_.percentile));
      } else if (is_probability(id)) {
        all = all.with({0, 255.0 / 256});
      }
    }
    for (std::size_t v = 0; v < g_.values.size(); ++v) {
      const auto id = static_cast<value_id>(v);
      if (!in_bytes_[at(root(id))]) continue;
      ranges_[v] = ranges_[at(root(id))];
      as_[v] = quantization_of(ranges_[v]);
      if (options_.activations == dtype::u8) as_[v].zero += 128;
      if (!as_[v])
        throw error("value '" + std::string(g_.at_value(id).name) + "' lies between " + text_of(ranges_[v].low) +
                    " and " + text_of(ranges_[v].high) +
                    " in all samples, which no scale follows from: give other samples, or keep layer '" +
                    std::string(g_.at(g_.at_value(id).producer).name) + "' in floats");
    }
  }

  /// Are numbers to be counted, or does their range say all?
  bool counts() const { return options_.method != range_method::minmax; }
  /// The network with quantize and dequantize round its layers of bytes (ONNX: QDQ).
  quantized_network quantized(network_ends ends = network_ends::floats) const;
  /// The same of layers that compute with bytes, in TensorFlow Lite's arithmetic; pairs are round what has none.
  quantized_network integers(network_ends ends = network_ends::floats) const;
  /// The network whose convolutions and products are ncnn's layers of int8, all else in floats.
  quantized_network for_ncnn() const;

 private:
  using node = ir::node;
  using node_id = ir::node_id;
  using value_id = ir::value_id;

  /// product: of bytes by a weight. computes: of bytes, with a scale of its own. moves: bytes as they are.
  enum class byte_role { real, product, computes, moves };
  struct role {
    byte_role is = byte_role::real;
    std::string why{};
  };
  class maker;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::string text_of(double v) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, v, std::chars_format::general, 6).ptr};
  }
  static bool is_source(const node& n) {
    return n.type == &ir::type_of<op::input> || n.type == &ir::type_of<op::constant>;
  }
  bool is_f32(value_id v) const { return g_.at_value(v).type == dtype::f32; }
  bool is_constant(value_id v) const { return g_.is<op::constant>(g_.at_value(v).producer); }
  /// Between 0 and 1 by what it is: steps of 1/256, as TensorFlow Lite has them.
  bool is_probability(value_id v) const {
    const node_id n = g_.at_value(v).producer;
    return g_.is<op::softmax>(n) ||
           (g_.is<op::activation>(n) && g_.get<op::activation>(n).activation.kind == function::sigmoid);
  }
  bool is_observed(value_id v) const {
    return in_bytes_[at(root(v))] && !is_constant(v) && !is_probability(v) &&
           roles_[at(g_.at_value(v).producer)].is != byte_role::moves;
  }
  /// Thresholds are for what layers multiply by weights, as ncnn2table's are: what is large at the end decides.
  range_method method_for(value_id v) const {
    return options_.method == range_method::kl && !multiplied_[at(root(v))] ? range_method::minmax : options_.method;
  }
  value_id find(std::string_view name) const {
    for (std::size_t v = 0; v < g_.values.size(); ++v)
      if (g_.values[v].name == name) return static_cast<value_id>(v);
    throw error("the network has no value '" + std::string(name) + "'");
  }
  void require_layer(const std::string& name) const {
    ir::nearest_name near(name);
    for (const node& n : g_.nodes) {
      if (n.name == name) return;
      near.consider(n.name);
    }
    throw error("layer '" + name + "', which is to be kept in floats, is not in the network that is quantized" +
                (near.name().empty() ? "" : "; did you mean '" + std::string(near.name()) + "'?"));
  }
  std::string first_reason() const {
    for (const role& r : roles_)
      if (!r.why.empty()) return r.why;
    return "it has none";
  }

  // What a layer can be.

  template <class Op>
  bool is(const node& n) const {
    return n.type == &ir::type_of<Op>;
  }
  template <class Op>
  Op get(const node& n) const {
    return ir::decode<Op>(g_.fields_of(n.fields));
  }
  /// By its name or, of the activation of such a layer, by that layer's.
  bool is_kept(const node& n) const {
    const std::string function =
        is<op::activation>(n) ? '_' + std::string(name_of(get<op::activation>(n).activation.kind)) : "";
    return std::any_of(options_.keep_float.begin(), options_.keep_float.end(), [&](const std::string& layer) {
      return n.name == layer || (!function.empty() && n.name == layer + function);
    });
  }
  role role_of(const node& n) const {
    using enum byte_role;
    if (is_source(n)) return {};
    if (is_kept(n)) return {real, "kept"};
    bool floats = false;
    for (const value_id v : g_.inputs(n)) {
      if (is_f32(v)) floats = true;
      else if (!n.type->is.copies) return {real, "it reads " + std::string(name_of(g_.at_value(v).type))};
    }
    for (int k = 0; k < n.outputs.count; ++k) floats = floats && is_f32(n.outputs.first + k);
    if (!floats) return {real, "it computes no f32"};
    if (g_.given(n) != 0) return {real, "its weight is computed"};
    const bool alone = n.inputs.count == 1;
    if (is<op::conv1d>(n) || is<op::conv2d>(n) || is<op::conv3d>(n) || is<op::linear>(n))
      return alone ? role{product} : role{real, "it adds a residual"};
    if (is<op::binary>(n)) {
      using enum op::binary_function;
      const auto b = get<op::binary>(n);
      const bool known = b.function == add || b.function == sub || b.function == mul;
      return !known     ? role{real, "no kernel of bytes"}
             : b.scalar ? role{real, "arithmetic with a number"}
                        : role{computes};
    }
    if (is<op::activation>(n) || is<op::softmax>(n)) return {computes};
    if (is<op::reduce>(n))
      return get<op::reduce>(n).function == op::reduction::mean ? role{computes} : role{real, "no kernel of bytes"};
    const auto pools = [](op::pooling f) { return f == op::pooling::max || f == op::pooling::average; };
    if (is<op::pool>(n)) return pools(get<op::pool>(n).function) ? role{moves} : role{real, "no kernel of bytes"};
    if (is<op::adaptive_pool>(n))
      return pools(get<op::adaptive_pool>(n).function) ? role{moves} : role{real, "no kernel of bytes"};
    if (is<op::pad>(n)) {
      const auto p = get<op::pad>(n);
      return p.mode != op::pad_mode::constant || (p.value == 0 && alone) ? role{moves}
                                                                         : role{real, "it pads with a number"};
    }
    if (is<op::interpolate>(n))
      return get<op::interpolate>(n).mode == op::interpolation::nearest ? role{moves}
                                                                        : role{real, "no kernel of bytes"};
    return n.type->is.copies && !n.type->is.counts_rows ? role{moves} : role{real, "no kernel of bytes"};
  }

  // Values of one scale.

  value_id root(value_id v) const {
    while (same_[at(v)] != v) v = same_[at(v)];
    return v;
  }
  void share_scales() {
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (roles_[i].is == byte_role::moves) {
        const node& n = g_.nodes[i];
        const value_id y = root(n.outputs.first);
        for (int k = 1; k < n.outputs.count; ++k) same_[at(root(n.outputs.first + k))] = y;
        for (const value_id v : g_.inputs(n))
          if (is_f32(v)) same_[at(root(v))] = y;
      }
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (roles_[i].is == byte_role::product || roles_[i].is == byte_role::computes) {
        const node& n = g_.nodes[i];
        for (const value_id v : g_.inputs(n)) in_bytes_[at(root(v))] = true;
        if (roles_[i].is == byte_role::product) multiplied_[at(root(g_.inputs(n)[0]))] = true;
        for (int k = 0; k < n.outputs.count; ++k) in_bytes_[at(root(n.outputs.first + k))] = true;
      }
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (roles_[i].is == byte_role::moves && !in_bytes_[at(root(g_.nodes[i].outputs.first))])
        roles_[i] = {byte_role::real, "between floats"};
  }

  loaded_model m_;
  ir::graph_view g_;
  quantize_options options_;
  std::vector<role> roles_;       ///< by node
  std::vector<value_id> same_;    ///< by value: another one of its scale, or itself
  std::vector<bool> in_bytes_;    ///< by root
  std::vector<bool> multiplied_;  ///< by root: a layer has it multiplied by its weight
  std::vector<ir::observed_numbers> seen_;
  std::vector<value_range> ranges_;
  std::vector<ir::quantization> as_;
};

/// A network under construction.
class quantizer::maker {
 public:
  explicit maker(const quantizer& q) : q_(q), g_(q.g_) {
    real_.assign(g_.values.size(), ir::none);
    bytes_ = dequantized_ = real_;
    for (const node& n : g_.nodes) taken_.emplace(n.name);
    for (const ir::value& v : g_.values) taken_.emplace(v.name);
    for (const model_input& i : q.m_.inputs) {
      model_input copy = i;
      copy.name = made_.model.keep(std::string(i.name));
      made_.model.inputs.push_back(std::move(copy));
    }
  }

  quantized_network integers(network_ends ends) {
    integers_ = true;
    return quantized(ends);
  }
  quantized_network quantized(network_ends ends) {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const node& n = g_.nodes[i];
      const byte_role is = q_.roles_[i].is;
      if (is_source(n)) source(n, ends);
      else if (integers_ && is != byte_role::real && as_integers(n, is)) {
      } else if (is == byte_role::product) product(n);
      else copy(n, is != byte_role::real);
      if (!is_source(n)) report(n, q_.roles_[i]);
    }
    for (const ir::network_output& o : g_.outputs) {
      const bool byte = ends == network_ends::bytes && made_in_bytes(o.value) && q_.is_f32(o.value);
      ir::add_output(made_.model.network, keep(o.name), byte ? bytes(o.value) : real(o.value));
      if (byte) made_.bytes.emplace(o.name, q_.as_[at(o.value)]);
    }
    for (model_input& i : made_.model.inputs)
      if (made_.bytes.contains(std::string(i.name))) i.type = q_.options_.activations;
    return finish();
  }

  quantized_network for_ncnn() {
    pairs_ = false;
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const node& n = g_.nodes[i];
      role now = q_.roles_[i];
      if (now.is == byte_role::product && (q_.is<op::conv2d>(n) || q_.is<op::linear>(n))) {
        ncnn_product(n);
      } else {
        if (now.is != byte_role::real) now = {byte_role::real, "ncnn has it in floats"};
        copy(n, false);
      }
      if (is_source(n)) continue;
      report(n, now);
      if (!now.why.empty()) continue;
      const double largest = q_.ranges_[at(g_.inputs(n)[0])].largest();  // bytes are what it reads
      made_.layers.back().range = {-largest, largest};
      made_.layers.back().as = {largest / 127, 0};
    }
    for (const ir::network_output& o : g_.outputs)
      ir::add_output(made_.model.network, keep(o.name), real_[at(o.value)]);
    return finish();
  }

 private:
  std::string_view keep(std::string_view name) { return made_.model.keep(std::string(name)); }
  /// The name of a node and its value that belong to another.
  std::string_view keep(std::string_view name, const char* ending) {
    std::string wanted = std::string(name) + ending;
    while (!taken_.insert(wanted).second) wanted += '_';
    return made_.model.keep(std::move(wanted));
  }
  static void require(const problem& p, std::string_view layer) {
    if (p) throw error("layer '" + std::string(layer) + "' cannot be quantized: " + ir::describe(p));
  }
  ir::graph& to() { return made_.model.network; }
  value_id last() { return to().nodes.back().outputs.first; }
  void set_weights(std::size_t slot, array numbers) {
    const ir::expression_id e = to().operands[at(to().nodes.back().weights.first) + slot];
    made_.model.set_weight(to().expressions[at(e)], std::make_shared<const array>(std::move(numbers)));
  }
  value_id constant(std::string_view name, const char* ending, array numbers) {
    const std::string_view own = keep(name, ending);
    require(ir::add_node(to(), op::constant{ir::as_list(numbers.shape()), numbers.type()}, own, {}), own);
    set_weights(0, std::move(numbers));
    return last();
  }
  bool made_in_bytes(value_id v) const { return q_.roles_[at(g_.at_value(v).producer)].is != byte_role::real; }

  // The forms of a value: as it was computed, as bytes, and as what these stand for.

  value_id bytes(value_id v) {
    value_id& known = bytes_[at(v)];
    if (known != ir::none) return known;
    op::quantize q;
    q.to = q_.options_.activations;
    q.as = q_.as_[at(v)];
    add(q, keep(g_.at_value(v).name, "_quantized"), {&real_[at(v)], 1});
    return known = last();
  }
  value_id dequantized(value_id v) {
    value_id& known = dequantized_[at(v)];
    if (known != ir::none) return known;
    const value_id in = bytes(v);
    op::dequantize d;
    d.of = q_.as_[at(v)];
    add(d, keep(g_.at_value(v).name, "_dequantized"), {&in, 1});
    return known = last();
  }
  /// What layers of floats read: what layers of bytes made, as everybody sees it.
  value_id real(value_id v) {
    if (pairs_ && made_in_bytes(v) && q_.is_f32(v)) return dequantized(v);
    if (real_[at(v)] == ir::none && q_.is_constant(v)) copy(g_.at(g_.at_value(v).producer), false);
    return real_[at(v)] == ir::none ? dequantized(v) : real_[at(v)];
  }

  template <class Op>
  void add(const Op& op, std::string_view name, std::span<const value_id> in) {
    require(ir::add_node(to(), op, name, in), name);
  }

  // Nodes.

  void source(const node& n, network_ends ends) {
    const value_id v = n.outputs.first;
    const bool byte = q_.is_f32(v) && q_.as_[at(v)];
    if (q_.is<op::constant>(n) && byte) return constant_of_bytes(v);
    if (q_.is<op::input>(n) && byte && ends == network_ends::bytes) {
      auto input = q_.get<op::input>(n);
      input.type = q_.options_.activations;
      input.as = q_.as_[at(v)];
      const std::string_view names[] = {keep(g_.at_value(v).name)};
      require(ir::add_node(to(), input, keep(n.name), {}, names), n.name);
      bytes_[at(v)] = last();
      made_.bytes.emplace(g_.at_value(v).name, q_.as_[at(v)]);
      return;
    }
    copy(n, false);
  }
  void constant_of_bytes(value_id v) {
    const node& n = g_.at(g_.at_value(v).producer);
    const array& from = ir::array_of(q_.m_, g_.at_expression(g_.weights(n)[0]));
    const ir::quantization& q = q_.as_[at(v)];
    array to(from.shape(), q_.options_.activations);
    for (std::size_t i = 0; i < from.size(); ++i) ir::set_byte(to, i, static_cast<double>(from[i]), q);
    bytes_[at(v)] = constant(n.name, "_quantized", std::move(to));
  }
  /// The same operator, of what bytes stand for or of floats.
  void copy(const node& n, bool in_bytes) {
    std::vector<value_id> in;
    for (const value_id v : g_.inputs(n)) in.push_back(in_bytes && q_.is_f32(v) ? dequantized(v) : real(v));
    std::vector<std::string_view> names;
    for (int k = 0; k < n.outputs.count; ++k) names.push_back(keep(g_.at_value(n.outputs.first + k).name));
    require(ir::add_node(to(), *n.type, keep(n.name), in, g_.fields_of(n.fields), names), n.name);
    for (int k = 0; k < n.outputs.count; ++k) real_[at(n.outputs.first + k)] = last() + k;
    const auto weights = g_.weights(n);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const ir::expression& e = g_.at_expression(weights[k]);
      const ir::expression_id own = to().operands[at(to().nodes.back().weights.first) + k];
      made_.model.set_weight(to().expressions[at(own)], q_.m_.weights.at({e.layer, e.name}));
    }
  }

  const array& weight(const node& n, std::size_t slot) const {
    return ir::array_of(q_.m_, g_.at_expression(g_.weights(n)[slot]));
  }
  /// Each output's largest number.
  static std::vector<double> largest_of_outputs(const array& w, std::size_t outs, std::string_view layer) {
    std::vector<double> largest(outs, 0);
    const std::size_t each = w.size() / std::max<std::size_t>(outs, 1);
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (!std::isfinite(w[i]))
        throw error("the weight of layer '" + std::string(layer) + "' has numbers that are not finite");
      largest[i / each] = std::max(largest[i / each], std::fabs(static_cast<double>(w[i])));
    }
    return largest;
  }
  static array weight_bytes(const array& w, std::span<const double> each_scale) {
    array bytes(w.shape(), dtype::i8);
    const std::size_t each = w.size() / std::max<std::size_t>(each_scale.size(), 1);
    for (std::size_t i = 0; i < w.size(); ++i)
      bytes.elements<std::int8_t>()[i] = static_cast<std::int8_t>(
          std::clamp(std::nearbyint(static_cast<double>(w[i]) / each_scale[i / each]), -127.0, 127.0));
    return bytes;
  }

  void product(const node& n) {
    if (q_.is<op::conv1d>(n)) return product_as<op::conv1d>(n);
    if (q_.is<op::conv2d>(n)) return product_as<op::conv2d>(n);
    if (q_.is<op::conv3d>(n)) return product_as<op::conv3d>(n);
    product_as<op::linear>(n);
  }
  /// Weight and bias of a product in bytes.
  struct product_numbers {
    std::vector<float> scales, of_bias;  ///< by output
    array weight, bias;
  };
  template <class Op>
  product_numbers numbers_of(const node& n, const Op& op) const {
    const auto outs = static_cast<std::size_t>(op.out);
    const array& w = weight(n, 0);
    const double input_scale = q_.as_[at(g_.inputs(n)[0])].scale;
    product_numbers p;
    std::vector<double> scales = largest_of_outputs(w, outs, n.name);
    for (std::size_t o = 0; o < outs; ++o) {
      // A bias within 30 bits, whatever the weights are.
      const double bias = op.bias ? std::fabs(static_cast<double>(weight(n, 1)[o])) : 0;
      if (!std::isfinite(bias))
        throw error("the bias of layer '" + std::string(n.name) + "' has numbers that are not finite");
      p.scales.push_back(static_cast<float>(std::max({scales[o] / 127, bias / (1 << 30) / input_scale, 1e-30})));
      scales[o] = static_cast<double>(p.scales[o]);
      p.of_bias.push_back(static_cast<float>(input_scale) * p.scales[o]);
    }
    p.weight = weight_bytes(w, scales);
    if (!op.bias) return p;
    p.bias = array({op.out}, dtype::i32);
    for (std::size_t o = 0; o < outs; ++o) {
      const double b = static_cast<double>(weight(n, 1)[o]) / static_cast<double>(p.of_bias[o]);
      p.bias.elements<std::int32_t>()[o] = p.of_bias[o] > 0 ? static_cast<std::int32_t>(std::nearbyint(b)) : 0;
    }
    return p;
  }
  template <class Op>
  void product_as(const node& n) {
    auto op = q_.get<Op>(n);
    product_numbers p = numbers_of(n, op);
    const extents each{op.out};
    op::dequantize by_output;
    by_output.axis = 0;
    std::vector<value_id> in{dequantized(g_.inputs(n)[0])};
    const auto add_weight = [&](const char* bytes, array&& numbers, const char* scale, std::vector<float>& scales,
                                const char* real) {
      const value_id of[] = {constant(n.name, bytes, std::move(numbers)), constant(n.name, scale, array(each, scales))};
      add(by_output, keep(n.name, real), of);
      in.push_back(last());
    };
    add_weight("_weight_quantized", std::move(p.weight), "_weight_scale", p.scales, "_weight_dequantized");
    if (op.bias) add_weight("_bias_quantized", std::move(p.bias), "_bias_scale", p.of_bias, "_bias_dequantized");
    op.given = op.bias ? 3 : 1;
    const std::string_view name = keep(n.name), names[] = {keep(g_.at_value(n.outputs.first).name)};
    require(ir::add_node(to(), op, name, in, names), name);
    real_[at(n.outputs.first)] = last();
  }

  // TensorFlow Lite's arithmetic: layers that read and make bytes.

  /// False where there is no such layer.
  bool as_integers(const node& n, byte_role is) {
    const value_id y = n.outputs.first;
    if (is == byte_role::product) return integer_product(n);
    if (is == byte_role::moves) return moves_bytes(n);
    const auto each = [&](auto op) {
      op.of = q_.as_[at(g_.inputs(n)[0])];
      op.as = q_.as_[at(y)];
      op.to = q_.options_.activations;
      return add_bytes(n, op);
    };
    if (q_.is<op::softmax>(n)) return each(op::quantized_softmax{q_.get<op::softmax>(n).axis});
    if (q_.is<op::activation>(n)) return each(op::quantized_activation{q_.get<op::activation>(n).activation});
    if (!q_.is<op::binary>(n)) return false;
    const auto b = q_.get<op::binary>(n);
    op::quantized_binary op;
    op.function = b.function;
    op.with = q_.as_[at(g_.inputs(n)[1])];
    op.activation = b.activation;
    return op::is_bounds(b.activation) && each(op);
  }
  template <class Op>
  bool add_bytes(const node& n, const Op& op) {
    const ir::field_values f = ir::encode(op);
    return add_bytes(n, ir::type_of<Op>, {f.data(), f.size()});
  }
  bool add_bytes(const node& n, const ir::operator_type& type, std::span<const double> fields) {
    std::vector<value_id> in;
    for (const value_id v : g_.inputs(n)) in.push_back(q_.is_f32(v) ? bytes(v) : real(v));
    std::vector<std::string_view> names;
    for (int k = 0; k < n.outputs.count; ++k) names.push_back(keep(g_.at_value(n.outputs.first + k).name));
    if (ir::add_node(to(), type, keep(n.name), in, fields, names)) return false;
    for (int k = 0; k < n.outputs.count; ++k) bytes_[at(n.outputs.first + k)] = last() + k;
    return true;
  }
  bool moves_bytes(const node& n) {
    if (q_.is<op::pad>(n)) {
      auto p = q_.get<op::pad>(n);
      p.value = q_.as_[at(n.outputs.first)].zero;
      return add_bytes(n, p);
    }
    return add_bytes(n, *n.type, g_.fields_of(n.fields));
  }
  bool integer_product(const node& n) {
    const auto finish = [&](auto op, const auto& from) {
      op.arithmetic = op::byte_arithmetic::tflite;
      op.of = q_.as_[at(g_.inputs(n)[0])];
      op.as = q_.as_[at(n.outputs.first)];
      op.to = q_.options_.activations;
      op.by_output = true;
      if (!add_bytes(n, op)) return false;
      product_numbers p = numbers_of(n, from);
      std::size_t slot = 0;
      set_weights(slot++, std::move(p.weight));
      if (from.bias) set_weights(slot++, std::move(p.bias));
      set_weights(slot, array({from.out}, p.scales));
      return true;
    };
    const auto convolution = [&]<int Axes>(const op::conv<Axes>& from) {
      op::quantized_conv<Axes> op;
      static_cast<op::conv<Axes>&>(op) = from;
      return op::is_bounds(from.activation) && finish(op, from);
    };
    if (q_.is<op::conv1d>(n)) return convolution(q_.get<op::conv1d>(n));
    if (q_.is<op::conv2d>(n)) return convolution(q_.get<op::conv2d>(n));
    if (q_.is<op::conv3d>(n)) return convolution(q_.get<op::conv3d>(n));
    const auto from = q_.get<op::linear>(n);
    op::quantized_matmul op;
    op.out = from.out;
    op.bias = from.bias;
    op.activation = from.activation;
    return from.ones == 0 && op::is_bounds(from.activation) && finish(op, from);
  }

  // ncnn's arithmetic: real number = byte / scale, bytes from -127 to 127.

  void ncnn_product(const node& n) {
    const value_id x = g_.inputs(n)[0], y = n.outputs.first;
    const bool convolves = q_.is<op::conv2d>(n);
    ncnn::layer_scales scales{std::string(n.name), {}, static_cast<float>(127 / q_.ranges_[at(x)].largest())};
    const auto convolution = convolves ? q_.get<op::conv2d>(n) : op::conv2d{};
    const auto product = convolves ? op::linear{} : q_.get<op::linear>(n);
    const int outs = convolves ? convolution.out : product.out;
    std::vector<double> largest = largest_of_outputs(weight(n, 0), at(outs), n.name), each;
    const int groups = convolves ? convolution.groups : 1;
    if (groups != 1)  // one scale for each
      for (std::size_t o = 0, of = at(outs / groups); o < largest.size(); o += of)
        std::fill_n(largest.begin() + static_cast<std::ptrdiff_t>(o), of,
                    *std::max_element(largest.begin() + static_cast<std::ptrdiff_t>(o),
                                      largest.begin() + static_cast<std::ptrdiff_t>(o + of)));
    // ncnn convolves such by Winograd's filtering in 16 bits: its own ncnn2table leaves them 6 bits.
    const bool by_winograd = convolves && groups == 1 && convolution.kernel == std::array{3, 3} &&
                             convolution.stride == std::array{1, 1} && convolution.dilation == std::array{1, 1};
    std::vector<float> as_floats;
    for (const double l : largest) {
      as_floats.push_back(static_cast<float>((by_winograd ? 31 : 127) / (l > 1e-30 ? l : 1)));
      each.push_back(1 / static_cast<double>(as_floats.back()));
    }
    for (std::size_t o = 0; o < as_floats.size(); o += groups == 1 ? 1 : at(outs / groups))
      scales.weight.push_back(as_floats[o]);

    const std::string_view name = keep(n.name), names[] = {keep(g_.at_value(y).name)};
    const value_id in[] = {real_[at(x)]};
    const auto finish = [&](auto& op, bool bias) {
      op.arithmetic = op::byte_arithmetic::ncnn;
      op.to = dtype::f32;
      op.by_output = true;
      op.bias = bias;
      require(ir::add_node(to(), op, name, in, names), name);
      std::size_t slot = 0;
      set_weights(slot++, weight_bytes(weight(n, 0), each));
      if (bias) set_weights(slot++, weight(n, 1));
      set_weights(slot++, array({outs}, as_floats));
      set_weights(slot++, array({1}, std::span<const float>(&scales.input, 1)));
    };
    if (convolves) {
      op::quantized_conv2d op;
      static_cast<op::conv2d&>(op) = convolution;
      finish(op, convolution.bias);
    } else {
      op::quantized_matmul op;
      const extents shape = weight(n, 0).shape();
      op.right = ir::as_list(shape);
      op.transposed = true;
      op.activation = product.activation;
      finish(op, product.bias);
    }
    real_[at(y)] = last();
    made_.scales.push_back(std::move(scales));
  }

  void report(const node& n, const role& r) {
    const value_id y = n.outputs.first;
    quantized_layer l{std::string(n.name), n.type->name, std::string(g_.at_value(y).name), {}, r.why};
    if (r.is != byte_role::real) {
      l.range = q_.ranges_[at(y)];
      l.as = q_.as_[at(y)];
    }
    made_.layers.push_back(std::move(l));
    reported_.push_back(y);
  }
  quantized_network finish() {
    for (std::size_t i = 0; i < reported_.size(); ++i) {
      const value_id y = reported_[i],
                     made = made_in_bytes(y) && dequantized_[at(y)] != ir::none ? dequantized_[at(y)] : real_[at(y)];
      if (made != ir::none) made_.layers[i].made = std::string(to().at_value(made).name);
    }
    return std::move(made_);
  }

  const quantizer& q_;
  ir::graph_view g_;
  bool integers_ = false;  ///< where there are layers of bytes
  bool pairs_ = true;      ///< of quantize and dequantize, for values of bytes
  quantized_network made_;
  std::vector<value_id> real_, bytes_, dequantized_;  ///< by value of the source
  std::vector<value_id> reported_;                    ///< by layer
  std::set<std::string, std::less<>> taken_;
};

inline quantized_network quantizer::quantized(network_ends ends) const { return maker(*this).quantized(ends); }
inline quantized_network quantizer::integers(network_ends ends) const { return maker(*this).integers(ends); }
inline quantized_network quantizer::for_ncnn() const { return maker(*this).for_ncnn(); }

/// Feeds the quantizer with what its network, ready to run, makes of the samples, and settles it. `done` is told which
/// part is done, 0 to 1. Throws ctnn::error naming the value and the sample whose numbers are not finite.
inline void calibrate(quantizer& q, const model& floats, std::span<const arrays_by_name> samples,
                      const std::function<void(double)>& done = {}) {
  if (samples.empty()) throw error("there are no samples to calibrate with");
  ctnn::extractor ex = floats.extractor();
  ex.set_light_mode(false);
  const std::vector<std::string_view> values = q.observed();
  const std::size_t passes = q.counts() ? 2 : 1;
  for (std::size_t pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (const auto& [name, numbers] : samples[i]) ex.input(name, numbers);
      for (const std::string_view v : values) {
        const array numbers = ex.extract(v);
        try {
          if (pass == 0) q.widen(v, numbers);
          else q.count(v, numbers);
        } catch (const error& e) {
          throw error("sample " + std::to_string(i + 1) + ": " + e.what());
        }
      }
      if (done) done(static_cast<double>(pass * samples.size() + i + 1) / static_cast<double>(passes * samples.size()));
    }
  q.settle();
}

namespace detail {

template <class Op>
Op decoded(const ir::field_values& fields) {
  return ir::decode<Op>({fields.data(), fields.size()});
}
/// The activation of a node of one of these operators that is no bounds; the fields are then those without it.
template <class... Ops>
activation_function take_activation(const ir::node& n, ir::field_values& fields, ir::operator_list<Ops...>) {
  activation_function f;
  const auto take = [&]<class Op>(const Op*) {
    if (n.type != &ir::type_of<Op>) return;
    Op op = decoded<Op>(fields);
    if (op::is_bounds(op.activation)) return;
    f = std::exchange(op.activation, {});
    fields = ir::encode(op);
  };
  (take(static_cast<const Ops*>(nullptr)), ...);
  return f;
}

}  // namespace detail

inline loaded_model folded(const loaded_model& m, const ir::graph_view& g, bool only_bounds) {
  loaded_model made;
  ir::folded_weights numbers(m, g);
  std::set<std::string, std::less<>> nodes, values;
  const auto fresh = [&](std::set<std::string, std::less<>>& taken, std::string_view wanted,
                         std::string_view otherwise) {
    const std::string base(wanted.empty() ? otherwise : wanted);
    std::string name = base;
    for (int k = 2; !taken.insert(name).second; ++k) name = base + '_' + std::to_string(k);
    return made.keep(std::move(name));
  };
  for (const model_input& i : m.all_inputs()) {
    model_input copy = i;
    values.insert(std::string(i.name));
    copy.name = made.keep(std::string(i.name));
    made.inputs.push_back(std::move(copy));
  }
  for (const ir::network_output& o : g.outputs)  // whoever asks for a value by its name gets no other one
    if (g.at_value(o.value).name != o.name) values.insert(std::string(o.name));
  std::vector<ir::value_id> moved(g.values.size(), ir::none);
  const auto require = [](const problem& p, std::string_view layer) {
    if (p) throw error("layer '" + std::string(layer) + "': " + ir::describe(p));
  };
  const auto reshape = [&](std::string_view name, ir::value_id x, const extents& to, std::string_view value) {
    require(ir::add_node(made.network, op::reshape{ir::as_list(to)}, name, {&x, 1}, {&value, 1}), name);
    return made.network.nodes.back().outputs.first;
  };
  using layers_of_sums = ir::operator_list<op::conv1d, op::conv2d, op::conv3d, op::linear, op::binary>;
  for (const ir::node& n : g.nodes) {
    if (n.dead) continue;
    std::vector<ir::value_id> in;
    for (const ir::value_id v : g.inputs(n)) in.push_back(moved[static_cast<std::size_t>(v)]);
    const std::string_view name = fresh(nodes, n.name, n.type->name);
    std::vector<std::string_view> names;
    for (int k = 0; k < n.outputs.count; ++k) {
      const ir::value& v = g.at_value(n.outputs.first + k);
      names.push_back(n.type == &ir::type_of<op::input> ? made.keep(std::string(v.name)) : fresh(values, v.name, name));
    }
    ir::field_values fields;
    for (const double f : g.fields_of(n.fields)) fields.push_back(f);
    const activation_function apart =
        only_bounds ? detail::take_activation(n, fields, layers_of_sums{}) : activation_function{};
    const std::string_view value = names.empty() ? std::string_view() : names[0];
    const std::string called = std::string(name) + '_' + std::string(name_of(apart.kind));
    if (apart) names[0] = fresh(values, std::string(name) + "_sum", {});
    auto linear = n.type == &ir::type_of<op::linear> ? detail::decoded<op::linear>(fields) : op::linear{};
    if (linear.axes > 1) {
      const extents x = g.shape(g.inputs(n)[0]);
      extents rows;
      for (int k = 0; k < x.rank - linear.axes; ++k) rows.push_back(x[k]);
      rows.push_back(static_cast<int>(linear.depth(x)));
      const std::string own(name);
      in[0] = reshape(fresh(nodes, own + "_rows", {}), in[0], rows, fresh(values, own + "_rows", {}));
      linear.axes = 1;
      fields = ir::encode(linear);
    }
    require(ir::add_node(made.network, *n.type, name, in, {fields.data(), fields.size()}, names), n.name);
    const ir::node own = made.network.nodes.back();
    for (int k = 0; k < n.outputs.count; ++k)
      moved[static_cast<std::size_t>(n.outputs.first + k)] = own.outputs.first + k;
    const auto weights = g.weights(n);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const ir::expression& leaf = made.network.expressions[static_cast<std::size_t>(
          made.network.operands[static_cast<std::size_t>(own.weights.first) + k])];
      const typed_span from = numbers.elements(weights[k]);
      array copy(leaf.shape, from.type());
      if (copy.size() != from.size())
        throw error("layer '" + std::string(n.name) + "': weight '" + std::string(leaf.name) + "' has another size");
      from.visit([&](const auto* first, std::size_t count) {
        if (count != 0) std::memcpy(copy.bytes().data(), first, count * sizeof *first);
      });
      made.set_weight(leaf, std::make_shared<const array>(std::move(copy)));
    }
    if (!apart) continue;
    require(ir::add_node(made.network, op::activation{apart}, fresh(nodes, called, {}), {&own.outputs.first, 1},
                         {&value, 1}),
            called);
    moved[static_cast<std::size_t>(n.outputs.first)] = made.network.nodes.back().outputs.first;
  }
  for (const ir::network_output& o : g.outputs)
    ir::add_output(made.network, made.keep(std::string(o.name)), moved[static_cast<std::size_t>(o.value)]);
  return made;
}

}  // namespace ctnn
