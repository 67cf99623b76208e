// SPDX-License-Identifier: BSL-1.0
// ONNX Runtime's own operators of bytes (domain com.microsoft): each is said by ONNX's operator of real numbers between
// DequantizeLinear and QuantizeLinear, or by integer products; what becomes of these the rules know.
#pragma once

#include "quantized.hpp"
#include "reduce.hpp"

namespace ctnn::onnx::readers {

/// ONNX's nodes that one of ONNX Runtime's stands for.
class spelled_out {
 public:
  explicit spelled_out(node_reader& n) : n_(n) {}

  /// Name of input i; empty if the node has none.
  std::string input(std::size_t i) const { return n_.has(i) ? n_.node.inputs[i] : std::string(); }
  /// A value that a node of an operator makes; `version` is that of ONNX's operator set.
  std::string add(const char* type, operator_reader read, int version, std::vector<std::string> in,
                  const std::vector<std::string>& attributes = {}) {
    std::vector<std::string> out{fresh()};
    run(type, read, version, std::move(in), out, attributes);
    return out[0];
  }
  /// The value that is known as `t` under a name.
  std::string named(term t) {
    const std::string name = fresh();
    n_.builder().define(name, t);
    return name;
  }
  /// The real numbers that input i stands for, its scale and zero point being inputs `scale` and `zero`.
  std::string real(std::size_t i, std::size_t scale, std::size_t zero, std::int64_t axis = 1) {
    extra_ = {integer("axis", axis)};
    return add("DequantizeLinear", dequantize, 13, {input(i), input(scale), input(zero)});
  }
  std::string real(std::size_t i) { return real(i, i + 1, i + 2); }
  /// The node's output: these numbers with the scale and zero point of inputs `scale` and `scale` + 1. Where there is
  /// no zero point it has the element type of input `like`.
  void result(const std::string& x, std::size_t scale, std::size_t like) {
    extra_ = {};
    std::string zero = input(scale + 1);
    if (zero.empty()) zero = named(n_.number(0.0, n_.type(n_.input(like))));
    run("QuantizeLinear", quantize, 13, {x, input(scale), zero}, n_.node.outputs, {});
  }
  /// A node that makes the node's output.
  void is(const char* type, operator_reader read, int version, std::vector<std::string> in,
          const std::vector<std::string>& attributes = {}) {
    run(type, read, version, std::move(in), n_.node.outputs, attributes);
  }
  /// The next node has this attribute.
  void with(std::string_view name, std::int64_t value) { extra_.push_back(integer(name, value)); }

 private:
  static attribute integer(std::string_view name, std::int64_t value) {
    attribute a;
    a.name = name;
    a.kind = attribute_kind::integer;
    a.integer = value;
    return a;
  }
  std::string fresh() {
    std::string name;
    do name = n_.name() + ".real" + std::to_string(count_++);
    while (n_.builder().find(name));
    return name;
  }
  /// The node's own attributes of these names go with it.
  void run(const char* type, operator_reader read, int version, std::vector<std::string> in,
           const std::vector<std::string>& out, const std::vector<std::string>& attributes) {
    node_message m;
    m.name = n_.node.name;
    m.type = type;
    while (!in.empty() && in.back().empty()) in.pop_back();
    m.inputs = std::move(in);
    m.outputs = out;
    m.byte = n_.node.byte;
    m.attributes = std::move(extra_);
    extra_.clear();
    for (const std::string& key : attributes) {
      n_.ignore(key);
      for (const attribute& a : n_.node.attributes)
        if (a.name == key) m.attributes.push_back(a);
    }
    node_reader inner(n_.builder(), m, version);
    read(inner);
    inner.refuse_other_attributes();
  }

  node_reader& n_;
  std::vector<attribute> extra_;
  int count_ = 0;
};

inline void refuse_channels_last(node_reader& n) {
  if (n.flag("channels_last", false)) node_reader::refuse("attribute 'channels_last' (1)");
}

template <op::binary_function f>
void quantized_arithmetic(node_reader& n) {
  n.expect(7, 8);
  spelled_out s(n);
  const std::string a = s.real(0), b = s.real(3);
  s.result(s.add("Add", binary<f>, 14, {a, b}), 6, 0);
}
template <operator_reader read>
void quantized_function(node_reader& n) {
  n.expect(4, 5);
  spelled_out s(n);
  s.result(s.add("Function", read, 16, {s.real(0)}, {"alpha"}), 3, 0);
}
inline void quantized_softmax(node_reader& n) {
  n.expect(4, 5);
  spelled_out s(n);
  const int version = n.small("opset", 13);
  s.result(s.add("Softmax", softmax<op::softmax>, version, {s.real(0)}, {"axis"}), 3, 0);
}
inline void quantized_average_pool(node_reader& n) {
  n.expect(4, 5);
  refuse_channels_last(n);
  spelled_out s(n);
  s.result(s.add("AveragePool", pool<op::pooling::average>, 19, {s.real(0)},
                 {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"}),
           3, 0);
}
inline void quantized_global_pool(node_reader& n) {
  n.expect(4, 5);
  refuse_channels_last(n);
  spelled_out s(n);
  s.result(s.add("GlobalAveragePool", global_pool<op::pooling::average>, 1, {s.real(0)}), 3, 0);
}
inline void quantized_mean(node_reader& n) {
  n.expect(4, 5);
  spelled_out s(n);
  s.result(s.add("ReduceMean", reduce<op::reduction::mean>, 13, {s.real(0)}, {"axes", "keepdims"}), 3, 0);
}
/// The result's scale and zero point come first, then each value with its own.
inline void quantized_concat(node_reader& n) {
  if (n.input_count() < 5 || n.input_count() % 3 != 2)
    n.fail("has " + std::to_string(n.input_count()) + " inputs, expected 2 and 3 for each value");
  spelled_out s(n);
  std::vector<std::string> in;
  for (std::size_t i = 2; i < n.input_count(); i += 3) in.push_back(s.real(i));
  s.result(s.add("Concat", concat, 13, in, {"axis"}), 0, 2);
}
inline void quantized_where(node_reader& n) {
  n.expect(8, 9);
  spelled_out s(n);
  const std::string a = s.real(1), b = s.real(4);
  s.result(s.add("Where", where, 16, {s.input(0), a, b}), 7, 1);
}

/// The bias is of the product of both scales and `alpha`.
inline void quantized_gemm(node_reader& n) {
  n.expect(6, 9);
  spelled_out s(n);
  const std::string a = s.real(0, 1, 2), b = s.real(3, 4, 5, n.flag("transB", false) ? 0 : 1);
  std::vector<std::string> in{a, b};
  if (n.has(6)) {
    const float alpha = n.real("alpha", 1);
    std::string scale = s.add("Mul", binary<op::binary_function::mul>, 14, {s.input(1), s.input(4)});
    if (alpha != 1)
      scale = s.add("Mul", binary<op::binary_function::mul>, 14,
                    {scale, s.named(n.number(static_cast<double>(alpha), dtype::f32))});
    s.with("axis", n.rank(n.input(6)) - 1);
    in.push_back(s.add("DequantizeLinear", dequantize, 13, {s.input(6), scale}));
  }
  const std::vector<std::string> attributes{"alpha", "transA", "transB"};
  if (!n.has(7)) return s.is("Gemm", gemm, 13, in, attributes);
  s.result(s.add("Gemm", gemm, 13, in, attributes), 7, 0);
}

inline constexpr slot_input of_scaled_integers[] = {
    {"weight", 1}, {"input_scale", 2}, {"weight_scale", 3}, {"input_zero", 4}, {"weight_zero", 5}};

/// Inputs a, b, their scales, their zero points, a bias: real numbers of an integer product.
inline void integer_matmul_to_float(node_reader& n) {
  n.expect(4, 7);
  spelled_out s(n);
  const auto product = [](node_reader& m) { byte_product(m, of_scaled_integers); };
  const std::vector<std::string> in{s.input(0), s.input(1), s.input(2), s.input(3), s.input(4), s.input(5)};
  if (!n.has(6)) return s.is("MatMul", product, 13, in);
  s.is("Add", binary<op::binary_function::add>, 14, {s.add("MatMul", product, 13, in), s.input(6)});
}
/// Inputs a (real numbers, quantised here), b, its scale, its zero point, a bias.
inline void dynamic_quantize_matmul(node_reader& n) {
  n.expect(3, 5);
  spelled_out s(n);
  const std::vector<term> a = n.nodes(op::dynamic_quantize{}, {n.input(0)});
  s.is("MatMulIntegerToFloat", integer_matmul_to_float, 1,
       {s.named(a[0]), s.input(1), s.named(a[1]), s.input(2), s.named(a[2]), s.input(3), s.input(4)});
}

}  // namespace ctnn::onnx::readers
