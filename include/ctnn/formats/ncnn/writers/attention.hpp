// SPDX-License-Identifier: BSL-1.0
// Products of matrices, attention and rotations as ncnn layers.
#pragma once

#include <cmath>

#include "../readers/rearranging.hpp"
#include "arithmetic.hpp"

namespace ctnn::ncnn::writers {

/// alpha (A B + beta C), a product of matrices and what may be added to it, as ncnn's Gemm, which has constants,
/// transposes and a factor. `product` is the matmul, `sum` the value added to it or none.
inline void gemm(node_writer& w, node_id product, value_id sum) {
  const file_builder& b = w.b;
  const op::matmul op = b.g.get<op::matmul>(product);
  const auto operands = b.g.inputs(b.g.at(product));
  if (b.g.shape(operands[0]).rank != 2 || b.g.shape(operands[1]).rank != 2)
    throw inexpressible{"a product of more than matrices"};
  if (op.scale == 0) throw inexpressible{"a product that counts for nothing"};
  const bool constant[3] = {b.is_constant(operands[0]), b.is_constant(operands[1]), sum != none && b.is_constant(sum)};
  if (constant[0] && constant[1]) throw inexpressible{"a product of constants"};
  const extents y = b.g.shape(b.g.output_of(product));
  parameter_list p;
  p.real(0, op.scale, 1)
      .real(1, sum != none ? 1 / op.scale : 1, 1)
      .integer(2, op.transpose_a, 0)
      .integer(3, op.transpose_b, 0);
  const bool says_sum = constant[2] || (sum == none && (constant[0] || constant[1]));
  p.integer(4, constant[0], 0).integer(5, constant[1], 0).integer(6, says_sum, 0);
  const extents c = sum != none ? b.g.shape(sum) : extents{};
  const int kind = sum == none ? -1 : c.count() == 1 ? 0 : c.back(0) != y[1] ? 2 : c.count() == y.count() ? 3 : 4;
  if (constant[0] || (constant[2] && (kind == 2 || kind == 3))) p.integer(7, y[0], 0);
  if (constant[1] || (constant[2] && (kind == 3 || kind == 4))) p.integer(8, y[1], 0);
  if (constant[0] || constant[1]) p.integer(9, b.g.shape(operands[0])[op.transpose_a ? 0 : 1], 0);
  if (says_sum) p.integer(10, kind, 0);
  std::vector<std::string> from;
  for (std::size_t i = 0; i < 2; ++i)
    if (!constant[i]) from.push_back(w.b.blob(operands[i]));
  if (sum != none && !constant[2]) from.push_back(w.b.blob(sum));
  w.layer("Gemm", from, {w.out()}, p);
  for (std::size_t i = 0; i < 2; ++i)
    if (constant[i]) w.b.bin.tagged(w.b.constant(operands[i]));
  if (constant[2]) w.b.bin.tagged(w.b.constant(sum));
}

/// A sum with a product of matrices that nobody else reads is one Gemm.
inline void absorb_product(file_builder& b, node_id sum) {
  const auto op = b.g.get<op::binary>(sum);
  const auto in = b.g.inputs(b.g.at(sum));
  if (op.function != op::binary_function::add || op.scalar || op.activation) return;
  for (std::size_t i : {0u, 1u}) {
    const node_id product = b.maker(in[i]);
    if (!b.g.is<op::matmul>(product) || b.only_reader(in[i]) != sum || b.g.get<op::matmul>(product).scale == 0)
      continue;
    const auto operands = b.g.inputs(b.g.at(product));
    const extents &y = b.g.shape(in[i]), &c = b.g.shape(in[1 - i]);
    const bool matrices = b.g.shape(operands[0]).rank == 2 && b.g.shape(operands[1]).rank == 2;
    if (!matrices || !(b.g.shape(b.g.output_of(sum)) == y) || c.rank < 1 || (c.rank == 1 && y[0] == y[1] && c[0] > 1))
      continue;
    if (b.is_constant(operands[0]) && b.is_constant(operands[1])) continue;
    b.absorbed.insert(product);
    b.products[sum] = product;
    return;
  }
}
inline void matmul_and_sum(node_writer& w) {
  const node_id product = w.b.products.at(w.id());
  gemm(w, product, w.b.maker(w.input(0)) == product ? w.input(1) : w.input(0));
}

inline void matmul(node_writer& w) {
  const op::matmul op = w.get<op::matmul>();
  if (w.input_shape(0).rank < 2 || w.input_shape(1).rank < 2) throw inexpressible{"a product with a vector"};
  const bool matrices = w.input_shape(0).rank == 2 && w.input_shape(1).rank == 2;
  if (w.b.is_constant(w.input(0)) || w.b.is_constant(w.input(1)) ||
      (matrices && (op.transpose_a || op.transpose_b || op.scale != 1)))
    return gemm(w, w.id(), none);
  // A permutation that only turns the second operand has been absorbed.
  const node_id turn = w.b.maker(w.input(1));
  const bool turned = w.b.g.is<op::permute>(turn) && w.b.absorbed.contains(turn);
  std::string left = w.in(0);
  if (op.transpose_a) {
    left = w.between("turned");  // w and h change places
    w.layer("Permute", {w.in(0)}, {left}, parameter_list().integer(0, 1, 0));
  }
  const std::string product = op.scale == 1 ? w.out() : w.between("product");
  w.layer("MatMul", {left, turned ? w.b.blob(w.b.g.inputs(w.b.g.at(turn))[0]) : w.in(1)}, {product},
          parameter_list().integer(0, turned != op.transpose_b, 0));
  if (op.scale != 1)
    w.layer("BinaryOp", {product}, {w.out()}, parameter_list().integer(0, 2, 0).integer(1, 1, 0).real(2, op.scale, 0));
}
inline void absorb_turn(file_builder& b, node_id product) {
  const value_id v = b.g.inputs(b.g.at(product))[1];
  const node_id turn = b.maker(v);
  if (!b.g.is<op::permute>(turn) || b.only_reader(v) != product || b.absorbed.contains(turn)) return;
  const auto order = b.g.get<op::permute>(turn).order;
  const int rank = static_cast<int>(order.size());
  for (int i = 0; i < rank; ++i)
    if (order[static_cast<std::size_t>(i)] != (rank > 1 && i >= rank - 2 ? 2 * rank - 3 - i : i)) return;
  if (rank > 1) b.absorbed.insert(turn);
}

/// Four projections around an attention: what ncnn calls MultiHeadAttention.
struct attention_cluster {
  node_id projections[4]{none, none, none, none};  ///< of query, key, value, result

  static bool find(const file_builder& b, node_id at, attention_cluster& c) {
    const op::attention op = b.g.get<op::attention>(at);
    if (op.past || op.lengths || op.present || op.scores || op.causal || op.softcap != 0) return false;
    const auto in = b.g.inputs(b.g.at(at));
    const extents q = b.g.shape(in[0]);
    if (q.rank != 3 || q[0] != 1 || op.heads != op.kv_heads) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      if (b.g.shape(in[i])[2] != q[2]) return false;
      c.projections[i] = made_by(b, in[i], at);
      if (c.projections[i] == none) return false;
    }
    node_id next = b.only_reader(b.g.output_of(at));
    while (next != none && b.is_reshape(next)) next = b.only_reader(b.g.output_of(next));
    if (next == none || !b.g.is<op::linear>(next)) return false;
    // What is added to the result must be there before the attention, where all is written.
    if (b.g.at(next).inputs.count > 1 && b.maker(b.g.inputs(b.g.at(next))[1]) > at) return false;
    const op::linear last = b.g.get<op::linear>(next);
    const extents x = b.g.shape(b.g.inputs(b.g.at(c.projections[0]))[0]);
    if (!last.bias || last.weight.type != dtype::f32 || last.out != x.back(0) ||
        b.g.shape(b.g.inputs(b.g.at(next))[0]).back(0) != q[2])
      return false;
    c.projections[3] = next;
    return true;
  }

 private:
  /// The projection that v is, reshaped; `none` if something else reads it or it is another operator.
  static node_id made_by(const file_builder& b, value_id v, node_id reader) {
    const int features = b.g.shape(v)[2];
    node_id at = b.maker(v);
    while (b.only_reader(v) == reader && b.is_reshape(at)) {
      reader = at;
      v = b.g.inputs(b.g.at(at))[0];
      at = b.maker(v);
    }
    if (b.only_reader(v) != reader || !b.g.is<op::linear>(at) || b.g.at(at).inputs.count != 1) return none;
    const op::linear op = b.g.get<op::linear>(at);
    return op.bias && !op.activation && op.weight.type == dtype::f32 && op.out == features ? at : none;
  }
};

/// The projections and the reshapes around an attention are part of its layer.
inline void absorb_projections(file_builder& b, node_id at) {
  attention_cluster c;
  if (!attention_cluster::find(b, at, c)) return;
  const auto in = b.g.inputs(b.g.at(at));
  for (std::size_t i = 0; i < 3; ++i) {
    for (node_id n = b.maker(in[i]); n != c.projections[i]; n = b.maker(b.g.inputs(b.g.at(n))[0])) b.absorbed.insert(n);
    b.absorbed.insert(c.projections[i]);
  }
  for (value_id v = b.g.inputs(b.g.at(c.projections[3]))[0]; b.maker(v) != at; v = b.g.inputs(b.g.at(b.maker(v)))[0])
    b.absorbed.insert(b.maker(v));
  b.absorbed.insert(c.projections[3]);
}

inline void multi_head_attention(node_writer& w, const attention_cluster& c) {
  const op::attention op = w.get<op::attention>();
  const int embed = w.input_shape()[2];
  std::vector<std::string> from;
  std::vector<node_writer> projections;
  for (const node_id n : c.projections) projections.emplace_back(w.b, n);
  for (std::size_t i = 0; i < 3; ++i) {
    const extents x = projections[i].input_shape();
    from.push_back(projections[i].in_form(0, {static_cast<int>(x.count(0, x.rank - 1)), x.back(0)}));
  }
  if (op.mask) from.push_back(w.in(3));
  const int query = projections[0].input_shape().back(0), key = projections[1].input_shape().back(0),
            value = projections[2].input_shape().back(0);
  const float usual = 1 / std::sqrt(static_cast<float>(embed / op.heads));
  parameter_list p;
  p.integer(0, embed, 0)
      .integer(1, op.heads, 1)
      .integer(2, std::int64_t{embed} * query, 0)
      .integer(3, key, embed)
      .integer(4, value, embed);
  p.integer(5, op.mask, 0).real(6, op.scale == 0 ? usual : op.scale, usual);
  node_writer& last = projections[3];
  const op::linear result = last.get<op::linear>();
  const extents y = last.output_shape();
  const extents rows{static_cast<int>(y.count(0, y.rank - 1)), y.back(0)};
  const bool adds = last.input_count() == 2;
  const std::string linear = result.activation ? last.between("linear") : last.out_in_form(rows);
  const std::string to = adds ? last.between("product") : linear;
  w.b.file.layers.push_back({"MultiHeadAttention",
                             file_builder::fresh(w.b.layer_names, std::string(w.b.g.at(c.projections[3]).name)),
                             from,
                             {to},
                             p.params,
                             0});
  for (const node_writer& each : projections) {
    w.b.bin.tagged(each.weight(0));
    w.b.bin.raw(each.weight(1));
  }
  if (adds) last.layer("BinaryOp", {to, last.in_form(1, rows)}, {linear});
  if (result.activation) activation_layer(last, result.activation, linear, last.out_in_form(rows));
  last.finish();
}

/// (heads, length, size) of an operand of attention; batches are more heads.
inline extents all_heads(const extents& x, int heads) {
  const extents by = op::attention::by_heads(x, heads);
  return {by[0] * by[1], by[2], by[3]};
}
/// Lengths and heads of a blob change places: (length, heads, size), or (batch, length, heads, size).
inline std::string exchanged(node_writer& w, const std::string& blob, int rank, const std::string& to) {
  int type = 0;
  while (readers::permute_order(rank, type) != (rank == 4 ? "WDHC" : "WCH")) ++type;
  w.layer("Permute", {blob}, {to}, parameter_list().integer(0, type, 0));
  return to;
}
/// (length, heads, size) of rows, behind a batch of more than one.
inline extents cut_rows(const extents& x, int heads) {
  const extents by = op::attention::by_heads(x, heads), one{by[2], by[1], by[3]};
  return by[0] == 1 ? one : one.with_axis(0, by[0]);
}
/// Operand i as all its heads.
inline std::string heads_apart(node_writer& w, std::size_t i, int heads) {
  const extents x = w.input_shape(i), all = all_heads(x, heads), cut = cut_rows(x, heads);
  if (x.rank == 4 || heads == 1) return w.in_form(i, all);
  const std::string apart = exchanged(w, w.in_form(i, cut), cut.rank, w.between("heads"));
  return cut.rank == 3 ? apart : w.reshaped(apart, all, "all");
}

inline void attention(node_writer& w) {
  attention_cluster c;
  const op::attention op = w.get<op::attention>();
  if (attention_cluster::find(w.b, w.id(), c)) return multi_head_attention(w, c);
  const extents x = w.input_shape(), y = w.b.g.shape(w.output(0)), m = op.mask ? w.input_shape(3) : extents{};
  const extents by = op::attention::by_heads(x, op.heads);
  const int heads = by[1], kv_heads = op::attention::by_heads(w.input_shape(1), op.kv_heads)[1];
  if (op.lengths || op.scores || op.causal || op.softcap != 0 || op.past != op.present ||
      (by[0] != 1 && (op.mask || op.past)) || (op.mask && w.b.g.at_value(w.input(3)).type == dtype::boolean))
    throw inexpressible{"attention of this kind"};
  std::vector<std::string> from{heads_apart(w, 0, heads), heads_apart(w, 1, kv_heads), heads_apart(w, 2, kv_heads)}, to;
  const extents made = all_heads(y, heads), cut = cut_rows(y, heads);
  const bool in_rows = y.rank == 3 && heads != 1;
  const std::string result = in_rows ? w.between("result") : w.out_in_form(made);
  // SDPA's masks have a row for each query.
  const bool in_parts = op.mask && m.rank > 1 && m.back(1) == 1 && by[2] != 1 && !op.past && heads == kv_heads;
  if (in_parts) {
    const float scale = op.scale != 0 ? op.scale : 1 / std::sqrt(static_cast<float>(by[3]));
    const std::string product = w.between("product"), scaled = w.between("scaled"), masked = w.between("masked"),
                      weights = w.between("weights");
    w.layer("MatMul", {from[0], from[1]}, {product}, parameter_list().integer(0, 1, 0));
    w.layer("BinaryOp", {product}, {scaled}, parameter_list().integer(0, 2, 0).integer(1, 1, 0).real(2, scale, 0));
    const extents rows{m.rank > 2 ? m.back(2) : 1, m.back(1), m.back(0)};
    w.layer("BinaryOp", {scaled, w.in_form(3, rows)}, {masked}, parameter_list().integer(0, 0, 0));
    w.layer("Softmax", {masked}, {weights}, parameter_list().integer(0, 2, 0).integer(1, 1, 0));
    w.layer("MatMul", {weights, from[2]}, {result}, parameter_list());
  } else {
    to.push_back(result);
    for (std::size_t i = 3; i < w.input_count(); ++i)
      from.push_back(op.mask && i == 3 ? w.in(i) : w.in_form(i, all_heads(w.input_shape(i), 0)));
    for (int i = 1; i < op.output_count(); ++i) to.push_back(w.out_in_form(all_heads(w.b.g.shape(w.output(i)), 0), i));
    w.layer("SDPA", from, to, parameter_list().integer(5, op.mask, 0).real(6, op.scale, 0).integer(7, op.past, 0));
  }
  if (in_rows)
    exchanged(w, cut.rank == 3 ? result : w.reshaped(result, {by[0], heads, by[2], made[2]}, "batches"), cut.rank,
              w.out_in_form(cut));
  w.finish();
}

inline void rotary_embedding(node_writer& w) {
  const op::rotary_embedding op = w.get<op::rotary_embedding>();
  const extents x = w.input_shape();
  if (x.rank != 4 || x[0] != 1 || w.input_count() != 3 || (op.part != 0 && op.part != x[3]))
    throw inexpressible{"a rotation of " + describe(x)};
  const bool one_head = x[1] == 1 && w.b.form(w.source(0)).rank == 2;
  const extents angles{x[2], x[3] / 2}, one = one_head ? extents{x[2], x[3]} : extents{x[1], x[2], x[3]};
  w.layer("RotaryEmbed", {w.in_form(0, one), w.in_form(1, angles), w.in_form(2, angles)}, {w.out_in_form(one)},
          parameter_list().integer(0, op.interleaved, 0));
  w.finish();
}

}  // namespace ctnn::ncnn::writers
