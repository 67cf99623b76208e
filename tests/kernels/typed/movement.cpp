// SPDX-License-Identifier: BSL-1.0
// Operators that move elements, for elements of every size.
#include <algorithm>
#include <vector>

#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("permute, concat, split and slice move elements of any type") {
  const array x = counting<std::int64_t>({2, 3});
  require_equal<std::int64_t>(run_typed(op::permute{{1, 0}}, {x})[0], {3, 2}, {0, 3, 1, 4, 2, 5});
  require_equal<std::int64_t>(run_typed(op::concat{1}, {x, x})[0], {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  const auto parts = run_typed(op::split{{1, 2}, 1}, {counting<std::uint8_t>({2, 3})});
  require_equal<std::uint8_t>(parts[0], {2, 1}, {0, 3});
  require_equal<std::uint8_t>(parts[1], {2, 2}, {1, 2, 4, 5});
  require_equal<bool>(run_typed(op::slice{{0}, {1}, {2}}, {make<bool>({2, 2}, {0, 0, 1, 0})})[0], {1, 2}, {1, 0});
  require_equal<std::int64_t>(run_typed(op::reshape{{3, -1}}, {x})[0], {3, 2}, {0, 1, 2, 3, 4, 5});
}

template <class T>
void permute_all_ways() {
  const extents shape{2, 9, 70, 37};
  array x(shape, type_for<T>);
  for (std::size_t i = 0; i < x.size(); ++i) x.elements<T>()[i] = static_cast<T>(i * 2654435761u >> 7);
  std::vector<int> order{0, 1, 2, 3};
  do {
    op::permute p;
    p.order = {order[0], order[1], order[2], order[3]};
    const array got = run_typed(p, {x})[0];
    const extents& to = got.shape();
    std::size_t i = 0;
    bool same = true;
    int at[4]{};
    for (at[0] = 0; at[0] < to[0]; ++at[0])
      for (at[1] = 0; at[1] < to[1]; ++at[1])
        for (at[2] = 0; at[2] < to[2]; ++at[2])
          for (at[3] = 0; at[3] < to[3]; ++at[3]) {
            std::size_t from = 0;
            for (int a = 0; a < 4; ++a)  // axis a of x is axis k of the result
              for (int k = 0; k < 4; ++k)
                if (order[static_cast<std::size_t>(k)] == a)
                  from = from * static_cast<std::size_t>(shape[a]) + static_cast<std::size_t>(at[k]);
            same = same && got.elements<T>()[i++] == x.elements<T>()[from];
          }
    CHECK(same);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("permute turns whole lines of elements of any size") {
  permute_all_ways<std::uint8_t>();
  permute_all_ways<std::int16_t>();
  permute_all_ways<std::int32_t>();
  permute_all_ways<std::int64_t>();
}

TEST_CASE("slices with steps, as Python's") {
  const array x = counting<std::int32_t>({5});
  const auto cut = [&](int start, int end, int step) {
    return run_typed(op::slice{{0}, {start}, {end}, {step}}, {x})[0];
  };
  require_equal<std::int32_t>(cut(0, 5, 2), {3}, {0, 2, 4});
  require_equal<std::int32_t>(cut(-1, -6, -1), {5}, {4, 3, 2, 1, 0});
  require_equal<std::int32_t>(cut(10, -100, -2), {3}, {4, 2, 0});
  require_equal<std::int32_t>(cut(1, -1, 1), {3}, {1, 2, 3});
  require_equal<std::int32_t>(cut(3, 1, 1), {0}, {});
  require_equal<std::int32_t>(cut(-100, 100, 3), {2}, {0, 3});
}

TEST_CASE("expand and tile repeat") {
  require_equal<std::int16_t>(run_typed(op::expand{{2, 1, 3}}, {make<std::int16_t>({2, 1}, {7, 8})})[0], {2, 2, 3},
                              {7, 7, 7, 8, 8, 8, 7, 7, 7, 8, 8, 8});
  require_near(run_typed(op::tile{{2, 2}}, {make<float>({1, 2}, {1, 2})})[0], {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
  const array x = counting<std::int16_t>({2, 1, 2});
  require_equal<std::int16_t>(run_typed(op::tile{{1, 3, 1}}, {x})[0], {2, 3, 2}, {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3});
  require_equal<std::int16_t>(run_typed(op::tile{{2, 1, 3}}, {x})[0], {4, 1, 6},
                              {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3});
  require_equal<std::int16_t>(run_typed(op::tile{{1, 1, 1}}, {x})[0], {2, 1, 2}, {0, 1, 2, 3});
  require_equal<std::int16_t>(run_typed(op::tile{{1, 0, 2}}, {x})[0], {2, 0, 4}, {});
  require_equal<std::int16_t>(run_typed(op::tile{{}}, {make<std::int16_t>({}, {5})})[0], {}, {5});
  for (int n : {63, 64, 65, 129, 6000}) {  // one number and blocks of three again and again
    const array many = run_typed(op::expand{{2, n}}, {make<std::int16_t>({2, 1}, {7, 8})})[0];
    const array turns = run_typed(op::tile{{1, n}}, {counting<std::int16_t>({2, 3})})[0];
    const auto all = many.elements<std::int16_t>(), thirds = turns.elements<std::int16_t>();
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i) right = right && all[i] == (i < all.size() / 2 ? 7 : 8);
    for (std::size_t i = 0; i < thirds.size(); ++i)
      right = right && thirds[i] == static_cast<int>(i % 3 + (i < thirds.size() / 2 ? 0 : 3));
    CHECK(right);
  }
  require_equal<bool>(run_typed(op::expand{{0, 2}}, {make<bool>({1}, {1})})[0], {0, 2}, {});
}

TEST_CASE("padding in every mode") {
  using enum op::pad_mode;
  const array x = make<std::int32_t>({3}, {1, 2, 3});
  require_equal<std::int32_t>(run_typed(op::pad{constant, {2}, {1}, 9}, {x})[0], {6}, {9, 9, 1, 2, 3, 9});
  require_equal<std::int32_t>(run_typed(op::pad{reflect, {2}, {2}}, {x})[0], {7}, {3, 2, 1, 2, 3, 2, 1});
  require_equal<std::int32_t>(run_typed(op::pad{edge, {2}, {1}}, {x})[0], {6}, {1, 1, 1, 2, 3, 3});
  require_equal<std::int32_t>(run_typed(op::pad{wrap, {2}, {4}}, {x})[0], {9}, {2, 3, 1, 2, 3, 1, 2, 3, 1});
  require_equal<std::int32_t>(run_typed(op::pad{constant, {-1}, {1}}, {x, make<std::int32_t>({}, {5})})[0], {3},
                              {2, 3, 5});
  require_near(run_typed(op::pad{constant, {0, 1}, {1, 0}, 0.5}, {make_half({1, 1}, {2})})[0], {2, 2},
               {0.5f, 2, 0.5f, 0.5f});
}

TEST_CASE("triangles, diagonals and ranges") {
  const array x = counting<std::int64_t>({3, 3}, 1);
  require_equal<std::int64_t>(run_typed(op::trilu{true, 1}, {x})[0], {3, 3}, {0, 1, 2, 0, 0, 5, 0, 0, 0});
  require_equal<std::int64_t>(run_typed(op::trilu{false, -1}, {x})[0], {3, 3}, {0, 0, 0, 3, 0, 0, 6, 7, 0});
  require_equal<std::int32_t>(run_typed(op::eye{{2, 3}, 1, dtype::i32}, {})[0], {2, 3}, {0, 1, 0, 0, 0, 1});
  require_equal<std::int64_t>(run_typed(op::arange{10, -3, 3, dtype::i64}, {})[0], {3}, {10, 7, 4});
  require_near(run_typed(op::arange{1, 0.5, 3, dtype::f16}, {})[0], {3}, {1, 1.5f, 2});
}

TEST_CASE("sequences are reversed up to their lengths") {
  const array x = counting<float>({3, 2});
  require_near(run_typed(op::reverse_sequence{1, 0}, {x, make<std::int64_t>({2}, {2, 3})})[0], {3, 2},
               {2, 5, 0, 3, 4, 1});
  require_near(run_typed(op::reverse_sequence{0, 1}, {counting<float>({2, 3}), make<std::int64_t>({2}, {1, 3})})[0],
               {2, 3}, {0, 1, 2, 5, 4, 3});
}
