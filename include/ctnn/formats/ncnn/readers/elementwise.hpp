// SPDX-License-Identifier: BSL-1.0
// Activations, BinaryOp, UnaryOp, Eltwise and what can be said with chains of them.
#pragma once

#include <cmath>
#include <limits>

#include "../layer_reader.hpp"
#include "../unary_operations.hpp"

namespace ctnn::ncnn::readers {

/// Fused activations: activation_type and activation_params of convolutions and InnerProduct.
inline activation_function fused_activation(const layer_reader& l, int type_id = 9, int params_id = 10) {
  const int type = l.int_or(type_id, 0);
  const std::vector<float> params = l.floats_or(params_id);
  const auto need = [&](std::size_t n) {
    if (params.size() < n)
      l.fail(params_id, "activation " + std::to_string(type) + " needs " + std::to_string(n) + " numbers, got " +
                            std::to_string(params.size()));
  };
  switch (type) {
    case 0: return {};
    case 1: return {function::relu};
    case 2: need(1); return {function::leaky_relu, params[0]};
    case 3:
      need(2);
      if (!(params[0] <= params[1])) l.fail(params_id, "clip from above to below");
      return {function::clip, params[0], params[1]};
    case 4: return {function::sigmoid};
    case 5: return {function::mish};
    case 6: need(2); return {function::hardswish, params[0], params[1]};
    default: layer_reader::refuse(type_id, "activation " + std::to_string(type));
  }
}

inline void activate(layer_reader& l, const activation_function& f) {
  l.expect(1, 1);
  l.result(l.node(op::activation{f}, {l.input()}));
}

inline void relu(layer_reader& l) {
  const float slope = l.float_or(0, 0);
  activate(l, slope == 0 ? activation_function{function::relu} : activation_function{function::leaky_relu, slope});
}
inline void clip(layer_reader& l) {
  constexpr float most = std::numeric_limits<float>::max();
  activate(l, {function::clip, l.float_or(0, -most), l.float_or(1, most)});
}
inline void hardsigmoid(layer_reader& l) {
  activate(l, {function::hardsigmoid, l.float_or(0, 0.2f), l.float_or(1, 0.5f)});
}
inline void hardswish(layer_reader& l) { activate(l, {function::hardswish, l.float_or(0, 0.2f), l.float_or(1, 0.5f)}); }
inline void elu(layer_reader& l) { activate(l, {function::elu, l.float_or(0, 0.1f)}); }
template <function kind>
void plain_activation(layer_reader& l) {
  activate(l, {kind});
}

inline void selu(layer_reader& l) {
  activate(l, {function::selu, l.float_or(0, 1.67326324f), l.float_or(1, 1.050700987f)});
}
inline void gelu(layer_reader& l) { activate(l, {l.flag_or(0, false) ? function::gelu_tanh : function::gelu}); }

inline void unary(layer_reader& l) {
  const int type = l.int_or(0, 0);
  if (type < 0 || type >= static_cast<int>(std::size(unary_operations)))
    layer_reader::refuse(0, "unary operation " + std::to_string(type));
  activate(l, {unary_operations[type]});
}

/// ncnn lines the operand of lower rank up with the outermost axes: it gets inner extents of 1. A 1-D one lines up with
/// the outermost axis if it fits there, otherwise with the innermost, as broadcasting does by itself.
inline value_id lined_up(layer_reader& l, value_id v, const extents& with, const char* what) {
  extents shape = l.shape(v);
  if (shape.rank == 0 || shape.rank >= with.rank || (shape.rank == 1 && shape[0] != with[0])) return v;
  if (shape.rank > 1) {
    // 2-D in 3-D: (h, w) become (c, h); 2-D in 4-D: (c, d); 3-D in 4-D: (c, d, h).
    while (shape.rank < with.rank) shape.push_back(1);
    return l.reshaped(v, shape, what);
  }
  while (shape.rank < with.rank) shape.push_back(1);
  return l.reshaped(v, shape, what);
}

inline void binary(layer_reader& l) {
  using enum op::binary_function;
  const int type = l.int_or(0, 0);
  if (type < 0 || type > static_cast<int>(rpow)) layer_reader::refuse(0, "binary operation " + std::to_string(type));
  op::binary op{static_cast<op::binary_function>(type)};
  if (l.flag_or(1, false)) {
    l.expect(1, 1);
    op.scalar = l.float_or(2, 0);
    l.result(l.node(op, {l.input()}));
    return;
  }
  l.expect(2, 1);
  value_id a = l.input(0), b = l.input(1);
  const extents first = l.shape(a), second = l.shape(b);
  a = lined_up(l, a, second, "first");
  b = lined_up(l, b, first, "second");
  if (op.function == rsub || op.function == rdiv || op.function == rpow) {
    op.function = op.function == rsub ? sub : (op.function == rdiv ? div : pow);
    std::swap(a, b);
  }
  l.result(l.node(op, {a, b}));
}

inline void eltwise(layer_reader& l) {
  l.expect_outputs(1);
  const int type = l.int_or(0, 0);
  if (type < 0 || type > 2) layer_reader::refuse(0, "element-wise operation " + std::to_string(type));
  op::eltwise op{static_cast<op::eltwise_function>(type)};
  const std::vector<float> coefficients = l.floats_or(1);
  if (!coefficients.empty() && coefficients.size() != l.input_count())
    l.fail(1, std::to_string(coefficients.size()) + " coefficients for " + std::to_string(l.input_count()) + " inputs");
  if (l.input_count() > max_list) layer_reader::refuse("more than " + std::to_string(max_list) + " inputs");
  if (op.function == op::eltwise_function::sum)
    for (float c : coefficients) op.coefficients.push_back(c);
  l.result(l.node(op, l.all_inputs()));
}

/// shift + scale x, without the steps that change nothing.
inline value_id affine(layer_reader& l, float scale, float shift) {
  value_id v = l.input();
  if (scale != 1) v = l.with_scalar(op::binary_function::mul, v, scale, "scale");
  if (shift != 0) v = l.with_scalar(op::binary_function::add, v, shift, "shift");
  return v;
}

inline void power(layer_reader& l) {
  l.expect(1, 1);
  op::binary op{op::binary_function::pow};
  op.scalar = l.float_or(0, 1);
  l.result(l.node(op, {affine(l, l.float_or(1, 1), l.float_or(2, 0))}));
}
inline void exponential(layer_reader& l) {
  l.expect(1, 1);
  const float base = l.float_or(0, -1);
  const value_id v = affine(l, l.float_or(1, 1), l.float_or(2, 0));
  if (base == -1) {
    l.result(l.node(op::activation{{function::exp}}, {v}));
    return;
  }
  op::binary op{op::binary_function::rpow};
  op.scalar = base;
  l.result(l.node(op, {v}));
}
inline void logarithm(layer_reader& l) {
  l.expect(1, 1);
  const float base = l.float_or(0, -1);
  if (base != -1 && !(base > 0 && base != 1)) l.fail(0, "logarithm to base " + std::to_string(base));
  value_id v = l.node(op::activation{{function::log}}, {affine(l, l.float_or(1, 1), l.float_or(2, 0))});
  if (base != -1) v = l.with_scalar(op::binary_function::mul, v, 1 / std::log(base), "base");
  l.result(v);
}

inline void softmax(layer_reader& l) {
  l.expect(1, 1);
  const int axis = l.int_or(0, 0);
  if (axis != 0 && !l.flag_or(1, false)) layer_reader::refuse(1, "axis of ncnn before 2018");
  l.result(l.node(op::softmax{axis}, {l.input()}));
}

}  // namespace ctnn::ncnn::readers
