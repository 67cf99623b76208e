// SPDX-License-Identifier: BSL-1.0
// Element by element: arithmetic, comparisons, logic, functions of one number, activations.
#pragma once

#include "../narrow.hpp"
#include "../node_reader.hpp"

namespace ctnn::onnx::readers {

/// Before opset 7 the second operand is broadcast on request, from axis `axis` on.
inline term old_broadcast(node_reader& n, term a, term b) {
  if (n.version >= 7) return b;
  n.ignore("consumed_inputs");
  const bool broadcast = n.flag("broadcast", false);
  const std::int64_t axis = n.integer("axis", -1);
  if (!broadcast || n.shape(b).count() == 1 || axis == -1) return b;
  extents to = n.shape(b);
  for (int i = n.axis(axis, n.rank(a)) + n.rank(b); i < n.rank(a); ++i) to.push_back(1);
  return n.reshaped(b, to);
}

inline void same_types(node_reader& n, const std::vector<term>& in) {
  for (term t : in)
    if (n.type(t) != n.type(in[0]))
      n.fail("inputs are " + std::string(name_of(n.type(in[0]))) + " and " + std::string(name_of(n.type(t))));
}

/// Numbers that a float holds whatever they are.
inline bool holds_floats(dtype t) { return t == dtype::f32 || is_narrow(t); }

/// The only element of a float constant that is broadcast to `to` without changing its shape.
inline optional_number scalar_operand(node_reader& n, term t, term to) {
  const shared_array k = n.known(t);
  if (!k || !holds_floats(k->type()) || k->size() != 1 || k->shape().rank > n.rank(to) || n.known(to)) return {};
  return static_cast<float>(number_at(*k, 0));
}

inline term binary_of(node_reader& n, op::binary_function f, term a, term b) {
  using enum op::binary_function;
  op::binary op{f};
  if (holds_floats(n.type(a))) {
    if (op.scalar = scalar_operand(n, b, a); op.scalar) return n.add(op, {a});
    if (op.scalar = scalar_operand(n, a, b); op.scalar) {
      op.function = f == sub ? rsub : f == div ? rdiv : f == pow ? rpow : f;
      return n.add(op, {b});
    }
  }
  return n.add(op, {a, b});
}

template <op::binary_function f>
void binary(node_reader& n) {
  n.expect(2, 2);
  const term a = n.input(0), b = old_broadcast(n, a, n.input(1));
  same_types(n, {a, b});
  n.result(binary_of(n, f, a, b));
}

/// The base's type is the result's, whatever the exponent's.
inline void power(node_reader& n) {
  n.expect(2, 2);
  term a = n.input(0), b = old_broadcast(n, a, n.input(1));
  const dtype type = n.type(a);
  if (n.type(b) != type) {
    const bool exact = is_floating(type) || is_integer(n.type(b));
    const dtype common = exact ? type : size_of(type) == 8 || n.type(b) == dtype::f64 ? dtype::f64 : dtype::f32;
    a = n.cast(a, common);
    b = n.cast(b, common);
  }
  n.result(n.cast(binary_of(n, op::binary_function::pow, a, b), type));
}

/// Max, Min, Sum and Mean of any number of inputs.
template <op::binary_function f, bool mean = false>
void variadic(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  n.ignore("consumed_inputs");
  const std::vector<term> in = n.all_inputs();
  same_types(n, in);
  term sum = in[0];
  for (std::size_t i = 1; i < in.size(); ++i) sum = binary_of(n, f, sum, in[i]);
  if (mean && in.size() > 1)
    sum = binary_of(n, op::binary_function::div, sum, n.number(static_cast<double>(in.size()), n.type(sum)));
  n.result(sum);
}

inline void modulo(node_reader& n) {
  n.expect(2, 2);
  const bool truncated = n.flag("fmod", false);
  if (!truncated && is_floating(n.type(n.input(0)))) n.fail("fmod must be 1 for floating point");
  n.result(n.add(op::remainder{truncated}, {n.input(0), n.input(1)}));
}

template <op::comparison f>
void compare(node_reader& n) {
  n.expect(2, 2);
  const term a = n.input(0), b = old_broadcast(n, a, n.input(1));
  n.result(n.add(op::compare{f}, {a, b}));
}
template <op::logic_function f>
void logic(node_reader& n) {
  n.expect(2, 2);
  const term a = n.input(0), b = old_broadcast(n, a, n.input(1));
  n.result(n.add(op::logic{f}, {a, b}));
}
inline void bit_shift(node_reader& n) {
  n.expect(2, 2);
  const std::string direction = n.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") n.fail("direction is '" + direction + "', expected LEFT or RIGHT");
  n.result(n.add(op::logic{direction == "LEFT" ? op::logic_function::shift_left : op::logic_function::shift_right},
                 {n.input(0), n.input(1)}));
}

/// A float that is one choice for all says its number, which rules ask for.
inline void where(node_reader& n) {
  n.expect(3, 3);
  std::vector<term> in = n.all_inputs();
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const shared_array k = n.known(in[i]);
    if (!k || k->type() != dtype::f32 || k->size() != 1 || n.known(in[3 - i])) continue;
    n.only_helping(true);
    in[i] = n.add(op::full{as_list(k->shape()), static_cast<float>(number_at(*k, 0))}, {});
    n.only_helping(false);
  }
  n.result(n.add(op::where{}, in));
}

/// A function of one number.
inline term applied(node_reader& n, const activation_function& f, term x) { return n.add(op::activation{f}, {x}); }

/// One without attributes.
template <function f>
void apply(node_reader& n) {
  n.expect(1, 1);
  n.ignore("consumed_inputs");
  n.result(applied(n, {f}, n.input()));
}
/// Not of booleans, BitwiseNot of integers.
template <bool logical>
void bitwise_not(node_reader& n) {
  n.expect(1, 1);
  if (const dtype t = n.type(n.input()); (t == dtype::boolean) != logical)
    n.fail("input is " + std::string(name_of(t)));
  n.result(n.add(op::bitwise_not{}, {n.input()}));
}
/// One whose only parameter is "alpha"; what it is if the file does not say.
template <function f, int hundredths = 100>
void with_alpha(node_reader& n) {
  n.expect(1, 1);
  n.ignore("consumed_inputs");
  n.result(applied(n, {f, n.real("alpha", hundredths / 100.0f)}, n.input()));
}
inline void hard_sigmoid(node_reader& n) {
  n.expect(1, 1);
  n.result(applied(n, {function::hardsigmoid, n.real("alpha", 0.2f), n.real("beta", 0.5f)}, n.input()));
}
inline void hard_swish(node_reader& n) {
  n.expect(1, 1);
  n.result(applied(n, {function::hardswish, 1.0f / 6, 0.5f}, n.input()));
}
inline void selu(node_reader& n) {
  n.expect(1, 1);
  n.ignore("consumed_inputs");
  const float old_alpha = 1.6732f, old_gamma = 1.0507f;
  const bool old = n.version < 6;
  const float a = n.real("alpha", old ? old_alpha : 1.67326319217681884765625f);
  n.result(applied(n, {function::selu, a, n.real("gamma", old ? old_gamma : 1.05070102214813232421875f)}, n.input()));
}
inline void shrink(node_reader& n) {
  n.expect(1, 1);
  const float lambda = n.real("lambd", 0.5f), bias = n.real("bias", 0);
  n.result(applied(n, {function::shrink, lambda, bias}, n.input()));
}
inline void gelu(node_reader& n) {
  n.expect(1, 1);
  const std::string how = n.text("approximate", "none");
  if (how != "none" && how != "tanh") n.fail("approximate is '" + how + "', expected none or tanh");
  n.result(applied(n, {how == "tanh" ? function::gelu_tanh : function::gelu}, n.input()));
}

inline void clip(node_reader& n) {
  n.expect(1, 3);
  const term x = n.input();
  constexpr float most = std::numeric_limits<float>::infinity();
  op::clamp with{n.has(1), n.has(2)};
  if (n.version < 11) {
    n.ignore("consumed_inputs");
    const float low = n.real("min", -most), high = n.real("max", most);
    if (n.type(x) == dtype::f32 && low <= high) return n.result(applied(n, {function::clip, low, high}, x));
    return n.result(n.add(op::clamp{}, {x, n.number(static_cast<double>(low), n.type(x)),
                                        n.number(static_cast<double>(high), n.type(x))}));
  }
  std::vector<term> in{x};
  bool plain = n.type(x) == dtype::f32;
  float bounds[2] = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  for (std::size_t i = 1; i < 3; ++i) {
    if (!n.has(i)) continue;
    const term b = n.input(i);
    if (n.type(b) != n.type(x) || n.shape(b).count() != 1 || n.rank(b) > 1)
      n.fail("bound is not one number of the input's type");
    in.push_back(b);
    const shared_array k = n.known(b);
    if (plain && k) bounds[i - 1] = k->values()[0];
    else plain = false;
  }
  if (in.size() == 1) n.result(x);
  else if (plain && bounds[0] <= bounds[1]) n.result(applied(n, {function::clip, bounds[0], bounds[1]}, x));
  else n.result(n.add(with, in));
}

/// With one slope a channel of f32 it is ctnn's prelu; otherwise the slope is an operand.
inline void parametric_relu(node_reader& n) {
  n.expect(2, 2);
  n.ignore("consumed_inputs");
  const term x = n.input(0);
  term slope = n.input(1);
  const extents s = n.shape(slope), shape = n.shape(x);
  if (n.version < 7 && s.rank == 1 && shape.rank > 2 && s[0] > 1) {
    extents to = s;
    for (int i = 2; i < shape.rank; ++i) to.push_back(1);
    slope = n.reshaped(slope, to);
  }
  same_types(n, {x, slope});
  op::binary op{op::binary_function::prelu};
  op.scalar = scalar_operand(n, slope, x);
  const term y = op.scalar ? n.add(op, {x}) : n.add(op, {x, slope});
  if (!(n.shape(y) == shape)) n.fail("slope is " + describe(s) + " for an input of " + describe(shape));
  n.result(y);
}

inline void is_inf(node_reader& n) {
  n.expect(1, 1);
  n.result(n.add(op::is_inf{n.flag("detect_negative", true), n.flag("detect_positive", true)}, {n.input()}));
}
inline void is_nan(node_reader& n) {
  n.expect(1, 1);
  n.result(n.add(op::is_nan{}, {n.input()}));
}
inline void det(node_reader& n) {
  n.expect(1, 1);
  n.result(n.add(op::det{}, {n.input()}));
}

inline void cast(node_reader& n) {
  n.expect(1, 1);
  n.ignore("saturate");  // matters for float8 only
  n.ignore("round_mode");
  constexpr int string = 8;  // TensorProto's number for it
  const form f = n.builder().at(n.any_input()).form;
  term x = f == form::text ? n.any_input() : n.input();
  if (is_narrow(f)) x = n.constant(n.known(x));
  if (n.small("to", 0) != string) return n.result(n.cast(x, n.element("to", 0)));
  // ctnn has no strings; a whole number that is written and read again is itself, a float need not be.
  if (is_floating(n.type(x))) node_reader::refuse("a float as text");
  n.result(n.builder().as(x, form::text));
}
inline void cast_like(node_reader& n) {
  n.expect(2, 2);
  n.ignore("saturate");
  n.ignore("round_mode");
  n.result(n.cast(n.input(0), n.type(n.input(1))));
}

inline void bit_cast(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  const int to = n.small("to", 0);
  if (const auto narrow = narrow_type_of(to); narrow && size_of(n.type(x)) * 8 == narrow->bits) {
    const shared_array bytes = n.known(x);
    if (!bytes) node_reader::refuse("bits of " + std::string(name_of(narrow->form())) + " that are no constant");
    const auto numbers = n.allocate(n.shape(x), narrow->held);
    widen(*numbers, *narrow, bytes->bytes().data());
    return n.result(n.builder().as(n.constant(kept(numbers)), narrow->form()));
  }
  const dtype type = n.element("to", 0);
  if (type == dtype::boolean && n.type(x) != type) node_reader::refuse("bits of numbers as booleans");
  n.result(n.add(op::bit_cast{type}, {x}));
}

inline void identity(node_reader& n) {
  n.expect(1, 1);
  n.result(n.any_input());
}

}  // namespace ctnn::onnx::readers
