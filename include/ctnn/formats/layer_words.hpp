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
  if (is_any(operator_list<op::conv2d, op::conv_transpose2d, op::linear>{})) return product;
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
  if (g.is<op::conv2d>(n)) return g.get<op::conv2d>(n).activation;
  if (g.is<op::conv_transpose2d>(n)) return g.get<op::conv_transpose2d>(n).activation;
  if (g.is<op::linear>(n)) return g.get<op::linear>(n).activation;
  if (g.is<op::binary>(n)) return g.get<op::binary>(n).activation;
  if (g.is<op::eltwise>(n)) return g.get<op::eltwise>(n).activation;
  return {};
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
    const op::conv2d p = g.get<op::conv2d>(n);
    const int channels = g.shape(g.inputs(at)[0]).back(2);
    out += p.groups > 1 && p.groups == channels ? "depthwise " : p.groups > 1 ? "grouped conv2d " : "conv2d ";
    append_integer(out, p.kernel[0]);
    out += "x";
    append_integer(out, p.kernel[1]);
    if (p.stride != pair{1, 1}) stride(p.stride[0]);
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
  const bool adds = (g.is<op::conv2d>(n) || g.is<op::linear>(n)) && at.inputs.count - count_slots(g.given(at)) == 2;
  const bool last = g.is<op::conv2d>(n) ? g.get<op::conv2d>(n).residual_last
                                        : g.is<op::linear>(n) && g.get<op::linear>(n).residual_last;
  if (adds && !last) out += " + add";
  if (const activation_function f = detail::activation_of(g, n)) append(out, " + ", name_of(f.kind));
  if (adds && last) out += " + add";
}

}  // namespace ctnn::ir
