// SPDX-License-Identifier: BSL-1.0
// Expressions over weights become numbers: in the compiler and at run time, each part once, from scratch memory of the
// size that was asked for.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include <ctnn/weights/evaluate.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// A leaf for each of the names, then expressions over them.
struct expressions {
  ir::graph g;

  constexpr expression_id leaf(std::string_view name, const extents& shape) { return g.add_leaf("layer", name, shape); }
  template <class Op>
  constexpr expression_id add(const Op& op, const extents& shape, std::initializer_list<expression_id> of) {
    const field_values f = encode(op);
    expression e{&type_of<Op>, {}, {}, shape};
    e.arguments = g.store_operands({of.begin(), of.size()});
    e.fields = g.store_fields({f.data(), f.size()});
    g.expressions.push_back(e);
    return static_cast<expression_id>(g.expressions.size()) - 1;
  }
};

constexpr float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20}, none_of_them[] = {0};
constexpr auto numbers_by_name = [](const expression& e) -> const float* {
  return e.name == "a" ? a : e.name == "b" ? b : none_of_them;
};

/// (a * b) + a, b for each row of a; then the same rows as a column.
constexpr expressions rows_and_column() {
  expressions x;
  const auto left = x.leaf("a", {2, 3}), right = x.leaf("b", {2});
  x.leaf("nobody reads it", {1'000'000});
  const auto column = x.add(op::reshape{{2, 1}}, {2, 1}, {right});
  const auto product = x.add(op::binary{op::binary_function::mul}, {2, 3}, {left, column});
  const auto sum = x.add(op::binary{op::binary_function::add}, {2, 3}, {product, left});
  x.add(op::reshape{{6, 1}}, {6, 1}, {sum});
  return x;
}

constexpr std::array<float, 6> evaluated(expression_id e) {
  const expressions x = rows_and_column();
  const expression_evaluator evaluate(x.g.view(), e);
  pool<float> scratch(static_cast<std::size_t>(evaluate.scratch_size()), 0.0f);
  std::array<float, 6> out{};
  evaluate.run(numbers_by_name, scratch.data(), out.data());
  return out;
}

constexpr std::array<float, 6> wanted{11, 22, 33, 84, 105, 126};
static_assert(evaluated(5) == wanted);
static_assert(evaluated(6) == wanted);  // a view of them

}  // namespace

TEST_CASE("an expression is what its operators make of its leaves") {
  CHECK(evaluated(4) == std::array<float, 6>{10, 20, 30, 80, 100, 120});
  CHECK(evaluated(5) == wanted);
  CHECK(evaluated(6) == wanted);
  CHECK(evaluated(0) == std::array<float, 6>{1, 2, 3, 4, 5, 6});  // a leaf is copied
}

TEST_CASE("scratch memory is for what is between leaves and the result") {
  const expressions x = rows_and_column();
  const auto asked = [&](expression_id e) { return expression_evaluator(x.g.view(), e).scratch_size(); };
  CHECK(asked(0) == 0);
  CHECK(asked(3) == 0);  // a view
  CHECK(asked(4) == 0);
  CHECK(asked(5) == 6);  // the product
  CHECK(asked(6) == 12);
  std::vector<float> scratch(14, -1.0f), out(8, -1.0f);
  expression_evaluator(x.g.view(), 6).run(numbers_by_name, scratch.data() + 1, out.data() + 1);
  CHECK(scratch.front() == -1);
  CHECK(scratch.back() == -1);
  CHECK(out.front() == -1);
  CHECK(out.back() == -1);
}

TEST_CASE("a part that several read is computed once") {
  expressions x;
  const auto l = x.leaf("a", {6});
  const auto doubled = x.add(op::binary{op::binary_function::mul, 2.0f}, {6}, {l});
  const auto squared = x.add(op::binary{op::binary_function::mul}, {6}, {doubled, doubled});
  CHECK(expression_evaluator(x.g.view(), squared).scratch_size() == 6);
  int read = 0;
  std::vector<float> scratch(6), out(6);
  expression_evaluator(x.g.view(), squared)
      .run([&](const expression& e) { return ++read, numbers_by_name(e); }, scratch.data(), out.data());
  CHECK(read == 1);
  CHECK(out == std::vector<float>{4, 16, 36, 64, 100, 144});
}

TEST_CASE("weights of an operator in an expression come after its inputs") {
  expressions x;
  const auto in = x.leaf("a", {2, 3}), weight = x.leaf("a", {2, 3}), bias = x.leaf("b", {2});
  const auto product = x.add(op::linear{2, true}, {2, 2}, {in, weight, bias});
  const auto without = x.add(op::linear{2, false}, {2, 2}, {in, weight});
  const auto by_value = x.add(op::linear{2, true, {}, 1, 0, 1}, {2, 2}, {in, weight, bias});  // the weight is an input
  const auto seven = x.add(op::full{{2, 2}, 7}, {2, 2}, {});
  const auto run = [&](expression_id e) {
    std::vector<float> out(4);
    expression_evaluator(x.g.view(), e).run(numbers_by_name, nullptr, out.data());
    return out;
  };
  CHECK(run(product) == std::vector<float>{24, 52, 42, 97});
  CHECK(run(without) == std::vector<float>{14, 32, 32, 77});
  CHECK(run(by_value) == run(product));
  CHECK(run(seven) == std::vector<float>{7, 7, 7, 7});
}

namespace {

constexpr std::int8_t bytes[] = {1, -2, 3, -128, 127, 6};
constexpr std::int32_t words[] = {2'000'000'011, -7};

struct integer_leaves {
  constexpr typed_span numbers(const expression& e) const {
    if (e.element == dtype::i8) return {bytes, 6};
    return {words, 2};
  }
};
/// Integers keep their element through what only moves them.
struct moved : expressions {
  constexpr expression_id integers(std::string_view name, const extents& shape, dtype type) {
    const expression_id e = leaf(name, shape);
    g.expressions.back().element = type;
    return e;
  }
  template <class Op>
  constexpr expression_id move(const Op& op, const extents& shape, std::initializer_list<expression_id> of) {
    const element type = g.expressions[static_cast<std::size_t>(*of.begin())].element;
    const expression_id e = add(op, shape, of);
    g.expressions.back().element = type;
    return e;
  }
};
template <class T, std::size_t N>
constexpr bool holds(const moved& x, expression_id e, const std::array<T, N>& wanted) {
  bool same = false;
  with_integers(x.g.view(), e, integer_leaves{}, [&](const typed_span& all) {
    same = same_bits(all, {wanted.data(), wanted.size()});
  });
  return same;
}
/// The columns of a matrix but the middle one, one after the other; and two copies of two numbers.
constexpr bool moves_integers() {
  moved x;
  const auto matrix = x.integers("bytes", {2, 3}, dtype::i8), pair = x.integers("words", {2}, dtype::i32);
  op::slice first, last;
  first.axis = last.axis = {1};
  first.start = {0};
  first.end = {1};
  last.start = {2};
  last.end = {3};
  const auto left = x.move(first, {2, 1}, {matrix}), right = x.move(last, {2, 1}, {matrix});
  const auto both = x.move(op::concat{1}, {2, 2}, {left, right});
  const auto turned = x.move(op::permute{{1, 0}}, {2, 2}, {both});
  const auto row = x.move(op::reshape{{4}}, {4}, {turned});
  const auto twice = x.move(op::concat{0}, {4}, {pair, pair});
  return holds<std::int8_t, 4>(x, both, {1, 3, -128, 6}) && holds<std::int8_t, 4>(x, row, {1, -128, 3, 6}) &&
         holds<std::int8_t, 6>(x, x.move(op::reshape{{6}}, {6}, {matrix}), {1, -2, 3, -128, 127, 6}) &&
         holds<std::int32_t, 4>(x, twice, {2'000'000'011, -7, 2'000'000'011, -7});
}
static_assert(moves_integers());

}  // namespace

TEST_CASE("integers are moved as they are, in the compiler as well") { CHECK(moves_integers()); }
TEST_CASE("more integers than a float can count are moved, too") {
  constexpr int side = 4100;  // squared above 2^24
  std::vector<std::int8_t> many(static_cast<std::size_t>(side) * side);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int8_t>(i * 7 % 251);
  struct one_leaf {
    typed_span all;
    typed_span numbers(const expression&) const { return all; }
  };
  moved x;
  const auto matrix = x.integers("many", {side, side}, dtype::i8);
  op::slice some;
  some.axis = {0, 1};
  some.start = {1, side - 1};
  some.end = {side, 0};
  some.step = {1367, -911};
  const auto e = x.move(some, {3, 5}, {matrix});
  bool same = true;
  with_integers(x.g.view(), e, one_leaf{many}, [&](const typed_span& all) {
    REQUIRE(all.type() == dtype::i8);
    all.visit([&]<class T>(const T* first, std::size_t n) {
      REQUIRE(n == 15);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = 1 + i / 5 * 1367, column = side - 1 - i % 5 * 911;
        same = same && first[i] == static_cast<T>(many[row * side + column]);
      }
    });
  });
  CHECK(same);
}
TEST_CASE("integers that were moved become the real numbers that they stand for") {
  moved x;
  const auto matrix = x.integers("bytes", {2, 3}, dtype::i8);
  x.g.expressions.back().element.real = {0.5, 1};
  const auto turned = x.move(op::permute{{1, 0}}, {3, 2}, {matrix});
  const auto real = x.add(op::dequantize{}, {3, 2}, {turned});
  const expression_evaluator evaluate(x.g.view(), real);
  std::vector<float> scratch(static_cast<std::size_t>(evaluate.scratch_size())), out(6);
  struct leaves : integer_leaves {
    const float* operator()(const expression&) const { return nullptr; }
  };
  evaluate.run(leaves{}, scratch.data(), out.data());
  CHECK(out == std::vector<float>{0, -64.5f, -1.5f, 63, 1, 2.5f});
}
