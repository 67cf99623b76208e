// SPDX-License-Identifier: BSL-1.0
// Makes the networks of bytes that a quantizer describes.
#pragma once

#include <algorithm>
#include <set>

#include "quantizer.hpp"

namespace ctnn {

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
  value_id constant(std::string_view name, const char* ending, array numbers, const ir::quantization& as = {}) {
    const std::string_view own = keep(name, ending);
    const ir::element made(numbers.type(), as);
    add(op::constant{ir::as_list(numbers.shape()), numbers.type()}, own, {}, {&made, 1});
    set_weights(0, std::move(numbers));
    return last();
  }
  bool made_in_bytes(value_id v) const { return q_.roles_[at(g_.at_value(v).producer)].is != byte_role::real; }

  // The forms of a value: as it was computed, as bytes, and as what these stand for.

  value_id bytes(value_id v) {
    value_id& known = bytes_[at(v)];
    if (known != ir::none) return known;
    const ir::element made = byte_of(v);
    add(op::quantize{}, keep(g_.at_value(v).name, "_quantized"), {&real_[at(v)], 1}, {&made, 1});
    return known = last();
  }
  value_id dequantized(value_id v) {
    value_id& known = dequantized_[at(v)];
    if (known != ir::none) return known;
    const value_id in = bytes(v);
    add(op::dequantize{}, keep(g_.at_value(v).name, "_dequantized"), {&in, 1});
    return known = last();
  }
  /// What layers of floats read: what layers of bytes made, as everybody sees it.
  value_id real(value_id v) {
    if (pairs_ && made_in_bytes(v) && q_.is_f32(v)) return dequantized(v);
    if (real_[at(v)] == ir::none && q_.is_constant(v)) copy(g_.at(g_.at_value(v).producer), false);
    return real_[at(v)] == ir::none ? dequantized(v) : real_[at(v)];
  }

  template <class Op>
  void add(const Op& op, std::string_view name, std::span<const value_id> in, ir::types wanted = {}) {
    require(ir::add_node(to(), op, name, in, {}, wanted), name);
  }
  /// The bytes of a value.
  ir::element byte_of(value_id v) const { return {q_.options_.activations, q_.as_[at(v)]}; }

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
    bytes_[at(v)] = constant(n.name, "_quantized", std::move(to), q);
  }
  /// The same operator, of what bytes stand for or of floats.
  void copy(const node& n, bool in_bytes) {
    std::vector<value_id> in;
    for (const value_id v : g_.inputs(n)) in.push_back(in_bytes && q_.is_f32(v) ? dequantized(v) : real(v));
    std::vector<std::string_view> names;
    for (int k = 0; k < n.outputs.count; ++k) names.push_back(keep(g_.at_value(n.outputs.first + k).name));
    const ir::pool<ir::element> elements = ir::output_elements(g_, n);
    require(ir::add_node(to(), *n.type, keep(n.name), in, g_.fields_of(n.fields), names,
                         {elements.data(), elements.size()}),
            n.name);
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
    const ir::element made = byte_of(y);
    const bool computes = q_.is<op::softmax>(n) || q_.is<op::activation>(n) || q_.is<op::binary>(n);
    return computes && add_bytes(n, *n.type, g_.fields_of(n.fields), {&made, 1});
  }
  template <class Op>
  bool add_bytes(const node& n, const Op& op, ir::types wanted = {}) {
    const ir::field_values f = ir::encode(op);
    return add_bytes(n, ir::type_of<Op>, {f.data(), f.size()}, wanted);
  }
  bool add_bytes(const node& n, const ir::operator_type& type, std::span<const double> fields, ir::types wanted = {}) {
    std::vector<value_id> in;
    for (const value_id v : g_.inputs(n)) in.push_back(q_.is_f32(v) ? bytes(v) : real(v));
    std::vector<std::string_view> names;
    for (int k = 0; k < n.outputs.count; ++k) names.push_back(keep(g_.at_value(n.outputs.first + k).name));
    if (ir::add_node(to(), type, keep(n.name), in, fields, names, wanted)) return false;
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
    const auto finish = [&](auto op) {
      if (!op::is_bounds(op.activation)) return false;
      const auto from = op;
      op.weight = {dtype::i8, true, false, false};
      const ir::element made = byte_of(n.outputs.first);
      if (!add_bytes(n, op, {&made, 1})) return false;
      product_numbers p = numbers_of(n, from);
      std::size_t slot = 0;
      set_weights(slot++, std::move(p.weight));
      if (from.bias) set_weights(slot++, std::move(p.bias));
      set_weights(slot, array({from.out}, p.scales));
      return true;
    };
    if (q_.is<op::conv1d>(n)) return finish(q_.get<op::conv1d>(n));
    if (q_.is<op::conv2d>(n)) return finish(q_.get<op::conv2d>(n));
    if (q_.is<op::conv3d>(n)) return finish(q_.get<op::conv3d>(n));
    return finish(q_.get<op::linear>(n));
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
    const ir::element bytes(dtype::i8, {1 / static_cast<double>(scales.input), 0}, ir::rounding::away);
    add(op::quantize{}, keep(name, "_quantize"), {&real_[at(x)], 1}, {&bytes, 1});
    const value_id in[] = {last()};
    const auto finish = [&](auto op) {
      op.weight = {dtype::i8, true, false, true};
      require(ir::add_node(to(), op, name, in, names), name);
      std::size_t slot = 0;
      set_weights(slot++, weight_bytes(weight(n, 0), each));
      if (op.bias) set_weights(slot++, weight(n, 1));
      set_weights(slot, array({outs}, as_floats));
    };
    if (convolves) finish(convolution);
    else finish(product);
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

CTNN_ONCE quantized_network quantizer::quantized(network_ends ends) const { return maker(*this).quantized(ends); }
CTNN_ONCE quantized_network quantizer::integers(network_ends ends) const { return maker(*this).integers(ends); }
CTNN_ONCE quantized_network quantizer::for_ncnn() const { return maker(*this).for_ncnn(); }

}  // namespace ctnn
