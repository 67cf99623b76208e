// SPDX-License-Identifier: BSL-1.0
// rules/quantized.hpp: layers of real numbers between bytes.

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr quantization coarse{0.05, 0}, fine{0.02, 3}, half{0.025, 0};

constexpr value_id bytes_in(builder& b, std::initializer_list<int> shape, dtype type = dtype::i8,
                            std::string_view name = "x") {
  return b.add(op::input{list<int>(shape), type}, name, {});
}
constexpr value_id bytes_of(builder& b, quantization q, std::initializer_list<int> shape, dtype type = dtype::i8,
                            std::string_view name = "x") {
  const value_id x = bytes_in(b, shape, type, name);
  say_element(b.g, x, q);
  return x;
}
constexpr value_id into(builder& b, quantization q, std::string_view name, value_id x, dtype type = dtype::i8) {
  return b.add_as({type, q}, op::quantize{}, name, {x});
}
constexpr value_id real(builder& b, value_id bytes, quantization q, std::string_view name = "real") {
  say_element(b.g, bytes, q);
  return b.add(op::dequantize{}, name, {bytes});
}

/// What a layer's weight is made of.
enum class weight_is { by_output, one_scale, with_zero, unsigned_bytes, by_input, floats, wide };
template <weight_is W>
constexpr bool has_scales = W == weight_is::by_output || W == weight_is::by_input || W == weight_is::wide;

/// A weight of this shape, dequantised; its scales belong to axis `axis`.
template <weight_is W>
constexpr value_id weight(builder& b, std::initializer_list<int> shape, int axis) {
  if (W == weight_is::floats) return b.constant("w", shape);
  const dtype type = W == weight_is::unsigned_bytes ? dtype::u8 : W == weight_is::wide ? dtype::i32 : dtype::i8;
  op::dequantize d;
  d.axis = W == weight_is::by_input ? 1 - axis : axis;
  const value_id w = b.add(op::constant{list<int>(shape), type}, "w", {});
  const int scales = shape.begin()[d.axis];
  const value_id s = has_scales<W> ? b.constant("scale_w", {scales}) : b.constant("scale_w", {});
  if (W != weight_is::with_zero && W != weight_is::unsigned_bytes) return b.add(d, "real_w", {w, s});
  return b.add(d, "real_w", {w, s, b.add(op::constant{{}, type}, "zero_w", {})});
}
/// Dequantised constants are weights of their layers, as the rules before leave them.
constexpr void fold(builder& b) {
  b.g = optimize(static_cast<ir::graph&&>(b.g), {&rule_entry<rules::fold_constant>::record, 1}).g;
}

constexpr op::conv2d windows(int groups = 1) {
  op::conv2d c;
  c.out = 4;
  c.kernel = {3, 3};
  c.pad = {1, 1, 1, 1};
  c.groups = groups;
  c.given = 3;
  return c;
}
enum class input_is { bytes, wide, by_value, residual };

template <weight_is W, int Groups = 1, input_is X = input_is::bytes, dtype Type = dtype::i8>
constexpr auto conv_of = [](builder& b) {
  const value_id w = weight<W>(b, {4, 4 / Groups, 3, 3}, 0), bias = b.constant("bias", {4});
  const value_id x = bytes_in(b, {4, 5, 6}, X == input_is::wide ? dtype::i16 : Type);
  value_id r = none;
  if constexpr (X == input_is::by_value) r = b.add(op::dequantize{}, "real", {x, b.input("scale", {})});
  else r = real(b, x, coarse);
  if constexpr (X == input_is::residual)
    b.output("", b.add(windows(Groups), "conv", {b.input("y", {4, 5, 6}), r, w, bias}));
  else b.output("", b.add(windows(Groups), "conv", {r, w, bias}));
  fold(b);
};

constexpr auto conv_with_slopes = [](builder& b) {
  op::conv2d c = windows();
  c.activation = {function::prelu};
  const value_id w = weight<weight_is::by_output>(b, {4, 4, 3, 3}, 0), bias = b.constant("bias", {4});
  b.output("", b.add(c, "conv", {real(b, bytes_in(b, {4, 5, 6}), coarse), w, bias}));
  fold(b);
};

/// Weights of the last node that the test's graphs have in other shapes than the operator's slots.
template <weight_is W, int Groups = 1>
constexpr op::conv2d conv_of_bytes() {
  op::conv2d q = windows(Groups);
  q.given = 0;
  q.weight = {W == weight_is::unsigned_bytes ? dtype::u8 : dtype::i8, has_scales<W>,
              W == weight_is::with_zero || W == weight_is::unsigned_bytes, true};
  return q;
}
template <weight_is W, int Groups = 1, dtype Type = dtype::i8>
constexpr auto byte_conv_of = [](builder& b) {
  b.output("", b.add(conv_of_bytes<W, Groups>(), "conv", {bytes_of(b, coarse, {4, 5, 6}, Type)}));
};

/// A product, its weight as PyTorch has it or as (inputs, outputs).
template <weight_is W, bool Turned, int Axes = 1>
constexpr auto linear_of = [](builder& b) {
  value_id w = Turned ? weight<W>(b, {12, 4}, 1) : weight<W>(b, {4, 12}, 0);
  if (Turned) w = b.permute("turned", w, {1, 0});
  op::linear l{4};
  l.given = 3;
  l.axes = Axes;
  const value_id bias = b.constant("bias", {4});
  const value_id x = Axes == 1 ? bytes_in(b, {2, 12}) : bytes_in(b, {2, 3, 4});
  b.output("", b.add(l, "fc", {real(b, x, coarse), w, bias}));
  fold(b);
};
template <weight_is W, bool Turned, int Axes = 1>
constexpr auto byte_linear_of = [](builder& b) {
  op::linear q{4};
  q.weight = {dtype::i8, has_scales<W>, false, true};
  q.transposed = Turned;
  q.axes = Axes;
  b.output("", b.add(q, "fc", {Axes == 1 ? bytes_of(b, coarse, {2, 12}) : bytes_of(b, coarse, {2, 3, 4})}));
};

/// A layer of bytes before quantize.
template <bool Real, bool Reshape = false, dtype To = dtype::u8, bool Shared = false>
constexpr auto conv_then_quantize = [](builder& b) {
  auto q = conv_of_bytes<weight_is::by_output>();
  if (!Real) q.weight.real_bias = false;
  const element made = dtype::f32;
  value_id y = b.add(q, "conv", {bytes_of(b, coarse, {4, 5, 6})}, {&made, 1});
  if (Shared) b.output("real", y);
  if (Reshape) y = b.reshape("flat", y, {4, 30});
  b.output("", into(b, fine, "q", y, To));
};
template <bool Reshape = false>
constexpr auto conv_to_bytes = [](builder& b) {
  const value_id x = bytes_of(b, coarse, {4, 5, 6});
  value_id y = b.add_as({dtype::u8, fine}, conv_of_bytes<weight_is::by_output>(), "conv", {x});
  if (Reshape) y = b.reshape("flat", y, {4, 30});
  b.output("", y);
};

/// Clang 14 takes no fractions for template arguments.
enum class scale_is { fine, coarse };
constexpr quantization numbers_of(scale_is s) { return s == scale_is::fine ? fine : coarse; }
/// Bytes around a layer's input, and what follows it.
constexpr op::conv2d conv_by_integers(int pad) {
  auto q = conv_of_bytes<weight_is::by_output>();
  q.weight.real_bias = false;
  q.pad = {pad, pad, pad, pad};
  return q;
}
template <int Axes, int With, bool Said = true, bool Within = false>
constexpr auto padded_conv = [](builder& b) {
  op::conv<Axes> q;
  op::pad around{op::pad_mode::constant, {0}, {0}, With};
  op::input image{{4}, dtype::i8};
  q.out = 4;
  for (int i = 0; i < Axes; ++i) {
    q.kernel[static_cast<std::size_t>(i)] = 3;
    image.shape.push_back(5 + i);
    around.before.push_back(1);
    around.after.push_back(1);
  }
  if (Within)
    for (int& p : q.pad) p = 1;
  q.weight = {dtype::i8, true, false, false};
  if (Said) image.as = {0.05, 7};
  const value_id x = b.add(image, "x", {});
  const element made = Said ? element(dtype::i8, fine) : element(dtype::i32);
  b.output("", b.add_as(made, q, "conv", {Within ? x : b.add(around, "pad", {x})}));
};
template <int Axes>
constexpr auto conv_with_padding = padded_conv<Axes, 0, true, true>;
constexpr op::activation up_to(float high) { return {{function::clip, 0, high}}; }
template <scale_is To, rounding How = rounding::once>
constexpr auto bounded_conv = [](builder& b) {
  const value_id y = b.add_as({dtype::i8, fine}, conv_by_integers(1), "conv", {bytes_of(b, coarse, {4, 5, 6})});
  b.output("", b.add_as({dtype::i8, numbers_of(To), How}, up_to(1.5f), "bound", {y}));
};
constexpr auto conv_with_bounds = [](builder& b) {
  auto q = conv_by_integers(1);
  q.activation = up_to(1.5f).activation;
  b.output("", b.add_as({dtype::i8, fine}, q, "conv", {bytes_of(b, coarse, {4, 5, 6})}));
};
template <function F, bool Within>
constexpr auto bounded_sum = [](builder& b) {
  const value_id x = bytes_of(b, coarse, {3, 8}), y = bytes_of(b, half, {8}, dtype::u8, "y");
  op::binary sum;
  if (Within) sum.activation = {F};
  const value_id s = b.add_as({dtype::i8, fine}, sum, "sum", {x, y});
  b.output("", Within ? s : b.add_as({dtype::i8, fine}, op::activation{{F}}, "f", {s}));
};

/// A layer of bytes, what it makes times or plus a constant of its outputs; and the layer that has taken it in.
template <weight_is W, op::binary_function F>
constexpr auto conv_then_affine = [](builder& b) {
  const value_id y = b.add(conv_of_bytes<W>(), "conv", {bytes_of(b, coarse, {4, 5, 6})}),
                 k = b.constant("k", {4, 1, 1});
  b.output("", b.binary("it", F, y, k));
};
template <weight_is W, bool ByOutput>
constexpr auto conv_with_affine = [](builder& b) {
  const value_id x = bytes_of(b, coarse, {4, 5, 6});
  auto q = conv_of_bytes<W>();
  q.weight.by_output = ByOutput;
  b.output("", b.add(q, "conv", {x}));
};

/// What moves elements, on real numbers between bytes or on bytes.
constexpr value_id moved(builder& b, value_id x, double padding) {
  op::pool max;
  max.kernel = by_axis{2};
  op::pad around{op::pad_mode::constant, {0, 1, 0}, {0, 0, 2}, padding};
  return b.permute("turn", b.add(around, "pad", {b.add(max, "max", {x})}), {0, 2, 1});
}
template <scale_is To, dtype Type = dtype::i8, bool Shared = false, int Hundredths = 0>
constexpr auto moved_between = [](builder& b) {
  const value_id x = real(b, bytes_in(b, {2, 4, 6}), fine);
  const value_id y = moved(b, x, Hundredths / 100.0);
  b.output("", into(b, numbers_of(To), "q", y, Type));
  if (Shared) b.output("real", x);
};
template <scale_is To, dtype Type = dtype::i8>
constexpr auto moved_bytes = [](builder& b) {
  const value_id y = moved(b, bytes_of(b, fine, {2, 4, 6}), 3);
  const element made(Type, numbers_of(To));
  b.output("", made == element(dtype::i8, fine) ? y : b.add_as(made, op::quantize{}, "q", {y}));
};

template <scale_is To, bool CountsPadding = false>
constexpr auto averaged_between = [](builder& b) {
  op::pool average;
  average.function = op::pooling::average;
  average.kernel = by_axis{2};
  average.count_include_pad = CountsPadding;
  b.output("", into(b, numbers_of(To), "q", b.add(average, "pool", {real(b, bytes_in(b, {2, 4, 6}), fine)})));
};
constexpr auto averaged_bytes = [](builder& b) {
  op::pool average;
  average.function = op::pooling::average;
  average.kernel = by_axis{2};
  b.output("", b.add(average, "pool", {bytes_of(b, fine, {2, 4, 6})}));
};

template <dtype Other = dtype::i8, bool Shared = false>
constexpr auto joined_between = [](builder& b) {
  const value_id x = bytes_in(b, {2, 4}), y = bytes_in(b, {3, 4}, Other, "y");
  const value_id first = real(b, x, fine, "r1"), second = real(b, y, coarse, "r2");
  b.output("", into(b, fine, "q", b.concat("joined", {first, second})));
  if (Shared) b.output("real", second);
};
constexpr auto joined_bytes = [](builder& b) {
  const value_id x = bytes_of(b, fine, {2, 4}), y = bytes_of(b, coarse, {3, 4}, dtype::i8, "y");
  b.output("", b.concat("joined", {x, b.add_as({dtype::i8, fine}, op::quantize{}, "r2", {y})}));
};

template <function F, dtype From = dtype::i8, dtype To = dtype::i8>
constexpr auto activated_between = [](builder& b) {
  const value_id x = real(b, bytes_in(b, {3, 8}, From), coarse);
  b.output("", into(b, fine, "q", b.apply("f", x, F), To));
};
template <function F>
constexpr auto activated_bytes = [](builder& b) {
  const value_id x = bytes_of(b, coarse, {3, 8});
  b.output("", b.add_as({dtype::i8, fine}, op::activation{{F}}, "f", {x}));
};

template <op::binary_function F, function Then = function::none, dtype To = dtype::i8>
constexpr auto combined_between = [](builder& b) {
  const value_id x = bytes_in(b, {3, 8}), y = bytes_in(b, {8}, dtype::u8, "y");
  const value_id s = b.binary("both", F, real(b, x, coarse, "r1"), real(b, y, half, "r2"), {Then});
  b.output("", into(b, fine, "q", s, To));
};
template <op::binary_function F, function Then = function::none>
constexpr auto combined_bytes = [](builder& b) {
  const value_id x = bytes_of(b, coarse, {3, 8}), y = bytes_of(b, half, {8}, dtype::u8, "y");
  b.output("", b.add_as({dtype::i8, fine}, op::binary{F, {}, {Then}}, "both", {x, y}));
};

template <dtype To = dtype::i8>
constexpr auto softmax_between = [](builder& b) {
  const value_id x = real(b, bytes_in(b, {3, 8}), coarse);
  b.output("", into(b, {1.0 / 256, To == dtype::i8 ? -128 : 0}, "q", b.add(op::softmax{-1}, "p", {x}), To));
};
constexpr auto softmax_of_bytes = [](builder& b) {
  const value_id x = bytes_of(b, coarse, {3, 8});
  b.output("", b.add_as({dtype::i8, {1.0 / 256, -128}}, op::softmax{-1}, "p", {x}));
};

}  // namespace

FIRES_LOADED("conv between bytes, a scale for each output", (rules::multiply_bytes), conv_of<weight_is::by_output>,
             byte_conv_of<weight_is::by_output>)
DECLINES_LOADED("conv with prelu between bytes", (rules::multiply_bytes), conv_with_slopes,
                "it applies slopes to its results")
FIRES_LOADED("depthwise, one scale", (rules::multiply_bytes), (conv_of<weight_is::one_scale, 4>),
             (byte_conv_of<weight_is::one_scale, 4>))
FIRES_LOADED("conv by bytes with a zero point", (rules::multiply_bytes), conv_of<weight_is::with_zero>,
             byte_conv_of<weight_is::with_zero>)
FIRES_LOADED("conv of u8 by u8", (rules::multiply_bytes),
             (conv_of<weight_is::unsigned_bytes, 1, input_is::bytes, dtype::u8>),
             (byte_conv_of<weight_is::unsigned_bytes, 1, dtype::u8>))
FIRES_LOADED("linear between bytes", (rules::multiply_bytes), (linear_of<weight_is::by_output, false>),
             (byte_linear_of<weight_is::by_output, false>))
FIRES_LOADED("linear by a weight that stands the other way round", (rules::multiply_bytes),
             (linear_of<weight_is::by_output, true>), (byte_linear_of<weight_is::by_output, true>))
DECLINES_LOADED("conv by floats", (rules::multiply_bytes), conv_of<weight_is::floats>,
                "its weight is not dequantised from a constant")
DECLINES_LOADED("conv with scales of its inputs", (rules::multiply_bytes), conv_of<weight_is::by_input>,
                "its weight's scales are not the outputs'")
DECLINES_LOADED("conv by words", (rules::multiply_bytes), conv_of<weight_is::wide>,
                "its weight is not dequantised from bytes")
DECLINES_LOADED("conv of words", (rules::multiply_bytes), (conv_of<weight_is::by_output, 1, input_is::wide>),
                "its input is not of bytes")
DECLINES_LOADED("conv of bytes whose scale is a value", (rules::multiply_bytes),
                (conv_of<weight_is::by_output, 1, input_is::by_value>), "its scale is a value, not a number of its own")
DECLINES_LOADED("bytes as the residual", (rules::multiply_bytes),
                (conv_of<weight_is::by_output, 1, input_is::residual>), "it is the residual")
FIRES_LOADED("linear over two axes", (rules::multiply_bytes), (linear_of<weight_is::by_output, false, 2>),
             (byte_linear_of<weight_is::by_output, false, 2>))

FIRES_LOADED("conv of bytes > quantize", (rules::bytes_of_products), conv_then_quantize<true>, conv_to_bytes<>)
FIRES_LOADED("conv of bytes > reshape > quantize", (rules::bytes_of_products), (conv_then_quantize<true, true>),
             conv_to_bytes<true>)
DECLINES_LOADED("conv with a bias of integers > quantize", (rules::bytes_of_products), conv_then_quantize<false>,
                "its sums are of another arithmetic")
DECLINES_LOADED("conv of bytes > quantize to words", (rules::bytes_of_products),
                (conv_then_quantize<true, false, dtype::i16>), "it does not make bytes")
DECLINES_LOADED("conv of bytes that is also an output", (rules::bytes_of_products),
                (conv_then_quantize<true, false, dtype::u8, true>), "its input is a network output too")

FIRES_LOADED("maxima, padding and permute between bytes", (rules::move_bytes), moved_between<scale_is::fine>,
             moved_bytes<scale_is::fine>)
DECLINES_LOADED("they move to another scale", (rules::move_bytes), moved_between<scale_is::coarse>,
                "scale and zero point are other numbers")
DECLINES_LOADED("padding with what no byte stands for", (rules::move_bytes),
                (moved_between<scale_is::fine, dtype::i8, false, 3>), "no byte stands for what it pads with")
FIRES_LOADED("they move to another scale: requantize", (rules::requantize_bytes), moved_between<scale_is::coarse>,
             moved_bytes<scale_is::coarse>)
FIRES_LOADED("they move to another type: requantize", (rules::requantize_bytes),
             (moved_between<scale_is::fine, dtype::u8>), (moved_bytes<scale_is::fine, dtype::u8>))
DECLINES_LOADED("who else reads the real numbers", (rules::requantize_bytes),
                (moved_between<scale_is::coarse, dtype::i8, true>), "its input is also read by another layer")
FIRES_LOADED("average between bytes", (rules::average_bytes), averaged_between<scale_is::fine>, averaged_bytes)
DECLINES_LOADED("average to another scale", (rules::average_bytes), averaged_between<scale_is::coarse>,
                "scale and zero point are other numbers")
FIRES_LOADED("joined bytes of two scales", (rules::join_bytes), joined_between<>, joined_bytes)
DECLINES_LOADED("joined with words", (rules::join_bytes), joined_between<dtype::i16>,
                "it is not dequantised from bytes")
DECLINES_LOADED("joined, and who else reads the real numbers", (rules::join_bytes), (joined_between<dtype::i8, true>),
                "its input is also read by another layer")
FIRES_LOADED("relu between bytes", (rules::compute_bytes), activated_between<function::relu>,
             activated_bytes<function::relu>)
FIRES_LOADED("sigmoid between bytes", (rules::compute_bytes), activated_between<function::sigmoid>,
             activated_bytes<function::sigmoid>)
DECLINES_LOADED("sigmoid of words", (rules::compute_bytes), (activated_between<function::sigmoid, dtype::i16>),
                "its input is not of bytes")
DECLINES_LOADED("sigmoid to words", (rules::compute_bytes),
                (activated_between<function::sigmoid, dtype::i8, dtype::i16>), "it does not make bytes")
FIRES_LOADED("sum between bytes", (rules::compute_bytes), combined_between<op::binary_function::add>,
             combined_bytes<op::binary_function::add>)
FIRES_LOADED("product between bytes, then relu", (rules::compute_bytes),
             (combined_between<op::binary_function::mul, function::relu>),
             (combined_bytes<op::binary_function::mul, function::relu>))
DECLINES_LOADED("quotient between bytes", (rules::compute_bytes), combined_between<op::binary_function::maximum>,
                "bytes have no such arithmetic")
DECLINES_LOADED("sum with a sigmoid", (rules::compute_bytes),
                (combined_between<op::binary_function::add, function::sigmoid>), "bytes have no such arithmetic")
FIRES_LOADED("softmax between bytes", (rules::compute_bytes), softmax_between<>, softmax_of_bytes)
DECLINES_LOADED("softmax to words", (rules::compute_bytes), softmax_between<dtype::u16>, "it does not make bytes")

FIRES_LOADED("zero points around a signal of bytes", (rules::pad_window<op::conv1d>), (padded_conv<1, 7>),
             conv_with_padding<1>)
DECLINES_LOADED("other bytes around a signal", (rules::pad_window<op::conv1d>), (padded_conv<1, 0>),
                "it does not pad with the zero point")
FIRES_LOADED("zero points around an image of bytes", (rules::pad_window<op::conv2d>), (padded_conv<2, 7>),
             conv_with_padding<2>)
DECLINES_LOADED("other bytes around an image", (rules::pad_window<op::conv2d>), (padded_conv<2, 0>),
                "it does not pad with the zero point")
DECLINES_LOADED("bytes around a layer whose zero point is a value", (rules::pad_window<op::conv2d>),
                (padded_conv<2, 7, false>), "its zero point is a value")
FIRES_LOADED("zero points around a volume of bytes", (rules::pad_window<op::conv3d>), (padded_conv<3, 7>),
             conv_with_padding<3>)
DECLINES_LOADED("other bytes around a volume", (rules::pad_window<op::conv3d>), (padded_conv<3, 0>),
                "it does not pad with the zero point")
FIRES_LOADED("bounds behind a layer of bytes", (rules::fuse_activation), bounded_conv<scale_is::fine>, conv_with_bounds)
DECLINES_LOADED("bounds of other bytes", (rules::fuse_activation), bounded_conv<scale_is::coarse>,
                "its integers are not those that it reads")
DECLINES_LOADED("bounds that are rounded otherwise", (rules::fuse_activation),
                (bounded_conv<scale_is::fine, rounding::real>), "its integers are not those that it reads")
FIRES_LOADED("relu behind a sum of bytes", (rules::fuse_activation), (bounded_sum<function::relu, false>),
             (bounded_sum<function::relu, true>))
DECLINES_LOADED("sigmoid behind a sum of bytes", (rules::fuse_activation), (bounded_sum<function::sigmoid, false>),
                "its function does more to bytes than bound them")

FIRES_LOADED("a sum behind a layer of bytes is its bias", (rules::fold_affine),
             (conv_then_affine<weight_is::with_zero, op::binary_function::add>),
             (conv_with_affine<weight_is::with_zero, false>))
FIRES_LOADED("a product behind a layer of bytes is in its scales", (rules::fold_affine),
             (conv_then_affine<weight_is::one_scale, op::binary_function::mul>),
             (conv_with_affine<weight_is::one_scale, true>))
DECLINES_LOADED("a product behind a layer of bytes with one zero point", (rules::fold_affine),
                (conv_then_affine<weight_is::with_zero, op::binary_function::mul>),
                "its weight has one zero point for all")

namespace {
/// linear by a weight that is dequantised in another way, of `inputs` bytes a row.
constexpr void linear_by(builder& b, op::dequantize how, std::initializer_list<int> scales, int inputs = 12,
                         int ones = 0, bool adds = false, const quantization& of = {}) {
  const value_id w = b.add(op::constant{{4, inputs}, dtype::i8}, "w", {});
  const value_id r = of ? real(b, w, of, "real_w") : b.add(how, "real_w", {w, b.constant("scale_w", scales)});
  op::linear l{4};
  l.given = 3;
  l.ones = ones;
  const value_id bias = b.constant("bias", {4}), x = real(b, bytes_in(b, {2, inputs}), coarse);
  b.output("", adds ? b.add(l, "fc", {x, b.input("y", {2, 4}), r, bias}) : b.add(l, "fc", {x, r, bias}));
  fold(b);
}
constexpr auto zero_in_numbers = [](builder& b) { linear_by(b, {}, {}, 12, 0, false, {0.1, 3}); };
constexpr auto in_blocks = [](builder& b) {
  op::dequantize how;
  how.axis = 0;
  how.block = 2;
  linear_by(b, how, {2, 12});
};
constexpr auto with_a_residual = [](builder& b) { linear_by(b, {}, {}, 12, 0, true); };
constexpr auto with_ones_behind = [](builder& b) { linear_by(b, {}, {}, 12, 1); };
constexpr auto bytes_with_ones_behind = [](builder& b) {
  op::linear l{4};
  l.ones = 1;
  l.weight = {dtype::i8, false, false, true};
  b.output("", b.add(l, "fc", {bytes_of(b, coarse, {2, 12})}));
};
constexpr auto many_inputs = [](builder& b) { linear_by(b, {}, {}, 70000); };

constexpr auto quantize_by_value = [](builder& b) {
  const value_id s = b.input("s", {}),
                 y = b.add(conv_of_bytes<weight_is::by_output>(), "conv", {bytes_of(b, coarse, {4, 5, 6})});
  b.output("", b.add(op::quantize{}, "q", {y, s}));
};
constexpr auto read_before_reshape = [](builder& b) {
  const value_id y = b.add(conv_of_bytes<weight_is::by_output>(), "conv", {bytes_of(b, coarse, {4, 5, 6})});
  b.output("relu", b.relu("relu", y));
  b.output("", into(b, fine, "q", b.reshape("flat", y, {4, 30})));
};

/// dequantize > what `put` does > quantize.
template <class Put>
constexpr void between(builder& b, Put put, dtype type = dtype::i8, dtype to = dtype::i8) {
  b.output("", into(b, fine, "q", put(b, real(b, bytes_in(b, {2, 4, 6}, type), fine)), to));
}
constexpr value_id flat(builder& b, value_id x) { return b.reshape("flat", x, {2, 24}); }
template <dtype From, dtype To>
constexpr auto flat_between = [](builder& b) { between(b, flat, From, To); };
constexpr auto flat_is_read = [](builder& b) {
  between(b, [](builder& c, value_id x) {
    const value_id y = flat(c, x);
    c.output("relu", c.relu("relu", y));
    return y;
  });
};
constexpr auto places_between = [](builder& b) {
  between(b, [](builder& c, value_id x) {
    op::pool p;
    p.kernel = by_axis{2};
    p.indices = true;
    return c.add(p, "max", {x});
  });
};
constexpr value_id average(builder& b, value_id x) {
  op::pool p;
  p.function = op::pooling::average;
  p.kernel = by_axis{2};
  return b.add(p, "average", {x});
}
constexpr auto relu_and_average = [](builder& b) {
  between(b, [](builder& c, value_id x) { return average(c, c.relu("relu", x)); });
};
constexpr auto pad_and_average = [](builder& b) {
  between(b, [](builder& c, value_id x) {
    return average(c, c.add(op::pad{op::pad_mode::constant, {0, 1, 0}, {0, 0, 2}, 0}, "pad", {x}));
  });
};

constexpr auto joined_to_words = [](builder& b) {
  const value_id first = real(b, bytes_in(b, {2, 4}), fine, "r1");
  b.output("", into(b, fine, "q", b.concat("joined", {first}), dtype::i16));
};
template <bool Joined>
constexpr auto joined_and_read = [](builder& b) {
  const value_id x = bytes_in(b, {2, 4}), first = real(b, x, fine, "r1");
  b.output("relu", b.relu("relu", first));
  b.output("", Joined ? b.concat("joined", {x, x}) : into(b, fine, "q", b.concat("joined", {first, first})));
};
template <dtype Type, scale_is To = scale_is::fine>
constexpr auto sum_of = [](builder& b) {
  const value_id x = bytes_in(b, {3, 8}, Type), y = bytes_in(b, {8}, dtype::i8, "y");
  const value_id s = b.sum("both", real(b, x, coarse, "r1"), real(b, y, half, "r2"));
  b.output("", into(b, To == scale_is::fine ? fine : quantization{1e-9, 0}, "q", s));
};
constexpr auto softmax_of_words = [](builder& b) {
  const value_id x = real(b, bytes_in(b, {3, 8}, dtype::i16), coarse);
  b.output("", into(b, {1.0 / 256, -128}, "q", b.add(op::softmax{-1}, "p", {x})));
};
}  // namespace

DECLINES_LOADED("linear by bytes with a zero point of its own", (rules::multiply_bytes), zero_in_numbers,
                "its weight has a zero point that is no constant")
DECLINES_LOADED("linear by bytes with scales of blocks", (rules::multiply_bytes), in_blocks,
                "its weight's scales are not the outputs'")
DECLINES_LOADED("linear between bytes that adds a residual", (rules::multiply_bytes), with_a_residual,
                "it adds a residual")
FIRES_LOADED("linear between bytes with ones behind", (rules::multiply_bytes), with_ones_behind, bytes_with_ones_behind)
DECLINES_LOADED("linear of 70,000 bytes", (rules::multiply_bytes), many_inputs, "its sums may be more than 32 bits")
DECLINES_LOADED("conv of bytes > quantize by a value", (rules::bytes_of_products), quantize_by_value,
                "its scale is a value, not a number of its own")
DECLINES_LOADED("conv of bytes that is read before its reshape", (rules::bytes_of_products), read_before_reshape,
                "its input is also read by another layer")
DECLINES_LOADED("who else reads what is between", (rules::move_bytes), flat_is_read,
                "its input is also read by another layer")
DECLINES_LOADED("words are moved", (rules::move_bytes), (flat_between<dtype::i16, dtype::i8>),
                "its integers are no bytes with numbers of their own")
DECLINES_LOADED("bytes are moved into words", (rules::move_bytes), (flat_between<dtype::i8, dtype::i16>),
                "it does not make bytes")
DECLINES_LOADED("maxima and their places between bytes", (rules::move_bytes), places_between, "")
DECLINES_LOADED("padding with 100 between bytes", (rules::move_bytes),
                (moved_between<scale_is::fine, dtype::i8, false, 10000>), "no byte stands for what it pads with")
DECLINES_LOADED("they move to the same scale: no requantize", (rules::requantize_bytes), moved_between<scale_is::fine>,
                "")
DECLINES_LOADED("relu before an average", (rules::average_bytes), relu_and_average, "")
DECLINES_LOADED("padding before an average", (rules::average_bytes), pad_and_average, "it pads")
DECLINES_LOADED("no average", (rules::average_bytes), (flat_between<dtype::i8, dtype::i8>), "")
DECLINES_LOADED("joined into words", (rules::join_bytes), joined_to_words, "it does not make bytes")
FIRES_LOADED("joined as they are, and read", (rules::join_bytes), joined_and_read<false>, joined_and_read<true>)
FIRES_LOADED("difference between bytes", (rules::compute_bytes), combined_between<op::binary_function::sub>,
             combined_bytes<op::binary_function::sub>)
DECLINES_LOADED("sum with words", (rules::compute_bytes), sum_of<dtype::i16>, "its input is not of bytes")
DECLINES_LOADED("sum in tiny steps", (rules::compute_bytes), (sum_of<dtype::i8, scale_is::coarse>),
                "bytes have no such arithmetic")
DECLINES_LOADED("softmax of words", (rules::compute_bytes), softmax_of_words, "its input is not of bytes")

namespace {
constexpr element ncnn_bytes(double scale = 0.05) { return {dtype::i8, {scale, 0}, rounding::away}; }
/// A layer in ncnn's arithmetic, which makes real numbers unless told otherwise.
constexpr value_id ncnn_layer(builder& b, std::string_view name, value_id x, const element& made = {}) {
  op::conv2d c = windows();
  c.given = 0;
  c.weight = {dtype::i8, true, false, true};
  return b.add_as(made, c, name, {x});
}
constexpr value_id ncnn_input(builder& b) {
  return b.add_as(ncnn_bytes(), op::quantize{}, "bytes", {b.input("x", {4, 5, 6})});
}
/// Bytes of x, unless it is of these already.
constexpr value_id ncnn_quantized(builder& b, value_id x, std::string_view name = "q", double scale = 0.05) {
  return b.g.at_value(x).type.real ? x : b.add_as(ncnn_bytes(scale), op::quantize{}, name, {x});
}
constexpr element ncnn_result(bool bytes) { return bytes ? ncnn_bytes() : element{}; }
constexpr op::pool maxima(int kernel = 3, int dilation = 1) {
  op::pool p;
  p.kernel = by_axis{kernel};
  p.stride = by_axis{2};
  p.dilation = by_axis{dilation};
  p.pad = by_axis{1};
  p.ceil = true;
  return p;
}

template <bool Bytes>
constexpr auto joined_by_ncnn = [](builder& b) {
  const value_id x = ncnn_input(b);
  const value_id both =
      b.concat("joined", {ncnn_layer(b, "a", x, ncnn_result(Bytes)), ncnn_layer(b, "c", x, ncnn_result(Bytes))});
  b.output("", ncnn_layer(b, "last", ncnn_quantized(b, b.add(maxima(), "max", {both}))));
};
template <bool Bytes>
constexpr auto dilated_maxima = [](builder& b) {
  op::pool p;
  p.kernel = by_axis{2};
  p.dilation = by_axis{2};
  const value_id y = b.add(p, "max", {ncnn_layer(b, "a", ncnn_input(b), ncnn_result(Bytes))});
  b.output("", ncnn_layer(b, "last", ncnn_quantized(b, y)));
};
template <bool Bytes>
constexpr auto product_behind_conv = [](builder& b) {
  const value_id y = ncnn_layer(b, "a", ncnn_input(b), ncnn_result(Bytes));
  const value_id padded = b.add(op::pad{op::pad_mode::constant, {0, 1, 0}, {0, 0, 2}}, "pad", {y});
  op::linear fc{3};
  fc.weight = {dtype::i8, true, false, true};
  b.output("", b.add(fc, "fc", {ncnn_quantized(b, b.reshape("flat", padded, {2, 96}))}));
};
/// Two who quantize by one scale, of which one reads what the other's lies in.
template <bool Bytes, bool One = true>
constexpr auto two_readers = [](builder& b) {
  const value_id y = ncnn_layer(b, "a", ncnn_input(b), ncnn_result(Bytes));
  const value_id first = ncnn_layer(b, "first", ncnn_quantized(b, b.concat("joined", {y, y})));
  b.output("y", ncnn_layer(b, "second", ncnn_quantized(b, y, "p", One ? 0.05 : 0.06)));
  b.output("x", first);
};
/// Zeros that are put around real numbers are the zero point of bytes.
template <bool Bytes>
constexpr auto padded_to_bytes = [](builder& b) {
  const element made = {dtype::u8, {0.25, 9}, rounding::real};
  const value_id y =
      b.add_as(Bytes ? made : element{}, conv_of_bytes<weight_is::by_output>(), "a", {bytes_of(b, coarse, {4, 5, 6})});
  const value_id p = b.add(op::pad{op::pad_mode::constant, {0, 1, 0}, {0, 0, 2}, Bytes ? 9.0 : 0.0}, "pad", {y});
  b.output("", Bytes ? p : b.add_as(made, op::quantize{}, "q", {p}));
};
/// A layer > what `put` makes of its result > a layer that quantizes.
template <class Put>
constexpr void before_ncnn(builder& b, Put put) {
  const value_id y = ncnn_layer(b, "a", ncnn_input(b));
  b.output("", ncnn_layer(b, "last", ncnn_quantized(b, put(b, y))));
}
constexpr auto relu_before_ncnn = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) { return c.concat("joined", {c.relu("relu", y), y}); });
};
constexpr auto average_before_ncnn = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) { return c.concat("joined", {average(c, y)}); });
};
constexpr auto floats_before_ncnn = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) { return c.concat("joined", {y, c.input("f", {4, 5, 6})}); });
};
constexpr auto read_before_ncnn = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) {
    c.output("relu", c.relu("relu", y));
    return y;
  });
};
constexpr auto given_before_ncnn = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) {
    c.output("real", y);
    return y;
  });
};
constexpr auto maxima_of_padding = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) { return c.add(maxima(2, 2), "max", {y}); });
};
constexpr auto pad_before_ncnn = [](builder& b) {
  before_ncnn(b, [](builder& c, value_id y) {
    return c.add(op::pad{op::pad_mode::constant, {0, 1, 0}, {0, 0, 2}, 1}, "pad", {y});
  });
};
constexpr auto floats_of_onnx = [](builder& b) {
  const value_id y = b.add(conv_of_bytes<weight_is::by_output>(), "a", {bytes_of(b, coarse, {4, 5, 6})});
  b.output("", ncnn_layer(b, "last", ncnn_quantized(b, y)));
};
}  // namespace

FIRES_LOADED("layers of ncnn's bytes, joined, their maxima quantized", (rules::bytes_of_products),
             joined_by_ncnn<false>, joined_by_ncnn<true>)
FIRES_LOADED("maxima of ncnn's bytes with places between, and no padding", (rules::bytes_of_products),
             dilated_maxima<false>, dilated_maxima<true>)
FIRES_LOADED("a layer of ncnn's bytes, padded, in a row, quantized", (rules::bytes_of_products),
             product_behind_conv<false>, product_behind_conv<true>)
FIRES_LOADED("two quantize by one scale", (rules::bytes_of_products), two_readers<false>, two_readers<true>)
FIRES_LOADED("a layer of bytes, padded, quantized", (rules::bytes_of_products), padded_to_bytes<false>,
             padded_to_bytes<true>)
DECLINES_LOADED("two quantize by two scales", (rules::bytes_of_products), (two_readers<false, false>),
                "who else reads it has another scale")
DECLINES_LOADED("relu before ncnn's bytes", (rules::bytes_of_products), relu_before_ncnn, "it is not a layer of bytes")
DECLINES_LOADED("average before ncnn's bytes", (rules::bytes_of_products), average_before_ncnn,
                "it is not a layer of bytes")
DECLINES_LOADED("ncnn's bytes joined with floats", (rules::bytes_of_products), floats_before_ncnn,
                "it is not a layer of bytes")
DECLINES_LOADED("who else reads what ncnn's bytes are made of", (rules::bytes_of_products), read_before_ncnn,
                "its input is also read by another layer")
DECLINES_LOADED("an output that ncnn's bytes are made of", (rules::bytes_of_products), given_before_ncnn,
                "its input is a network output too")
DECLINES_LOADED("maxima of padding alone", (rules::bytes_of_products), maxima_of_padding,
                "it may have windows of padding alone")
DECLINES_LOADED("padding with a number before ncnn's bytes", (rules::bytes_of_products), pad_before_ncnn,
                "it pads with a number")
DECLINES_LOADED("ncnn's bytes of another arithmetic's", (rules::bytes_of_products), floats_of_onnx,
                "its sums are of another arithmetic")
