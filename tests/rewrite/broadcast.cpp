// SPDX-License-Identifier: BSL-1.0
// rules/broadcast.hpp: copies, choices and sums over labels that a simpler operator says as well; GELU by erf.

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr auto sum = op::binary_function::add, times = op::binary_function::mul;
constexpr value_id image(builder& b, std::string_view name = "x", dtype type = dtype::f32) {
  return b.add(op::input{{2, 3, 4}, type}, name, {});
}

template <int First>
constexpr auto expanded_image = [](builder& b) {
  b.output("", b.relu("relu", b.add(op::expand{{First, 1, 4}}, "it", {image(b)})));
};
template <int Times>
constexpr auto tiled = [](builder& b) {
  b.output("", b.relu("relu", b.add(op::tile{{1, 1, Times}}, "it", {image(b)})));
};
constexpr auto rectified = [](builder& b) { b.output("", b.relu("relu", image(b))); };

template <int OtherRows, dtype Type>
constexpr auto expanded_sum = [](builder& b) {
  const value_id x = b.add(op::input{{1, 4}, Type}, "x", {}), y = b.add(op::input{{OtherRows, 4}, Type}, "y", {});
  b.output("", b.sum("it", y, b.add(op::expand{{3, 4}}, "wide", {x})));
};
template <dtype Type>
constexpr auto narrow_sum = [](builder& b) {
  const value_id x = b.add(op::input{{1, 4}, Type}, "x", {}), y = b.add(op::input{{3, 4}, Type}, "y", {});
  b.output("", b.sum("it", y, x));
};
constexpr auto expanded_scalar = [](builder& b) {
  b.output("", b.scalar("it", times, b.add(op::expand{{5, 2, 3, 4}}, "wide", {image(b)}), 2));
};

/// where(not c, x, y), where(c, y, x), where(c, not x, y).
enum class choice { negated, exchanged, of_negated };
template <choice C>
constexpr auto chosen = [](builder& b) {
  const value_id c = image(b, "c", dtype::boolean);
  const value_id x = image(b, "x", dtype::boolean), y = image(b, "y", dtype::boolean);
  const op::bitwise_not no{};
  if (C == choice::negated) b.output("", b.add(op::where{}, "it", {b.add(no, "not", {c}), x, y}));
  if (C == choice::exchanged) b.output("", b.add(op::where{}, "it", {c, y, x}));
  if (C == choice::of_negated) b.output("", b.add(op::where{}, "it", {c, b.add(no, "not", {x}), y}));
};
constexpr auto chosen_of_bits = [](builder& b) {
  const value_id c = image(b, "c", dtype::boolean), x = image(b, "x", dtype::i32), y = image(b, "y", dtype::i32);
  b.output("", b.add(op::where{}, "it", {c, b.add(op::bitwise_not{}, "not", {x}), y}));
};

template <char... Equation>
constexpr auto one_term = [](builder& b) {
  constexpr char text[] = {Equation...};
  b.output("", b.relu("relu", b.add(op::einsum::of(std::string_view(text, sizeof...(Equation))), "it", {image(b)})));
};
/// Two terms of shapes (2, A, B) and (2, C, D).
template <int A, int B, int C, int D, char... Equation>
constexpr auto two_terms = [](builder& b) {
  constexpr char text[] = {Equation...};
  const value_id x = b.input("x", {2, A, B}), y = b.input("y", {2, C, D});
  b.output("", b.add(op::einsum::of(std::string_view(text, sizeof...(Equation))), "it", {x, y}));
};
template <int A, int B, int C, int D, bool TurnX, bool TurnY, bool Exchange>
constexpr auto matrices = [](builder& b) {
  const value_id x = b.input("x", {2, A, B}), y = b.input("y", {2, C, D});
  b.output("",
           Exchange ? b.add(op::matmul{TurnY, TurnX}, "it", {y, x}) : b.add(op::matmul{TurnX, TurnY}, "it", {x, y}));
};

/// x / 2 (1 + erf(x / sqrt 2))
template <bool Divided, int HalfAt, int Tenths = 10>
constexpr auto by_erf = [](builder& b) {
  const value_id x = image(b);
  const value_id inner =
      Divided ? b.scalar("inner", op::binary_function::div, x, 1.4142135f) : b.scalar("inner", times, x, 0.70710678f);
  value_id gate = b.scalar("gate", sum, b.add(op::activation{{function::erf}}, "erf", {inner}), float(Tenths) / 10);
  if (HalfAt == 0) return b.output("", b.binary("it", times, b.scalar("half", times, x, 0.5f), gate));
  if (HalfAt == 1) return b.output("", b.binary("it", times, x, b.scalar("half", times, gate, 0.5f)));
  b.output("", b.scalar("it", times, b.binary("product", times, x, gate), 0.5f));
};
constexpr auto whole_gelu = [](builder& b) { b.output("", b.apply("it", image(b), function::gelu)); };

}  // namespace

FIRES_LOADED("expand to the same shape", (rules::one_view), expanded_image<2>, rectified)
FIRES_LOADED("tile once", (rules::one_view), tiled<1>, rectified)

FIRES_LOADED("expand > +", (rules::expanded_operand), (expanded_sum<3, dtype::f32>), narrow_sum<dtype::f32>)
FIRES_LOADED("expand > + of integers", (rules::expanded_operand), (expanded_sum<3, dtype::i64>), narrow_sum<dtype::i64>)
DECLINES_LOADED("expand > + one row", (rules::expanded_operand), (expanded_sum<1, dtype::f32>),
                "the result would be smaller")
DECLINES_LOADED("expand > * 2", (rules::expanded_operand), expanded_scalar, "it has no second operand")

FIRES_LOADED("where(not c, x, y)", (rules::where_not), chosen<choice::negated>, chosen<choice::exchanged>)
DECLINES_LOADED("where(c, not x, y)", (rules::where_not), chosen<choice::of_negated>,
                "it is a choice, not the condition")
DECLINES_LOADED("where(c, ~x, y)", (rules::where_not), chosen_of_bits, "it is a choice, not the condition")

FIRES_LOADED("einsum(abc -> abc)", (rules::einsum_nothing), (one_term<'a', 'b', 'c', '-', '>', 'a', 'b', 'c'>),
             rectified)
DECLINES_LOADED("einsum(abc -> acb)", (rules::einsum_nothing), (one_term<'a', 'b', 'c', '-', '>', 'a', 'c', 'b'>),
                "it sums or moves elements")
DECLINES_LOADED("einsum(abc -> ab)", (rules::einsum_nothing), (one_term<'a', 'b', 'c', '-', '>', 'a', 'b'>),
                "it sums or moves elements")

FIRES_LOADED("einsum(bik, bkj -> bij)", (rules::einsum_product),
             (two_terms<3, 4, 4, 5, 'b', 'i', 'k', ',', 'b', 'k', 'j', '-', '>', 'b', 'i', 'j'>),
             (matrices<3, 4, 4, 5, false, false, false>))
FIRES_LOADED("einsum(bik, bjk -> bij)", (rules::einsum_product),
             (two_terms<3, 4, 5, 4, 'b', 'i', 'k', ',', 'b', 'j', 'k', '-', '>', 'b', 'i', 'j'>),
             (matrices<3, 4, 5, 4, false, true, false>))
FIRES_LOADED("einsum(bki, bkj -> bji)", (rules::einsum_product),
             (two_terms<4, 3, 4, 5, 'b', 'k', 'i', ',', 'b', 'k', 'j', '-', '>', 'b', 'j', 'i'>),
             (matrices<4, 3, 4, 5, false, true, true>))
DECLINES_LOADED("einsum(bij, bij -> bij)", (rules::einsum_product),
                (two_terms<3, 4, 3, 4, 'b', 'i', 'j', ',', 'b', 'i', 'j', '-', '>', 'b', 'i', 'j'>),
                "it is not a product of matrices")
DECLINES_LOADED("einsum(bik, ckj -> bcij)", (rules::einsum_product),
                (two_terms<3, 4, 4, 5, 'b', 'i', 'k', ',', 'c', 'k', 'j', '-', '>', 'b', 'c', 'i', 'j'>),
                "it is not a product of matrices")
DECLINES_LOADED("einsum that broadcasts", (rules::einsum_product),
                (two_terms<3, 4, 1, 5, 'b', 'i', 'k', ',', 'b', 'k', 'j', '-', '>', 'b', 'i', 'j'>), "it broadcasts")

FIRES_LOADED("x/2 (1 + erf(x / 1.414))", (rules::gelu_by_erf), (by_erf<true, 0>), whole_gelu)
FIRES_LOADED("x ((1 + erf(x * 0.707))/2)", (rules::gelu_by_erf), (by_erf<false, 1>), whole_gelu)
FIRES_LOADED("(x (1 + erf(x * 0.707)))/2", (rules::gelu_by_erf), (by_erf<false, 2>), whole_gelu)
DECLINES_LOADED("x/2 (2 + erf(x / 1.414))", (rules::gelu_by_erf), (by_erf<true, 0, 20>),
                "it is not x / 2 times 1 + the function of x that GELU has")

namespace {
/// Terms of any shapes.
template <int... D>
constexpr value_id term(builder& b, std::string_view name) {
  return b.input(name, {D...});
}
constexpr auto one_to_matmul = [](builder& b) { b.output("", b.add(op::einsum::of("bij->bji"), "it", {image(b)})); };
constexpr auto two_to_nothing = [](builder& b) {
  b.output("", b.add(op::einsum::of("ij,ij->ij"), "it", {b.input("x", {2, 3}), b.input("y", {2, 3})}));
};
constexpr auto vectors_apart = [](builder& b) {
  b.output("", b.add(op::einsum::of("k,i->i"), "it", {b.input("x", {2}), b.input("y", {3})}));
};
template <bool First>
constexpr auto vector_and_matrix = [](builder& b) {
  const value_id v = b.input("x", {2}), m = b.input("y", {3, 4});
  b.output("",
           First ? b.add(op::einsum::of("k,ij->ij"), "it", {v, m}) : b.add(op::einsum::of("ij,k->ij"), "it", {m, v}));
};
constexpr auto diagonal = [](builder& b) {
  b.output("", b.add(op::einsum::of("ij,jj->ij"), "it", {b.input("x", {2, 3}), b.input("y", {3, 3})}));
};
constexpr auto batches_inside = [](builder& b) {
  b.output("", b.add(op::einsum::of("ibk,bkj->bij"), "it", {b.input("x", {3, 2, 4}), b.input("y", {2, 4, 5})}));
};
template <int First, int Second>
constexpr auto one_batch = [](builder& b) {
  b.output("",
           b.add(op::einsum::of("bik,bkj->bij"), "it", {b.input("x", {First, 3, 4}), b.input("y", {Second, 4, 5})}));
};
constexpr std::string_view no_matrices = "it is not a product of matrices";
}  // namespace
DECLINES_LOADED("einsum of two", (rules::einsum_nothing), two_to_nothing, "it has several operands")
DECLINES_LOADED("einsum of one", (rules::einsum_product), one_to_matmul, "it has not two operands")
DECLINES_LOADED("a vector times the sum of another", (rules::einsum_product), vectors_apart, no_matrices)
DECLINES_LOADED("a matrix times the sum of a vector", (rules::einsum_product), vector_and_matrix<true>, no_matrices)
DECLINES_LOADED("a matrix times the sum of a vector behind", (rules::einsum_product), vector_and_matrix<false>,
                no_matrices)
DECLINES_LOADED("a matrix times a diagonal", (rules::einsum_product), diagonal, no_matrices)
DECLINES_LOADED("batches that are not first", (rules::einsum_product), batches_inside,
                "its batches are in another order")
DECLINES_LOADED("one batch for many", (rules::einsum_product), (one_batch<1, 2>), "it broadcasts")
DECLINES_LOADED("many batches for one", (rules::einsum_product), (one_batch<2, 1>), "it broadcasts")

namespace {

/// where of a constant condition, of values of these shapes.
template <numbers_are All, int Rows = 3, int OtherRows = 3>
constexpr auto known_choice = [](builder& b) {
  const value_id c = b.add(op::constant{{3, 4}, dtype::boolean}, "c", {});
  b.g.expressions.back().numbers = All;
  const value_id x = b.input("x", {Rows, 4}), y = b.input("y", {OtherRows, 4});
  b.output("", b.relu("relu", b.add(op::where{}, "it", {c, x, y})));
};
template <bool First>
constexpr auto chosen_alone = [](builder& b) {
  const value_id x = b.input("x", {3, 4}), y = b.input("y", {3, 4});
  b.output("", b.relu("relu", First ? x : y));
};
constexpr auto given_choice = [](builder& b) {
  const value_id c = b.add(op::input{{3, 4}, dtype::boolean}, "c", {});
  const value_id x = b.input("x", {3, 4}), y = b.input("y", {3, 4});
  b.output("", b.relu("relu", b.add(op::where{}, "it", {c, x, y})));
};

}  // namespace

FIRES_LOADED("where of true", (rules::where_constant), known_choice<numbers_are::ones>, chosen_alone<true>)
FIRES_LOADED("where of false", (rules::where_constant), known_choice<numbers_are::zeros>, chosen_alone<false>)
DECLINES_LOADED("where of true and false", (rules::where_constant), known_choice<numbers_are::anything>,
                "its condition is not known to be all true or all false")
DECLINES_LOADED("where of true, of a row", (rules::where_constant), (known_choice<numbers_are::ones, 1>),
                "the result would be smaller")
DECLINES_LOADED("where of an input", (rules::where_constant), given_choice, "its condition is not constant")
