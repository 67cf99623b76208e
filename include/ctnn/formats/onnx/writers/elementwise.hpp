// SPDX-License-Identifier: BSL-1.0
// Element by element: arithmetic, comparisons, logic, functions of one number, activations.
#pragma once

#include <algorithm>

#include "../node_writer.hpp"

namespace ctnn::onnx::writers {

/// Functions of one number that ONNX has under a name and without parameters.
struct function_name {
  ir::function kind;
  const char* type;
};
inline constexpr function_name plain_functions[] = {{function::relu, "Relu"},
                                                    {function::sigmoid, "Sigmoid"},
                                                    {function::tanh, "Tanh"},
                                                    {function::softplus, "Softplus"},
                                                    {function::softsign, "Softsign"},
                                                    {function::abs, "Abs"},
                                                    {function::neg, "Neg"},
                                                    {function::sign, "Sign"},
                                                    {function::floor, "Floor"},
                                                    {function::ceil, "Ceil"},
                                                    {function::round, "Round"},
                                                    {function::sqrt, "Sqrt"},
                                                    {function::reciprocal, "Reciprocal"},
                                                    {function::exp, "Exp"},
                                                    {function::log, "Log"},
                                                    {function::sin, "Sin"},
                                                    {function::cos, "Cos"},
                                                    {function::tan, "Tan"},
                                                    {function::asin, "Asin"},
                                                    {function::acos, "Acos"},
                                                    {function::atan, "Atan"},
                                                    {function::sinh, "Sinh"},
                                                    {function::cosh, "Cosh"},
                                                    {function::asinh, "Asinh"},
                                                    {function::acosh, "Acosh"},
                                                    {function::atanh, "Atanh"},
                                                    {function::erf, "Erf"}};

/// f of a value of an element type.
inline std::string applied(node_writer& w, const activation_function& f, const std::string& x, dtype type) {
  const auto times = [&](const std::string& a, const std::string& b) { return w.add("Mul", {a, b}); };
  const auto scaled = [&](const std::string& a, double factor) { return times(a, w.number(factor, type)); };
  const auto plus = [&](const std::string& a, double more) { return w.add("Add", {a, w.number(more, type)}); };
  const bool whole = !is_floating(type);
  if (w.fused() && type == dtype::f32) {
    if (f.kind == function::gelu && w.version() < 20) return w.add("com.microsoft.Gelu", {x});
    if (f.kind == function::gelu_tanh && w.version() < 20) return w.add("com.microsoft.FastGelu", {x});
    if (f.kind == function::silu || f.kind == function::swish)
      return w.add("com.microsoft.QuickGelu", {x}, {with("alpha", f.kind == function::silu ? 1.0f : f.a)});
  }
  switch (f.kind) {
    case function::none: return x;
    case function::floor:
    case function::ceil:
    case function::round:
    case function::trunc:
      if (whole) return x;
      if (f.kind == function::trunc) return times(w.add("Sign", {x}), w.add("Floor", {w.add("Abs", {x})}));
      break;
    case function::relu:
      if (detail::without_sign.has(type)) return x;
      break;
    case function::leaky_relu: return w.add("LeakyRelu", {x}, {with("alpha", f.a)});
    case function::clip: {
      const bool low = !(f.a == -std::numeric_limits<float>::infinity()),
                 high = !(f.b == std::numeric_limits<float>::infinity());
      if (!low && !high) return x;
      return w.add("Clip", {x, low ? w.number(f.a, type) : "", high ? w.number(f.b, type) : ""});
    }
    case function::hardsigmoid: return w.add("HardSigmoid", {x}, {with("alpha", f.a), with("beta", f.b)});
    case function::hardswish:
      if (w.version() >= 14 && f.a == 1.0f / 6 && f.b == 0.5f) return w.add("HardSwish", {x});
      return times(x, w.add("HardSigmoid", {x}, {with("alpha", f.a), with("beta", f.b)}));
    case function::elu: return w.add("Elu", {x}, {with("alpha", f.a)});
    case function::celu:
      if (type == dtype::f32) return w.add("Celu", {x}, {with("alpha", f.a)});
      return w.add(
          "Add",
          {w.add("Max", {x, w.number(0.0, type)}),
           w.add("Min", {w.number(0.0, type), scaled(plus(w.add("Exp", {scaled(x, 1 / static_cast<double>(f.a))}), -1),
                                                     static_cast<double>(f.a))})});
    case function::selu: return w.add("Selu", {x}, {with("alpha", f.a), with("gamma", f.b)});
    case function::thresholded_relu: return w.add("ThresholdedRelu", {x}, {with("alpha", f.a)});
    case function::shrink: return w.add("Shrink", {x}, {with("lambd", f.a), with("bias", f.b)});
    case function::silu: return times(x, w.add("Sigmoid", {x}));
    case function::swish: return times(x, w.add("Sigmoid", {scaled(x, static_cast<double>(f.a))}));
    case function::mish:
      if (w.version() >= 18) return w.add("Mish", {x});
      return times(x, w.add("Tanh", {w.add("Softplus", {x})}));
    case function::gelu:
      if (w.version() >= 20) return w.add("Gelu", {x});
      return times(scaled(x, 0.5), plus(w.add("Erf", {w.add("Div", {x, w.number(1.4142135623730951, type)})}), 1));
    case function::gelu_tanh: {
      if (w.version() >= 20) return w.add("Gelu", {x}, {with("approximate", "tanh")});
      const std::string cube = w.add("Pow", {x, w.number(3.0, type)});
      const std::string inner = scaled(w.add("Add", {x, scaled(cube, 0.044715)}), 0.7978845608028654);
      return times(scaled(x, 0.5), plus(w.add("Tanh", {inner}), 1));
    }
    case function::affine: return plus(scaled(x, static_cast<double>(f.a)), static_cast<double>(f.b));
    case function::scaled_tanh:
      return scaled(w.add("Tanh", {scaled(x, static_cast<double>(f.b))}), static_cast<double>(f.a));
    case function::square: return times(x, x);
    case function::rsqrt: return w.add("Reciprocal", {w.add("Sqrt", {x})});
    case function::expm1: return plus(w.add("Exp", {x}), -1);
    case function::log1p: return w.add("Log", {plus(x, 1)});
    case function::log10: return scaled(w.add("Log", {x}), 0.4342944819032518);
    default: break;
  }
  for (const function_name& n : plain_functions)
    if (n.kind == f.kind) return w.add(n.type, {x});
  node_writer::refuse("the function " + std::string(name_of(f.kind)));
}

/// The result of a layer with an activation.
inline void finish(node_writer& w, const std::string& y, const activation_function& f, int lead = 0) {
  w.result(applied(w, f, y, w.result_type()), lead);
}

inline void activation(node_writer& w) {
  const int lead = w.lead();
  finish(w, w.in(0, lead), w.get<op::activation>().activation, lead);
}
inline void identity(node_writer& w) {
  const int lead = w.lead();
  w.result(w.in(0, lead), lead);
}
inline void dropout(node_writer& w) {
  const float scale = w.get<op::dropout>().scale;
  if (scale == 1) return identity(w);
  const int lead = w.lead();
  w.is("Mul", {w.in(0, lead), w.number(scale, w.type())}, {}, lead);
}

/// 1 if inputs as long as the result are there with a batch of 1 in front, as the result is then. Shorter ones are
/// broadcast as they are.
inline int lead_of_operands(node_writer& w) {
  int lead = 0;
  for (std::size_t i = 0; i < w.input_count(); ++i)
    if (w.shape(i).rank == w.result_shape().rank) lead = std::max(lead, w.lead_of(i));
  return lead;
}
inline std::vector<std::string> operands(node_writer& w, int lead) {
  std::vector<std::string> in;
  for (std::size_t i = 0; i < w.input_count(); ++i)
    in.push_back(w.in(i, w.shape(i).rank == w.result_shape().rank ? lead : 0));
  return in;
}

inline void binary(node_writer& w) {
  using enum op::binary_function;
  const op::binary op = w.get<op::binary>();
  if (w.leaves_sum()) return w.leave_sum(w.in(0), w.in(1));
  const int lead = lead_of_operands(w);
  std::vector<std::string> in = operands(w, lead);
  if (op.scalar) in.push_back(w.number(*op.scalar, w.type()));
  constexpr const char* types[] = {"Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Sub", "Div", "Pow", "PRelu"};
  if (op.function == rsub || op.function == rdiv || op.function == rpow) std::swap(in[0], in[1]);
  if (op.function == prelu && !op.scalar && !(w.shape(0) == w.result_shape()))
    in[0] = w.add("Expand", {in[0], w.dims(w.result_shape())});
  // A slope is no longer than what it is for.
  finish(w, w.add(types[static_cast<int>(op.function)], in), op.activation, lead);
}

inline void eltwise(node_writer& w) {
  const op::eltwise op = w.get<op::eltwise>();
  const int lead = lead_of_operands(w);
  std::vector<std::string> in = operands(w, lead);
  for (std::size_t i = 0; i < op.coefficients.size(); ++i)
    if (op.coefficients[i] != 1 && op.function == op::eltwise_function::sum)
      in[i] = w.add("Mul", {in[i], w.number(op.coefficients[i], w.type())});
  std::string y = in[0];
  const char* type = op.function == op::eltwise_function::prod  ? "Mul"
                     : op.function == op::eltwise_function::sum ? "Add"
                                                                : "Max";
  for (std::size_t i = 1; i < in.size(); ++i) y = w.add(type, {y, in[i]});
  finish(w, y, op.activation, lead);
}

inline void compare(node_writer& w) {
  using enum op::comparison;
  const op::comparison f = w.get<op::compare>().function;
  if (f == not_equal) return w.is("Not", {w.add("Equal", w.all_inputs())});
  w.is(f == equal        ? "Equal"
       : f == less       ? "Less"
       : f == less_equal ? "LessOrEqual"
       : f == greater    ? "Greater"
                         : "GreaterOrEqual",
       w.all_inputs());
}

inline void logic(node_writer& w) {
  using enum op::logic_function;
  const op::logic_function f = w.get<op::logic>().function;
  if (f == shift_left || f == shift_right)
    return w.is("BitShift", w.all_inputs(), {with("direction", f == shift_left ? "LEFT" : "RIGHT")});
  constexpr const char* of_booleans[] = {"And", "Or", "Xor"};
  constexpr const char* of_bits[] = {"BitwiseAnd", "BitwiseOr", "BitwiseXor"};
  const int which = static_cast<int>(f) % 3;
  if (w.type() == dtype::boolean) return w.is(of_booleans[which], w.all_inputs());
  w.need(18);
  w.is(of_bits[which], w.all_inputs());
}

inline void remainder(node_writer& w) {
  const bool truncated = w.get<op::remainder>().truncated;
  if (truncated || !is_floating(w.type())) return w.is("Mod", w.all_inputs(), {with("fmod", truncated)});
  const std::vector<std::string> in = w.all_inputs();  // Mod of real numbers is fmod only
  w.is("Sub", {in[0], w.add("Mul", {w.add("Floor", {w.add("Div", in)}), in[1]})});
}

inline void where(node_writer& w) { w.is("Where", w.all_inputs()); }
inline void det(node_writer& w) { w.is("Det", {w.in()}); }
inline void is_nan(node_writer& w) { w.is("IsNaN", {w.in()}); }
inline void is_inf(node_writer& w) {
  const op::is_inf op = w.get<op::is_inf>();
  w.is("IsInf", {w.in()}, {with("detect_negative", op.negative), with("detect_positive", op.positive)});
}
inline void bitwise_not(node_writer& w) {
  if (w.type() == dtype::boolean) return w.is("Not", {w.in()});
  w.need(18);
  w.is("BitwiseNot", {w.in()});
}
inline void cast(node_writer& w) {
  const int lead = w.lead();
  w.is("Cast", {w.in(0, lead)}, {with("to", element_number(w.get<op::cast>().to))}, lead);
}

inline void bit_cast(node_writer& w) {
  w.need(26);
  w.is("BitCast", {w.in()}, {with("to", element_number(w.get<op::bit_cast>().to))});
}

/// Input i as a scalar.
inline std::string scalar(node_writer& w, std::size_t i) {
  return w.shape(i).rank == 0 ? w.in(i) : w.reshaped(w.in(i), {});
}
inline void clamp(node_writer& w) {
  const op::clamp op = w.get<op::clamp>();
  std::vector<std::string> in{w.in(), op.low ? scalar(w, 1) : ""};
  if (op.high) in.push_back(scalar(w, op.low ? 2 : 1));
  w.is("Clip", in);
}

}  // namespace ctnn::onnx::writers
