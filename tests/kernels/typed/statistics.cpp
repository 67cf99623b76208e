// SPDX-License-Identifier: BSL-1.0
// Normalisation by statistics, against hand values.
#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("layer and rms normalisation") {
  const array x = make<float>({2, 2}, {1, 3, -2, 6}), scale = make<float>({2}, {2, 1}),
              bias = make<float>({2}, {0, 10});
  op::layer_norm p{-1, 0, true};
  const auto y = run_typed(p, {x, scale, bias});
  require_near(y[0], {2, 2}, {-2, 11, -2, 11});
  require_near(y[1], {2, 1}, {2, 2});
  require_near(y[2], {2, 1}, {1, 0.25f});
  require_near(run_typed(op::rms_norm{-1, 0}, {make<float>({1, 2}, {3, 4}), scale})[0], {1, 2},
               {6 / 3.5355339f, 4 / 3.5355339f});
  require_near(run_typed(op::rms_norm{0, 0}, {make_half({2}, {3, 4}), make_half({2}, {2, 1})})[0], {2},
               {6 / 3.5355339f, 4 / 3.5355339f}, 1e-3f);
}

TEST_CASE("norms refuse scales that are no floats") {
  element out;
  const element mixed[] = {dtype::f32, dtype::f64}, bytes[] = {dtype::f32, dtype::i8};
  CHECK(!op::rms_norm{}.infer_types(mixed, {&out, 1}));
  CHECK(op::rms_norm{}.infer_types(bytes, {&out, 1}));
  CHECK(op::layer_norm{}.infer_types(bytes, {&out, 1}));
}

TEST_CASE("groups of channels") {
  const array x = make<float>({1, 4, 1}, {1, 3, 10, 30}), scale = make<float>({4}, {1, 1, 2, 2}),
              bias = make<float>({4}, {0, 0, 0, 1});
  require_near(run_typed(op::group_norm{2, 0, 1}, {x, scale, bias})[0], {1, 4, 1}, {-1, 1, -2, 3});
  require_near(run_typed(op::group_norm{2, 0, 1}, {x, make<float>({2}, {1, 2}), make<float>({2}, {0, 1})})[0],
               {1, 4, 1}, {-1, 1, -1, 3});
  require_near(run_typed(op::group_norm{1, 0, 1},
                         {make<double>({1, 1, 2}, {1, 3}), make<double>({1}, {1}), make<double>({1}, {0})})[0],
               {1, 1, 2}, {-1, 1});
}

TEST_CASE("batch normalisation with parameters that are values") {
  op::batch_norm p{0, 1};
  p.given = 15;
  require_near(run_typed(p, {make<float>({1, 2, 1}, {3, 5}), make<float>({2}, {2, 1}), make<float>({2}, {1, 0}),
                             make<float>({2}, {1, 1}), make<float>({2}, {4, 16})})[0],
               {1, 2, 1}, {3, 1});
  // All digits of a double: (1 + 1e-12 - 1) / 1e-6.
  const array one = make<double>({1}, {1}), zero = make<double>({1}, {0}), small = make<double>({1}, {1e-12});
  require_near(run_typed(p, {make<double>({1, 1}, {1 + 1e-12}), one, zero, one, small})[0], {1, 1}, {1e-6f});
}

TEST_CASE("nothing finite is divided by a root of 0, or it counts as what the operator says") {
  op::batch_norm p{0, 1};
  p.given = 15;
  const array x = make<float>({1, 1}, {3}), one = make<float>({1}, {1}), zero = make<float>({1}, {0});
  CHECK(!std::isfinite(run_typed(p, {x, one, zero, zero, zero})[0].values()[0]));
  p.zero_root = 1e-4f;
  require_near(run_typed(p, {x, one, zero, zero, zero})[0], {1, 1}, {30000});
}

TEST_CASE("norms, mean and variance, neighbouring channels") {
  require_near(run_typed(op::lp_normalize{1, 2}, {make<float>({2, 2}, {3, 4, 0, 0})})[0], {2, 2}, {0.6f, 0.8f, 0, 0});
  require_near(run_typed(op::lp_normalize{1, 1}, {make<float>({1, 2}, {-1, 3})})[0], {1, 2}, {-0.25f, 0.75f});
  require_near(run_typed(op::lp_normalize{1, 2, 10}, {make<float>({2, 2}, {3, 4, 30, 40})})[0], {2, 2},
               {0.3f, 0.4f, 0.6f, 0.8f});
  require_near(run_typed(op::mean_variance_normalize{{0}, 3}, {make<float>({2, 1}, {1, 3})})[0], {2, 1}, {-0.5f, 0.5f});
  require_near(run_typed(op::mean_variance_normalize{{0}}, {make<float>({2, 2}, {1, 10, 3, 30})})[0], {2, 2},
               {-1, -1, 1, 1});
  require_near(run_typed(op::local_response_norm{3, 3, 1, 1}, {make<float>({3, 1, 1}, {1, 2, 3})})[0], {3, 1, 1},
               {1.0f / 6, 2.0f / 15, 3.0f / 14});
}

/// What all elements whose other axes are alike have in common: by their index in `axes`' place.
template <class F>
void for_each_alike(const extents& shape, unsigned bits, F f) {
  const std::int64_t n = shape.count();
  std::vector<std::vector<std::size_t>> alike(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t rest = i, step = 1, place = 0;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
      if ((bits >> axis & 1u) == 0) place += rest % shape[axis] * step;
      rest /= shape[axis];
      step *= shape[axis];
    }
    alike[static_cast<std::size_t>(place)].push_back(static_cast<std::size_t>(i));
  }
  for (const auto& group : alike)
    if (!group.empty()) f(group);
}

TEST_CASE("norms, mean and variance of long and short rows along any axes") {
  const extents shape{3, 19, 2, 37};
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < shape.count(); ++i)
    numbers.push_back(static_cast<float>(i * 7919 % 1009) / 64 - static_cast<float>(i % 5));
  const array x = make<float>(shape, numbers);
  for (int axis = 0; axis < 4; ++axis)
    for (int p : {1, 2}) {
      std::vector<float> want(numbers.size());
      for_each_alike(shape, 1u << axis, [&](const auto& group) {
        double norm = 0;
        for (std::size_t i : group) norm += std::pow(std::abs(static_cast<double>(numbers[i])), p);
        if (p == 2) norm = std::sqrt(norm);
        for (std::size_t i : group) want[i] = static_cast<float>(static_cast<double>(numbers[i]) / norm);
      });
      require_near(run_typed(op::lp_normalize{axis, p}, {x})[0], shape, want);
    }
  for (const list<int>& axes : {list<int>{0, 2, 3}, list<int>{2, 3}, list<int>{1}, list<int>{3}, list<int>{0, 2},
                                list<int>{0, 1, 2}, list<int>{0, 1, 2, 3}}) {
    unsigned bits = 0;
    for (int axis : axes) bits |= 1u << axis;
    std::vector<float> want(numbers.size());
    for_each_alike(shape, bits, [&](const auto& group) {
      double sum = 0, squares = 0;
      for (std::size_t i : group) sum += static_cast<double>(numbers[i]);
      const double n = static_cast<double>(group.size()), mean = sum / n;
      for (std::size_t i : group) squares += std::pow(static_cast<double>(numbers[i]) - mean, 2);
      for (std::size_t i : group)
        want[i] = static_cast<float>((static_cast<double>(numbers[i]) - mean) / (std::sqrt(squares / n) + 1e-9));
    });
    require_near(run_typed(op::mean_variance_normalize{axes}, {x})[0], shape, want);
  }
}
