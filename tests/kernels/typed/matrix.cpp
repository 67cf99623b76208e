// SPDX-License-Identifier: BSL-1.0
// Products of matrices.
#include "run_typed.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("matmul of any type, batched and broadcast") {
  const array a = make<std::int32_t>({2, 2}, {1, 2, 3, 4}), b = make<std::int32_t>({2, 2}, {5, 6, 7, 8});
  require_equal<std::int32_t>(run_typed(op::matmul{}, {a, b})[0], {2, 2}, {19, 22, 43, 50});
  require_near(run_typed(op::matmul{}, {make<double>({2}, {1, 2}), make<double>({2}, {3, 4})})[0], {}, {11});
  require_near(run_typed(op::matmul{}, {make_half({2, 1, 2}, {1, 2, 3, 4}), make_half({2, 1}, {1, 10})})[0], {2, 1, 1},
               {21, 43});
  description d;
  CHECK(problem_of(op::matmul{}, {a, make<std::int32_t>({3, 1}, {1, 2, 3})}, d).kind == mistake::operand_mismatch);
}

TEST_CASE("products of turned and scaled matrices") {
  const array a = make<float>({2, 3}, {1, 2, 3, 4, 5, 6}), b = make<float>({2, 2}, {1, 0, 0, 1});
  require_near(run_typed(op::matmul{true, false, 2}, {a, b})[0], {3, 2}, {2, 8, 4, 10, 6, 12});
  require_near(run_typed(op::matmul{false, true}, {b, make<float>({3, 2}, {1, 2, 3, 4, 5, 6})})[0], {2, 3},
               {1, 3, 5, 2, 4, 6});
}

TEST_CASE("einsum in its common forms") {
  const array a = make<float>({2, 2}, {1, 2, 3, 4}), b = make<float>({2, 2}, {5, 6, 7, 8});
  require_near(run_typed(op::einsum::of("ij,jk->ik"), {a, b})[0], {2, 2}, {19, 22, 43, 50});
  require_near(run_typed(op::einsum::of("ij,jk"), {a, b})[0], {2, 2}, {19, 22, 43, 50});
  require_near(run_typed(op::einsum::of("ij -> ji"), {a})[0], {2, 2}, {1, 3, 2, 4});
  require_near(run_typed(op::einsum::of("ii->i"), {a})[0], {2}, {1, 4});
  require_near(run_typed(op::einsum::of("ii"), {a})[0], {}, {5});
  require_near(run_typed(op::einsum::of("ij->i"), {a})[0], {2}, {3, 7});
  require_near(run_typed(op::einsum::of("i,j->ij"), {make<float>({2}, {1, 2}), make<float>({3}, {1, 2, 3})})[0], {2, 3},
               {1, 2, 3, 2, 4, 6});
  require_near(run_typed(op::einsum::of("...ij,...jk->...ik"),
                         {make<float>({2, 1, 2}, {1, 2, 3, 4}), make<float>({1, 2, 1}, {1, 10})})[0],
               {2, 1, 1}, {21, 43});
  require_near(run_typed(op::einsum::of("bij,bij->b"),
                         {make<float>({2, 1, 2}, {1, 2, 3, 4}), make<float>({2, 1, 2}, {1, 2, 3, 4})})[0],
               {2}, {5, 25});
  description d;
  for (const char* wrong : {"ij,jk->il", "ij", "ij,jk->ii", "i,jk->ik", "ij,jk->ik,"})
    CHECK(problem_of(op::einsum::of(wrong), {a, b}, d));
}

namespace {

/// torch.einsum by its definition: for every value of all labels a product is added where the output's labels say.
array summed(const std::string& equation, const std::vector<array>& in) {
  const std::size_t arrow = equation.find("->");
  std::vector<std::string> terms(1);
  for (const char c : equation.substr(0, arrow))
    if (c == ',') terms.emplace_back();
    else terms.back() += c;
  const std::string result = equation.substr(arrow + 2);
  std::map<char, int> sizes, at;
  for (std::size_t k = 0; k < in.size(); ++k)
    for (std::size_t i = 0; i < terms[k].size(); ++i) sizes[terms[k][i]] = in[k].shape()[static_cast<int>(i)];
  extents shape;
  for (const char c : result) shape.push_back(sizes[c]);
  array y(shape);
  const auto place = [&](const std::string& labels) {
    std::size_t p = 0;
    for (const char c : labels) p = p * static_cast<std::size_t>(sizes[c]) + static_cast<std::size_t>(at[c]);
    return p;
  };
  for (const auto& [label, size] : sizes) at[label] = 0;
  for (bool more = true; more;) {
    float product = 1;
    for (std::size_t k = 0; k < in.size(); ++k) product *= in[k][place(terms[k])];
    y.data()[place(result)] += product;
    more = false;
    for (auto& [label, value] : at) {
      if (++value < sizes[label]) {
        more = true;
        break;
      }
      value = 0;
    }
  }
  return y;
}

}  // namespace

TEST_CASE("einsum is a sum over the values of its labels") {
  const auto some = [](const extents& shape, int seed) {
    array a(shape);
    for (std::size_t i = 0; i < a.size(); ++i)
      a.data()[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 11) - 5;
    return a;
  };
  const array ij = some({2, 3}, 1), jk = some({3, 4}, 2), bij = some({2, 3, 4}, 3), bjk = some({2, 4, 3}, 4),
              ii = some({3, 3}, 5), i = some({3}, 6);
  const std::pair<std::string, std::vector<array>> cases[] = {
      {"ij,jk->ik", {ij, jk}},      {"ij,jk->ki", {ij, jk}},
      {"bij,bjk->bik", {bij, bjk}}, {"bij,bkj->kib", {bij, bij}},
      {"bij,cji->bc", {bij, bjk}},  {"ij,jk,li->lk", {ij, jk, some({5, 2}, 7)}},
      {"ii,i->", {ii, i}},          {"ii,i,ij->ji", {ii, i, some({3, 2}, 8)}},
      {"bij->jb", {bij}},           {"i,j,k->kji", {i, some({2}, 9), some({4}, 10)}}};
  for (const auto& [equation, in] : cases) {
    const std::string called = equation;  // a lambda cannot have what a declaration took apart
    CAPTURE(called);
    const array want = summed(equation, in);
    require_near(run_typed(op::einsum::of(equation), in)[0], want.shape(),
                 {want.values().begin(), want.values().end()});
  }
}

TEST_CASE("determinants") {
  require_near(run_typed(op::det{}, {make<float>({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})})[0], {2}, {-2, -1});
  require_near(run_typed(op::det{}, {make<float>({3, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1})})[0], {}, {0});
}
