// SPDX-License-Identifier: BSL-1.0
// What TensorFlow Lite's operators have in common: activations at their end, channels last, integers that stand for
// real numbers.
#pragma once

#include <cmath>

#include "../../onnx/readers/sampling.hpp"

namespace ctnn::tflite::readers {

using namespace ctnn::onnx;
using onnx::readers::applied;
using onnx::readers::binary_of;

// Integers that stand for real numbers.

inline const stated_value* stated(node_reader& n, const std::string& name) {
  const auto& all = n.builder().file.stated;
  const auto at = all.find(name);
  return at == all.end() ? nullptr : &at->second;
}
[[noreturn]] inline void refuse_scale(node_reader& n, const std::string& name, float scale, const char* expected) {
  std::string got;
  append_number(got, static_cast<double>(scale));
  n.fail("tensor '" + name + "' has the scale " + got + ", expected " + expected);
}
/// Null if it has none. Weights may have a scale of 0: converters give it to a filter of zeros.
inline const stated_quantization* scales_of(node_reader& n, const std::string& name) {
  const stated_value* s = stated(n, name);
  if (!s || s->quantized.scale.empty()) return nullptr;
  for (const float scale : s->quantized.scale)
    if (!(scale >= 0) || !std::isfinite(scale)) refuse_scale(n, name, scale, "a finite one, not below 0");
  return &s->quantized;
}
/// Whether input i is of integers with a scale.
inline bool is_quantized(node_reader& n, std::size_t i) {
  return n.has(i) && !is_floating(n.type(n.input(i))) && scales_of(n, n.node.inputs[i]);
}
inline dtype output_type(node_reader& n, std::size_t i = 0) {
  if (!n.wants(i)) n.fail("has no output " + std::to_string(i));
  const stated_value* s = stated(n, n.node.outputs[i]);
  const auto type = s ? onnx::element_type(s->element) : std::nullopt;
  if (!type) node_reader::refuse("output of " + std::string(element_name(s ? s->element : 0)));
  return *type;
}
/// Whether input i is what the operator left there in the run before.
inline bool is_state(node_reader& n, std::size_t i) {
  const stated_value* s = i < n.input_count() ? stated(n, n.node.inputs[i]) : nullptr;
  return s && s->is_state;
}
/// A reader that knows real numbers and plain integers only.
template <operator_reader read>
void unscaled(node_reader& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (!is_state(n, i) && is_quantized(n, i) && n.type(n.input(i)) != dtype::i32)
      node_reader::refuse("quantized " + std::string(name_of(n.type(n.input(i)))));
  read(n);
}
/// Whatever the numbers stand for.
template <operator_reader read>
void moves(node_reader& n) {
  read(n);
}

// Activations at the end.

inline activation_function fused(node_reader& n) {
  switch (const std::int64_t code = n.integer("fused_activation_function", 0)) {
    case 0: return {};
    case 1: return {function::relu};
    case 2: return {function::clip, -1, 1};
    case 3: return {function::clip, 0, 6};
    case 4: return {function::tanh};
    case 5: node_reader::refuse("fused activation SIGN_BIT");
    default: n.fail("fused_activation_function is " + std::to_string(code));
  }
}
inline term activated(node_reader& n, const activation_function& f, term x) { return f ? applied(n, f, x) : x; }
inline void finish(node_reader& n, term x) { n.result(activated(n, fused(n), x)); }

// Channels last.

inline term channels_first(node_reader& n, term x) {
  n.only_helping(true);
  const term t = n.permuted(x, {0, 3, 1, 2});
  n.only_helping(false);
  return t;
}
inline term channels_last(node_reader& n, term x) { return n.permuted(x, {0, 2, 3, 1}); }

inline void require_rank(node_reader& n, std::size_t i, int rank) {
  if (n.rank(n.input(i)) != rank)
    n.fail("input " + std::to_string(i) + " is " + describe(n.shape(n.input(i))) + ", expected " +
           std::to_string(rank) + " dimensions");
}
/// What helps to make the node that is called like the operator.
template <class Make>
term helping(node_reader& n, Make&& make) {
  n.only_helping(true);
  const term t = make();
  n.only_helping(false);
  return t;
}

inline same_padding padding_of(node_reader& n) {
  const std::int64_t how = n.integer("padding", 0);
  if (how != 0 && how != 1) n.fail("padding is " + std::to_string(how) + ", expected SAME (0) or VALID (1)");
  return how == 0 ? same_padding::upper : same_padding::none;
}

}  // namespace ctnn::tflite::readers
