// SPDX-License-Identifier: BSL-1.0
// rules/matrix.hpp: what stands around a product of two matrices.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

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

/// The operand is scaled first, then it is moved, by a reshape and a permute.
template <bool Scaled, bool Read = false>
constexpr auto moved_operand = [](builder& b) {
  const value_id x = left(b), y = b.input("b", {5, 2, 2});
  const value_id scaled = Scaled ? b.scalar("times", op::binary_function::mul, y, 2.0f) : y;
  const value_id flat = b.reshape("flat", scaled, {5, 4});
  b.output("", b.add(op::matmul{false, false, Scaled ? 1.0f : 2.0f}, "it", {x, b.permute("turned", flat, {1, 0})}));
  if (Read) b.output("flat", flat);
};

/// a times a constant matrix, or the constant times a.
template <bool Right, bool Turned, int Tenths, int Batches = 0>
constexpr auto times_constant = [](builder& b) {
  const value_id k = Batches  ? b.constant("k", {Batches, 4, 5})
                     : Turned ? b.constant("k", {5, 4})
                              : b.constant("k", {4, 5});
  const value_id x = Right ? left(b) : b.input("x", {5, 2});
  const op::matmul by{false, Right && Turned, float(Tenths) / 10};
  b.output("", Right ? b.add(by, "it", {x, k}) : b.add(by, "it", {k, x}));
};
/// The linear layer that it is: its weight is of the constant's layer.
constexpr auto constant_is_fully_turned = [](builder& b) {
  b.output("", b.add(op::linear{5, false}, "it", {left(b)}));
};

constexpr auto hardly_scaled = [](builder& b) {
  const value_id x = left(b);
  b.output("", b.add(op::matmul{}, "it", {x, b.scalar("times", times, b.input("b", {4, 5}), 1e-20f)}));
};
constexpr auto hardly_there = [](builder& b) {
  const value_id x = left(b);
  b.output("", b.add(op::matmul{false, false, 1e-20f}, "it", {x, b.input("b", {4, 5})}));
};
constexpr auto constant_times_much = [](builder& b) {
  const value_id x = left(b);
  b.output("", b.add(op::matmul{false, false, 1e20f}, "it", {x, b.constant("k", {4, 5})}));
};
constexpr auto tiny_result = [](builder& b) {
  const value_id x = left(b), product = b.add(op::matmul{false, false, 1e-20f}, "it", {x, b.input("b", {4, 5})});
  b.output("", b.scalar("times", times, product, 1e-20f));
};
constexpr auto tiny_operand = [](builder& b) {
  const value_id x = left(b), k = b.scalar("times", times, b.input("b", {4, 5}), 1e-20f);
  b.output("", b.add(op::matmul{false, false, 1e-20f}, "it", {x, k}));
};
template <op::binary_function F, bool Tiny>
constexpr auto extreme_operand = [](builder& b) {
  const value_id x = left(b);
  const float k = Tiny ? 1e-39f : std::numeric_limits<float>::infinity();
  b.output("", b.add(op::matmul{}, "it", {x, b.scalar("times", F, b.input("b", {4, 5}), k)}));
};

}  // namespace

FIRES("a > matmul by a turned constant", (rules::matmul_by_constant), (times_constant<true, true, 10>),
      constant_is_fully_turned)
FIRES("a > matmul by a constant", (rules::matmul_by_constant), (times_constant<true, false, 10>),
      constant_is_fully_turned)
FIRES("a > matmul by a constant, halved", (rules::matmul_by_constant), (times_constant<true, false, 5>),
      constant_is_fully_turned)
FIRES("a > matmul by a constant, times 1e20", (rules::matmul_by_constant), constant_times_much,
      constant_is_fully_turned)
DECLINES("a constant > matmul by a", (rules::matmul_by_constant), (times_constant<false, false, 10>),
         "the constant is not its second operand")
FIRES("a > matmul by a constant of one batch", (rules::matmul_by_constant), (times_constant<true, false, 10, 1>),
      constant_is_fully_turned)
DECLINES("a > matmul by constant matrices", (rules::matmul_by_constant), (times_constant<true, false, 10, 2>),
         "the constant is not a matrix")

constexpr auto row_turned = [](builder& b) {
  b.output("", b.add(op::matmul{}, "it", {b.permute("turn", b.input("a", {4, 1}), {1, 0}), b.input("b", {4, 5})}));
};
constexpr auto row_result_turned = [](builder& b) {
  b.output("", b.permute("it", b.add(op::matmul{}, "product", {b.input("a", {1, 4}), b.input("b", {4, 5})}), {1, 0}));
};
DECLINES("permute of one column > matmul", (rules::permuted_operand), row_turned, "it only reshapes")
DECLINES("matmul > permute of one row", (rules::permuted_product), row_result_turned, "it only reshapes")

FIRES("permute(a) > matmul", (rules::permuted_operand), turned_operand<true>, reads_turned<true>)
FIRES("permute(b) > matmul", (rules::permuted_operand), turned_operand<false>, reads_turned<false>)
DECLINES("permute of batches > matmul", (rules::permuted_operand), batches_turned,
         "it does more than exchange rows and columns")
DECLINES("permuted operand is an output", (rules::permuted_operand), turned_is_read,
         "its input is a network output too")

FIRES("matmul > permute", (rules::permuted_product), turned_result<3>, product_of_turned)
DECLINES("matmul > permute of batches", (rules::permuted_product), result_moved,
         "it does more than exchange rows and columns")
DECLINES("row times matrices > permute", (rules::permuted_product), turned_result<1>, "an operand is a vector")

FIRES("matmul > * 0.5", (rules::scaled_product), (result_times<times, 5>), with_factor<5>)
FIRES("matmul > / 2", (rules::scaled_product), (result_times<op::binary_function::div, 20>), with_factor<5>)
DECLINES("matmul > + 2", (rules::scaled_product), (result_times<op::binary_function::add, 20>),
         "it is not a product with a scalar")

DECLINES("matmul / 1e20 > / 1e20", (rules::scaled_product), tiny_result,
         "the product of its factors is too large or small")
DECLINES("b / 1e20 > matmul / 1e20", (rules::scaled_operand), tiny_operand,
         "the product of its factors is too large or small")
FIRES("b / 1e20 > matmul", (rules::scaled_operand), hardly_scaled, hardly_there)
FIRES("b * 2 > matmul", (rules::scaled_operand), operand_times<times>, with_factor<20>)
FIRES("b * 2 > reshape > permute > matmul", (rules::scaled_operand), moved_operand<true>, moved_operand<false>)
DECLINES("b * 2 > reshape that is an output > permute > matmul", (rules::scaled_operand), (moved_operand<true, true>),
         "")
DECLINES("b / 1e-39 > matmul", (rules::scaled_operand), (extreme_operand<op::binary_function::div, true>),
         "its operand is not a value times a scalar")
DECLINES("b * infinity > matmul", (rules::scaled_operand), (extreme_operand<times, false>),
         "its operand is not a value times a scalar")
DECLINES("b + 2 > matmul", (rules::scaled_operand), operand_times<op::binary_function::add>,
         "its operand is not a value times a scalar")

namespace {
template <int... Shape>
constexpr auto by_constant = [](builder& b) {
  b.output("", b.add(op::matmul{}, "it", {b.input("a", {3, 4}), b.constant("k", {Shape...})}));
};
constexpr auto read_turned = [](builder& b) {
  b.output("", b.add(op::matmul{true, false}, "it", {b.input("a", {4, 3}), b.constant("k", {4, 5})}));
};
template <int Rows, int Columns>
constexpr auto empty_product = [](builder& b) {
  const value_id rows = b.add(op::slice{{0}, {0}, {Rows}}, "rows", {b.input("a", {3, 4})});
  b.output("", b.add(op::matmul{}, "it", {rows, b.constant("k", {4, Columns})}));
};
}  // namespace
DECLINES("product with a constant vector", (rules::matmul_by_constant), by_constant<4>, "the constant is not a matrix")
DECLINES("a constant of more axes", (rules::matmul_by_constant), (by_constant<1, 4, 5>), "the constant is not a matrix")
DECLINES("columns by a constant", (rules::matmul_by_constant), read_turned,
         "its first operand is read the other way round")
DECLINES("no rows by a constant", (rules::matmul_by_constant), (empty_product<0, 5>), "there is nothing to multiply")
DECLINES("rows by no columns", (rules::matmul_by_constant), (empty_product<3, 0>), "there is nothing to multiply")
