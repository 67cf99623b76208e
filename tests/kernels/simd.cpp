// SPDX-License-Identifier: BSL-1.0
// The vector vocabulary against libm and against the scalar definitions, for every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/simd/simd-inl.hpp>

CTNN_BEGIN_TARGET

/// out[i] = f(in[i]); count need not be a multiple of the lanes.
inline void map(const activation_function& f, const float* in, float* out, int count) {
  for (int i = 0; i < count; i += lanes) {
    const int n = count - i < lanes ? count - i : lanes;
    store_bounded(apply_activation(f, load_bounded(in + i, n)), out + i, n);
  }
}

inline void map_exp(const float* in, float* out, int count, bool up_to_zero) {
  for (int i = 0; i < count; i += lanes) {
    const int n = count - i < lanes ? count - i : lanes;
    const vec x = load_part(in + i, n);
    store_part(up_to_zero ? exp_up_to_zero(x) : exp(x), out + i, n);
  }
}

/// Copies n numbers at most by one vector; returns its lanes.
inline int copy_part(const float* in, float* out, int n, float otherwise) {
  if (n <= lanes) store_part(load_part_or(in, n, set(otherwise)), out, n);
  return lanes;
}

inline void reduce(const float* in, float* out) {
  out[0] = static_cast<float>(lanes);
  out[1] = sum(loadu(in));
  out[2] = max_of(loadu(in));
  out[3] = min_of(loadu(in));
}

CTNN_END_TARGET

#if HWY_ONCE

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dispatched_targets.hpp"

namespace ctnn::ir {

HWY_EXPORT(map);
HWY_EXPORT(map_exp);
HWY_EXPORT(copy_part);
HWY_EXPORT(reduce);

TEST_CASE("vector activations are the scalar ones") {
  std::vector<float> x;
  for (int i = -2000; i <= 2000; ++i) x.push_back(static_cast<float>(i) * 0.0123f);
  for (float v : {0.0f, -0.0f, 1e-7f, -1e-7f, 1e-3f, -1e-3f, 80.0f, -80.0f, 3e38f, -3e38f}) x.push_back(v);
  std::vector<float> y(x.size() + 1, 7.0f);
  const activation_function all[] = {{function::none},
                                     {function::relu},
                                     {function::leaky_relu, 0.1f},
                                     {function::clip, -1, 6},
                                     {function::sigmoid},
                                     {function::tanh},
                                     {function::hardsigmoid, 1.0f / 6, 0.5f},
                                     {function::hardswish, 1.0f / 6, 0.5f},
                                     {function::elu, 0.7f},
                                     {function::silu},
                                     {function::mish},
                                     {function::gelu},
                                     {function::gelu_tanh}};
  for_each_dispatched_target([&] {
    for (const activation_function& f : all) {
      HWY_DYNAMIC_DISPATCH(map)(f, x.data(), y.data(), static_cast<int>(x.size()));
      float worst = 0;
      // Sums that cancel (hard ones, and the logarithm of 1 + e^x in the scalar mish) are exact to units of 1 only.
      const bool cancels = f.kind == function::hardsigmoid || f.kind == function::hardswish ||
                           f.kind == function::mish || f.kind >= function::gelu;
      const float least = cancels ? 1.0f : 1e-30f;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float want = apply(f, x[i]);
        if (want == y[i]) continue;
        worst = std::max(worst, std::fabs(y[i] - want) / std::max(std::fabs(want), least));
      }
      CAPTURE(static_cast<int>(f.kind));
      CHECK(worst < 8e-7f);
      CHECK(y.back() == 7.0f);
    }
  });
}

TEST_CASE("exp within 3 units in the last place, and its ends") {
  std::vector<float> x;
  for (int i = -10300; i <= 8870; ++i) x.push_back(static_cast<float>(i) * 0.01f);
  std::vector<float> y(x.size());
  const float ends[] = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN(), 0.0f, 100.0f, -200.0f};
  float at_ends[6];
  for_each_dispatched_target([&] {
    HWY_DYNAMIC_DISPATCH(map_exp)(x.data(), y.data(), static_cast<int>(x.size()), false);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = std::exp(static_cast<double>(x[i]));
      const double unit = std::max(want * 1.1920929e-7, 1.4e-45);
      worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - want) / unit);
    }
    CHECK(worst < 3);
    HWY_DYNAMIC_DISPATCH(map_exp)(ends, at_ends, 6, false);
    CHECK(at_ends[0] == std::numeric_limits<float>::infinity());
    CHECK(at_ends[1] == 0.0f);
    CHECK(std::isnan(at_ends[2]));
    CHECK(at_ends[3] == 1.0f);
    CHECK(at_ends[4] == std::numeric_limits<float>::infinity());
    CHECK(at_ends[5] == 0.0f);
    HWY_DYNAMIC_DISPATCH(map_exp)(x.data(), y.data(), static_cast<int>(x.size()), true);
    for (std::size_t i = 0; x[i] <= 0; ++i) {
      const double want = std::exp(static_cast<double>(x[i]));
      REQUIRE(std::fabs(static_cast<double>(y[i]) - want) < std::max(3 * want * 1.1920929e-7, 1.7e-38));
    }
    HWY_DYNAMIC_DISPATCH(map_exp)(ends + 1, at_ends, 5, true);
    CHECK(at_ends[0] == 0.0f);
    CHECK(std::isnan(at_ends[1]));
    CHECK(at_ends[2] == 1.0f);
    CHECK(at_ends[4] == 0.0f);
  });
}

TEST_CASE("functions and their inverses within some units in the last place of libm") {
  struct measured {
    function kind;
    double (*libm)(double);
    double units;
  };
  const measured all[] = {
      {function::sin, std::sin, 3},     {function::cos, std::cos, 3},     {function::tan, std::tan, 4},
      {function::asin, std::asin, 3},   {function::acos, std::acos, 3},   {function::atan, std::atan, 3},
      {function::sinh, std::sinh, 4},   {function::cosh, std::cosh, 4},   {function::asinh, std::asinh, 4},
      {function::acosh, std::acosh, 4}, {function::atanh, std::atanh, 4}, {function::log, std::log, 2}};
  std::vector<float> x;  // of every magnitude and sign, infinities, NaN and both zeros
  for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 65521) {
    const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::fabs(v) < 16000 || !std::isfinite(v) || bits % 64 == 0) x.push_back(v);
  }
  for (int i = -40000; i <= 40000; ++i) x.push_back(static_cast<float>(i) / 16384);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (float v : {0.0f, 1.0f, 0.5f, infinity, 89.4f, 89.42f, 0.99999994f, 1.0000001f, std::nanf("")})
    x.push_back(v), x.push_back(-v);
  std::vector<float> y(x.size());
  for_each_dispatched_target([&] {
    for (const measured& f : all) {
      HWY_DYNAMIC_DISPATCH(map)({f.kind}, x.data(), y.data(), static_cast<int>(x.size()));
      double worst = 0;
      std::size_t at = 0, other_kinds = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = f.libm(static_cast<double>(x[i]));
        const float near = static_cast<float>(want);
        if (std::isnan(near) || std::isinf(near) || near == 0 || std::isnan(y[i])) {
          const bool same =
              std::isnan(near) ? std::isnan(y[i]) : y[i] == near && std::signbit(y[i]) == std::signbit(near);
          other_kinds += same ? 0 : 1;
          continue;
        }
        const double unit = static_cast<double>(std::nextafter(std::fabs(near), infinity)) - std::fabs(near);
        const double off = std::fabs(static_cast<double>(y[i]) - want) / unit;
        if (off > worst) worst = off, at = i;
      }
      const std::string name(name_of(f.kind));
      CAPTURE(name);
      CAPTURE(x[at]);
      CHECK(other_kinds == 0);
      CHECK(worst < f.units);
    }
  });
}

TEST_CASE("parts of vectors touch nothing else") {
  for_each_dispatched_target([&] {
    int lanes = 1;
    for (int n = 0; n <= lanes; ++n) {
      float in[16], out[18];
      for (int i = 0; i < 16; ++i) in[i] = static_cast<float>(i + 1);
      std::fill(std::begin(out), std::end(out), -1.0f);
      lanes = HWY_DYNAMIC_DISPATCH(copy_part)(in, out + 1, n, 9.0f);
      for (int i = -1; i < 17; ++i) CHECK(out[i + 1] == (i >= 0 && i < n ? in[i] : -1.0f));
    }
  });
}

TEST_CASE("reductions over the lanes") {
  alignas(64) float x[16];
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>((i * 7) % 16);
  float got[4];
  for_each_dispatched_target([&] {
    HWY_DYNAMIC_DISPATCH(reduce)(x, got);
    const auto n = static_cast<std::ptrdiff_t>(got[0]);
    float want = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) want += x[i];
    CHECK(got[1] == want);
    CHECK(got[2] == *std::max_element(x, x + n));
    CHECK(got[3] == *std::min_element(x, x + n));
  });
}

}  // namespace ctnn::ir
#endif
