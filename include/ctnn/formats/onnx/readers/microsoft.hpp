// SPDX-License-Identifier: BSL-1.0
// com.microsoft: what ONNX Runtime's optimiser and exporters put in the place of ONNX's own operators, as the general
// operators they stand for. Whether these become one layer again, the rules decide.
#pragma once

#include "signal.hpp"

namespace ctnn::onnx::readers {

/// Input i, which must have so many dimensions. (A copy: adding nodes moves what terms are kept in.)
inline extents shape_of_rank(node_reader& n, std::size_t i, int rank) {
  const extents s = n.shape(n.input(i));
  if (s.rank != rank)
    n.fail("input " + std::to_string(i) + " is " + describe(s) + ", expected " + std::to_string(rank) + " dimensions");
  return s;
}
/// Not more than `most` inputs, these among them.
inline void expect_these(node_reader& n, std::size_t most, std::initializer_list<std::size_t> needed) {
  n.expect(0, most);
  for (const std::size_t i : needed)
    if (!n.has(i)) n.fail("input " + std::to_string(i) + " is missing");
}
inline void require_shape(node_reader& n, term t, const char* what, const extents& wanted) {
  if (!(n.shape(t) == wanted))
    n.fail(std::string(what) + " is " + describe(n.shape(t)) + ", expected " + describe(wanted));
}
inline term sum_of(node_reader& n, term a, term b) { return binary_of(n, op::binary_function::add, a, b); }
inline term compared(node_reader& n, op::comparison f, term a, term b) { return n.add(op::compare{f}, {a, b}); }
/// x, and input i if the node has it.
inline term plus_input(node_reader& n, term x, std::size_t i) { return n.has(i) ? sum_of(n, x, n.input(i)) : x; }
/// Elements from `from` to `to` of an axis.
inline term part_of(node_reader& n, term x, int axis, int from, int to) {
  if (from == 0 && to == n.shape(x)[axis]) return x;
  return n.add(op::slice{{axis}, {from}, {to}}, {x});
}

/// f(x) by the name of an operator; parameters that the node does not give are the operator's own.
inline term activated(node_reader& n, term x, const std::string& name, const std::vector<float>& given) {
  constexpr float most = std::numeric_limits<float>::infinity();
  struct known {
    std::string_view name;
    function kind;
    std::size_t parameters;
    float a, b;
  };
  constexpr known all[] = {{"Relu", function::relu, 0, 0, 0},
                           {"Sigmoid", function::sigmoid, 0, 0, 0},
                           {"Tanh", function::tanh, 0, 0, 0},
                           {"LeakyRelu", function::leaky_relu, 1, 0.01f, 0},
                           {"Clip", function::clip, 2, -most, most},
                           {"HardSigmoid", function::hardsigmoid, 2, 0.2f, 0.5f},
                           {"HardSwish", function::hardswish, 0, 1.0f / 6, 0.5f},
                           {"Elu", function::elu, 1, 1, 0},
                           {"Selu", function::selu, 2, 1.67326319217681884765625f, 1.05070102214813232421875f},
                           {"ThresholdedRelu", function::thresholded_relu, 1, 1, 0},
                           {"Softplus", function::softplus, 0, 0, 0},
                           {"Softsign", function::softsign, 0, 0, 0},
                           {"Gelu", function::gelu, 0, 0, 0}};
  if (name.empty()) return x;
  for (const known& k : all) {
    if (k.name != name) continue;
    if (given.size() > k.parameters)
      n.fail("activation '" + name + "' has " + std::to_string(given.size()) + " parameters, expected " +
             std::to_string(k.parameters));
    return applied(n, {k.kind, !given.empty() ? given[0] : k.a, given.size() > 1 ? given[1] : k.b}, x);
  }
  node_reader::refuse("attribute 'activation' (" + name + ")");
}
/// Those of products: activation_alpha, _beta and _gamma, as the operator calls its own.
inline term activated_product(node_reader& n, term y) {
  const std::string name = n.text("activation", "");
  std::vector<float> given;
  for (const char* key : {"activation_alpha", name == "Selu" ? "activation_gamma" : "activation_beta"}) {
    if (!n.has_attribute(key)) break;
    given.push_back(n.real(key, 0));
  }
  return activated(n, y, name, given);
}

/// Axes 0, 2, 3, ..., 1: channels last; or back.
inline term channels_moved(node_reader& n, term x, bool to_last) {
  op::permute op;
  const int rank = n.rank(x);
  for (int i = 0; i < rank; ++i) {
    if (i == 0) op.order.push_back(0);
    else if (to_last) op.order.push_back(i + 1 < rank ? i + 1 : 1);
    else op.order.push_back(i == 1 ? rank - 1 : i - 1);
  }
  return n.add(op, {x});
}

/// A convolution, a sum with input 3, an activation. `nhwc`: channels are the last axis, of the weight they are not.
template <bool nhwc>
void fused_conv(node_reader& n) {
  n.expect(2, 4);
  const bool moved = nhwc && n.rank(n.input(0)) > 2;
  n.only_helping(true);
  const term x = moved ? channels_moved(n, n.input(0), false) : n.input(0);
  n.only_helping(false);
  term y = convolved(n, x);
  if (moved) y = channels_moved(n, y, true);
  if (n.has(3)) {
    require_shape(n, n.input(3), "input 3", extents(n.shape(y)));
    y = sum_of(n, y, n.input(3));
  }
  n.result(activated(n, y, n.text("activation", ""), n.reals("activation_params")));
}

inline void fused_gemm(node_reader& n) { n.result(activated_product(n, product_and_sum(n))); }

/// alpha A B. With transBatch the rows are the first axis, before those of the batch.
inline void fused_matmul(node_reader& n) {
  n.expect(2, 2);
  op::matmul op{n.flag("transA", false), n.flag("transB", false), n.real("alpha", 1)};
  std::vector<term> in;
  n.only_helping(true);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    term x = n.input(i);
    const int rank = n.rank(x);
    if (n.flag(i == 0 ? "transBatchA" : "transBatchB", false) && rank > 2) {
      op::permute rows;
      for (int k = 1; k + 1 < rank; ++k) rows.order.push_back(k);
      rows.order.push_back(0);
      rows.order.push_back(rank - 1);
      x = n.add(rows, {x});
    }
    if (rank < 2) (i == 0 ? op.transpose_a : op.transpose_b) = false;
    in.push_back(x);
  }
  n.only_helping(false);
  n.result(activated_product(n, n.add(op, in)));
}

inline void gemm_fast_gelu(node_reader& n) {
  n.expect(2, 3);
  const term y = plus_input(n, n.add(op::matmul{}, {n.input(0), n.input(1)}), 2);
  n.result(applied(n, {function::gelu_tanh}, y));
}

template <function f>
void bias_gelu(node_reader& n) {
  n.expect(1, 2);
  n.result(applied(n, {f}, plus_input(n, n.input(0), 1)));
}
inline void quick_gelu(node_reader& n) {
  n.expect(1, 1);
  n.result(applied(n, {function::swish, n.real("alpha", 1.702f)}, n.input()));
}
/// Half of the last axis by the GELU of the other.
inline void bias_split_gelu(node_reader& n) {
  n.expect(2, 2);
  const term x = plus_input(n, n.input(0), 1);
  const int axis = n.rank(x) - 1, size = axis < 0 ? 0 : n.shape(x)[axis];
  if (size == 0 || size % 2 != 0) n.fail("input is " + describe(n.shape(x)) + ", expected an even last axis");
  const term gate = applied(n, {function::gelu}, part_of(n, x, axis, size / 2, size));
  n.result(binary_of(n, op::binary_function::mul, part_of(n, x, axis, 0, size / 2), gate));
}
inline void bias_add(node_reader& n) {
  n.expect(3, 3);
  n.result(plus_input(n, plus_input(n, n.input(0), 1), 2));
}
inline void bias_dropout(node_reader& n) {
  n.expect(2, 5);
  n.ignore("seed");
  if (n.has(4) && n.scalar(4) != 0) node_reader::refuse("input 'training_mode' (true)");
  const term x = plus_input(n, plus_input(n, n.input(0), 1), 2);
  n.result(0, x);
  if (n.wants(1)) n.result(1, n.ones(extents(n.shape(x)), dtype::boolean));
}
/// softmax over all axes from `axis` on. How the bias is repeated follows from its shape.
inline void bias_softmax(node_reader& n) {
  n.expect(2, 2);
  n.ignore("is_inner_broadcast");
  const term x = n.input(0);
  const extents s = n.shape(x);
  const int axis = n.axis(n.integer("axis", 1), s.rank);
  const term y = sum_of(n, x, n.input(1));
  require_shape(n, y, "the sum with the bias", s);
  const term flat = n.reshaped(y, {static_cast<int>(s.count(0, axis)), static_cast<int>(s.count(axis, s.rank))});
  n.result(n.reshaped(n.add(op::softmax{1}, {flat}), s));
}

/// (input + skip + bias) normalised; `simplified`: without mean and offset.
template <bool simplified>
void skip_layer_norm(node_reader& n) {
  n.expect(3, simplified ? 4 : 5);
  const term x = plus_input(n, plus_input(n, n.input(0), 1), simplified ? 3 : 4);
  require_shape(n, x, "the sum", extents(n.shape(n.input(0))));
  const float eps = n.real("epsilon", 1e-12f);
  if constexpr (simplified) {
    if (n.wants(1) || n.wants(2)) node_reader::refuse("outputs 'mean' and 'inv_std_var'");
    n.result(0, n.add(op::rms_norm{-1, eps}, {x, n.input(2)}));
  } else {
    std::vector<term> in{x, n.input(2)};
    if (n.has(3)) in.push_back(n.input(3));
    const std::vector<term> out = n.nodes(op::layer_norm{-1, eps, n.wants(1) || n.wants(2)}, in);
    for (std::size_t i = 0; i < out.size(); ++i) n.result(i, out[i]);
  }
  n.result(3, x);
}

/// Rows of up to three tables by words, positions and segments, added and normalised.
inline void embed_layer_norm(node_reader& n) {
  expect_these(n, 9, {0, 2, 3, 5, 6});
  n.ignore("mask_index_type");
  const extents words = shape_of_rank(n, 0, 2);
  const auto rows = [&](std::size_t table, std::size_t index) {
    check_indices(n, n.input(index), shape_of_rank(n, table, 2)[0]);
    return n.add(op::gather{0}, {n.input(table), n.input(index)});
  };
  term x = rows(2, 0);
  if (n.has(8)) {
    x = sum_of(n, x, rows(3, 8));
  } else {
    const extents positions = shape_of_rank(n, 3, 2);
    if (positions[0] < words[1])
      n.fail("position_embedding is " + describe(positions) + " for " + std::to_string(words[1]) + " words");
    x = sum_of(n, x, part_of(n, n.input(3), 0, 0, words[1]));
  }
  if (n.has(1) != n.has(4)) n.fail("has one of segment_ids and segment_embedding");
  if (n.has(1)) x = sum_of(n, x, rows(4, 1));
  const float eps = n.real("epsilon", 1e-12f);
  n.result(0, n.add(op::layer_norm{-1, eps}, {x, n.input(5), n.input(6)}));
  n.result(2, x);
  if (!n.wants(1)) return;
  if (!n.has(7)) return n.result(1, n.constant(n.allocate({words[0]}, dtype::i32)));
  require_shape(n, n.input(7), "the mask", words);
  const term ones = n.add(op::compare{op::comparison::equal}, {n.input(7), n.number(1, n.type(n.input(7)))});
  n.result(1, n.add(op::reduce{op::reduction::sum, {1}, false}, {n.cast(ones, dtype::i32)}));
}

template <bool skip>
void microsoft_group_norm(node_reader& n) {
  n.expect(skip ? 4 : 3, skip ? 5 : 3);
  const bool last = n.flag("channels_last", true);
  const std::int64_t activation = n.integer("activation");
  if (activation != 0 && activation != 1) n.fail("activation is " + std::to_string(activation) + ", expected 0 or 1");
  term x = n.input(0);
  const extents s = shape_of_rank(n, 0, 4);
  if constexpr (skip) {
    if (!last) node_reader::refuse("attribute 'channels_last' (0)");
    term more = n.input(3);
    const extents of_channels{s[0], s[3]};
    if (n.shape(more) == of_channels) more = n.reshaped(more, {s[0], 1, 1, s[3]});
    x = plus_input(n, sum_of(n, x, more), 4);
    require_shape(n, x, "the sum", s);
    n.result(1, x);
  }
  const dtype type = n.type(x);
  if (last) x = channels_moved(n, x, false);
  const op::group_norm op{n.small("groups", 0), n.real("epsilon", 1e-5f)};
  term y = n.add(op, {x, n.cast(n.input(1), type), n.cast(n.input(2), type)});
  if (activation == 1) y = applied(n, {function::silu}, y);
  n.result(0, last ? channels_moved(n, y, true) : y);
}

/// Distances of all rows of A from all rows of B.
inline void distances(node_reader& n) {
  n.expect(2, 2);
  const std::string metric = n.text("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") node_reader::refuse("attribute 'metric' (" + metric + ")");
  const extents a = shape_of_rank(n, 0, 2), b = shape_of_rank(n, 1, 2);
  const term each = binary_of(n, op::binary_function::sub, n.reshaped(n.input(0), {a[0], 1, a[1]}),
                              n.reshaped(n.input(1), {1, b[0], b[1]}));
  n.result(
      n.add(op::reduce{metric == "euclidean" ? op::reduction::l2 : op::reduction::sum_square, {2}, false}, {each}));
}

inline void expand_dims(node_reader& n) {
  n.expect(2, 2);
  const extents s = n.shape(n.input(0));
  if (s.rank == max_rank) n.fail("makes more than " + std::to_string(max_rank) + " axes");
  n.result(n.reshaped(n.input(0), s.with_axis(n.axis(n.whole_scalar(1), s.rank + 1), 1)));
}
inline void microsoft_unique(node_reader& n) {
  const std::vector<term> out = distinct(n, {false, true});
  n.result(0, out[0]);
  n.result(1, out[2]);
  n.result(2, out[3]);
}

/// The first `count` numbers of `bits` bits that each row, along the last axis, of bytes holds, low bits first.
inline term unpacked(node_reader& n, term bytes, int bits, int count) {
  extents s = n.shape(bytes);
  const int last = s.rank - 1, each = 8 / bits;
  if (n.type(bytes) != dtype::u8) n.fail("numbers are packed in " + std::string(name_of(n.type(bytes))));
  if (last < 0 || std::int64_t{s[last]} * each < count || std::int64_t{s[last] - 1} * each >= count)
    n.fail("packed numbers are " + describe(s) + ", expected " + std::to_string(count) + " of " + std::to_string(bits) +
           " bits in a row");
  if (each == 1) return bytes;
  if (s.rank == max_rank) node_reader::refuse("packed numbers of " + std::to_string(max_rank) + " dimensions");
  extents apart = s;
  apart.push_back(1);
  std::vector<term> parts;
  const term low = n.number((1 << bits) - 1, dtype::u8);
  for (int i = 0; i < each; ++i) {
    term part = bytes;
    if (i > 0) part = n.add(op::logic{op::logic_function::shift_right}, {part, n.number(i * bits, dtype::u8)});
    if (i + 1 < each) part = n.add(op::logic{op::logic_function::bit_and}, {part, low});
    parts.push_back(n.reshaped(part, apart));
  }
  s[last] *= each;
  return part_of(n, n.reshaped(n.add(op::concat{last + 1}, parts), s), last, 0, count);
}

/// Whole numbers in blocks of `block` along the last axis to real ones; each block has a scale and, as `zero`, a zero
/// point: bytes, or of the scale's type. Without one it is `usual`.
inline term by_blocks(node_reader& n, term whole, int block, term scale, term zero, int usual) {
  extents s = n.shape(whole), of_blocks = s;
  const int last = s.rank - 1;
  of_blocks[last] = (s[last] + block - 1) / block;
  require_shape(n, scale, "the scale", of_blocks);
  if (zero != none && n.type(zero) != dtype::u8) {
    // Offsets that are no whole numbers.
    require_shape(n, zero, "the zero point", of_blocks);
    if (s[last] % block != 0 || s.rank == max_rank) node_reader::refuse("zero points that are no whole numbers");
    extents apart = of_blocks, one = of_blocks;
    apart.push_back(block);
    one.push_back(1);
    const term x = n.reshaped(n.cast(whole, n.type(scale)), apart);
    const term y = n.add(op::binary{op::binary_function::sub}, {x, n.reshaped(zero, one)});
    return n.reshaped(n.add(op::binary{op::binary_function::mul}, {y, n.reshaped(scale, one)}), s);
  }
  op::dequantize op;
  op.axis = last;
  op.block = block;
  if (zero == none) zero = n.constant(filled(of_blocks, dtype::u8, usual));
  return n.add(op, {whole, scale, zero});
}
struct bit_format {
  int bits, block;
};
inline bit_format bit_format_of(node_reader& n) {
  const bit_format f{n.small("bits", 4), n.small("block_size", 128)};
  if (f.bits != 2 && f.bits != 4 && f.bits != 8)
    node_reader::refuse("attribute 'bits' (" + std::to_string(f.bits) + ")");
  if (f.block < 16 || f.block > 1 << 20 || (f.block & (f.block - 1)) != 0)
    n.fail("block_size is " + std::to_string(f.block) + ", expected a power of 2 from 16 on");
  return f;
}

/// A by weights of 2, 4 or 8 bits: (N, blocks, bytes), each block of K numbers with a scale and a zero point. Weights
/// that the file holds stay packed.
inline void matmul_of_bits(node_reader& n) {
  n.expect(3, 6);
  n.ignore("accuracy_level");
  if (n.has(4)) node_reader::refuse("input 'g_idx'");
  const auto [bits, block] = bit_format_of(n);
  const int k = n.small("K", 0), rows = n.small("N", 0);
  if (k < 1 || rows < 1) n.fail("K is " + std::to_string(k) + ", N is " + std::to_string(rows));
  const int blocks = (k - 1) / block + 1;
  const auto as_rows = [&](std::size_t i, std::int64_t columns) {
    const extents s = n.shape(n.input(i));
    if (columns > 2147483647 || s.count() != rows * columns)
      n.fail("input " + std::to_string(i) + " is " + describe(s) + ", expected " + std::to_string(rows) + " x " +
             std::to_string(columns));
    return n.reshaped(n.input(i), {rows, static_cast<int>(columns)});
  };
  n.only_helping(true);
  const std::int64_t padded = std::int64_t{blocks} * block;
  const term packed = as_rows(1, padded * bits / 8), scale = as_rows(2, blocks);
  term zero = none;
  if (n.has(3) && n.type(n.input(3)) == dtype::u8)
    zero = unpacked(n, as_rows(3, (std::int64_t{blocks} * bits + 7) / 8), bits, blocks);
  else if (n.has(3)) zero = as_rows(3, blocks);
  const dtype type = n.type(n.input(0));
  if (!n.known(n.input(0)) && n.known(packed) && n.type(packed) == dtype::u8 && n.known(scale) &&
      (zero == none || n.known(zero)) && (type == dtype::f32 || is_narrow(type))) {
    op::linear op;
    op.out = rows;
    op.weight.type = dtype::u8;
    op.weight.bits = bits;
    op.weight.block = block;
    op.weight.zero_points = zero != none;
    const extents x = n.shape(n.input(0));
    if (x.rank < 1 || x.back(0) != k) n.fail("input 0 is " + describe(x) + ", expected rows of " + std::to_string(k));
    op.bias = n.has(5) && n.known(n.input(5)) && n.shape(n.input(5)) == extents{rows};
    std::vector<shared_array> weights{n.known(packed)};
    const auto add_reals = [&](term t) { weights.push_back(n.known(n.cast(t, dtype::f32))); };
    if (op.bias) add_reals(n.input(5));
    add_reals(scale);
    if (zero != none) add_reals(zero);
    const term a = n.cast(n.input(0), dtype::f32);
    n.only_helping(false);
    const term y = n.cast(n.add(op, {a}, weights), type);
    return n.result(op.bias ? y : plus_input(n, y, 5));
  }
  const term whole = unpacked(n, packed, bits, n.to_int(padded, "K"));
  const term weight = part_of(n, by_blocks(n, whole, block, scale, zero, 1 << (bits - 1)), 1, 0, k);
  n.only_helping(false);
  n.result(plus_input(n, n.add(op::matmul{false, true}, {n.input(0), weight}), 5));
}

/// Rows of a table that is kept packed.
inline void gather_blocks(node_reader& n) {
  n.expect(3, 4);
  const auto [bits, block] = bit_format_of(n);
  const extents s = n.shape(n.input(0));
  const int axis = n.axis(n.integer("gather_axis", 0), s.rank), along = n.axis(n.integer("quantize_axis", 1), s.rank);
  if (axis != 0 || along != s.rank - 1 || s.rank < 2)
    node_reader::refuse("other than rows gathered, with blocks along the last axis");
  check_indices(n, n.input(1), s[0]);
  const auto rows = [&](std::size_t i) { return n.add(op::gather{0}, {n.input(i), n.input(1)}); };
  n.only_helping(true);
  const term whole = unpacked(n, rows(0), bits, n.to_int(std::int64_t{s[along]} * (8 / bits), "data"));
  const term scale = rows(2);
  term zero = none;
  if (n.has(3)) zero = unpacked(n, rows(3), bits, n.shape(scale).back(0));
  n.only_helping(false);
  n.result(by_blocks(n, whole, block, scale, zero, 1 << (bits - 1)));
}

}  // namespace ctnn::onnx::readers
