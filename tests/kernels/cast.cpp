// SPDX-License-Identifier: BSL-1.0
// Conversions to and from half precision on every target: the bits of base/half.hpp; and to integers and booleans.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctnn/base/half.hpp>
#include <ctnn/base/saturated.hpp>
#include <vector>

#include "parts.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// Kernels take the address of any elements as that of floats.
float* address(std::vector<std::uint16_t>& v) { return static_cast<float*>(static_cast<void*>(v.data())); }

/// A float near every bit pattern of `type`: itself, halfway to the next and beside that.
std::vector<float> floats_around(float (*widen)(std::uint16_t)) {
  std::vector<float> out{0x1p-149f, -0x1p-149f, 3e38f, -3e38f, 65519.996f, 65520.0f};
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto here = std::bit_cast<std::uint32_t>(widen(static_cast<std::uint16_t>(h)));
    const auto next = std::bit_cast<std::uint32_t>(widen(static_cast<std::uint16_t>(h + 1)));
    const std::uint32_t half = here + (next - here) / 2;
    for (std::uint32_t bits : {here, half - 1, half, half + 1}) out.push_back(std::bit_cast<float>(bits));
  }
  return out;
}

}  // namespace

TEST_CASE("halves to floats") {
  std::vector<std::uint16_t> all(0x10003);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for_each_target([&] {
    for (dtype type : {dtype::f16, dtype::bf16})
      for (int parts : {1, 3}) {
        std::vector<float> got(all.size(), 77.0f);
        const extents shape{static_cast<int>(all.size())};
        const const_tensor from{address(all), shape, layout::nchw, 0, type};
        const tensor to{got.data(), shape};
        for (int i = 0; i < parts; ++i)
          dispatched(op::cast{dtype::f32}, arguments{{&from, 1}, {&to, 1}, {}, {i, parts}});
        int wrong = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          const float want = type == dtype::f16 ? half_to_float(all[i]) : bfloat_to_float(all[i]);
          const bool same = std::isnan(want)
                                ? std::isnan(got[i])
                                : std::bit_cast<std::uint32_t>(got[i]) == std::bit_cast<std::uint32_t>(want);
          wrong += same ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
  });
}

TEST_CASE("floats to halves round to nearest, ties to even") {
  for_each_target([&] {
    for (dtype type : {dtype::f16, dtype::bf16}) {
      const std::vector<float> all = floats_around(type == dtype::f16 ? half_to_float : bfloat_to_float);
      std::vector<std::uint16_t> got(all.size(), 77);
      const extents shape{static_cast<int>(all.size())};
      const const_tensor from{all.data(), shape};
      const tensor to{address(got), shape, layout::nchw, 0, type};
      dispatched(op::cast{type}, arguments{{&from, 1}, {&to, 1}, {}});
      int wrong = 0;
      for (std::size_t i = 0; i < all.size(); ++i)
        wrong += got[i] == (type == dtype::f16 ? float_to_half(all[i]) : float_to_bfloat(all[i])) ? 0 : 1;
      CHECK(wrong == 0);
    }
  });
}

namespace {

template <class T>
void check_conversions(dtype type, const std::vector<float>& x) {
  std::vector<T> got(x.size());
  const extents shape{static_cast<int>(x.size())};
  const const_tensor from{x.data(), shape};
  for (int parts : {1, 3}) {
    std::fill(got.begin(), got.end(), T{77});
    const tensor to{static_cast<float*>(static_cast<void*>(got.data())), shape, layout::nchw, 0, type};
    for (int i = 0; i < parts; ++i) dispatched(op::cast{type}, arguments{{&from, 1}, {&to, 1}, {}, {i, parts}});
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T want = type == dtype::boolean ? static_cast<T>(x[i] != 0) : converted<T>(x[i]);
      wrong += got[i] == want ? 0 : 1;
    }
    CAPTURE(name_of(type));
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("floats to integers cut off fractions, saturate or keep low bits; NaN becomes 0") {
  std::vector<float> x;
  for (int i = -3000; i <= 3000; ++i) x.push_back(static_cast<float>(i) / 8);
  for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 524309)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (float v : {0.0f, 1e-40f, 2147483648.0f, 2147483520.0f, 9.2233720e18f, 9.2233715e18f, 1e30f, INFINITY, NAN})
    for (int n = 0; n < 17; ++n) x.push_back(n % 3 == 0 ? v : -v);
  for_each_target([&] {
    check_conversions<std::int8_t>(dtype::i8, x);
    check_conversions<std::uint8_t>(dtype::u8, x);
    check_conversions<std::int32_t>(dtype::i32, x);
    check_conversions<std::int64_t>(dtype::i64, x);
    check_conversions<std::uint8_t>(dtype::boolean, x);
  });
}
