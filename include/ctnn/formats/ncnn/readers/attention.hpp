// SPDX-License-Identifier: BSL-1.0
// Products of matrices and what transformers make of them: Gemm, MatMul, MultiHeadAttention, SDPA, RotaryEmbed.
#pragma once

#include <cmath>

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// Matrices as ncnn's Gemm takes them: a vector is one row, a 3-D value has rows of height 1.
inline value_id as_matrix(layer_reader& l, value_id v) {
  const extents shape = l.shape(v);
  if (shape.rank == 1) return l.reshaped(v, {1, shape[0]}, "matrix");
  if (shape.rank == 3 && shape[1] == 1) return l.reshaped(v, {shape[0], shape[2]}, "matrix");
  if (shape.rank != 2) l.fail("an operand is " + describe(shape) + ", expected a matrix");
  return v;
}

/// The sizes a Gemm declares for its constant operands.
struct gemm_parameters {
  float alpha, beta;
  bool transpose_a, transpose_b, constant_a, constant_b, constant_c;
  int rows, columns, depth, kind_c;

  explicit gemm_parameters(const layer_reader& l)
      : alpha(l.float_or(0, 1)),
        beta(l.float_or(1, 1)),
        transpose_a(l.flag_or(2, false)),
        transpose_b(l.flag_or(3, false)),
        constant_a(l.flag_or(4, false)),
        constant_b(l.flag_or(5, false)),
        constant_c(l.flag_or(6, false)),
        rows(positive(l, 7, constant_a)),
        columns(positive(l, 8, constant_b)),
        depth(positive(l, 9, constant_a || constant_b)),
        kind_c(l.int_or(10, 0)) {
    if (l.int_or(18, 0) != 0) layer_reader::refuse(18, "quantized weights");
    for (int id : {12, 13})
      if (l.int_or(id, 0) != 0) layer_reader::refuse(id, "packed output");
    if (constant_c && (kind_c < -1 || kind_c > 4)) l.fail(10, "third operand of kind " + std::to_string(kind_c));
    const std::size_t needed = (constant_a ? 0u : 1u) + (constant_b ? 0u : 1u);
    if (l.input_count() != needed && (constant_c || l.input_count() != needed + 1))
      l.fail("has " + std::to_string(l.input_count()) + " inputs, expected " + std::to_string(needed));
  }
  static int positive(const layer_reader& l, int id, bool needed) {
    const int n = l.int_or(id, 0);
    if (n < 0 || (needed && n == 0)) l.fail(id, "size " + std::to_string(n));
    return n;
  }
  /// The shape of a constant third operand, to be broadcast.
  extents shape_c(const layer_reader& l, int m, int n) const {
    if (((kind_c == 1 || kind_c == 2 || kind_c == 3) && rows != m) || ((kind_c == 3 || kind_c == 4) && columns != n))
      l.fail(10, "third operand for a product of " + describe(extents{m, n}));
    switch (kind_c) {
      case 0: return {1};
      case 3: return {m, n};
      case 4: return {n};
      default: return {m, 1};
    }
  }
};

/// alpha (A B + beta C): a product and a sum.
inline value_id product_and_sum(layer_reader& l, const gemm_parameters& p) {
  std::size_t next = 0;
  std::vector<value_id> in;
  const auto operand = [&](bool constant, bool transpose, int rows, int columns, const char* what) {
    const extents shape = transpose ? extents{columns, rows} : extents{rows, columns};
    in.push_back(constant ? l.constant(shape, l.tagged(std::int64_t{rows} * columns), what)
                          : as_matrix(l, l.input(next++)));
    const extents is = l.shape(in.back());
    return transpose ? extents{is[1], is[0]} : is;
  };
  const extents a = operand(p.constant_a, p.transpose_a, p.rows, p.depth, "left");
  const extents b = operand(p.constant_b, p.transpose_b, p.depth, p.columns, "right");
  if (a[1] != b[0] && (p.constant_a || p.constant_b))
    l.fail(9, "depth " + std::to_string(p.depth) + " for an operand of " + describe(l.shape(in[p.constant_b ? 0 : 1])));
  value_id c = none;
  if (p.constant_c && p.kind_c != -1) {
    const extents shape = p.shape_c(l, a[0], b[1]);
    c = l.constant(shape, l.tagged(shape.count()), "sum");
  } else if (!p.constant_c && next < l.input_count()) {
    c = l.input(next);
    const extents shape = l.shape(c);
    if (shape.rank == 1 && shape[0] != b[1] && shape[0] == a[0]) c = l.reshaped(c, {a[0], 1}, "sum");
  }
  const op::matmul product{p.transpose_a, p.transpose_b, p.alpha};
  if (c == none) return l.node(product, in);
  const value_id y = l.helper(product, in, "product");
  const float factor = p.alpha * p.beta;
  if (factor != 1) c = l.helper(op::binary{op::binary_function::mul, factor}, {c}, "scaled");
  return l.node(op::binary{}, {y, c});
}

inline void gemm(layer_reader& l) {
  const gemm_parameters p(l);
  const bool turned = l.flag_or(14, false), apart = l.flag_or(11, false);
  value_id v = product_and_sum(l, p);
  if (turned) v = l.permuted(v, {1, 0}, "turned");
  const extents shape = l.shape(v);
  if (apart) v = l.reshaped(v, {shape[0], 1, shape[1]}, "rows");
  l.result(v);
}

inline void matmul(layer_reader& l) {
  l.expect(2, 1);
  value_id b = l.input(1);
  if (l.flag_or(0, false)) {
    const int rank = l.shape(b).rank;
    op::permute turn;
    for (int i = 0; i < rank; ++i) turn.order.push_back(rank > 1 && i >= rank - 2 ? 2 * rank - 3 - i : i);
    if (rank > 1) b = l.helper(turn, {b}, "turned");
  }
  l.result(l.node(op::matmul{}, {l.input(0), b}));
}

/// (rows, features) times a weight of `out` rows.
inline value_id projection(layer_reader& l, value_id x, int out, std::int64_t weights, const char* what) {
  const extents shape = l.shape(x);
  if (shape.rank != 2 || std::int64_t{out} * shape[1] != weights)
    l.fail("an input is " + describe(shape) + " where " + std::to_string(weights) + " weights make " +
           std::to_string(out) + " features");
  const op::linear op{out, true, {}};
  const value_id v = what ? l.helper(op, {x}, what) : l.node(op, {x});
  l.read_tagged(v, 0, weights);
  l.read_raw(v, 1, out);
  return v;
}

/// Projections of query, key and value, attention by heads, and a projection of the result.
inline void multi_head_attention(layer_reader& l) {
  if (l.int_or(18, 0) != 0) layer_reader::refuse(18, "quantized weights");
  if (l.flag_or(7, false)) layer_reader::refuse(7, "keys and values of earlier steps");
  const int embed = l.extent_or(0, 0, 1), heads = l.extent_or(1, 1, 1), size = l.int_or(2, 0);
  const int of_key = l.extent_or(3, embed, 1), of_value = l.extent_or(4, embed, 1);
  if (embed % heads != 0) l.fail(1, std::to_string(heads) + " heads of " + std::to_string(embed) + " features");
  if (size < 1 || size % embed != 0) l.fail(2, "weight size " + std::to_string(size));
  op::attention op;
  op.heads = op.kv_heads = heads;
  op.scale = l.float_or(6, 1 / std::sqrt(static_cast<float>(embed / heads)));
  op.mask = l.flag_or(5, false);
  const std::size_t given = l.input_count() - (op.mask && l.input_count() > 0 ? 1 : 0);
  if (given < 1 || given > 3) l.fail("has " + std::to_string(l.input_count()) + " inputs");
  l.expect_outputs(1);
  const value_id q = l.input(0), k = l.input(given > 1 ? 1 : 0), v = l.input(given - 1);
  const int out = size / embed;
  std::vector<value_id> in{projection(l, q, embed, size, "query"),
                           projection(l, k, embed, std::int64_t{embed} * of_key, "key"),
                           projection(l, v, embed, std::int64_t{embed} * of_value, "value")};
  for (value_id& x : in) x = l.reshaped(x, {1, l.shape(x)[0], embed}, "batch");
  if (op.mask) in.push_back(l.input(given));
  const value_id y = l.helper(op, in, "heads");
  l.result(projection(l, l.reshaped(y, {l.shape(q)[0], embed}, "rows"), out, size, nullptr));
}

/// (heads, length, size) as a batch of one.
inline value_id by_heads(layer_reader& l, value_id v, const char* what) {
  const extents shape = l.shape(v);
  if (shape.rank != 3) l.fail(std::string(what) + " is " + describe(shape) + ", expected 3 dimensions");
  return l.reshaped(v, {1, shape[0], shape[1], shape[2]}, what);
}

/// Attention of values that are already by heads; with a cache the keys and values of earlier steps come first, and all
/// of them are outputs.
inline void sdpa(layer_reader& l) {
  if (l.int_or(18, 0) != 0) layer_reader::refuse(18, "int8 products");
  op::attention op;
  op.mask = l.flag_or(5, false);
  op.past = op.present = l.flag_or(7, false);
  op.scale = l.float_or(6, 0);
  l.expect(3 + (op.mask ? 1u : 0u) + (op.past ? 2u : 0u), op.past ? 3 : 1);
  std::vector<value_id> in{by_heads(l, l.input(0), "query"), by_heads(l, l.input(1), "key"),
                           by_heads(l, l.input(2), "value")};
  if (op.mask) in.push_back(l.input(3));
  if (op.past) {
    const std::size_t at = op.mask ? 4 : 3;
    in.push_back(by_heads(l, l.input(at), "past_key"));
    in.push_back(by_heads(l, l.input(at + 1), "past_value"));
  }
  const value_id first = l.node(op, in);
  std::vector<value_id> out;
  for (int i = 0; i < (op.past ? 3 : 1); ++i) {
    const extents shape = l.shape(first + i);
    out.push_back(l.reshaped(first + i, {shape[1], shape[2], shape[3]}, i == 0 ? "result" : "present"));
  }
  l.result(out);
}

inline void rotary_embed(layer_reader& l) {
  l.expect(3, 1);
  op::rotary_embedding op;
  op.interleaved = l.flag_or(0, false);
  const extents whole = l.shape(l.input(0));
  const bool one_head = whole.rank == 2;
  const value_id x =
      one_head ? l.reshaped(l.input(0), {1, 1, whole[0], whole[1]}, "query") : by_heads(l, l.input(0), "query");
  std::vector<value_id> in{x};
  for (std::size_t i : {1u, 2u}) {
    const value_id v = l.input(i);
    const extents shape = l.shape(v);
    if (shape.rank != 2) l.fail("an angle's input is " + describe(shape) + ", expected 2 dimensions");
    in.push_back(l.reshaped(v, {1, shape[0], shape[1]}, i == 1 ? "cosines" : "sines"));
  }
  l.result(l.reshaped(l.node(op, in), whole, "result"));
}

}  // namespace ctnn::ncnn::readers
