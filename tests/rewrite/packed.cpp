// SPDX-License-Identifier: BSL-1.0
// Weights that stay packed, and what their layers take in.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// How a weight of 128 numbers for each of 160 outputs is dequantised.
struct weight_form {
  dtype type = dtype::i8;
  bool turned = false, one_scale = false, zero = false;
  int block = 0;
  bool along_outputs = false;  ///< its scales are not the outputs', or its blocks not the inputs'
};

template <weight_form W, int Depth = 128>
constexpr value_id dequantised(builder& b) {
  const int outputs = W.turned ? 1 : 0;
  extents shape{160, Depth}, scales = shape;
  if (W.turned) std::swap(shape[0], shape[1]);
  op::dequantize d;
  d.block = W.block;
  d.axis = (W.block == 0) == W.along_outputs ? 1 - outputs : outputs;
  scales = shape;
  if (W.block > 0) scales[d.axis] /= W.block;
  else scales = W.one_scale ? extents{} : extents{shape[d.axis]};
  const value_id w = b.add(op::constant{as_list(shape), W.type}, "w", {});
  const value_id s = b.add(op::constant{as_list(scales)}, "scale_w", {});
  value_id y = none;
  if (W.zero) y = b.add(d, "real_w", {w, s, b.add(op::constant{as_list(scales), W.type}, "zero_w", {})});
  else y = b.add(d, "real_w", {w, s});
  return W.turned ? b.permute("turned", y, {1, 0}) : y;
}
constexpr void fold(builder& b) {
  b.g = optimize(static_cast<ir::graph&&>(b.g), {&rule_entry<rules::fold_constant>::record, 1}).g;
}

template <weight_form W, int Depth = 128>
constexpr auto linear_of = [](builder& b) {
  op::linear l{160};
  l.given = 3;
  const value_id w = dequantised<W, Depth>(b), bias = b.constant("bias", {160});
  b.output("", b.add(l, "fc", {b.input("x", {3, Depth}), w, bias}));
  fold(b);
};

template <weight_form W>
constexpr op::linear packed() {
  op::linear l{160};
  l.weight.type = W.type;
  l.weight.bits = 8;
  l.weight.block = W.block;
  l.weight.zero_points = W.zero || W.type == dtype::u8;
  l.transposed = W.turned;
  return l;
}
template <weight_form W>
constexpr auto packed_linear_of = [](builder& b) {
  b.output("", b.add(packed<W>(), "fc", {b.input("x", {3, 128})}));
};

constexpr weight_form by_output{}, turned{.turned = true}, one{.one_scale = true},
    with_zeros{.type = dtype::u8, .turned = true, .zero = true}, unsigned_bytes{.type = dtype::u8}, blocks{.block = 32},
    turned_blocks{.turned = true, .zero = true, .block = 16}, other_axis{.along_outputs = true},
    other_blocks{.block = 32, .along_outputs = true}, small_blocks{.block = 2};

/// A layer by a packed weight, and what follows.
constexpr op::linear layer_of_bits(activation_function f = {}) {
  op::linear l{8, true, f};
  l.weight.type = dtype::u8;
  l.weight.bits = 4;
  l.weight.block = 16;
  l.weight.zero_points = true;
  return l;
}
template <op::binary_function F, function Then = function::none>
constexpr auto then_constant = [](builder& b) {
  const value_id y = b.add(layer_of_bits({Then}), "fc", {b.input("x", {3, 32})}), k = b.constant("k", {8});
  b.output("", b.binary("it", F, y, k));
};
constexpr auto alone = [](builder& b) { b.output("", b.add(layer_of_bits(), "fc", {b.input("x", {3, 32})})); };
constexpr auto then_sum = [](builder& b) {
  const value_id y = b.add(layer_of_bits(), "fc", {b.input("x", {3, 32})});
  b.output("", b.binary("sum", op::binary_function::add, y, b.input("r", {3, 8})));
};
constexpr auto with_residual = [](builder& b) {
  b.output("", b.add(layer_of_bits(), "fc", {b.input("x", {3, 32}), b.input("r", {3, 8})}));
};
constexpr auto then_relu = [](builder& b) {
  const value_id y = b.add(layer_of_bits(), "fc", {b.input("x", {3, 32})});
  b.output("", b.apply("f", y, function::relu));
};
constexpr auto with_relu = [](builder& b) {
  b.output("", b.add(layer_of_bits({function::relu}), "fc", {b.input("x", {3, 32})}));
};
/// Queries, keys and values of one row by packed weights, and what reads them.
constexpr op::linear of_outputs(int outs) {
  op::linear l = layer_of_bits();
  l.out = outs;
  return l;
}
constexpr void read_each(builder& b, std::initializer_list<value_id> three) {
  constexpr std::string_view names[] = {"a", "c", "d"};
  int n = 0;
  for (const value_id v : three) {
    b.output(names[n], b.linear(names[n], v, 4));
    ++n;
  }
}
constexpr auto siblings = [](builder& b) {
  const value_id x = b.input("x", {1, 256});
  const value_id q = b.add(of_outputs(48), "q", {x}), k = b.add(of_outputs(40), "k", {x});
  read_each(b, {q, k, b.add(of_outputs(48), "v", {x})});
};
constexpr auto joined = [](builder& b) {
  const value_id all = b.add(of_outputs(136), "q", {b.input("x", {1, 256})});
  const value_id part = b.add(op::split{{48, 40, 48}, 1}, "k", {all});
  read_each(b, {part, part + 1, part + 2});
};
constexpr auto scaled_before = [](builder& b) {
  const value_id x = b.binary("it", op::binary_function::mul, b.input("x", {3, 32}), b.constant("k", {32}));
  b.output("", b.add(layer_of_bits(), "fc", {x}));
};

}  // namespace

FIRES_LOADED("linear by bytes with a scale for each output", (rules::keep_packed), linear_of<by_output>,
             packed_linear_of<by_output>)
FIRES_LOADED("linear by bytes the other way round", (rules::keep_packed), linear_of<turned>, packed_linear_of<turned>)
FIRES_LOADED("linear by bytes with one scale", (rules::keep_packed), linear_of<one>, packed_linear_of<one>)
FIRES_LOADED("linear by bytes with zero points", (rules::keep_packed), linear_of<with_zeros>,
             packed_linear_of<with_zeros>)
FIRES_LOADED("linear by unsigned bytes", (rules::keep_packed), linear_of<unsigned_bytes>,
             packed_linear_of<unsigned_bytes>)
FIRES_LOADED("linear by blocks of bytes", (rules::keep_packed), linear_of<blocks>, packed_linear_of<blocks>)
FIRES_LOADED("linear by blocks of bytes the other way round", (rules::keep_packed), linear_of<turned_blocks>,
             packed_linear_of<turned_blocks>)
DECLINES_LOADED("linear by bytes with scales of the inputs", (rules::keep_packed), linear_of<other_axis>,
                "its weight's scales are not the outputs'")
DECLINES_LOADED("linear by blocks of outputs", (rules::keep_packed), linear_of<other_blocks>,
                "its weight's blocks are not of the inputs")
DECLINES_LOADED("linear by blocks of two", (rules::keep_packed), linear_of<small_blocks>, "")
DECLINES_LOADED("linear by few bytes", (rules::keep_packed), (linear_of<by_output, 64>), "")

FIRES_LOADED("packed linear > * constant", (rules::fold_affine), then_constant<op::binary_function::mul>, alone)
FIRES_LOADED("packed linear > + constant", (rules::fold_affine), then_constant<op::binary_function::add>, alone)
FIRES_LOADED("packed linear > add", (rules::fuse_residual), then_sum, with_residual)
FIRES_LOADED("packed linear > relu", (rules::fuse_activation), then_relu, with_relu)
DECLINES_LOADED("* constant > packed linear", (rules::affine_before), scaled_before, "")
FIRES_LOADED("three linear layers by packed weights", (rules::join_siblings), siblings, joined)
