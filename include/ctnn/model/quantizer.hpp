// SPDX-License-Identifier: BSL-1.0
// Which values of a network of floats become bytes, which share a scale, and for which range each stands.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>

#include "../base/nearest.hpp"
#include "../formats/ncnn/table_writer.hpp"
#include "../loaded/folded_weights.hpp"
#include "calibration.hpp"
#include "model.hpp"

namespace ctnn {

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
    if ((is<op::conv1d>(n) && get<op::conv1d>(n).has_slopes()) ||
        (is<op::conv2d>(n) && get<op::conv2d>(n).has_slopes()))
      return {real, "it applies slopes to its results"};
    if (is<op::linear>(n) && get<op::linear>(n).weight.is_packed()) return {real, "its weight is packed already"};
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

}  // namespace ctnn
