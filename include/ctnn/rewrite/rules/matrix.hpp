// SPDX-License-Identifier: BSL-1.0
// What stands around a product of two matrices, and products with a constant.
#pragma once

#include "kinds.hpp"
#include "movement.hpp"

namespace ctnn::rules {

/// matmul with a constant matrix on the right  ->  linear, whose weight is that matrix turned and scaled
struct matmul_by_constant {
  static constexpr rule_info info{"matmul_by_constant", "matmul(x, constant) -> linear", lowers::tier,
                                  numerics::rescales};
  using pattern = edge<op::constant, op::matmul>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (m.input != 1) return {"the constant is not its second operand", r.name(m.first)};
    const auto product = r.get<op::matmul>(m.last);
    const extents &x = r.shape(r.input(m.last, 0)), &k = r.shape(r.input(m.last, 1));
    if (k.rank < 2 || k.count() != std::int64_t{k.back(0)} * k.back(1) || k.rank > x.rank)
      return {"the constant is not a matrix", r.name(m.first)};
    if (product.transpose_a) return {"its first operand is read the other way round"};
    if (x.count() == 0 || k.count() == 0) return {"there is nothing to multiply"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto product = r.get<op::matmul>(m.last);
    const value_id x = r.input(m.last, 0);
    op::linear by;
    by.out = r.shape(r.output(m.last)).back(0);
    by.bias = false;
    const extents& k = r.shape(r.input(m.last, 1));
    expression_id weight = r.reshaped(r.weight(m.first, 0), {k.back(1), k.back(0)});
    if (!product.transpose_b) {
      op::permute turn;
      turn.order = {1, 0};
      const expression_id of[] = {weight};
      weight = r.apply(turn, of);
    }
    if (product.scale != 1) {
      const expression_id of[] = {weight};
      weight = r.apply(op::binary{op::binary_function::mul, product.scale}, of);
    }
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, by, r.name(m.last), {&x, 1}, {&weight, 1});
  }
};

/// permute that exchanges the last two axes > matmul  ->  matmul that reads its operand the other way round
struct permuted_operand {
  static constexpr rule_info info{"permuted_operand", "permute(..., 1, 0) > matmul -> matmul", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::permute, op::matmul>;
  static constexpr bool exchanges_last_two(const op::permute& p) {
    const int rank = static_cast<int>(p.order.size());
    for (int i = 0; i < rank - 2; ++i)
      if (p.order[static_cast<std::size_t>(i)] != i) return false;
    return p.order[static_cast<std::size_t>(rank - 1)] == rank - 2;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!exchanges_last_two(r.get<op::permute>(m.first)))
      return {"it does more than exchange rows and columns", r.name(m.first)};
    if (moves_only_ones(r.get<op::permute>(m.first), r.shape(r.input(m.first))))
      return {"it only reshapes", r.name(m.first)};
    if (m.input == 0 && r.reads_bytes(m.last)) return {"the left matrix of bytes is read by rows"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto product = r.get<op::matmul>(m.last);
    bool& turned = m.input == 0 ? product.transpose_a : product.transpose_b;
    turned = !turned;
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, product, r.name(m.last), r.inputs_with(m.last, m.input, r.input(m.first)), {});
  }
};

/// matmul > permute that exchanges the last two axes  ->  the product of the transposed operands, in the other order
struct permuted_product {
  static constexpr rule_info info{"permuted_product", "matmul > permute(..., 1, 0) -> matmul", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::matmul, op::permute>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!permuted_operand::exchanges_last_two(r.get<op::permute>(m.last)))
      return {"it does more than exchange rows and columns"};
    if (moves_only_ones(r.get<op::permute>(m.last), r.shape(r.input(m.last)))) return {"it only reshapes"};
    for (int i = 0; i < 2; ++i)
      if (r.shape(r.input(m.first, i)).rank < 2) return {"an operand is a vector", r.name(m.first)};
    if (r.reads_bytes(m.first) && !r.get<op::matmul>(m.first).transpose_b)
      return {"the left matrix of bytes is read by rows", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto product = r.get<op::matmul>(m.first);
    const op::matmul turned{!product.transpose_b, !product.transpose_a, product.scale};
    const value_id in[] = {r.input(m.first, 1), r.input(m.first, 0)};
    r.fuse(m.first, m.last, turned, in, {});
  }
};

/// The factor of x * k or x / k, or 0 if there is none or it is not finite.
constexpr float factor_of(const op::binary& b) {
  if (!b.scalar || b.activation) return 0;
  if (b.function == op::binary_function::mul) return math::is_finite(*b.scalar) ? *b.scalar : 0;
  return b.function == op::binary_function::div && is_invertible(*b.scalar) ? 1 / *b.scalar : 0;
}

/// matmul > * scalar  ->  matmul
struct scaled_product {
  static constexpr rule_info info{"scaled_product", "matmul > * / scalar -> matmul", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<op::matmul, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const float k = factor_of(r.get<op::binary>(m.last));
    if (k == 0) return {"it is not a product with a scalar"};
    return unless_factors(r.get<op::matmul>(m.first).scale, k, r.name(m.first));
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto product = r.get<op::matmul>(m.first);
    product.scale *= factor_of(r.get<op::binary>(m.last));
    r.fuse(m.first, m.last, product, r.inputs_of(m.first), {});
  }
};

/// * scalar > matmul  ->  matmul, also where the scaled value is moved on its way
struct scaled_operand {
  static constexpr rule_info info{"scaled_operand", "* / scalar > (reshape|flatten|permute >) matmul -> matmul",
                                  lowers::nodes, numerics::rescales};
  using moved = find::any_of<op::reshape, op::flatten, op::permute>;
  using pattern = find::reader<op::matmul, &match::last, &match::input,
                               find::behind<moved, 2, find::alone<find::node<op::binary, &match::first>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const float k = factor_of(r.get<op::binary>(m.first));
    if (k == 0) return {"its operand is not a value times a scalar", r.name(m.first)};
    return unless_factors(r.get<op::matmul>(m.last).scale, k, r.name(m.first));
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto product = r.get<op::matmul>(m.last);
    product.scale *= factor_of(r.get<op::binary>(m.first));
    for (node_id n = r.producer(r.input(m.last, m.input)); n != m.first; n = r.producer(r.input(n)))
      r.renumber(r.output(n));
    r.bypass(m.first, r.input(m.first), r.name(m.last));
    r.become(m.last, product, r.name(m.last), r.inputs_of(m.last), {});
  }
};

}  // namespace ctnn::rules
