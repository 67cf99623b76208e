// SPDX-License-Identifier: BSL-1.0
// How firmware's kernels of bytes want their weights, and which layers have such kernels. A sum begins with its bias
// less the input's zero point times the weights, so that inputs are multiplied as they are.
//   rows        (out, C, kh, kw) or (out, K) -> [pairs of rows][K / 4][2][4], K in the order kh, kw, C, filled up with
//               zeros to a multiple of 8
//   depthwise   (C, 1, kh, kw)               -> [C / 4][kh][kw][4]
//   weight_scale, with the bias              -> for each output what its sum begins with, and its factor
#pragma once

#include <bit>

#include "../base/typed_span.hpp"
#include "../graph/graph.hpp"
#include "operator_code.hpp"

namespace ctnn::ir {
inline namespace CTNN_PACKING {

/// A layer's rows of weights.
struct byte_rows {
  int outs = 0, depth = 0;     ///< numbers a row
  int channels = 1, taps = 1;  ///< whose product is the depth
  bool depthwise = false;

  friend constexpr bool operator==(const byte_rows&, const byte_rows&) = default;
  constexpr explicit operator bool() const { return outs > 0; }
  constexpr int padded() const { return (depth + 7) / 8 * 8; }
  constexpr std::int64_t words() const {
    return depthwise ? std::int64_t{taps} * ((outs + 3) / 4) : std::int64_t{(outs + 1) / 2} * 2 * (padded() / 4);
  }
  /// Where number k of row o comes from in (out, channels, taps), and what is in byte i of what is packed; -1: a zero.
  constexpr std::int64_t source(std::int64_t i) const {
    if (depthwise) {
      const std::int64_t o = i / (4 * taps) * 4 + i % 4;
      return o < outs ? o * taps + i / 4 % taps : -1;
    }
    const std::int64_t of_pair = 2 * padded(), at = i % of_pair;
    const std::int64_t o = i / of_pair * 2 + at / 4 % 2, k = at / 8 * 4 + at % 4;
    if (o >= outs || k >= depth) return -1;
    return o * depth + k % channels * taps + k / channels;
  }
};

constexpr bool is_byte_convolution(const node& n) {
  return n.type == &type_of<op::conv2d> || n.type == &type_of<op::conv1d>;
}
/// The operator of such a node; of a signal, as of an image of one row.
constexpr op::conv2d byte_convolution_of(const graph_view& g, const node& n) {
  const std::span<const double> f = g.fields_of(n.fields);
  if (n.type == &type_of<op::conv1d>) return as_image(decode<op::conv1d>(f));
  return decode<op::conv2d>(f);
}
/// Layers of bytes with firmware's kernels; false for others.
constexpr byte_rows byte_rows_of(const graph_view& g, const node& n, int block = channel_block) {
  if (block != 4 || (!is_byte_convolution(n) && n.type != &type_of<op::linear>)) return {};
  const std::span<const double> f = g.fields_of(n.fields);
  const auto& x = g.at_value(g.inputs(n)[0]);
  const auto& y = g.at_value(n.outputs.first);
  const auto taken = [&](const auto& p) {
    return p.weight.type == dtype::i8 && !p.weight.zero_points && !p.weight.real_bias && p.given == 0 &&
           y.type == dtype::i8 && x.type == dtype::i8 && y.type.rounded == rounding::once;
  };
  if (n.type == &type_of<op::linear>) {
    const auto p = decode<op::linear>(f);
    const auto depth = static_cast<int>(p.depth(x.shape));
    return taken(p) && !p.transposed ? byte_rows{p.out, depth, depth} : byte_rows{};
  }
  const op::conv2d p = byte_convolution_of(g, n);
  if (!taken(p)) return {};
  const int axes = n.type == &type_of<op::conv1d> ? 1 : 2;
  const int channels = x.shape.back(axes) / p.groups, taps = p.kernel[0] * p.kernel[1];
  const bool depthwise = p.groups > 1 && channels == 1 && p.out == p.groups;
  if (p.groups > 1 && !depthwise && p.out / p.groups % 2 != 0) return {};  // a pair would be of two groups
  return {p.out, channels * taps, channels, taps, depthwise};
}

namespace byte_packing_detail {

constexpr const std::int8_t* bytes_in(const typed_span& s) {
  const std::int8_t* found = nullptr;
  s.visit([&]<class T>(const T* first, std::size_t) {
    if constexpr (std::is_same_v<T, std::int8_t>) found = first;
  });
  return found;
}
constexpr const std::int32_t* integers_in(const typed_span& s) {
  const std::int32_t* found = nullptr;
  s.visit([&]<class T>(const T* first, std::size_t) {
    if constexpr (std::is_same_v<T, std::int32_t>) found = first;
  });
  return found;
}
struct four_bytes {
  std::int8_t at[4];
};

}  // namespace byte_packing_detail

/// Places for weight i of the layer: the bias is in what the sums begin with.
constexpr std::int64_t byte_slot_words(const byte_rows& rows, const weight_slot& slot) {
  return slot.name == "weight" ? rows.words() : slot.name == "bias" ? 0 : 2 * std::int64_t{rows.outs};
}

/// f(operator) of a node with byte_rows.
constexpr auto with_byte_layer(const graph_view& g, const node& n, const auto& f) {
  if (n.type == &type_of<op::linear>) return f(decode<op::linear>(g.fields_of(n.fields)));
  if (n.type == &type_of<op::conv1d>) return f(decode<op::conv1d>(g.fields_of(n.fields)));
  return f(decode<op::conv2d>(g.fields_of(n.fields)));
}
constexpr weight_slots byte_slots(const graph_view& g, const node& n) {
  const value &x = g.at_value(g.inputs(n)[0]), &y = g.at_value(n.outputs.first);
  return with_byte_layer(g, n, [&](const auto& p) { return p.weights({&x.shape, 1}, {&x.type, 1}, {&y.type, 1}); });
}

/// Packs a slot of a layer that makes `as` of `of`; `numbers(i)` are those of slot i.
template <class Op>
constexpr void pack_byte_slot(const Op& p, const quantization& of, const quantization& as, const byte_rows& rows,
                              const weight_slots& slots, int i, const auto& numbers, float* to) {
  using namespace byte_packing_detail;
  const std::int8_t* weight = bytes_in(numbers(0));
  if (slots[static_cast<std::size_t>(i)].name == "weight") {
    for (std::int64_t w = 0; w < rows.words(); ++w) {
      four_bytes four{};
      for (int k = 0; k < 4; ++k)
        if (const std::int64_t from = rows.source(w * 4 + k); from >= 0) four.at[k] = weight[from];
      to[w] = std::bit_cast<float>(four);
    }
  } else if (slots[static_cast<std::size_t>(i)].name == "weight_scale") {
    const std::int32_t* bias = p.bias ? integers_in(numbers(1)) : nullptr;
    const float* scale = numbers(i).data();
    for (int o = 0; o < rows.outs; ++o) {
      std::uint32_t sum = 0;
      for (int k = 0; k < rows.depth; ++k) sum += static_cast<std::uint32_t>(weight[std::int64_t{o} * rows.depth + k]);
      const std::uint32_t first =
          static_cast<std::uint32_t>(bias ? bias[o] : 0) - static_cast<std::uint32_t>(of.zero) * sum;
      const fixed_factor f(of.scale * static_cast<double>(scale[p.weight.by_output ? o : 0]) / as.scale);
      to[2 * o] = std::bit_cast<float>(first);
      to[2 * o + 1] = std::bit_cast<float>(f.word());
    }
  }
}

/// Which layouts firmware's kernel of a node of bytes takes; none has one for every node.
struct byte_kernel {
  bool there = false;
  layout_rule layouts = layout_rule::nchw;  ///< of a permutation: of the result, its input has the other
};
/// A permutation that leaves all bytes where they are if one side is nhwc: to which layout it goes.
constexpr byte_kernel between_layouts(const op::permute& p, int rank) {
  if (rank < 3 || rank > 4) return {};
  bool to_nhwc = true, to_nchw = true;
  for (int i = 0; i < rank; ++i) {
    const int axis = p.order[static_cast<std::size_t>(i)], first = rank - 3, k = i - first;
    to_nhwc = to_nhwc && axis == (k < 0 ? i : first + (k + 2) % 3);  // (h, w, c) becomes (c, h, w)
    to_nchw = to_nchw && axis == (k < 0 ? i : first + (k + 1) % 3);
  }
  return {to_nhwc || to_nchw, to_nhwc ? layout_rule::nhwc : layout_rule::nchw};
}
constexpr byte_kernel byte_kernel_of(const graph_view& g, const node& n) {
  if (channel_block != 4 || n.inputs.count == 0) return {};
  const std::span<const double> f = g.fields_of(n.fields);
  const value &x = g.at_value(g.inputs(n)[0]), &y = g.at_value(n.outputs.first);
  if (n.type == &type_of<op::quantize> && x.type == dtype::f32)
    return {n.inputs.count == 1 && y.type == dtype::i8, layout_rule::nchw};
  if (x.type != dtype::i8) return {};
  if (n.type == &type_of<op::dequantize>) return {n.inputs.count == 1, layout_rule::nchw};
  if (y.type != dtype::i8) return {};
  if (byte_rows_of(g, n))
    return {true, !is_byte_convolution(n)          ? layout_rule::nchw
                  : n.type == &type_of<op::conv1d> ? layout_rule::nwc
                                                   : layout_rule::nhwc};
  const auto pools = [](int axes) { return byte_kernel{axes <= 2, axes == 1 ? layout_rule::nwc : layout_rule::nhwc}; };
  if (n.type == &type_of<op::pool>) {
    const auto p = decode<op::pool>(f);
    return p.indices ? byte_kernel{} : pools(p.axes);
  }
  if (n.type == &type_of<op::adaptive_pool>) return pools(decode<op::adaptive_pool>(f).axes);
  if (n.type == &type_of<op::binary>) {
    const value& z = g.at_value(g.inputs(n)[n.inputs.count > 1 ? 1 : 0]);
    return {decode<op::binary>(f).combines_bytes() && z.type == dtype::i8 && z.type.real && z.shape == x.shape &&
                y.type.rounded == rounding::once,
            layout_rule::same};
  }
  if (n.type == &type_of<op::permute>) return between_layouts(decode<op::permute>(f), x.shape.rank);
  if (n.type == &type_of<op::quantize> || n.type == &type_of<op::activation>)
    return {static_cast<bool>(x.type.real), layout_rule::same};
  return {n.type == &type_of<op::softmax> || n.type == &type_of<op::concat> || n.type->is.view, layout_rule::nchw};
}

constexpr void pack_byte_slot(const graph_view& g, const node& n, const byte_rows& rows, int i, const auto& numbers,
                              float* to) {
  const quantization &of = g.at_value(g.inputs(n)[0]).type.real, &as = g.at_value(n.outputs.first).type.real;
  with_byte_layer(g, n, [&](const auto& p) { pack_byte_slot(p, of, as, rows, byte_slots(g, n), i, numbers, to); });
}

/// Bytes of memory that firmware's kernel of the layer takes: two windows, widened, and one as bytes where its rows are
/// no fours; of products of vectors only one that is filled up; of channels what is outside of the image, and the taps.
constexpr std::int64_t byte_layer_scratch(const byte_rows& rows, bool of_windows) {
  if (rows.depthwise) return scratch_for(rows.outs, 1) + scratch_for(rows.taps, sizeof(void*));
  if (!of_windows) return rows.depth % 8 == 0 ? 0 : scratch_for(rows.padded(), 1);
  return scratch_for(2 * std::int64_t{rows.padded()}, sizeof(std::int16_t)) +
         (rows.channels % 4 == 0 ? 0 : scratch_for(rows.padded(), 1));
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
