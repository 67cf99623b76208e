// SPDX-License-Identifier: BSL-1.0
// What a layer does in a few words, for pictures: made by the compiler or at run time.
#pragma once

#include "../base/text.hpp"
#include "../graph/graph.hpp"
#include "../kernels/operator_code.hpp"  // before operators that compare their records
#include "../network/names.hpp"

namespace ctnn::ir {

/// Layers that pictures show in one colour.
enum class layer_family { data, product, normalization, activation, pooling, arithmetic, other };

constexpr layer_family family_of(const graph_view& g, node_id n) {
  const auto is_any = [&]<class... Ops>(operator_list<Ops...>) { return (g.is<Ops>(n) || ...); };
  using enum layer_family;
  if (is_any(operator_list<op::input, op::constant, op::full>{})) return data;
  if (is_any(operator_list<op::conv1d, op::conv2d, op::conv_transpose1d, op::conv_transpose2d, op::linear>{}))
    return product;
  if (is_any(operator_list<op::batch_norm, op::local_response_norm, op::layer_norm, op::rms_norm>{}) ||
      is_any(operator_list<op::scale, op::bias>{}))
    return normalization;
  if (is_any(operator_list<op::activation, op::prelu, op::softmax>{})) return activation;
  if (is_any(operator_list<op::pool, op::adaptive_pool, op::interpolate>{})) return pooling;
  if (is_any(operator_list<op::binary, op::eltwise>{})) return arithmetic;
  return other;
}

namespace detail {

constexpr activation_function activation_of(const graph_view& g, node_id n) {
  activation_function f;
  const auto look = [&]<class... Ops>(operator_list<Ops...>) {
    (void)((g.is<Ops>(n) && (f = g.get<Ops>(n).activation, true)) || ...);
  };
  look(operator_list<op::conv1d, op::conv2d, op::conv_transpose1d, op::conv_transpose2d, op::linear, op::binary,
                     op::eltwise>{});
  return f;
}

template <int Axes, class Out>
constexpr void append_convolution(Out& out, const graph_view& g, node_id n) {
  const auto p = g.get<op::conv<Axes>>(n);
  const int channels = p.channels_of(g.shape(g.inputs(g.at(n))[0]));
  if (p.groups > 1 && p.groups == channels) out += "depthwise ";
  else append(out, p.groups > 1 ? "grouped " : "", p.name, " ");
  for (int i = 0; i < Axes; ++i) {
    if (i > 0) out += "x";
    append_integer(out, p.kernel[static_cast<std::size_t>(i)]);
  }
  if (p.stride == p.ones) return;
  out += " /";
  append_integer(out, p.stride[0]);
}

/// Does n add its second input, and behind its activation?
struct added_input {
  bool adds = false, last = false;
};
template <class... Ops>
constexpr added_input added_by(const graph_view& g, node_id n, operator_list<Ops...>) {
  added_input out;
  (void)((g.is<Ops>(n) && (out = {true, g.get<Ops>(n).residual_last}, true)) || ...);
  out.adds = out.adds && g.at(n).inputs.count - count_slots(g.given(g.at(n))) == 2;
  return out;
}

}  // namespace detail

/// "depthwise 3x3 /2 + add + relu"
template <class Out>
constexpr void append_words(Out& out, const graph_view& g, node_id n) {
  const node& at = g.at(n);
  const auto stride = [&](int by) {
    out += " /";
    append_integer(out, by);
  };
  if (g.is<op::conv2d>(n)) {
    detail::append_convolution<2>(out, g, n);
  } else if (g.is<op::conv1d>(n)) {
    detail::append_convolution<1>(out, g, n);
  } else if (g.is<op::activation>(n)) {
    out += name_of(g.get<op::activation>(n).activation.kind);
  } else if (g.is<op::pool>(n)) {
    const op::pool p = g.get<op::pool>(n);
    append(out, pooling_names[static_cast<std::size_t>(p.function)], "_pool");
    append_integer(out, p.axes);
    out += "d ";
    for (int i = 0; i < p.axes; ++i) {
      if (i > 0) out += "x";
      append_integer(out, p.kernel.at(i));
    }
    stride(p.along(0, 1).stride);
  } else if (g.is<op::binary>(n)) {
    out += binary_names[static_cast<std::size_t>(g.get<op::binary>(n).function)];
  } else {
    out += at.type->name;
  }
  const auto [adds, last] = detail::added_by(g, n, operator_list<op::conv1d, op::conv2d, op::linear>{});
  if (adds && !last) out += " + add";
  if (const activation_function f = detail::activation_of(g, n)) append(out, " + ", name_of(f.kind));
  if (adds && last) out += " + add";
}

}  // namespace ctnn::ir
