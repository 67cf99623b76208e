// SPDX-License-Identifier: BSL-1.0
// rules/matrix.hpp: what stands around a product of two matrices.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::test;

namespace {

constexpr auto times = op::binary_function::mul;
constexpr value_id left(builder& b) { return b.input("a", {2, 3, 4}); }

template <bool First>
constexpr auto turned_operand = [](builder& b) {
  const value_id x = First ? b.permute("turn", b.input("a", {2, 4, 3}), {0, 2, 1}) : left(b);
  const value_id y = First ? b.input("b", {4, 5}) : b.permute("turn", b.input("b", {5, 4}), {1, 0});
  b.output("", b.add(op::matmul{}, "it", {x, y}));
};
template <bool First>
constexpr auto reads_turned = [](builder& b) {
  const value_id x = First ? b.input("a", {2, 4, 3}) : left(b);
  const value_id y = First ? b.input("b", {4, 5}) : b.input("b", {5, 4});
  b.output("", b.add(op::matmul{First, !First}, "it", {x, y}));
};
constexpr auto batches_turned = [](builder& b) {
  const value_id x = b.permute("turn", b.input("a", {3, 2, 4}), {1, 0, 2});
  b.output("", b.add(op::matmul{}, "it", {x, b.input("b", {4, 5})}));
};
constexpr auto turned_is_read = [](builder& b) {
  const value_id y = b.permute("turn", b.input("b", {5, 4}), {1, 0});
  b.output("", b.add(op::matmul{}, "it", {left(b), y}));
  b.output("turn", y);
};

template <int Rank>
constexpr auto turned_result = [](builder& b) {
  const value_id x = Rank == 3 ? left(b) : b.input("a", {4});
  const value_id y = b.add(op::matmul{false, false, 0.5f}, "product", {x, b.input("b", {2, 4, 5})});
  b.output("", Rank == 3 ? b.permute("it", y, {0, 2, 1}) : b.permute("it", y, {1, 0}));
};
constexpr auto product_of_turned = [](builder& b) {
  const value_id x = left(b), y = b.input("b", {2, 4, 5});
  b.output("", b.add(op::matmul{true, true, 0.5f}, "product", {y, x}));
};
constexpr auto result_moved = [](builder& b) {
  const value_id y = b.add(op::matmul{}, "product", {left(b), b.input("b", {2, 4, 5})});
  b.output("", b.permute("it", y, {2, 0, 1}));
};

template <op::binary_function F, int Tenths>
constexpr auto result_times = [](builder& b) {
  b.output("", b.scalar("times", F, b.add(op::matmul{}, "it", {left(b), b.input("b", {4, 5})}), float(Tenths) / 10));
};
template <int Tenths>
constexpr auto with_factor = [](builder& b) {
  b.output("", b.add(op::matmul{false, false, float(Tenths) / 10}, "it", {left(b), b.input("b", {4, 5})}));
};
template <op::binary_function F>
constexpr auto operand_times = [](builder& b) {
  const value_id x = left(b);
  b.output("", b.add(op::matmul{}, "it", {x, b.scalar("times", F, b.input("b", {4, 5}), 2.0f)}));
};

}  // namespace

FIRES("permute(a) > matmul", (rules::permuted_operand), turned_operand<true>, reads_turned<true>)
FIRES("permute(b) > matmul", (rules::permuted_operand), turned_operand<false>, reads_turned<false>)
DECLINES("permute of batches > matmul", (rules::permuted_operand), batches_turned, "it does more than exchange rows and columns")
DECLINES("permuted operand is an output", (rules::permuted_operand), turned_is_read, "its input is a network output too")

FIRES("matmul > permute", (rules::permuted_product), turned_result<3>, product_of_turned)
DECLINES("matmul > permute of batches", (rules::permuted_product), result_moved, "it does more than exchange rows and columns")
DECLINES("row times matrices > permute", (rules::permuted_product), turned_result<1>, "an operand is a vector")

FIRES("matmul > * 0.5", (rules::scaled_product), (result_times<times, 5>), with_factor<5>)
FIRES("matmul > / 2", (rules::scaled_product), (result_times<op::binary_function::div, 20>), with_factor<5>)
DECLINES("matmul > + 2", (rules::scaled_product), (result_times<op::binary_function::add, 20>), "it is not a product with a scalar")

FIRES("b * 2 > matmul", (rules::scaled_operand), operand_times<times>, with_factor<20>)
DECLINES("b + 2 > matmul", (rules::scaled_operand), operand_times<op::binary_function::add>, "its operand is not a value times a scalar")
