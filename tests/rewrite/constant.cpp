// SPDX-License-Identifier: BSL-1.0
// rules/constant.hpp: what is known before the network runs becomes a constant.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// x + op(k, k, ...), and x + a constant of the same shape under op's name.
template <class Op, int Inputs = 1>
constexpr void of_constants(builder& b, const Op& op, std::initializer_list<int> shape,
                            std::initializer_list<int> result) {
  const value_id x = b.input("x", result), k = b.constant("k", shape);
  const value_id f = Inputs == 1 ? b.add(op, "it", {k}) : b.add(op, "it", {k, b.constant("k2", shape)});
  b.output("", b.sum("sum", x, f));
}
template <class Op, int Inputs = 1>
constexpr void of_input(builder& b, const Op& op, std::initializer_list<int> shape) {
  const value_id x = b.input("x", shape);
  b.output("", Inputs == 1 ? b.add(op, "it", {x}) : b.add(op, "it", {b.constant("k", shape), x}));
}

template <int... D>
constexpr auto folded = [](builder& b) {
  const value_id x = b.input("x", {D...});
  b.output("", b.sum("sum", x, b.constant("it", {D...})));
};

template <class Op>
constexpr Op make() {
  Op op{};
  if constexpr (std::is_same_v<Op, op::activation>) op.activation = {function::leaky_relu, 0.5f};
  if constexpr (std::is_same_v<Op, op::binary>) op.activation = {function::relu};
  if constexpr (std::is_same_v<Op, op::eltwise>) op.coefficients = {2.0f, -1.0f};
  if constexpr (std::is_same_v<Op, op::reshape>) op.shape = {3, 2};
  if constexpr (std::is_same_v<Op, op::permute>) op.order = {1, 0};
  if constexpr (std::is_same_v<Op, op::slice>) op.end = {1};
  if constexpr (std::is_same_v<Op, op::linear>) op.out = 4;
  if constexpr (std::is_same_v<Op, op::interpolate>) op.size = {2, 4};
  if constexpr (std::is_same_v<Op, op::matmul>) op.transpose_b = true;
  return op;
}
template <class Op>
constexpr auto unknown = [](builder& b) {
  constexpr int inputs =
      min_inputs<Op>() == 2 || std::is_same_v<Op, op::binary> || std::is_same_v<Op, op::concat> ? 2 : 1;
  if constexpr (std::is_same_v<Op, op::interpolate>) of_input<Op, inputs>(b, make<Op>(), {1, 2, 3});
  else of_input<Op, inputs>(b, make<Op>(), {2, 3});
};
template <class Op>
constexpr auto known = [](builder& b) {
  if constexpr (std::is_same_v<Op, op::binary> || std::is_same_v<Op, op::eltwise>)
    of_constants<Op, 2>(b, make<Op>(), {2, 3}, {2, 3});
  else if constexpr (std::is_same_v<Op, op::matmul>) of_constants<Op, 2>(b, make<Op>(), {2, 3}, {2, 2});
  else if constexpr (std::is_same_v<Op, op::concat>) of_constants<Op, 2>(b, make<Op>(), {2, 3}, {4, 3});
  else if constexpr (std::is_same_v<Op, op::reshape> || std::is_same_v<Op, op::permute>)
    of_constants(b, make<Op>(), {2, 3}, {3, 2});
  else if constexpr (std::is_same_v<Op, op::flatten>) of_constants(b, make<Op>(), {2, 3}, {6});
  else if constexpr (std::is_same_v<Op, op::slice>) of_constants(b, make<Op>(), {2, 3}, {1, 3});
  else if constexpr (std::is_same_v<Op, op::linear>) of_constants(b, make<Op>(), {2, 3}, {2, 4});
  else if constexpr (std::is_same_v<Op, op::interpolate>) of_constants(b, make<Op>(), {1, 2, 3}, {1, 2, 4});
  else of_constants(b, make<Op>(), {2, 3}, {2, 3});
};

constexpr auto filled = [](builder& b) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.sum("sum", x, b.full("it", {2, 3}, 0.5f)));
};
constexpr auto not_filled = [](builder& b) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.sum("sum", x, b.constant("it", {2, 3})));
};
constexpr auto times_scalar = [](builder& b) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.sum("sum", x, b.scalar("it", op::binary_function::rdiv, b.constant("k", {2, 3}), 3)));
};
constexpr auto shared_constant = [](builder& b) {
  const value_id x = b.input("x", {2, 3}), k = b.constant("k", {2, 3});
  b.output("a", b.sum("sum", x, b.apply("it", k, function::tanh)));
  b.output("k", k);
};
constexpr auto both_constants = [](builder& b) {
  const value_id x = b.input("x", {2, 3}), k = b.constant("k", {2, 3}), t = b.constant("it", {2, 3});
  b.output("a", b.sum("sum", x, t));
  b.output("k", k);
};

}  // namespace

#define KNOWN(Op, ...)                                                                             \
  FIRES(#Op " of constants", (rules::fold_constant), known<op::Op>, (folded<__VA_ARGS__>))                       \
  DECLINES(#Op " of an input", (rules::fold_constant), unknown<op::Op>, declined<op::Op>)
namespace {
/// Two inputs, one of them a constant: a near miss that is explained.
template <class Op>
constexpr std::string_view declined = std::is_same_v<Op, op::binary> || std::is_same_v<Op, op::eltwise> ||
                                              std::is_same_v<Op, op::concat> || std::is_same_v<Op, op::matmul>
                                          ? std::string_view("it also reads what is not constant")
                                          : std::string_view();
}  // namespace
KNOWN(binary, 2, 3)
KNOWN(activation, 2, 3)
KNOWN(eltwise, 2, 3)
KNOWN(scale, 2, 3)
KNOWN(bias, 2, 3)
KNOWN(batch_norm, 2, 3)
KNOWN(softmax, 2, 3)
KNOWN(reshape, 3, 2)
KNOWN(flatten, 6)
KNOWN(permute, 3, 2)
KNOWN(concat, 4, 3)
KNOWN(slice, 1, 3)
KNOWN(interpolate, 1, 2, 4)
KNOWN(linear, 2, 4)
KNOWN(matmul, 2, 2)
#undef KNOWN
FIRES("a constant and a scalar", (rules::fold_constant), times_scalar, (folded<2, 3>))
FIRES("a constant that is an output stays beside what is made of it (X19)", (rules::fold_constant),
      shared_constant, both_constants)

FIRES("full", (rules::full_to_constant), filled, not_filled)
DECLINES("a constant is not full", (rules::full_to_constant), not_filled, "")

namespace {
constexpr auto integers_cast = [](builder& b) {
  const value_id k = b.add(op::constant{{2, 3}, dtype::i32}, "k", {});
  b.output("", b.add(op::cast{dtype::f32}, "it", {k}));
};
template <dtype Type, bool Moved>
constexpr auto integers_moved = [](builder& b) {
  value_id k = b.add(op::constant{Moved ? list<int>{2} : list<int>{2, 3}, Type}, Moved ? "it" : "k", {});
  if (!Moved) k = b.add(op::slice{{1}, {2}, {3}}, "part", {k});
  b.output("", Moved ? k : b.add(op::reshape{{2}}, "it", {k}));
};
constexpr auto integers_combined = [](builder& b) {
  const value_id k = b.add(op::constant{{2}, dtype::i32}, "k", {});
  b.output("", b.add(op::binary{}, "it", {k, k}));
};
constexpr auto integers_looked_up = [](builder& b) {
  const value_id k = b.add(op::constant{{2}, dtype::i64}, "index", {});
  b.output("", b.add(op::gather{}, "it", {k, k}));
};
constexpr auto hardmax_of_constant = [](builder& b) {
  b.output("", b.add(op::hardmax{1}, "it", {b.constant("k", {2, 3})}));
};
constexpr auto halves_of_constant = [](builder& b) {
  const value_id k = b.constant("k", {4, 3});
  const value_id first = b.add(op::split{{2, 2}, 0}, "it", {k});
  b.output("a", first);
  b.output("b", first + 1);
};
}  // namespace
DECLINES_LOADED("integers as real numbers", (rules::fold_constant), integers_cast, "it also reads other elements")
FIRES_LOADED("bytes that are only moved", (rules::fold_constant), (integers_moved<dtype::u8, false>),
             (integers_moved<dtype::u8, true>))
FIRES_LOADED("indices that are only moved", (rules::fold_constant), (integers_moved<dtype::i64, false>),
             (integers_moved<dtype::i64, true>))
DECLINES_LOADED("sums of integers", (rules::fold_constant), integers_combined, "it computes other elements than f32")
DECLINES_LOADED("integers that are looked up", (rules::fold_constant), integers_looked_up,
                "it computes other elements than f32")
DECLINES_LOADED("a constant of an operator that has no definition in constants", (rules::fold_constant),
                hardmax_of_constant, "nothing computes it before the network runs")
DECLINES("a constant in two parts", (rules::fold_constant), halves_of_constant, "it has several outputs")
