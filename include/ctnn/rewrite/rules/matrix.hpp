// SPDX-License-Identifier: BSL-1.0
// What stands around a product of two matrices. (A product with a constant is a linear layer: affine.hpp.)
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// permute that exchanges the last two axes > matmul  ->  matmul that reads its operand the other way round
struct permuted_operand {
  static constexpr rule_info info{"permuted_operand", "permute(..., 1, 0) > matmul -> matmul", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::permute, op::matmul>;
  static constexpr bool exchanges_last_two(const op::permute& p) {
    const int rank = static_cast<int>(p.order.size());
    if (rank < 2) return false;
    for (int i = 0; i < rank - 2; ++i)
      if (p.order[static_cast<std::size_t>(i)] != i) return false;
    return p.order[static_cast<std::size_t>(rank - 1)] == rank - 2;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!exchanges_last_two(r.get<op::permute>(m.first))) return {"it does more than exchange rows and columns", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto product = r.get<op::matmul>(m.last);
    bool& turned = m.input == 0 ? product.transpose_a : product.transpose_b;
    turned = !turned;
    value_id in[] = {r.input(m.last, 0), r.input(m.last, 1)};
    in[m.input] = r.input(m.first);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, product, r.name(m.last), in, {});
  }
};

/// matmul > permute that exchanges the last two axes  ->  the product of the transposed operands, in the other order
struct permuted_product {
  static constexpr rule_info info{"permuted_product", "matmul > permute(..., 1, 0) -> matmul", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::matmul, op::permute>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!permuted_operand::exchanges_last_two(r.get<op::permute>(m.last))) return {"it does more than exchange rows and columns"};
    for (int i = 0; i < 2; ++i)
      if (r.shape(r.input(m.first, i)).rank < 2) return {"an operand is a vector", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto product = r.get<op::matmul>(m.first);
    const op::matmul turned{!product.transpose_b, !product.transpose_a, product.scale};
    const value_id in[] = {r.input(m.first, 1), r.input(m.first, 0)};
    r.fuse(m.first, m.last, turned, in, {});
  }
};

/// The factor of x * k or x / k, or 0.
constexpr float factor_of(const op::binary& b) {
  if (!b.scalar || b.activation) return 0;
  if (b.function == op::binary_function::mul) return *b.scalar;
  return b.function == op::binary_function::div && *b.scalar != 0 ? 1 / *b.scalar : 0;
}

/// matmul > * scalar  ->  matmul
struct scaled_product {
  static constexpr rule_info info{"scaled_product", "matmul > * / scalar -> matmul", lowers::nodes, numerics::reassociates};
  using pattern = chain<op::matmul, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (factor_of(r.get<op::binary>(m.last)) == 0) return {"it is not a product with a scalar"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto product = r.get<op::matmul>(m.first);
    product.scale *= factor_of(r.get<op::binary>(m.last));
    const value_id in[] = {r.input(m.first, 0), r.input(m.first, 1)};
    r.fuse(m.first, m.last, product, in, {});
  }
};

/// * scalar > matmul  ->  matmul
struct scaled_operand {
  static constexpr rule_info info{"scaled_operand", "* / scalar > matmul -> matmul", lowers::nodes, numerics::reassociates};
  using pattern = chain<op::binary, op::matmul>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (factor_of(r.get<op::binary>(m.first)) == 0) return {"its operand is not a value times a scalar", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto product = r.get<op::matmul>(m.last);
    product.scale *= factor_of(r.get<op::binary>(m.first));
    value_id in[] = {r.input(m.last, 0), r.input(m.last, 1)};
    in[m.input] = r.input(m.first);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, product, r.name(m.last), in, {});
  }
};

}  // namespace ctnn::rules
